"""The bots of Jungle: eight levels of one search."""

from collections.abc import Callable
from typing import Final

from menagerie.bots.bot import Bot, Thought
from menagerie.bots.jungle_board import (
    ALIVE,
    END,
    LOST,
    MEN,
    SCORE,
    SIDE,
    after,
    read,
    text,
    ways,
)
from menagerie.bots.jungle_search import NODES, effort, think
from menagerie.bots.jungle_tables import GATES_OF
from menagerie.bots.luck import numbers
from menagerie.games.jungle import JunglePosition
from menagerie.games.position import Seat
from menagerie.games.refusals import GameOver, NotYourTurn

CAREFUL_FROM: Final = 2
"""From this level on every win in one is played and every loss in one is stopped."""

_LEVELS: Final = (
    (40, 400, 200, "Sees what it can take, and little else."),
    (100, 160, 200, "Wins when it can at once, and stops what loses at once."),
    (300, 80, 300, "Thinks of the answer."),
    (1_000, 40, 500, "Plans a few moves ahead."),
    (3_000, 16, 1_000, "Looks about five plies ahead."),
    (12_000, 6, 2_000, "Looks about six plies ahead."),
    (50_000, 4, 3_000, "Strong: looks about seven plies ahead."),
    (200_000, 4, 5_000, "The strongest: looks eight plies ahead and more."),
)
"""Nodes, whim, time cap in ms and description of each level from 1."""

BOTS: Final = tuple(
    Bot(f"jungle-{level}", "jungle", level, description, nodes, cap_ms, whim)
    for level, (nodes, whim, cap_ms, description) in enumerate(_LEVELS, start=1)
)

_INSTANT: Final = Bot("jungle-0", "jungle", 0, "Looks one ply ahead.", 0, 0, 4)


def consider(
    bot: Bot, view: str, seat: Seat, seed: int, out_of_time: Callable[[], bool]
) -> Thought:
    """The move that this bot plays, and why. Raises as `menagerie.bots.choose`."""
    cells = _read(view, seat)
    roots = ways(cells)
    if bot.level >= CAREFUL_FROM:
        roots = careful(cells, roots)
    return _think(cells, roots, bot, seed, out_of_time)


def one_ply(view: str, seat: Seat, seed: int) -> str:
    """A sensible move text at once. Raises as `menagerie.bots.choose`."""
    cells = _read(view, seat)
    return _think(cells, careful(cells, ways(cells)), _INSTANT, seed, lambda: False).move


def _read(view: str, seat: Seat) -> list[int]:
    position = JunglePosition.parse(view)
    if position.outcome() is not None:
        raise GameOver("The game is over.")
    if seat not in position.to_move():
        raise NotYourTurn(f"It is not {seat}'s turn.")
    return read(position)


def _think(
    cells: list[int], found: list[int], bot: Bot, seed: int, out_of_time: Callable[[], bool]
) -> Thought:
    """The best of the moves found; a single one without a thought."""
    if len(found) == 1:
        return Thought(text(found[0]), cells[SCORE], 0, 0)
    luck = numbers(seed)
    whims = {way: next(luck) % (bot.whim + 1) for way in found}
    likeliest = sorted(found, key=lambda way: after(cells, way)[SCORE] - whims[way])
    roots = {way: whims[way] for way in likeliest}
    spending = effort(bot.nodes, out_of_time)
    choice = think(cells, roots, spending)
    return Thought(text(choice.way), choice.worth, choice.depth, bot.nodes - spending.left[NODES])


# Wins and losses in one


def careful(cells: list[int], roots: list[int]) -> list[int]:
    """The wins in one if there are any, else what does not lose in one, else all."""
    wins = [way for way in roots if _wins(after(cells, way))]
    if wins:
        return wins
    return [way for way in roots if not _can_win_at_once(after(cells, way))] or roots


def _wins(child: list[int]) -> bool:
    """Whether the side that has just moved has won."""
    return child[END] == LOST or (not child[END] and not ways(child))


def _can_win_at_once(child: list[int]) -> bool:
    """Whether the side to move has a win in one."""
    if child[END]:
        return False
    if child[MEN + child[SIDE]] & GATES_OF[child[SIDE]]:
        return True
    if _is_roomy(child):
        return False
    return any(_wins(after(child, reply)) for reply in ways(child))


def _is_roomy(child: list[int]) -> bool:
    """Whether no one move can take or lock in all animals of the side that has just moved.

    One move closes at most four ways of an animal that it takes, four into the
    square it enters, and four leaps over that square.
    """
    enemy = 1 - child[SIDE]
    if child[ALIVE + enemy].bit_count() == 1:
        return False
    turned = child[:]
    turned[SIDE] = enemy
    return len(ways(turned)) > 12
