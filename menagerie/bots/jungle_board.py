"""The inner form of a Jungle position: one flat list of small integers.

    0-63      what stands on each square (see jungle_tables.py)
    64-79     FIRST + piece: the place of that piece, 0 once it is taken
    MEN       for each side: the set of its squares
    ALIVE     for each side: its animals, bit rank - 1
    TRAIL     the newest ten squares of each side's trail, six bits each, the newest lowest
    OLDER     the up to seven squares before them
    SIDE      whose turn: 0 White, 1 Black
    QUIET     plies since the last capture
    END       0 while the game goes on, `LOST` by the side to move, or `DRAWN`
    KEY       60 bits of the board and the turn; the trails are not in it
    SCORE     the worth to the side to move (jungle_eval.py)

A side with no legal move has lost too; that is not in `END`, `ways` shows it.
`after` makes the next position from a copy: copying costs no more than taking
back, and a search that is broken off leaves nothing behind.
"""

from typing import Final

from menagerie.bots import jungle_eval
from menagerie.bots.jungle_eval import GAIN, MOVE_WORTH, WORTH
from menagerie.bots.jungle_tables import (
    DEN,
    GROUND,
    KEY_MASK,
    KEYS,
    KIND_MASK,
    LEAPS,
    MAY,
    MOVE_KEY,
    MOVE_SET,
    NAME_OF,
    ORIGIN,
    OVER,
    PIECE,
    PIECE_CODES,
    PIECE_OF,
    REACH,
    ROW,
    SIDE_OF,
    SQUARE_OF,
    STEP_SET,
    STEPS,
    TARGET,
    TURN_KEY,
    bit,
)
from menagerie.games.jungle import QUIET_LIMIT, JunglePosition
from menagerie.games.position import SEATS

FIRST: Final = 56
"""The lowest piece is 8, so that the places of the pieces follow the board."""
MEN: Final = FIRST + PIECE_CODES
ALIVE: Final = MEN + 2
TRAIL: Final = MEN + 4
OLDER: Final = MEN + 6
SIDE: Final = MEN + 8
QUIET: Final = MEN + 9
END: Final = MEN + 10
KEY: Final = MEN + 11
SCORE: Final = MEN + 12
SIZE: Final = MEN + 13

PLACES_START: Final = (FIRST + 8, FIRST + 16)
"""For each side where its eight pieces begin; the tiger and the lion are the sixth and seventh."""

LOST: Final = 1
DRAWN: Final = 2

_NEWEST: Final = (1 << 60) - 1
_OLDEST: Final = (1 << 42) - 1
_FULL: Final = 1 << 36
"""`OLDER` is at least this once the trail holds seventeen squares."""


def read(position: JunglePosition) -> list[int]:
    """The inner form of a position that is not over."""
    cells = [0] * SIZE
    side = SIDE_OF[position.side]
    pieces = {SQUARE_OF[name]: PIECE_OF[p.symbol] for name, p in position.pieces.items()}
    for square, piece in pieces.items():
        owner = piece >> 4
        cells[square] = piece
        cells[FIRST + piece] = piece << 6 | square
        cells[MEN + owner] |= bit(square)
        cells[ALIVE + owner] |= 1 << (piece & KIND_MASK)
        cells[KEY] ^= KEYS[piece << 6 | square]
    for seat in SEATS:
        for name in position.trails[seat]:
            _enter(cells, SIDE_OF[seat], SQUARE_OF[name])
    cells[SIDE] = side
    cells[QUIET] = position.quiet
    cells[KEY] ^= TURN_KEY if side else 0
    cells[SCORE] = jungle_eval.score(pieces, side)
    return cells


def text(way: int) -> str:
    """The move text of a way."""
    return NAME_OF[ORIGIN[way]] + NAME_OF[TARGET[way]]


def _enter(cells: list[int], side: int, square: int) -> None:
    """Lengthen the side's trail by a square that its animal has entered."""
    trail = cells[TRAIL + side]
    cells[OLDER + side] = (cells[OLDER + side] << 6 | trail >> 54) & _OLDEST
    cells[TRAIL + side] = (trail << 6 | square) & _NEWEST


def after(cells: list[int], way: int) -> list[int]:
    """The position after a legal move; `cells` stays as it is."""
    side = cells[SIDE]
    origin = ORIGIN[way]
    target = TARGET[way]
    piece = PIECE[way]
    victim = cells[target]
    new = cells[:]
    new[origin] = 0
    new[target] = piece
    new[FIRST + piece] = piece << 6 | target
    new[MEN + side] ^= MOVE_SET[way]
    new[KEY] ^= MOVE_KEY[way]
    new[SCORE] = -cells[SCORE] - MOVE_WORTH[way]
    new[SIDE] = 1 - side
    if victim:
        _take(new, side, victim, target)
    else:
        quiet = new[QUIET] = cells[QUIET] + 1
        if quiet >= QUIET_LIMIT:
            new[END] = DRAWN
    ground = GROUND[target]
    if ground:
        new[TRAIL + side] = new[OLDER + side] = 0
        if ground == DEN:
            new[END] = LOST
    elif cells[TRAIL + side] & 63 == origin:
        _enter(new, side, target)
    else:
        new[TRAIL + side] = target
        new[OLDER + side] = 0
    return new


