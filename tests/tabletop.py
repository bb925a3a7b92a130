"""What the tests of clocks, matches and records share: controls, tables, whole lives.

`Relay` is a game of the tests' own. It has what Jungle lacks: turns of several
plies (`go` keeps the turn, `stop` ends it, `win` wins) and a beginning in which
both seats are to move.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import pytest
from hypothesis import strategies as st

from menagerie.clock import Control
from menagerie.games import GAMES
from menagerie.games.jungle import START
from menagerie.games.position import BLACK, SEATS, WHITE, Outcome, Position, Seat, Viewer, other
from menagerie.games.refusals import IllegalMove
from menagerie.match import Event, Match, Occupant, Setup, Step
from menagerie.record import Record, dump, written

T0 = 1_764_547_200_000
SEED = bytes(range(32))
BLITZ = Control("fischer", initial_ms=60_000, increment_ms=2_000)
ANN, BEN, OPEN = Occupant("guest", "Ann"), Occupant("guest", "Ben"), Occupant("open")
BOT = Occupant("bot", bot="jungle-1")


@dataclass(frozen=True)
class Relay(Position):
    """`seats`: who is to move; `winner`: who has won."""

    game: ClassVar[str] = "relay"

    seats: tuple[Seat, ...]
    winner: Seat | None = None

    @classmethod
    def start(cls, options: Any, seed: bytes) -> Self:
        return cls((WHITE,))

    @classmethod
    def parse(cls, text: str) -> Self:
        seats = tuple(seat for seat in SEATS if seat[0] in text)
        return cls(seats, seats[0] if "!" in text else None)

    def text(self) -> str:
        return "".join(seat[0] for seat in self.seats) + ("!" if self.winner else "")

    def to_move(self) -> tuple[Seat, ...]:
        return () if self.winner else self.seats

    def outcome(self) -> Outcome | None:
        return Outcome(self.winner, "won") if self.winner else None

    def view(self, viewer: Viewer) -> dict[str, Any]:
        return {"seats": list(self.seats)}

    def skip(self, seat: Seat) -> Self:
        return replace(self, seats=(other(seat),))

    def _moves(self, seat: Seat) -> list[str]:
        return ["go", "stop", "win"]

    def _detail(self, seat: Seat, text: str) -> dict[str, Any]:
        return {"move": text, "from": None, "to": None}

    def _check(self, seat: Seat, text: str) -> None:
        if text not in self._moves(seat):
            raise IllegalMove("bad_move_text", "A runner goes, stops or wins.")

    def _play(self, seat: Seat, text: str) -> Self:
        if text == "win":
            return type(self)((seat,), seat)
        return self if text == "go" else self.skip(seat)


@contextmanager
def relay_is_known() -> Iterator[None]:
    """For a while, the service referees relays too."""
    relay = replace(GAMES["jungle"], slug="relay", name="Relay", position=Relay)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(GAMES, "relay", relay)  # type: ignore[arg-type]
        yield


def setup(control: Control = BLITZ, start: str = START, **changes: Any) -> Setup:
    """The setup of a match that is created at T0 and open for an hour."""
    fields: dict[str, Any] = {
        "id": "m-1",
        "game": "jungle",
        "options": {},
        "control": control,
        "visibility": "public",
        "rated": False,
        "creator": None,
        "seed": SEED,
        "start": start,
        "from_position": start != START,
        "created_ms": T0,
        "expires_ms": T0 + 3_600_000,
    }
    return Setup(**{**fields, **changes})


def started(control: Control = BLITZ, start: str = START, **changes: Any) -> Match:
    """A match of Ann against Ben that began at T0."""
    return Match.create(setup(control, start, **changes), ANN, BEN).match


def relay(control: Control = BLITZ, start: str = "w") -> Match:
    return started(control, start, game="relay")


def moved(match: Match, text: str, after_ms: int = 0) -> Match:
    """The match after the seat to move has thought this long and made this move."""
    return match.move(match.to_move[0], (text,), match.ply, now(match) + after_ms).match


def now(match: Match) -> int:
    return match.instant(match.clock.at_ms)


def paused(match: Match, after_ms: int, pause_ms: int) -> Step:
    """The match after both have agreed on a pause."""
    at_ms = now(match) + after_ms
    clock = match.clock.pause(at_ms, at_ms + pause_ms)
    match = replace(match, version=match.version + 1, status="paused", clock=clock)
    return Step(match, (Event("clock.paused", WHITE, None, {"pause_ms": pause_ms}),))


def settled(match: Match, at_ms: int) -> Iterator[Step]:
    """Everything that falls due by this instant, in order."""
    while (step := match.settle(at_ms)) is not None:
        yield step
        match = step.match


def restarted(match: Match) -> Match:
    """The match as another process reads it from the store."""
    kept = Setup.load(json.loads(json.dumps(match.setup.dump())))
    return Match.load(kept, match.version, json.loads(json.dumps(match.dump())))


def recorded(life: list[Step]) -> Record:
    """The record of these steps, as it is read back from the store."""
    rows = [json.loads(json.dumps(dump(entry))) for step in life for entry in written(*step)]
    return Record.load(Setup.load(json.loads(json.dumps(life[0].match.setup.dump()))), rows)


def replayed(life: list[Step], **wishes: Any) -> dict[str, Any]:
    replay = recorded(life).replay(life[-1].match, "spectator", **wishes)
    return json.loads(json.dumps(replay))


# Whole lives

short = st.integers(1, 40)
_limits = st.fixed_dictionaries(
    {},
    optional={
        "start_ms": short,
        "limit": st.tuples(short, st.sampled_from(["lose", "skip"])),
        "max_missed_turns": st.integers(1, 4),
    },
)
_plain = st.one_of(
    st.just({"type": "none"}),
    st.fixed_dictionaries({"type": st.just("absolute"), "initial_ms": short}),
    st.fixed_dictionaries(
        {"type": st.just("fischer"), "initial_ms": short, "increment_ms": st.integers(0, 20)},
        optional={"cap": st.integers(0, 20)},
    ),
    st.fixed_dictionaries(
        {
            "type": st.sampled_from(["delay", "bronstein"]),
            "initial_ms": short,
            "delay_ms": st.integers(0, 20),
        }
    ),
    st.fixed_dictionaries(
        {
            "type": st.just("byoyomi"),
            "initial_ms": short,
            "periods": st.integers(1, 4),
            "period_ms": st.integers(1, 15),
        }
    ),
    st.fixed_dictionaries({"type": st.just("per_turn"), "turn_ms": short}),
)


@st.composite
def controls(draw: st.DrawFn) -> Control:
    """Any control, with figures so small that everything falls together now and then."""
    fields = {**draw(_plain), **draw(_limits)}
    if "cap" in fields:
        fields["cap_ms"] = fields["initial_ms"] + fields.pop("cap")
    if "limit" in fields:
        fields["turn_limit_ms"], fields["on_turn_limit"] = fields.pop("limit")
    return Control(**fields)


STARTS = [
    START,
    "1cd1t2/3l3/7/R5e/6w/7/2LP3/C3D2/7 w d3 b9 28 400",
    "6d/7/7/6p/7/7/R6/7/W6 b a2b2b1a1a2b2b1a1a2b2b1a1a2b2b1a1 g9 70 100",
    "7/3R3/6c/7/7/7/w6/7/7 w - - 197 0",
]

lives = st.builds(
    lambda control, start, script: list(_life(control, start, script)),
    controls(),
    st.sampled_from([*STARTS, "w", "b"]),
    st.lists(
        st.tuples(
            st.integers(0, 4) | st.integers(0, 4) | st.integers(0, 25),
            st.sampled_from(["move"] * 40 + ["pause"] * 4 + ["resign", "abort"]),
            st.integers(0, 10**6),
        ),
        min_size=10,
        max_size=40,
    ),
)
"""Whole matches: every step of one, from its creation."""


def _life(control: Control, start: str, script: list[tuple[int, str, int]]) -> Iterator[Step]:
    game = "jungle" if "/" in start else "relay"
    step = Match.create(setup(control, start, game=game), ANN, OPEN)
    yield step
    step = step.match.take_seat(BLACK, BEN, T0 + 7)
    yield step
    for think_ms, act, pick in script:
        at_ms = now(step.match) + think_ms
        for due in settled(step.match, at_ms):
            step = due
            yield step
        match = step.match
        if match.has_ended:
            return
        if match.status == "paused":
            continue
        seat = match.to_move[0]
        if act == "pause":
            step = paused(match, at_ms - now(match), pick % 50 + 1)
        elif act == "resign":
            step = match.resign(SEATS[pick % 2], at_ms)
        elif act == "abort" and not match.turns[SEATS.index(seat)]:
            step = match.abort(seat, at_ms)
        else:
            moves = [move for move in match.position.moves(seat) if move != "win" or pick % 9 == 0]
            step = match.move(seat, (moves[pick % len(moves)],), match.ply, at_ms)
        yield step
