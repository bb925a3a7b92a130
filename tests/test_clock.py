"""Clocks: each control by named examples, and all of them against one that ticks."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
from hypothesis import example, given
from hypothesis import settings as bounded
from hypothesis import strategies as st
from tabletop import T0, controls

from menagerie.clock import Clock, Control, Fall, Reading
from menagerie.games.position import BLACK, SEATS, WHITE, Seat, other

ABSOLUTE = Control("absolute", initial_ms=60_000)
FISCHER = Control("fischer", initial_ms=60_000, increment_ms=5_000)
CAPPED = Control("fischer", initial_ms=60_000, increment_ms=5_000, cap_ms=62_000)
DELAY = Control("delay", initial_ms=60_000, delay_ms=5_000)
BRONSTEIN = Control("bronstein", initial_ms=60_000, delay_ms=5_000)
BYOYOMI = Control("byoyomi", initial_ms=60_000, periods=3, period_ms=10_000)
PER_TURN = Control("per_turn", turn_ms=30_000)
NONE = Control("none")
LOSE = Control("fischer", 60_000, 5_000, turn_limit_ms=20_000, on_turn_limit="lose")
SKIP = Control("fischer", 60_000, 5_000, turn_limit_ms=20_000, on_turn_limit="skip")
NONE_SKIP = Control("none", turn_limit_ms=20_000, on_turn_limit="skip")
START = Control("fischer", 60_000, 5_000, start_ms=15_000)


def begun(control: Control, *running: Seat) -> Clock:
    """A clock that was started at T0, White's turn unless said otherwise."""
    return Clock.new(control, T0).start(running or (WHITE,), T0)


def turn(clock: Clock, think_ms: int, earns: bool = True) -> Clock:
    """The clock after the running seat has thought this long and moved."""
    (seat,) = clock.running
    return clock.press(seat, clock.at_ms + think_ms, (other(seat),), earns)


def left(clock: Clock, seat: Seat, after_ms: int = 0) -> int | None:
    return clock.reading(seat, clock.at_ms + after_ms).remaining_ms


def reloaded(clock: Clock) -> Clock:
    return Clock.load(clock.control, json.loads(json.dumps(clock.dump())))


# Deadlines, control by control


@pytest.mark.parametrize(
    ("control", "after_ms", "kind"),
    [
        pytest.param(ABSOLUTE, 60_000, "timeout", id="absolute"),
        pytest.param(FISCHER, 60_000, "timeout", id="fischer"),
        pytest.param(CAPPED, 60_000, "timeout", id="fischer capped"),
        pytest.param(DELAY, 65_000, "timeout", id="delay"),
        pytest.param(BRONSTEIN, 60_000, "timeout", id="bronstein"),
        pytest.param(BYOYOMI, 90_000, "timeout", id="byoyomi"),
        pytest.param(PER_TURN, 30_000, "timeout", id="per turn"),
        pytest.param(LOSE, 20_000, "timeout", id="turn limit that loses"),
        pytest.param(SKIP, 20_000, "missed", id="turn limit that skips"),
        pytest.param(NONE_SKIP, 20_000, "missed", id="turn limit without a clock"),
        pytest.param(START, 15_000, "no_start", id="start"),
        pytest.param(Control("none", start_ms=15_000), 15_000, "no_start", id="start alone"),
    ],
)
def test_the_first_turn_ends_at_its_deadline(control: Control, after_ms: int, kind: str) -> None:
    clock = begun(control)
    assert clock.fall() == Fall(T0 + after_ms, (WHITE,), kind)
    assert clock.deadline_ms == T0 + after_ms
    assert clock.advance(T0 + after_ms - 1).fall() == clock.fall()


@pytest.mark.parametrize(
    ("control", "after_ms"),
    [(ABSOLUTE, 60_000), (FISCHER, 60_000), (DELAY, 65_000), (BRONSTEIN, 60_000),
     (BYOYOMI, 90_000), (PER_TURN, 30_000)],
    ids=lambda value: getattr(value, "type", None),
)  # fmt: skip
def test_one_millisecond_before_its_deadline_a_clock_shows_one_and_then_none(
    control: Control, after_ms: int
) -> None:
    clock = begun(control)
    assert [left(clock, WHITE, after_ms + d) for d in (-1, 0, 1)] == [1, 0, 0]


