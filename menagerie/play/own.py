"""What happens in all matches of a player, told as it happens: one log over many."""

import threading
import time
from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import dataclass
from typing import Any, Final

from redis.exceptions import RedisError

from menagerie.games.position import Viewer
from menagerie.instants import instant
from menagerie.match import Match
from menagerie.play import refusals
from menagerie.play.players import Registry
from menagerie.play.streams import CHUNK, Form, Live, Streams
from menagerie.play.tokens import BadToken, Bearer, PlayerClaim
from menagerie.store.events import Place, StoredEvent, place_text
from menagerie.store.feeds import Entry, Reader
from menagerie.store.journals import KEPT_MS, Journals, Line
from menagerie.store.keys import facet
from menagerie.store.matches import Matches

PAGE: Final = 200
LOOKS: Final = 100
"""Times to look for a moment in which nothing happens in a player's matches."""


def viewer_of(match: Match, player_id: str) -> Viewer:
    """As whom a player follows the match; its creator may have no seat in it."""
    return match.seat_of_player(player_id) or "spectator"


@dataclass(frozen=True, slots=True)
class OwnOpening:
    """A player's log about to be read from after `place`; `matches`: the snapshot, or None."""

    claim: PlayerClaim
    place: Place
    now_ms: int
    matches: list[Match] | None

    def snapshot_body(self) -> dict[str, Any]:
        """All that `GET` shows of the matches that go on: the event that a reader starts from."""
        player_id = self.claim.player_id
        going_on = [match for match in self.matches or () if not match.has_ended]
        return {
            "id": place_text(self.place),
            "type": "snapshot",
            "at": instant(self.now_ms),
            "data": {"matches": [match.view(viewer_of(match, player_id)) for match in going_on]},
        }


class OwnEvents:
    """Opens the logs of players."""

    def __init__(self, streams: Streams, registry: Registry, matches: Matches) -> None:
        self.streams = streams
        self.registry = registry
        self.matches = matches
        self.journals = Journals(matches.redis)

    def open(self, claim: Bearer | None, after: Place | None) -> OwnOpening:
        """Look at the log of the player who asks, from where.

        A place is an instant, so one in the future is of another log and gets a snapshot.
        Raises `NoToken`, `NotYours`, and `EventsGone` if much came since a place of long ago.
        """
        me = self.registry.claim_of(claim)
        now_ms = self.matches.time_ms()
        self.streams.feeds.saw_instant(now_ms)
        matches, head = self._caught_up(me.player_id)
        if after is None or after[0] > now_ms:
            return OwnOpening(me, max(head, (now_ms - 1, 0)), now_ms, matches)
        if after < head and after[0] < now_ms - KEPT_MS:
            raise refusals.EventsGone("That was more than a day ago: begin anew without a place.")
        return OwnOpening(me, after, now_ms, None)

    def poll(self, opening: OwnOpening, wait_ms: int) -> list[dict[str, Any]]:
        """The events from there on; if there are none yet, those that come within the wait."""
        news, give_up_s = threading.Event(), time.monotonic() + wait_ms / 1000
        with closing(OwnReader(self, opening.claim.player_id, opening.place, news.set)) as reader:
            found = reader.fresh(PAGE)
            while not found and not self.streams.feeds.stopping:
                left_s = give_up_s - time.monotonic()
                if left_s <= 0:
                    break
                news.wait(left_s)
                news.clear()
                found = reader.fresh(PAGE)
            return found

    def stream(self, opening: OwnOpening, form: Form) -> "OwnStream":
        return OwnStream(self, opening, form)

    def _caught_up(self, player_id: str) -> tuple[list[Match], Place]:
        """The player's matches and the journal's place, which say the same.

        The journal knows the events of each match up to its version and no more.
        """
        followed = self.matches.followed(player_id)
        matches: list[Match] = []
        head: Place = (0, 0)
        for _ in range(LOOKS):
            head, places = self.journals.places(player_id)
            matches = self.matches.read_many(followed)
            self._forget_gone(player_id, places.keys() - followed)
            logs = [(match.id, places.get(match.id, (0, 0))) for match in matches]
            rows = self.matches.event_rows(logs, PAGE) if logs else []
            news = [
                (match.id, Entry(match.setup, event_id, fields[b"event"]))
                for match, found in zip(matches, rows, strict=True)
                for event_id, fields in found
            ]
            if not news:
                break
            self.journals.journal(player_id, _in_order(news), head, 1)
        return matches, head

    def _forget_gone(self, player_id: str, unfollowed: Iterable[str]) -> None:
        """Keep no places of matches that are over or gone; who left a seat may come back."""
        ids = set(unfollowed)
        kept = {match.id for match in self.matches.read_many(list(ids)) if not match.has_ended}
        self.journals.forget(player_id, list(ids - kept))


