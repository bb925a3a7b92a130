"""Bearer tokens and tickets: derived from a service secret, so the store keeps none.

A token says what it is for and proves it: a seat's is
`<match id>.<w or b><generation>.<mac>` and dies when its seat is left, a player's
is `<player id>.p<generation>.<mac>` and dies when the player asks for a new one.
A ticket reads a match's events as one viewer and does nothing else; it has the form
of a seat's token, with `s0` for a spectator, and another mac.
"""

import base64
import hashlib
import hmac
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from menagerie.games.position import BLACK, WHITE, Seat, Viewer
from menagerie.games.refusals import Refusal

_WORDS = {"seat": "bearer token", "player": "bearer token", "ticket": "ticket"}


class BadToken(Refusal):
    """The bearer token is none of ours, or no longer one."""

    code = "bad_token"


@dataclass(frozen=True, slots=True)
class Claim:
    """What a seat's token that was ours says of its bearer."""

    match_id: str
    seat: Seat
    generation: int


@dataclass(frozen=True, slots=True)
class PlayerClaim:
    """What a player's token that was ours says of its bearer."""

    player_id: str
    generation: int


Bearer = Claim | PlayerClaim


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

    def player_token(self, player_id: str, generation: int) -> str:
        body = f"{player_id}.p{generation}"
        return f"{body}.{self._mac('player', body)}"

    def read(self, token: str) -> Bearer:
        """Whose token it is; whether it still lives is the store's to say. Raises `BadToken`."""
        return self._known(token)

    def _verified(self, token: str) -> Bearer:
        is_of_player = token.rpartition(".")[0].rpartition(".")[2].startswith("p")
        subject, holder = self._proved("player" if is_of_player else "seat", token)
        if is_of_player:
            return PlayerClaim(subject, int(holder[1:]))
        return Claim(subject, WHITE if holder[0] == "w" else BLACK, int(holder[1:]))

    def _proved(self, purpose: str, token: str) -> tuple[str, str]:
        """Whose it is and the holder that it names, once its mac is seen to be ours."""
        body, _, mac = token.rpartition(".")
        if not hmac.compare_digest(mac.encode(), self._mac(purpose, body).encode()):
            raise BadToken(f"The {_WORDS[purpose]} is not one of this service's.")
        subject, _, holder = body.rpartition(".")
        return subject, holder

    def ticket(self, match_id: str, viewer: Viewer, generation: int) -> str:
        body = f"{match_id}.{viewer[0]}{generation}"
        return f"{body}.{self._mac('ticket', body)}"

    def read_ticket(self, ticket: str) -> Ticket:
        """What it lets its bearer read. Raises `BadToken`."""
        match_id, holder = self._proved("ticket", ticket)
        viewer: dict[str, Viewer] = {"w": WHITE, "b": BLACK, "s": "spectator"}
        return Ticket(match_id, viewer[holder[0]], int(holder[1:]))

    def derived_id(self, kind: Literal["match", "player"], key: str) -> str:
        """The id of what is created with this idempotency key (caller included)."""
        return id_from(hmac.digest(self._secret, f"id of {kind}:{key}".encode(), "sha256"))

    def luck(self, match_id: str, seat: Seat, ply: int) -> int:
        """What a bot draws its luck from at this turn: 60 bits, never the match's seed."""
        digest = hmac.digest(self._secret, f"luck:{match_id}:{seat}:{ply}".encode(), "sha256")
        return int.from_bytes(digest[:8], "big") >> 4

    def _mac(self, purpose: str, text: str) -> str:
        digest = hmac.digest(self._secret, f"{purpose}:{text}".encode(), "sha256")
        return base64.urlsafe_b64encode(digest[:24]).decode()


def id_from(random_bytes: bytes) -> str:
    """An id of 16 letters and digits, from at least 10 bytes."""
    return base64.b32encode(random_bytes[:10]).decode().lower()


def fingerprint(*parts: str | bytes) -> str:
    """16 hex digits that stand for these parts."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "big") + data)
    return digest.hexdigest()[:16]
