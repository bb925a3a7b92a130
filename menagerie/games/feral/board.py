"""The board of Feral: its sizes, its squares, and the animals on them.

An animal is its letter: uppercase White's, lowercase Black's. Each side has at
most one of each, so a letter names one animal.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import takewhile
from typing import Final, Self, TypeGuard

from menagerie.games import squares
from menagerie.games.position import BLACK, SEATS, WHITE, Seat

RANKS: Final = 6

ANIMALS: Final[Mapping[str, str]] = {
    "A": "anglerfish",
    "B": "bee",
    "U": "bull",
    "H": "chameleon",
    "C": "crab",
    "F": "fox",
    "G": "gorilla",
    "K": "kangaroo",
    "L": "lion",
    "O": "octopus",
    "R": "rabbit",
    "S": "snake",
}
"""Letter to name, in the alphabetical order of the names."""


@dataclass(frozen=True, slots=True)
class Size:
    """One size of the game. `letters`: its animals, in the alphabetical order of their names."""

    name: str
    files: int
    letters: str


SIZES: Final[Mapping[str, Size]] = {
    size.name: size for size in (Size("full", 6, "".join(ANIMALS)), Size("beginner", 4, "BUCGKORS"))
}

Way = tuple[int, int]
"""A direction: how far one step leads by file and by rank."""

UP: Final[Way] = (0, 1)
DOWN: Final[Way] = (0, -1)
LEFT: Final[Way] = (-1, 0)
RIGHT: Final[Way] = (1, 0)
WAYS: Final = (UP, RIGHT, DOWN, LEFT)
FORWARD: Final[Mapping[Seat, Way]] = {WHITE: DOWN, BLACK: UP}
ONWARD: Final[Mapping[Seat, tuple[Way, ...]]] = {
    seat: (FORWARD[seat], LEFT, RIGHT) for seat in SEATS
}
"""Forward and sideways, as each side sees it."""


def seat_of(letter: str) -> Seat:
    """The side that the animal belongs to."""
    return WHITE if letter.isupper() else BLACK


def letter_of(seat: Seat, animal: str) -> str:
    """The letter of the side's own animal. `animal`: its uppercase letter."""
    return animal if seat == WHITE else animal.lower()


def shifted(square: str, way: Way) -> str:
    """The square one step on, even if that is no square of the board."""
    return squares.square(squares.file_of(square) + way[0], squares.rank_of(square) + way[1])


class Ground:
    """The squares of one size, and how they lie to each other.

    `lines`: from a square (not included) each way to the edge; `around`: the
    adjacent squares; `pairs`: adjacent squares, the lower first by file, then
    rank; `diagonals`: diagonally forward of a side; `beaches`: each side's own.
    """

    def __init__(self, size: Size) -> None:
        self.size = size
        self.squares = squares.all_squares(size.files, RANKS)
        self.lines = {
            square: {way: tuple(self._walk(square, way)) for way in WAYS} for square in self.squares
        }
        self.around = {
            square: tuple(line[0] for line in lines.values() if line)
            for square, lines in self.lines.items()
        }
        self.pairs = tuple(
            (square, beside)
            for square in self.squares
            for beside in self.around[square]
            if square < beside
        )
        self.diagonals = {
            seat: {square: self._diagonals(square, FORWARD[seat]) for square in self.squares}
            for seat in SEATS
        }
        self.beaches: Mapping[Seat, tuple[str, ...]] = {
            WHITE: tuple(square for square in self.squares if squares.rank_of(square) == RANKS),
            BLACK: tuple(square for square in self.squares if squares.rank_of(square) == 1),
        }

    def reach(self, square: str, way: Way, steps: int = 1) -> str | None:
        """The square that many steps on, or None where the board ends before."""
        line = self.lines[square][way]
        return line[steps - 1] if len(line) >= steps else None

    def _walk(self, square: str, way: Way) -> Iterator[str]:
        square = shifted(square, way)
        while square in self.squares:
            yield square
            square = shifted(square, way)

    def _diagonals(self, square: str, forward: Way) -> tuple[str, ...]:
        ahead = shifted(square, forward)
        both = (shifted(ahead, LEFT), shifted(ahead, RIGHT))
        return tuple(diagonal for diagonal in both if diagonal in self.squares)


GROUNDS: Final[Mapping[str, Ground]] = {size.name: Ground(size) for size in SIZES.values()}

Changes = Mapping[str, str | None]
"""Squares whose content differs afterwards, with the new letter, or None for an empty one."""


@dataclass(frozen=True, slots=True)
class Board:
    """The animals on their ground. `pieces` maps square to letter."""

    ground: Ground
    pieces: Mapping[str, str]

    def seat_at(self, square: str) -> Seat:
        """The side of the animal that stands there."""
        return seat_of(self.pieces[square])

    def is_free(self, square: str | None) -> TypeGuard[str]:
        """Whether there is such a square on the board, and it is empty."""
        return square in self.ground.around and square not in self.pieces

    def animals_around(self, square: str) -> Iterator[str]:
        """The adjacent squares that hold an animal."""
        return (beside for beside in self.ground.around[square] if beside in self.pieces)

    def unbroken(self, square: str, way: Way) -> tuple[str, ...]:
        """The squares of the unbroken line of animals that begins beside `square`."""
        return tuple(takewhile(self.pieces.__contains__, self.ground.lines[square][way]))

    def carried(self, journeys: Mapping[str, str | None]) -> Changes:
        """What changes when animals go from square to square at once (None: off the board)."""
        journeys = {origin: target for origin, target in journeys.items() if origin != target}
        changes: dict[str, str | None] = dict.fromkeys(journeys)
        for origin, target in journeys.items():
            if target is not None:
                changes[target] = self.pieces[origin]
        return changes

    def changed(self, changes: Changes) -> Self:
        """The board after the changes."""
        pieces = {**self.pieces, **changes}
        return type(self)(self.ground, {square: own for square, own in pieces.items() if own})

    def is_invaded(self, seat: Seat) -> bool:
        """Whether an enemy animal stands on the side's own beach."""
        return any(
            square in self.pieces and self.seat_at(square) != seat
            for square in self.ground.beaches[seat]
        )

    def square_of(self, letter: str) -> str | None:
        """Where the animal stands, or None if it has left the board."""
        return next((square for square, own in self.pieces.items() if own == letter), None)

    def text(self) -> str:
        return squares.board_text(self.pieces, self.ground.size.files, RANKS)
