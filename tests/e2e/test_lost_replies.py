"""A client whose connection breaks before the answer, and who asks again."""

import uuid

import pytest
import requests

from tests.e2e.conftest import PATIENCE_S, check_record

KEY = {"Idempotency-Key": "the first move"}


@pytest.fixture(params=[{}, KEY], ids=["without a key", "with a key"])
def key(request):
    return request.param


def send_and_hang_up(match, key):
    body = {"move": "a3a4", "ply": 0}
    match.server.send_and_hang_up(f"{match.path}/moves", body, match.bearer("white") | key)


def test_a_move_whose_answer_was_lost_is_played_once(servers, matches, key):
    match = servers[0].create()
    send_and_hang_up(match, key)
    version = match.created["version"]
    assert [event["type"] for event in match.events(version, wait=25)] == ["move.played"]
    for server in servers:
        answer = match.move("white", "a3a4", 0, via=server, **key)
        assert answer.status_code == (201 if key else 200)
        assert answer.headers["Idempotent-Replayed"] == "true"
        assert answer.json() == match.get(seat="white")
    assert check_record(matches, match.id) == ["a3a4"]


def test_a_retry_that_overtakes_the_lost_request_changes_nothing(servers, matches, key):
    for _ in range(10):
        match = servers[0].create()
        send_and_hang_up(match, key)
        answer = match.move("white", "a3a4", 0, via=servers[1], **key)
        again = match.move("white", "a3a4", 0, via=servers[0], **key)
        assert answer.status_code in ((201,) if key else (200, 201))
        assert again.status_code == (201 if key else 200)
        assert again.headers["Idempotent-Replayed"] == "true"
        assert answer.json() == again.json()
        assert check_record(matches, match.id) == ["a3a4"]


def test_the_answer_of_a_lost_move_is_given_however_far_the_match_went_on(server, matches, key):
    match = server.create()
    send_and_hang_up(match, key)
    match.events(match.created["version"], wait=25)
    assert match.move("black", "g7g6", 1).status_code == 201
    assert match.move("white", "a4a5", 2).status_code == 201
    answer = match.move("white", "a3a4", 0, **key)
    assert answer.status_code == (201 if key else 200)
    assert answer.json() == match.get(seat="white")
    assert check_record(matches, match.id) == ["a3a4", "g7g6", "a4a5"]


def test_a_key_that_comes_with_another_move_is_refused(server, matches):
    match = server.create()
    assert match.move("white", "a3a4", 0, **KEY).status_code == 201
    answer = match.move("white", "g3g4", 0, **KEY)
    assert (answer.status_code, answer.json()["code"]) == (422, "idempotency_key_reused")
    assert check_record(matches, match.id) == ["a3a4"]


def test_a_creation_whose_answer_was_lost_makes_one_match(servers):
    key = {"Idempotency-Key": str(uuid.uuid4())}
    body = {"game": "jungle"}
    servers[0].send_and_hang_up("/v1/matches", body, key)
    answers = [
        requests.post(f"{server.url}/v1/matches", json=body, headers=key, timeout=PATIENCE_S)
        for server in servers
    ]
    assert [answer.status_code for answer in answers] == [201, 201]
    assert answers[0].json() == answers[1].json()
    listed = requests.get(f"{servers[0].url}/v1/matches", timeout=PATIENCE_S).json()["items"]
    assert [item["id"] for item in listed] == [answers[0].json()["id"]]
