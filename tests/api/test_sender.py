"""The sender of streams: many connections on one thread, and none that holds up another."""

import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from itertools import repeat

import pytest

from api import sender as module
from api.sender import Sender

PATIENCE_S = 30


class Script:
    """A stream that says what it is given, and no more."""

    due_s = time.monotonic() + 3600

    def __init__(self, parts: Iterator[bytes]) -> None:
        self.parts = parts
        self.over = False
        self.slow = False
        self.closed = threading.Event()

    def begin(self, wake: Callable[[], None]) -> None:
        self.wake = wake

    def step(self) -> bytes:
        if self.slow:
            self.over = True
            return b"too slow"
        part = next(self.parts, None)
        self.over = part is None
        return part or b"end"

    def is_slow(self) -> None:
        self.slow = True

    def close(self) -> None:
        self.closed.set()


@pytest.fixture
def sender() -> Sender:
    return Sender()


def send(sender: Sender, script: Script, chunked: bool = False) -> socket.socket:
    """Hand a connection over. Returns the reader's end of it."""
    ours, theirs = socket.socketpair()
    theirs.settimeout(PATIENCE_S)
    with ours:
        sender.take(script, os.dup(ours.fileno()), chunked)  # type: ignore[arg-type]
    return theirs


def read_all(connection: socket.socket) -> bytes:
    with connection, connection.makefile("rb") as file:
        return file.read()


def test_a_stream_is_sent_whole_and_its_connection_closed(sender: Sender) -> None:
    script = Script(iter([b"one ", b"two "]))
    assert read_all(send(sender, script)) == b"one two end"
    assert script.closed.wait(PATIENCE_S)


def test_parts_are_chunks_of_http(sender: Sender) -> None:
    script = Script(iter([b"x" * 17]))
    sent = read_all(send(sender, script, chunked=True))
    assert sent == b"11\r\n" + b"x" * 17 + b"\r\n3\r\nend\r\n0\r\n\r\n"


def test_a_reader_who_takes_nothing_holds_nobody_up_and_costs_one_part(sender: Sender) -> None:
    stuck = Script(repeat(b"x" * 10_000))
    theirs = send(sender, stuck)
    for _ in range(3):
        assert read_all(send(sender, Script(iter([b"quick "])))) == b"quick end"
    assert not stuck.closed.is_set()
    theirs.close()
    assert stuck.closed.wait(PATIENCE_S)


def test_a_reader_who_goes_on_too_late_is_told_so(
    sender: Sender, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = Script(repeat(b"x" * 10_000))
    theirs = send(sender, script)
    assert read_all(send(sender, Script(iter([])))) == b"end"  # by now the first one waits
    monkeypatch.setattr(module, "SLOW_S", -1.0)
    assert read_all(theirs).endswith(b"xtoo slow")
    assert script.closed.wait(PATIENCE_S)


def test_a_reader_who_is_stuck_too_long_is_cut_off(
    sender: Sender, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "SLOW_S", -1.0)
    script = Script(repeat(b"x" * 10_000))
    script.due_s = 0.0
    theirs = send(sender, script)
    assert script.closed.wait(PATIENCE_S)
    assert b"too slow" not in read_all(theirs)


def test_a_stream_that_fails_stops_no_other(sender: Sender) -> None:
    def fail() -> Iterator[bytes]:
        yield b"one "
        raise ValueError

    script = Script(fail())
    assert read_all(send(sender, script)) == b"one "
    assert script.closed.is_set()
    assert read_all(send(sender, Script(iter([])))) == b"end"
