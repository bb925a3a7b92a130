"""PURE. A player: a name, experience, and how strong at each game.

Experience and levels are as on docs/rules/jungle.md, for all games.
"""

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from menagerie.games.position import Seat
from menagerie.instants import instant

WIN_XP: Final = 3
DRAW_XP: Final = 2
LOSS_XP: Final = 1
LEVELS_XP: Final = (0, 100, 300, 1_000, 3_000, 6_000)
"""From how many points on each level is reached, level 1 first."""


def earned_xp(seat: Seat, winner: Seat | None) -> int:
    """The points that a finished match that counts gives to this seat's player."""
    if winner is None:
        return DRAW_XP
    return WIN_XP if seat == winner else LOSS_XP


def level(xp: int) -> int:
    """The level of a player with so many points; 1 is the first."""
    return bisect_right(LEVELS_XP, xp)


@dataclass(frozen=True, slots=True)
class Rating:
    """How strong at a game: the estimate and its standard deviation, after so many matches."""

    value: float = 1500.0
    uncertainty: float = 500.0
    matches: int = 0

    def view(self) -> dict[str, int]:
        return {
            "value": round(self.value),
            "uncertainty": round(self.uncertainty),
            "matches": self.matches,
        }

    @property
    def at_least(self) -> int:
        """The strength that is almost sure: leaderboards go by it."""
        return round(self.value - 3 * self.uncertainty)


@dataclass(frozen=True, slots=True)
class Player:
    """Someone with a token of their own. `generation` counts the tokens before the present one."""

    id: str
    name: str
    created_ms: int
    generation: int = 0
    xp: int = 0
    ratings: Mapping[str, Rating] = field(default_factory=dict)

    def rating(self, game: str) -> Rating:
        return self.ratings.get(game, Rating())

    def view(self) -> dict[str, Any]:
        """What everyone may know of the player: a JSON value."""
        return {
            "id": self.id,
            "name": self.name,
            "created_at": instant(self.created_ms),
            "xp": self.xp,
            "level": level(self.xp),
            "ratings": {game: rating.view() for game, rating in sorted(self.ratings.items())},
        }
