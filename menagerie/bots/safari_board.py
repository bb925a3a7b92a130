"""The inner form of a Safari position: one flat list of small integers.

    0-19      the square of each piece, `NOWHERE` once it is gone (see safari_tables.py)
    MEN       for each side: the set of its squares
    HAND      for each side: its cards; the other side's are those of a deal
    DEAD      for each side: its animals that are gone, bit kind
    DRAWN     how many cards of the deal have been drawn
    SIDE      whose turn: 0 White, 1 Black
    QUIET     plies since the last capture
    END       0 while the game goes on, `LOST` by the side to move, or `DRAW`
    SCORE     the worth of the board to the side to move (safari_eval.py)

Hands with thousands of texts cost no more than others: the texts that differ
in their cards alone are one way, and of the cards that pay for it only the
cheapest are looked at.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

from menagerie.bots import safari_eval
from menagerie.bots.safari_hand import joker, limit
from menagerie.bots.safari_tables import (
    AROUND,
    BEYOND,
    BLACKS,
    BOARD,
    BOLD,
    FARTHEST,
    GOAL,
    HIGHEST,
    KIND_BITS,
    KIND_MASK,
    LONGEST,
    MEETING,
    NAME_OF,
    NEVER,
    NOWHERE,
    PASS,
    PIECE_OF,
    PIECES,
    SIDE_OF,
    SQUARE_OF,
    TAKES,
    TARGET,
    TO_GO,
    X,
    cards_of,
    grown,
    how_many,
    mover,
    origin,
    played,
    taken,
    target,
    texts_of,
    way,
    way_of,
)
from menagerie.games.position import Seat
from menagerie.games.safari.position import QUIET_LIMIT

MEN: Final = PIECES
HAND: Final = PIECES + 2
DEAD: Final = PIECES + 4
DRAWN: Final = PIECES + 6
SIDE: Final = PIECES + 7
QUIET: Final = PIECES + 8
END: Final = PIECES + 9
SCORE: Final = PIECES + 10
SIZE: Final = PIECES + 11

LOST: Final = 1
DRAW: Final = 2


def read(view: Mapping[str, Any], seat: Seat) -> list[int]:
    """The inner form of what a seat knows, its turn in play; the other hand is empty."""
    cells = [NOWHERE] * PIECES + [0] * (SIZE - PIECES)
    side = SIDE_OF[seat]
    for name, symbol in view["pieces"].items():
        piece = PIECE_OF[symbol]
        cells[piece] = SQUARE_OF[name]
        cells[MEN + piece // BLACKS] |= 1 << SQUARE_OF[name]
    for piece in range(PIECES):
        if cells[piece] == NOWHERE and piece % BLACKS < X:
            cells[DEAD + piece // BLACKS] |= 1 << piece % BLACKS
    cells[HAND + side] = cards_of(view["hand"] or [])
    cells[SIDE] = side
    cells[QUIET] = view["quiet"]
    cells[SCORE] = safari_eval.score(cells, side)
    return cells


def text(move: int) -> str:
    """The text of a move."""
    cards = sorted(texts_of(played(move)), key=lambda card: card[1])
    way = way_of(move)
    if way == PASS:
        return " ".join(["pass", *cards])
    capture = taken(way)
    walk = f"{'+'.join(cards)}:{NAME_OF[origin(way)]}"
    if capture == NOWHERE:
        return f"{walk}-{NAME_OF[target(way)]}"
    onwards = "" if target(way) == capture else f"-{NAME_OF[target(way)]}"
    return f"{walk}x{NAME_OF[capture]}{onwards}"


# Turns


def after(cells: list[int], move: int, draws: list[int]) -> list[int]:
    """The position after a legal move; `cells` stays as it is.

    `draws`: the cards to be drawn, from the first of the deal on. Once they
    are used up nothing is drawn.
    """
    new = cells[:]
    side = cells[SIDE]
    laid, way = played(move), way_of(move)
    new[SIDE] = 1 - side
    new[SCORE] = -cells[SCORE]
    if laid:
        first = cells[DRAWN]
        new[DRAWN] = first + how_many(laid)
        new[HAND + side] += sum(draws[first : new[DRAWN]]) - laid
    new[QUIET] = cells[QUIET] + 1
    if way != PASS:
        new[SCORE] -= safari_eval.gain(cells, way)
        _walk(new, side, way)
    if new[QUIET] >= QUIET_LIMIT and not new[END]:
        new[END] = DRAW
    return new


def _walk(new: list[int], side: int, way: int) -> None:
    """Move the piece of a position under way."""
    piece, goal, capture = mover(way), target(way), taken(way)
    # One after the other: a piece that takes may come back to where it stood.
    new[MEN + side] ^= 1 << origin(way)
    new[MEN + side] |= 1 << goal
    new[piece] = goal
    if capture != NOWHERE:
        _take(new, side, piece, capture)
    if piece % BLACKS >= X and GOAL[side] >> goal & 1:
        new[END] = LOST


def _take(new: list[int], side: int, piece: int, capture: int) -> None:
    """Take the enemy on a square off a position under way."""
    enemy = 1 - side
    first = BLACKS * enemy
    victim = new.index(capture, first, first + BLACKS)
    new[victim] = NOWHERE
    new[MEN + enemy] ^= 1 << capture
    new[QUIET] = 0
    kind = victim - first
    if kind >= X:
        new[END] = LOST
        return
    new[DEAD + enemy] |= 1 << kind
    if piece - BLACKS * side == kind:
        new[MEN + side] ^= 1 << new[piece]
        new[piece] = NOWHERE
        new[DEAD + side] |= 1 << kind


# Ways


def ways(cells: list[int]) -> list[int]:
    """Every way of the side to move that its hand opens, once, with the fewest steps."""
    side = cells[SIDE]
    hand = cells[HAND + side]
    most = joker(hand, cells[DEAD + side])
    found: list[int] = []
    for kind in range(BLACKS):
        piece = BLACKS * side + kind
        if cells[piece] != NOWHERE:
            reach = limit(hand, kind, most)
            found += [piece | way for way in walks(cells, piece, reach)]
            found += takes(cells, piece, reach)
    return found


def walks(cells: list[int], piece: int, limit: int) -> list[int]:
    """The ways of a piece within so many steps without a capture, as those of piece 0."""
    start = cells[piece]
    return _walks(start, limit, (cells[MEN] | cells[MEN + 1]) & AROUND[limit][start])


@lru_cache(1 << 13)
def _walks(start: int, limit: int, men: int) -> list[int]:
    """Remembered, because most moves change nothing in most pieces' neighbourhoods."""
    free = BOARD & ~men
    edge = 1 << start
    found: list[int] = []
    for number in range(1, limit + 1):
        edge = grown(edge) & free
        if not edge:
            break
        free ^= edge
        _spread(way(0, start, 0, NOWHERE, number), edge, found)
    return found


