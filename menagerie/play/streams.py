"""What happens in a match, told as it happens: live streams and long polls over one log."""

import random
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from math import inf
from typing import Any, Final, Literal, Protocol

from redis.exceptions import RedisError

from menagerie.games.position import Viewer
from menagerie.games.refusals import Refusal
from menagerie.instants import instant
from menagerie.match import Match, Setup
from menagerie.play import refusals
from menagerie.play.referee import Call, Referee
from menagerie.play.tokens import BadToken, Bearer, Ticket
from menagerie.store.events import Place, StoredEvent, place_text
from menagerie.store.feeds import Feeds, Reader

PING_S: Final = 8.0
"""Between two pings, so that they come every 10 s on a busy server too."""
PING_STEP_S: Final = 0.25
"""Streams ping at multiples of this, many in one go."""
LINGER_MS: Final = 2 * 60 * 1000
TICKET_MS: Final = 60 * 60 * 1000
SLOW_S: Final = 10.0
CHUNK: Final = 16
"""Events handed over at once; a reader who takes `SLOW_S` for them is too slow."""

Reason = Literal["finished", "server_restart", "too_slow", "ticket_expired"]


class Form(Protocol):
    """How a stream is written: each of its parts as bytes."""

    def snapshot(self, body: dict[str, Any]) -> bytes: ...

    def event(self, event: StoredEvent, viewer: Viewer) -> bytes: ...

    def item(self, body: dict[str, Any]) -> bytes: ...

    def ping(self, server_time: str) -> bytes: ...

    def end(self, reason: Reason, server_time: str) -> bytes: ...


@dataclass(frozen=True, slots=True)
class Opening:
    """A log about to be read: whose view, from where, and for how long.

    `place`: the last event that the reader knows; `snapshot`: whether it needs all that
    `GET` shows first; `lasts_ms`: what is left of the time after the match's end, None
    while the match goes on.
    """

    match: Match
    viewer: Viewer
    now_ms: int
    place: Place
    snapshot: bool
    lasts_ms: int | None

    @property
    def is_over(self) -> bool:
        """Whether nothing more will come."""
        return self.lasts_ms == 0

    def snapshot_body(self) -> dict[str, Any]:
        """All that `GET` shows, as the event that a reader starts from."""
        view = self.match.view(self.viewer)
        return {
            "id": place_text(self.place),
            "version": self.match.version,
            "type": "snapshot",
            "at": view["clock"]["at"],
            "by": "server",
            "seat": None,
            "data": view,
            "to_move": view["to_move"],
            "clock": view["clock"],
            "result": view["result"],
        }


class TicketSpent(BadToken):
    """The match ended an hour ago, or the ticket's seat was left."""


class TooManyStreams(Refusal):
    """This process has as many readers as it takes on."""

    code = "too_many_streams"
    retry_after = 1


class Streams:
    """Gives the events of matches to those who read along."""

    def __init__(self, referee: Referee, feeds: Feeds) -> None:
        self._referee = referee
        self.feeds = feeds

    def open(self, match_id: str, access: Bearer | Ticket | None, after: Place | None) -> Opening:
        """Look at the log, for who asks from where. What is due is settled first.

        A place that the log has not reached is one of another log, or of a store that lost
        its last second: its reader gets a snapshot. Raises `NoSuchMatch`, `EventsGone`,
        `BadToken`, and `TicketSpent` for a ticket that was good once.
        """
        match, viewer, now_ms = self._seen(match_id, access)
        last = self._referee.matches.last_event(match)
        if last is None:
            raise refusals.EventsGone("The match ended more than a day ago: read its replay.")
        snapshot = after is None or after[0] > match.version
        place = last.place if snapshot or after is None else after
        return Opening(match, viewer, now_ms, place, snapshot, _lasts_ms(match, last, now_ms))

    def _seen(self, match_id: str, access: Bearer | Ticket | None) -> tuple[Match, Viewer, int]:
        if isinstance(access, Ticket):
            if access.match_id != match_id:
                raise BadToken("The ticket is for another match.")
            match, now_ms = self._referee.present(match_id)
            viewer = access.viewer
        else:
            match, viewer, now_ms = self._referee.get(match_id, access)
        if match.virtual_ms is None:
            self.feeds.saw_instant(now_ms)
        if isinstance(access, Ticket):
            _refuse_if_spent(access, match, now_ms)
        return match, viewer, now_ms

    def ticket(self, match_id: str, call: Call) -> tuple[str, Match, Viewer]:
        """What lets its bearer read this match as the caller may, in an address."""
        match, viewer, _ = self._referee.get(match_id, call.claim)
        if call.if_versions is not None and match.version not in call.if_versions:
            raise refusals.VersionChanged(f"The match is at version {match.version}.")
        generation = 0 if viewer == "spectator" else match.seat(viewer).generation
        return self._referee.tokens.ticket(match.id, viewer, generation), match, viewer

    def refuse_if_full(self) -> None:
        """Leave room for requests that are no streams. Raises `TooManyStreams`."""
        if self.feeds.count() >= self.feeds.most:
            raise TooManyStreams("This server has as many streams as it takes on.")

    def poll(self, opening: Opening, wait_ms: int) -> list[StoredEvent]:
        """The events from there on; if there are none yet, those that come within the wait."""
        match = opening.match
        found = self._referee.matches.events(match, opening.place)
        if found or not wait_ms or opening.is_over:
            return found
        news, give_up_s = threading.Event(), time.monotonic() + wait_ms / 1000
        with closing(self.feeds.follow(match.setup, opening.place, news.set)) as reader:
            while not self.feeds.stopping and (left_s := give_up_s - time.monotonic()) > 0:
                news.clear()
                if entries := reader.fresh(CHUNK):
                    return [entry.event for entry in entries]
                news.wait(left_s)
        return []

    def stream(self, opening: Opening, form: Form) -> "Stream":
        return Stream(self, opening, form)

    def now_ms(self) -> int:
        """The store's instant."""
        return self.feeds.now_ms()

    def server_time(self, setup: Setup) -> str:
        """The match's present instant."""
        if setup.virtual_clock:
            with suppress(RedisError, refusals.NoSuchMatch):
                return instant(self._referee.present(setup.id)[1])
        return instant(self.feeds.now_ms())


