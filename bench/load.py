"""A small load generator: prepared requests over keep-alive connections, bounded in count."""

import socket
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from statistics import quantiles
from typing import Any


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


def run(port: int, scripts: Sequence[list[bytes]], processes: int = 2) -> Load:
    """Play each script on a connection of its own, all at once."""
    shares = [list(scripts[nth::processes]) for nth in range(processes)]
    began = time.perf_counter()
    with ProcessPoolExecutor(processes) as pool:
        parts = list(pool.map(_share, [port] * processes, shares))
    seconds = max(part[0] for part in parts)
    latencies = sorted(ms for part in parts for ms in part[1])
    statuses: dict[int, int] = {}
    for part in parts:
        for status in part[2]:
            statuses[status] = statuses.get(status, 0) + 1
    del began
    cuts = quantiles(latencies, n=100)
    return Load(len(latencies) / seconds, cuts[49], cuts[98], statuses)


def _share(port: int, scripts: list[list[bytes]]) -> tuple[float, list[float], list[int]]:
    results: list[tuple[list[float], list[int]]] = [([], []) for _ in scripts]
    barrier = threading.Barrier(len(scripts) + 1)
    threads = [
        threading.Thread(target=_play, args=(port, script, result, barrier))
        for script, result in zip(scripts, results, strict=True)
    ]
    for thread in threads:
        thread.start()
    barrier.wait()
    began = time.perf_counter()
    for thread in threads:
        thread.join()
    seconds = time.perf_counter() - began
    return (
        seconds,
        [ms for latencies, _ in results for ms in latencies],
        [status for _, statuses in results for status in statuses],
    )


def _play(port: int, script: list[bytes], result: Any, barrier: threading.Barrier) -> None:
    latencies, statuses = result
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        barrier.wait()
        for data in script:
            began = time.perf_counter()
            connection.sendall(data)
            statuses.append(_read_answer(connection))
            latencies.append((time.perf_counter() - began) * 1000)


def _read_answer(connection: socket.socket) -> int:
    """Read one answer to its end. Returns its status."""
    data = b""
    while b"\r\n\r\n" not in data:
        data += connection.recv(65536)
    head, _, body = data.partition(b"\r\n\r\n")
    lower = head.lower()
    at = lower.index(b"content-length:") + 15
    length = int(lower[at:].split(b"\r\n", 1)[0])
    while len(body) < length:
        body += connection.recv(65536)
    return int(head.split(b" ", 2)[1])
