"""Squares as texts (`a1`: file letter, rank number) and boards as texts.

A board is a mapping from square to letter. Its text lists ranks from the
highest to the lowest, separated by `/`, empty runs as decimal numbers.
"""

import re
from collections.abc import Callable, Mapping
from functools import cache

from menagerie.games.refusals import BadPosition

_TOKEN = re.compile(r"[1-9][0-9]?|[A-Za-z]")


def square(file: int, rank: int) -> str:
    """The square with these numbers, both counted from 1: `square(1, 1) == "a1"`."""
    return f"{chr(96 + file)}{rank}"


def file_of(name: str) -> int:
    """The file's number, from 1."""
    return ord(name[0]) - 96


def rank_of(name: str) -> int:
    """The rank's number, from 1."""
    return int(name[1:])


@cache
def all_squares(files: int, ranks: int) -> tuple[str, ...]:
    """Every square of a board, in the order of its text: highest rank first, file `a` first."""
    return tuple(square(file, rank) for rank in range(ranks, 0, -1) for file in range(1, files + 1))


def turned(name: str, files: int, ranks: int) -> str:
    """The square that `name` falls on when the board is turned by 180 degrees."""
    return square(files + 1 - file_of(name), ranks + 1 - rank_of(name))


@cache
def _rows(files: int, ranks: int) -> tuple[tuple[str, ...], ...]:
    """The squares of each rank, in the order of a board's text."""
    names = all_squares(files, ranks)
    return tuple(names[start : start + files] for start in range(0, files * ranks, files))


def board_text(letters: Mapping[str, str], files: int, ranks: int) -> str:
    """The board's text. `letters`: square to letter, of the squares that are not empty."""
    rows = []
    for names in _rows(files, ranks):
        row, empty = "", 0
        for name in names:
            letter = letters.get(name)
            if letter is None:
                empty += 1
                continue
            row += (str(empty) if empty else "") + letter
            empty = 0
        rows.append(row + (str(empty) if empty else ""))
    return "/".join(rows)


def parse_board(text: str, files: int, ranks: int, known: Callable[[str], bool]) -> dict[str, str]:
    """Square to letter, read from a board's text; the reverse of `board_text`.

    Raises `BadPosition` (`bad_board`) for another size, a letter that is not
    `known`, or a text that is not canonical (`11` for `2`).
    """
    letters: dict[str, str] = {}
    rows = text.split("/")
    if len(rows) != ranks:
        raise BadPosition("bad_board", f"A board has {ranks} ranks; this one has {len(rows)}.")
    for rank, row in zip(range(ranks, 0, -1), rows, strict=True):
        if len(row) > files:
            raise BadPosition("bad_board", f"Rank {rank} has more than {files} squares.")
        file = 1
        tokens = _TOKEN.findall(row)
        if "".join(tokens) != row:
            raise BadPosition("bad_board", f"Rank {rank} cannot be read: {row!r}.")
        for token in tokens:
            if token.isdigit():
                file += int(token)
                continue
            if not known(token):
                raise BadPosition("bad_board", f"This game has no piece {token!r}.")
            letters[square(file, rank)] = token
            file += 1
        if file != files + 1:
            raise BadPosition("bad_board", f"Rank {rank} does not have {files} squares: {row!r}.")
    if board_text(letters, files, ranks) != text:
        raise BadPosition("bad_board", "Empty squares side by side are written as one number.")
    return letters
