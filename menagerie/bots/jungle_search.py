"""The search of the Jungle bots: iterative deepening, alpha-beta with principal variation.

A worth is in the points of jungle_eval.py, from the view of the side to move;
a win is `WIN` less the plies until then, so that a nearer win is worth more.

Bars: the tree makes its moves by `jungle_board`, so every line knows its own
trails. The table of positions knows of a trail what `trail_key` says, and the
quiet count only where the draw is near.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from menagerie.bots.jungle_board import (
    DRAWN,
    END,
    KEY,
    MEN,
    OLDER,
    QUIET,
    SCORE,
    SIDE,
    TRAIL,
    after,
    captures,
    is_quiet_way,
    quiet_ways,
    trail_key,
)
from menagerie.bots.jungle_eval import MOVE_WORTH
from menagerie.bots.jungle_tables import GATES_OF, GROUND, KEY_MASK, KIND_MASK, TARGET, WAYS, bit
from menagerie.games.jungle import QUIET_LIMIT

WIN: Final = 100_000
SURE: Final = WIN - 1_000
"""Worths beyond this are wins that the search has seen to the end."""
DEEPEST: Final = 40

LOOK_EVERY_NODES: Final = 512
NODES: Final = 0
NEXT_LOOK: Final = 1

_AT_LEAST: Final = 1
_AT_MOST: Final = 2
_EXACT: Final = 3
_DEPTH_SHIFT: Final = 26
_WORTH_SHIFT: Final = 32
_BOUND_SHIFT: Final = 24
NO_WAY: Final = (1 << _BOUND_SHIFT) - 1
_UNKNOWN: Final = NO_WAY
"""The line of a position that is not in the table: depth 0, no way."""
_QUIET_NEAR: Final = QUIET_LIMIT - DEEPEST


class Spent(Exception):
    """The budget or the time is gone in the middle of an iteration."""


@dataclass(frozen=True, slots=True)
class Effort:
    """What one search may spend and what it remembers.

    `left`: nodes left at `NODES`, and at `NEXT_LOOK` how few are left when the
    clock is next looked at. `table`: position key to way, bound, depth and
    worth. `history`: by way, how often and how deep it has refuted. `killers`:
    by ply, the quiet way that refuted last.
    """

    left: list[int]
    table: dict[int, int]
    history: list[int]
    killers: list[int]
    out_of_time: Callable[[], bool]


def effort(nodes: int, out_of_time: Callable[[], bool]) -> Effort:
    """A fresh effort of that many nodes."""
    return Effort(
        [nodes, max(0, nodes - LOOK_EVERY_NODES)], {}, [0] * WAYS, [0] * 2 * DEEPEST, out_of_time
    )


# The root


@dataclass(frozen=True, slots=True)
class Choice:
    """A way and what it is worth to the side to move, looked at `depth` plies deep."""

    way: int
    worth: int
    depth: int


def think(
    cells: list[int], roots: dict[int, int], spending: Effort, deepest: int = DEEPEST
) -> Choice:
    """The best of the root moves, as deep as the effort lasts; with none to spend one ply.

    `roots`: way to whim, which is added to the way's worth unless that is a
    sure win or loss. The likeliest best comes first.
    """
    choice = Choice(next(iter(roots)), 0, 0)
    for depth in range(1, deepest + 1):
        roots = {choice.way: roots[choice.way], **roots}
        choice, finished = _iteration(cells, roots, spending, depth, choice)
        if not finished or abs(choice.worth) > SURE:
            break
        spending.history[:] = [count >> 1 for count in spending.history]
    return choice


def _iteration(
    cells: list[int], roots: dict[int, int], spending: Effort, depth: int, best: Choice
) -> tuple[Choice, bool]:
    """The best root move at this depth, and whether all of them were looked at.

    An iteration that is broken off counts as far as it came: the best move of
    the last one is looked at first.
    """
    alpha = -WIN
    try:
        for way, whim in roots.items():
            child = after(cells, way)
            floor = alpha if abs(alpha) > SURE else alpha - whim
            if alpha == -WIN:
                worth = -_search(child, spending, depth - 1, -WIN, WIN, 1)
            else:
                worth = -_search(child, spending, depth - 1, -floor - 1, -floor, 1)
                if worth > floor:
                    worth = -_search(child, spending, depth - 1, -WIN, -floor, 1)
            if abs(worth) < SURE:
                worth += whim
            if worth > alpha:
                alpha = worth
                best = Choice(way, worth, depth)
    except Spent:
        return best, False
    return best, True


# The tree


def _search(  # noqa: PLR0917 (to call by keyword would cost speed)
    cells: list[int], spending: Effort, depth: int, alpha: int, beta: int, ply: int
) -> int:
    """The worth of a position `ply` plies after the root, looked at `depth` plies deep."""
    if depth < 2:
        return (_frontier if depth else _quiesce)(cells, spending, alpha, beta, ply)
    left = spending.left
    left[NODES] -= 1
    decided = _decided(cells, ply)
    if decided is not None:
        return decided
    if left[NODES] <= left[NEXT_LOOK]:
        _look(spending)

    key = _key(cells)
    entry = spending.table.get(key, _UNKNOWN)
    if entry >> _DEPTH_SHIFT & 63 >= depth:
        worth = _from_table(entry, ply)
        bound = entry >> _BOUND_SHIFT & 3
        if bound == _EXACT or (worth >= beta if bound == _AT_LEAST else worth <= alpha):
            return worth

    best, best_way, floor = ply - WIN, NO_WAY, alpha
    for n, way in enumerate(_tries(cells, spending, entry & NO_WAY, ply)):
        child = after(cells, way)
        if n == 0:
            worth = -_search(child, spending, depth - 1, -beta, -floor, ply + 1)
        else:
            late = 0 if cells[TARGET[way]] else _reduction(n, depth)
            worth = -_search(child, spending, depth - 1 - late, -floor - 1, -floor, ply + 1)
            if worth > floor and (late or worth < beta):
                worth = -_search(child, spending, depth - 1, -beta, -floor, ply + 1)
        if worth > best:
            best, best_way = worth, way
            floor = max(floor, worth)
            if worth >= beta:
                if not cells[TARGET[way]]:
                    spending.history[way] += depth * depth
                    spending.killers[ply] = way
                break
    bound = _AT_LEAST if best >= beta else _EXACT if best > alpha else _AT_MOST
    spending.table[key] = _entry(best_way, bound, depth, best, ply)
    return best


def _reduction(n: int, depth: int) -> int:
    """By how many plies the n-th of the tries is looked at less deeply at first."""
    if n < 4 or depth < 3:
        return 0
    return 1 if n < 9 or depth < 4 else 2


def _frontier(cells: list[int], spending: Effort, alpha: int, beta: int, ply: int) -> int:
    """The worth of a position looked at one ply deep.

    A quiet move that does not reach alpha where the answer may stand pat is
    a node like the others, but not made: its worth is known beforehand.
    """
    left = spending.left
    left[NODES] -= 1
    decided = _decided(cells, ply)
    if decided is not None:
        return decided
    if left[NODES] <= left[NEXT_LOOK]:
        _look(spending)
    enemy = 1 - cells[SIDE]
    calm = not cells[MEN + enemy] & GATES_OF[enemy] and cells[QUIET] + 1 < QUIET_LIMIT
    score = cells[SCORE]
    best = ply - WIN
    for way in _tries(cells, spending, NO_WAY, ply):
        target = TARGET[way]
        worth = score + MOVE_WORTH[way]
        if worth <= alpha and calm and not cells[target] and not GROUND[target]:
            left[NODES] -= 1
        else:
            worth = -_quiesce(after(cells, way), spending, -beta, -alpha, ply + 1)
        if worth > best:
            best = worth
            alpha = max(alpha, worth)
            if worth >= beta:
                if not cells[target]:
                    spending.history[way] += 1
                    spending.killers[ply] = way
                break
    return best


def _quiesce(cells: list[int], spending: Effort, alpha: int, beta: int, ply: int) -> int:
    """The worth of a position once the captures are over.

    An enemy at the own den's gates is no quiet: it is taken now or the game is
    lost, unless a move without a capture draws it.
    """
    spending.left[NODES] -= 1
    decided = _decided(cells, ply)
    if decided is not None:
        return decided
    enemy = 1 - cells[SIDE]
    if cells[MEN + enemy] & GATES_OF[enemy]:
        drawn = cells[QUIET] + 1 >= QUIET_LIMIT and quiet_ways(cells)
        best = 0 if drawn else ply + 2 - WIN
        alpha = max(alpha, best)
        found = [way for way in captures(cells) if bit(TARGET[way]) & GATES_OF[enemy]]
    else:
        best = cells[SCORE]
        if best >= beta:
            return best
        alpha = max(alpha, best)
        found = _by_victim(cells)
    for way in found:
        worth = -_quiesce(after(cells, way), spending, -beta, -alpha, ply + 1)
        if worth > best:
            best = worth
            alpha = max(alpha, worth)
            if worth >= beta:
                break
    return best


def _decided(cells: list[int], ply: int) -> int | None:
    """The worth of a position that is over or won in one at the enemy's gates, else None."""
    if cells[END]:
        return 0 if cells[END] == DRAWN else ply - WIN
    side = cells[SIDE]
    return WIN - ply - 1 if cells[MEN + side] & GATES_OF[side] else None


