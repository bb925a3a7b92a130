"""Jungle as numbers: the codes and flat tables of the search's inner form.

Everything here is asked of the readable rules once, on import.

- Squares are 1 to 63 in the order of the board's text (a9 is 1, g1 is 63); 0
  is off the board. A set of squares is an int with bit square - 1.
- A piece is 8 for White or 16 for Black, plus its rank less one (0 rat to 7
  elephant); 0 is an empty square. `piece << 6 | square` is a place.
- A way is one piece's step or leap from one square to another, numbered from 0.
"""

from typing import Final

from menagerie.bots.luck import numbers
from menagerie.games import jungle
from menagerie.games.jungle import JunglePosition
from menagerie.games.position import SEATS, Seat, other

SIDE_BIT: Final = (8, 16)
KIND_MASK: Final = 7
"""`piece & KIND_MASK` is the rank less one."""
PIECE_CODES: Final = 24
PLACES: Final = PIECE_CODES << 6
KEY_MASK: Final = (1 << 60) - 1

SIDE_OF: Final[dict[Seat, int]] = {seat: side for side, seat in enumerate(SEATS)}
PIECE_OF: Final[dict[str, int]] = {
    symbol: SIDE_BIT[SIDE_OF[piece.seat]] + piece.strength - 1
    for symbol, piece in jungle.PIECES.items()
}
"""Letter as in the board text to piece."""
SQUARE_OF: Final[dict[str, int]] = {name: i for i, name in enumerate(jungle.SQUARES, start=1)}
NAME_OF: Final[tuple[str, ...]] = ("", *jungle.SQUARES)

PLAIN: Final = 0
TRAP: Final = 1
DEN: Final = 2


def _ground() -> list[int]:
    ground = [PLAIN] * 64
    for name in jungle.ALL_TRAPS:
        ground[SQUARE_OF[name]] = TRAP
    for name in jungle.DENS.values():
        ground[SQUARE_OF[name]] = DEN
    return ground


GROUND: Final[list[int]] = _ground()
"""What each square is: `PLAIN`, `TRAP` or `DEN`."""


def bit(square: int) -> int:
    """The set of this square alone."""
    return 1 << square - 1


GATES_OF: Final = tuple(
    sum(bit(SQUARE_OF[name]) for name in jungle.TRAPS[other(seat)]) for seat in SEATS
)
"""For each side the set of the enemy's traps: all the squares beside the enemy den."""


def _keys(count: int) -> list[int]:
    """Numbers of 60 bits for the keys of positions."""
    drawn = numbers(0x6A756E676C65)
    return [next(drawn) & KEY_MASK for _ in range(count)]


KEYS: Final[list[int]] = _keys(PLACES)
"""By place: what the piece there adds to a position's key."""
TURN_KEY: Final = _keys(PLACES + 1)[PLACES]
"""What Black's turn adds."""

# The ways, and what is known of each

PIECE: Final[list[int]] = []
ORIGIN: Final[list[int]] = []
TARGET: Final[list[int]] = []
OVER: Final[list[int]] = []
"""The set of squares leapt over; 0 for a step."""
ROW: Final[list[int]] = []
"""`MAY[ROW[way] + enemy]` is 1 if the way may be gone with that enemy on its target."""
MAY: Final[list[int]] = []
MOVE_SET: Final[list[int]] = []
"""The set of origin and target."""
MOVE_KEY: Final[list[int]] = []
"""How the move, without what it takes, changes a position's key."""

# The ways of each place

STEPS: Final[list[tuple[int, ...]]] = [()] * PLACES
LEAPS: Final[list[tuple[int, ...]]] = [()] * PLACES
STEP_SET: Final[list[int]] = [0] * PLACES
"""The set of the targets of `STEPS`."""
REACH: Final[list[int]] = [0] * PLACES
"""The set of the targets of `STEPS` and `LEAPS`."""

_RULES: Final = JunglePosition.parse(jungle.START)


def _row(origin: str, piece: jungle.Piece, target: str) -> list[int]:
    """For each piece whether it may be taken by this way."""
    row = [0] * PIECE_CODES
    for symbol, victim in jungle.PIECES.items():
        if victim.seat != piece.seat:
            row[PIECE_OF[symbol]] = int(
                _RULES.why_not_capture(origin, piece, target, victim) is None
            )
    return row


def _add_way(origin: str, piece: jungle.Piece, target: str, crossed: tuple[str, ...]) -> int:
    """Number one more way."""
    code, start, end = PIECE_OF[piece.symbol], SQUARE_OF[origin], SQUARE_OF[target]
    PIECE.append(code)
    ORIGIN.append(start)
    TARGET.append(end)
    OVER.append(sum(bit(SQUARE_OF[name]) for name in crossed))
    ROW.append(len(MAY))
    MAY.extend(_row(origin, piece, target))
    MOVE_SET.append(bit(start) | bit(end))
    MOVE_KEY.append(KEYS[code << 6 | start] ^ KEYS[code << 6 | end] ^ TURN_KEY)
    REACH[code << 6 | start] |= bit(end)
    STEP_SET[code << 6 | start] |= 0 if crossed else bit(end)
    return len(PIECE) - 1


def _add_ways(piece: jungle.Piece, origin: str) -> None:
    """Number every way of a piece from a square."""
    place = PIECE_OF[piece.symbol] << 6 | SQUARE_OF[origin]
    STEPS[place] = tuple(
        _add_way(origin, piece, target, ())
        for target in jungle.NEIGHBOURS[origin]
        if not _RULES.is_closed(piece, target)
    )
    if piece.leaps:
        LEAPS[place] = tuple(
            _add_way(origin, piece, target, crossed)
            for target, crossed in jungle.LEAPS[origin].items()
        )


for _piece in jungle.PIECES.values():
    for _origin in jungle.SQUARES:
        if not _RULES.is_closed(_piece, _origin):
            _add_ways(_piece, _origin)

WAYS: Final = len(PIECE)
"""How many ways there are."""
