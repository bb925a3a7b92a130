"""What the timekeeper does in one tick, and at the instant that it looked ahead to."""

import time

import pytest
from redis import Redis

from menagerie.clock import Control
from menagerie.match import Match, Occupant
from menagerie.play.referee import Call, Referee, Wish
from menagerie.play.tokens import Claim, Tokens
from menagerie.store.matches import Matches
from workers.timekeeper import Next, Timekeeper

GUEST = Occupant("guest")


@pytest.fixture
def referee(redis: Redis) -> Referee:
    return Referee(Matches(redis), Tokens("a secret of the tests"))


def begun(referee: Referee, initial_ms: int = 60_000) -> Match:
    control = Control("absolute", initial_ms=initial_ms)
    wish = Wish("jungle", white=GUEST, black=GUEST, control=control)
    return referee.create(wish, Call()).match


def stored(referee: Referee, match: Match) -> Match:
    found = referee.matches.load(match.id).match
    assert found is not None
    return found


def due_ms(referee: Referee, match: Match) -> int:
    return (match.clock.deadline_ms or 0) + referee.grace_ms


def test_a_match_that_cannot_be_read_stops_no_other(redis: Redis, referee: Referee) -> None:
    broken, whole = begun(referee), begun(referee)
    redis.hset(referee.matches.keys.match(broken.id), "state", "{")
    due = referee.matches.keys.due(referee.matches.keys.tag(whole.id))
    redis.zadd(due, {broken.id: 1, whole.id: 2})
    Timekeeper(referee).tick()
    assert redis.zscore(due, broken.id) is None
    assert stored(referee, whole).status == "active"


def test_a_match_that_cannot_be_read_is_not_looked_ahead_to(redis: Redis, referee: Referee) -> None:
    broken = begun(referee)
    redis.hset(referee.matches.keys.match(broken.id), "state", "{")
    Timekeeper(referee).await_next(Next(0.0, broken.id, due_ms(referee, broken)))
    assert redis.zscore(referee.matches.keys.due("{s00}"), broken.id) is None


def test_the_next_deadline_is_looked_ahead_to(redis: Redis, referee: Referee) -> None:
    match = begun(referee)
    soon_ms = referee.matches.time_ms() + 30
    redis.zadd(referee.matches.keys.due("{s00}"), {match.id: soon_ms})
    began_s = time.monotonic()
    coming = Timekeeper(referee).tick()
    assert (coming.match_id, coming.at_ms) == (match.id, soon_ms)
    assert began_s < coming.at_s < time.monotonic() + 0.031


def test_nothing_is_looked_ahead_to_that_is_far_away(referee: Referee) -> None:
    begun(referee)
    assert Timekeeper(referee).tick().match_id == ""


def test_a_flag_that_was_foreseen_falls_at_its_deadline(referee: Referee) -> None:
    match = begun(referee)
    Timekeeper(referee).await_next(Next(0.0, match.id, due_ms(referee, match)))
    ended = stored(referee, match)
    assert ended.result is not None
    assert (ended.result.winner, ended.result.reason) == ("black", "timeout")
    assert ended.finished_ms == match.clock.deadline_ms


def test_a_flag_that_was_foreseen_does_not_fall_after_a_move(referee: Referee) -> None:
    match = begun(referee)
    at_ms = due_ms(referee, match)
    step = referee.foresee(match.id, at_ms)
    assert step is not None
    referee.move(match.id, ("a3a4",), 0, Call(Claim(match.id, "white", 0)))
    referee.settle_foreseen(step, at_ms)
    assert stored(referee, match).status == "active"
    assert referee.foresee(match.id, at_ms) is None
