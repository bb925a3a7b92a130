"""Real server processes on the tests' Redis, and clients that talk to them as front ends do."""

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

import pytest
import requests
from redis import Redis

from menagerie.games import GAMES
from menagerie.play.settings import connect
from menagerie.serve import api_command
from menagerie.store.matches import Matches

ROOT = Path(__file__).parents[2]
GUESTS = {"white": {"kind": "guest", "name": "Ann"}, "black": {"kind": "guest", "name": "Bob"}}
PATIENCE_S = 60.0
CROWD = 40

Found = TypeVar("Found")


def until(look: Callable[[], Found], what: str, patience_s: float = PATIENCE_S) -> Found:
    """What `look` finds, as soon as it finds something."""
    pause, give_up = threading.Event(), time.monotonic() + patience_s
    while not (found := look()):
        assert time.monotonic() < give_up, f"waited in vain: {what}"
        pause.wait(0.02)
    return found


class Process:
    """A part of the service, in a process group of its own."""

    def __init__(self, redis_url: str, *command: str, **more: Any) -> None:
        known = {name: value for name, value in os.environ.items() if "MENAGERIE" not in name}
        self.process = subprocess.Popen(
            [sys.executable, "-m", *command],
            cwd=ROOT,
            env={
                **known,
                "PYTHONPATH": str(ROOT),
                "MENAGERIE_REDIS_URL": redis_url,
                "MENAGERIE_SECRET": "a secret of the tests",
            },
            process_group=0,
            **more,
        )

    def kill(self) -> None:
        """End it and its workers as a power cut would."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def stop(self) -> None:
        """Ask it to end; see that it does."""
        self.process.terminate()
        try:
            self.process.wait(20)
        finally:
            self.kill()


class Server(Process):
    """One API server, as `menagerie.serve` starts it, with one worker. `port`: None for any."""

    def __init__(self, redis_url: str, port: int | None = None) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port: int = port or probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        super().__init__(redis_url, *api_command("127.0.0.1", self.port, workers=1)[2:])

    def wait_until_ready(self) -> "Server":
        until(lambda: self.status("/readyz") == 200, "a server that is ready")
        return self

    def status(self, path: str) -> int | None:
        """The status of the answer to a GET; None if there is no answer."""
        try:
            return requests.get(self.url + path, timeout=PATIENCE_S).status_code
        except requests.ConnectionError:
            assert self.process.poll() is None, "the server has ended"
            return None

    def create(self, **wish: Any) -> "Match":
        body = {"game": "jungle", "seats": GUESTS, **wish}
        response = requests.post(f"{self.url}/v1/matches", json=body, timeout=PATIENCE_S)
        assert response.status_code == 201, response.text
        return Match(self, response.json())

    def send_and_hang_up(self, path: str, body: Any, headers: dict[str, str]) -> None:
        """A POST whose sender is gone before the answer comes."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)
        connection.request(
            "POST", path, json.dumps(body), {"Content-Type": "application/json", **headers}
        )
        connection.close()


class Match:
    """A match, and the tokens of its seats. `via` names the server to ask, if not its own."""

    def __init__(self, server: Server, created: dict[str, Any]) -> None:
        self.server = server
        self.id: str = created["id"]
        self.path = f"/v1/matches/{self.id}"
        self.tokens: dict[str, str] = created["tokens"]
        self.created = created

    def bearer(self, seat: str) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.tokens[seat]}"}

    def get(self, what: str = "", via: Server | None = None, seat: str | None = None) -> Any:
        response = requests.get(
            (via or self.server).url + self.path + what,
            headers=self.bearer(seat) if seat else {},
            timeout=PATIENCE_S,
        )
        assert response.status_code == 200, response.text
        return response.json()

    def post(
        self,
        act: str,
        seat: str | None,
        body: Any = None,
        via: Server | None = None,
        **headers: str,
    ) -> requests.Response:
        return requests.post(
            f"{(via or self.server).url}{self.path}/{act}",
            json=body,
            headers={**(self.bearer(seat) if seat else {}), **headers},
            timeout=PATIENCE_S,
        )

    def move(
        self, seat: str, text: str, ply: int, via: Server | None = None, **headers: str
    ) -> requests.Response:
        return self.post("moves", seat, {"move": text, "ply": ply}, via, **headers)

    def events(self, after: str, wait: int = 0) -> list[dict[str, Any]]:
        """The events after this one, as a long poll brings them."""
        return self.get(f"/events?after={after}&wait={wait}")["items"]


