"""PURE. Clocks as values: computed from their last state and an instant, never ticked.

A clock knows what each seat had when its turn began and how much of the turn
it has used; every figure follows from these two. `now_ms` is always an
argument (milliseconds since the Unix epoch, never before `at_ms`).
"""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from typing import Any, Final, Literal, Self

from menagerie.games.position import SEATS, WHITE, Seat, other
from menagerie.instants import instant, instant_or_none

ControlType = Literal["none", "absolute", "fischer", "delay", "bronstein", "byoyomi", "per_turn"]
Phase = Literal["start", "main", "byoyomi"]
FallKind = Literal["no_start", "timeout", "missed"]
ReminderType = Literal["clock.low", "clock.period"]

LOW_MS: Final = 20_000
LOW_SHARE: Final = 10
MAX_MISSED_TURNS: Final = 3


@dataclass(frozen=True, slots=True)
class Control:
    """A time control: its type and its figures, all in milliseconds (see docs/timing.md)."""

    type: ControlType
    initial_ms: int | None = None
    increment_ms: int | None = None
    cap_ms: int | None = None
    delay_ms: int | None = None
    periods: int | None = None
    period_ms: int | None = None
    turn_ms: int | None = None
    turn_limit_ms: int | None = None
    on_turn_limit: Literal["lose", "skip"] | None = None
    max_missed_turns: int | None = None
    start_ms: int | None = None

    @classmethod
    def load(cls, dump: Mapping[str, Any]) -> Self:
        return cls(**dump)

    def dump(self) -> dict[str, Any]:
        """The fields that are set, as a client writes them."""
        return {name: value for name, value in asdict(self).items() if value is not None}

    @property
    def bank_ms(self) -> int | None:
        """What a seat has when its first turn begins; None without a clock."""
        return self.turn_ms if self.type == "per_turn" else self.initial_ms

    @property
    def missed_turns_limit(self) -> int:
        """The missed turn in a row that loses by `idle`."""
        return self.max_missed_turns or MAX_MISSED_TURNS


@dataclass(frozen=True, slots=True)
class SeatClock:
    """One seat's clock.

    `bank_ms`: main time when its turn began (None without a clock); `used_ms`:
    of the present turn, up to the clock's `at_ms`; `ply_ms`: the part of it
    that earlier plies of the turn took; `opened`: its first turn is over.
    """

    bank_ms: int | None
    periods_left: int | None = None
    used_ms: int = 0
    ply_ms: int = 0
    missed_turns: int = 0
    opened: bool = False

    @classmethod
    def load(cls, dump: list[Any]) -> Self:
        return cls(*dump)

    def dump(self) -> list[Any]:
        return [getattr(self, name) for name in self.__slots__]


@dataclass(frozen=True, slots=True)
class Reading:
    """What a clock shows: time left in this phase, the phase, and the periods left."""

    remaining_ms: int | None
    phase: Phase
    periods_left: int | None


@dataclass(frozen=True, slots=True)
class Fall:
    """What the clock alone will do, and when, if nobody acts."""

    at_ms: int
    seats: tuple[Seat, ...]
    kind: FallKind


