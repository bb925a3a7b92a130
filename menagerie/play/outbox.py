"""What must follow a commit, and the handing on of it.

An entry stands in the outbox from the commit until its taker has it, so a
crash anywhere loses nothing. Entries come at least once: every taker does the
same thing again without harm, by match and version.
"""

import logging
from collections.abc import Mapping, Sequence
from typing import Any

from redis.exceptions import RedisError

from menagerie.match import BOT_PATIENCE_MS, Match, Step
from menagerie.play.queues import JOBS, Queues
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

MOVING_EVENTS = frozenset({"move.played", "turn.missed"})
"""The events after which the position is another."""

AT_LEISURE = frozenset({"checks"})
"""What nobody waits for: the timekeeper hands it on, no request does."""

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
    if match.setup.position_class.judges_repetition and not MOVING_EVENTS.isdisjoint(types):
        entries.append({"kind": "checks", "match": match.id, "version": match.version})
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

    def hand_on_at_once(self, handed: Sequence[Handed]) -> None:
        """Give those entries to their takers that somebody waits for."""
        urgent = [item for item in handed if item.entry["kind"] not in AT_LEISURE]
        if urgent:
            self.hand_on(urgent)

    def hand_on(self, handed: Sequence[Handed]) -> int:
        """Give the entries to their takers, then strike them off. Returns how many.

        The turn of a bot whose queue is away stays, and is handed on by the timekeeper later,
        until it has been played for.
        """
        entries = [item.entry for item in handed]
        newest = {e["match"]: e["version"] for e in entries if e["kind"] == "checks"}
        ids = list({entry["match"] for entry in entries if entry["kind"] in ("lists", "ratings")})
        matches = {match.id: match for match in self._matches.read_many(ids)}
        taken = [
            item for item in handed if _is_covered(item.entry, newest) or self._takes(item, matches)
        ]
        self._matches.handed_on(taken)
        return len(taken)

    def _takes(self, item: Handed, matches: Mapping[str, Match]) -> bool:
        """Whether the entry has reached its taker; what is about a match that is gone has."""
        entry = item.entry
        match = matches.get(entry["match"])
        if entry["kind"] in JOBS:
            return self._queued(entry) or self._is_past(item)
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
        match, version = entry["match"], entry["version"]
        try:
            if entry["kind"] == "bots":
                seat = entry["seat"]
                self._queues.put("bots", f"bot-{match}-{seat}-{version}", match, seat, version)
            else:
                self._queues.put("checks", f"check-{match}-{version}", match, version)
        except RedisError as error:
            log.warning("the queue is away: %s", error)
            return False
        return True

    def _is_past(self, item: Handed) -> bool:
        """Whether the job need not wait for its queue: it would keep others waiting.

        A bot's turn is played for it by then, and the check of the next ply covers this one.
        """
        return (
            item.entry["kind"] == "checks" or self._matches.time_ms() - item.at_ms > BOT_PATIENCE_MS
        )


def _is_covered(entry: dict[str, Any], newest: Mapping[str, int]) -> bool:
    """Whether this is a check, and a later one of the same match is handed on as well."""
    return entry["kind"] == "checks" and bool(entry["version"] < newest[entry["match"]])
