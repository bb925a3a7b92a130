"""The event logs as the readers of one process share them: read once, rendered once."""

import threading
import time
from collections.abc import Callable, Iterable, Sequence, Set
from contextlib import suppress
from functools import cached_property
from typing import Any, Final, NamedTuple

from redis.exceptions import RedisError

from menagerie.games.position import Viewer
from menagerie.match import Setup
from menagerie.store import codec
from menagerie.store.events import Place, StoredEvent, parse_place
from menagerie.store.hub import Hub
from menagerie.store.matches import Matches

TAIL: Final = 32
"""Events of a match kept in memory; who is further behind reads the log alone."""
PAGE: Final = 200
MOST: Final = 8_000

Render = Callable[[StoredEvent, Viewer], bytes]


class Entry:
    """An event of the log, and the bytes that it was rendered to."""

    def __init__(self, setup: Setup, event_id: bytes, data: bytes) -> None:
        self.place: Place = parse_place(event_id.decode())
        self._stored = setup, event_id, data
        self._frames: dict[tuple[Viewer, Render], bytes] = {}

    @cached_property
    def event(self) -> StoredEvent:
        return codec.load_event(*self._stored)

    def frame(self, viewer: Viewer, render: Render) -> bytes:
        """The event as this viewer may see it, made once for all who ask for the same."""
        found = self._frames.get((viewer, render))
        if found is None:
            found = self._frames[viewer, render] = render(self.event, viewer)
        return found


class _Window(NamedTuple):
    """The newest entries of a log: all that come after `base`."""

    base: Place
    entries: tuple[Entry, ...]

    @property
    def head(self) -> Place:
        return self.entries[-1].place if self.entries else self.base

    def extended(self, entries: Sequence[Entry]) -> "_Window":
        kept = (*self.entries, *entries)
        dropped = kept[:-TAIL]
        return _Window(dropped[-1].place if dropped else self.base, kept[-TAIL:])


class _Feed:
    """The log of one match, and who reads it here."""

    def __init__(self, setup: Setup, base: Place) -> None:
        self.setup = setup
        self.window = _Window(base, ())
        self.readers: set[Reader] = set()


class Reader:
    """How far one reader is in the log of one match. `wake` is called when there may be more."""

    __slots__ = ("_feed", "_feeds", "place", "wake")

    def __init__(self, feeds: "Feeds", feed: _Feed, place: Place, wake: Callable[[], None]) -> None:
        self.place = place
        self.wake = wake
        self._feeds = feeds
        self._feed = feed

    def fresh(self, most: int) -> Sequence[Entry]:
        """The next entries, at most so many; none if there are none yet.

        Asks the store only for what the shared tail no longer has. Raises `RedisError` then.
        """
        base, entries = self._feed.window
        if self.place < base:
            found = self._feeds.page(self._feed.setup, self.place, most)
        else:
            found = [entry for entry in entries if entry.place > self.place][:most]
        if found:
            self.place = found[-1].place
        return found

    def close(self) -> None:
        """Read no more."""
        self._feeds.dismiss(self, self._feed)


class Feeds:
    """The logs that are read in this process.

    `redis` is for the hub's own connection; `most`: the readers that a process takes on.
    """

    def __init__(self, matches: Matches, redis: Any, most: int = MOST) -> None:
        self.most = most
        self._matches = matches
        self._hub = Hub(redis, self._tell, self._beat)
        self._lock = threading.Lock()
        self._feeds: dict[str, _Feed] = {}
        self._listeners: dict[str, set[Callable[[], None]]] = {}
        self._ahead_ms = 0.0
        self.stopping = False

    def follow(self, setup: Setup, place: Place, wake: Callable[[], None]) -> Reader:
        """A reader of the match's log from after this place on, until it is closed.

        `wake` is called on the hub's thread: it only lets someone know.
        """
        channel = self._matches.keys.events(setup.id)
        with self._lock:
            feed = self._feeds.get(channel)
            is_new = feed is None
            if feed is None:
                feed = self._feeds[channel] = _Feed(setup, place)
            reader = Reader(self, feed, place, wake)
            feed.readers.add(reader)
        if is_new:
            self._hub.watch(channel)
        return reader

    def listen(self, channel: str, wake: Callable[[], None]) -> Callable[[], None]:
        """`wake` is called, as a reader's, for news on a channel that is no log's.

        Returns what ends this.
        """
        with self._lock:
            self._listeners.setdefault(channel, set()).add(wake)
        self._hub.watch(channel)

        def end() -> None:
            with self._lock:
                self._listeners[channel].discard(wake)
                if not self._listeners[channel]:
                    del self._listeners[channel]
                    self._hub.forget(channel)

        return end

    def dismiss(self, reader: Reader, feed: _Feed) -> None:
        with self._lock:
            feed.readers.discard(reader)

    def page(self, setup: Setup, place: Place, count: int) -> list[Entry]:
        """Entries after the place, from the store."""
        rows = self._matches.event_rows([(setup.id, place)], count)
        return _entries(setup, rows[0])

    def stop(self) -> None:
        """Let every reader know that this process ends; safe in a signal handler."""
        self.stopping = True
        self._hub.beat_soon()

    def wait_for_the_last(self, patience_s: float) -> None:
        """Return once the readers of a process that stops have gone, or patience has run out."""
        give_up_s = time.monotonic() + patience_s
        while self.stopping and self.count() and time.monotonic() < give_up_s:
            time.sleep(0.01)

    def count(self) -> int:
        """The readers there are."""
        with self._lock:
            return sum(len(feed.readers) for feed in self._feeds.values())

    def now_ms(self) -> int:
        """The store's instant, as this process knows it without asking."""
        return int(time.monotonic() * 1000 + self._ahead_ms)

    def saw_instant(self, now_ms: int) -> None:
        """The store's instant was this a moment ago."""
        self._ahead_ms = now_ms - time.monotonic() * 1000

    def _tell(self, channels: Set[str]) -> None:
        """Read what is new in these logs, and wake their readers."""
        with self._lock:
            feeds = [self._feeds[channel] for channel in channels if channel in self._feeds]
            for channel in channels:
                for wake in self._listeners.get(channel, ()):
                    wake()
        while feeds:
            rows = self._matches.event_rows(
                [(feed.setup.id, feed.window.head) for feed in feeds], PAGE
            )
            for feed, found in zip(feeds, rows, strict=True):
                if found:
                    feed.window = feed.window.extended(_entries(feed.setup, found))
                    self._wake(feed)
            feeds = [feed for feed, found in zip(feeds, rows, strict=True) if len(found) == PAGE]

    def _wake(self, feed: _Feed) -> None:
        with self._lock:
            for reader in feed.readers:
                reader.wake()

    def _beat(self) -> None:
        """Drop what nobody reads, and wake everybody if the process ends."""
        with self._lock:
            for channel, feed in list(self._feeds.items()):
                if not feed.readers:
                    del self._feeds[channel]
                    self._hub.forget(channel)
                elif self.stopping:
                    for reader in feed.readers:
                        reader.wake()
        if self._feeds:
            with suppress(RedisError):
                self.saw_instant(self._matches.time_ms())


def _entries(setup: Setup, rows: Iterable[tuple[bytes, dict[bytes, bytes]]]) -> list[Entry]:
    return [Entry(setup, event_id, fields[b"event"]) for event_id, fields in rows]