class Writers:
    """Players who move as fast as they are answered, each pair in a match of its own."""

    def __init__(self, server: Server, matches: int) -> None:
        self.matches = [server.create() for _ in range(matches)]
        self.answered: dict[str, list[str]] = {match.id: [] for match in self.matches}
        self._threads = [threading.Thread(target=self._play, args=[m]) for m in self.matches]
        for thread in self._threads:
            thread.start()

    def _play(self, match: Match) -> None:
        position = GAMES["jungle"].position.parse(match.created["position"])
        moves = self.answered[match.id]
        while position.outcome() is None:
            (seat,) = position.to_move()
            choices = list(position.moves(seat))
            text = choices[len(moves) * 7 % len(choices)]
            try:
                response = match.move(seat, text, len(moves))
            except requests.RequestException:
                return
            if response.status_code == 503:
                return
            assert response.status_code == 201, response.text
            moves.append(text)
            position = position.play(seat, text)

    def wait_for(self, moves: int) -> None:
        """Return once so many moves were answered with 2xx, in every match some."""
        until(lambda: self.count() >= moves and all(self.answered.values()), "moves")

    def count(self) -> int:
        return sum(map(len, self.answered.values()))

    def join(self) -> None:
        for thread in self._threads:
            thread.join(PATIENCE_S)
            assert not thread.is_alive()

    def check_kept(self, matches: Matches) -> None:
        """Every move answered with 2xx is in its record, which leads to the stored position."""
        for match_id, moves in self.answered.items():
            texts = check_record(matches, match_id)
            assert texts[: len(moves)] == moves
            assert len(texts) <= len(moves) + 1  # the one whose answer was lost, at most


def check_record(matches: Matches, match_id: str) -> list[str]:
    """The moves of the record, which leads to the stored position, ply by ply."""
    match = matches.load(match_id).match
    assert match is not None
    record = matches.record(match)
    assert record.rebuild() == match.position
    assert [ply.ply for ply in record.plies] == list(range(1, match.ply + 1))
    return [ply.move for ply in record.plies]


def at_once(acts: list[Callable[[], Found]]) -> list[Found]:
    """What comes of these acts when all begin at the same instant."""
    start = threading.Barrier(len(acts), timeout=PATIENCE_S)

    def run(act: Callable[[], Found]) -> Found:
        start.wait()
        return act()

    with ThreadPoolExecutor(len(acts)) as pool:
        return list(pool.map(run, acts))


@pytest.fixture(scope="session")
def both_servers(redis_url: str) -> Iterator[tuple[Server, Server]]:
    started = Server(redis_url), Server(redis_url)
    try:
        yield started[0].wait_until_ready(), started[1].wait_until_ready()
    finally:
        for server in started:
            server.stop()


@pytest.fixture
def servers(both_servers: tuple[Server, Server], redis: Redis) -> tuple[Server, Server]:
    """Two servers over one empty store."""
    return both_servers


@pytest.fixture
def server(servers: tuple[Server, Server]) -> Server:
    return servers[0]


@pytest.fixture
def matches(redis_url: str) -> Iterator[Matches]:
    """The store behind the servers."""
    with connect(redis_url) as client:
        yield Matches(client)


@pytest.fixture
def timekeeper(redis: Redis, redis_url: str) -> Iterator[Process]:
    process = Process(redis_url, "workers.timekeeper")
    yield process
    process.stop()
