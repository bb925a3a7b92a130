"""The event log of a match as its readers meet it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from menagerie.clock import Clock
from menagerie.games.position import Seat
from menagerie.instants import instant


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

    def view(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "version": int(self.id.partition("-")[0]),
            "type": self.type,
            "at": instant(self.at_ms),
            "by": self.by,
            "seat": self.seat,
            "data": dict(self.data),
            "to_move": list(self.to_move),
            "clock": self.clock.view(),
            "result": self.result,
        }
