"""Sends the streams of a process: their connections are handed over to one thread.

A stream on a greenlet of its own keeps that greenlet's stack, its request and its
environment: 23 KiB. Here it is a descriptor and a `Live`.
"""

import logging
import os
import selectors
import socket
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from heapq import heappop, heappush
from itertools import count
from typing import Any, Final

from flask import Response

from menagerie.play.streams import SLOW_S, Live

SEND_BUFFER: Final = 64 * 1024
"""Bytes that the kernel holds for a reader who does not take them: about 80 events."""
TURN: Final = 64
"""Streams served before requests have their turn."""
STUMBLE_S: Final = 0.1

log = logging.getLogger("menagerie.sender")


class _Out:
    """A stream on its way out. `rest`: what the connection did not take yet, since `since_s`."""

    __slots__ = ("chunked", "fd", "is_new", "rest", "sender", "since_s", "stream")

    def __init__(self, sender: "Sender", stream: Live, fd: int, chunked: bool) -> None:
        self.sender = sender
        self.stream = stream
        self.fd = fd
        self.chunked = chunked
        self.is_new = True
        self.rest = b""
        self.since_s = 0.0

    def wake(self) -> None:
        self.sender.call(self)


class Sender:
    """The thread, which begins with the first stream."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waker: socket.socket | None = None
        self._called = False
        self._ready: deque[_Out] = deque()
        self._due: list[tuple[float, int, _Out]] = []
        self._number = count()

    def take(self, stream: Live, fd: int, chunked: bool) -> None:
        """Send what follows the stream's first part on this descriptor, and close it at its end.

        `chunked`: whether each part is an HTTP/1.1 chunk.
        """
        with self._lock:
            if self._waker is None:
                woken, self._waker = socket.socketpair()
                woken.setblocking(False)
                self._waker.setblocking(False)
                run = threading.Thread(target=self._run, args=[woken], name="sender", daemon=True)
                run.start()
        os.set_blocking(fd, False)
        out = _Out(self, stream, fd, chunked)
        stream.begin(out.wake)
        self.call(out)

    def call(self, out: _Out) -> None:
        """Have this stream looked at soon; from any thread."""
        self._ready.append(out)
        if not self._called:
            self._called = True
            with suppress(BlockingIOError):
                self._waker.send(b".")  # type: ignore[union-attr]

    def _run(self, woken: socket.socket) -> None:
        with selectors.DefaultSelector() as self._selector:
            self._selector.register(woken, selectors.EVENT_READ)
            while True:
                try:
                    self._look_around(woken)
                except Exception:
                    log.exception("the sender stumbled")
                    time.sleep(STUMBLE_S)

    def _look_around(self, woken: socket.socket) -> None:
        """Wait for something to do, and do it."""
        wait_s = max(0.0, self._due[0][0] - time.monotonic()) if self._due else None
        drained = []
        for key, _ in self._selector.select(wait_s):
            if key.data is None:
                _drain(woken)
            else:
                drained.append(key.data)
        self._called = False
        self._tend(self._go_on, drained)
        self._tend(self._serve_called, self._take_called())
        self._tend(self._serve_due, self._take_due())

    def _tend(self, serve: Callable[[_Out], None], outs: Iterable[_Out]) -> None:
        """Serve these; one that fails is dropped and stops no other."""
        for nth, out in enumerate(outs):
            try:
                if out.fd >= 0:
                    serve(out)
            except Exception:
                log.exception("a stream failed and is cut off")
                self._drop(out)
            if nth % TURN == TURN - 1:
                time.sleep(0)

    def _take_called(self) -> list[_Out]:
        return [self._ready.popleft() for _ in range(len(self._ready))]

    def _take_due(self) -> list[_Out]:
        now_s, found = time.monotonic(), []
        while self._due and self._due[0][0] <= now_s:
            found.append(heappop(self._due)[2])
        return found

    def _serve_called(self, out: _Out) -> None:
        self._serve(out)
        if out.is_new:
            out.is_new = False
            self._plan(out)

    def _serve_due(self, out: _Out) -> None:
        if out.rest and time.monotonic() - out.since_s > SLOW_S:
            self._drop(out)
            return
        self._serve(out)
        self._plan(out)

    def _plan(self, out: _Out) -> None:
        if out.fd >= 0:
            soonest_s = time.monotonic() + 0.01 if out.rest else 0.0
            heappush(self._due, (max(out.stream.due_s, soonest_s), next(self._number), out))

    def _serve(self, out: _Out) -> None:
        """Send all that there is, as far as the connection takes it."""
        while not out.rest and not out.stream.over and (part := out.stream.step()):
            last = out.stream.over
            self._send(out, _chunk(part, last) if out.chunked else part)
        if out.stream.over and not out.rest:
            self._drop(out)

    def _send(self, out: _Out, data: bytes) -> None:
        try:
            sent = os.write(out.fd, data)
        except BlockingIOError:
            sent = 0
        except OSError:  # the reader is gone
            self._drop(out)
            return
        if sent < len(data):
            out.rest, out.since_s = data[sent:], time.monotonic()
            self._selector.register(out.fd, selectors.EVENT_WRITE, out)

    def _go_on(self, out: _Out) -> None:
        """The connection takes more."""
        self._selector.unregister(out.fd)
        data, out.rest, since_s = out.rest, b"", out.since_s
        self._send(out, data)
        if out.rest:
            out.since_s = since_s
        elif out.fd >= 0:
            if time.monotonic() - since_s > SLOW_S:
                out.stream.is_slow()
            self._serve(out)

    def _drop(self, out: _Out) -> None:
        if out.fd >= 0:
            if out.rest:
                self._selector.unregister(out.fd)
            out.stream.close()
            os.close(out.fd)
            out.fd, out.rest = -1, b""


def _chunk(part: bytes, last: bool) -> bytes:
    return b"%x\r\n%s\r\n%s" % (len(part), part, b"0\r\n\r\n" if last else b"")


def _drain(woken: socket.socket) -> None:
    with suppress(BlockingIOError):
        while woken.recv(4096):
            pass


class StreamResponse(Response):
    """The answer that is a stream: handed over where the server allows it."""

    def __init__(self, stream: Live, sender: Sender, mimetype: str) -> None:
        super().__init__(stream.parts(), mimetype=mimetype, direct_passthrough=True)
        self._stream = stream
        self._sender = sender

    def __call__(self, environ: Any, start_response: Any) -> Iterable[bytes]:
        connection = environ.get("gunicorn.socket")
        if environ["REQUEST_METHOD"] == "HEAD" or not _is_gevents(connection):
            return super().__call__(environ, start_response)
        self._hand_over(connection, environ, start_response)
        raise StopIteration  # gunicorn closes its own descriptor without another word

    def _hand_over(self, connection: socket.socket, environ: Any, start_response: Any) -> None:
        """Send the head and the first part as gunicorn does; the rest goes out on a duplicate."""
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)
        write = start_response(self.status, self.get_wsgi_headers(environ).to_wsgi_list())
        write(self._stream.first)
        chunked = environ["SERVER_PROTOCOL"] == "HTTP/1.1"
        self._sender.take(self._stream, os.dup(connection.fileno()), chunked)


def _is_gevents(connection: Any) -> bool:
    """Whether this is a plain socket of gunicorn's gevent workers."""
    return type(connection).__module__.startswith("gevent.") and not hasattr(connection, "cipher")
