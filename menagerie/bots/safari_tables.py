"""Safari as numbers: the codes and flat tables of the search's inner form.

Everything here is asked of the readable rules once, on import.

- A square is its rank less one times `ROW`, plus its file less one; every row
  ends with a gap that is no square, so that a step over the edge leads
  nowhere. A set of squares is an int with the bit of each: to grow a whole set
  by a step costs four shifts, where a walk of its squares would cost dozens.
- A kind is 0 elephant to 7 mouse, 8 and 9 the humans, 10 the joker. A piece is
  its kind, plus `BLACKS` for Black's.
- Cards (a hand, a play, a pile) are one int: ten bits a kind, in them two bits
  a value: how many cards there are of it. Adding cards is adding ints.
- A way is one piece's movement: mover, origin, target, the square of its
  capture and the steps it needs, packed. A move is a way and the cards that
  pay for it, packed.
"""

from typing import Final

from menagerie.games.position import SEATS, Seat
from menagerie.games.safari import board, cards, movement

ROW: Final = board.FILES + 1
NOWHERE: Final = -1
"""The square of a piece that is gone."""


def _number(name: str) -> int:
    return (int(name[1:]) - 1) * ROW + ord(name[0]) - ord("a")


SQUARE_OF: Final[dict[str, int]] = {name: _number(name) for name in board.SQUARES}
SQUARES: Final = board.RANKS * ROW
"""One more than the highest square."""
NAME_OF: Final[list[str]] = [""] * SQUARES
for _name, _square in SQUARE_OF.items():
    NAME_OF[_square] = _name

