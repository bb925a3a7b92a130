"""The referee among many requests: whose instant counts, and who may settle a clock."""

from collections.abc import Callable
from contextlib import suppress

import pytest
from redis import Redis

from menagerie.clock import Control
from menagerie.match import ClockExpired, Match, MatchOver, Occupant
from menagerie.play.outbox import Takers
from menagerie.play.referee import GRACE_MS, Call, Referee, Wish
from menagerie.play.tokens import Claim, Tokens
from menagerie.store.matches import Handed, Loaded, Matches

SECOND = Control("absolute", initial_ms=1000)
TAG = "{s00}"


class MatchesAt(Matches):
    """The store, at an instant of the test's choosing; `between` happens before each commit."""

    now_ms: int | None = None
    between: Callable[[], object] | None = None

    def load(self, match_id: str, mark: str = "") -> Loaded:
        loaded = super().load(match_id, mark)
        return loaded if self.now_ms is None else loaded._replace(now_ms=self.now_ms)

    def commit(self, *args: object, **more: object) -> list[Handed]:
        between, self.between = self.between, None
        if between is not None:
            between()
        return super().commit(*args, **more)  # type: ignore[arg-type]


class Table:
    """A match of two guests that has just begun, and its referee."""

    def __init__(self, redis: Redis, control: Control = SECOND) -> None:
        self.matches = MatchesAt(redis)
        self.referee = Referee(self.matches, Tokens("a secret of the tests"))
        guests = Occupant("guest", "Ann"), Occupant("guest", "Bob")
        wish = Wish("jungle", white=guests[0], black=guests[1], control=control)
        self.match = self.referee.create(wish, Call()).match
        self.id = self.match.id
        self.deadline_ms = self.match.clock.deadline_ms or 0

    def by(self, seat: str) -> Call:
        return Call(Claim(self.id, seat, 0))  # type: ignore[arg-type]

    def at(self, after_deadline_ms: int) -> None:
        """It is so many ms after White's deadline."""
        self.matches.now_ms = self.deadline_ms + after_deadline_ms

    def now(self) -> Match:
        return self.referee.get(self.id)[0]


@pytest.fixture
def table(redis: Redis) -> Table:
    return Table(redis)


def test_a_move_taken_in_before_the_deadline_counts_though_others_read_after_it(
    table: Table,
) -> None:
    def meanwhile() -> None:
        table.at(GRACE_MS - 1)
        shown = table.now()
        assert (shown.status, shown.version) == ("active", table.match.version)
        assert shown.clock.reading("white", table.matches.now_ms).remaining_ms == 0
        table.referee.settle(table.id)
        assert table.now().version == table.match.version

    table.at(-1)
    table.matches.between = meanwhile
    done = table.referee.move(table.id, ("a3a4",), 0, table.by("white"))
    assert (done.status, done.match.ply) == (201, 1)
    assert done.match.last_ply.at_ms == table.deadline_ms - 1
    assert done.match.last_ply.white_ms == 1
    assert table.now() == done.match
    table.at(GRACE_MS)
    assert table.now().status == "active"


def test_the_instant_of_the_first_load_is_kept_through_a_conflict(redis: Redis) -> None:
    table = Table(redis, Control("absolute", initial_ms=1000))
    rival = table.by("white")

    def meanwhile() -> None:
        table.at(GRACE_MS + 50)
        other = Matches(redis)
        match = other.load(table.id).match
        other.commit(match.move("white", ("a3a4",), 0, table.deadline_ms - 5), due_ms=None)

    table.at(-1)
    table.matches.between = meanwhile
    done = table.referee.move(table.id, ("a3a4",), 0, rival)
    assert (done.status, done.replayed) == (200, True)
    assert done.now_ms == table.deadline_ms - 1
    assert done.match.last_ply.at_ms == table.deadline_ms - 5


def test_a_move_that_comes_at_the_deadline_is_late_though_the_grace_goes_on(table: Table) -> None:
    table.at(0)
    with pytest.raises(ClockExpired):
        table.referee.move(table.id, ("a3a4",), 0, table.by("white"))
    ended = table.now()
    assert (ended.result.winner, ended.result.reason) == ("black", "timeout")
    assert ended.finished_ms == table.deadline_ms


def test_the_last_millisecond_is_playing_time(table: Table) -> None:
    table.at(-1)
    assert table.referee.move(table.id, ("a3a4",), 0, table.by("white")).match.ply == 1


