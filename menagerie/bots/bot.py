"""What a bot is, to those who seat it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

View = str | Mapping[str, Any]
"""What a bot is told of a match: the position text, or the `state` that its seat may see."""


@dataclass(frozen=True, slots=True)
class Bot:
    """One bot of one game at one level.

    `nodes`: the positions it may look at for one move; `cap_ms`: the time after
    which its caller is to say that it is out of time; `whim`: how far luck may
    move the worth of each of its moves, in the points of its evaluation (a few
    of them only choose among equals).
    """

    id: str
    game: str
    level: int
    description: str
    nodes: int
    cap_ms: int
    whim: int

    def view(self) -> dict[str, str | int]:
        """What everyone may know of it, as a JSON value."""
        return {
            "id": self.id,
            "game": self.game,
            "level": self.level,
            "description": self.description,
            "nodes": self.nodes,
            "cap_ms": self.cap_ms,
        }


@dataclass(frozen=True, slots=True)
class Thought:
    """A move text and what the bot thought of it.

    `worth`: to the side to move, in the points of its evaluation; `depth`: plies
    looked ahead; `nodes`: positions looked at.
    """

    move: str
    worth: int
    depth: int
    nodes: int
