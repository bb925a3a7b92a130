"""PURE. A match: a game, its position, the seats and the clock.

Every operation takes the instant at which it happens and returns a `Step`: the
next match and the events that tell of it. It raises a `Refusal` and changes
nothing when the rules of the service or of the game do not allow it.
"""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Final, Literal, NamedTuple, Self, get_args

from menagerie.clock import Clock, Control, Fall
from menagerie.games import GAMES
from menagerie.games.chance import commitment
from menagerie.games.position import (
    BLACK,
    SEATS,
    WHITE,
    Outcome,
    Position,
    Repetition,
    Seat,
    Viewer,
    other,
)
from menagerie.games.refusals import IllegalMove, NotYourTurn, Refusal
from menagerie.instants import instant, instant_or_none

Status = Literal["open", "active", "paused", "finished", "aborted"]
SeatKind = Literal["guest", "player", "open", "bot"]
Visibility = Literal["public", "unlisted", "players"]

STATUSES: Final[tuple[Status, ...]] = get_args(Status)
ENDED: Final[tuple[Status, ...]] = ("finished", "aborted")
OPEN_FOR_MS: Final = 24 * 60 * 60 * 1000
BOT_PATIENCE_MS: Final = 10_000
TURNS_THAT_COUNT: Final = 2
"""Turns that each side must have completed before a rated match counts."""

END_REASONS: Final[Mapping[str, str]] = {
    "resignation": "A side resigned.",
    "agreement": "Both sides agreed on a draw.",
    "timeout": "A side's clock ran out.",
    "idle": "A side missed too many turns in a row.",
    "adjudication": "The operator decided.",
    "abort": "The match was called off before it really began.",
    "no_start": "A side did not make its first turn in time; nobody wins.",
    "no_opponent": "Nobody took the open seat in time; nobody wins.",
}
"""The ends that are the service's, the same in all games."""


class MatchOver(Refusal):
    """The match has ended."""

    code = "match_over"


class ClockExpired(Refusal):
    """The seat's time ran out before its move."""

    code = "clock_expired"


class MatchNotStarted(Refusal):
    """A seat is still open."""

    code = "match_not_started"


class MatchStarted(Refusal):
    """The match has begun, and what was asked is for before that."""

    code = "match_started"


class MatchPaused(Refusal):
    """The clocks stand still by agreement."""

    code = "match_paused"


class StalePly(Refusal):
    """The request was made for another ply than the match's present one."""

    code = "stale_ply"

    def __init__(self, current_ply: int) -> None:
        super().__init__(f"The match is at ply {current_ply}.")
        self.current_ply = current_ply


class SeatTaken(Refusal):
    """The seat is not open."""

    code = "seat_taken"


class OwnMatch(Refusal):
    """Nobody plays both seats of a match: for that there are two guests."""

    code = "own_match"


class TooLateToAbort(Refusal):
    """The seat has completed a turn: it may resign, not abort."""

    code = "too_late_to_abort"


class NoVirtualClock(Refusal):
    """Time in this match passes by itself."""

    code = "no_virtual_clock"


class BotToMove(Refusal):
    """A virtual clock is not moved while a bot thinks."""

    code = "bot_to_move"


@dataclass(frozen=True, slots=True)
class Occupant:
    """Who holds a seat.

    `generation` counts the times the seat was left; its token follows. `rating`
    is what a player or bot had when it sat down, as `Rating.view` tells it.
    """

    kind: SeatKind
    name: str | None = None
    player: str | None = None
    bot: str | None = None
    generation: int = 0
    rating: Mapping[str, int] | None = None

    @property
    def rated_as(self) -> str | None:
        """Under which id results are counted: a player's or a bot's; None for guests."""
        return self.player or self.bot

    def who(self) -> dict[str, Any]:
        """What the events of sitting down and leaving say of it."""
        return {"kind": self.kind, "name": self.name, "player": self.player}

    def view(self) -> dict[str, Any]:
        return {
            **self.who(),
            "bot": self.bot,
            "rating": None if self.rating is None else dict(self.rating),
        }