def test_without_a_clock_nothing_ever_falls() -> None:
    clock = begun(NONE)
    assert clock.fall() is None
    assert clock.deadline_ms is None
    assert clock.reading(WHITE, T0 + 10**12) == Reading(None, "main", None)
    assert turn(clock, 10**12).deadline_ms is None


def test_a_clock_that_has_not_started_stands() -> None:
    clock = Clock.new(FISCHER, T0)
    assert clock.running == ()
    assert clock.deadline_ms is None
    assert left(clock.advance(T0 + 10**9), WHITE) == 60_000


# What a turn costs and earns


def test_only_the_running_seat_pays() -> None:
    clock = turn(begun(ABSOLUTE), 7_000)
    assert (left(clock, WHITE), left(clock, BLACK)) == (53_000, 60_000)
    clock = turn(clock, 1_234)
    assert (left(clock, WHITE), left(clock, BLACK)) == (53_000, 58_766)
    assert clock.running == (WHITE,)


def test_fischer_adds_its_increment_after_the_turn() -> None:
    clock = turn(begun(FISCHER), 7_000)
    assert left(clock, WHITE) == 58_000
    assert left(turn(begun(FISCHER), 0), WHITE) == 65_000
    assert left(turn(begun(FISCHER), 59_999), WHITE) == 5_001


def test_the_cap_bounds_what_an_increment_adds() -> None:
    assert left(turn(begun(CAPPED), 2_999), WHITE) == 62_000
    assert left(turn(begun(CAPPED), 3_000), WHITE) == 62_000
    assert left(turn(begun(CAPPED), 3_001), WHITE) == 61_999
    assert left(turn(turn(turn(begun(CAPPED), 0), 0), 0), WHITE) == 62_000


def test_simple_delay_is_free_and_adds_nothing() -> None:
    for think_ms, expected in [(0, 60_000), (4_999, 60_000), (5_000, 60_000), (5_001, 59_999)]:
        clock = begun(DELAY)
        assert left(clock, WHITE, think_ms) == expected
        assert left(turn(clock, think_ms), WHITE) == expected


def test_bronstein_gives_back_what_was_used_up_to_the_delay() -> None:
    for think_ms, after in [(0, 60_000), (4_999, 60_000), (5_000, 60_000), (5_001, 59_999)]:
        clock = begun(BRONSTEIN)
        assert left(clock, WHITE, think_ms) == 60_000 - think_ms
        assert left(turn(clock, think_ms), WHITE) == after


def test_bronstein_falls_before_it_can_give_back_and_delay_does_not() -> None:
    low = Control("bronstein", initial_ms=1_000, delay_ms=5_000)
    assert begun(low).deadline_ms == T0 + 1_000
    low = Control("delay", initial_ms=1_000, delay_ms=5_000)
    assert begun(low).deadline_ms == T0 + 6_000


def test_byoyomi_takes_main_time_first_and_then_periods() -> None:
    clock = begun(BYOYOMI)
    readings = [clock.reading(WHITE, T0 + ms) for ms in (59_999, 60_000, 60_001, 69_999, 70_000)]
    assert readings == [
        Reading(1, "main", 3),
        Reading(10_000, "byoyomi", 3),
        Reading(9_999, "byoyomi", 3),
        Reading(1, "byoyomi", 3),
        Reading(10_000, "byoyomi", 2),
    ]
    last = [clock.reading(WHITE, T0 + ms) for ms in (89_999, 90_000, 10**9)]
    assert last == [Reading(1, "byoyomi", 1), Reading(0, "byoyomi", 0), Reading(0, "byoyomi", 0)]


@pytest.mark.parametrize(
    ("think_ms", "periods"), [(69_999, 3), (70_000, 2), (79_999, 2), (80_000, 1), (89_999, 1)]
)
def test_a_byoyomi_period_is_lost_by_overstepping_it_and_whole_again_if_not(
    think_ms: int, periods: int
) -> None:
    clock = turn(turn(begun(BYOYOMI), think_ms), 0)
    assert clock.reading(WHITE, clock.at_ms) == Reading(10_000, "byoyomi", periods)
    assert clock.deadline_ms == clock.at_ms + 10_000 * periods