class OwnReader:
    """How far one reader is in the log of a player. `wake` is called when there may be more."""

    def __init__(
        self, own: OwnEvents, player_id: str, place: Place, wake: Callable[[], None]
    ) -> None:
        self._own = own
        self._player_id = player_id
        self._place = place
        self._wake = wake
        self._matches: dict[str, Match] = {}
        self._readers: dict[str, Reader] = {}
        self._news: list[tuple[str, Entry]] = []
        self._events: dict[tuple[str, Place], StoredEvent] = {}
        self._changed = True
        self._end = own.streams.feeds.listen(facet("followed", player_id), self._look_again)

    def fresh(self, most: int) -> list[dict[str, Any]]:
        """The next events, at most so many; none if there are none yet. Raises `RedisError`."""
        if self._changed:
            self._follow()
        self._collect()
        while True:
            news = _in_order(self._news)
            lines = self._own.journals.journal(self._player_id, news, self._place, most)
            self._news.clear()
            found = self._told(lines)
            if lines:
                self._place = lines[-1].place
            if found or not lines:  # else their logs are gone: what comes after them?
                return found

    def close(self) -> None:
        self._end()
        for reader in self._readers.values():
            reader.close()

    def _look_again(self) -> None:
        self._changed = True
        self._wake()

    def _follow(self) -> None:
        """Read the logs of the matches that the player has joined, and no longer those left."""
        self._changed = False
        try:
            followed = self._own.matches.followed(self._player_id)
            joined = [match_id for match_id in followed if match_id not in self._readers]
            fresh = self._own.matches.read_many(joined)
            places = self._own.journals.places(self._player_id)[1] if fresh else {}
        except RedisError:
            self._changed = True
            raise
        for match_id in self._readers.keys() - followed:
            self._leave(match_id)
        for match in fresh:
            self._matches[match.id] = match
            place = places.get(match.id, (0, 0))
            reader = self._own.streams.feeds.follow(match.setup, place, self._wake)
            self._readers[match.id] = reader

    def _leave(self, match_id: str) -> None:
        """Follow the match no more: what came after the player left is not for this log."""
        reader = self._readers.pop(match_id)
        entries = list(reader.fresh(PAGE))
        reader.close()
        while entries and not self._left_by(entries[-1].event):
            entries.pop()
        self._take(match_id, entries)

    def _left_by(self, event: StoredEvent) -> bool:
        return event.type == "seat.left" and event.data.get("player") == self._player_id

    def _collect(self) -> None:
        """Take what the logs have, to be written into the journal."""
        for match_id, reader in self._readers.items():
            while entries := reader.fresh(PAGE):
                self._take(match_id, entries)

    def _take(self, match_id: str, entries: Iterable[Entry]) -> None:
        for entry in entries:
            self._news.append((match_id, entry))
            self._events[match_id, entry.place] = entry.event

    def _told(self, lines: list[Line]) -> list[dict[str, Any]]:
        """The events of these lines, each as the player sees it."""
        known = {line.match_id for line in lines} - self._matches.keys()
        self._matches |= {match.id: match for match in self._own.matches.read_many(list(known))}
        events = self._events_of(lines)
        sits = {"seat.taken", "seat.left"}
        moved = {line.match_id for line, event in events if event.type in sits}
        self._matches |= {match.id: match for match in self._own.matches.read_many(list(moved))}
        return [self._view(line, event) for line, event in events]

    def _events_of(self, lines: list[Line]) -> list[tuple[Line, StoredEvent]]:
        """Each line with its event; without those that are gone."""
        wanted = [
            (self._matches[line.match_id], line.event)
            for line in lines
            if (line.match_id, line.event) not in self._events and line.match_id in self._matches
        ]
        read = iter(self._own.matches.events_at(wanted) if wanted else ())
        found = []
        for line in lines:
            event = self._events.pop((line.match_id, line.event), None)
            if event is None and line.match_id in self._matches:
                event = next(read)
            if event is not None:
                found.append((line, event))
        return found

    def _view(self, line: Line, event: StoredEvent) -> dict[str, Any]:
        viewer = viewer_of(self._matches[line.match_id], self._player_id)
        return {
            **event.view(viewer),
            "id": place_text(line.place),
            "event_id": event.id,
            "match": line.match_id,
            "viewer": viewer,
        }


def _in_order(news: Iterable[tuple[str, Entry]]) -> list[tuple[str, Place]]:
    """Events by match and place, as they happened; those of one match keep their order."""
    ordered = sorted(news, key=lambda item: item[1].event.at_ms)
    return [(match_id, entry.place) for match_id, entry in ordered]


class OwnStream(Live):
    """The events of all matches of one player."""

    __slots__ = ("_opening", "_own", "_reader")

    def __init__(self, own: OwnEvents, opening: OwnOpening, form: Form) -> None:
        super().__init__(own.streams, form)
        self._own = own
        self._opening = opening
        self._reader: OwnReader | None = None
        self.first = (
            form.ping(self._server_time())
            if opening.matches is None
            else form.snapshot(opening.snapshot_body())
        )

    def begin(self, wake: Callable[[], None]) -> None:
        claim, place = self._opening.claim, self._opening.place
        self._reader = OwnReader(self._own, claim.player_id, place, wake)
        self._opening = OwnOpening(claim, place, 0, None)
        self.first = b""
        wake()

    def close(self) -> None:
        if self._reader is not None:
            self._reader.close()

    def _fresh(self) -> bytes:
        self._end_if_token_is_dead()
        events = self._reader.fresh(CHUNK) if self._reader else ()
        return b"".join(self._form.item(event) for event in events)

    def _end_if_token_is_dead(self) -> None:
        """As often as there are pings, see whether the player's token is still the present one."""
        if time.monotonic() < self._ping_s:
            return
        try:
            self._own.registry.check(self._opening.claim)
        except BadToken:
            self._reason = "ticket_expired"
