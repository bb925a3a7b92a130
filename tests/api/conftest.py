"""A client that talks like a front end, and holds every answer to openapi.yaml."""

from typing import Any

import pytest
from flask import Flask, request
from flask.testing import FlaskClient
from redis import Redis

from api import create_app
from menagerie.play.referee import Referee
from menagerie.play.settings import Settings
from tests.api import contract

GUESTS = {"white": {"kind": "guest", "name": "Ann"}, "black": {"kind": "guest", "name": "Bob"}}


class Api:
    """The API of one app, in a front end's words."""

    def __init__(self, app: Flask) -> None:
        self.app = app
        self.client: FlaskClient = app.test_client()

    @property
    def referee(self) -> Referee:
        return self.app.extensions["referee"]

    def call(
        self,
        method: str,
        path: str,
        body: Any = None,
        token: str | None = None,
        headers: dict[str, str] | None = None,
        **more: Any,
    ) -> Any:
        """One request; its answer has been held to the contract."""
        headers = dict(headers or {})
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        if body is not None:
            more["json"] = body
        with self.client as client:
            response = client.open(path, method=method, headers=headers, **more)
            if request.url_rule is not None and method != "OPTIONS":
                contract.check(request.url_rule.rule, method, response)
        return response

    def get(self, path: str, token: str | None = None, **more: Any) -> Any:
        return self.call("GET", path, token=token, **more)

    def post(self, path: str, body: Any = None, token: str | None = None, **more: Any) -> Any:
        return self.call("POST", path, body, token, **more)

    def create(self, **wish: Any) -> "Match":
        """A match between two guests, or as wished."""
        response = self.post("/v1/matches", {"game": "jungle", "seats": GUESTS, **wish})
        assert response.status_code == 201, response.json
        return Match(self, response.json)

    def sign_up(self, name: str = "Ann", **more: Any) -> "Player":
        """A new player."""
        response = self.post("/v1/players", {"name": name}, **more)
        assert response.status_code == 201, response.json
        return Player(self, response.json)


class Player:
    """A player, and what the token lets them do."""

    def __init__(self, api: Api, admitted: dict[str, Any]) -> None:
        self.api = api
        self.id: str = admitted["id"]
        self.token: str = admitted["token"]

    def get(self, path: str) -> Any:
        return self.api.get(path, self.token)

    def post(self, path: str, body: Any = None, **more: Any) -> Any:
        return self.api.post(path, body, self.token, **more)

    def create(self, **wish: Any) -> "Match":
        """A match that this player makes; White and open, if not wished otherwise."""
        response = self.post("/v1/matches", {"game": "jungle", **wish})
        assert response.status_code == 201, response.json
        return Match(self.api, response.json)


class Match:
    """A match that the tests play."""

    def __init__(self, api: Api, created: dict[str, Any]) -> None:
        self.api = api
        self.id: str = created["id"]
        self.path = f"/v1/matches/{self.id}"
        self.tokens: dict[str, str] = created["tokens"]
        self.created = created

    def get(self, seat: str | None = None, query: str = "") -> dict[str, Any]:
        response = self.api.get(self.path + query, token=self.tokens.get(seat or ""))
        assert response.status_code == 200, response.json
        return response.json

    def move(self, seat: str | None, text: str, ply: int, **more: Any) -> Any:
        token = self.tokens.get(seat or "")
        return self.api.post(f"{self.path}/moves", {"move": text, "ply": ply}, token, **more)

    def play(self, *texts: str) -> None:
        """These moves in turn, all accepted."""
        for text in texts:
            now = self.get()
            response = self.move(now["to_move"][0], text, now["ply"])
            assert response.status_code == 201, response.json

    def act(self, seat: str | None, name: str, body: Any = None, **more: Any) -> Any:
        return self.api.post(f"{self.path}/{name}", body, self.tokens.get(seat or ""), **more)

    def advance(self, ms: int) -> Any:
        return self.act("white", "sandbox/advance", {"ms": ms})

    def replay(self, query: str = "") -> dict[str, Any]:
        response = self.api.get(f"{self.path}/replay{query}")
        assert response.status_code == 200, response.json
        return response.json


@pytest.fixture
def api(redis: Redis, redis_url: str) -> Api:
    """The API over an empty store."""
    settings = Settings(redis_url=redis_url, queue_url=redis_url, secret="a secret of the tests")
    app = create_app(settings)
    app.testing = True
    return Api(app)
