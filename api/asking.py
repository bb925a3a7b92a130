"""Who asks, and what they bring: token, idempotency key, preconditions."""

import re
import uuid

from flask import current_app, g, request

from api.problems import BadIdempotencyKey, BadRequest
from menagerie.games.refusals import Refusal
from menagerie.play.referee import Call, Referee
from menagerie.play.tokens import BadToken, Claim, fingerprint

_ETAG = re.compile(r'(?:W/)?"([0-9]{1,15})-[a-z]+(?:\+moves)?"')


class PreconditionFailed(Refusal):
    """`If-Match` holds nothing that could be a version of this match."""

    code = "precondition_failed"


def referee() -> Referee:
    """The app's referee."""
    return current_app.extensions["referee"]  # type: ignore[no-any-return]


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
    return Call(bearer, key, body, _if_version())


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


def _if_version() -> int | None:
    header = request.headers.get("If-Match")
    if header is None or header.strip() == "*":
        return None
    match = _ETAG.fullmatch(header.strip())
    if match is None:
        raise PreconditionFailed("If-Match is not an ETag of this match.")
    return int(match[1])


def forget_body() -> None:
    """A POST that needs no body takes none, or an empty object."""
    body = request.get_data()
    if body.strip() not in (b"", b"{}"):
        raise BadRequest("This request takes no body.")


def remember_instant(now_ms: int) -> None:
    """The instant that this answer is as of: it goes into `Server-Time`."""
    g.now_ms = now_ms
