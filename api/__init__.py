"""The HTTP face: one blueprint a noun, thin views over `menagerie.play`.

A view reads the request, calls the referee and sends what the caller may see.
It decides nothing; every refusal becomes a problem in `problems.py`.
"""

from collections.abc import Callable
from typing import Any

import flask_smorest
import orjson
from apispec.ext.marshmallow import MarshmallowPlugin
from apispec.ext.marshmallow.openapi import OpenAPIConverter
from flask import Flask
from flask.json.provider import JSONProvider
from werkzeug.middleware.proxy_fix import ProxyFix

from api import events, games, headers, matches, metrics, players, problems, replays, service
from api.limits import Limiter
from api.sender import Sender
from menagerie.play.own import OwnEvents
from menagerie.play.players import Registry
from menagerie.play.settings import Settings, open_referee, open_streams

MAX_BODY = 64 * 1024

ABOUT = """A referee for animal board games. Moves are validated by rule engines, clocks are kept
to the millisecond, bots answer, and every match can be replayed. Instants are RFC 3339 in UTC,
durations are integers ending in `_ms`, errors are `application/problem+json` with a stable `code`.
"""


class Api(flask_smorest.Api):  # type: ignore[misc]
    """flask-smorest's, without its catch-all error: each operation names its own."""

    DEFAULT_ERROR_RESPONSE_NAME = None


class Converter(OpenAPIConverter):
    """apispec's, with what a schema says of itself beyond its fields (`Meta.rules`)."""

    def schema2jsonschema(self, schema: Any) -> dict[str, Any]:
        return {**super().schema2jsonschema(schema), **getattr(schema.Meta, "rules", {})}


class Plugin(MarshmallowPlugin):
    Converter = Converter


class App(Flask):
    """Flask, told once that none of our views is a coroutine, instead of asking at each call."""

    def ensure_sync(self, func: Callable[..., Any]) -> Callable[..., Any]:
        return func


class OrjsonProvider(JSONProvider):
    """JSON by orjson."""

    def dumps(self, obj: Any, **kwargs: Any) -> str:
        return orjson.dumps(obj).decode()

    def loads(self, s: str | bytes, **kwargs: Any) -> Any:
        return orjson.loads(s)


def create_app(settings: Settings | None = None) -> Flask:
    """The service over the data set that the settings name."""
    settings = settings or Settings.from_environment()
    app = App("menagerie", static_folder=None)
    app.json = OrjsonProvider(app)
    app.url_map.strict_slashes = False
    app.config.update(
        MAX_CONTENT_LENGTH=MAX_BODY,
        API_TITLE="Menagerie",
        API_VERSION="1",
        OPENAPI_VERSION="3.1.0",
        API_SPEC_OPTIONS={
            "info": {"description": ABOUT},
            "components": {"securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}}},
        },
    )
    referee = open_referee(settings)
    app.extensions["referee"] = referee
    registry = Registry(referee.players, referee.tokens)
    app.extensions["registry"] = registry
    app.extensions["limiter"] = Limiter(referee.matches.redis, settings.limit_all)
    streams = open_streams(settings, referee)
    app.extensions["streams"] = streams
    app.extensions["own_events"] = OwnEvents(streams, registry, referee.matches)
    app.extensions["sender"] = Sender()
    if settings.proxies:
        app.wsgi_app = ProxyFix(app.wsgi_app, settings.proxies, 0, 0, 0, 0)  # type: ignore[method-assign]
    metrics.register(app)
    headers.register(app)
    api = Api(app, spec_kwargs={"marshmallow_plugin": Plugin()})
    problems.register(app)
    for module in (games, matches, players, events, replays, service):
        api.register_blueprint(module.blp)
    app.register_blueprint(service.docs_page())
    return app
