"""A small load generator: prepared requests over keep-alive connections, bounded in count."""

import selectors
import socket
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from statistics import quantiles


@dataclass(frozen=True, slots=True)
class Load:
    """What came of a run: requests a second, latencies in ms, and answers by status."""

    per_second: float
    p50_ms: float
    p99_ms: float
    statuses: dict[int, int]


def request(method: str, path: str, body: bytes = b"", token: str = "") -> bytes:
    """A raw HTTP/1.1 request."""
    lines = [f"{method} {path} HTTP/1.1", "Host: bench"]
    if token:
        lines.append(f"Authorization: Bearer {token}")
    if body:
        lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def run(port: int, scripts: Sequence[list[bytes]]) -> Load:
    """Play each script on a connection of its own, all at once, from one other process.

    One process and no threads: the generator shares the cores with what it measures.
    """
    with ProcessPoolExecutor(1) as pool:
        seconds, latencies, statuses = pool.submit(_play_all, port, scripts).result()
    cuts = quantiles(latencies, n=100)
    return Load(len(latencies) / seconds, cuts[49], cuts[98], dict(Counter(statuses)))


class _Player:
    """One connection playing its script."""

    def __init__(self, port: int, script: list[bytes]) -> None:
        self.connection = socket.create_connection(("127.0.0.1", port))
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.script = iter(script)
        self.data = b""
        self.latencies: list[float] = []
        self.statuses: list[int] = []

    def send(self) -> bool:
        """Send the next request. Returns False when there is none."""
        request = next(self.script, None)
        if request is None:
            return False
        self.data = b""
        self.began = time.perf_counter()
        self.connection.sendall(request)
        return True

    def receive(self) -> bool:
        """Take what has come. Returns whether the answer is whole."""
        self.data += self.connection.recv(65536)
        head, found, body = self.data.partition(b"\r\n\r\n")
        if not found:
            return False
        lower = head.lower()
        at = lower.index(b"content-length:") + 15
        if len(body) < int(lower[at:].split(b"\r\n", 1)[0]):
            return False
        self.latencies.append((time.perf_counter() - self.began) * 1000)
        self.statuses.append(int(head.split(b" ", 2)[1]))
        return True


def _play_all(port: int, scripts: Sequence[list[bytes]]) -> tuple[float, list[float], list[int]]:
    players = [_Player(port, script) for script in scripts]
    began = time.perf_counter()
    with selectors.DefaultSelector() as selector:
        for player in players:
            selector.register(player.connection, selectors.EVENT_READ, player)
            player.send()
        while selector.get_map():
            for key, _ in selector.select():
                player = key.data
                if player.receive() and not player.send():
                    selector.unregister(player.connection)
                    player.connection.close()
    seconds = time.perf_counter() - began
    return (
        seconds,
        [ms for player in players for ms in player.latencies],
        [status for player in players for status in player.statuses],
    )
