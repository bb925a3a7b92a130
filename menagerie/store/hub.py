"""One subscription a process: it tells which channels had news."""

import logging
import selectors
import socket
import threading
import time
from collections.abc import Callable, Set
from contextlib import suppress
from typing import Any, Final

from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import RedisError

BEAT_S: Final = 5.0
RETRY_S: Final = 0.5

log = logging.getLogger("menagerie.hub")


class Hub:
    """Listens on the channels that somebody watches, on one connection and one thread.

    `tell(channels)` is called on that thread when something was published on them, and
    once when listening to them begins, first or again: from then on no news is missed,
    and what came before is to be looked up. `beat()` is called there every `BEAT_S`
    seconds. News is only a hint; whoever is told reads the log.

    In between the thread sleeps in the kernel; under gevent, in its loop.
    """

    def __init__(
        self, redis: Any, tell: Callable[[Set[str]], None], beat: Callable[[], None]
    ) -> None:
        self._redis = redis
        self._tell = tell
        self._beat = beat
        self._beat_at = 0.0
        self._lock = threading.Lock()
        self._watched: set[str] = set()
        self._added: set[str] = set()
        self._changed = False
        self._away = False
        self._waker: socket.socket | None = None

    def watch(self, channel: str) -> None:
        """Listen on this channel too."""
        with self._lock:
            self._watched.add(channel)
            self._added.add(channel)
            self._changed = True
            if self._waker is None:
                woken, self._waker = socket.socketpair()
                woken.setblocking(False)
                self._waker.setblocking(False)
                run = threading.Thread(target=self._run, args=[woken], name="hub", daemon=True)
                run.start()
        self._wake()

    def forget(self, channel: str) -> None:
        """Listen on it no more, from the next beat at the latest."""
        with self._lock:
            self._watched.discard(channel)
            self._changed = True

    def beat_soon(self) -> None:
        """Beat as soon as the thread can; safe in a signal handler."""
        self._beat_at = 0.0
        self._wake()

    def _wake(self) -> None:
        if self._waker is not None:
            with suppress(BlockingIOError):  # a full buffer wakes as well
                self._waker.send(b".")

    def _run(self, woken: socket.socket) -> None:
        while True:
            try:
                self._listen(woken)
            except RedisError as error:
                if not self._away:  # once, not with every try
                    log.warning("the store is away: %s", error)
                self._away = True
            except Exception:
                log.exception("the hub stumbled; it begins anew")
            self._beat()
            time.sleep(RETRY_S)

    def _listen(self, woken: socket.socket) -> None:
        """Tell of news until the connection fails."""
        pool = self._redis.connection_pool
        connection = pool.get_connection()
        try:
            with selectors.DefaultSelector() as selector:
                selector.register(woken, selectors.EVENT_READ)
                selector.register(connection._sock, selectors.EVENT_READ)  # it has no fileno()
                session = _Session(connection)
                self._changed, self._away = True, False
                while True:
                    if self._changed and (told := session.subscribe(*self._wanted())):
                        self._tell(told)
                    selector.select(max(0.0, self._beat_at - time.monotonic()))
                    _drain(woken)
                    if told := session.receive():
                        self._tell(told)
                    if time.monotonic() >= self._beat_at:
                        self._beat_at = time.monotonic() + BEAT_S
                        self._beat()
                        session.ping()
        finally:
            connection.disconnect()
            pool.release(connection)

    def _wanted(self) -> tuple[set[str], set[str]]:
        """The channels to listen on, and those among them added since the last look."""
        with self._lock:
            added, self._added, self._changed = self._added, set(), False
            return set(self._watched), added & self._watched


class _Session:
    """What one connection is subscribed to, and whether it lives."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection
        self._subscribed: set[str] = set()
        self._unanswered = 0

    def subscribe(self, wanted: set[str], added: set[str]) -> set[str]:
        """Listen to what is wanted. Returns what was added and is listened to already."""
        new, old = wanted - self._subscribed, self._subscribed - wanted
        if new:
            self._connection.send_command("SUBSCRIBE", *new, check_health=False)
        if old:
            self._connection.send_command("UNSUBSCRIBE", *old, check_health=False)
        self._subscribed = wanted
        return added - new

    def receive(self) -> set[str]:
        """The channels that had news, by all that has come, those begun to listen to included."""
        told = set()
        while self._connection.can_read(timeout=0):
            answer = self._connection.read_response()
            if not isinstance(answer, list) or answer[0] == b"pong":
                self._unanswered = 0
            elif answer[0] in (b"message", b"subscribe"):
                told.add(answer[1].decode())
        return told

    def ping(self) -> None:
        """Ask whether the other side still is there. Raises if the last two asked in vain."""
        if self._unanswered == 2:
            raise RedisConnectionError("two pings were not answered")
        self._unanswered += 1
        self._connection.send_command("PING", check_health=False)


def _drain(woken: socket.socket) -> None:
    with suppress(BlockingIOError):
        while woken.recv(4096):
            pass
