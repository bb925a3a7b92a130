"""Players by HTTP: their tokens, their seats, and what they have earned."""

import re
import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from redis import Redis

from tests.api.conftest import Api, Match, Player
from tests.api.test_matches import refused

ME, OPEN = {"kind": "me"}, {"kind": "open"}
TURNS = ("a3a4", "g7g6", "a4a3", "g6g7")


def duel(white: Player, black: Player, **wish: Any) -> Match:
    """A match that White has made and Black has joined."""
    match = white.create(**wish)
    taken = black.post(f"{match.path}/seats/any")
    assert (taken.status_code, taken.json["viewer"]) == (201, "black"), taken.json
    return match


def play(match: Match, white: Player, black: Player, *texts: str) -> None:
    for ply, text in enumerate(texts):
        mover = (white, black)[ply % 2]
        response = mover.post(f"{match.path}/moves", {"move": text, "ply": ply})
        assert response.status_code == 201, response.json


# Signing up


def test_a_player_signs_up_and_sees_the_token_once(api: Api) -> None:
    response = api.post("/v1/players", {"name": "Ann"})
    ann = Player(api, response.json)
    assert response.status_code == 201
    assert response.headers["Location"] == f"/v1/players/{ann.id}"
    assert response.headers["Cache-Control"] == "no-store"
    profile = api.get(f"/v1/players/{ann.id}")
    assert profile.json == ann.get("/v1/me").json
    assert "token" not in profile.json
    assert (profile.json["name"], profile.json["xp"], profile.json["level"]) == ("Ann", 0, 1)
    assert profile.json["ratings"] == {}


@pytest.mark.parametrize("body", [{}, {"name": ""}, {"name": "x" * 41}])
def test_a_player_needs_a_name(api: Api, body: dict[str, Any]) -> None:
    refused(api.post("/v1/players", body), 400, "bad_request")


def test_the_store_keeps_no_token(api: Api, redis: Redis) -> None:
    ann = api.sign_up()
    ann.create()
    mac = ann.token.rpartition(".")[2].encode()
    assert not [key for key in redis.scan_iter() if mac in key or mac in redis.dump(key)]


def test_a_registration_is_repeated_by_its_key(api: Api) -> None:
    headers = {"Idempotency-Key": str(uuid.uuid4())}
    first = api.post("/v1/players", {"name": "Ann"}, headers=headers)
    again = api.post("/v1/players", {"name": "Ann"}, headers=headers)
    assert (first.json, first.status_code) == (again.json, again.status_code)
    assert again.headers["Idempotent-Replayed"] == "true"
    assert "Idempotent-Replayed" not in first.headers
    other = api.post("/v1/players", {"name": "Ben"}, headers=headers)
    refused(other, 422, "idempotency_key_reused")
    assert api.get(f"/v1/players/{first.json['id']}").json["name"] == "Ann"


def test_an_unknown_player_is_404(api: Api) -> None:
    for path in ("/v1/players/aaaaaaaaaaaaaaaa", "/v1/players/aaaaaaaaaaaaaaaa/matches"):
        refused(api.get(path), 404, "no_such_player")


# Tokens


def test_a_new_token_is_good_and_the_old_one_dead_at_once(api: Api) -> None:
    ann = api.sign_up()
    match = ann.create(seats={"white": ME, "black": {"kind": "guest"}})
    fresh = ann.post("/v1/me/token")
    assert (fresh.status_code, fresh.json["id"]) == (201, ann.id)
    for path in ("/v1/me", match.path, "/v1/matches", f"/v1/players/{ann.id}/matches"):
        refused(ann.get(path), 401, "bad_token")
    refused(ann.post(f"{match.path}/moves", {"move": "a3a4", "ply": 0}), 401, "bad_token")
    refused(ann.post("/v1/me/token"), 401, "bad_token")
    ann.token = fresh.json["token"]
    assert ann.get("/v1/me").status_code == 200
    assert ann.post(f"{match.path}/moves", {"move": "a3a4", "ply": 0}).status_code == 201


def test_a_new_token_whose_answer_was_lost_is_given_again_by_its_key(api: Api) -> None:
    ann = api.sign_up()
    headers = {"Idempotency-Key": "the first"}
    first = ann.post("/v1/me/token", headers=headers)
    again = ann.post("/v1/me/token", headers=headers)
    assert first.json == again.json
    assert again.headers["Idempotent-Replayed"] == "true"
    refused(ann.post("/v1/me/token", headers={"Idempotency-Key": "x"}), 401, "bad_token")
    refused(ann.post("/v1/me/token"), 401, "bad_token")
    refused(ann.get("/v1/me"), 401, "bad_token")
    ann.token = first.json["token"]
    assert ann.post("/v1/me/token", headers={"Idempotency-Key": "next"}).status_code == 201


def test_me_is_for_players(api: Api) -> None:
    guest = api.create()
    for call in (lambda **of: api.get("/v1/me", **of), lambda **of: api.post("/v1/me/token", **of)):
        refused(call(), 401, "no_token")
        refused(call(token=guest.tokens["white"]), 403, "not_yours")
        refused(call(token="made up"), 401, "bad_token")


