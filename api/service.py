"""The service about itself: time, health, metrics, its own description."""

from functools import cache

from flask import Flask, Response, current_app
from flask_swagger_ui import get_swaggerui_blueprint
from redis.exceptions import RedisError

from api import metrics
from api.answers import send
from api.asking import referee, remember_instant
from api.blueprint import Blueprint
from api.limits import limiter
from menagerie.instants import instant
from menagerie.play.limits import MOVES, POLICIES, Policy
from schemas.service import LimitsSchema, LiveSchema, ReadySchema, TimeSchema

blp = Blueprint("service", __name__, description="The service about itself.")


@blp.route("/v1/time")
@blp.answers(200, TimeSchema, public=True)
def get_time() -> Response:
    """The present instant

    By the clock that all deadlines are kept by.
    """
    now_ms = referee().matches.time_ms()
    remember_instant(now_ms)
    return send({"now": instant(now_ms), "now_ms": now_ms}, Cache_Control="no-store")


@blp.route("/v1/limits")
@blp.answers(200, LimitsSchema)
def get_limits() -> Response:
    """How often one may ask

    And what the caller has left. A request too many is refused with 429 and `Retry-After`.
    """
    items = [{**policy.view(), **_left(policy)} for policy in POLICIES]
    return send({"applies": limiter().applies(), "items": items}, Cache_Control="no-store")


def _left(policy: Policy) -> dict[str, int | None]:
    if policy is MOVES:
        return {"remaining": None, "reset_ms": None}
    bucket = limiter().look(policy)
    return {"remaining": bucket.remaining, "reset_ms": bucket.reset_ms}


@blp.route("/livez")
@blp.answers(200, LiveSchema, public=True)
def get_liveness() -> Response:
    """Whether this process answers"""
    return send({"status": "live"}, Cache_Control="no-store")


@blp.route("/readyz")
@blp.answers(200, ReadySchema, public=True)
def get_readiness() -> Response:
    """Whether matches can be played

    503 while the store is away. An absent queue is null: people still play, and bots are
    played for, more slowly.
    """
    backlog = referee().matches.backlog()
    body = {
        "status": "ready",
        "store": "ok",
        "outbox": backlog.outbox,
        "outbox_oldest_ms": backlog.outbox_oldest_ms,
        "overdue_ms": backlog.overdue_ms,
        "queues": _queues(),
    }
    return send(body, Cache_Control="no-store")


def _queues() -> dict[str, dict[str, int]] | None:
    queues = referee().queues
    try:
        return None if queues is None else queues.waiting()
    except RedisError:
        return None


@blp.route("/metrics")
@blp.answers(200, {"type": "string"}, content_type="text/plain", public=True)
def get_metrics() -> Response:
    """Counts for Prometheus"""
    return metrics.exposition()


@blp.route("/openapi.json")
@blp.answers(200, {"type": "object"}, public=True)
def get_openapi_json() -> Response:
    """This description, as JSON"""
    return send(current_app.extensions["flask-smorest"]["apis"][""]["ext_obj"].spec.to_dict())


@blp.route("/openapi.yaml")
@blp.answers(200, {"type": "object"}, content_type="application/yaml", public=True)
def get_openapi_yaml() -> Response:
    """This description, as YAML"""
    return Response(_yaml(current_app._get_current_object()), mimetype="application/yaml")  # type: ignore[attr-defined]


@cache
def _yaml(app: Flask) -> str:
    from api.openapi import text  # noqa: PLC0415 - the description describes this module too

    return text(app)


def docs_page() -> object:
    """The page at /docs, with assets of ours: no other server is asked."""
    return get_swaggerui_blueprint("/docs", "/openapi.json", config={"app_name": "Menagerie"})