def _tries(cells: list[int], spending: Effort, first: int, ply: int) -> Iterator[int]:
    """The legal moves, the likeliest refutations first; found only as they are asked for.

    `first` comes from the table, or is `NO_WAY`. It is legal here: positions of
    one key have the same bars.
    """
    if first != NO_WAY:
        yield first
    for way in _by_victim(cells):
        if way != first:
            yield way
    killer = spending.killers[ply]
    if not is_quiet_way(cells, killer):
        killer = NO_WAY
    elif killer != first:
        yield killer
    for way in sorted(quiet_ways(cells), key=spending.history.__getitem__, reverse=True):
        if way not in (first, killer):
            yield way


def _by_victim(cells: list[int]) -> list[int]:
    """The captures, the strongest victim first."""
    found = captures(cells)
    if len(found) > 1:
        found.sort(key=lambda way: cells[TARGET[way]] & KIND_MASK, reverse=True)
    return found


def _look(spending: Effort) -> None:
    """Raise `Spent` if the budget is gone or the time is."""
    left = spending.left
    if left[NODES] <= 0 or spending.out_of_time():
        raise Spent
    left[NEXT_LOOK] = max(0, left[NODES] - LOOK_EVERY_NODES)


# The table


def _key(cells: list[int]) -> int:
    """A position's key, with all that its near future can depend on."""
    key = cells[KEY]
    if cells[TRAIL] >> 12:
        key ^= trail_key(cells[TRAIL], cells[OLDER])
    if cells[TRAIL + 1] >> 12:
        key ^= trail_key(cells[TRAIL + 1], cells[OLDER + 1])
    if cells[QUIET] >= _QUIET_NEAR:
        key ^= cells[QUIET] * 0x9E3779B97F4A7C15 & KEY_MASK
    return key


def _entry(way: int, bound: int, depth: int, worth: int, ply: int) -> int:
    """A line of the table. Wins are kept as plies from the position, not from the root."""
    if worth > SURE:
        worth += ply
    elif worth < -SURE:
        worth -= ply
    return (worth + 2 * WIN) << _WORTH_SHIFT | depth << _DEPTH_SHIFT | bound << _BOUND_SHIFT | way


def _from_table(entry: int, ply: int) -> int:
    worth = (entry >> _WORTH_SHIFT) - 2 * WIN
    if worth > SURE:
        return worth - ply
    if worth < -SURE:
        return worth + ply
    return worth
