"""What a server process sees to for its streams."""

import resource
import signal
from types import FrameType
from typing import Final

from flask import Flask

MOST_FILES: Final = 65_536


def allow_many_connections() -> None:
    """Raise the limit of open files as far as this process may: each stream is one."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, MOST_FILES)
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


def end_streams_on_sigterm(app: Flask) -> None:
    """Before the server's own way of stopping: it waits for requests, and streams do not end."""
    before = signal.getsignal(signal.SIGTERM)

    def stop(number: int, frame: FrameType | None) -> None:
        app.extensions["streams"].feeds.stop()
        if callable(before):
            before(number, frame)
        elif before == signal.SIG_DFL:
            signal.signal(number, signal.SIG_DFL)
            signal.raise_signal(number)

    signal.signal(signal.SIGTERM, stop)
