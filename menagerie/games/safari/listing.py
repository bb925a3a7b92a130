"""All that one hand can do on one board: as texts, or untangled for hands with thousands."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from menagerie.games.position import Seat
from menagerie.games.safari import movement
from menagerie.games.safari.board import Pieces
from menagerie.games.safari.cards import Cards, Play, plays

PASSING: Final = "pass"


@dataclass(frozen=True)
class Listing:
    """The legal moves of `seat`. `dead`: the kinds of its eliminated animals."""

    seat: Seat
    pieces: Pieces
    hand: Cards
    dead: Collection[str]

    @cached_property
    def texts(self) -> list[str]:
        """Every move, sorted; kept, because a hand of jokers costs milliseconds."""
        texts = list(self._passes)
        for play in self._plays:
            for square in self._moved_by(play):
                start = f"{play.text}:{square}"
                for value, opened in self.ways[square].items():
                    if value <= play.value:
                        texts += [start + way for way in opened]
        return sorted(texts)

    def compact(self) -> dict[str, Any]:
        """The same moves as a JSON value; see `SafariPosition.compact`."""
        return {
            "passes": self._passes,
            "plays": [
                {"cards": play.text, "value": play.value, "pieces": sorted(self._moved_by(play))}
                for play in self._plays
            ],
            "ways": {
                square: {str(value): sorted(opened) for value, opened in sorted(by_value.items())}
                for square, by_value in sorted(self.ways.items())
            },
        }

    @property
    def _passes(self) -> list[str]:
        return [PASSING, *(f"{PASSING} {card}" for card in sorted(set(self.hand)))]

    @cached_property
    def _plays(self) -> list[Play]:
        return list(plays(self.hand, self.dead))

    def _moved_by(self, play: Play) -> Iterator[str]:
        """The squares of the pieces that these cards move."""
        for square, piece in self.pieces.items():
            if piece.seat == self.seat and play.letter in (None, piece.letter):
                yield square

    @cached_property
    def ways(self) -> Mapping[str, Mapping[int, list[str]]]:
        """For each piece that can be moved, by its square: value to the ways that open with it."""
        limits: dict[str, int] = {}
        for play in self._plays:
            for square in self._moved_by(play):
                limits[square] = max(play.value, limits.get(square, 0))
        opened: dict[str, dict[int, list[str]]] = {square: {} for square in limits}
        for square, limit in limits.items():
            for way, steps in movement.ways(self.pieces, square, limit):
                opened[square].setdefault(steps, []).append(way)
        return opened
