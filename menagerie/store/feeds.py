"""The event logs as the readers of one process share them: read once, rendered once."""

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from contextlib import contextmanager, suppress
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
STUCK_S: Final = 20.0
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
    """How far one reader is in the log of one match.

    `news` is set when there may be more; one event may serve many readers. `cut` ends the
    reader's connection, for when a write on it hangs (see `sending`).
    """

    __slots__ = ("_cut", "_feed", "_feeds", "_since_s", "news", "place")

    def __init__(
        self,
        feeds: "Feeds",
        feed: _Feed,
        place: Place,
        news: threading.Event,
        cut: Callable[[], None] | None,
    ) -> None:
        self.place = place
        self.news = news
        self._feeds = feeds
        self._feed = feed
        self._cut = cut
        self._since_s: float | None = None

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

    def sending(self, since_s: float | None) -> None:
        """The reader hands bytes to its connection since this monotonic instant; None: no more."""
        self._since_s = since_s

    def cut_if_stuck(self, now_s: float) -> None:
        if self._cut is not None and self._since_s is not None and now_s - self._since_s > STUCK_S:
            self._cut()


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
        self._ahead_ms = 0.0
        self.stopping = False

    @contextmanager
    def reading(
        self,
        setup: Setup,
        place: Place,
        news: threading.Event,
        cut: Callable[[], None] | None = None,
    ) -> Iterator[Reader]:
        """A reader of the match's log from after this place on."""
        channel = self._matches.keys.events(setup.id)
        with self._lock:
            feed = self._feeds.get(channel)
            is_new = feed is None
            if feed is None:
                feed = self._feeds[channel] = _Feed(setup, place)
            reader = Reader(self, feed, place, news, cut)
            feed.readers.add(reader)
        if is_new:
            self._hub.watch(channel)
        try:
            yield reader
        finally:
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
                reader.news.set()

    def _beat(self) -> None:
        """Cut off who is stuck, wake all if the process ends, and drop what nobody reads."""
        now_s = time.monotonic()
        with self._lock:
            for channel, feed in list(self._feeds.items()):
                for reader in feed.readers:
                    reader.cut_if_stuck(now_s)
                    if self.stopping:
                        reader.news.set()
                if not feed.readers:
                    del self._feeds[channel]
                    self._hub.forget(channel)
        if self._feeds:
            with suppress(RedisError):
                self.saw_instant(self._matches.time_ms())


def _entries(setup: Setup, rows: Iterable[tuple[bytes, dict[bytes, bytes]]]) -> list[Entry]:
    return [Entry(setup, event_id, fields[b"event"]) for event_id, fields in rows]
