"""`python -m bench.timekeeper`: how late flags fall, with 10,000 running clocks.

Lateness counts from deadline + grace to the publication of the commit, by one system clock.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import quantiles

from redis import Redis

from menagerie.clock import Control
from menagerie.match import Occupant
from menagerie.play.referee import GRACE_MS, Call, Wish
from menagerie.play.settings import Settings, open_referee
from menagerie.store import embedded

CLOCKS = 10_000
FALLING = 1_000
OVER_MS = 20_000
LEAD_MS = 60_000


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        server = embedded.start(Path(folder))
        try:
            measure(server.url)
        finally:
            server.stop()


def measure(url: str) -> None:
    """`FALLING` of the clocks fall within `OVER_MS`; the others run on."""
    deadlines = begin(url)
    environment = {**os.environ, "MENAGERIE_REDIS_URL": url, "MENAGERIE_SECRET": "bench"}
    keeper = subprocess.Popen([sys.executable, "-m", "workers.timekeeper"], env=environment)
    try:
        late = sorted(lateness(url, deadlines))
    finally:
        keeper.terminate()
        keeper.wait()
    cuts = quantiles(late, n=100)
    print(f"{len(late)} flags fell among {CLOCKS} clocks: lateness after deadline + grace")
    print(f"p50 {cuts[49]:.1f} ms, p99 {cuts[98]:.1f} ms, max {late[-1]:.1f} ms")


def begin(url: str) -> dict[str, int]:
    """Start the matches. Returns the deadlines of those that fall soon, by match id."""
    referee = open_referee(Settings(url, url, "bench"))
    guest, began_ms = Occupant("guest"), time.time_ns() // 1_000_000
    falling = {}
    for nth in range(CLOCKS):
        share = nth * OVER_MS // FALLING if nth < FALLING else 86_000_000 - LEAD_MS
        falls_ms = began_ms + LEAD_MS + share
        initial_ms = max(falls_ms - time.time_ns() // 1_000_000, 1_000)
        control = Control("absolute", initial_ms=initial_ms)
        wish = Wish("jungle", white=guest, black=guest, control=control)
        match = referee.create(wish, Call()).match
        if nth < FALLING:
            falling[match.id] = match.clock.deadline_ms or 0
    print(f"{CLOCKS} matches begun in {time.time_ns() // 1_000_000 - began_ms} ms")
    return falling


def lateness(url: str, deadlines: dict[str, int]) -> list[float]:
    """How late each flag was told of, in ms."""
    found = []
    with Redis.from_url(url).pubsub(ignore_subscribe_messages=True) as news:
        news.psubscribe("events:*")
        while deadlines:
            message = news.get_message(timeout=5)
            if message is None:
                continue
            now_ms = time.time_ns() / 1_000_000
            if message["data"] == b"1":  # its clock is low, no more
                continue
            deadline_ms = deadlines.pop(message["channel"].decode().rpartition(":")[2], None)
            if deadline_ms is not None:
                found.append(now_ms - deadline_ms - GRACE_MS)
    return found


if __name__ == "__main__":
    main()