@dataclass(frozen=True, slots=True)
class Setup:
    """What a match was created with; it never changes.

    `start` is the dump of the first position, `seed` the 32 secret bytes that
    all chance follows from, `request` the fingerprint of what was asked for
    with an idempotency key.
    """

    id: str
    game: str
    options: Mapping[str, Any]
    control: Control
    visibility: Visibility
    rated: bool
    creator: str | None
    seed: bytes
    start: Any
    from_position: bool
    created_ms: int
    expires_ms: int
    sandbox: bool = False
    virtual_clock: bool = False
    request: str = ""

    @classmethod
    def load(cls, dump: Mapping[str, Any]) -> Self:
        return cls(
            **{
                **dump,
                "control": Control.load(dump["control"]),
                "seed": bytes.fromhex(dump["seed"]),
            }
        )

    def dump(self) -> dict[str, Any]:
        return {**asdict(self), "control": self.control.dump(), "seed": self.seed.hex()}

    @property
    def position_class(self) -> type[Position]:
        return GAMES[self.game].position


@dataclass(frozen=True, slots=True)
class Result:
    """How a match ended; an aborted one has no winner."""

    winner: Seat | None
    reason: str

    def view(self) -> dict[str, Any]:
        return {"winner": self.winner, "reason": self.reason}


