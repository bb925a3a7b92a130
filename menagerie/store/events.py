"""The event log of a match as its readers meet it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from menagerie.clock import Clock
from menagerie.games.position import Seat, Viewer
from menagerie.instants import instant

Place = tuple[int, int]
"""A place in a log: an event's version, and its number within it."""


def parse_place(event_id: str) -> Place:
    """`"7-1"` as `(7, 1)`."""
    version, _, number = event_id.partition("-")
    return int(version), int(number)


def place_text(place: Place) -> str:
    """The reverse of `parse_place`."""
    return f"{place[0]}-{place[1]}"


@dataclass(frozen=True, slots=True)
class StoredEvent:
    """One event. `id` is `<version>-<n>`; `clock` and `to_move` are as after its commit."""

    id: str
    type: str
    at_ms: int
    by: str
    seat: Seat | None
    data: Mapping[str, Any]
    to_move: tuple[Seat, ...]
    clock: Clock
    result: Mapping[str, Any] | None

    @property
    def place(self) -> Place:
        return parse_place(self.id)

    def view(self, viewer: Viewer) -> dict[str, Any]:
        """The event as this viewer could see it at its version."""
        return {
            "id": self.id,
            "version": self.place[0],
            "type": self.type,
            "at": instant(self.at_ms),
            "by": self.by,
            "seat": self.seat,
            "data": dict(self.data),
            "to_move": list(self.to_move),
            "clock": self.clock.view(),
            "result": self.result,
        }