def _take(new: list[int], side: int, victim: int, target: int) -> None:
    """Take the victim off a position under way; `side` has taken it on `target`."""
    enemy = 1 - side
    kind = victim & KIND_MASK
    new[FIRST + victim] = 0
    new[MEN + enemy] ^= bit(target)
    new[QUIET] = 0
    new[KEY] ^= KEYS[victim << 6 | target]
    new[SCORE] -= WORTH[victim << 6 | target] + GAIN[kind << 8 | new[ALIVE + side]]
    left = new[ALIVE + enemy] = new[ALIVE + enemy] ^ 1 << kind
    if not left:
        new[END] = LOST
    if new[TRAIL + enemy] & 63 == target:
        new[TRAIL + enemy] = new[OLDER + enemy] = 0


# Moves


def ways(cells: list[int]) -> list[int]:
    """Every legal move of the side to move, of a game that is not over."""
    return captures(cells) + quiet_ways(cells)


def quiet_ways(cells: list[int]) -> list[int]:
    """The legal moves that do not capture."""
    start = PLACES_START[cells[SIDE]]
    taken = cells[MEN] | cells[MEN + 1]
    found: list[int] = []
    for place in cells[start : start + 8]:
        if STEP_SET[place] & taken:
            found += [way for way in STEPS[place] if not cells[TARGET[way]]]
        else:
            found += STEPS[place]
    for place in cells[start + 5 : start + 7]:
        found += [way for way in LEAPS[place] if not (OVER[way] | bit(TARGET[way])) & taken]
    return without_barred(cells, found)


def captures(cells: list[int]) -> list[int]:
    """The legal moves that capture."""
    side = cells[SIDE]
    enemies = cells[MEN + 1 - side]
    start = PLACES_START[side]
    found: list[int] = []
    for place in cells[start : start + 8]:
        if REACH[place] & enemies:
            found += [way for way in STEPS[place] + LEAPS[place] if _takes(cells, way)]
    return without_barred(cells, found) if found else found


def _takes(cells: list[int], way: int) -> bool:
    """Whether there is an enemy on the target that may be taken."""
    return MAY[ROW[way] + cells[TARGET[way]]] != 0 and not OVER[way] & (cells[MEN] | cells[MEN + 1])


def is_quiet_way(cells: list[int], way: int) -> bool:
    """Whether a way of the side to move is surely among `quiet_ways`.

    It is not called so where there may be bars.
    """
    side = cells[SIDE]
    target = TARGET[way]
    return (
        cells[ORIGIN[way]] == PIECE[way]
        and not cells[target]
        and not OVER[way] & (cells[MEN] | cells[MEN + 1])
        and not cells[TRAIL + side] >> 24
    )


# Repetition (7-3 and 17-5)


def bars(trail: int, older: int) -> int:
    """The squares barred to the animal of a trail: bit square - 1."""
    barred = _entered_three_times(trail)
    if older >= _FULL:
        entered = _squares(trail) | _squares(older)
        if entered.bit_count() <= 5:
            barred |= entered
    return barred


def _entered_three_times(trail: int) -> int:
    """The squares that occur three times or more among the last seven entries."""
    once = twice = thrice = 0
    for shift in range(0, 42, 6):
        square = trail >> shift & 63
        if not square:
            break
        one = bit(square)
        thrice |= twice & one
        twice |= once & one
        once |= one
    return thrice


def _squares(trail: int) -> int:
    """The squares of a packed trail: bit square - 1."""
    found = 0
    while trail:
        found |= bit(trail & 63)
        trail >>= 6
    return found


def without_barred(cells: list[int], found: list[int]) -> list[int]:
    """The ways that the bars leave. A trail under five squares long bars nothing."""
    side = cells[SIDE]
    trail = cells[TRAIL + side]
    if not trail >> 24:
        return found
    barred = bars(trail, cells[OLDER + side])
    animal = trail & 63
    return [w for w in found if ORIGIN[w] != animal or not barred & bit(TARGET[w])]


def trail_key(trail: int, older: int) -> int:
    """What a trail adds to a position's key: 0 unless a square is twice in its last seven.

    Where no square is twice in there, a bar is at least eight plies away: a
    square needs two more entries, on every other own move, and then is barred.
    So such trails may share what a search of that depth has found; telling
    them all apart would cost nearly every transposition. The price: a search
    that is deeper may, by the table, miss a bar in its last plies.
    """
    seen = 0
    for shift in range(0, 42, 6):
        square = trail >> shift & 63
        if not square:
            return 0
        one = bit(square)
        if seen & one:
            return (trail * 0x9E3779B97F4A7C15 ^ older * 0xBF58476D1CE4E5B9) & KEY_MASK
        seen |= one
    return 0
