"""PURE. Feral, as docs/rules/feral.md has it.

`board.py` is the ground; `actions.py` alone says what an animal can do, one
function an animal; `position.py` is turns and ends; `why_not.py` explains a
refusal and decides nothing; `setup.py` is the draw.
"""

from menagerie.games.feral.position import GAME, FeralPosition

__all__ = ["GAME", "FeralPosition"]
