"""`python -m bench.memory`: what a finished match of 100 plies takes in Redis."""

import tempfile
from pathlib import Path

from bench.__main__ import PLIES, game
from menagerie.match import Occupant
from menagerie.play.referee import Call, Wish
from menagerie.play.settings import Settings, open_referee
from menagerie.play.tokens import Claim
from menagerie.store import embedded

MATCHES = 100


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        server = embedded.start(Path(folder), appendonly=False)
        try:
            measure(server.url)
        finally:
            server.stop()


def measure(url: str) -> None:
    referee = open_referee(Settings(url, url, "bench"))
    redis, keys = referee.matches.redis, referee.matches.keys
    before, guest, moves = redis.info("memory")["used_memory"], Occupant("guest"), game(PLIES)
    for _ in range(MATCHES):
        match = referee.create(Wish("jungle", white=guest, black=guest), Call()).match
        for ply, move in enumerate(moves):
            seat = "white" if ply % 2 == 0 else "black"
            referee.move(match.id, (move,), ply, Call(Claim(match.id, seat, 0)))
        referee.resign(match.id, Call(Claim(match.id, "white", 0)))
    after = redis.info("memory")["used_memory"]
    print(f"{(after - before) / MATCHES:.0f} bytes a finished match of {PLIES} plies")
    for key in keys.of_match(match.id):
        print(f"  {key.partition(':')[0]}: {redis.memory_usage(key, samples=0) or 0} bytes")


if __name__ == "__main__":
    main()
