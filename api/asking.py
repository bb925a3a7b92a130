"""Who asks, and what they bring: token, idempotency key, preconditions."""

import re
import uuid

from flask import current_app, g, request

from api.problems import BadIdempotencyKey, BadRequest
from menagerie.play.referee import Call, Referee
from menagerie.play.streams import Streams
from menagerie.play.tokens import BadToken, Claim, fingerprint

_ETAG = re.compile(r"([0-9]{1,15})-[a-z]+(?:\+moves)?")


def referee() -> Referee:
    """The app's referee."""
    return current_app.extensions["referee"]  # type: ignore[no-any-return]


def streams() -> Streams:
    """The app's live streams."""
    return current_app.extensions["streams"]  # type: ignore[no-any-return]


def claim() -> Claim | None:
    """What the bearer token says; None without one. Raises `BadToken`."""
    header = request.headers.get("Authorization")
    if header is None:
        return None
    scheme, _, token = header.partition(" ")
    if scheme.lower() != "bearer":
        raise BadToken("Send Authorization: Bearer <token>.")
    return referee().tokens.read(token.strip())


def call() -> Call:
    """All that this request brings besides its act."""
    bearer = claim()
    key = _idempotency_key(bearer)
    body = fingerprint(request.method, request.path, request.get_data()) if key else ""
    return Call(bearer, key, body, _if_versions())


def _idempotency_key(bearer: Claim | None) -> str | None:
    """The caller's name and key together; without a token the key is the caller."""
    key = request.headers.get("Idempotency-Key")
    if key is None:
        return None
    if not 1 <= len(key) <= 128:
        raise BadIdempotencyKey("An Idempotency-Key has 1 to 128 characters.")
    if bearer is not None:
        return f"{bearer.match_id}.{bearer.seat}.{bearer.generation} {key}"
    try:
        return f"- {uuid.UUID(key)}"
    except ValueError:
        raise BadIdempotencyKey("Without a token the Idempotency-Key is a UUID.") from None


def _if_versions() -> frozenset[int] | None:
    """The versions that `If-Match` allows; None for any."""
    if "If-Match" not in request.headers or request.if_match.star_tag:
        return None
    found = (_ETAG.fullmatch(tag) for tag in request.if_match)
    return frozenset(int(match[1]) for match in found if match)


def forget_body() -> None:
    """A POST that needs no body takes none, or an empty object."""
    body = request.get_data()
    if body.strip() not in (b"", b"{}"):
        raise BadRequest("This request takes no body.")


def remember_instant(now_ms: int) -> None:
    """The instant that this answer is as of: it goes into `Server-Time`."""
    g.now_ms = now_ms
