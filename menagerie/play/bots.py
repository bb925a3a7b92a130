"""Bots at the board: what one that is to move plays, and how long it may think.

The moves themselves go the referee's one path.
"""

import time
from collections.abc import Callable

from menagerie import bots
from menagerie.bots import BOTS, Bot, View, bots_of
from menagerie.games import GAMES
from menagerie.games.position import Seat
from menagerie.match import Match

__all__ = ["BOTS", "Bot", "bot_to_move", "bots_of", "choice", "one_ply"]

SHARE_OF_PATIENCE = 0.8


def bot_to_move(match: Match) -> tuple[Seat, Bot] | None:
    """The bot whose turn it is, and its seat."""
    if match.status != "active":
        return None
    for seat in match.to_move:
        name = match.seat(seat).bot
        if name is not None:
            return seat, BOTS[name]
    return None


def choice(match: Match, seat: Seat, bot: Bot, luck: int, now_ms: int) -> str:
    """The move that the bot finds within its budget and well within its patience."""
    out_of_time = _stopwatch(_allowed_ms(match, bot, now_ms))
    return bots.choose(bot.id, _told(match, seat), seat, luck, out_of_time)


def one_ply(match: Match, seat: Seat, bot: Bot, luck: int) -> str:
    """The move that the bot has at once."""
    return bots.one_ply(bot.game, _told(match, seat), seat, luck)


def _told(match: Match, seat: Seat) -> View:
    """What a bot in this seat may know: where all is open the position, else the seat's view."""
    if GAMES[match.setup.game].information == "perfect":
        return match.position.text()
    return match.position.view(seat)


def _allowed_ms(match: Match, bot: Bot, now_ms: int) -> float:
    due_ms = match.bot_due_ms
    if due_ms is None or match.virtual_ms is not None:
        return bot.cap_ms
    return min(bot.cap_ms, SHARE_OF_PATIENCE * (due_ms - now_ms))


def _stopwatch(ms: float) -> Callable[[], bool]:
    end = time.monotonic() + ms / 1000
    return lambda: time.monotonic() >= end
