"""What a server process sees to for its streams."""

import atexit
import resource
import signal
from types import FrameType
from typing import Final

from flask import Flask

from menagerie.play.streams import Streams

MOST_FILES: Final = 65_536
FAREWELL_S: Final = 2.0


def allow_many_connections() -> None:
    """Raise the limit of open files as far as this process may: each stream is one."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, MOST_FILES)
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


def end_streams_on_sigterm(app: Flask) -> None:
    """Tell every stream's reader that this process ends, before it does."""
    streams: Streams = app.extensions["streams"]
    before = signal.getsignal(signal.SIGTERM)

    def stop(number: int, frame: FrameType | None) -> None:
        streams.feeds.stop()
        if callable(before):
            before(number, frame)
        elif before == signal.SIG_DFL:
            raise SystemExit

    signal.signal(signal.SIGTERM, stop)
    atexit.register(streams.feeds.wait_for_the_last, FAREWELL_S)
