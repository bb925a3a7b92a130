"""One Redis reader a process: it wakes those who wait for news of a match."""

import threading
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from redis.exceptions import RedisError


class Hub:
    """Wakes waiting readers when a commit publishes on a channel.

    News is only a hint: whoever wakes reads the log itself, so a missed hint
    costs time (readers look again when their wait ends), never an event.
    """

    def __init__(self, redis: Any) -> None:
        self._redis = redis
        self._lock = threading.Lock()
        self._waiting: defaultdict[str, set[threading.Event]] = defaultdict(set)
        self._changed = threading.Event()
        self._thread: threading.Thread | None = None

    @contextmanager
    def listening(self, channel: str) -> Iterator[threading.Event]:
        """An event that is set whenever something is published on the channel."""
        news = threading.Event()
        with self._lock:
            self._waiting[channel].add(news)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="hub", daemon=True)
                self._thread.start()
        self._changed.set()
        try:
            yield news
        finally:
            with self._lock:
                self._waiting[channel].discard(news)
                if not self._waiting[channel]:
                    del self._waiting[channel]

    def _run(self) -> None:
        while True:
            try:
                self._read()
            except RedisError:
                self._wake_all()
                self._changed.wait(0.5)

    def _read(self) -> None:
        with self._redis.pubsub(ignore_subscribe_messages=True) as pubsub:
            subscribed: set[str] = set()
            while True:
                with self._lock:
                    wanted = set(self._waiting)
                if wanted - subscribed:
                    pubsub.subscribe(*(wanted - subscribed))
                    self._wake(wanted - subscribed)
                if subscribed - wanted:
                    pubsub.unsubscribe(*(subscribed - wanted))
                subscribed = wanted
                if not subscribed:
                    self._changed.wait()
                self._changed.clear()
                message = pubsub.get_message(timeout=0.05)
                if message is not None:
                    self._wake({message["channel"].decode()})

    def _wake(self, channels: set[str]) -> None:
        with self._lock:
            for channel in channels:
                for news in self._waiting.get(channel, ()):
                    news.set()

    def _wake_all(self) -> None:
        with self._lock:
            channels = set(self._waiting)
        self._wake(channels)
