"""A match by HTTP, as its players see it."""

import uuid
from typing import Any

import pytest

from tests.api.conftest import GUESTS, Api, Match

FISCHER = {"type": "fischer", "initial_ms": 60_000, "increment_ms": 2_000}
VIRTUAL = {"sandbox": {"virtual_clock": True}, "time_control": FISCHER}


def refused(response: Any, status: int, code: str, reason: str | None = None) -> None:
    assert (response.status_code, response.json["code"]) == (status, code), response.json
    assert response.mimetype == "application/problem+json"
    assert response.json.get("reason") == reason


# Creation and seats


def test_a_match_of_two_guests_starts_at_once_with_a_token_each(api: Api) -> None:
    match = api.create()
    assert match.created["status"] == "active"
    assert match.created["to_move"] == ["white"]
    assert set(match.tokens) == {"white", "black"}
    assert match.created["seats"]["white"]["name"] == "Ann"


def test_only_the_game_is_required_and_the_other_seat_stays_open(api: Api) -> None:
    response = api.post("/v1/matches", {"game": "jungle"})
    assert response.headers["Location"] == f"/v1/matches/{response.json['id']}"
    assert response.json["status"] == "open"
    assert set(response.json["tokens"]) == {"white"}
    assert response.json["to_move"] == []


def test_the_open_seat_goes_to_the_first_who_takes_it(api: Api) -> None:
    match = Match(api, api.post("/v1/matches", {"game": "jungle"}).json)
    refused(match.move("white", "a3a4", 0), 409, "match_not_started")
    taken = api.post(f"{match.path}/seats/any", {"name": "Bob"})
    assert taken.status_code == 201
    assert taken.json["viewer"] == "black"
    assert set(taken.json["tokens"]) == {"black"}
    assert match.get()["status"] == "active"
    refused(api.post(f"{match.path}/seats/black"), 409, "seat_taken")
    assert match.move("white", "a3a4", 0).status_code == 201


def test_nobody_takes_both_seats_with_one_token(api: Api) -> None:
    match = Match(api, api.post("/v1/matches", {"game": "jungle"}).json)
    response = api.post(f"{match.path}/seats/black", token=match.tokens["white"])
    refused(response, 409, "own_match")


def test_a_seat_that_was_left_is_open_again_and_its_token_dead(api: Api) -> None:
    match = Match(api, api.post("/v1/matches", {"game": "jungle"}).json)
    token = match.tokens["white"]
    refused(api.call("DELETE", f"{match.path}/seats/white"), 401, "no_token")
    refused(api.call("DELETE", f"{match.path}/seats/black", token=token), 403, "not_yours")
    assert api.call("DELETE", f"{match.path}/seats/white", token=token).status_code == 200
    refused(api.get(match.path, token), 401, "bad_token")
    again = api.post(f"{match.path}/seats/white").json
    assert again["tokens"]["white"] != token


def test_a_seat_cannot_be_left_after_the_start(api: Api) -> None:
    match = api.create()
    response = api.call("DELETE", f"{match.path}/seats/white", token=match.tokens["white"])
    refused(response, 409, "match_started")


@pytest.mark.parametrize(
    ("wish", "status", "code", "reason"),
    [
        ({"game": "chess"}, 404, "no_such_game", None),
        ({"game": "jungle", "options": {"size": "full"}}, 422, "bad_option", None),
        ({"game": "jungle", "seats": {"white": {"kind": "me"}}}, 401, "no_token", None),
        (
            {"game": "jungle", "seats": {"black": {"kind": "bot", "bot": "jungle-99"}}},
            422,
            "no_such_bot",
            None,
        ),
        ({"game": "jungle", "rated": True}, 422, "not_rateable", None),
        (
            {"game": "jungle", "position": "EE5/7/7/7/7/7/7/7/6r w - - 0 0"},
            422,
            "bad_position",
            "doubled_piece",
        ),
    ],
)
def test_a_wish_that_cannot_be_is_refused(
    api: Api, wish: dict[str, Any], status: int, code: str, reason: str | None
) -> None:
    refused(api.post("/v1/matches", wish), status, code, reason)
    assert api.get("/v1/matches").json["items"] == []