BOARD: Final = sum(1 << square for square in SQUARE_OF.values())
"""The set of all squares."""
GOAL: Final = tuple(
    sum(1 << s for name, s in SQUARE_OF.items() if int(name[1:]) == board.LAST_RANK[seat])
    for seat in SEATS
)
"""For each side the set of its last rank."""
BEYOND: Final = tuple(
    sum(1 << s for name, s in SQUARE_OF.items() if not board.is_in_half_of(seat, name))
    for seat in SEATS
)
"""For each side the set of the opponent's half, where its humans take humans."""
TO_GO: Final = tuple(
    [abs(board.LAST_RANK[seat] - 1 - square // ROW) for square in range(SQUARES)] for seat in SEATS
)
"""For each side and square: the ranks from there to its last rank."""


def grown(squares: int) -> int:
    """The squares beside those of a set; gaps among them, and what lies above the board."""
    return squares << 1 | squares >> 1 | squares << ROW | squares >> ROW


LONGEST: Final = max(cards.VALUES)
"""The most steps that one card gives."""
FARTHEST: Final = cards.HAND_SIZE
"""The most steps that any cards give: those of one dead animal."""


def _around() -> list[list[int]]:
    sets = [[1 << square if NAME_OF[square] else 0 for square in range(SQUARES)]]
    for _ in range(FARTHEST):
        sets.append([(inner | grown(inner)) & BOARD for inner in sets[-1]])
    return sets


AROUND: Final = _around()
"""By steps and square: the set of squares that so many steps at most lead to."""

# Pieces

KINDS: Final = cards.KINDS
X: Final = KINDS.index("X")
JOKER: Final = KINDS.index(cards.JOKER)
BLACKS: Final = 10
PIECES: Final = 2 * BLACKS
SIDE_OF: Final[dict[Seat, int]] = {seat: side for side, seat in enumerate(SEATS)}
PIECE_OF: Final[dict[str, int]] = {
    symbol: BLACKS * SIDE_OF[piece.seat] + KINDS.index(piece.letter)
    for symbol, piece in board.PIECES.items()
}
"""Letter as in the board text to piece."""

NEVER: Final = 0
"""The mover may not take it."""
TAKES: Final = 1
"""It takes and may go on."""
ENDS: Final = 2
"""It takes, and the movement ends: a human has been taken."""
SWAPS: Final = 3
"""Identical animals: both are gone, and the movement ends."""
BOLD: Final = 4
"""Human takes human: in the opponent's half only."""


def _meeting(piece: board.Piece, victim: board.Piece) -> int:
    """What comes of a piece's step onto another side's."""
    far = next(name for name in board.SQUARES if not board.is_in_half_of(piece.seat, name))
    if movement.why_not_take(piece, victim, far) is not None:
        return NEVER
    if piece.is_human:
        return BOLD
    if movement.is_exchange(piece, victim):
        return SWAPS
    return ENDS if movement.ends_movement(piece, victim) else TAKES


MEETING: Final[list[int]] = [
    _meeting(board.Piece("white", letter), board.Piece("black", victim))
    for letter in board.LETTERS
    for victim in board.LETTERS
]
"""By kind times ten plus the victim's kind."""

# Cards

KIND_BITS: Final = 10
KIND_MASK: Final = (1 << KIND_BITS) - 1
CARD_OF: Final[dict[str, int]] = {
    text: 1 << KIND_BITS * KINDS.index(text[0]) + 2 * (int(text[1]) - 1) for text in cards.COPIES
}
"""Text to the one card."""
DECK: Final = sum(CARD_OF[text] for text in cards.DECK)
ONES: Final = sum(CARD_OF.values())
"""One card of each text."""
_COUNTS: Final = [[cut >> 2 * n & 3 for n in range(5)] for cut in range(KIND_MASK + 1)]
HIGHEST: Final[list[int]] = [
    max((n + 1 for n, count in enumerate(counts) if count), default=0) for counts in _COUNTS
]
"""By the cards of one kind: the highest value among them, 0 if there are none."""
COUNT: Final[list[int]] = [sum(counts) for counts in _COUNTS]
"""By the cards of one kind: how many they are."""
FROM_VALUE: Final = tuple(
    sum(3 << 2 * (value - 1) for value in range(max(least, 1), 6)) for least in range(FARTHEST + 1)
)
"""By steps: the cards of one kind, as a mask, that give as many at least."""
LOWEST: Final[list[int]] = [
    next((1 << 2 * n for n, count in enumerate(counts) if count), 0) for counts in _COUNTS
]
"""By the cards of one kind: the one of the lowest value."""


def how_many(held: int) -> int:
    """The number of the cards."""
    return (held & ONES).bit_count() + 2 * (held >> 1 & ONES).bit_count()


def texts_of(held: int) -> list[str]:
    """The texts of the cards, by kind, then by value."""
    return [text for text, card in CARD_OF.items() for _ in range(held // card & 3)]


def cards_of(texts: list[str]) -> int:
    """The cards with these texts."""
    return sum(CARD_OF[text] for text in texts)


# Ways and moves

PASS: Final = 0
"""The way of nobody."""
_ORIGIN: Final = 5
TARGET: Final = 14
TAKEN: Final = 23
STEPS: Final = 32
WAY_BITS: Final = 36
WAY_MASK: Final = (1 << WAY_BITS) - 1
SQUARE_MASK: Final = 511


def way(piece: int, origin: int, target: int, taken: int, steps: int) -> int:
    """A movement of one piece. `taken`: the square of its capture or `NOWHERE`."""
    return piece | origin << _ORIGIN | target << TARGET | (taken + 1) << TAKEN | steps << STEPS


def mover(way: int) -> int:
    return way & 31


def origin(way: int) -> int:
    return way >> _ORIGIN & SQUARE_MASK


def target(way: int) -> int:
    return way >> TARGET & SQUARE_MASK


def taken(way: int) -> int:
    """The square of the capture, or `NOWHERE`."""
    return (way >> TAKEN & SQUARE_MASK) - 1


def steps(way: int) -> int:
    """The value that opens the way; 0 for `PASS`."""
    return way >> STEPS


def move(played: int, way: int) -> int:
    """These cards played for this way; for `PASS` one card or none."""
    return played << WAY_BITS | way


def way_of(move: int) -> int:
    return move & WAY_MASK


def played(move: int) -> int:
    """The cards of a move."""
    return move >> WAY_BITS
