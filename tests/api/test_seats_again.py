"""Taking a seat once more with the key of the first time."""

import uuid
from typing import Any

from tests.api.conftest import Api, Match


def take(api: Api, match: Match, key: str) -> Any:
    return api.post(f"{match.path}/seats/any", {"name": "Eve"}, headers={"Idempotency-Key": key})


def test_the_seat_and_its_token_are_shown_again(api: Api) -> None:
    match, key = Match(api, api.post("/v1/matches", {"game": "jungle"}).json), str(uuid.uuid4())
    first, again = take(api, match, key), take(api, match, key)
    assert first.status_code == again.status_code == 201
    assert again.headers["Idempotent-Replayed"] == "true"
    assert again.json == first.json
    assert again.json["tokens"]["black"]


def test_who_left_a_seat_is_not_shown_the_token_of_its_next_holder(api: Api) -> None:
    match, key = Match(api, api.post("/v1/matches", {"game": "jungle"}).json), str(uuid.uuid4())
    white = f"{match.path}/seats/white"
    assert api.call("DELETE", white, token=match.tokens["white"]).status_code == 200
    eve = take(api, match, key).json["tokens"]["white"]
    assert api.call("DELETE", white, token=eve).status_code == 200
    bob = api.post(white, {"name": "Bob"}).json["tokens"]["white"]
    again = take(api, match, key)
    assert (again.status_code, again.headers["Idempotent-Replayed"]) == (201, "true")
    assert again.json["viewer"] == "spectator"
    assert not again.json.get("tokens")
    assert bob not in again.text