@pytest.mark.parametrize(
    "wish",
    [
        {},
        {"game": 7},
        {"game": "jungle", "colour": "red"},
        {"game": "jungle", "random_sides": "yes"},
        {"game": "jungle", "time_control": {"type": "fischer", "initial_ms": 1000}},
        {"game": "jungle", "time_control": {"type": "absolute", "initial_ms": 999}},
        {"game": "jungle", "time_control": {"type": "absolute", "initial_ms": "60000"}},
        {"game": "jungle", "time_control": {"type": "none", "initial_ms": 60_000}},
        {"game": "jungle", "time_control": {**FISCHER, "cap_ms": 59_999}},
        {"game": "jungle", "time_control": {"type": "none", "on_turn_limit": "skip"}},
        {"game": "jungle", "seats": {"white": {"kind": "bot"}}},
        {"game": "jungle", "seats": {"white": {"kind": "open", "name": "Ann"}}},
        {"game": "jungle", "sandbox": {"seed": "00"}},
    ],
)
def test_a_body_that_breaks_the_schema_is_told_where(api: Api, wish: dict[str, Any]) -> None:
    response = api.post("/v1/matches", wish)
    refused(response, 400, "bad_request")
    assert response.json["errors"]


def test_an_integer_may_be_written_with_a_point_but_not_as_text(api: Api) -> None:
    control = {"type": "absolute", "initial_ms": 60_000.0}
    assert api.create(time_control=control).created["clock"]["control"]["initial_ms"] == 60_000


def test_a_given_position_decides_the_size_of_its_board(api: Api) -> None:
    position = "4/4/4/4/r3/S3 b - ! 0 1"
    assert api.create(game="feral", position=position).created["options"]["size"] == "beginner"
    wish = {"game": "feral", "position": position, "options": {"size": "full"}}
    refused(api.post("/v1/matches", wish), 422, "bad_option")


# Moves


def test_a_move_is_answered_with_the_match_as_the_mover_sees_it(api: Api) -> None:
    match = api.create()
    response = match.move("white", "a3a4", 0)
    assert response.status_code == 201
    assert response.json["viewer"] == "white"
    assert (response.json["ply"], response.json["to_move"]) == (1, ["black"])
    assert response.json["last_move"]["move"] == "a3a4"
    assert response.headers["ETag"] == f'"{response.json["version"]}-white"'


@pytest.mark.parametrize(
    ("seat", "text", "ply", "status", "code", "reason"),
    [
        (None, "a3a4", 0, 401, "no_token", None),
        ("black", "a7a6", 0, 409, "not_your_turn", None),
        ("white", "a3a4", 1, 409, "stale_ply", None),
        ("white", "elephant", 0, 422, "illegal_move", "bad_move_text"),
        ("white", "d5d6", 0, 422, "illegal_move", "no_piece"),
        ("white", "a7a6", 0, 422, "illegal_move", "not_your_piece"),
        ("white", "a3a3", 0, 422, "illegal_move", "own_piece_there"),
        ("white", "a3a5", 0, 422, "illegal_move", "not_adjacent"),
    ],
)
def test_a_refused_move_changes_nothing(
    api: Api, seat: str, text: str, ply: int, status: int, code: str, reason: str | None
) -> None:
    match = api.create()
    before = match.get()
    refused(match.move(seat, text, ply), status, code, reason)
    assert match.get() == before


REFUSALS = [
    ("7/7/7/7/7/7/7/7/2E3r w - - 0 0", "c1d1", "into_own_den"),
    ("7/7/7/7/7/7/1C5/7/6r w - - 0 0", "b3b4", "into_water"),
    ("7/7/7/7/1r5/7/1L5/7/6e w - - 0 0", "b3b7", "leap_blocked"),
    ("7/7/7/7/7/7/Cd5/7/6r w - - 0 0", "a3b3", "too_strong"),
    ("7/7/1e5/1R5/7/7/7/7/6c w - - 0 0", "b6b7", "from_water"),
    ("7/3T3/3c3/7/7/7/7/7/6r w - - 0 0", "d8d7", "no_power"),
    ("7/7/7/7/7/7/C6/7/6r w b3a3b3a3b3a3 - 0 0", "a3b3", "barred_by_repetition"),
]


@pytest.mark.parametrize(("position", "text", "reason"), REFUSALS)
def test_every_refusal_of_the_rules_page_reaches_the_client(
    api: Api, position: str, text: str, reason: str
) -> None:
    match = api.create(position=position)
    refused(match.move("white", text, 0), 422, "illegal_move", reason)


