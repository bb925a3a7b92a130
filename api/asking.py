"""Who asks, and what they bring: token, idempotency key, preconditions."""

import re
import uuid

from flask import current_app, g, request

from api.problems import BadIdempotencyKey, BadRequest
from menagerie.play.limits import Bucket
from menagerie.play.own import OwnEvents
from menagerie.play.players import Registry
from menagerie.play.referee import Call, Referee
from menagerie.play.streams import Streams
from menagerie.play.tokens import BadToken, Bearer, PlayerClaim, fingerprint

_ETAG = re.compile(r"([0-9]{1,15})-[a-z]+(?:\+moves)?")


def referee() -> Referee:
    """The app's referee."""
    return current_app.extensions["referee"]  # type: ignore[no-any-return]


def registry() -> Registry:
    """The app's players."""
    return current_app.extensions["registry"]  # type: ignore[no-any-return]


def streams() -> Streams:
    """The app's live streams."""
    return current_app.extensions["streams"]  # type: ignore[no-any-return]


def own_events() -> OwnEvents:
    """The app's logs of players."""
    return current_app.extensions["own_events"]  # type: ignore[no-any-return]


def bearer() -> Bearer | None:
    """What the bearer token says, whether it still lives or not; None without one.

    Raises `BadToken`.
    """
    header = request.headers.get("Authorization")
    if header is None:
        return None
    scheme, _, token = header.partition(" ")
    if scheme.lower() != "bearer":
        raise BadToken("Send Authorization: Bearer <token>.")
    return referee().tokens.read(token.strip())


def claim() -> Bearer | None:
    """What the bearer token says; None without one. Raises `BadToken`, also for a dead one.

    Whether a seat's token lives is seen when its match is loaded.
    """
    if "claim" not in g:
        found = bearer()
        if isinstance(found, PlayerClaim):
            registry().check(found)
        g.claim = found
    return g.claim  # type: ignore[no-any-return]


def reader() -> str | None:
    """The id of the player whose token asks; None for other tokens, and without one."""
    found = claim()
    return found.player_id if isinstance(found, PlayerClaim) else None


def call() -> Call:
    """All that this request brings besides its act."""
    return call_of(claim())


def call_of(asking: Bearer | None) -> Call:
    """All that this request brings besides its act, for a bearer who has been looked at."""
    key = _idempotency_key(asking)
    body = fingerprint(request.method, request.path, request.get_data()) if key else ""
    counted = remember_bucket if current_app.extensions["limiter"].applies() else None
    return Call(asking, key, body, _if_versions(), counted)


def _idempotency_key(asking: Bearer | None) -> str | None:
    """The caller's name and key together; without a token the key is the caller."""
    key = request.headers.get("Idempotency-Key")
    if key is None:
        return None
    if not 1 <= len(key) <= 128:
        raise BadIdempotencyKey("An Idempotency-Key has 1 to 128 characters.")
    if isinstance(asking, PlayerClaim):
        return f"{asking.player_id} {key}"
    if asking is not None:
        return f"{asking.match_id}.{asking.seat}.{asking.generation} {key}"
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


def remember_bucket(bucket: Bucket) -> None:
    """What the caller has used of a limit: it goes into `RateLimit`."""
    g.bucket = bucket
