"""`python -m bench.answer`: from a person's move to the committed answer of `jungle-1`.

On the service as `make run` starts it, one person who plays one match after the other. The
time counts from the sending of the move to the publication of the bot's commit, by one system
clock; what a worker checks on the side runs on the same cores.
"""

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from statistics import quantiles
from typing import Any

from redis import Redis

from bench.__main__ import PORT, ask, wait_until_ready
from menagerie.games.jungle import JunglePosition
from menagerie.store import embedded

MOVES = 500
SEATS = {"white": {"kind": "guest"}, "black": {"kind": "bot", "bot": "jungle-1"}}


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "PORT": str(PORT), "MENAGERIE_DATA": folder}
        service = subprocess.Popen([sys.executable, "-m", "menagerie.serve"], env=environment)
        try:
            wait_until_ready()
            report(sorted(answers(embedded.start(Path(folder)).url)))
        finally:
            service.send_signal(signal.SIGTERM)
            service.wait()


def report(waits: list[float]) -> None:
    cuts = quantiles(waits, n=100)
    print(f"{len(waits)} answers of jungle-1, from the sending of the person's move")
    print(
        f"p50 {cuts[49]:.1f} ms, p95 {cuts[94]:.1f} ms, p99 {cuts[98]:.1f} ms, max {waits[-1]:.1f}"
    )


def answers(url: str) -> list[float]:
    """How long each answer took, in ms."""
    luck, found = random.Random(1), list[float]()
    with Redis.from_url(url).pubsub(ignore_subscribe_messages=True) as news:
        news.psubscribe("events:*")
        while len(found) < MOVES:
            match = ask("/v1/matches", {"game": "jungle", "seats": SEATS})
            found += one_match(news, luck, match, MOVES - len(found))
    return found


def one_match(news: Any, luck: random.Random, match: dict[str, Any], most: int) -> list[float]:
    """The waits of one match at random, until it ends or `most` are measured."""
    found, token = list[float](), match["tokens"]["white"]
    path = f"/v1/matches/{match['id']}"
    while match["status"] == "active" and len(found) < most:
        position = JunglePosition.parse(match["position"])
        body = {"move": luck.choice(position.moves("white")), "ply": match["ply"]}
        sent_s = time.time()
        after = move(f"{path}/moves", body, token)
        if after["status"] != "active":
            break
        found.append((published(news, match["id"], after["version"] + 1) - sent_s) * 1000)
        match = {**ask(path), "tokens": match["tokens"]}
    return found


def move(path: str, body: dict[str, Any], token: str) -> Any:
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {token}"}
    url = f"http://127.0.0.1:{PORT}{path}"
    request = urllib.request.Request(url, json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def published(news: Any, match_id: str, version: int) -> float:
    """When the commit of this version was told of."""
    give_up_s = time.time() + 30
    while time.time() < give_up_s:
        message = news.get_message(timeout=1)
        if message is None:  # nothing, or the answer to the subscription
            continue
        told = message["channel"].decode().rpartition(":")[2], int(message["data"])
        if told == (match_id, version):
            return time.time()
    raise TimeoutError(f"no answer in {match_id}")


if __name__ == "__main__":
    main()