def test_stale_ply_says_where_the_match_is(api: Api) -> None:
    match = api.create()
    assert match.move("white", "a3a4", 7).json["current_ply"] == 0


def test_a_second_move_in_one_request_belongs_to_the_same_turn(api: Api) -> None:
    match = api.create()
    body = {"moves": ["a3a4", "a4a5"], "ply": 0}
    response = api.post(f"{match.path}/moves", body, match.tokens["white"])
    refused(response, 422, "illegal_move", "turn_over")
    assert match.get()["ply"] == 0


def test_a_token_of_another_match_opens_nothing(api: Api) -> None:
    match, stranger = api.create(), api.create()
    token = stranger.tokens["white"]
    response = api.post(f"{match.path}/moves", {"move": "a3a4", "ply": 0}, token)
    refused(response, 403, "not_yours")
    assert api.get(match.path, token).json["viewer"] == "spectator"


@pytest.mark.parametrize("token", ["", "x", "a.b.c", "aaaaaaaaaaaaaaaa.w0.bad", "\u00e4.w0.x"])
def test_a_token_that_is_none_is_401(api: Api, token: str) -> None:
    match = api.create()
    refused(api.get(match.path, token), 401, "bad_token")


def test_a_token_cannot_be_made_from_another(api: Api) -> None:
    match = api.create()
    forged = match.tokens["white"].replace(".w0.", ".b0.")
    refused(match.api.get(match.path, forged), 401, "bad_token")


def test_the_den_ends_the_match_and_nothing_moves_after(api: Api) -> None:
    match = api.create(position="7/3R3/7/7/7/7/7/7/6e w - - 0 0")
    done = match.move("white", "d8d9", 0)
    assert done.json["result"] == {"winner": "white", "reason": "den"}
    assert (done.json["status"], done.json["to_move"]) == ("finished", [])
    assert done.json["seed"] is not None
    refused(match.move("black", "g1g2", 1), 409, "match_over")
    refused(match.act("black", "resign"), 409, "match_over")


def test_a_position_whose_game_is_over_makes_a_finished_match(api: Api) -> None:
    match = api.create(position="3R3/7/7/7/7/7/7/7/6e b - - 0 0")
    assert match.created["result"] == {"winner": "white", "reason": "den"}


# Retries


def test_a_repeated_move_is_answered_and_not_played_again(api: Api) -> None:
    match = api.create()
    first = match.move("white", "a3a4", 0)
    again = match.move("white", "a3a4", 0)
    assert again.status_code == 200
    assert again.headers["Idempotent-Replayed"] == "true"
    assert again.json == first.json
    match.play("g7g6", "a4a5")
    assert match.move("white", "a3a4", 0).json["ply"] == 3
    refused(match.move("white", "a3b3", 0), 409, "stale_ply")


def test_a_key_gives_the_first_status_again_and_the_current_match(api: Api) -> None:
    match = api.create()
    key = {"Idempotency-Key": "one"}
    assert match.move("white", "a3a4", 0, headers=key).status_code == 201
    match.play("g7g6")
    again = match.move("white", "a3a4", 0, headers=key)
    assert (again.status_code, again.json["ply"]) == (201, 2)
    assert again.headers["Idempotent-Replayed"] == "true"
    refused(match.move("white", "a3b3", 0, headers=key), 422, "idempotency_key_reused")


def test_a_refusal_is_not_kept_under_its_key(api: Api) -> None:
    match = api.create()
    key = {"Idempotency-Key": "one"}
    refused(match.move("white", "a3a5", 0, headers=key), 422, "illegal_move", "not_adjacent")
    assert match.move("white", "a3a4", 0, headers=key).status_code == 201


def test_a_creation_is_repeated_by_its_key(api: Api) -> None:
    key = {"Idempotency-Key": str(uuid.uuid4())}
    first = api.post("/v1/matches", {"game": "jungle"}, headers=key)
    again = api.post("/v1/matches", {"game": "jungle"}, headers=key)
    assert (again.status_code, again.json) == (201, first.json)
    assert len(api.get("/v1/matches").json["items"]) == 1
    other = api.post("/v1/matches", {"game": "jungle", "random_sides": True}, headers=key)
    refused(other, 422, "idempotency_key_reused")


