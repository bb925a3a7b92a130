"""The ground of Safari and the pieces on it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from menagerie.games import squares
from menagerie.games.position import BLACK, SEATS, WHITE, Seat

FILES: Final = 18
RANKS: Final = 14

ANIMALS: Final[Mapping[str, str]] = {
    "E": "elephant",
    "B": "polar bear",
    "T": "tiger",
    "L": "lion",
    "W": "wolf",
    "D": "dog",
    "C": "cat",
    "M": "mouse",
}
"""Strongest first."""

HUMANS: Final[Mapping[str, str]] = {"X": "human X", "Y": "human Y"}
LETTERS: Final = "".join([*ANIMALS, *HUMANS])

_WHITE_STARRED: Final = tuple(f"{file}{rank}" for rank in (2, 1) for file in "ghijkl")
STARRED: Final[Mapping[Seat, tuple[str, ...]]] = {
    WHITE: _WHITE_STARRED,
    BLACK: tuple(squares.turned(square, FILES, RANKS) for square in _WHITE_STARRED),
}
"""Where each side places its pieces, in the order of a placement's text."""

LAST_RANK: Final[Mapping[Seat, int]] = {WHITE: RANKS, BLACK: 1}


@dataclass(frozen=True, slots=True)
class Piece:
    """One piece of one side. `letter` is uppercase for both sides."""

    seat: Seat
    letter: str

    @property
    def symbol(self) -> str:
        """The letter as the board text has it: uppercase White's, lowercase Black's."""
        return self.letter if self.seat == WHITE else self.letter.lower()

    @property
    def is_human(self) -> bool:
        return self.letter in HUMANS


Pieces = Mapping[str, Piece]
"""Square to piece, of the squares that are not empty."""

PIECES: Final[Mapping[str, Piece]] = {
    piece.symbol: piece for piece in (Piece(seat, letter) for seat in SEATS for letter in LETTERS)
}


def is_in_half_of(seat: Seat, square: str) -> bool:
    """Whether the square lies in this side's own half of the board."""
    return (squares.rank_of(square) <= RANKS // 2) == (seat == WHITE)


def _neighbours(square: str) -> Iterator[str]:
    file, rank = squares.file_of(square), squares.rank_of(square)
    for to_file, to_rank in (
        (file, rank + 1),
        (file + 1, rank),
        (file, rank - 1),
        (file - 1, rank),
    ):
        if 1 <= to_file <= FILES and 1 <= to_rank <= RANKS:
            yield squares.square(to_file, to_rank)


SQUARES: Final = squares.all_squares(FILES, RANKS)
NEIGHBOURS: Final[Mapping[str, tuple[str, ...]]] = {
    square: tuple(_neighbours(square)) for square in SQUARES
}


def distance(one: str, two: str) -> int:
    """The steps between two squares of an empty board."""
    files = squares.file_of(one) - squares.file_of(two)
    return abs(files) + abs(squares.rank_of(one) - squares.rank_of(two))
