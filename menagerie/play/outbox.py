"""What must follow a commit, and the handing on of it.

An entry stands in the outbox from the commit until its taker has it, so a
crash anywhere loses nothing. Entries come at least once: every taker does the
same thing again without harm, by match and version.
"""

import logging
from collections.abc import Sequence
from typing import Any

from redis.exceptions import RedisError

from menagerie.match import Step
from menagerie.play.queues import Queues
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

log = logging.getLogger("menagerie.outbox")


def follows(step: Step) -> list[dict[str, Any]]:
    """The outbox entries of a step: `{"kind", "match", "version"}` and what the kind needs."""
    match, entries = step.match, []
    if not match.setup.sandbox and any(event.type in LISTED_EVENTS for event in step.events):
        entries.append({"kind": "lists", "match": match.id, "version": match.version})
    if match.status == "active" and match.turn_version == match.version:
        entries += [
            {"kind": "bots", "match": match.id, "version": match.version, "seat": seat}
            for seat in match.to_move
            if match.seat(seat).kind == "bot"
        ]
    return entries


def hand_on(matches: Matches, queues: Queues | None, handed: Sequence[Handed]) -> None:
    """Give the entries to their takers, then strike them off.

    What is for a queue that is away stays, and is handed on by the timekeeper later.
    """
    ids = list({item.entry["match"] for item in handed if item.entry["kind"] == "lists"})
    for match in matches.read_many(ids):
        matches.index(match, facets_of(match))
    matches.handed_on([item for item in handed if _is_taken(queues, item.entry)])


def _is_taken(queues: Queues | None, entry: dict[str, Any]) -> bool:
    """Whether the entry has reached its taker."""
    if entry["kind"] == "lists":
        return True
    if queues is None:
        return False
    match, seat, version = entry["match"], entry["seat"], entry["version"]
    try:
        queues.put(entry["kind"], f"bot-{match}-{seat}-{version}", match, seat, version)
    except RedisError as error:
        log.warning("the queue is away: %s", error)
        return False
    return True
