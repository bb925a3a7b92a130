"""What a Jungle position is worth, as tables that a move updates in a few additions.

The worth is a sum of two parts, in points of which a cat is some 160, from the
view of the piece's own side:

- places: what each animal is worth on its square. It grows along the animal's
  own road to the enemy den (leaps for lion and tiger, water for the rat), on
  the enemy's gates, and for the rat in the water, where only a rat can reach
  it and where it stops leaps.
- relations: what each pair of enemies is worth to the one that may take the
  other. It changes only with captures, and by the survivors: a lion is worth
  more when the enemy elephant is gone, a rat less.
"""

from typing import Final

from menagerie.bots.jungle_tables import (
    KIND_MASK,
    ORIGIN,
    PIECE,
    PIECE_OF,
    PLACES,
    SIDE_BIT,
    SQUARE_OF,
    TARGET,
)
from menagerie.games import jungle
from menagerie.games.position import other

WOOD: Final = (0, 260, 160, 210, 260, 330, 540, 600, 640)
"""By rank, 1 rat to 8 elephant."""
STRIDE: Final = (0, 6, 3, 3, 4, 7, 10, 10, 6)
"""By rank: what one ply nearer to the enemy den is worth."""
NEAR: Final = (0, 60, 45, 22, 10, 4)
"""By distance from the enemy den in plies: what being so near adds."""
HOME: Final = 14
"""For a piece that can be on one of its own gates in one ply, or is."""
AFLOAT: Final = 12
UPPER_HAND: Final = 9
RAT_ON_ELEPHANT: Final = 70


def _distances(piece: jungle.Piece) -> dict[str, int]:
    """Plies from each square to the enemy den for this animal on an empty board."""
    reached = {jungle.DENS[other(piece.seat)]: 0}
    frontier = list(reached)
    while frontier:
        target = frontier.pop(0)
        # Every step and leap can be gone back, so the road home is the road there.
        origins = [s for s in jungle.NEIGHBOURS[target] if piece.swims or s not in jungle.WATER]
        origins += jungle.LEAPS[target] if piece.leaps else ()
        for origin in origins:
            if origin not in reached:
                reached[origin] = reached[target] + 1
                frontier.append(origin)
    return reached


def _place_worth(piece: jungle.Piece, square: str, distance: int) -> int:
    worth = WOOD[piece.strength] + STRIDE[piece.strength] * (14 - distance)
    if distance < len(NEAR):
        worth += NEAR[distance]
    gates = jungle.TRAPS[piece.seat]
    if square in gates or any(beside in gates for beside in jungle.NEIGHBOURS[square]):
        worth += HOME
    if square in jungle.WATER:
        worth += AFLOAT
    return worth


def _worths() -> list[int]:
    worths = [0] * PLACES
    for symbol, piece in jungle.PIECES.items():
        for square, distance in _distances(piece).items():
            worths[PIECE_OF[symbol] << 6 | SQUARE_OF[square]] = _place_worth(
                piece, square, distance
            )
    return worths


WORTH: Final[list[int]] = _worths()
"""By place: what the piece there is worth to its own side."""

MOVE_WORTH: Final[list[int]] = [
    WORTH[piece << 6 | target] - WORTH[piece << 6 | origin]
    for piece, origin, target in zip(PIECE, ORIGIN, TARGET, strict=True)
]
"""By way: what the move, without what it takes, gains its side."""


def relation(rank: int, enemy: int) -> int:
    """What it is worth to the first that these two are on the board together."""
    if (rank, enemy) == (1, 8):
        return RAT_ON_ELEPHANT
    if (rank, enemy) == (8, 1):
        return -RAT_ON_ELEPHANT
    return UPPER_HAND * ((rank > enemy) - (rank < enemy))


def _gain(kind: int, alive: int) -> int:
    """What the relations give the side with these animals when an enemy goes."""
    return -sum(relation(own + 1, kind + 1) for own in range(8) if alive >> own & 1)


GAIN: Final[list[int]] = [_gain(kind, alive) for kind in range(8) for alive in range(256)]
"""By `taken kind << 8 | the taker's animals` (bit rank - 1): what the relations gain."""


def score(pieces: dict[int, int], side: int) -> int:
    """The worth of a position to a side, added up afresh. `pieces`: square to piece code."""
    own = {square: piece for square, piece in pieces.items() if piece & SIDE_BIT[side]}
    enemies = {square: piece for square, piece in pieces.items() if square not in own}
    places = sum(WORTH[piece << 6 | square] for square, piece in own.items())
    places -= sum(WORTH[piece << 6 | square] for square, piece in enemies.items())
    return places + sum(
        relation((piece & KIND_MASK) + 1, (enemy & KIND_MASK) + 1)
        for piece in own.values()
        for enemy in enemies.values()
    )
