"""What the timekeeper does in one tick."""

from redis import Redis

from menagerie.clock import Control
from menagerie.match import Occupant
from menagerie.play.referee import Call, Referee, Wish
from menagerie.play.tokens import Tokens
from menagerie.store.matches import Matches
from workers.timekeeper import Timekeeper


def test_a_match_that_cannot_be_read_stops_no_other(redis: Redis) -> None:
    matches = Matches(redis)
    referee = Referee(matches, Tokens("a secret of the tests"))
    wish = Wish(
        "jungle",
        white=Occupant("guest"),
        black=Occupant("guest"),
        control=Control("absolute", initial_ms=60_000),
    )
    broken, whole = (referee.create(wish, Call()).match for _ in range(2))
    redis.hset(matches.keys.match(broken.id), "state", "{")
    due = matches.keys.due(matches.keys.tag(whole.id))
    redis.zadd(due, {broken.id: 1, whole.id: 2})
    Timekeeper(referee).tick()
    assert redis.zscore(due, broken.id) is None
    stored = matches.load(whole.id).match
    assert stored is not None and stored.status == "active"
