"""Every refusal as problem+json (RFC 9457), mapped once: code to status and title."""

from http import HTTPStatus
from typing import Any

from flask import Flask, Response, current_app, g, request
from redis.exceptions import (
    ClusterDownError,
    OutOfMemoryError,
    ReadOnlyError,
    RedisError,
    ResponseError,
    TryAgainError,
)
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import TimeoutError as RedisTimeoutError
from werkzeug.exceptions import HTTPException

from menagerie.games.refusals import Refusal

RETRY_AFTER_S = 1
AWAY = (RedisConnectionError, RedisTimeoutError, ReadOnlyError, ClusterDownError, TryAgainError)

PROBLEMS: dict[str, tuple[int, str]] = {
    "bad_request": (400, "The request does not fit its schema"),
    "bad_cursor": (400, "No cursor of this list"),
    "bad_idempotency_key": (400, "No usable Idempotency-Key"),
    "no_token": (401, "A bearer token is needed"),
    "bad_token": (401, "The bearer token is not valid"),
    "not_yours": (403, "Not yours to do"),
    "not_found": (404, "No such resource"),
    "no_such_game": (404, "No such game"),
    "no_such_match": (404, "No such match"),
    "no_such_player": (404, "No such player"),
    "method_not_allowed": (405, "Method not allowed"),
    "not_acceptable": (406, "None of the formats asked for"),
    "not_your_turn": (409, "Not your turn"),
    "stale_ply": (409, "The match is at another ply"),
    "match_over": (409, "The match is over"),
    "match_not_started": (409, "The match has not started"),
    "match_started": (409, "The match has started"),
    "match_paused": (409, "The match is paused"),
    "clock_expired": (409, "Your time has run out"),
    "seat_taken": (409, "The seat is taken"),
    "own_match": (409, "You hold the other seat"),
    "too_late_to_abort": (409, "You have completed a turn"),
    "no_virtual_clock": (409, "The match has no virtual clock"),
    "bot_to_move": (409, "A bot is to move"),
    "events_gone": (410, "The events are gone"),
    "precondition_failed": (412, "The match is at another version"),
    "too_large": (413, "The body is too large"),
    "unsupported_media_type": (415, "JSON bodies only"),
    "illegal_move": (422, "Not a legal move"),
    "bad_position": (422, "Not a position of this game"),
    "bad_option": (422, "Not an option of this game"),
    "no_such_bot": (422, "No such bot for this game"),
    "position_not_supported": (422, "This game starts from the deal"),
    "not_rateable": (422, "This match cannot be rated"),
    "idempotency_key_reused": (422, "The key came with another request"),
    "rate_limited": (429, "Too many requests"),
    "internal_error": (500, "Our fault"),
    "too_many_streams": (503, "Too many streams on this server"),
    "store_away": (503, "The store is away"),
    "store_full": (503, "The store is full"),
}
"""The whole table: what a client may meet, anywhere."""

OF_HTTP = {
    400: "bad_request",
    404: "not_found",
    405: "method_not_allowed",
    406: "not_acceptable",
    413: "too_large",
    415: "unsupported_media_type",
    429: "rate_limited",
}


class BadRequest(Refusal):
    """The request does not fit its schema; `errors` says where."""

    code = "bad_request"

    def __init__(self, detail: str, errors: list[dict[str, str]] | None = None) -> None:
        super().__init__(detail)
        self.errors = errors or []


class UnsupportedMediaType(Refusal):
    """The body is not JSON."""

    code = "unsupported_media_type"


class BadIdempotencyKey(Refusal):
    """The key is malformed; without a token it must be a UUID."""

    code = "bad_idempotency_key"


class BadCursor(Refusal):
    """The cursor was not given by this list."""

    code = "bad_cursor"


def problem(code: str, detail: str, **more: Any) -> Response:
    """The answer to a refused request; `more`: members beside the standard ones."""
    status, title = PROBLEMS[code]
    body = {
        "type": "about:blank",
        "title": title,
        "status": status,
        "detail": detail,
        "instance": request.path,
        "code": code,
        "request_id": g.get("request_id", ""),
        **more,
    }
    response = current_app.response_class(
        current_app.json.dumps(body), status, mimetype="application/problem+json"
    )
    if "retry_after" in more:
        response.headers["Retry-After"] = str(more["retry_after"])
    return response


def refused(refusal: Refusal) -> Response:
    """A refusal of any layer, with what helps its reader."""
    more = {
        name: value
        for name in ("reason", "errors", "current_ply", "move", "index", "retry_after")
        if (value := getattr(refusal, name, None)) is not None
    }
    return problem(refusal.code, refusal.detail, **more)


def _http(error: HTTPException) -> Response:
    status = error.code or 500
    if status < 400:
        return error.get_response()  # a redirect
    code = OF_HTTP.get(status, "internal_error" if status >= 500 else "bad_request")
    detail = error.description or HTTPStatus(PROBLEMS[code][0]).phrase
    response = problem(code, detail)
    for name, value in error.get_headers():
        if name.lower() in ("allow", "retry-after"):
            response.headers[name] = value
    return response


def _store(error: RedisError) -> Response:
    """The store cannot answer: nothing is known to be changed, and a retry is safe."""
    if isinstance(error, AWAY):
        return problem("store_away", "The store does not answer.", retry_after=RETRY_AFTER_S)
    if isinstance(error, OutOfMemoryError) or _says(error, "MISCONF"):
        return problem("store_full", "The store takes no more.", retry_after=RETRY_AFTER_S)
    if _says(error, "BUSY", "NOREPLICAS"):
        return problem("store_away", "The store is not ready.", retry_after=RETRY_AFTER_S)
    return _unexpected(error)


def _says(error: RedisError, *codes: str) -> bool:
    """Whether the store's answer begins with one of the codes that redis-py has no class for."""
    return isinstance(error, ResponseError) and str(error).startswith(codes)


def _unexpected(error: Exception) -> Response:
    current_app.logger.exception("unexpected", exc_info=error)
    return problem("internal_error", "Something went wrong on our side.")


def register(app: Flask) -> None:
    """Make every error of the app a problem."""
    app.register_error_handler(Refusal, refused)
    app.register_error_handler(HTTPException, _http)
    app.register_error_handler(RedisError, _store)
    app.register_error_handler(Exception, _unexpected)
