"""What a Safari position is worth, in points of which a hundred are about one match in a hundred.

The worth of the board is a sum, from the view of the piece's own side, that a
move updates in a few additions:

- wood: what each animal is worth for being there;
- roads: what each human is worth by the ranks it has still to go;
- hunts: what each animal is worth to its side by where it stands to each enemy
  human: within reach, it may take it with a card that it is likely to have; in
  front of it, it guards the way home.

To this the hands (safari_hand.py) add what their cards can still do.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Final

from menagerie.bots.safari_tables import (
    BLACKS,
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
ROAD: Final = (600, 230, 200, 180, 155, 135, 90, 63, 45, 30, 18, 9, 3, 0)
"""By the ranks that a human has to go."""
REACH: Final = (0, 160, 155, 145, 120, 100, 88, 78, 69, 60, 52, 45, 38, 30, 22, 15, 8)
"""By the steps from an animal to an enemy human: that it may take it, now or soon."""
GUARD: Final = (20, 19, 17, 14, 10, 7, 5, 4, 3, 2, 1)
"""By the files between them: that an animal stands in front of an enemy human."""
FADE: Final = 0.8
"""What is left of a guard's worth for each rank that it is behind the human."""


def _hunt(files: int, ahead: int) -> int:
    """What an animal's place is worth against one human."""
    number = files + abs(ahead)
    worth = REACH[number] if number < len(REACH) else 0
    guard = GUARD[files] if files < len(GUARD) else 0
    return worth + round(guard if ahead >= 0 else guard * FADE**-ahead)


def _guarded(files: int, ahead: int) -> int:
    """How much an animal guards a human's way home, in hundredths."""
    if ahead >= 0:
        return max(0, 100 - 12 * files)
    return max(0, 100 - 20 * (files - ahead))


def _pairs(worth: Callable[[int, int], int], forward: int) -> list[list[int]]:
    """For humans that go up (1) or down (-1): a worth by their square and an enemy animal's.

    `worth` is given the files between them, and the ranks from the human to the
    animal, in the human's direction. An animal that is `NOWHERE` finds 0 at the
    end of the row.
    """
    table = [[worth(files, ahead) for ahead in range(-14, 14)] for files in range(ROW)]
    rows = [[0] * (SQUARES + 1) for _ in range(SQUARES)]
    for human in SQUARE_OF.values():
        for animal in SQUARE_OF.values():
            ahead = (animal // ROW - human // ROW) * forward
            rows[human][animal] = table[abs(animal % ROW - human % ROW)][ahead + 14]
    return rows


HUNTS: Final = (_pairs(_hunt, 1), _pairs(_hunt, -1))
"""For the humans of each side, by their square and an enemy animal's: its worth to the enemy."""
GUARDED: Final = (_pairs(_guarded, 1), _pairs(_guarded, -1))
"""By the same: how much it guards the human's way home, in hundredths."""


@lru_cache(1 << 10)
def stands(side: int, one: int, two: int) -> list[int]:
    """By square: what an animal there is worth to its side by where both enemy humans are.

    `side`: the humans'.
    """
    return [sum(pair) for pair in zip(HUNTS[side][one], HUNTS[side][two], strict=True)]


def stride(cells: list[int], human: int, goal: int) -> int:
    """What a human's standing on a square is worth to its side, with the other pieces as they are.

    `human`: the piece.
    """
    side = human // BLACKS
    enemy = BLACKS - BLACKS * side
    hunts = HUNTS[side][goal]
    return ROAD[TO_GO[side][goal]] - sum(map(hunts.__getitem__, cells[enemy : enemy + X]))


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
        return stride(cells, piece, goal) - stride(cells, piece, start)
    stand = stands(1 - side, cells[enemy + X], cells[enemy + X + 1])
    worth = stand[goal] - stand[start]
    if capture == NOWHERE:
        return worth
    victim = cells.index(capture, enemy, enemy + BLACKS) - enemy
    worth += WOOD[victim] + stands(side, cells[own + X], cells[own + X + 1])[capture]
    if MEETING[BLACKS * kind + victim] == SWAPS:
        worth -= WOOD[kind] + stand[goal]
    return worth