def test_byoyomi_keeps_the_main_time_that_is_left() -> None:
    clock = turn(begun(BYOYOMI), 59_999)
    assert clock.reading(WHITE, clock.at_ms) == Reading(1, "main", 3)
    assert turn(clock, 0).deadline_ms == clock.at_ms + 30_001


def test_per_turn_time_is_the_same_every_turn_and_never_saved() -> None:
    clock = begun(PER_TURN)
    for think_ms in (0, 29_999, 15_000, 1):
        assert clock.deadline_ms == clock.at_ms + 30_000
        assert left(clock, clock.running[0]) == 30_000
        clock = turn(clock, think_ms)


def test_a_per_turn_deadline_may_be_two_weeks_away() -> None:
    fortnight = Control("per_turn", turn_ms=14 * 86_400_000)
    assert begun(fortnight).deadline_ms == T0 + 14 * 86_400_000


@pytest.mark.parametrize("control", [FISCHER, BRONSTEIN], ids=["fischer", "bronstein"])
def test_a_turn_made_before_earns_nothing_again(control: Control) -> None:
    assert left(turn(begun(control), 3_000, earns=False), WHITE) == 57_000


def test_a_turn_of_several_plies_runs_on_one_clock_and_earns_once() -> None:
    clock = begun(FISCHER).played(WHITE, T0 + 1_000)
    assert clock.running == (WHITE,)
    assert left(clock, WHITE) == 59_000
    assert clock.deadline_ms == T0 + 60_000
    assert clock.spent_ms(WHITE, T0 + 4_000) - clock.seat(WHITE).ply_ms == 3_000
    clock = clock.played(WHITE, T0 + 4_000).press(WHITE, T0 + 4_500, (BLACK,))
    assert left(clock, WHITE) == 60_500
    assert clock.seat(WHITE).ply_ms == 0


# Turn limits and missed turns


def test_the_turn_limit_binds_each_turn_anew() -> None:
    clock = turn(begun(SKIP), 19_999)
    assert clock.fall() == Fall(clock.at_ms + 20_000, (BLACK,), "missed")


def test_a_flag_that_falls_before_the_turn_limit_loses() -> None:
    clock = begun(SKIP)
    while (left(clock, WHITE) or 0) > 20_000 or clock.running == (BLACK,):
        clock = turn(clock, 19_000 if clock.running == (WHITE,) else 0)
    remaining_ms = left(clock, WHITE)
    assert remaining_ms is not None
    assert clock.fall() == Fall(clock.at_ms + remaining_ms, (WHITE,), "timeout")


def test_where_flag_and_turn_limit_fall_together_the_flag_counts() -> None:
    both = Control("absolute", initial_ms=20_000, turn_limit_ms=20_000, on_turn_limit="skip")
    assert begun(both).fall() == Fall(T0 + 20_000, (WHITE,), "timeout")


def test_a_missed_turn_costs_its_limit_earns_nothing_and_passes_on() -> None:
    clock = begun(SKIP).miss(WHITE, T0 + 20_000, (BLACK,))
    assert left(clock, WHITE) == 40_000
    assert clock.running == (BLACK,)
    assert clock.white.missed_turns == 1
    assert clock.deadline_ms == T0 + 40_000


def test_missed_turns_count_in_a_row_for_each_seat_and_a_made_turn_clears_them() -> None:
    clock = begun(NONE_SKIP)
    for nth in (1, 2):
        clock = clock.miss(WHITE, clock.at_ms + 20_000, (BLACK,))
        assert clock.white.missed_turns == nth
        assert not clock.is_idle(WHITE)
        clock = turn(clock, 1_000)
    assert clock.black.missed_turns == 0
    clock = turn(turn(clock, 1_000), 0)
    assert clock.white.missed_turns == 0
    for _ in range(3):
        clock = clock.miss(WHITE, clock.at_ms + 20_000, (BLACK,))
        clock = turn(clock, 0)
    assert clock.is_idle(WHITE)
    assert not clock.is_idle(BLACK)