def test_a_creation_is_repeated_by_its_key_however_much_came_since(api: Api) -> None:
    key = {"Idempotency-Key": str(uuid.uuid4())}
    wish = {"game": "jungle", "sandbox": {"virtual_clock": True}, "seats": GUESTS}
    match = Match(api, api.post("/v1/matches", wish, headers=key).json)
    for nth in range(70):
        body, own = {"ms": 1}, {"Idempotency-Key": str(nth)}
        assert match.act("white", "sandbox/advance", body, headers=own).status_code == 200
    again = api.post("/v1/matches", wish, headers=key)
    assert (again.status_code, again.json["id"]) == (201, match.id)
    assert again.json["tokens"] == match.tokens


def test_a_seat_is_taken_once_by_its_key(api: Api) -> None:
    match = Match(api, api.post("/v1/matches", {"game": "jungle"}).json)
    key = {"Idempotency-Key": str(uuid.uuid4())}
    first = api.post(f"{match.path}/seats/any", headers=key)
    again = api.post(f"{match.path}/seats/any", headers=key)
    assert again.status_code == 201
    assert again.json["tokens"] == first.json["tokens"]


def test_a_stranger_must_use_a_uuid_as_key(api: Api) -> None:
    response = api.post("/v1/matches", {"game": "jungle"}, headers={"Idempotency-Key": "one"})
    refused(response, 400, "bad_idempotency_key")


def test_if_match_refuses_another_version(api: Api) -> None:
    match = api.create()
    tag = api.get(match.path).headers["ETag"]
    assert match.move("white", "a3a4", 0, headers={"If-Match": tag}).status_code == 201
    refused(match.move("black", "g7g6", 1, headers={"If-Match": tag}), 412, "precondition_failed")
    refused(match.move("black", "g7g6", 1, headers={"If-Match": "x"}), 412, "precondition_failed")
    both = {"If-Match": f"{tag}, {api.get(match.path).headers['ETag']}"}
    assert match.move("black", "g7g6", 1, headers=both).status_code == 201
    assert match.move("white", "a4a5", 2, headers={"If-Match": "*"}).status_code == 201


def test_a_client_that_has_the_version_gets_304(api: Api) -> None:
    match = api.create()
    tag = api.get(match.path).headers["ETag"]
    response = api.get(match.path, headers={"If-None-Match": tag})
    assert (response.status_code, response.data) == (304, b"")
    assert response.headers["ETag"] == tag
    assert "Server-Time" in response.headers
    for known in ("*", f'"x", {tag}', f"W/{tag}"):
        assert api.get(match.path, headers={"If-None-Match": known}).status_code == 304
    match.play("a3a4")
    assert api.get(match.path, headers={"If-None-Match": tag}).status_code == 200


# Ends


def test_who_resigns_loses_and_may_say_so_twice(api: Api) -> None:
    match = api.create()
    refused(match.act(None, "resign"), 401, "no_token")
    first = match.act("white", "resign")
    assert first.json["result"] == {"winner": "black", "reason": "resignation"}
    again = match.act("white", "resign")
    assert (again.status_code, again.json) == (200, first.json)
    assert again.headers["Idempotent-Replayed"] == "true"
    refused(match.act("black", "resign"), 409, "match_over")


def test_a_match_is_called_off_only_before_ones_first_turn_is_made(api: Api) -> None:
    match = api.create()
    match.play("a3a4")
    refused(match.act("white", "abort"), 409, "too_late_to_abort")
    done = match.act("black", "abort")
    assert done.json["status"] == "aborted"
    assert done.json["result"] == {"winner": None, "reason": "abort"}
    assert match.act("black", "abort").json == done.json


def test_a_body_is_not_taken_where_none_is_needed(api: Api) -> None:
    match = api.create()
    refused(match.act("white", "resign", {"really": True}), 400, "bad_request")
    assert match.act("white", "resign", {}).status_code == 200


# Clocks


@pytest.mark.parametrize(("ms", "in_time"), [(59_999, True), (60_000, False), (60_001, False)])
def test_a_move_at_the_deadline_is_too_late(api: Api, ms: int, in_time: bool) -> None:
    match = api.create(**VIRTUAL)
    match.advance(ms)
    response = match.move("white", "a3a4", 0)
    if in_time:
        assert response.json["clock"]["white"]["remaining_ms"] == 2_001
        return
    refused(response, 409, "clock_expired")
    now = match.get()
    assert now["result"] == {"winner": "black", "reason": "timeout"}
    assert now["clock"]["white"]["remaining_ms"] == 0
    refused(match.move("black", "g7g6", 0), 409, "match_over")


