"""What every position can do. Read this first.

A position is a frozen value: it holds all that the rules need to go on, and
`play` returns the next one. Moves go in and out as canonical texts, so that
sets of legal moves compare as sets of strings.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, Literal, NamedTuple, Self, TypeVar

from menagerie.games.refusals import GameOver, NotYourTurn

P = TypeVar("P")

Seat = Literal["white", "black"]
Viewer = Literal["white", "black", "spectator"]

WHITE: Seat = "white"
BLACK: Seat = "black"
SEATS: tuple[Seat, Seat] = (WHITE, BLACK)
VIEWERS: tuple[Viewer, ...] = ("white", "black", "spectator")


def other(seat: Seat) -> Seat:
    """The seat across the board."""
    return BLACK if seat == WHITE else WHITE


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ended: `winner` is None in a draw, `reason` a code of the rules page."""

    winner: Seat | None
    reason: str


@dataclass(frozen=True, slots=True)
class Repetition:
    """What a game's rules against repetition make of a position and how it came about.

    `counts`: how often what is counted has occurred; `barred`: the squares closed to the
    side to move, sorted; `draw`: whether the game has ended by it.
    """

    counts: Mapping[str, int] = field(default_factory=dict)
    barred: tuple[str, ...] = ()
    draw: bool = False

    def view(self) -> dict[str, Any]:
        return {"counts": dict(self.counts), "barred": list(self.barred), "draw": self.draw}


class Occurrence(NamedTuple, Generic[P]):
    """A move (None: a missed turn) and the position after it."""

    seat: Seat
    move: str | None
    position: P


class Position(ABC):
    """One position of one game.

    A subclass implements the rules of its page; the checks that all games
    share (`game_over`, `not_your_turn`) are made here, once.
    """

    game: ClassVar[str]
    judges_repetition: ClassVar[bool] = False
    """Whether the game has rules against repetition."""

    @classmethod
    @abstractmethod
    def start(cls, options: Mapping[str, Any], seed: bytes) -> Self:
        """The first position. `seed` (32 bytes) decides all chance of the match."""

    @classmethod
    @abstractmethod
    def parse(cls, text: str) -> Self:
        """Read a position text. Raises `BadPosition` if it is none, or cannot be."""

    @abstractmethod
    def text(self) -> str:
        """The canonical position text: `parse(text()).text() == text()`."""

    @classmethod
    def load(cls, dump: Any) -> Self:
        """The position that `dump` wrote."""
        return cls.parse(dump)

    def dump(self) -> Any:
        """All of the position as a JSON value; more than `text` where a game hides or remembers."""
        return self.text()

    def settled_options(self) -> dict[str, str]:
        """The options that the position itself decides, whatever its creator asks for."""
        return {}

    @abstractmethod
    def to_move(self) -> tuple[Seat, ...]:
        """The seats that may move now; none once the game is over."""

    @abstractmethod
    def outcome(self) -> Outcome | None:
        """How the game ended, or None while it goes on."""

    @abstractmethod
    def view(self, viewer: Viewer) -> dict[str, Any]:
        """The `state` of the match as this viewer may see it, as a JSON value."""

    @abstractmethod
    def skip(self, seat: Seat) -> Self:
        """The position after `seat` missed its turn (what is left of it is forfeited)."""

    def repetition(self) -> Repetition:
        """What the position itself has judged and will judge of repetition."""
        return Repetition()

    @classmethod
    def recounted(cls, start: Self, history: Sequence[Occurrence[Self]]) -> Repetition:
        """The same for the last position, counted anew over all that happened since `start`.

        It trusts nothing that a later position remembers: the referee's second pair of eyes.
        """
        return Repetition()

    def moves(self, seat: Seat) -> list[str]:
        """The texts of all legal moves of `seat`, sorted; empty when it has none to make."""
        return sorted(self._moves(seat)) if seat in self.to_move() else []

    def details(self, seat: Seat) -> list[dict[str, Any]]:
        """What a front end highlights of each of `moves(seat)`, in the same order.

        Each has at least `move`, `from` and `to` (squares, or None).
        """
        return [self._detail(seat, text) for text in self.moves(seat)]

    def check(self, seat: Seat, text: str) -> None:
        """Raise the refusal that `text` meets: `GameOver`, `NotYourTurn` or `IllegalMove`."""
        if self.outcome() is not None:
            raise GameOver("The game is over.")
        if seat not in self.to_move():
            raise NotYourTurn(f"It is not {seat}'s turn.")
        self._check(seat, text)

    def play(self, seat: Seat, text: str) -> Self:
        """The position after the move, or the refusal that `check` raises."""
        self.check(seat, text)
        return self._play(seat, text)

    @abstractmethod
    def _moves(self, seat: Seat) -> list[str]:
        """All legal moves of a seat that is to move, in any order."""

    @abstractmethod
    def _detail(self, seat: Seat, text: str) -> dict[str, Any]:
        """The details of one legal move."""

    @abstractmethod
    def _check(self, seat: Seat, text: str) -> None:
        """Raise `IllegalMove` with the first reason of the page that fits."""

    @abstractmethod
    def _play(self, seat: Seat, text: str) -> Self:
        """The position after a legal move."""