def test_the_number_of_missed_turns_that_loses_can_be_chosen() -> None:
    once = Control("none", turn_limit_ms=1_000, on_turn_limit="skip", max_missed_turns=1)
    assert begun(once).miss(WHITE, T0 + 1_000, (BLACK,)).is_idle(WHITE)


@pytest.mark.parametrize(
    ("control", "after"),
    [
        (Control("delay", 60_000, delay_ms=5_000, turn_limit_ms=9_000), Reading(56_000, "main", None)),
        (Control("bronstein", 60_000, delay_ms=5_000, turn_limit_ms=9_000), Reading(51_000, "main", None)),
        (Control("per_turn", turn_ms=30_000, turn_limit_ms=9_000), Reading(30_000, "main", None)),
        (Control("byoyomi", 2_000, periods=3, period_ms=5_000, turn_limit_ms=9_000), Reading(5_000, "byoyomi", 2)),
    ],
    ids=lambda value: getattr(value, "type", None),
)  # fmt: skip
def test_what_a_missed_turn_costs_under_the_other_controls(
    control: Control, after: Reading
) -> None:
    clock = begun(control).miss(WHITE, T0 + 9_000, (BLACK,))
    assert clock.reading(WHITE, clock.at_ms) == after


# The first turn outside the clock


@pytest.mark.parametrize(
    "control", [ABSOLUTE, FISCHER, DELAY, BRONSTEIN, BYOYOMI, PER_TURN], ids=lambda c: c.type
)
def test_with_start_ms_each_seats_first_turn_is_free(control: Control) -> None:
    control = Control.load({**control.dump(), "start_ms": 15_000})
    clock = begun(control)
    assert clock.reading(WHITE, T0 + 14_999).phase == "start"
    full_ms = left(clock, WHITE)
    clock = turn(clock, 14_999)
    assert left(clock, WHITE) == full_ms
    assert clock.reading(WHITE, clock.at_ms).phase == "main"
    assert clock.fall() == Fall(clock.at_ms + 15_000, (BLACK,), "no_start")
    clock = turn(clock, 14_999)
    assert left(clock, BLACK) == full_ms
    fall = clock.fall()
    assert fall is not None
    assert fall.kind == "timeout"


def test_no_turn_limit_binds_the_first_turn_outside_the_clock() -> None:
    control = Control("none", turn_limit_ms=5_000, on_turn_limit="skip", start_ms=15_000)
    assert begun(control).fall() == Fall(T0 + 15_000, (WHITE,), "no_start")
    assert turn(turn(begun(control), 9_000), 9_000).fall() == Fall(T0 + 23_000, (WHITE,), "missed")


# Both at once


def test_both_seats_may_run_and_each_stops_for_itself() -> None:
    clock = begun(ABSOLUTE, WHITE, BLACK).press(BLACK, T0 + 4_000, (WHITE,), earns=False)
    assert clock.running == (WHITE,)
    clock = clock.press(WHITE, T0 + 9_000, (BLACK,), earns=False)
    assert (left(clock, WHITE), left(clock, BLACK)) == (51_000, 56_000)


@pytest.mark.parametrize(("control", "kind"), [(ABSOLUTE, "timeout"), (START, "no_start")])
def test_two_flags_may_fall_at_one_instant(control: Control, kind: str) -> None:
    fall = begun(control, WHITE, BLACK).fall()
    assert fall is not None
    assert (fall.seats, fall.kind) == ((WHITE, BLACK), kind)


def test_of_two_running_clocks_the_lower_falls_first() -> None:
    clock = turn(begun(ABSOLUTE), 1_000).start((WHITE, BLACK), T0 + 1_000)
    assert clock.fall() == Fall(T0 + 60_000, (WHITE,), "timeout")


# Pauses


