"""An RQ worker and the jobs that it takes."""

from collections.abc import Iterator

import pytest
from redis import Redis
from rq import SimpleWorker

from menagerie.match import Occupant
from menagerie.play.referee import Call, Referee, Wish
from menagerie.play.settings import Settings, open_referee
from menagerie.play.tokens import Claim
from workers import jobs


@pytest.fixture
def referee(redis: Redis, redis_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Referee]:
    monkeypatch.setenv("MENAGERIE_REDIS_URL", redis_url)
    monkeypatch.setenv("MENAGERIE_SECRET", "a secret of the tests")
    jobs.referee.cache_clear()
    yield open_referee(Settings.from_environment())
    jobs.referee.cache_clear()


def test_a_worker_plays_the_bots_turn_that_a_move_brought(referee: Referee, redis: Redis) -> None:
    bot = Occupant("bot", "jungle-2", bot="jungle-2")
    match = referee.create(Wish("jungle", white=Occupant("guest"), black=bot), Call()).match
    referee.move(match.id, ("a3a4",), 0, Call(Claim(match.id, "white", 0)))
    SimpleWorker(["bots"], connection=redis).work(burst=True)
    now, _, _ = referee.get(match.id)
    assert (now.ply, now.to_move) == (2, ("white",))
    assert now.last_ply is not None and now.last_ply.seat == "black"


def test_two_bots_play_a_whole_match(referee: Referee, redis: Redis) -> None:
    bot = Occupant("bot", "jungle-1", bot="jungle-1")
    match = referee.create(Wish("jungle", white=bot, black=bot), Call()).match
    SimpleWorker(["bots"], connection=redis).work(burst=True)
    ended, _, _ = referee.get(match.id)
    assert ended.status == "finished"
    assert referee.matches.record(ended).rebuild() == ended.position
