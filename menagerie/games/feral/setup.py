"""The random setup: the order in which the animals are drawn puts each in its place."""

from collections.abc import Iterable
from itertools import cycle
from typing import Final

from menagerie.games import squares
from menagerie.games.chance import shuffled
from menagerie.games.feral.board import GROUNDS, RANKS, Board, Size

YELLOW: Final = "OCA"
"""They go to the beach."""

GREEN: Final = "GUL"
"""They go to the grass row."""

SPLIT: Final = "BRKSFH"
"""They go to the beach and to the grass row in turn, the first one drawn to the beach."""


def drawn_board(size: Size, seed: bytes) -> Board:
    """The board at the start, as the seed draws it."""
    return board_drawn_in_order(size, shuffled(size.letters, seed, "setup"))


def board_drawn_in_order(size: Size, order: Iterable[str]) -> Board:
    """The board when the animals (uppercase letters) are drawn in this order."""
    rows: tuple[list[str], list[str]] = ([], [])
    beach, grass = rows
    in_turn = cycle(rows)
    for letter in order:
        row = beach if letter in YELLOW else grass if letter in GREEN else next(in_turn)
        row.append(letter)
    pieces = {}
    for rank, row in enumerate(rows, start=1):
        for file, letter in enumerate(row, start=1):
            square = squares.square(file, rank)
            pieces[square] = letter.lower()
            pieces[squares.turned(square, size.files, RANKS)] = letter
    return Board(GROUNDS[size.name], pieces)
