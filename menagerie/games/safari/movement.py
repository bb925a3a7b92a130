"""Where a piece gets to: steps, and the one capture on the way.

A *way* is the part of a move's text after the from-square: `-g5`, `xk2`, `xk2-k1`.
"""

from collections.abc import Iterator
from typing import Final, Literal

from menagerie.games.safari.board import ANIMALS, NEIGHBOURS, Piece, Pieces, is_in_half_of

_STRENGTH: Final = {letter: -place for place, letter in enumerate(ANIMALS)}
_UPSETS: Final = {("M", "E"), ("D", "B")}
"""Who takes whom against the order of strength, and is never taken by it."""


def is_exchange(piece: Piece, victim: Piece) -> bool:
    """Whether these are identical animals, which both leave the board when they meet."""
    return piece.letter == victim.letter and not piece.is_human


def why_not_take(
    piece: Piece, victim: Piece, square: str
) -> Literal["too_strong", "human_in_own_half"] | None:
    """The code of the rule that forbids this capture, or None if it is allowed."""
    if piece.is_human:
        if not victim.is_human:
            return "too_strong"
        return "human_in_own_half" if is_in_half_of(piece.seat, square) else None
    if victim.is_human or (piece.letter, victim.letter) in _UPSETS:
        return None
    if (victim.letter, piece.letter) in _UPSETS:
        return "too_strong"
    return None if _STRENGTH[piece.letter] >= _STRENGTH[victim.letter] else "too_strong"


def ends_movement(piece: Piece, victim: Piece) -> bool:
    """Whether the mover cannot go on after meeting this enemy."""
    return victim.is_human or is_exchange(piece, victim)


def steps_from(others: Pieces, start: str, limit: int) -> dict[str, int]:
    """The squares that empty squares lead to, with the fewest steps there; the start has 0.

    `others`: the pieces that stand in the way, without the mover.
    """
    steps = {start: 0}
    edge = [start]
    for number in range(1, limit + 1):
        reached = []
        for square in edge:
            for neighbour in NEIGHBOURS[square]:
                if neighbour not in steps and neighbour not in others:
                    steps[neighbour] = number
                    reached.append(neighbour)
        if not reached:
            break
        edge = reached
    return steps


def steps_onto(steps: dict[str, int], square: str) -> int | None:
    """The fewest steps onto an occupied square beside those reached, or None if it is not."""
    beside = [steps[neighbour] for neighbour in NEIGHBOURS[square] if neighbour in steps]
    return min(beside) + 1 if beside else None


def ways(pieces: Pieces, origin: str, limit: int) -> Iterator[tuple[str, int]]:
    """Every way of the piece on `origin` within `limit` steps, once, with the steps it needs."""
    piece = pieces[origin]
    others = {square: other for square, other in pieces.items() if square != origin}
    steps = steps_from(others, origin, limit)
    for target, number in steps.items():
        if target != origin:
            yield f"-{target}", number
    for square, victim in others.items():
        number = steps_onto(steps, square) or 0
        if victim.seat == piece.seat or not 1 <= number <= limit:
            continue
        if why_not_take(piece, victim, square) is not None:
            continue
        yield f"x{square}", number
        if not ends_movement(piece, victim):
            for target, more in steps_from(others, square, limit - number).items():
                if target != square:
                    yield f"x{square}-{target}", number + more