@dataclass(frozen=True, slots=True)
class Ply:
    """One committed move: a line of the record. Times in milliseconds, clocks as after it."""

    ply: int
    seat: Seat
    move: str
    at_ms: int
    used_ms: int
    white_ms: int | None
    black_ms: int | None
    position_hash: str

    def view(self) -> dict[str, Any]:
        return {
            "ply": self.ply,
            "seat": self.seat,
            "move": self.move,
            "at": instant(self.at_ms),
            "used_ms": self.used_ms,
            "white_ms": self.white_ms,
            "black_ms": self.black_ms,
        }


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened. `by`: a seat, `clock`, `creator`; `seat`: whom it concerns.

    `ply` is set where the event is a move: then it is a line of the record.
    """

    type: str
    by: str
    seat: Seat | None = None
    data: Mapping[str, Any] | None = None
    ply: Ply | None = None


class Step(NamedTuple):
    """The next match, and what happened on the way to it."""

    match: "Match"
    events: tuple[Event, ...]


def position_hash(position: Position) -> str:
    """The first 16 hex digits of the SHA-256 of the position's text."""
    return hashlib.sha256(position.text().encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Match:
    """A match at one version.

    `turns`: completed turns of White and Black; `turn_version` and
    `turn_ms`: the version and instant at which the present turn began;
    `flagged`: the seats whose time ended the match; `ended_by`: the seat that
    resigned or aborted; `virtual_ms`: the virtual clock's present instant.
    """

    setup: Setup
    version: int
    status: Status
    white: Occupant
    black: Occupant
    position: Position
    clock: Clock
    ply: int = 0
    last_ply: Ply | None = None
    result: Result | None = None
    started_ms: int | None = None
    finished_ms: int | None = None
    turns: tuple[int, int] = (0, 0)
    turn_version: int = 0
    turn_ms: int = 0
    flagged: tuple[Seat, ...] = ()
    ended_by: Seat | None = None
    virtual_ms: int | None = None

    # Creation, loading

    @classmethod
    def create(cls, setup: Setup, white: Occupant, black: Occupant) -> Step:
        """A new match; it starts at once if nobody has to be waited for. Raises `OwnMatch`."""
        if white.player is not None and white.player == black.player:
            raise OwnMatch("One player cannot hold both seats: take two guests.")
        match = cls(
            setup=setup,
            version=1,
            status="open",
            white=white,
            black=black,
            position=setup.position_class.load(setup.start),
            clock=Clock.new(setup.control, setup.created_ms),
        )
        created = Event("match.created", "creator")
        return match._start_if_full(setup.created_ms, (created,))

    @classmethod
    def load(cls, setup: Setup, version: int, dump: Mapping[str, Any]) -> Self:
        last_ply, result = dump["last_ply"], dump["result"]
        return cls(
            setup=setup,
            version=version,
            status=dump["status"],
            white=Occupant(*dump["white"]),
            black=Occupant(*dump["black"]),
            position=setup.position_class.load(dump["position"]),
            clock=Clock.load(setup.control, dump["clock"]),
            ply=dump["ply"],
            last_ply=None if last_ply is None else Ply(*last_ply),
            result=None if result is None else Result(*result),
            started_ms=dump["started_ms"],
            finished_ms=dump["finished_ms"],
            turns=tuple(dump["turns"]),
            turn_version=dump["turn_version"],
            turn_ms=dump["turn_ms"],
            flagged=tuple(dump["flagged"]),
            ended_by=dump["ended_by"],
            virtual_ms=dump["virtual_ms"],
        )

    def dump(self) -> dict[str, Any]:
        """What changes of a match, as a JSON value; the setup and the version lie beside it."""
        last, result = self.last_ply, self.result
        return {
            "status": self.status,
            "white": _row(self.white),
            "black": _row(self.black),
            "position": self.position.dump(),
            "clock": self.clock.dump(),
            "ply": self.ply,
            "last_ply": None if last is None else _row(last),
            "result": None if result is None else _row(result),
            "started_ms": self.started_ms,
            "finished_ms": self.finished_ms,
            "turns": self.turns,
            "turn_version": self.turn_version,
            "turn_ms": self.turn_ms,
            "flagged": self.flagged,
            "ended_by": self.ended_by,
            "virtual_ms": self.virtual_ms,
        }

    # Questions

    @property
    def id(self) -> str:
        return self.setup.id

    @property
    def has_ended(self) -> bool:
        return self.status in ENDED

    @property
    def to_move(self) -> tuple[Seat, ...]:
        """The seats that may move; none before the start, and none after the end."""
        return self.position.to_move() if self.status in ("active", "paused") else ()

    def seat(self, seat: Seat) -> Occupant:
        return self.white if seat == WHITE else self.black

    def seat_of_player(self, player_id: str) -> Seat | None:
        """The seat that this player holds, or None."""
        return next((seat for seat in SEATS if self.seat(seat).player == player_id), None)

    @property
    def counts(self) -> bool:
        """Whether the result changes experience and ratings."""
        return (
            self.setup.rated and self.status == "finished" and min(self.turns) >= TURNS_THAT_COUNT
        )

    def instant(self, now_ms: int) -> int:
        """The match's own present: the virtual instant, or `now_ms`; it never goes back."""
        return max(now_ms, self.clock.at_ms) if self.virtual_ms is None else self.virtual_ms

    @property
    def due_ms(self) -> int | None:
        """The next instant at which the match changes by itself, or None."""
        if self.status == "open":
            return self.setup.expires_ms
        return None if self.has_ended else self.clock.deadline_ms

    @property
    def bot_due_ms(self) -> int | None:
        """When a bot that is to move has its move made for it, so that it never flags.

        That is at half of its time, or after 10 s; None while no bot is to move.
        """
        bots = [seat for seat in self.to_move if self.seat(seat).kind == "bot"]
        if self.status != "active" or not bots:
            return None
        deadline_ms = self.clock.deadline_ms
        half_ms = BOT_PATIENCE_MS if deadline_ms is None else (deadline_ms - self.turn_ms) // 2
        return self.turn_ms + min(BOT_PATIENCE_MS, half_ms)

    def is_late(self, seat: Seat, now_ms: int) -> bool:
        """Whether the seat's own time has run out, settled or not."""
        fall = self.clock.fall()
        return fall is not None and fall.at_ms <= now_ms and seat in fall.seats

    # Before the start

    def take_seat(self, seat: Seat | Literal["any"], taker: Occupant, now_ms: int) -> Step:
        """An open seat is taken; with both taken the match starts.

        Raises `SeatTaken`, or `OwnMatch` for the player of the other seat.
        """
        self._refuse_if_ended()
        if taker.player is not None and self.seat_of_player(taker.player):
            raise OwnMatch("You hold a seat of this match already.")
        free = [s for s in SEATS if self.seat(s).kind == "open" and seat in (s, "any")]
        if not free:
            raise SeatTaken("No open seat is left." if seat == "any" else f"{seat} is taken.")
        taken = replace(taker, generation=self.seat(free[0]).generation)
        match = self._next(now_ms)._with_seat(free[0], taken)
        event = Event("seat.taken", free[0], free[0], taken.who())
        return match._start_if_full(now_ms, (event,))

    def leave_seat(self, seat: Seat, now_ms: int) -> Step:
        """The seat is open again, and its token dead. Raises `MatchStarted`."""
        self._refuse_if_ended()
        if self.status != "open":
            raise MatchStarted("The match has started: resign or abort instead.")
        empty = Occupant("open", generation=self.seat(seat).generation + 1)
        match = self._next(now_ms)._with_seat(seat, empty)
        return Step(match, (Event("seat.left", seat, seat, self.seat(seat).who()),))

    def _start_if_full(self, now_ms: int, events: tuple[Event, ...]) -> Step:
        if any(self.seat(seat).kind == "open" for seat in SEATS):
            return Step(self, events)
        started = replace(
            self,
            status="active",
            started_ms=now_ms,
            turn_version=self.version,
            turn_ms=now_ms,
            clock=self.clock.start(self.position.to_move(), now_ms),
            virtual_ms=now_ms if self.setup.virtual_clock else None,
        )
        events = (*events, Event("match.started", "creator"))
        outcome = started.position.outcome()
        if outcome is not None:
            return started._judged(outcome, now_ms, events)
        return Step(started, events)

    # Play

    def move(self, seat: Seat, texts: tuple[str, ...], ply: int, now_ms: int) -> Step:
        """The seat's moves at this ply, all or none.

        Raises what stands in the way, the service's refusals before the game's.
        """
        self._refuse_if_ended(seat)
        self._refuse_unless_running()
        if ply != self.ply:
            raise StalePly(self.ply)
        match, events = self._next(now_ms), list[Event]()
        for nth, text in enumerate(texts):
            if nth:
                match._refuse_after_turn(seat)
            match, event = match._played(seat, text, now_ms)
            events.append(event)
        outcome = match.position.outcome()
        if outcome is None:
            return Step(match, tuple(events))
        return match._judged(outcome, now_ms, tuple(events))

    def _played(self, seat: Seat, text: str, now_ms: int) -> tuple["Match", Event]:
        position = self.position.play(seat, text)
        used_ms = self.clock.spent_ms(seat, now_ms) - self.clock.seat(seat).ply_ms
        turn_over = seat not in position.to_move()
        clock = (
            self.clock.press(seat, now_ms, position.to_move())
            if turn_over
            else self.clock.played(seat, now_ms)
        )
        ply = Ply(
            ply=self.ply + 1,
            seat=seat,
            move=text,
            at_ms=now_ms,
            used_ms=used_ms,
            white_ms=clock.reading(WHITE, now_ms).remaining_ms,
            black_ms=clock.reading(BLACK, now_ms).remaining_ms,
            position_hash=position_hash(position),
        )
        match = replace(
            self,
            position=position,
            clock=clock,
            ply=ply.ply,
            last_ply=ply,
            **(self._turn_completed(seat, now_ms) if turn_over else {}),
        )
        event = Event("move.played", seat, seat, {"position": position.text()}, ply)
        return match, event

    def _turn_completed(self, seat: Seat, now_ms: int) -> dict[str, Any]:
        """What changes of the match, beside its clock, when the seat has made its turn."""
        white, black = self.turns
        turns = (white + 1, black) if seat == WHITE else (white, black + 1)
        return {"turns": turns, "turn_version": self.version, "turn_ms": now_ms}

    def _refuse_after_turn(self, seat: Seat) -> None:
        """A second text in one request belongs to the same turn."""
        if self.position.outcome() is not None:
            raise IllegalMove("game_over", "The first move ended the game.")
        if seat not in self.position.to_move():
            raise IllegalMove("turn_over", "The first move ended the turn.")

    def check_turn(self, seat: Seat) -> None:
        """Raise what keeps the seat from moving now, whatever the move."""
        self._refuse_if_ended()
        self._refuse_unless_running()
        if seat not in self.position.to_move():
            raise NotYourTurn(f"It is not {seat}'s turn.")

    # Ends

    def resign(self, seat: Seat, now_ms: int) -> Step:
        """The seat gives up; the other wins."""
        self._refuse_if_ended()
        if self.status == "open":
            raise MatchNotStarted("The match has not started: leave the seat or abort.")
        result = Result(other(seat), "resignation")
        return self._next(now_ms)._ended(result, now_ms, by=seat, ended_by=seat)

    def abort(self, seat: Seat, now_ms: int) -> Step:
        """The seat calls the match off, which it may until it has completed a turn."""
        self._refuse_if_ended()
        if self.turns[SEATS.index(seat)]:
            raise TooLateToAbort("This seat has completed a turn: it may resign.")
        result = Result(None, "abort")
        return self._next(now_ms)._ended(result, now_ms, by=seat, ended_by=seat)

    def has_given_up(self, seat: Seat, reason: Literal["resignation", "abort"]) -> bool:
        """Whether this seat itself ended the match in this way."""
        return self.ended_by == seat and self.result is not None and self.result.reason == reason

    # Time

    def settle(self, now_ms: int) -> Step | None:
        """The first thing that fell due by `now_ms`, at the instant it did; None if nothing."""
        due_ms = self.due_ms
        if due_ms is None or due_ms > now_ms:
            return None
        match = self._next(due_ms)
        if self.status == "open":
            return match._ended(Result(None, "no_opponent"), due_ms, by="clock")
        fall = self.clock.fall()
        if fall is None:
            return match._resumed(due_ms)
        if fall.kind == "missed":
            return match._missed(fall)
        return match._flagged(fall)

    def _flagged(self, fall: Fall) -> Step:
        if fall.kind == "no_start":
            result = Result(None, "no_start")
        else:
            winner = other(fall.seats[0]) if len(fall.seats) == 1 else None
            result = Result(winner, "timeout")
        return self._ended(result, fall.at_ms, by="clock", flagged=fall.seats)

    def _missed(self, fall: Fall) -> Step:
        seat = fall.seats[0]
        position = self.position.skip(seat)
        clock = self.clock.miss(seat, fall.at_ms, position.to_move())
        match = replace(
            self,
            position=position,
            clock=clock,
            turn_version=self.version,
            turn_ms=fall.at_ms,
        )
        missed = clock.seat(seat).missed_turns
        events = (Event("turn.missed", "clock", seat, {"missed_turns": missed}),)
        if clock.is_idle(seat):
            result = Result(other(seat), "idle")
            return match._ended(result, fall.at_ms, by="clock", flagged=(seat,), events=events)
        outcome = position.outcome()
        return (
            Step(match, events) if outcome is None else match._judged(outcome, fall.at_ms, events)
        )

    def _resumed(self, now_ms: int) -> Step:
        match = replace(
            self,
            status="active",
            clock=self.clock.resume(now_ms),
            turn_version=self.version,
            turn_ms=now_ms,
        )
        return Step(match, (Event("clock.resumed", "clock"),))

    def reminded(self, after_ms: int) -> Step | None:
        """What the clock tells next after `after_ms`, the match being at the same version then.

        None if it tells nothing more in this turn.
        """
        reminders = self.clock.reminders(after_ms) if self.status == "active" else ()
        if not reminders:
            return None
        match = replace(self, clock=self.clock.advance(reminders[0].at_ms))
        return Step(match, tuple(Event(r.type, "clock", r.seat, r.data) for r in reminders))

    def told_of(self, repetition: Repetition) -> Step:
        """What the referee tells of repetition: the squares barred to the side to move, if any."""
        if not self.to_move or not repetition.barred:
            return Step(self, ())
        data = {"squares": list(repetition.barred)}
        return Step(self, (Event("repetition.barred", "referee", self.to_move[0], data),))

    def advance(self, ms: int) -> Step:
        """The virtual clock goes on by `ms`; what falls due on the way is settled after."""
        self._refuse_if_ended()
        if self.status == "open":
            raise MatchNotStarted("The match has not started: its time has not begun.")
        if self.virtual_ms is None:
            raise NoVirtualClock("This match has no virtual clock.")
        if any(self.seat(seat).kind == "bot" for seat in self.to_move):
            raise BotToMove("A bot is to move.")
        now_ms = self.virtual_ms + ms
        due_ms = self.due_ms
        shown_ms = now_ms if due_ms is None else min(now_ms, due_ms)
        match = replace(self._next(shown_ms), virtual_ms=now_ms)
        adjusted = Event("clock.adjusted", "sandbox", None, {"advanced_ms": ms})
        return Step(match, (adjusted, *self._told_until(shown_ms)))

    def _told_until(self, now_ms: int) -> Iterator[Event]:
        """What the clock tells from its last instant until this one."""
        step = self.reminded(self.clock.at_ms)
        while step is not None and step.match.clock.at_ms <= now_ms:
            yield from step.events
            step = self.reminded(step.match.clock.at_ms)

    # Steps

    def _next(self, now_ms: int) -> Self:
        return replace(self, version=self.version + 1, clock=self.clock.advance(now_ms))

    def _with_seat(self, seat: Seat, occupant: Occupant) -> Self:
        return replace(self, white=occupant) if seat == WHITE else replace(self, black=occupant)

    def _judged(self, outcome: Outcome, now_ms: int, events: tuple[Event, ...]) -> Step:
        by = events[-1].by
        return self._ended(Result(outcome.winner, outcome.reason), now_ms, by=by, events=events)

    def _ended(
        self,
        result: Result,
        now_ms: int,
        *,
        by: str,
        flagged: tuple[Seat, ...] = (),
        ended_by: Seat | None = None,
        events: tuple[Event, ...] = (),
    ) -> Step:
        aborted = result.reason in ("abort", "no_start", "no_opponent")
        match = replace(
            self,
            status="aborted" if aborted else "finished",
            result=result,
            finished_ms=now_ms,
            clock=self.clock.stop(now_ms),
            flagged=flagged,
            ended_by=ended_by,
        )
        kind = "match.aborted" if aborted else "match.finished"
        return Step(match, (*events, Event(kind, by, ended_by)))

    def _refuse_if_ended(self, mover: Seat | None = None) -> None:
        if not self.has_ended:
            return
        if mover in self.flagged:
            raise ClockExpired(f"{mover}'s time ran out.")
        raise MatchOver("The match is over.")

    def _refuse_unless_running(self) -> None:
        if self.status == "open":
            raise MatchNotStarted("The match has not started: a seat is open.")
        if self.status == "paused":
            raise MatchPaused("The match is paused.")

    # Views

    def view(self, viewer: Viewer) -> dict[str, Any]:
        """The match as this viewer may see it: a JSON value that depends on version and viewer."""
        setup, ended = self.setup, self.has_ended
        last, result = self.last_ply, self.result
        return {
            "id": setup.id,
            "game": setup.game,
            "options": dict(setup.options),
            "rules_version": GAMES[setup.game].rules_version,
            "status": self.status,
            "viewer": viewer,
            "creator": setup.creator,
            "visibility": setup.visibility,
            "rated": setup.rated,
            "sandbox": setup.sandbox,
            "seats": {seat: self.seat(seat).view() for seat in SEATS},
            "to_move": list(self.to_move),
            "ply": self.ply,
            "version": self.version,
            "position": self.position.text(),
            "state": self.position.view(viewer),
            "clock": self.clock.view(),
            "offers": [],
            "last_move": None if last is None else last.view(),
            "result": None if result is None else result.view(),
            "created_at": instant(setup.created_ms),
            "started_at": instant_or_none(self.started_ms),
            "finished_at": instant_or_none(self.finished_ms),
            "expires_at": instant(setup.expires_ms) if self.status == "open" else None,
            "commitment": commitment(setup.seed),
            "seed": setup.seed.hex() if ended else None,
            "rematch": None,
        }


def _row(value: Any) -> list[Any]:
    """The fields of a flat value, in order."""
    return [getattr(value, name) for name in value.__slots__]
