"""The connections that streams go out on, where the WSGI server hands them over."""

import socket
from contextlib import suppress
from typing import Any, Final

SEND_BUFFER: Final = 64 * 1024
"""Bytes that the kernel holds for a reader who does not take them: about 80 events."""


class Line:
    """One connection."""

    __slots__ = ("_socket",)

    def __init__(self, connection: socket.socket) -> None:
        self._socket = connection
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)

    def cut(self) -> None:
        """End it, whatever is still to be sent; from any thread."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)

    def take_no_more(self) -> None:
        """Read no further request from it."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RD)


def line_of(environ: dict[str, Any]) -> Line | None:
    """The connection of a request; None where the server keeps it to itself."""
    connection = environ.get("gunicorn.socket") or environ.get("werkzeug.socket")
    return None if connection is None else Line(connection)