def texts(value: Any) -> Iterator[str]:
    """Every text in an answer, and the words that it is made of."""
    if isinstance(value, dict):
        value = [*value.keys(), *value.values()]
    if isinstance(value, list):
        for item in value:
            yield from texts(item)
    elif isinstance(value, str | int):
        yield str(value)
        yield from re.findall(r"[\w=.-]+", str(value))


def test_no_identifier_in_any_answer_works_as_a_credential(api: Api) -> None:
    ann, ben = api.sign_up("Ann"), api.sign_up("Ben")
    match = duel(ann, ben, rated=True)
    play(match, ann, ben, *TURNS)
    ben.post(f"{match.path}/resign")
    paths = [
        match.path,
        f"{match.path}/replay?positions=true",
        f"{match.path}/events?after=0",
        f"{match.path}/events",
        f"/v1/players/{ann.id}",
        f"/v1/players/{ann.id}/matches?limit=1",
        "/v1/matches?limit=1",
        "/v1/leaderboards/jungle?limit=1",
        "/v1/me",
        "/v1/limits",
    ]
    found = set[str]()
    for path in paths:
        answer = ann.get(path)
        found |= {*texts(answer.json), *texts(dict(answer.headers))}
    found |= {f"{one}.{end}" for one in (ann.id, match.id) for end in ("p0", "w0", "p0.", "w0.")}
    assert {ann.id, match.id} <= found
    for text in {word for word in found if word.isprintable() and word.isascii()}:
        refused(api.get("/v1/me", token=text), 401, "bad_token")
        refused(api.get(match.path, token=text), 401, "bad_token")


# Seats


def test_by_default_a_player_is_white_and_anyone_may_take_black(api: Api) -> None:
    ann = api.sign_up("Ann")
    match = ann.create()
    created = match.created
    assert (created["creator"], created["status"], created["tokens"]) == (ann.id, "open", {})
    assert created["seats"]["white"] == {
        "kind": "player",
        "name": "Ann",
        "player": ann.id,
        "bot": None,
        "rating": {"value": 1500, "uncertainty": 500, "matches": 0},
    }
    assert ann.get(match.path).json["viewer"] == "white"
    taken = api.post(f"{match.path}/seats/any", {"name": "Guest"})
    assert set(taken.json["tokens"]) == {"black"}
    assert ann.post(f"{match.path}/moves", {"move": "a3a4", "ply": 0}).status_code == 201


def test_a_player_who_wants_black_leaves_white_open(api: Api) -> None:
    ann = api.sign_up()
    seats = ann.create(seats={"black": ME}).created["seats"]
    assert (seats["white"]["kind"], seats["black"]["player"]) == ("open", ann.id)


def test_without_a_players_token_nobody_is_me(api: Api) -> None:
    guest = api.create()
    body = {"game": "jungle", "seats": {"white": ME}}
    refused(api.post("/v1/matches", body), 401, "no_token")
    refused(api.post("/v1/matches", body, guest.tokens["white"]), 401, "no_token")


def test_two_players_play_each_with_one_token_in_any_match(api: Api) -> None:
    ann, ben = api.sign_up("Ann"), api.sign_up("Ben")
    matches = [duel(ann, ben), duel(ann, ben)]
    for match in matches:
        play(match, ann, ben, *TURNS)
        refused(ann.post(f"{match.path}/moves", {"move": "g7g6", "ply": 5}), 409, "stale_ply")
        assert ben.get(match.path).json["viewer"] == "black"
        ended = ben.post(f"{match.path}/resign").json
        assert ended["result"] == {"winner": "white", "reason": "resignation"}


def test_a_players_token_gives_no_right_in_the_matches_of_others(api: Api) -> None:
    ann, ben, eve = api.sign_up("Ann"), api.sign_up("Ben"), api.sign_up("Eve")
    match = duel(ann, ben)
    assert eve.get(match.path).json["viewer"] == "spectator"
    refused(eve.post(f"{match.path}/moves", {"move": "a3a4", "ply": 0}), 403, "not_yours")
    refused(eve.post(f"{match.path}/resign"), 403, "not_yours")
    refused(eve.post(f"{match.path}/abort"), 403, "not_yours")


def test_who_made_a_match_between_others_has_no_right_to_move_in_it(api: Api) -> None:
    ann = api.sign_up()
    match = ann.create(seats={"white": {"kind": "guest"}, "black": {"kind": "guest"}})
    assert match.created["creator"] == ann.id
    assert set(match.tokens) == {"white", "black"}
    assert ann.get(match.path).json["viewer"] == "spectator"
    refused(ann.post(f"{match.path}/moves", {"move": "a3a4", "ply": 0}), 403, "not_yours")


def test_one_player_on_both_seats_is_409(api: Api) -> None:
    ann = api.sign_up()
    refused(
        ann.post("/v1/matches", {"game": "jungle", "seats": {"white": ME, "black": ME}}),
        409,
        "own_match",
    )
    match = ann.create()
    for seat in ("any", "black", "white"):
        refused(ann.post(f"{match.path}/seats/{seat}"), 409, "own_match")