def told(clock: Clock) -> list[tuple[int, str, dict[str, int]]]:
    """All that a clock tells if nobody acts: ms from its instant, what, and the figures."""
    found, after_ms = [], clock.at_ms
    while reminders := clock.reminders(after_ms):
        after_ms = reminders[0].at_ms
        found += [(after_ms - clock.at_ms, item.type, dict(item.data)) for item in reminders]
    return found


@pytest.mark.parametrize(
    ("control", "after_ms", "low_ms"),
    [
        pytest.param(ABSOLUTE, 54_000, 6_000, id="a tenth of the time"),
        pytest.param(Control("absolute", 600_000), 580_000, 20_000, id="at most 20 s"),
        pytest.param(DELAY, 58_500, 6_500, id="delay"),
        pytest.param(PER_TURN, 27_000, 3_000, id="per turn"),
        pytest.param(LOSE, 18_000, 2_000, id="turn limit"),
        pytest.param(NONE_SKIP, 18_000, 2_000, id="turn limit alone"),
    ],
)
def test_a_clock_tells_once_a_turn_that_it_is_low(
    control: Control, after_ms: int, low_ms: int
) -> None:
    clock = begun(control)
    assert told(clock) == [(after_ms, "clock.low", {"remaining_ms": low_ms})]
    assert told(clock.advance(clock.at_ms + after_ms)) == []


def test_byoyomi_tells_of_every_period_that_begins() -> None:
    assert told(begun(BYOYOMI)) == [
        (60_000, "clock.period", {"periods_left": 3}),
        (70_000, "clock.period", {"periods_left": 2}),
        (80_000, "clock.period", {"periods_left": 1}),
        (81_000, "clock.low", {"remaining_ms": 9_000}),
    ]


def test_a_turn_that_begins_in_a_period_does_not_tell_of_its_first() -> None:
    clock = turn(turn(begun(BYOYOMI), 65_000), 1)
    assert told(clock) == [
        (10_000, "clock.period", {"periods_left": 2}),
        (20_000, "clock.period", {"periods_left": 1}),
        (27_000, "clock.low", {"remaining_ms": 3_000}),
    ]


def test_neither_an_opening_nor_a_pause_nor_no_clock_tells_anything() -> None:
    assert told(begun(START)) == told(begun(NONE)) == []
    assert told(begun(ABSOLUTE).pause(T0 + 1, T0 + 9_000)) == []


def test_a_resumed_turn_is_low_when_it_would_have_been_without_the_pause() -> None:
    paused = begun(ABSOLUTE).pause(T0 + 50_000, T0 + 90_000)
    assert [after_ms for after_ms, *_ in told(paused.resume(T0 + 80_000))] == [4_000]


def test_two_seats_that_run_are_told_of_at_one_instant() -> None:
    reminders = begun(ABSOLUTE, WHITE, BLACK).reminders(T0)
    assert [(item.seat, item.at_ms) for item in reminders] == [
        (WHITE, T0 + 54_000),
        (BLACK, T0 + 54_000),
    ]


def test_a_pause_stops_both_clocks_and_its_end_is_the_only_deadline() -> None:
    clock = begun(SKIP).pause(T0 + 5_000, until_ms=T0 + 905_000)
    assert clock.fall() is None
    assert clock.deadline_ms == T0 + 905_000
    assert left(clock, WHITE, 800_000) == 55_000
    assert left(clock.advance(T0 + 700_000), WHITE) == 55_000


def test_a_resumed_turn_has_what_was_left_of_it_whatever_the_control() -> None:
    for control in (ABSOLUTE, FISCHER, DELAY, BRONSTEIN, BYOYOMI, PER_TURN, LOSE, SKIP, START):
        clock = begun(control)
        before_ms = clock.deadline_ms
        assert before_ms is not None
        clock = clock.pause(T0 + 4_000, T0 + 604_000).resume(T0 + 304_000)
        assert clock.deadline_ms == before_ms + 300_000


def test_a_pause_gives_no_delay_and_no_period_again() -> None:
    clock = begun(DELAY).pause(T0 + 4_000, T0 + 60_000).resume(T0 + 30_000)
    assert left(clock, WHITE, 1_001) == 59_999
    clock = begun(BYOYOMI).pause(T0 + 74_000, T0 + 99_000).resume(T0 + 80_000)
    assert clock.reading(WHITE, clock.at_ms) == Reading(6_000, "byoyomi", 2)


