"""PURE. A bot sees a view, never a match."""

from typing import Any

BOTS: dict[str, Any] = {}


def bots_of(game: str) -> list[Any]:
    return [bot for bot in BOTS.values() if bot.game == game]
