"""What every answer carries."""

import pytest

from tests.api.conftest import Api


@pytest.mark.parametrize("path", ["/v1/games", "/v1/matches/none", "/nowhere", "/livez"])
def test_any_page_may_read_every_answer_errors_included(api: Api, path: str) -> None:
    headers = api.client.get(path, headers={"Origin": "https://front.example"}).headers
    assert headers.getlist("Access-Control-Allow-Origin") == ["*"]
    exposed = headers["Access-Control-Expose-Headers"].split(", ")
    assert {"ETag", "Location", "Server-Time", "Idempotent-Replayed"} <= set(exposed)


def test_a_preflight_allows_what_a_move_needs(api: Api) -> None:
    headers = api.client.options("/v1/matches/none/moves").headers
    allowed = headers["Access-Control-Allow-Headers"].split(", ")
    assert {"Authorization", "Content-Type", "Idempotency-Key", "If-Match"} <= set(allowed)
    assert "POST" in headers["Access-Control-Allow-Methods"]


def test_a_request_id_comes_back_and_a_bad_one_is_replaced(api: Api) -> None:
    assert api.get("/livez", headers={"X-Request-Id": "mine-1"}).headers["X-Request-Id"] == "mine-1"
    assert api.get("/livez", headers={"X-Request-Id": "a b"}).headers["X-Request-Id"] != "a b"


@pytest.mark.parametrize(
    ("body", "kind", "status", "code"),
    [
        (b"{", "application/json", 400, "bad_request"),
        (b"[]", "application/json", 400, "bad_request"),
        (b'{"game": "jungle"}', "text/plain", 415, "unsupported_media_type"),
        (b'{"game": "' + b"x" * 1_000_000 + b'"}', "application/json", 413, "too_large"),
        (b"\xff", "application/json", 400, "bad_request"),
        (b'{"game": "\\ud800"}', "application/json", 400, "bad_request"),
    ],
)
def test_a_body_that_is_none_is_refused(
    api: Api, body: bytes, kind: str, status: int, code: str
) -> None:
    response = api.call("POST", "/v1/matches", data=body, content_type=kind)
    assert (response.status_code, response.json["code"]) == (status, code)
    assert response.mimetype == "application/problem+json"


def test_a_wrong_method_says_which_are_right(api: Api) -> None:
    response = api.client.put("/v1/time")
    assert (response.status_code, response.json["code"]) == (405, "method_not_allowed")
    assert "GET" in response.headers["Allow"]


def test_a_made_up_method_makes_no_counter(api: Api) -> None:
    assert api.client.open("/v1/time", method="BREW").status_code == 405
    assert "BREW" not in api.get("/metrics").text