@pytest.mark.parametrize("late_ms", [GRACE_MS, GRACE_MS + 1, 3_600_000])
def test_a_flag_is_settled_at_its_deadline_however_late_anyone_looks(
    table: Table, late_ms: int
) -> None:
    table.at(late_ms)
    ended = table.now()
    assert ended.status == "finished"
    assert ended.finished_ms == ended.clock.at_ms == table.deadline_ms
    assert table.matches.record(ended).notes[-1].at_ms == table.deadline_ms
    with pytest.raises(ClockExpired):
        table.referee.move(table.id, ("a3a4",), 0, table.by("white"))
    with pytest.raises(MatchOver):
        table.referee.move(table.id, ("g7g6",), 0, table.by("black"))


def test_readers_the_timekeeper_and_the_late_mover_write_the_same_end(redis: Redis) -> None:
    ends = []
    for settle in (
        lambda table: table.now(),
        lambda table: table.referee.settle(table.id),
        lambda table: table.referee.move(table.id, ("a3a4",), 0, table.by("white")),
        lambda table: table.referee.resign(table.id, table.by("black")),
    ):
        table = Table(redis)
        table.at(GRACE_MS)
        with suppress(ClockExpired, MatchOver):
            settle(table)
        match = table.now()
        note = table.matches.record(match).notes[-1]
        since_ms = note.at_ms - match.started_ms
        ends.append((match.result, match.version, match.flagged, note.type, note.by, since_ms))
    assert len(set(ends)) == 1
    assert ends[0][-1] == 1000


def test_an_opponent_who_resigns_in_the_grace_waits_for_the_move_in_time(table: Table) -> None:
    table.at(GRACE_MS - 1)
    loads = iter(range(GRACE_MS - 1, GRACE_MS + 50, 10))
    load = table.matches.load

    def ticking(match_id: str, mark: str = "") -> Loaded:
        table.at(next(loads))
        return load(match_id, mark)

    table.matches.load = ticking  # type: ignore[method-assign]
    with pytest.raises(MatchOver):
        table.referee.resign(table.id, table.by("black"))
    table.matches.load = load  # type: ignore[method-assign]
    assert table.now().result.reason == "timeout"


def agenda(table: Table) -> tuple[list[tuple[str, int]], list[object]]:
    found = table.matches.agenda(TAG)
    return found.due, [item.entry["kind"] for item in found.outbox]


def test_the_agenda_follows_the_life_of_a_match(redis: Redis, monkeypatch) -> None:
    handed: list[Handed] = []
    hand_on = Takers.hand_on
    monkeypatch.setattr(Takers, "hand_on", lambda takers, items: handed.extend(items))
    table = Table(redis)
    assert agenda(table) == ([(table.id, table.deadline_ms + GRACE_MS)], ["lists"])
    hand_on(table.referee.takers, handed)
    assert agenda(table) == ([(table.id, table.deadline_ms + GRACE_MS)], [])
    table.at(-500)
    match = table.referee.move(table.id, ("a3a4",), 0, table.by("white")).match
    due_ms = table.deadline_ms - 500 + 1000 + GRACE_MS
    assert match.clock.deadline_ms == due_ms - GRACE_MS
    assert agenda(table) == ([(table.id, due_ms)], [])
    table.referee.resign(table.id, table.by("black"))
    assert agenda(table) == ([], ["lists"])


def test_an_open_match_is_due_at_its_expiry_and_is_aborted_then(redis: Redis) -> None:
    table = Table(redis)
    table.matches.now_ms = None
    match = table.referee.create(Wish("jungle", open_for_ms=60_000), Call()).match
    assert (match.id, match.setup.expires_ms) in table.matches.agenda(TAG).due
    table.matches.now_ms = match.setup.expires_ms
    table.referee.settle(match.id)
    after = table.referee.get(match.id)[0]
    assert (after.status, after.result.reason) == ("aborted", "no_opponent")
    assert after.finished_ms == match.setup.expires_ms
    assert match.id not in dict(table.matches.agenda(TAG).due)


def test_a_match_without_a_clock_and_a_virtual_clock_are_never_due(redis: Redis) -> None:
    table = Table(redis, Control("none"))
    assert table.matches.agenda(TAG).due == []
    guests = Occupant("guest"), Occupant("guest")
    table.referee.create(
        Wish(
            "jungle",
            white=guests[0],
            black=guests[1],
            control=SECOND,
            sandbox=True,
            virtual_clock=True,
        ),
        Call(),
    )
    assert table.matches.agenda(TAG).due == []


def test_a_match_that_is_gone_leaves_the_due_set(table: Table, redis: Redis) -> None:
    redis.delete(table.matches.keys.match(table.id))
    table.referee.settle(table.id)
    assert table.matches.agenda(TAG).due == []
