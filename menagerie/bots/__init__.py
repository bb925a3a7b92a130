"""PURE. The players that the service brings itself.

A bot sees a view, never a match: the position text where all is open, what its
seat may see where not. It reads no clock and draws no luck: its caller hands
it a seed, and a function that says when its time is out. One seed and one
budget give one move, unless the time is out before the budget is.

A search keeps an inner form of the game that is held against the readable
rules by test: typed functions over small integers and flat tables.
"""

from collections.abc import Callable, Mapping
from typing import Final

from menagerie.bots import jungle, safari
from menagerie.bots.bot import Bot, Thought, View
from menagerie.games import GAMES
from menagerie.games.position import Seat

BOTS: Final[Mapping[str, Bot]] = {
    bot.id: bot for bot in (*jungle.BOTS, *safari.BOTS) if bot.game in GAMES
}
"""Every bot of a game that the service referees, by id."""

_CONSIDER: Final[Mapping[str, Callable[..., Thought]]] = {
    "jungle": jungle.consider,
    "safari": safari.consider,
}
_ONE_PLY: Final[Mapping[str, Callable[..., str]]] = {
    "jungle": jungle.one_ply,
    "safari": safari.one_ply,
}


def bots_of(game: str) -> tuple[Bot, ...]:
    """The bots of a game by its slug, the weakest first; none if it has none."""
    return tuple(bot for bot in BOTS.values() if bot.game == game)


def choose(bot_id: str, view: View, seat: Seat, seed: int, out_of_time: Callable[[], bool]) -> str:
    """The move text that the bot plays for `seat`, whose turn it is.

    `out_of_time` is asked now and then; once it says yes the best move so far
    is given. Raises `KeyError` for an unknown bot, `BadPosition`, `GameOver`
    and `NotYourTurn`.
    """
    return consider(bot_id, view, seat, seed, out_of_time).move


def consider(
    bot_id: str, view: View, seat: Seat, seed: int, out_of_time: Callable[[], bool]
) -> Thought:
    """What `choose` plays, and what the bot thought of it."""
    bot = BOTS[bot_id]
    return _CONSIDER[bot.game](bot, view, seat, seed, out_of_time)


def one_ply(game: str, view: View, seat: Seat, seed: int) -> str:
    """A sensible move text within milliseconds: for a bot that has no time left.

    It plays a win in one and stops a loss in one. Raises as `choose`.
    """
    return _ONE_PLY[game](view, seat, seed)


__all__ = ["BOTS", "Bot", "Thought", "View", "bots_of", "choose", "consider", "one_ply"]
