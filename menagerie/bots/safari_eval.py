"""What a Safari position is worth, in points of which a hundred are about one match in a hundred.

The worth of the board is a sum, from the view of the piece's own side, that a
move updates in a few additions:

- wood: what each animal is worth for being there;
- roads: what each human is worth by the ranks it has still to go;
- hunts: what each animal is worth to its side by where it stands to each enemy
  human: within reach, it may take it with a card that it is likely to have; in
  front of it, it guards the way home.

To this the hands add what their cards can still do.
"""

from typing import Final

from menagerie.bots.safari_tables import (
    BLACKS,
    COUNT,
    JOKER,
    KIND_BITS,
    KIND_MASK,
    MEETING,
    NOWHERE,
    ROW,
    SQUARE_OF,
    SQUARES,
    SWAPS,
    TO_GO,
    X,
    mover,
    origin,
    taken,
    target,
)

WOOD: Final = (420, 400, 370, 350, 330, 330, 290, 310, 0, 0)
"""By kind, elephant to mouse; a human's loss is the end."""
ROAD: Final = (2_000, 760, 680, 600, 520, 450, 290, 210, 150, 100, 60, 30, 10, 0)
"""By the ranks that a human has to go."""
REACH: Final = (0, 130, 120, 100, 55, 20)
"""By the steps from an animal to an enemy human: that it may take it."""
GUARD: Final = (40, 38, 34, 28, 20, 14, 10, 7, 5, 4, 3, 2, 1)
"""By the files between them: that an animal stands in front of an enemy human."""
FADE: Final = 0.8
"""What is left of a guard's worth for each rank that it is behind the human."""


def _hunt(files: int, ahead: int) -> int:
    """`ahead`: the ranks from the human to the animal, in the human's direction."""
    number = files + abs(ahead)
    worth = REACH[number] if number < len(REACH) else 0
    guard = GUARD[files] if files < len(GUARD) else 0
    return worth + round(guard if ahead >= 0 else guard * FADE**-ahead)


def _hunts(forward: int) -> list[list[int]]:
    """For humans that go up (1) or down (-1): by their square and the animal's, its worth.

    An animal that is `NOWHERE` finds 0 at the end of the row.
    """
    table = [[_hunt(files, ahead) for ahead in range(-14, 14)] for files in range(ROW)]
    rows = [[0] * (SQUARES + 1) for _ in range(SQUARES)]
    for human in SQUARE_OF.values():
        for animal in SQUARE_OF.values():
            ahead = (animal // ROW - human // ROW) * forward
            rows[human][animal] = table[abs(animal % ROW - human % ROW)][ahead + 14]
    return rows


HUNTS: Final = (_hunts(1), _hunts(-1))
"""For the humans of each side, by their square and an enemy animal's: its worth to the enemy."""


def score(cells: list[int], side: int) -> int:
    """The worth of the board to a side, added up afresh. `cells`: the places of the pieces."""
    return _worth(cells, side) - _worth(cells, 1 - side)


def _worth(cells: list[int], side: int) -> int:
    enemy = BLACKS * (1 - side)
    worth = 0
    for kind in range(BLACKS):
        place = cells[BLACKS * side + kind]
        if place == NOWHERE:
            continue
        worth += WOOD[kind]
        if kind >= X:
            worth += ROAD[TO_GO[side][place]]
            continue
        for human in cells[enemy + X : enemy + BLACKS]:
            if human != NOWHERE:
                worth += HUNTS[1 - side][human][place]
    return worth


def gain(cells: list[int], way: int) -> int:
    """What a way gains its side on the board; one that wins is not asked for."""
    piece, start, goal, capture = mover(way), origin(way), target(way), taken(way)
    side = piece // BLACKS
    own, enemy = BLACKS * side, BLACKS - BLACKS * side
    kind = piece - own
    if kind >= X:
        before, now = HUNTS[side][start], HUNTS[side][goal]
        worth = ROAD[TO_GO[side][goal]] - ROAD[TO_GO[side][start]]
        for animal in cells[enemy : enemy + X]:
            worth += before[animal] - now[animal]
        return worth
    one = HUNTS[1 - side][cells[enemy + X]]
    two = HUNTS[1 - side][cells[enemy + X + 1]]
    worth = one[goal] - one[start] + two[goal] - two[start]
    if capture == NOWHERE:
        return worth
    victim = cells.index(capture, enemy, enemy + BLACKS) - enemy
    hunts = HUNTS[side]
    worth += WOOD[victim] + hunts[cells[own + X]][capture] + hunts[cells[own + X + 1]][capture]
    if MEETING[BLACKS * kind + victim] == SWAPS:
        worth -= WOOD[kind] + one[goal] + two[goal]
    return worth


# Hands

JOKERS: Final = (0, 45, 70, 95, 115, 130)
STRIDES: Final = (0, 30, 45, 60, 72, 82)
"""By value: a card of a human."""
PACES: Final = (0, 16, 26, 36, 44, 50)
"""By value: a card of an animal."""
REMAINS: Final = 14
"""A card of an animal that is gone."""
MORE: Final = 0.6
"""What each further card of one kind is worth of what the one before is."""


def _hold(worths: tuple[int, ...]) -> list[int]:
    """By the cards of one kind: what they are worth together."""
    held = []
    for cut in range(KIND_MASK + 1):
        worth, share = 0.0, 1.0
        for value in range(5, 0, -1):
            for _ in range(cut >> 2 * (value - 1) & 3):
                worth += worths[value] * share
                share *= MORE
        held.append(round(worth))
    return held


_ANIMAL: Final = _hold(PACES)
_HUMAN: Final = _hold(STRIDES)
_JOKER: Final = _hold(JOKERS)


def hold(hand: int, dead: int) -> int:
    """What a hand is worth to its side; `dead`: its eliminated animals, bit kind."""
    worth = _JOKER[hand >> KIND_BITS * JOKER]
    worth += _HUMAN[hand >> KIND_BITS * X & KIND_MASK]
    worth += _HUMAN[hand >> KIND_BITS * (X + 1) & KIND_MASK]
    for kind in range(X):
        cut = hand >> KIND_BITS * kind & KIND_MASK
        if cut:
            worth += REMAINS * COUNT[cut] if dead >> kind & 1 else _ANIMAL[cut]
    return worth
