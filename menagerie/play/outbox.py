"""What must follow a commit, and the handing on of it.

An entry stands in the outbox from the commit until its taker has it, so a
crash anywhere loses nothing. Entries come at least once: every taker does the
same thing again without harm, by match and version.
"""

import logging
from collections.abc import Mapping, Sequence
from typing import Any

from redis.exceptions import RedisError

from menagerie.match import Match, Step
from menagerie.play.queues import Queues
from menagerie.play.ratings import count
from menagerie.store.matches import Handed, Matches, scores_of
from menagerie.store.players import Players

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
    types = {event.type for event in step.events}
    if not LISTED_EVENTS.isdisjoint(types):
        left = [
            event.data["player"]
            for event in step.events
            if event.type == "seat.left" and event.data
        ]
        entries.append({"kind": "lists", "match": match.id, "version": match.version, "left": left})
    if match.counts and "match.finished" in types:
        entries.append({"kind": "ratings", "match": match.id, "version": match.version})
    if match.status == "active" and match.turn_version == match.version:
        entries += [
            {"kind": "bots", "match": match.id, "version": match.version, "seat": seat}
            for seat in match.to_move
            if match.seat(seat).kind == "bot"
        ]
    return entries


class Takers:
    """Who is to know of a commit. `queues`: None leaves what is for workers in the outbox."""

    def __init__(self, matches: Matches, players: Players, queues: Queues | None) -> None:
        self._matches = matches
        self._players = players
        self._queues = queues

    def hand_on(self, handed: Sequence[Handed]) -> None:
        """Give the entries to their takers, then strike them off.

        What is for a queue that is away stays, and is handed on by the timekeeper later.
        """
        entries = [item.entry for item in handed]
        ids = list({entry["match"] for entry in entries if entry["kind"] in ("lists", "ratings")})
        matches = {match.id: match for match in self._matches.read_many(ids)}
        self._matches.handed_on([item for item in handed if self._takes(item.entry, matches)])

    def _takes(self, entry: dict[str, Any], matches: Mapping[str, Match]) -> bool:
        """Whether the entry has reached its taker; what is about a match that is gone has."""
        match = matches.get(entry["match"])
        if entry["kind"] == "bots":
            return self._queued(entry)
        if match is not None and entry["kind"] == "lists":
            scores = scores_of(match, entry["left"])
            if scores:
                self._matches.index(match, scores)
        if match is not None and entry["kind"] == "ratings":
            count(self._players, match)
        return True

    def _queued(self, entry: dict[str, Any]) -> bool:
        if self._queues is None:
            return False
        match, seat, version = entry["match"], entry["seat"], entry["version"]
        try:
            self._queues.put(entry["kind"], f"bot-{match}-{seat}-{version}", match, seat, version)
        except RedisError as error:
            log.warning("the queue is away: %s", error)
            return False
        return True
