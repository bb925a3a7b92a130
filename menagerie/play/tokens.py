"""Seat tokens and tickets: derived from a service secret, so the store keeps none.

A token says which seat it is for and proves it:
`<match id>.<w or b><generation>.<mac>`. It dies when its seat is left. A ticket reads a
match's events as one viewer and does nothing else; it has the same form, with `s0` for a
spectator, and another mac.
"""

import base64
import hashlib
import hmac
from dataclasses import dataclass
from functools import lru_cache

from menagerie.games.position import BLACK, WHITE, Seat, Viewer
from menagerie.games.refusals import Refusal

_WORDS = {"seat": "bearer token", "ticket": "ticket"}


class BadToken(Refusal):
    """The bearer token is none of ours, or no longer one."""

    code = "bad_token"


@dataclass(frozen=True, slots=True)
class Claim:
    """What a token that was ours says of its bearer."""

    match_id: str
    seat: Seat
    generation: int


@dataclass(frozen=True, slots=True)
class Ticket:
    """What a ticket that was ours lets its bearer read; `generation` is the seat's, or 0."""

    match_id: str
    viewer: Viewer
    generation: int


class Tokens:
    """Gives and reads tokens. `secret`: the service's, the same in all its processes."""

    def __init__(self, secret: str) -> None:
        self._secret = secret.encode()
        self._known = lru_cache(maxsize=16_384)(self._verified)

    def seat_token(self, match_id: str, seat: Seat, generation: int) -> str:
        body = f"{match_id}.{seat[0]}{generation}"
        return f"{body}.{self._mac('seat', body)}"

    def read(self, token: str) -> Claim:
        """Whose token it is. Raises `BadToken`."""
        return self._known(token)

    def _verified(self, token: str) -> Claim:
        match_id, holder = self._proved("seat", token)
        return Claim(match_id, WHITE if holder[0] == "w" else BLACK, int(holder[1:]))

    def _proved(self, purpose: str, token: str) -> tuple[str, str]:
        """The match and the holder that it names, once its mac is seen to be ours."""
        body, _, mac = token.rpartition(".")
        if not hmac.compare_digest(mac.encode(), self._mac(purpose, body).encode()):
            raise BadToken(f"The {_WORDS[purpose]} is not one of this service's.")
        match_id, _, holder = body.rpartition(".")
        return match_id, holder

    def ticket(self, match_id: str, viewer: Viewer, generation: int) -> str:
        body = f"{match_id}.{viewer[0]}{generation}"
        return f"{body}.{self._mac('ticket', body)}"

    def read_ticket(self, ticket: str) -> Ticket:
        """What it lets its bearer read. Raises `BadToken`."""
        match_id, holder = self._proved("ticket", ticket)
        viewer: dict[str, Viewer] = {"w": WHITE, "b": BLACK, "s": "spectator"}
        return Ticket(match_id, viewer[holder[0]], int(holder[1:]))

    def derived_id(self, key: str) -> str:
        """The id of the match that is created with this idempotency key (caller included)."""
        return match_id_from(hmac.digest(self._secret, f"match:{key}".encode(), "sha256"))

    def luck(self, match_id: str, seat: Seat, ply: int) -> int:
        """What a bot draws its luck from at this turn: 60 bits, never the match's seed."""
        digest = hmac.digest(self._secret, f"luck:{match_id}:{seat}:{ply}".encode(), "sha256")
        return int.from_bytes(digest[:8], "big") >> 4

    def _mac(self, purpose: str, text: str) -> str:
        digest = hmac.digest(self._secret, f"{purpose}:{text}".encode(), "sha256")
        return base64.urlsafe_b64encode(digest[:24]).decode()


def match_id_from(random_bytes: bytes) -> str:
    """A match id of 16 letters and digits, from at least 10 bytes."""
    return base64.b32encode(random_bytes[:10]).decode().lower()


def fingerprint(*parts: str | bytes) -> str:
    """16 hex digits that stand for these parts."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "big") + data)
    return digest.hexdigest()[:16]
