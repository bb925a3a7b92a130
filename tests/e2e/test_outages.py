"""Redis away, and processes killed in the middle of play."""

import os
import signal
import time
from collections.abc import Iterator

import pytest
import requests

from menagerie.play.settings import STORE_TIMEOUT_S, connect
from menagerie.store import embedded
from menagerie.store.matches import Matches
from tests.e2e.conftest import PATIENCE_S, Process, Server, Writers, at_once, check_record, until


class Store:
    """A Redis of the test's own, with its data on the disk, that can go away and come back."""

    def __init__(self, folder):
        self.folder = folder
        self.server = embedded.start(folder)
        self.url = self.server.url

    def kill(self):
        os.kill(self.server.process.pid, signal.SIGKILL)
        self.server.process.wait()

    def start(self):
        self.server = embedded.start(self.folder)
        assert self.server.url == self.url


@pytest.fixture(scope="module")
def store(tmp_path_factory) -> Iterator[Store]:
    store = Store(tmp_path_factory.mktemp("store"))
    yield store
    store.server.stop()


@pytest.fixture(scope="module")
def server(store) -> Iterator[Server]:
    """A server over that store."""
    server = Server(store.url)
    try:
        yield server.wait_until_ready()
    finally:
        server.kill()


def kept(store) -> Matches:
    return Matches(connect(store.url))


def check_away(response):
    """503 as the contract has it."""
    assert response.status_code == 503
    assert response.headers["Content-Type"] == "application/problem+json"
    assert int(response.headers["Retry-After"]) >= 1
    assert response.json()["code"] == "store_away"
    assert response.json()["retry_after"] >= 1


def test_while_redis_is_away_answers_are_503_and_play_goes_on_after(server, store):
    match = server.create()
    assert match.move("white", "a3a4", 0).status_code == 201
    store.kill()
    check_away(match.move("black", "g7g6", 1))
    check_away(match.post("resign", "black"))
    for path in ("/readyz", "/v1/time", "/v1/matches", match.path, f"{match.path}/events"):
        check_away(requests.get(server.url + path, timeout=PATIENCE_S))
    check_away(
        requests.post(f"{server.url}/v1/matches", json={"game": "jungle"}, timeout=PATIENCE_S)
    )
    assert server.status("/livez") == 200
    assert server.status("/v1/games") == 200
    store.start()
    until(lambda: server.status("/readyz") == 200, "a server that has found its store again")
    assert match.move("black", "g7g6", 1).status_code == 201
    assert [ply["move"] for ply in match.get("/replay")["plies"]] == ["a3a4", "g7g6"]


def test_a_redis_that_hangs_is_503_for_everyone_within_seconds(server, store):
    match = server.create()
    os.kill(store.server.process.pid, signal.SIGSTOP)
    began = time.monotonic()
    try:
        answers = at_once(
            [
                lambda: requests.get(f"{server.url}/readyz", timeout=PATIENCE_S),
                lambda: match.move("white", "a3a4", 0),
                lambda: requests.get(server.url + match.path, timeout=PATIENCE_S),
                lambda: requests.get(f"{server.url}/livez", timeout=PATIENCE_S),
            ]
        )
        took_s = time.monotonic() - began
    finally:
        os.kill(store.server.process.pid, signal.SIGCONT)
    live = answers.pop()
    assert live.status_code == 200
    for answer in answers:
        check_away(answer)
    assert took_s < 2 * STORE_TIMEOUT_S
    assert server.status("/readyz") == 200
    assert match.move("white", "a3a4", 0).status_code in (200, 201)
    assert check_record(kept(store), match.id) == ["a3a4"]


def test_a_reader_who_waits_is_served_after_redis_came_back(server, store):
    match = server.create()
    assert match.events(match.created["version"], wait=1) == []
    store.kill()
    assert server.status("/readyz") == 503
    store.start()
    until(lambda: server.status("/readyz") == 200, "a server that has found its store again")
    assert match.move("white", "a3a4", 0).status_code == 201
    (event,) = match.events(match.created["version"], wait=25)
    assert event["type"] == "move.played"


def test_the_timekeeper_outlives_its_store(server, store):
    timekeeper = Process(store.url, "workers.timekeeper")
    try:
        match = server.create(time_control={"type": "absolute", "initial_ms": 1000})
        store.kill()
        assert server.status("/readyz") == 503
        store.start()
        until(lambda: server.status("/readyz") == 200, "a server that has found its store again")
        found = match.events(match.created["version"], wait=25)
        assert [event["type"] for event in found] == ["match.finished"]
        assert found[0]["at"] == match.created["clock"]["deadline"]
        assert timekeeper.process.poll() is None
    finally:
        timekeeper.stop()


def test_a_killed_redis_has_everything_that_was_answered(server, store):
    writers = Writers(server, matches=6)
    writers.wait_for(moves=60)
    store.kill()
    writers.join()
    store.start()
    writers.check_kept(kept(store))
    until(lambda: server.status("/readyz") == 200, "a server that has found its store again")


def test_a_killed_server_leaves_everything_that_it_answered(store):
    doomed = Server(store.url)
    try:
        writers = Writers(doomed.wait_until_ready(), matches=6)
        writers.wait_for(moves=60)
    finally:
        doomed.kill()
    writers.join()
    writers.check_kept(kept(store))
