"""An RQ worker and the jobs that it takes."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from redis import Redis
from rq import Queue, SimpleWorker

from menagerie.games.position import Seat
from menagerie.match import Occupant
from menagerie.play.outbox import Takers
from menagerie.play.referee import Call, Referee, Wish
from menagerie.play.settings import Settings, open_referee
from menagerie.play.tokens import Claim
from menagerie.store.codec import dumps
from menagerie.store.keys import facet
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


def shuttled(referee: Referee, moves: int) -> str:
    """A match in which both sides go to and fro; White's tiger enters b1 and a1 in turn."""
    guest = Occupant("guest")
    match = referee.create(Wish("jungle", white=guest, black=guest), Call()).match
    texts = {"white": ("a1b1", "b1a1"), "black": ("g9f9", "f9g9")}
    for ply in range(moves):
        seat: Seat = "white" if ply % 2 == 0 else "black"
        text = texts[seat][ply // 2 % 2]
        referee.move(match.id, (text,), ply, Call(Claim(match.id, seat, 0)))
    return match.id


def worked(referee: Referee, redis: Redis) -> None:
    referee.takers.hand_on(referee.matches.agenda("{s00}", 100).outbox)
    SimpleWorker(["checks"], connection=redis).work(burst=True)


def test_a_worker_counts_what_is_barred_and_notes_it_once(referee: Referee, redis: Redis) -> None:
    match_id = shuttled(referee, 12)
    worked(referee, redis)
    match, _ = referee.present(match_id)
    assert referee.verdict(match) == {
        "ply": 12,
        "counts": {"a1": 3, "b1": 3},
        "barred": ["a1", "b1"],
        "draw": False,
        "agrees": True,
    }
    (event,) = [e for e in referee.matches.events(match) if e.type == "repetition.barred"]
    assert (event.id, event.by, event.seat) == (f"{match.version}-1", "referee", "white")
    assert event.data == {"squares": ["a1", "b1"]}
    jobs.check_repetition(match_id, match.version)
    referee.check_repetition(match_id, 1)
    assert referee.matches.checks() == (1, 0)
    notes = [note.type for note in referee.matches.record(match).notes]
    assert notes.count("repetition.barred") == 1


def test_only_the_newest_check_of_a_match_is_queued(referee: Referee, redis: Redis) -> None:
    match_id = shuttled(referee, 4)
    referee.takers.hand_on(referee.matches.agenda("{s00}", 100).outbox)
    version = referee.present(match_id)[0].version
    assert Queue("checks", connection=redis).job_ids == [f"check-{match_id}-{version}"]
    assert referee.matches.backlog().outbox == 0


def test_a_check_of_a_position_that_is_not_the_records_says_so(
    referee: Referee, redis: Redis, caplog: pytest.LogCaptureFixture
) -> None:
    match_id = shuttled(referee, 6)
    match, _ = referee.present(match_id)
    trails = {**match.position.trails, "white": ("b1",)}  # type: ignore[attr-defined]
    wrong = replace(match, position=replace(match.position, trails=trails))  # type: ignore[type-var]
    redis.hset(referee.matches.keys.match(match_id), "state", dumps(wrong.dump()))
    worked(referee, redis)
    match, _ = referee.present(match_id)
    verdict = referee.verdict(match)
    assert verdict is not None
    assert (verdict["counts"], verdict["agrees"]) == ({"a1": 1, "b1": 2}, False)
    assert referee.matches.checks() == (1, 1)
    assert match_id in caplog.text


def test_a_record_with_a_move_that_is_none_is_told_of(referee: Referee, redis: Redis) -> None:
    match_id = shuttled(referee, 2)
    key = referee.matches.keys.record(match_id)
    row = redis.lindex(key, -1)
    redis.lset(key, -1, row.replace(b"g9f9", b"g9a1"))  # type: ignore[union-attr]
    worked(referee, redis)
    assert referee.matches.checks() == (1, 1)


def test_a_check_changes_no_version_and_moves_nothing_in_the_due_set(
    referee: Referee, redis: Redis
) -> None:
    match_id = shuttled(referee, 12)
    before, due = referee.present(match_id)[0], referee.matches.agenda("{s00}").due
    worked(referee, redis)
    assert referee.present(match_id)[0] == before
    assert referee.matches.agenda("{s00}").due == due


def test_without_its_queue_a_check_is_not_kept(referee: Referee, redis: Redis) -> None:
    deaf = Referee(referee.matches, referee.tokens)
    shuttled(deaf, 2)
    deaf.takers.hand_on(deaf.matches.agenda("{s00}", 100).outbox)
    assert deaf.matches.backlog().outbox == 0


def test_an_outbox_entry_of_a_match_that_cannot_be_read_stops_nothing(
    referee: Referee, redis: Redis
) -> None:
    guest = Occupant("guest")
    deaf = Referee(referee.matches, referee.tokens)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Takers, "hand_on_at_once", lambda *_: None)
        broken = deaf.create(Wish("jungle", white=guest, black=guest), Call()).match
        whole = deaf.create(Wish("jungle", white=guest, black=guest), Call()).match
    redis.hset(referee.matches.keys.match(broken.id), "state", "{")
    referee.takers.hand_on(referee.matches.agenda("{s00}", 100).outbox)
    assert [match_id for _, match_id in referee.matches.page([facet("public")], None, 9)] == [
        whole.id
    ]
    assert referee.matches.backlog().outbox == 0