def test_the_loss_is_recorded_at_the_deadline_however_late_it_is_seen(api: Api) -> None:
    match = api.create(**VIRTUAL)
    deadline = match.created["clock"]["deadline"]
    done = match.advance(3_600_000)
    assert done.json["finished_at"] == deadline
    assert [note["type"] for note in match.replay()["notes"]][-1] == "match.finished"
    assert match.replay()["notes"][-1]["at"] == deadline


def test_a_first_turn_not_made_in_time_ends_the_match_without_a_winner(api: Api) -> None:
    control = {**FISCHER, "start_ms": 10_000}
    match = api.create(sandbox={"virtual_clock": True}, time_control=control)
    assert match.created["clock"]["white"]["phase"] == "start"
    match.advance(9_999)
    match.play("a3a4")
    assert match.get()["clock"]["white"]["remaining_ms"] == 60_000
    done = match.advance(10_000)
    assert done.json["result"] == {"winner": None, "reason": "no_start"}
    assert done.json["status"] == "aborted"


def test_turns_missed_on_the_clock_pass_to_the_other_side_until_one_is_idle(api: Api) -> None:
    control = {"type": "none", "turn_limit_ms": 1_000, "on_turn_limit": "skip"}
    match = api.create(sandbox={"virtual_clock": True}, time_control=control)
    now = match.advance(1_000).json
    assert (now["to_move"], now["ply"], now["clock"]["white"]["missed_turns"]) == (["black"], 0, 1)
    done = match.advance(10_000).json
    assert done["result"] == {"winner": "black", "reason": "idle"}
    missed = [note for note in match.replay()["notes"] if note["type"] == "turn.missed"]
    assert [note["seat"] for note in missed] == ["white", "black", "white", "black", "white"]


def test_only_a_virtual_clock_can_be_advanced(api: Api) -> None:
    match = api.create()
    refused(match.advance(1), 409, "no_virtual_clock")
    refused(match.act(None, "sandbox/advance", {"ms": 1}), 401, "no_token")


def test_server_time_is_the_instant_of_a_virtual_clock(api: Api) -> None:
    match = api.create(**VIRTUAL)
    before = api.get(match.path).headers["Server-Time"]
    response = match.advance(5_000)
    assert response.headers["Server-Time"] > before
    assert response.json["clock"]["at"] == response.headers["Server-Time"]


# Reads


def test_legal_moves_are_shown_to_the_seat_to_move(api: Api) -> None:
    match = api.create()
    path = f"{match.path}/legal-moves"
    answer = api.get(path, match.tokens["white"]).json
    assert len(answer["moves"]) == 24
    assert answer["details"][0]["move"] == answer["moves"][0]
    assert api.get(f"{path}?from=a3", match.tokens["white"]).json["moves"] == [
        "a3a2",
        "a3a4",
        "a3b3",
    ]
    refused(api.get(path), 403, "not_yours")
    refused(api.get(path, match.tokens["black"]), 409, "not_your_turn")


def test_legal_moves_come_with_the_match_if_asked_for(api: Api) -> None:
    match = api.create()
    assert len(match.get("white", "?include=legal_moves")["legal_moves"]["moves"]) == 24
    assert match.get("black", "?include=legal_moves")["legal_moves"] is None
    response = match.move("white", "a3a4", 0, query_string={"include": "legal_moves"})
    assert response.json["legal_moves"] is None


def test_barred_squares_are_in_the_state(api: Api) -> None:
    match = api.create(position="7/7/7/7/7/7/C6/7/6r w b3a3b3a3b3a3 - 0 0")
    assert match.created["state"]["barred"] == ["a3", "b3"]


@pytest.mark.parametrize("path", ["", "/replay", "/legal-moves", "/events"])
def test_an_unknown_match_is_404(api: Api, path: str) -> None:
    refused(api.get(f"/v1/matches/aaaaaaaaaaaaaaaa{path}"), 404, "no_such_match")


def test_the_lobby_lists_open_matches_and_only_public_ones(api: Api) -> None:
    opened = api.post("/v1/matches", {"game": "jungle"}).json
    api.post("/v1/matches", {"game": "jungle", "visibility": "unlisted"})
    api.create()
    lobby = api.get("/v1/matches?status=open").json
    assert [match["id"] for match in lobby["items"]] == [opened["id"]]
    api.post(f"/v1/matches/{opened['id']}/seats/any")
    assert api.get("/v1/matches?status=open").json["items"] == []


