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
    low_ms = 100
    assert agenda(table) == ([(table.id, table.deadline_ms - low_ms)], ["lists"])
    hand_on(table.referee.takers, handed)
    assert agenda(table) == ([(table.id, table.deadline_ms - low_ms)], [])
    table.at(-low_ms)
    table.referee.settle(table.id)
    assert agenda(table) == ([(table.id, table.deadline_ms + GRACE_MS)], [])
    match = table.referee.move(table.id, ("a3a4",), 0, table.by("white")).match
    deadline_ms = table.deadline_ms - low_ms + 1000
    assert match.clock.deadline_ms == deadline_ms
    assert agenda(table) == ([(table.id, deadline_ms - low_ms)], ["checks"])
    table.referee.resign(table.id, table.by("black"))
    assert agenda(table) == ([], ["checks", "lists"])


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


def log(table: Table) -> list[tuple[str, str, object]]:
    return [(e.id, e.type, e.data) for e in table.matches.events(table.now())]


def test_a_low_clock_is_told_once_whoever_looks_and_changes_nothing(table: Table) -> None:
    before = table.now()
    table.at(-101)
    table.referee.settle(table.id)
    assert len(log(table)) == 2
    table.at(-60)
    for _ in range(2):
        table.referee.settle(table.id)
    assert log(table)[2:] == [(f"{before.version}-2", "clock.low", {"remaining_ms": 100})]
    assert table.now() == before
    (event,) = table.matches.events(table.now(), (before.version, 1))
    assert (event.seat, event.by, event.at_ms) == ("white", "clock", table.deadline_ms - 100)
    assert event.clock.reading("white", event.at_ms).remaining_ms == 100
    note = table.matches.record(before).notes[-1]
    assert (note.type, note.at_ms, note.after_ply) == ("clock.low", table.deadline_ms - 100, 0)


def test_after_a_move_the_clock_tells_nothing_of_the_turn_before(table: Table) -> None:
    before = table.now()
    step = before.reminded(before.clock.at_ms)
    assert step is not None
    table.at(-500)
    table.referee.move(table.id, ("a3a4",), 0, table.by("white"))
    due = table.matches.agenda(TAG).due
    assert not table.matches.note(step, "clock", 0)
    assert table.matches.agenda(TAG).due == due
    assert [kind for _, kind, _ in log(table)][-1] == "move.played"


def test_a_byoyomi_turn_tells_of_each_period_and_of_the_end(redis: Redis) -> None:
    table = Table(redis, Control("byoyomi", initial_ms=1000, periods=2, period_ms=1000))
    for early_ms in (2000, 1000, 300, 1):
        table.at(-early_ms)
        table.referee.settle(table.id)
    assert [(kind, data) for _, kind, data in log(table)][2:] == [
        ("clock.period", {"periods_left": 2}),
        ("clock.period", {"periods_left": 1}),
        ("clock.low", {"remaining_ms": 300}),
    ]
    assert table.now().version == 1


def test_a_timekeeper_that_comes_late_tells_all_that_it_missed_in_order(redis: Redis) -> None:
    table = Table(redis, Control("byoyomi", initial_ms=1000, periods=2, period_ms=1000))
    table.at(-1)
    table.referee.settle(table.id)
    events = table.matches.events(table.now())[2:]
    assert [table.deadline_ms - event.at_ms for event in events] == [2000, 1000, 300]
    assert table.matches.agenda(TAG).due == [(table.id, table.deadline_ms + GRACE_MS)]


def test_a_wrong_score_in_the_due_set_is_put_right(table: Table, redis: Redis) -> None:
    redis.zadd(table.matches.keys.due(TAG), {table.id: 1})
    table.at(-900)
    table.referee.settle(table.id)
    assert table.matches.agenda(TAG).due == [(table.id, table.deadline_ms - 100)]


def test_a_virtual_clock_tells_what_it_passes(redis: Redis) -> None:
    table = Table(redis)
    guest = Occupant("guest")
    wish = Wish(
        "jungle", white=guest, black=guest, control=SECOND, sandbox=True, virtual_clock=True
    )
    match = table.referee.create(wish, Call()).match
    claim = Call(Claim(match.id, "white", 0))
    table.referee.advance(match.id, 899, claim)
    table.referee.advance(match.id, 1, claim)
    after = table.referee.advance(match.id, 50, claim).match
    events = table.matches.events(after)[2:]
    assert [event.type for event in events] == [
        "clock.adjusted",
        "clock.adjusted",
        "clock.low",
        "clock.adjusted",
    ]
