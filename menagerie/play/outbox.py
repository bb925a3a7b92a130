"""What must follow a commit, and the handing on of it.

An entry stands in the outbox from the commit until its taker has it, so a
crash anywhere loses nothing. Entries come at least once: every taker does the
same thing again without harm, by match and version.
"""

from collections.abc import Sequence
from typing import Any

from menagerie.match import Step
from menagerie.store.matches import Handed, Matches, facets_of

LISTED_EVENTS = frozenset(
    {
        "match.created",
        "seat.taken",
        "seat.left",
        "match.started",
        "clock.paused",
        "clock.resumed",
        "match.finished",
        "match.aborted",
    }
)
"""The events after which a match belongs to other lists than before."""


def follows(step: Step) -> list[dict[str, Any]]:
    """The outbox entries of a step: `{"kind", "match", "version"}`."""
    entries = []
    listed = not step.match.setup.sandbox
    if listed and any(event.type in LISTED_EVENTS for event in step.events):
        entries.append(_entry("lists", step))
    return entries


def _entry(kind: str, step: Step) -> dict[str, Any]:
    return {"kind": kind, "match": step.match.id, "version": step.match.version}


def hand_on(matches: Matches, handed: Sequence[Handed]) -> None:
    """Give the entries to their takers, then strike them off."""
    ids = list({item.entry["match"] for item in handed if item.entry["kind"] == "lists"})
    for match in matches.read_many(ids):
        matches.index(match, facets_of(match))
    matches.handed_on(handed)
