"""PURE. The record of a match: write, read, rebuild, show to a seat.

The record is the truth; the position that a match carries is a cache of it.
An entry is a `Ply` or a `Note`, in the order in which they happened.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Self

from menagerie.games import GAMES
from menagerie.games.chance import commitment
from menagerie.games.position import SEATS, Occurrence, Position, Seat, Viewer
from menagerie.instants import instant, instant_or_none
from menagerie.match import Event, Match, Ply, Setup


@dataclass(frozen=True, slots=True)
class Note:
    """Something that happened and is not a ply: an event as the replay tells it."""

    after_ply: int
    at_ms: int
    type: str
    by: str
    seat: Seat | None
    data: Mapping[str, Any] | None

    def view(self) -> dict[str, Any]:
        return {
            "after_ply": self.after_ply,
            "at": instant(self.at_ms),
            "type": self.type,
            "by": self.by,
            "seat": self.seat,
            "data": dict(self.data or {}),
        }


Entry = Ply | Note


def written(match: Match, events: Iterable[Event]) -> list[Entry]:
    """The entries that a step adds, given the match after it."""
    plies = [event.ply for event in events if event.ply is not None]
    after_ply = match.ply - len(plies)
    entries: list[Entry] = []
    for event in events:
        if event.ply is not None:
            after_ply = event.ply.ply
            entries.append(event.ply)
        else:
            note = Note(after_ply, match.clock.at_ms, event.type, event.by, event.seat, event.data)
            entries.append(note)
    return entries


def dump(entry: Entry) -> list[Any]:
    """An entry as a JSON value: a flat row, its kind first."""
    kind = "ply" if isinstance(entry, Ply) else "note"
    return [kind, *(getattr(entry, name) for name in entry.__slots__)]


def load(row: list[Any]) -> Entry:
    """The entry that `dump` wrote."""
    kind, *fields = row
    return Ply(*fields) if kind == "ply" else Note(*fields)


def line(entry: Entry, position: str | None = None) -> dict[str, Any]:
    """An entry as a replay tells it; `position`: the text after a ply, if it is asked for."""
    if isinstance(entry, Note):
        return entry.view()
    told = {**entry.view(), "position_hash": entry.position_hash}
    return told if position is None else {**told, "position": position}


@dataclass(frozen=True, slots=True)
class Record:
    """A match's setup and everything that happened in it."""

    setup: Setup
    entries: tuple[Entry, ...]

    @classmethod
    def load(cls, setup: Setup, rows: Iterable[list[Any]]) -> Self:
        return cls(setup, tuple(load(row) for row in rows))

    @property
    def plies(self) -> list[Ply]:
        return [entry for entry in self.entries if isinstance(entry, Ply)]

    @property
    def notes(self) -> list[Note]:
        return [entry for entry in self.entries if isinstance(entry, Note)]

    def start_position(self) -> Position:
        return self.setup.position_class.load(self.setup.start)

    def positions(self) -> Iterator[tuple[Entry, Position]]:
        """Each entry that moves the game on, with the position after it, played anew."""
        position = self.start_position()
        for entry in self.entries:
            if isinstance(entry, Ply):
                position = position.play(entry.seat, entry.move)
            elif entry.type == "turn.missed" and entry.seat is not None:
                position = position.skip(entry.seat)
            else:
                continue
            yield entry, position

    def rebuild(self) -> Position:
        """The position that the record leads to."""
        position = self.start_position()
        for _, position in self.positions():  # noqa: B007 - the last one is the answer
            pass
        return position

    def history(self) -> list[Occurrence[Position]]:
        """Every move and missed turn with the position after it, played anew.

        Raises a `Refusal` at a line that is no legal move.
        """
        return [
            Occurrence(entry.seat, entry.move if isinstance(entry, Ply) else None, position)
            for entry, position in self.positions()
            if entry.seat is not None
        ]

    def holds(self, seat: Seat, texts: tuple[str, ...], ply: int) -> bool:
        """Whether the seat made exactly these moves when the match was at `ply`."""
        made = self.plies[ply : ply + len(texts)]
        return bool(texts) and [(p.seat, p.move) for p in made] == [(seat, t) for t in texts]

    def replay(
        self,
        match: Match,
        viewer: Viewer,
        from_ply: int = 1,
        to_ply: int | None = None,
        with_positions: bool = False,
    ) -> dict[str, Any]:
        """The replay as this viewer may see it, plies `from_ply` to `to_ply` (both included)."""
        texts = self._texts() if with_positions else {}
        plies = [
            line(ply, texts.get(ply.ply))
            for ply in self.plies
            if ply.ply >= from_ply and (to_ply is None or ply.ply <= to_ply)
        ]
        return {
            "match": _heading(match),
            "perspective": viewer,
            "start_position": self.start_position().text(),
            "placements": None,
            "plies": plies,
            "notes": [line(note) for note in self.notes],
            "undone": [],
            "final_position": match.position.text(),
        }

    def _texts(self) -> dict[int, str]:
        """Ply number to the position text after it."""
        return {
            entry.ply: position.text()
            for entry, position in self.positions()
            if isinstance(entry, Ply)
        }


def _heading(match: Match) -> dict[str, Any]:
    """What a replay says of its match before the first ply."""
    setup, result = match.setup, match.result
    return {
        "id": setup.id,
        "game": setup.game,
        "options": dict(setup.options),
        "rules_version": GAMES[setup.game].rules_version,
        "seats": {seat: match.seat(seat).view() for seat in SEATS},
        "time_control": setup.control.dump(),
        "result": None if result is None else result.view(),
        "commitment": commitment(setup.seed),
        "seed": setup.seed.hex() if match.has_ended else None,
        "from_position": setup.from_position,
        "created_at": instant(setup.created_ms),
        "started_at": instant_or_none(match.started_ms),
        "finished_at": instant_or_none(match.finished_ms),
    }
