"""PURE. The rules of the games, and rules only.

`position.py` says what every position can do; each game is one module that
reads like its page in docs/rules/. No I/O, no clock, no luck but the seed's.
"""

from collections.abc import Mapping
from typing import Final

from menagerie.games import feral, jungle
from menagerie.games.game import Game

GAMES: Final[Mapping[str, Game]] = {game.slug: game for game in (jungle.GAME, feral.GAME)}
"""Every game that the service referees, by slug.

`safari` is not among them yet: its engine is whole, but a match must first build every text
and hash that it shows from the viewer's own knowledge.
"""

__all__ = ["GAMES", "Game"]
