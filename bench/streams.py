"""`python -m bench.streams`: what idle streams cost, and how fast an event reaches its listeners.

On the service as `make run` starts it. Memory is the private memory of the API's workers,
before and after. Latency counts from the publication of a move's commit to the arrival of
its event at each listener, by one system clock; the listeners are one process more on the
same cores.
"""

import http.client
import json
import os
import re
import resource
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from redis import Redis

from bench import load
from bench.__main__ import PORT, ask, game
from menagerie.store import embedded

IDLE = 2_000
LISTENERS = 500
MOVES = 80
PAUSE_S = 0.2
SETTLE_S = 12.0
GUESTS = {"white": {"kind": "guest"}, "black": {"kind": "guest"}}

_MOVE = re.compile(rb"id: (\d+)-0\nevent: move.played")


def main() -> None:
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "PORT": str(PORT), "MENAGERIE_DATA": folder}
        service = subprocess.Popen([sys.executable, "-m", "menagerie.serve"], env=environment)
        try:
            _wait_until_ready()
            measure(Path(folder))
        finally:
            service.send_signal(signal.SIGTERM)
            service.wait()


def measure(folder: Path) -> None:
    url, workers = embedded.start(folder).url, _workers()
    warm = open_streams(50)  # what the first streams bring in with them is not counted
    time.sleep(SETTLE_S)
    before = _private_bytes(workers)
    idle = open_streams(IDLE)
    time.sleep(SETTLE_S)
    each = (_private_bytes(workers) - before) / IDLE / 1024
    used_s, began_s = _cpu_s(workers), time.monotonic()
    time.sleep(SETTLE_S)
    share = (_cpu_s(workers) - used_s) / (time.monotonic() - began_s)
    print(f"{IDLE} idle streams of as many matches: {each:.1f} KiB each, {share:.1%} of a core")
    report(url, f"with {IDLE} idle streams beside them")
    for stream in idle + warm:
        stream.close()
    time.sleep(SETTLE_S)
    report(url, "alone")


def report(url: str, when: str) -> None:
    """Play a match before `LISTENERS`, and say how late they heard of its moves."""
    match = new_match()
    with ProcessPoolExecutor(1) as pool:
        heard = pool.submit(listen, match["id"])
        published = play(url, match)
        arrivals = heard.result()
    late = [(at_s - published[version]) * 1000 for version, at_s in arrivals]
    last = [max(at_s for v, at_s in arrivals if v == version) for version in published]
    whole = [
        (at_s - began_s) * 1000 for at_s, began_s in zip(last, published.values(), strict=True)
    ]
    cuts = quantiles(late, n=100)
    print(f"{LISTENERS} listeners {when}: p50 {cuts[49]:.1f} ms, p99 {cuts[98]:.1f} ms, max")
    print(f"  {max(late):.1f} ms; {len(late)} of {LISTENERS * MOVES} heard;")
    print(f"  the last listener of a move: median {median(whole):.1f} ms")


def new_match() -> Any:
    return ask("/v1/matches", {"game": "jungle", "seats": GUESTS})


def open_streams(count: int, match_id: str | None = None) -> list[socket.socket]:
    """Streams that have begun: of one match, or each of its own."""
    streams = []
    for _ in range(count):
        path = f"/v1/matches/{match_id or new_match()['id']}/events"
        stream = socket.create_connection(("127.0.0.1", PORT))
        head = load.request("GET", path).replace(
            b"\r\n\r\n", b"\r\nAccept: text/event-stream\r\n\r\n"
        )
        stream.sendall(head)
        data = b""
        while b"snapshot" not in data:
            data += stream.recv(65_536)
        streams.append(stream)
    return streams


def play(url: str, match: Any) -> dict[int, float]:
    """Play it move by move. Returns when each version was published."""
    published: dict[int, float] = {}
    with Redis.from_url(url).pubsub(ignore_subscribe_messages=True) as news:
        news.psubscribe(f"events:*:{match['id']}")
        news.get_message(timeout=5)
        note = threading.Thread(target=_note, args=[news, published])
        note.start()
        time.sleep(SETTLE_S)  # until all listen
        tokens = list(match["tokens"].values())
        moves = http.client.HTTPConnection("127.0.0.1", PORT)
        for ply, move in enumerate(game(MOVES)):
            headers = {
                "Content-Type": "application/json",
                "Authorization": f"Bearer {tokens[ply % 2]}",
            }
            body = json.dumps({"move": move, "ply": ply})
            moves.request("POST", f"/v1/matches/{match['id']}/moves", body, headers)
            answer = moves.getresponse()
            assert answer.status == 201, answer.read()
            answer.read()
            time.sleep(PAUSE_S)
        note.join()
    return published


def _note(news: Any, published: dict[int, float]) -> None:
    while len(published) < MOVES:
        message = news.get_message(timeout=30)
        published[int(message["data"])] = time.time()


def listen(match_id: str) -> list[tuple[int, float]]:
    """Hear of every move on every stream: its version, and when."""
    streams, heard = open_streams(LISTENERS, match_id), []
    until_s = time.monotonic() + SETTLE_S + MOVES * (PAUSE_S + 0.1)
    with selectors.DefaultSelector() as selector:
        for stream in streams:
            selector.register(stream, selectors.EVENT_READ, stream.recv)
        while time.monotonic() < until_s:
            for key, _ in selector.select(1):
                heard.append((key.data(65_536), time.time()))
    for stream in streams:
        stream.close()
    return [(int(version), at_s) for data, at_s in heard for version in _MOVE.findall(data)]


def _wait_until_ready() -> None:
    for _ in range(600):
        try:
            ask("/readyz")
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
        else:
            return


def _workers() -> list[int]:
    """The API's workers: those whose parent runs the same command."""
    commands = {
        int(folder.name): (folder / "cmdline").read_bytes()
        for folder in Path("/proc").iterdir()
        if folder.name.isdigit() and os.access(folder / "cmdline", os.R_OK)
    }
    ours = {pid for pid, command in commands.items() if f"127.0.0.1:{PORT}".encode() in command}
    return [pid for pid in ours if _stat(pid)[1] in map(str, ours) and b"gunicorn" in commands[pid]]


def _stat(pid: int) -> list[str]:
    """The fields of /proc/<pid>/stat from the third on."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


def _cpu_s(pids: list[int]) -> float:
    ticks = sum(int(_stat(pid)[11]) + int(_stat(pid)[12]) for pid in pids)
    return ticks / os.sysconf("SC_CLK_TCK")


def _private_bytes(pids: list[int]) -> int:
    maps = "".join(Path(f"/proc/{pid}/smaps_rollup").read_text() for pid in pids)
    return 1024 * sum(map(int, re.findall(r"^Private_\w+: +(\d+)", maps, re.MULTILINE)))


if __name__ == "__main__":
    main()
