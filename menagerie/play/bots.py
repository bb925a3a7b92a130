"""The bots that matches seat: none yet.

`menagerie.bots` can choose their moves, but no worker plays them.
"""

from collections.abc import Mapping
from typing import Final

from menagerie.bots import Bot

BOTS: Final[Mapping[str, Bot]] = {}


def bots_of(game: str) -> tuple[Bot, ...]:
    """The bots that can be seated in a match of this game."""
    return tuple(bot for bot in BOTS.values() if bot.game == game)