def test_a_clock_stopped_in_a_pause_keeps_its_figures() -> None:
    clock = begun(FISCHER).pause(T0 + 5_000, T0 + 900_000).stop(T0 + 400_000)
    assert left(clock, WHITE, 10**6) == 55_000
    assert (clock.running, clock.deadline_ms) == ((), None)


# Views


def test_a_front_end_sees_the_figures_as_of_the_last_commit() -> None:
    assert turn(begun(BYOYOMI), 65_000).view() == {
        "control": {"type": "byoyomi", "initial_ms": 60_000, "periods": 3, "period_ms": 10_000},
        "at": "2025-12-01T00:01:05.000Z",
        "running": ["black"],
        "deadline": "2025-12-01T00:02:35.000Z",
        "paused": None,
        "white": {"remaining_ms": 10_000, "phase": "byoyomi", "periods_left": 3, "missed_turns": 0},
        "black": {"remaining_ms": 60_000, "phase": "main", "periods_left": 3, "missed_turns": 0},
    }
    paused = begun(NONE).pause(T0, T0 + 1_000).view()
    assert paused["paused"] == {"until": "2025-12-01T00:00:01.000Z"}
    assert paused["deadline"] == "2025-12-01T00:00:01.000Z"
    assert paused["white"]["remaining_ms"] is None


# Every control against a clock that ticks


@dataclass
class Ticking:
    """The page's rules by the millisecond: slow, and hard to get wrong."""

    control: Control
    main: dict[Seat, int | None] = field(init=False)
    periods: dict[Seat, int | None] = field(init=False)
    missed: dict[Seat, int] = field(default_factory=lambda: dict.fromkeys(SEATS, 0))
    first: dict[Seat, bool] = field(default_factory=lambda: dict.fromkeys(SEATS, True))
    ended: str | None = None

    def __post_init__(self) -> None:
        c = self.control
        self.main = dict.fromkeys(SEATS, c.turn_ms if c.type == "per_turn" else c.initial_ms)
        self.periods = dict.fromkeys(SEATS, c.periods)
        self.begin(WHITE)

    def begin(self, seat: Seat) -> None:
        self.seat, self.used, self.charged = seat, 0, 0
        self.free = self.control.delay_ms if self.control.type == "delay" else 0
        self.period_left = self.control.period_ms
        if self.control.type == "per_turn":
            self.main[seat] = self.control.turn_ms

    @property
    def outside(self) -> bool:
        return self.control.start_ms is not None and self.first[self.seat]

    def tick(self) -> None:
        self.used += 1
        if self.outside:
            if self.used == self.control.start_ms:
                self.ended = "no_start"
            return
        self._charge()
        if self.ended is None and self.used == self.control.turn_limit_ms:
            self.ended = "missed" if self.control.on_turn_limit == "skip" else "timeout"

    def _charge(self) -> None:
        main, periods = self.main[self.seat], self.periods[self.seat]
        if main is None:
            return
        if self.free:
            self.free -= 1
        elif main > 0:
            self.main[self.seat] = main - 1
            self.charged += 1
            if main == 1 and not periods:
                self.ended = "timeout"
        elif periods:
            self.period_left -= 1
            if self.period_left == 0:
                self.period_left = self.control.period_ms
                self.periods[self.seat] = periods - 1
                if periods == 1:
                    self.ended = "timeout"

    def move(self) -> None:
        main, c, seat = self.main[self.seat], self.control, self.seat
        if main is not None and not self.outside:
            if c.type == "fischer":
                ceiling = c.cap_ms if c.cap_ms is not None else main + c.increment_ms
                main = max(main, min(main + c.increment_ms, ceiling))
            elif c.type == "bronstein":
                main += min(self.charged, c.delay_ms)
            self.main[seat] = main
        self.missed[seat] = 0
        self.first[seat] = False
        self.begin(other(seat))

    def miss(self) -> None:
        self.ended = None
        self.missed[self.seat] += 1
        self.begin(other(self.seat))

    def shows(self, seat: Seat) -> tuple[int | None, int | None]:
        """The time and the periods left of a seat."""
        main, periods = self.main[seat], self.periods[seat]
        if self.control.type == "per_turn" and seat != self.seat:
            return self.control.turn_ms, periods
        if main == 0 and periods:
            return (self.period_left if seat == self.seat else self.control.period_ms), periods
        return main, periods


