"""Lists of matches, by what they have in common."""

from dataclasses import dataclass

from menagerie.match import Match
from menagerie.store.keys import facet
from menagerie.store.matches import Matches
from menagerie.store.pages import Cursor


@dataclass(frozen=True, slots=True)
class Filter:
    """What the wanted matches have in common; None: whatever.

    `reader`: the player who asks. In lists of the matches that he plays or has
    made all are shown, in others the public ones.
    """

    game: str | None = None
    status: str | None = None
    player: str | None = None
    bot: str | None = None
    creator: str | None = None
    reader: str | None = None

    def facets(self) -> list[str]:
        """The lists that a wanted match is in."""
        asked = {
            "game": self.game,
            "status": self.status,
            "player": self.player,
            "bot": self.bot,
            "creator": self.creator,
        }
        named = [facet(name, value) for name, value in asked.items() if value]
        is_own = self.reader is not None and self.reader in (self.player, self.creator)
        return named if is_own else [facet("public"), *named]


class Lists:
    """Pages of matches, newest first."""

    def __init__(self, matches: Matches) -> None:
        self._matches = matches

    def page(
        self, wanted: Filter, before: Cursor | None, limit: int
    ) -> tuple[list[Match], Cursor | None]:
        """A page, and the place after which the next one goes on (None: there is none)."""
        places = self._matches.page(wanted.facets(), before, limit + 1)
        more, places = len(places) > limit, places[:limit]
        found = self._matches.read_many([match_id for _, match_id in places])
        return found, places[-1] if more else None
