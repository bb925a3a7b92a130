"""PURE. Safari, as docs/rules/safari.md has it.

`board.py` is the ground and the pieces, `cards.py` the deck, the piles and
what a hand can play, `movement.py` alone says where a piece gets to,
`notation.py` reads move texts; `listing.py` lists all moves, `why_not.py`
checks one text without listing any; `position.py` is the course of a match
and what each seat knows of it.
"""

from menagerie.games.safari.described import GAME
from menagerie.games.safari.position import SafariPosition

__all__ = ["GAME", "SafariPosition"]