def takes(cells: list[int], piece: int, limit: int) -> list[int]:
    """The ways of a piece within so many steps that take an enemy."""
    start = cells[piece]
    enemies = cells[MEN + 1 - piece // BLACKS] & AROUND[limit][start]
    found: list[int] = []
    if not enemies:
        return found
    free = BOARD & ~(cells[MEN] | cells[MEN + 1])
    edge = 1 << start
    for number in range(1, limit + 1):
        around = grown(edge)
        met = around & enemies
        if met:
            enemies ^= met
            found += _meet(cells, piece, met, number, limit)
        edge = around & free
        if not edge or not enemies:
            break
        free ^= edge
    return found


def _meet(cells: list[int], piece: int, met: int, number: int, limit: int) -> list[int]:
    """The ways that take one of the enemies met after so many steps."""
    side = piece // BLACKS
    row = piece % BLACKS * BLACKS
    first = BLACKS * (1 - side)
    start = cells[piece]
    found: list[int] = []
    while met:
        low = met & -met
        met ^= low
        square = low.bit_length() - 1
        meeting = MEETING[row + cells.index(square, first, first + BLACKS) - first]
        if meeting == NEVER or (meeting == BOLD and not BEYOND[side] & low):
            continue
        found.append(way(piece, start, square, square, number))
        if meeting != TAKES:
            continue
        free = BOARD & ~(cells[MEN] | cells[MEN + 1]) | 1 << start
        edge = low
        for more in range(number + 1, limit + 1):
            edge = grown(edge) & free
            if not edge:
                break
            free ^= edge
            _spread(way(piece, start, 0, square, more), edge, found)
    return found


def _spread(base: int, targets: int, found: list[int]) -> None:
    """Add a way to each of a set of squares. `base`: the way to the square 0."""
    while targets:
        low = targets & -targets
        targets ^= low
        found.append(base | (low.bit_length() - 1) << TARGET)


# Wins in one


def strikes(cells: list[int], side: int, reach: int) -> list[int]:
    """Each piece of a side that wins at once with the cards: `kind << 4 | steps`, the fewest.

    Steps beyond `reach` are not looked for. A piece may be named more than once.
    """
    found: list[int] = []
    for human in humans(cells, 1 - side):
        hunters = AROUND[reach][human] & cells[MEN + side]
        if not BEYOND[side] >> human & 1:
            for own in humans(cells, side):
                hunters &= ~(1 << own)
        if hunters:
            found += _hunted(cells, human, hunters, reach)
    for kind in (X, X + 1):
        human = cells[BLACKS * side + kind]
        if human != NOWHERE and TO_GO[side][human] <= reach:
            number = _steps_to(GOAL[side], human, BOARD & ~(cells[MEN] | cells[MEN + 1]), reach)
            if number:
                found.append(kind << 4 | number)
    return found


def humans(cells: list[int], side: int) -> list[int]:
    """The squares of a side's humans."""
    first = BLACKS * side + X
    return [square for square in cells[first : first + 2] if square != NOWHERE]


def _hunted(cells: list[int], human: int, hunters: int, reach: int) -> list[int]:
    """Those of the hunters, a set of squares, that get to a human: `kind << 4 | steps`."""
    free = BOARD & ~(cells[MEN] | cells[MEN + 1])
    edge = 1 << human
    found: list[int] = []
    for number in range(1, reach + 1):
        around = grown(edge)
        met = around & hunters
        hunters ^= met
        while met:
            low = met & -met
            met ^= low
            piece = cells.index(low.bit_length() - 1)
            found.append(piece % BLACKS << 4 | number)
        edge = around & free
        if not edge or not hunters:
            break
        free ^= edge
    return found


def _steps_to(goal: int, start: int, free: int, reach: int) -> int:
    """The fewest steps from a square to one of a set over free ones; 0 if none lead there."""
    edge = 1 << start
    for number in range(1, reach + 1):
        edge = grown(edge) & free
        if edge & goal:
            return number
        free ^= edge
    return 0


def can_strike(found: list[int], hand: int, dead: int) -> bool:
    """Whether a hand has cards for one of the strikes; `dead`: its side's eliminated kinds."""
    most = joker(hand, dead)
    for strike in found:
        number = strike & 15
        if number <= most or HIGHEST[hand >> KIND_BITS * (strike >> 4) & KIND_MASK] >= number:
            return True
    return False


def wins(cells: list[int]) -> bool:
    """Whether the side to move wins at once."""
    side = cells[SIDE]
    found = strikes(cells, side, FARTHEST if cells[DEAD + side] else LONGEST)
    return bool(found) and can_strike(found, cells[HAND + side], cells[DEAD + side])
