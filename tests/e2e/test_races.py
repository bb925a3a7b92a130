"""Many clients at the same instant, over two server processes."""

from collections import Counter

import requests

from tests.e2e.conftest import CROWD, PATIENCE_S, at_once, check_record


def test_one_move_sent_by_forty_clients_is_played_once(servers, matches):
    match = servers[0].create()
    answers = at_once(
        [lambda n=n: match.move("white", "a3a4", 0, via=servers[n % 2]) for n in range(CROWD)]
    )
    assert Counter(answer.status_code for answer in answers) == {201: 1, 200: CROWD - 1}
    for answer in answers:
        replayed = answer.headers.get("Idempotent-Replayed")
        assert replayed == (None if answer.status_code == 201 else "true")
    assert len({answer.content for answer in answers}) == 1
    assert check_record(matches, match.id) == ["a3a4"]


def test_of_different_moves_for_one_ply_one_is_played(servers, matches):
    match = servers[0].create()
    legal = match.get("/legal-moves", seat="white")["moves"]
    answers = at_once(
        [
            lambda n=n: (
                legal[n % len(legal)],
                match.move("white", legal[n % len(legal)], 0, via=servers[n % 2]),
            )
            for n in range(min(CROWD, len(legal)))
        ]
    )
    (played,) = [text for text, answer in answers if answer.status_code == 201]
    refused = [answer for _, answer in answers if answer.status_code != 201]
    assert {(answer.status_code, answer.json()["code"]) for answer in refused} == {
        (409, "stale_ply")
    }
    assert check_record(matches, match.id) == [played]


def test_of_forty_clients_with_a_few_moves_only_the_first_of_one_move_is_201(servers, matches):
    match = servers[0].create()
    legal = match.get("/legal-moves", seat="white")["moves"][:4]
    texts = [legal[n % 4] for n in range(CROWD)]
    answers = at_once(
        [
            lambda n=n, text=text: match.move("white", text, 0, via=servers[n // 4 % 2])
            for n, text in enumerate(texts)
        ]
    )
    (played,) = check_record(matches, match.id)
    for text, status in {
        (text, answer.status_code) for text, answer in zip(texts, answers, strict=True)
    }:
        assert status in ((200, 201) if text == played else (409,))
    assert [answer.status_code for answer in answers].count(201) == 1


def test_a_resignation_beside_a_move_is_never_lost(servers, matches):
    for _ in range(40):
        match = servers[0].create()
        moved, resigned = at_once(
            [
                lambda match=match: match.move("white", "a3a4", 0, via=servers[0]),
                lambda match=match: match.post("resign", "black", via=servers[1]),
            ]
        )
        assert resigned.status_code == 200
        assert moved.status_code in (201, 409)
        after = match.get()
        assert (after["status"], after["result"]["winner"]) == ("finished", "white")
        assert after["result"]["reason"] == "resignation"
        assert after["ply"] == (moved.status_code == 201)
        check_record(matches, match.id)


def test_an_open_seat_goes_to_one_of_forty(servers, matches):
    match = servers[0].create(seats={"white": {"kind": "guest"}, "black": {"kind": "open"}})

    def take(n):
        seat = ("black", "any")[n // 2 % 2]
        address = f"{servers[n % 2].url}{match.path}/seats/{seat}"
        return requests.post(address, json={"name": f"guest {n}"}, timeout=PATIENCE_S)

    answers = at_once([lambda n=n: take(n) for n in range(CROWD)])
    (winner,) = [answer.json() for answer in answers if answer.status_code == 201]
    losers = [answer for answer in answers if answer.status_code != 201]
    assert {(answer.status_code, answer.json()["code"]) for answer in losers} == {
        (409, "seat_taken")
    }
    after = match.get()
    assert after["seats"]["black"] == winner["seats"]["black"]
    assert after["version"] == match.created["version"] + 1
    match.tokens |= winner["tokens"]
    assert match.get(seat="black")["viewer"] == "black"