class Live(ABC):
    """One reader's stream, which somebody else sends. What it holds, thousands hold.

    Send `first`, `begin`, then send what `step` gives whenever it is woken or `due_s` has
    come, until `over`; then `close`. `is_slow` tells it that sending took too long.
    """

    __slots__ = ("_ends_s", "_form", "_ping_s", "_reason", "_streams", "first", "over")

    def __init__(self, streams: Streams, form: Form) -> None:
        self._streams = streams
        self._form = form
        self._ends_s = inf
        wait_s = PING_S * random.random()  # noqa: S311 - so that they take turns
        self._ping_s = time.monotonic() + wait_s
        self._reason: Reason | None = None
        self.over = False
        self.first = b""

    @abstractmethod
    def begin(self, wake: Callable[[], None]) -> None:
        """Read on, `first` having been sent; `wake` is called when a step is due."""

    @abstractmethod
    def close(self) -> None:
        """Read no more."""

    @abstractmethod
    def _fresh(self) -> bytes:
        """The next events, if there are any. Raises `RedisError`."""

    def _server_time(self) -> str:
        return instant(self._streams.now_ms())

    @property
    def due_s(self) -> float:
        """The monotonic instant of the next step, if nothing wakes it before."""
        return min(self._ping_s, self._ends_s)

    def is_slow(self) -> None:
        self._reason = "too_slow"

    def step(self) -> bytes:
        """What to send now; empty if there is nothing yet. After the last part it is `over`."""
        if self._streams.feeds.stopping:
            self._reason = "server_restart"
        part = b""
        if self._reason is None:
            with suppress(RedisError):  # the hub wakes us once the store is back
                part = self._fresh()
        now_s = time.monotonic()
        if not part and self._reason is None and now_s >= self._ends_s:
            self._reason = "finished"
        if not part and self._reason is not None:
            self.over = True
            return self._form.end(self._reason, self._server_time())
        if now_s >= self._ping_s:
            self._ping_s = (now_s + PING_S) // PING_STEP_S * PING_STEP_S
            part += self._form.ping(self._server_time())
        return part

    def parts(self) -> Iterator[bytes]:
        """The whole stream, for a server that sends each part when it comes."""
        news, first = threading.Event(), self.first
        self.begin(news.set)
        try:
            yield first
            while not self.over:
                news.clear()
                began_s = time.monotonic()
                if part := self.step():
                    yield part
                    if time.monotonic() - began_s > SLOW_S:
                        self.is_slow()
                else:
                    news.wait(self.due_s - began_s)
        finally:
            self.close()


class Stream(Live):
    """The events of one match."""

    __slots__ = ("_opened_at", "_place", "_reader", "_setup", "_viewer")

    def __init__(self, streams: Streams, opening: Opening, form: Form) -> None:
        super().__init__(streams, form)
        self._setup = opening.match.setup
        self._viewer = opening.viewer
        self._opened_at = opening.match.version
        self._place = opening.place
        if opening.lasts_ms is not None:
            self._ends_s = time.monotonic() + opening.lasts_ms / 1000
        self._reader: Reader | None = None
        self.first = (
            form.snapshot(opening.snapshot_body())
            if opening.snapshot
            else form.ping(self._server_time())
        )

    def begin(self, wake: Callable[[], None]) -> None:
        self._reader = self._streams.feeds.follow(self._setup, self._place, wake)
        self.first = b""

    def close(self) -> None:
        if self._reader is not None:
            self._reader.close()

    def _fresh(self) -> bytes:
        entries = self._reader.fresh(CHUNK) if self._reader else ()
        frames = []
        for entry in entries:
            frames.append(entry.frame(self._viewer, self._form.event))
            self._note(entry.event)
            if self._reason is not None:
                break
        return b"".join(frames)

    def _note(self, event: StoredEvent) -> None:
        """See whether this event sets the stream an end."""
        if event.type == "rematch.created":
            self._ends_s = 0.0
        elif event.type in ("match.finished", "match.aborted"):
            self._ends_s = min(self._ends_s, time.monotonic() + LINGER_MS / 1000)
        elif event.type == "seat.left" and event.seat == self._viewer and self._is_new(event):
            self._reason = "ticket_expired"

    def _is_new(self, event: StoredEvent) -> bool:
        """Whether it came after the opening: before that the seat was another's."""
        return event.place[0] > self._opened_at

    def _server_time(self) -> str:
        return self._streams.server_time(self._setup)


def _refuse_if_spent(ticket: Ticket, match: Match, now_ms: int) -> None:
    if match.finished_ms is not None and now_ms - match.finished_ms >= TICKET_MS:
        raise TicketSpent("The match ended an hour ago.")
    if ticket.viewer != "spectator" and match.seat(ticket.viewer).generation != ticket.generation:
        raise TicketSpent("The ticket's seat was left.")


def _lasts_ms(match: Match, last: StoredEvent, now_ms: int) -> int | None:
    """How long a reader of the match stays; on a virtual clock from now, as it stands still."""
    if match.finished_ms is None:
        return None
    if last.type == "rematch.created":
        return 0
    if match.virtual_ms is not None:
        return LINGER_MS
    return max(0, match.finished_ms + LINGER_MS - now_ms)
