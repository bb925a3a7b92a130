"""How often one may ask: what is counted, for whom, and what the refused are told."""

from typing import Any

import pytest
from redis import Redis

from api import create_app
from menagerie.play.limits import CREATIONS, MOVES, REGISTRATIONS, TOKENS
from menagerie.play.settings import Settings
from tests.api.conftest import GUESTS, Api, Match
from tests.api.test_matches import refused
from tests.api.test_store_trouble import full, well

AFAR = {"environ_base": {"REMOTE_ADDR": "203.0.113.9"}}
OTHER = {"environ_base": {"REMOTE_ADDR": "2001:db8::7"}}


def of_settings(redis_url: str, **more: Any) -> Api:
    app = create_app(Settings(redis_url, redis_url, "a secret of the tests", **more))
    app.testing = True
    return Api(app)


def shuttle(match: Match, moves: int, **more: Any) -> Any:
    """White asks for the same move again and again; the last answer."""
    for _ in range(moves):
        answer = match.move("white", "a3a4", 0, **more)
    return answer


def limited(answer: Any, policy: str, quota: int) -> None:
    refused(answer, 429, "rate_limited")
    assert answer.headers["Retry-After"] == str(answer.json["retry_after"])
    assert int(answer.headers["Retry-After"]) >= 1
    assert answer.headers["RateLimit"].startswith(f'"{policy}";r=0;t=')
    assert answer.headers["RateLimit-Policy"].startswith(f'"{policy}";q={quota};w=')


def test_a_seat_that_moves_too_often_is_refused_and_its_match_unchanged(api: Api) -> None:
    match = api.create()
    first = shuttle(match, 1, **AFAR)
    assert first.status_code == 201
    assert first.headers["RateLimit-Policy"] == '"moves";q=20;w=1'
    assert first.headers["RateLimit"] == '"moves";r=19;t=1'
    last = shuttle(match, MOVES.quota - 1, **AFAR)
    assert (last.status_code, last.headers["RateLimit"]) == (200, '"moves";r=0;t=1')
    limited(shuttle(match, 1, **AFAR), "moves", 20)
    assert match.get()["version"] == first.json["version"]


def test_moves_are_counted_for_each_seat_and_match_apart(api: Api) -> None:
    match, other = api.create(), api.create()
    shuttle(match, MOVES.quota + 1, **AFAR)
    assert match.move("black", "g7g6", 1, **AFAR).status_code == 201
    assert other.move("white", "a3a4", 0, **AFAR).status_code == 201


def test_a_players_moves_are_counted_for_each_match_apart(api: Api) -> None:
    ann = api.sign_up()
    first, second = (ann.create(seats={"black": {"kind": "guest"}}) for _ in range(2))
    body = {"move": "a3a4", "ply": 0}
    for _ in range(MOVES.quota + 1):
        answer = ann.post(f"{first.path}/moves", body, **AFAR)
    limited(answer, "moves", 20)
    assert ann.post(f"{second.path}/moves", body, **AFAR).status_code == 201


def test_a_refused_move_counts_and_says_what_is_left(api: Api) -> None:
    match = api.create()
    answer = match.move("white", "a3a9", 0, **AFAR)
    assert (answer.status_code, answer.headers["RateLimit"]) == (422, '"moves";r=19;t=1')


def test_the_counter_of_moves_is_gone_after_its_second(api: Api, redis: Redis) -> None:
    match = api.create()
    shuttle(match, MOVES.quota + 1, **AFAR)
    (counter,) = redis.keys("moves:*")
    assert 0 < redis.pttl(counter) <= 1000
    redis.delete(counter)
    assert shuttle(match, 1, **AFAR).status_code == 200


def test_the_holder_of_a_dead_token_takes_no_moves_from_the_living(api: Api) -> None:
    match = Match(api, api.post("/v1/matches", {"game": "jungle"}).json)
    dead = match.tokens["white"]
    api.call("DELETE", f"{match.path}/seats/white", token=dead)
    for _ in range(2):
        match.tokens |= api.post(f"{match.path}/seats/any").json["tokens"]
    for _ in range(MOVES.quota + 1):
        api.post(f"{match.path}/moves", {"move": "a3a4", "ply": 0}, dead, **AFAR)
    assert shuttle(match, 1, **AFAR).status_code == 201


def test_moves_to_a_match_that_is_not_there_leave_nothing_behind(api: Api, redis: Redis) -> None:
    ann = api.sign_up()
    body = {"move": "a3a4", "ply": 0}
    refused(ann.post("/v1/matches/aaaaaaaaaaaaaaaa/moves", body, **AFAR), 404, "no_such_match")
    assert redis.keys("moves:*") == []


def test_a_sandbox_lives_as_long_as_ever_when_its_moves_are_counted(api: Api, redis: Redis) -> None:
    match = api.create(sandbox={})
    shuttle(match, 2, **AFAR)
    (counter,) = redis.keys("moves:*")
    assert redis.pttl(counter) <= 1000
    assert redis.pttl(api.referee.matches.keys.match(match.id)) > 86_000_000


