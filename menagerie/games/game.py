"""A game as a front end meets it: what is needed to draw it and to explain it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from menagerie.games.position import Position
from menagerie.games.refusals import BadOption


@dataclass(frozen=True, slots=True)
class PieceKind:
    """One kind of piece. `rank`: its strength where the game ranks pieces, else None."""

    letter: str
    name: str
    rank: int | None = None


@dataclass(frozen=True, slots=True)
class Option:
    """One option of a game: a match takes one of `values`, `default` if none is named."""

    name: str
    values: tuple[str, ...]
    default: str
    description: str


@dataclass(frozen=True, slots=True)
class Game:
    """A set of rules and all that describes it.

    `board`: files, ranks and named groups of squares; `end_reasons` and
    `refusals`: code to sentence; `presets`: name to time control.
    """

    slug: str
    name: str
    rules_version: str
    information: Literal["perfect", "hidden"]
    position: type[Position]
    start_position: str | None
    board: Mapping[str, Any]
    pieces: tuple[PieceKind, ...]
    options: tuple[Option, ...]
    notation: Mapping[str, Any]
    end_reasons: Mapping[str, str]
    refusals: Mapping[str, str]
    presets: Mapping[str, Mapping[str, Any]]
    default_preset: str

    def complete(self, options: Mapping[str, Any]) -> dict[str, str]:
        """The options with the defaults filled in. Raises `BadOption`."""
        chosen = dict(options)
        complete = {}
        for option in self.options:
            value = chosen.pop(option.name, option.default)
            if value not in option.values:
                raise BadOption(f"{option.name} is one of {', '.join(option.values)}.")
            complete[option.name] = value
        if chosen:
            raise BadOption(f"{self.name} has no option {min(chosen)!r}.")
        return complete
