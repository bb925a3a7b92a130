"""openapi.yaml against a running server: whatever a client sends, the answer is documented."""

from itertools import product
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest
import requests
import schemathesis
import yaml
from hypothesis import HealthCheck, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from menagerie.games import GAMES
from tests.e2e.conftest import GUESTS, PATIENCE_S, Match, Server

SPEC = yaml.safe_load((Path(__file__).parents[2] / "openapi.yaml").read_text(encoding="utf-8"))
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]

spec = schemathesis.openapi.from_dict(SPEC)


@pytest.fixture
def at_play(server: Server) -> list[Match]:
    """A match that goes on, one that waits for an opponent, a sandbox and one that has ended."""
    active = server.create()
    waiting = server.create(seats={"white": GUESTS["white"], "black": {"kind": "open"}})
    sandbox = server.create(sandbox={"virtual_clock": True})
    ended = server.create()
    assert ended.move("white", "a3a4", 0).status_code == 201
    assert ended.post("resign", "black").status_code == 200
    return [active, waiting, sandbox, ended]


@pytest.fixture
def ann(server: Server) -> dict[str, str]:
    """A player, and the token."""
    answer = requests.post(f"{server.url}/v1/players", json={"name": "Ann"}, timeout=PATIENCE_S)
    created: dict[str, str] = answer.json()
    return created


def make_likely(case: schemathesis.Case, at_play: list[Match], ann: dict[str, str]) -> None:
    """Let most requests get past the first look: real games and matches, seats that ask.

    What is drawn from a schema alone hardly ever names anything that there is.
    """
    drawn = crc32(repr((case.path_parameters, case.query, case.body)).encode(errors="replace"))
    if drawn % 4 == 0:
        return
    for name in ("If-Match", "Idempotency-Key", "If-None-Match"):
        case.headers.pop(name, None)
    if "game" in case.path_parameters:
        case.path_parameters["game"] = list(GAMES)[drawn % len(GAMES)]
    if "match_id" in case.path_parameters:
        match, seat = list(product(at_play, ("white", "black", None)))[drawn % 12]
        case.path_parameters["match_id"] = match.id
        case.query.pop("wait", None)  # nothing is coming
        if seat in match.tokens:
            case.headers.update(match.bearer(seat))
    elif drawn % 3 and case.path.startswith(("/v1/me", "/v1/players", "/v1/matches")):
        case.headers["Authorization"] = f"Bearer {ann['token']}"
    if "player_id" in case.path_parameters:
        case.path_parameters["player_id"] = ann["id"]
    if case.path == "/v1/me/events":
        case.query = {}
    if isinstance(case.body, dict):
        make_body_likely(case.body, drawn)


def make_body_likely(body: dict[str, Any], drawn: int) -> None:
    """Members that hang together, where the schema leaves their agreement to the text."""
    game = GAMES[list(GAMES)[drawn % len(GAMES)]]
    if "game" in body:
        body |= {"game": game.slug, "seats": GUESTS, "options": {}, "rated": False}
        body["time_control"] = dict(game.presets[game.default_preset])
        body.pop("position", None)
    if "position" in body and game.start_position:
        body["position"] = game.start_position
    if "ply" in body and "move" in body:
        body |= {"move": "a3a4", "ply": 0}
        body.pop("moves", None)


@spec.parametrize()
@settings(
    max_examples=20,
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
def test_every_answer_is_a_documented_one(
    case: schemathesis.Case, server: Server, at_play: list[Match], ann: dict[str, str]
) -> None:
    make_likely(case, at_play, ann)
    response = case.call(base_url=server.url)
    case.validate_response(response, checks=CHECKS)
