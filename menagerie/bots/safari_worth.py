"""What a Safari position is worth that is not searched further.

To the board (safari_eval.py) and the hands (safari_hand.py) it adds what both
make together: wins in one that are near, and humans with an open way home.
"""

from typing import Final

from menagerie.bots.safari_board import DEAD, HAND, SCORE, SIDE, can_strike, strikes
from menagerie.bots.safari_eval import GUARDED
from menagerie.bots.safari_hand import hold, turns
from menagerie.bots.safari_tables import BLACKS, LONGEST, TO_GO, X

AT_HAND: Final = 900
"""What a win in one is worth to the side whose turn it is not."""
LIKELY: Final = 450
"""What it is worth if the cards for it are sure to come."""
CHANCE: Final = (0.0, 0.51, 0.47, 0.39, 0.21, 0.08)
"""By steps: how likely a hand has a card of one kind that gives as many."""

FAR: Final = 10
"""The ranks beyond which a human's way home is not looked at."""
RUNS: Final = (0, 900, 600, 350, 180, 90, 45, 20, 10, 5, 3)
"""By the turns that a human needs to get home: what that is worth where nobody guards the way."""
OPEN: Final = [0.5 ** (guard / 100) for guard in range(801)]
"""By the guards of its way, in hundredths of one: what is left of a run's worth."""


def evaluate(cells: list[int]) -> int:
    """The worth of a position that is not over, and in which nobody wins at once."""
    side = cells[SIDE]
    hands = hold(cells[HAND + side], cells[DEAD + side])
    hands -= hold(cells[HAND + 1 - side], cells[DEAD + 1 - side])
    threats = threat(cells, side) - threat(cells, 1 - side)
    return cells[SCORE] + hands + threats + race(cells, side)


def threat(cells: list[int], side: int) -> int:
    """What it is worth to a side that it may soon win in one."""
    found = strikes(cells, side, LONGEST)
    if not found:
        return 0
    if can_strike(found, cells[HAND + side], cells[DEAD + side]):
        return AT_HAND
    harmless = 1.0
    for strike in found:
        harmless *= 1 - CHANCE[strike & 15]
    return int(LIKELY * (1 - harmless))


def race(cells: list[int], side: int) -> int:
    """What the ways home of its humans are worth to a side, less those of the others."""
    return _runs(cells, side) - _runs(cells, 1 - side)


def _runs(cells: list[int], side: int) -> int:
    own, enemy = BLACKS * side, BLACKS - BLACKS * side
    worth = 0.0
    for kind in (X, X + 1):
        human = cells[own + kind]
        ranks = TO_GO[side][human]
        if ranks <= FAR:
            guards = GUARDED[side][human]
            guard = sum(map(guards.__getitem__, cells[enemy : enemy + X]))
            number = turns(cells[HAND + side], cells[DEAD + side], kind, ranks)
            worth += RUNS[number] * OPEN[guard]
    return int(worth)
