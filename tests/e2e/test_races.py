"""What many do at once, over two server processes; the store is looked into afterwards."""

import json
import socket
import threading
from collections import Counter
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import pytest
import requests
from redis import Redis

from menagerie.store.matches import Matches
from tests.e2e.conftest import Server

THREADS = 40
GUESTS = {"white": {"kind": "guest"}, "black": {"kind": "guest"}}


@pytest.fixture
def store(redis: Redis) -> Matches:
    return Matches(redis)


def create(server: Server, **wish: Any) -> dict[str, Any]:
    answer = requests.post(f"{server.url}/v1/matches", json={"game": "jungle", **wish}, timeout=10)
    assert answer.status_code == 201
    return answer.json()


def at_once(count: int, act: Callable[[int], int]) -> Counter[int]:
    """The statuses of `act(0)` … `act(count - 1)`, all begun together."""
    barrier, statuses = threading.Barrier(count), list[int]()

    def run(nth: int) -> None:
        barrier.wait()
        statuses.append(act(nth))

    threads = [threading.Thread(target=run, args=(nth,)) for nth in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return Counter(statuses)


def post(server: Server, match: dict[str, Any], path: str, seat: str, body: Any = None) -> int:
    return requests.post(
        f"{server.url}/v1/matches/{match['id']}/{path}",
        json=body,
        headers={"Authorization": f"Bearer {match['tokens'][seat]}"},
        timeout=30,
    ).status_code


def record_rebuilds(store: Matches, match_id: str) -> int:
    """Fail unless the record leads to the stored position. Returns the number of plies."""
    match = store.load(match_id).match
    assert match is not None
    record = store.record(match)
    assert record.rebuild() == match.position
    assert len(record.plies) == match.ply
    return match.ply


def test_of_forty_equal_moves_one_is_committed(servers: list[Server], store: Matches) -> None:
    match = create(servers[0], seats=GUESTS)
    body = {"move": "a3a4", "ply": 0}
    statuses = at_once(THREADS, lambda nth: post(servers[nth % 2], match, "moves", "white", body))
    assert statuses == {201: 1, 200: THREADS - 1}
    assert record_rebuilds(store, match["id"]) == 1


def test_of_many_different_moves_one_is_committed(servers: list[Server], store: Matches) -> None:
    match = create(servers[0], seats=GUESTS)
    head = {"Authorization": f"Bearer {match['tokens']['white']}"}
    path = f"{servers[0].url}/v1/matches/{match['id']}/legal-moves"
    moves = requests.get(path, headers=head, timeout=10).json()["moves"]

    def move(nth: int) -> int:
        return post(servers[nth % 2], match, "moves", "white", {"move": moves[nth], "ply": 0})

    assert at_once(len(moves), move) == {201: 1, 409: len(moves) - 1}
    assert record_rebuilds(store, match["id"]) == 1


def test_a_resignation_beside_a_move_is_never_undone(servers: list[Server], store: Matches) -> None:
    for _ in range(20):
        match = create(servers[0], seats=GUESTS)

        def act(nth: int, match: dict[str, Any] = match) -> int:
            if nth == 0:
                return post(servers[0], match, "resign", "black")
            return post(servers[1], match, "moves", "white", {"move": "a3a4", "ply": 0})

        at_once(2, act)
        stored = store.load(match["id"]).match
        assert stored is not None and stored.result is not None
        assert (stored.status, stored.result.reason) == ("finished", "resignation")
        assert record_rebuilds(store, match["id"]) in (0, 1)


def test_of_forty_who_want_the_open_seat_one_gets_it(servers: list[Server], store: Matches) -> None:
    match = create(servers[0])

    def take(nth: int) -> int:
        path = f"{servers[nth % 2].url}/v1/matches/{match['id']}/seats/any"
        return requests.post(path, timeout=30).status_code

    assert at_once(THREADS, take) == {201: 1, 409: THREADS - 1}
    stored = store.load(match["id"]).match
    assert stored is not None and stored.status == "active"


@pytest.mark.parametrize(("key", "status"), [({}, 200), ({"Idempotency-Key": "one"}, 201)])
def test_a_move_whose_answer_was_lost_is_answered_again_and_played_once(
    servers: list[Server], store: Matches, key: dict[str, str], status: int
) -> None:
    match = create(servers[0], seats=GUESTS)
    body = json.dumps({"move": "a3a4", "ply": 0})
    path = f"/v1/matches/{match['id']}/moves"
    headers = {
        "Authorization": f"Bearer {match['tokens']['white']}",
        "Content-Type": "application/json",
        "Content-Length": str(len(body)),
        "Host": "test",
        **key,
    }
    address = urlsplit(servers[0].url)
    with socket.create_connection((address.hostname or "", address.port or 0)) as line:
        head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        line.sendall(f"POST {path} HTTP/1.1\r\n{head}\r\n{body}".encode())
    # The line is cut. Whoever of the two comes first plays it, the other is answered.
    for _ in range(2):
        again = requests.post(f"{servers[1].url}{path}", data=body, headers=headers, timeout=10)
    assert again.status_code == status
    assert again.headers["Idempotent-Replayed"] == "true"
    assert (again.json()["ply"], again.json()["last_move"]["move"]) == (1, "a3a4")
    assert record_rebuilds(store, match["id"]) == 1