def test_a_player_leaves_a_seat_before_the_start(api: Api) -> None:
    ann, ben = api.sign_up("Ann"), api.sign_up("Ben")
    match = ann.create()
    left = api.call("DELETE", f"{match.path}/seats/white", token=ann.token)
    assert left.json["seats"]["white"]["kind"] == "open"
    assert ann.get(f"/v1/players/{ann.id}/matches").json["items"] == []
    assert len(ann.get("/v1/matches?creator=me").json["items"]) == 1
    ben.post(f"{match.path}/seats/white")
    refused(api.call("DELETE", f"{match.path}/seats/white", token=ann.token), 403, "not_yours")
    assert ann.post(f"{match.path}/seats/any").json["viewer"] == "black"


def test_a_player_sits_under_the_players_name(api: Api) -> None:
    ann, ben = api.sign_up("Ann"), api.sign_up("Ben")
    match = ann.create()
    refused(ben.post(f"{match.path}/seats/any", {"name": "Zoe"}), 400, "bad_request")
    assert ben.post(f"{match.path}/seats/any").json["seats"]["black"]["name"] == "Ben"


def test_a_seat_taken_by_a_player_is_taken_once_by_its_key(api: Api) -> None:
    ann, ben = api.sign_up("Ann"), api.sign_up("Ben")
    match = ann.create()
    headers = {"Idempotency-Key": "sit"}
    first = ben.post(f"{match.path}/seats/any", headers=headers)
    again = ben.post(f"{match.path}/seats/any", headers=headers)
    assert (first.status_code, again.status_code) == (201, 201)
    assert again.headers["Idempotent-Replayed"] == "true"
    assert first.json == again.json


def test_a_creations_key_is_the_players_own(api: Api) -> None:
    ann, ben = api.sign_up("Ann"), api.sign_up("Ben")
    headers = {"Idempotency-Key": "today"}
    made = [
        player.post("/v1/matches", {"game": "jungle"}, headers=headers).json["id"]
        for player in (ann, ann, ben)
    ]
    assert made[0] == made[1] != made[2]


# Rated matches


@pytest.mark.parametrize(
    "wish",
    [
        {"seats": {"white": ME, "black": {"kind": "guest"}}},
        {"position": "l5t/1d3c1/r1p1w1e/7/7/7/E1W1P1R/1C3D1/T5L w - - 0 0"},
        {"sandbox": {}},
    ],
)
def test_a_guest_a_position_or_a_sandbox_makes_a_match_not_rateable(
    api: Api, wish: dict[str, Any]
) -> None:
    ann = api.sign_up()
    body = {"game": "jungle", "rated": True, **wish}
    refused(ann.post("/v1/matches", body), 422, "not_rateable")
    refused(api.post("/v1/matches", {"game": "jungle", "rated": True}), 422, "not_rateable")


def test_a_guest_cannot_take_a_seat_of_a_rated_match(api: Api) -> None:
    ann = api.sign_up()
    match = ann.create(rated=True)
    refused(api.post(f"{match.path}/seats/any"), 422, "not_rateable")
    assert match.get()["seats"]["black"]["kind"] == "open"


def test_what_a_match_gave_is_in_the_profile_on_the_leaderboard_and_in_the_next_match(
    api: Api,
) -> None:
    ann, ben = api.sign_up("Ann"), api.sign_up("Ben")
    match = duel(ann, ben, rated=True)
    play(match, ann, ben, *TURNS)
    ended = ben.post(f"{match.path}/resign").json
    assert ended["seats"]["white"]["rating"]["matches"] == 0
    profile = ann.get("/v1/me").json
    rating = profile["ratings"]["jungle"]
    assert (profile["xp"], rating["matches"]) == (3, 1)
    assert rating["value"] > 1500 and rating["uncertainty"] < 500
    board = api.get("/v1/leaderboards/jungle").json
    assert board == {
        "items": [
            {"rank": 1, "player": ann.id, "bot": None, "name": "Ann", "rating": rating},
            {
                "rank": 2,
                "player": ben.id,
                "bot": None,
                "name": "Ben",
                "rating": ben.get("/v1/me").json["ratings"]["jungle"],
            },
        ],
        "next_cursor": None,
    }
    assert duel(ann, ben).get()["seats"]["white"]["rating"] == rating


def test_a_leaderboard_is_walked_by_cursor(api: Api) -> None:
    ann, ben = api.sign_up("Ann"), api.sign_up("Ben")
    match = duel(ann, ben, rated=True)
    play(match, ann, ben, *TURNS)
    ben.post(f"{match.path}/resign")
    first = api.get("/v1/leaderboards/jungle?limit=1")
    assert first.headers["Link"].endswith('; rel="next"')
    second = api.get(first.headers["Link"].partition(">")[0].lstrip("<"))
    assert [page.json["items"][0]["player"] for page in (first, second)] == [ann.id, ben.id]
    assert second.json["next_cursor"] is None
    refused(api.get("/v1/leaderboards/chess"), 404, "no_such_game")
    refused(api.get("/v1/leaderboards/jungle?cursor=x"), 400, "bad_cursor")
