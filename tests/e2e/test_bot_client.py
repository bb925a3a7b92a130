"""The bot of `examples/`: two of them, as their author would run them."""

import subprocess
import sys
from collections.abc import Iterator

import pytest
import requests

from tests.e2e.conftest import PATIENCE_S, ROOT, Server, check_record, until


class Bots:
    """Processes of examples/bot.py."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.running: list[subprocess.Popen[str]] = []

    def run(self, name: str, matches: int = 1, *more: str) -> "subprocess.Popen[str]":
        self.running.append(
            subprocess.Popen(
                [sys.executable, "examples/bot.py", self.url, name, f"--matches={matches}", *more],
                cwd=ROOT,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
        )
        return self.running[-1]


@pytest.fixture
def bots(server: Server) -> Iterator[Bots]:
    bots = Bots(server.url)
    yield bots
    for bot in bots.running:
        bot.kill()
        bot.wait()
        bot.stdout.close()
        bot.stderr.close()


def lobby(server: Server) -> list[dict]:
    return requests.get(f"{server.url}/v1/matches?status=open", timeout=PATIENCE_S).json()["items"]


def test_two_bots_find_each_other_and_play_to_the_end(server, bots, matches):
    ada = bots.run("Ada", matches=1)
    until(lambda: lobby(server), "a match in the lobby")
    bob = bots.run("Bob", matches=1)
    told = [bot.communicate(timeout=PATIENCE_S)[0].splitlines() for bot in (ada, bob)]
    assert [bot.returncode for bot in (ada, bob)] == [0, 0]
    ((first,), (second,)) = told
    match_id, viewer, result = first.split(" ", 2)
    assert (viewer, second) == ("white", f"{match_id} black {result}")
    match = requests.get(f"{server.url}/v1/matches/{match_id}", timeout=PATIENCE_S).json()
    assert (match["status"], str(match["result"])) == ("finished", result)
    assert [match["seats"][seat]["name"] for seat in ("white", "black")] == ["Ada", "Bob"]
    assert len(check_record(matches, match_id)) == match["ply"] > 10


def test_a_bot_that_asks_for_an_opponent_the_service_has_not_says_so(bots):
    ada = bots.run("Ada", 1, "--against=jungle-99")
    assert "422" in ada.communicate(timeout=PATIENCE_S)[1]
    assert ada.returncode == 1


def test_a_bot_plays_on_after_its_server_was_restarted(redis, redis_url, matches):
    server = Server(redis_url).wait_until_ready()
    bots = Bots(server.url)
    try:
        bots.run("Ada", matches=1)
        until(lambda: lobby(server), "a match in the lobby")
        (match_id,) = [match["id"] for match in lobby(server)]
        path = f"{server.url}/v1/matches/{match_id}"
        token = requests.post(f"{path}/seats/any", timeout=PATIENCE_S).json()["tokens"]["black"]
        until(lambda: matches.load(match_id).match.ply == 1, "the bot's first move")
        server.stop()
        server = Server(redis_url, server.port).wait_until_ready()
        bearer = {"Authorization": f"Bearer {token}"}
        body = {"move": "g7g6", "ply": 1}
        moved = requests.post(f"{path}/moves", json=body, headers=bearer, timeout=PATIENCE_S)
        assert moved.status_code == 201
        until(lambda: matches.load(match_id).match.ply == 3, "the bot's second move")
        requests.post(f"{path}/resign", headers=bearer, timeout=PATIENCE_S)
        (told,) = bots.running[0].communicate(timeout=PATIENCE_S)[0].splitlines()
        assert told.startswith(f"{match_id} white ") and "resignation" in told
    finally:
        bots.running[0].kill()
        bots.running[0].wait()
        server.kill()