def test_creations_are_limited_by_address_and_for_players_by_player(api: Api) -> None:
    body = {"game": "jungle", "seats": GUESTS}
    for nth in range(CREATIONS.quota):
        answer = api.post("/v1/matches", body, **AFAR)
        assert answer.status_code == 201
        left = CREATIONS.quota - nth - 1
        assert answer.headers["RateLimit"].startswith(f'"creations";r={left};t=')
    before = len(api.get("/v1/matches?limit=200").json["items"])
    limited(api.post("/v1/matches", body, **AFAR), "creations", CREATIONS.quota)
    assert len(api.get("/v1/matches?limit=200").json["items"]) == before
    assert api.post("/v1/matches", body, **OTHER).status_code == 201
    ann = api.sign_up(**OTHER)
    assert ann.post("/v1/matches", body, **AFAR).status_code == 201


def test_registrations_are_limited_by_address(api: Api) -> None:
    for _ in range(REGISTRATIONS.quota):
        player = api.sign_up(**AFAR)
    answer = api.post("/v1/players", {"name": "Ann"}, player.token, **AFAR)
    limited(answer, "registrations", REGISTRATIONS.quota)


def test_new_tokens_are_limited_by_player_and_the_refused_keep_theirs(api: Api) -> None:
    ann = api.sign_up()
    for _ in range(TOKENS.quota):
        ann.token = ann.post("/v1/me/token", **AFAR).json["token"]
    limited(ann.post("/v1/me/token", **OTHER), "tokens", TOKENS.quota)
    assert ann.get("/v1/me").status_code == 200


@pytest.mark.parametrize("address", ["127.0.0.1", "127.8.9.1", "::1", "::ffff:127.0.0.1", ""])
def test_callers_on_the_same_machine_are_not_limited(api: Api, address: str) -> None:
    here = {"environ_base": {"REMOTE_ADDR": address}}
    match = api.create()
    answer = shuttle(match, MOVES.quota + 1, **here)
    assert answer.status_code == 200
    assert "RateLimit" not in answer.headers
    assert api.get("/v1/limits", **here).json["applies"] is False


def test_all_are_limited_if_the_settings_say_so(redis: Redis, redis_url: str) -> None:
    api = of_settings(redis_url, limit_all=True)
    match = api.create()
    limited(shuttle(match, MOVES.quota + 1), "moves", 20)


def test_behind_a_proxy_its_callers_are_told_apart(redis: Redis, redis_url: str) -> None:
    api = of_settings(redis_url, proxies=1)
    for nth, caller in enumerate(("203.0.113.9", "203.0.113.9", "198.51.100.2")):
        answer = api.post("/v1/matches", {"game": "jungle"}, headers={"X-Forwarded-For": caller})
        left = CREATIONS.quota - (1, 2, 1)[nth]
        assert answer.headers["RateLimit"].startswith(f'"creations";r={left};t=')
    direct = of_settings(redis_url)
    answer = direct.post("/v1/matches", {"game": "jungle"}, headers={"X-Forwarded-For": caller})
    assert "RateLimit" not in answer.headers


def test_what_is_left_is_told_without_being_counted(api: Api) -> None:
    api.post("/v1/matches", {"game": "jungle"}, **AFAR)
    for _ in range(2):
        limits = api.get("/v1/limits", **AFAR).json
        assert limits["applies"] is True
        by_name = {item["name"]: item for item in limits["items"]}
        assert by_name["creations"]["remaining"] == CREATIONS.quota - 1
        assert 0 < by_name["creations"]["reset_ms"] <= by_name["creations"]["window_ms"]
        assert by_name["tokens"]["remaining"] == TOKENS.quota
        assert by_name["moves"]["remaining"] is None
        assert by_name["moves"] | {"calls": []} == {
            "name": "moves",
            "quota": 20,
            "window_ms": 1000,
            "per": "seat",
            "calls": [],
            "remaining": None,
            "reset_ms": None,
        }


def test_every_limited_operation_names_its_limit_and_says_429(api: Api) -> None:
    spec = api.get("/openapi.json").json
    limited_operations = {
        f"{method.upper()} {path}"
        for path, operations in spec["paths"].items()
        for method, operation in operations.items()
        if method != "parameters" and "429" in operation.get("responses", {})
    }
    items = api.get("/v1/limits").json["items"]
    assert limited_operations == {call for item in items for call in item["calls"]}


def test_a_store_that_is_full_is_503_to_who_is_limited_too(api: Api, redis: Redis) -> None:
    full(redis)
    try:
        answers = [
            api.post("/v1/matches", {"game": "jungle"}, **AFAR),
            api.post("/v1/players", {"name": "Ann"}, **AFAR),
        ]
    finally:
        well(redis)
    for answer in answers:
        refused(answer, 503, "store_full")
        assert answer.headers["Retry-After"] == "1"


def test_a_store_that_is_away_is_503_to_who_is_limited_too() -> None:
    api = of_settings("redis://127.0.0.1:1/0")
    for path, body in (("/v1/matches", {"game": "jungle"}), ("/v1/players", {"name": "Ann"})):
        refused(api.post(path, body, **AFAR), 503, "store_away")
    refused(api.get("/v1/limits", **AFAR), 503, "store_away")