def test_a_walk_by_cursor_sees_each_match_once_while_others_end(api: Api) -> None:
    made = [api.create() for _ in range(25)]
    seen: list[str] = []
    query = "?limit=4"
    while query:
        page = api.get(f"/v1/matches{query}")
        seen += [match["id"] for match in page.json["items"]]
        cursor = page.json["next_cursor"]
        query = f"?limit=4&cursor={cursor}" if cursor else ""
        if len(seen) < 25:
            made[len(seen)].act("white", "resign")
    assert sorted(seen) == sorted(match.id for match in made)
    assert len(seen) == len(set(seen))


@pytest.mark.parametrize("query", ["limit=0", "limit=x", "status=lost", "colour=red", "cursor=%00"])
def test_a_bad_query_is_400(api: Api, query: str) -> None:
    assert api.get(f"/v1/matches?{query}").status_code == 400


# Replays and events


def test_the_replay_rebuilds_to_the_position_and_says_the_seed_after_the_end(api: Api) -> None:
    match = api.create()
    match.play("a3a4", "g7g6", "a4a5")
    assert match.replay()["match"]["seed"] is None
    match.act("black", "resign")
    replay = match.replay("?positions=true")
    assert [ply["move"] for ply in replay["plies"]] == ["a3a4", "g7g6", "a4a5"]
    assert replay["plies"][-1]["position"] == replay["final_position"] == match.get()["position"]
    assert replay["match"]["seed"] is not None
    assert [note["type"] for note in replay["notes"]] == [
        "match.created",
        "match.started",
        "match.finished",
    ]


def test_a_part_of_a_replay(api: Api) -> None:
    match = api.create()
    match.play("a3a4", "g7g6", "a4a5")
    assert [ply["ply"] for ply in match.replay("?from_ply=2&to_ply=2")["plies"]] == [2]


def test_a_replay_as_lines_and_as_text(api: Api) -> None:
    match = api.create()
    match.play("a3a4")
    lines = api.get(f"{match.path}/replay", headers={"Accept": "application/x-ndjson"})
    assert lines.mimetype == "application/x-ndjson"
    assert [line.split(b'"')[3] for line in lines.data.splitlines()] == [
        b"match",
        b"note",
        b"note",
        b"ply",
        b"end",
    ]
    text = api.get(f"{match.path}/replay", headers={"Accept": "text/plain"})
    assert "a3a4" in text.text


def test_a_finished_replay_is_kept_by_caches_and_a_running_one_is_not(api: Api) -> None:
    match = api.create()
    path = f"{match.path}/replay"
    assert "no-cache" in api.get(path).headers["Cache-Control"]
    match.act("white", "resign")
    finished = api.get(path)
    assert "immutable" in finished.headers["Cache-Control"]
    tag = finished.headers["ETag"]
    assert api.get(path, headers={"If-None-Match": tag}).status_code == 304


def test_events_begin_with_a_snapshot_and_go_on_without_gap_or_repeat(api: Api) -> None:
    match = api.create()
    path = f"{match.path}/events"
    first = api.get(path).json
    assert [event["type"] for event in first["items"]] == ["snapshot"]
    assert first["items"][0]["data"] == match.get()
    match.play("a3a4", "g7g6")
    match.act("white", "resign")
    rest = api.get(f"{path}?after={first['next_after']}").json
    assert [event["id"] for event in rest["items"]] == ["2-0", "3-0", "4-0"]
    assert rest["ended"] is True
    assert rest["items"][-1]["result"] == {"winner": "black", "reason": "resignation"}
    assert api.get(f"{path}?after=4-0").json == {"items": [], "next_after": "4-0", "ended": True}
    assert [e["id"] for e in api.get(f"{path}?after=2").json["items"]] == ["3-0", "4-0"]
    refused(api.get(f"{path}?after=x"), 400, "bad_request")


def test_events_are_gone_when_the_store_has_dropped_them(api: Api) -> None:
    match = api.create()
    match.act("white", "resign")
    matches = api.referee.matches
    assert 0 < matches.redis.pttl(matches.keys.events(match.id)) <= 24 * 3_600_000
    matches.redis.delete(matches.keys.events(match.id))
    refused(api.get(f"{match.path}/events"), 410, "events_gone")
    assert match.replay()["match"]["result"] is not None
