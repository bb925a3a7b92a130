"""`python -m bench`: moves through the API against a bare hello, on one server in one run."""

import json
import os
import random
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path
from statistics import median
from typing import Any

from bench import load
from menagerie.games.jungle import JunglePosition
from menagerie.serve import api_command
from menagerie.store import embedded

PORT = 8765
CONNECTIONS = 32
PLIES = 100
ROUNDS = 10


def game(plies: int) -> list[str]:
    """A random game of this many plies that does not end within them."""
    luck, position, moves = random.Random(1), JunglePosition.start({}, b""), []
    while len(moves) < plies:
        move = luck.choice(position.moves(position.side))
        after = position.play(position.side, move)
        if after.outcome() is None:
            position, moves = after, [*moves, move]
    return moves


def ask(path: str, body: dict[str, Any] | None = None) -> Any:
    request = urllib.request.Request(
        f"http://127.0.0.1:{PORT}{path}",
        None if body is None else json.dumps(body).encode(),
        {"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def script(moves: list[str]) -> list[bytes]:
    """The requests of one match, both sides on one connection."""
    seats = {"white": {"kind": "guest"}, "black": {"kind": "guest"}}
    match = ask("/v1/matches", {"game": "jungle", "seats": seats})
    tokens = list(match["tokens"].values())
    path = f"/v1/matches/{match['id']}/moves"
    return [
        load.request("POST", path, json.dumps({"move": move, "ply": ply}).encode(), tokens[ply % 2])
        for ply, move in enumerate(moves)
    ]


def main() -> None:
    moves = game(PLIES)
    with tempfile.TemporaryDirectory() as folder:
        redis = embedded.start(Path(folder))
        environment = {**os.environ, "MENAGERIE_REDIS_URL": redis.url, "MENAGERIE_SECRET": "bench"}
        command = [*api_command("127.0.0.1", PORT, workers=2)[:-1], "bench.app:app"]
        server = subprocess.Popen(command, env=environment)
        try:
            wait_until_ready()
            ratios = [_round(moves) for _ in range(ROUNDS)]
            print(f"ratio of {ROUNDS} rounds: median {median(ratios):.2f}")
        finally:
            server.terminate()
            server.wait()
            redis.stop()


def wait_until_ready() -> None:
    for _ in range(300):
        try:
            ask("/readyz")
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
        else:
            return


def _round(moves: list[str]) -> float:
    scripts = [script(moves) for _ in range(CONNECTIONS)]
    hello = load.run(PORT, [[load.request("GET", "/hello/")] * 300] * CONNECTIONS)
    played = load.run(PORT, scripts)
    ratio = played.per_second / hello.per_second
    print(f"hello {hello.per_second:.0f}/s, moves {played.per_second:.0f}/s, ratio {ratio:.2f},")
    print(f"  a move p50 {played.p50_ms:.1f} ms, p99 {played.p99_ms:.1f} ms, {played.statuses}")
    return ratio


if __name__ == "__main__":
    main()