@dataclass(frozen=True, slots=True)
class Reminder:
    """What a clock tells in the middle of a turn; it changes nothing.

    `clock.low`: the seat has `remaining_ms` until its turn or match is lost, which is
    20 s or a tenth of what it had when the turn began. `clock.period`: a byo-yomi
    period has begun, the first of the `periods_left`.
    """

    at_ms: int
    type: ReminderType
    seat: Seat
    data: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Clock:
    """Both clocks of a match. `running`: the seats whose time passes (unless paused)."""

    control: Control
    at_ms: int
    white: SeatClock
    black: SeatClock
    running: tuple[Seat, ...] = ()
    paused_until_ms: int | None = None

    # Life

    @classmethod
    def new(cls, control: Control, now_ms: int) -> Self:
        """The clock of a match that has not started: both seats full, neither running."""
        full = SeatClock(control.bank_ms, control.periods)
        return cls(control, now_ms, white=full, black=full)

    @classmethod
    def load(cls, control: Control, dump: list[Any]) -> Self:
        at_ms, white, black, running, paused_until_ms = dump
        return cls(
            control,
            at_ms,
            SeatClock.load(white),
            SeatClock.load(black),
            tuple(running),
            paused_until_ms,
        )

    def dump(self) -> list[Any]:
        return [
            self.at_ms,
            self.white.dump(),
            self.black.dump(),
            list(self.running),
            self.paused_until_ms,
        ]

    def seat(self, seat: Seat) -> SeatClock:
        return self.white if seat == WHITE else self.black

    # Acts

    def start(self, running: tuple[Seat, ...], now_ms: int) -> Self:
        """The seats to move begin their turns."""
        return replace(self, at_ms=now_ms, running=running)

    def advance(self, now_ms: int) -> Self:
        """The same clock with its figures as of `now_ms`."""
        if now_ms == self.at_ms:
            return self
        white, black = (self._as_of(seat, now_ms) for seat in SEATS)
        return type(self)(self.control, now_ms, white, black, self.running, self.paused_until_ms)

    def _as_of(self, seat: Seat, now_ms: int) -> SeatClock:
        own, used_ms = self.seat(seat), self.spent_ms(seat, now_ms)
        return own if used_ms == own.used_ms else replace(own, used_ms=used_ms)

    def played(self, seat: Seat, now_ms: int) -> Self:
        """A ply that does not end the seat's turn: its clock runs on."""
        spent = self._as_of(seat, now_ms)
        return self._with(seat, replace(spent, ply_ms=spent.used_ms), now_ms, self.running)

    def press(self, seat: Seat, now_ms: int, running: tuple[Seat, ...], earns: bool = True) -> Self:
        """The seat has made its turn in time; `running` seats go on or begin theirs.

        `earns` is False for a turn that was made before (after a takeback) and
        in a setup: no increment, no refund.
        """
        own = self._after_turn(self._as_of(seat, now_ms), earns, missed_turns=0, opened=True)
        return self._with(seat, own, now_ms, running)

    def miss(self, seat: Seat, now_ms: int, running: tuple[Seat, ...]) -> Self:
        """The seat has missed its turn: its limit is spent, nothing is earned."""
        spent = self._as_of(seat, now_ms)
        own = self._after_turn(spent, earns=False, missed_turns=spent.missed_turns + 1)
        return self._with(seat, own, now_ms, running)

    def _with(self, seat: Seat, own: SeatClock, now_ms: int, running: tuple[Seat, ...]) -> Self:
        """Both clocks as of `now_ms`, the seat's being `own`."""
        rest = self._as_of(other(seat), now_ms)
        white, black = (own, rest) if seat == WHITE else (rest, own)
        return type(self)(self.control, now_ms, white, black, running, self.paused_until_ms)

    def stop(self, now_ms: int) -> Self:
        """The match has ended: the figures stay as they are."""
        return replace(self.advance(now_ms), running=(), paused_until_ms=None)

    def pause(self, now_ms: int, until_ms: int) -> Self:
        """Both clocks stand still until `resume`, at the latest `until_ms`."""
        return replace(self.advance(now_ms), paused_until_ms=until_ms)

    def resume(self, now_ms: int) -> Self:
        """The turn goes on with what was left of it."""
        return replace(self, at_ms=now_ms, paused_until_ms=None)

    def _after_turn(self, own: SeatClock, earns: bool, **counts: Any) -> SeatClock:
        """The seat's clock between its turns, `used_ms` of the last one accounted for."""
        bank_ms, periods = self._left_after_turn(own, earns)
        return replace(own, used_ms=0, ply_ms=0, bank_ms=bank_ms, periods_left=periods, **counts)

    def _left_after_turn(self, own: SeatClock, earns: bool) -> tuple[int | None, int | None]:
        """The bank and the periods with which the seat's next turn begins."""
        if own.bank_ms is None or self._is_opening(own):
            return own.bank_ms, own.periods_left
        control, left, periods = self.control, own.bank_ms - own.used_ms, own.periods_left
        match control.type:
            case "fischer":
                return (self._with_increment(left) if earns else left), periods
            case "delay":
                return left + min(own.used_ms, control.delay_ms or 0), periods
            case "bronstein":
                back = min(own.used_ms, control.delay_ms or 0)
                return (left + back if earns else left), periods
            case "byoyomi":
                over = self._periods_overstepped(own)
                return max(left, 0), None if periods is None else periods - over
            case "per_turn":
                return control.turn_ms, periods
            case _:
                return left, periods

    def _with_increment(self, left_ms: int) -> int:
        """The time left and the increment, up to the cap; the cap takes nothing away."""
        grown = left_ms + (self.control.increment_ms or 0)
        cap_ms = self.control.cap_ms
        return grown if cap_ms is None else max(left_ms, min(grown, cap_ms))

    def _periods_overstepped(self, own: SeatClock) -> int:
        over_ms = own.used_ms - (own.bank_ms or 0)
        return max(over_ms, 0) // (self.control.period_ms or 1)

    def _is_opening(self, own: SeatClock) -> bool:
        """Whether this is the seat's first turn, played outside its clock."""
        return self.control.start_ms is not None and not own.opened

    # Questions

    def spent_ms(self, seat: Seat, now_ms: int) -> int:
        """What the seat has used of its present turn."""
        passes = seat in self.running and self.paused_until_ms is None
        return self.seat(seat).used_ms + (now_ms - self.at_ms if passes else 0)

    def reading(self, seat: Seat, now_ms: int) -> Reading:
        """What the seat's clock shows."""
        own, used_ms = self.seat(seat), self.spent_ms(seat, now_ms)
        if self._is_opening(own):
            phase: Phase = "start" if seat in self.running else "main"
            return Reading(own.bank_ms, phase, own.periods_left)
        if own.bank_ms is None:
            return Reading(None, "main", None)
        left_ms = own.bank_ms - used_ms
        if self.control.type == "delay":
            left_ms += min(used_ms, self.control.delay_ms or 0)
        if self.control.type == "byoyomi" and left_ms <= 0:
            return self._byoyomi_reading(own.periods_left or 0, -left_ms)
        return Reading(max(left_ms, 0), "main", own.periods_left)

    def _byoyomi_reading(self, periods: int, over_ms: int) -> Reading:
        period_ms = self.control.period_ms or 1
        left = periods - over_ms // period_ms
        if left <= 0:
            return Reading(0, "byoyomi", 0)
        return Reading(period_ms - over_ms % period_ms, "byoyomi", left)

    def fall(self) -> Fall | None:
        """What happens next if nobody acts, or None if nothing ever does."""
        if self.paused_until_ms is not None:
            return None
        falls = [fall for seat in self.running if (fall := self._fall_of(seat)) is not None]
        if len(falls) <= 1:
            return falls[0] if falls else None
        first = min(falls, key=lambda fall: fall.at_ms)
        seats = tuple(fall.seats[0] for fall in falls if fall.at_ms == first.at_ms)
        return replace(first, seats=seats)

    def _fall_of(self, seat: Seat) -> Fall | None:
        own, control = self.seat(seat), self.control
        turn_began_ms = self.at_ms - own.used_ms
        if self._is_opening(own):
            return Fall(turn_began_ms + (control.start_ms or 0), (seat,), "no_start")
        allowed, limit = self._turn_ms(own), control.turn_limit_ms
        if limit is not None and (allowed is None or limit < allowed):
            kind: FallKind = "missed" if control.on_turn_limit == "skip" else "timeout"
            return Fall(turn_began_ms + limit, (seat,), kind)
        return None if allowed is None else Fall(turn_began_ms + allowed, (seat,), "timeout")

    def _turn_ms(self, own: SeatClock) -> int | None:
        """How long the seat's turn may take before its flag falls."""
        if own.bank_ms is None:
            return None
        match self.control.type:
            case "delay":
                return own.bank_ms + (self.control.delay_ms or 0)
            case "byoyomi":
                return own.bank_ms + (own.periods_left or 0) * (self.control.period_ms or 0)
            case _:
                return own.bank_ms

    def reminders(self, after_ms: int) -> tuple[Reminder, ...]:
        """What the clock tells next after `after_ms` if nobody acts: all of one instant."""
        if self.paused_until_ms is not None:
            return ()
        seats = [seat for seat in self.running if not self._is_opening(self.seat(seat))]
        coming = [
            reminder
            for seat in seats
            for reminder in self._reminders_of(seat)
            if reminder.at_ms > max(after_ms, self.at_ms)
        ]
        first_ms = min((reminder.at_ms for reminder in coming), default=0)
        return tuple(reminder for reminder in coming if reminder.at_ms == first_ms)

    def _reminders_of(self, seat: Seat) -> Iterator[Reminder]:
        """All that the clock tells in the seat's present turn, the past included."""
        fall = self._fall_of(seat)
        if fall is None:
            return
        own = self.seat(seat)
        began_ms, bank_ms, period_ms = self.at_ms - own.used_ms, own.bank_ms, self.control.period_ms
        low_ms = min(LOW_MS, (fall.at_ms - began_ms) // LOW_SHARE)
        if low_ms:
            yield Reminder(fall.at_ms - low_ms, "clock.low", seat, {"remaining_ms": low_ms})
        if bank_ms is None or period_ms is None:
            return
        for gone in range(own.periods_left or 0):
            at_ms = began_ms + bank_ms + gone * period_ms
            if began_ms < at_ms < fall.at_ms:
                left = {"periods_left": (own.periods_left or 0) - gone}
                yield Reminder(at_ms, "clock.period", seat, left)

    @property
    def deadline_ms(self) -> int | None:
        """The next instant at which the clock alone changes the match, or None."""
        if self.paused_until_ms is not None:
            return self.paused_until_ms
        fall = self.fall()
        return None if fall is None else fall.at_ms

    def is_idle(self, seat: Seat) -> bool:
        """Whether the seat has missed too many turns in a row."""
        return self.seat(seat).missed_turns >= self.control.missed_turns_limit

    # Views

    def view(self) -> dict[str, Any]:
        """The `clock` of a match, as of `at_ms`. It is the same for every viewer."""
        return {
            "control": _control_view(self.control),
            "at": instant(self.at_ms),
            "running": list(self.running),
            "deadline": instant_or_none(self.deadline_ms),
            "paused": None
            if self.paused_until_ms is None
            else {"until": instant(self.paused_until_ms)},
            **{seat: self._seat_view(seat) for seat in SEATS},
        }

    def _seat_view(self, seat: Seat) -> dict[str, Any]:
        reading = self.reading(seat, self.at_ms)
        return {
            "remaining_ms": reading.remaining_ms,
            "phase": reading.phase,
            "periods_left": reading.periods_left,
            "missed_turns": self.seat(seat).missed_turns,
        }


@lru_cache(maxsize=1024)
def _control_view(control: Control) -> dict[str, Any]:
    """`control.dump()`, made once a control: every view of a clock needs it."""
    return control.dump()