ACTS = st.sampled_from(["move", "move", "move", "ply", "read", "pause", "reload"])
scripts = st.lists(st.tuples(st.integers(0, 30), ACTS), min_size=1, max_size=25)


def present_ms(clock: Clock, ticking: Ticking) -> int:
    """The instant that the ticking clock has come to."""
    return clock.at_ms - clock.seat(ticking.seat).used_ms + ticking.used


def lives(control: Control, script: list[tuple[int, str]]) -> Iterator[tuple[Clock, Ticking]]:
    """The clock and the ticking one through a life: thinking, and then an act.

    Where the clock alone does something on the way, that comes instead, and
    what is left of the thinking goes to the next turn.
    """
    clock, ticking = begun(control), Ticking(control)
    yield clock, ticking
    for think_ms, act in script:
        for _ in range(think_ms):
            ticking.tick()
            now_ms = present_ms(clock, ticking)
            assert clock.reading(WHITE, now_ms).remaining_ms == ticking.shows(WHITE)[0]
            assert clock.reading(BLACK, now_ms).remaining_ms == ticking.shows(BLACK)[0]
            if ticking.ended is not None:
                assert clock.fall() == Fall(now_ms, (ticking.seat,), ticking.ended)
                if ticking.ended != "missed":
                    return
                clock = clock.miss(ticking.seat, now_ms, (other(ticking.seat),))
                ticking.miss()
                yield clock, ticking
            elif clock.deadline_ms is not None:
                assert clock.deadline_ms > now_ms
        now_ms = present_ms(clock, ticking)
        seat = ticking.seat
        if act == "move":
            clock = clock.press(seat, now_ms, (other(seat),))
            ticking.move()
        elif act == "ply":
            clock = clock.played(seat, now_ms)
        elif act == "read":
            clock = clock.advance(now_ms)
        elif act == "pause":
            clock = reloaded(clock.pause(now_ms, now_ms + 500)).advance(now_ms + 99)
            clock = clock.resume(now_ms + 333)
        elif act == "reload":
            clock = reloaded(clock)
        yield clock, ticking


@bounded(max_examples=300, deadline=None)
@given(controls(), scripts)
@example(Control("byoyomi", 1, periods=2, period_ms=1), [(2, "move"), (0, "move"), (1, "move")])
@example(Control("delay", 3, delay_ms=3), [(3, "pause"), (2, "ply"), (1, "move")])
def test_a_clock_agrees_with_one_that_ticks(
    control: Control, script: list[tuple[int, str]]
) -> None:
    for clock, ticking in lives(control, script):
        assert clock.running == (ticking.seat,)
        for seat in SEATS:
            reading = clock.reading(seat, present_ms(clock, ticking))
            assert clock.seat(seat).missed_turns == ticking.missed[seat]
            assert reading.periods_left == ticking.periods[seat]
            assert (reading.phase == "start") == (seat == ticking.seat and ticking.outside)


@bounded(max_examples=100, deadline=None)
@given(controls(), scripts)
def test_no_seats_time_ever_grows_beyond_what_it_was_given_and_has_earned(
    control: Control, script: list[tuple[int, str]]
) -> None:
    given_ms = control.bank_ms
    before: Clock | None = None
    earned = dict.fromkeys(SEATS, 0)
    for clock, _ in lives(control, script):
        for seat in SEATS:
            own = clock.seat(seat)
            if before is not None and before.running == (seat,) and clock.running != (seat,):
                earned[seat] += control.increment_ms or 0
            if own.bank_ms is None or given_ms is None:
                assert own.bank_ms is given_ms
                continue
            assert 0 <= own.bank_ms <= given_ms + earned[seat]
            assert own.bank_ms <= (control.cap_ms or own.bank_ms)
            assert (own.periods_left or 0) <= (control.periods or 0)
            if before is not None:
                grown = own.bank_ms - before.seat(seat).bank_ms
                assert grown <= (control.increment_ms or 0)
                assert (own.periods_left or 0) <= (before.seat(seat).periods_left or 0)
        before = clock


states = st.builds(
    lambda control, script, nth: (seen := list(lives(control, script)))[nth % len(seen)][0],
    controls(),
    scripts,
    st.integers(0, 10**6),
)


@bounded(max_examples=100, deadline=None)
@given(states, st.integers(0, 60), st.integers(0, 60), st.booleans())
def test_reading_on_the_way_changes_nothing(
    clock: Clock, first_ms: int, second_ms: int, paused: bool
) -> None:
    if paused:
        clock = clock.pause(clock.at_ms, clock.at_ms + 500)
    midway, end = clock.at_ms + first_ms, clock.at_ms + first_ms + second_ms
    stepwise = clock.advance(midway).advance(end)
    assert stepwise == clock.advance(end)
    assert stepwise == reloaded(reloaded(clock).advance(midway)).advance(end)
    assert stepwise.deadline_ms == clock.deadline_ms
    assert stepwise.fall() == clock.fall()
    for seat in SEATS:
        assert stepwise.reading(seat, end) == clock.reading(seat, end)


@bounded(max_examples=100, deadline=None)
@given(states, st.integers(0, 10**13))
def test_no_reading_is_ever_negative(clock: Clock, after_ms: int) -> None:
    for seat in SEATS:
        reading = clock.reading(seat, clock.at_ms + after_ms)
        assert reading.remaining_ms is None or reading.remaining_ms >= 0
        assert reading.periods_left is None or reading.periods_left >= 0


@bounded(max_examples=200, deadline=None)
@given(states)
def test_a_clock_tells_only_of_running_seats_before_they_fall_and_in_order(clock: Clock) -> None:
    found, after_ms = [], clock.at_ms
    while reminders := clock.reminders(after_ms):
        assert reminders[0].at_ms > after_ms
        after_ms = reminders[0].at_ms
        found += reminders
    for seat in SEATS:
        own = [item for item in found if item.seat == seat]
        assert len([item for item in own if item.type == "clock.low"]) <= 1
        assert not own or seat in clock.running
    for item in found:
        as_of = clock.advance(item.at_ms)
        if item.type == "clock.period":
            assert as_of.reading(item.seat, item.at_ms).periods_left == item.data["periods_left"]
    if clock.deadline_ms is None:
        assert not found
    elif len(clock.running) == 1:
        assert after_ms < clock.deadline_ms or not found


@bounded(max_examples=100, deadline=None)
@given(states, st.integers(0, 10**6))
def test_neither_a_pause_nor_a_restart_refills_anything(clock: Clock, pause_ms: int) -> None:
    begin, end = clock.at_ms, clock.at_ms + pause_ms
    resumed = reloaded(reloaded(clock).pause(begin, end + 1)).resume(end)
    assert (resumed.white, resumed.black) == (clock.white, clock.black)
    for seat in SEATS:
        assert resumed.reading(seat, end) == clock.reading(seat, begin)
    if clock.deadline_ms is not None:
        assert resumed.deadline_ms == clock.deadline_ms + pause_ms


@bounded(max_examples=100, deadline=None)
@given(states, st.integers(0, 60), st.integers(0, 1000))
def test_a_stopped_clock_stands_for_ever(clock: Clock, play_ms: int, later_ms: int) -> None:
    end = clock.at_ms + play_ms
    stopped = clock.stop(end)
    assert stopped.deadline_ms is None
    for seat in SEATS:
        assert stopped.reading(seat, end + later_ms).remaining_ms == (
            clock.reading(seat, end).remaining_ms
        )


@bounded(max_examples=100, deadline=None)
@given(controls())
def test_a_control_is_read_back_and_names_only_what_is_set(control: Control) -> None:
    dump = json.loads(json.dumps(control.dump()))
    assert Control.load(dump) == control
    assert None not in dump.values()
