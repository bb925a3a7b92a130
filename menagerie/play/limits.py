"""How often a caller may ask for what, so that no one takes the service from the others.

Moves are counted where the match is loaded (load.lua); the rest by the library
`limits`, in `api/limits.py`.
"""

from dataclasses import dataclass
from math import ceil
from typing import Any, Final

from menagerie.games.refusals import Refusal


@dataclass(frozen=True, slots=True)
class Policy:
    """At most `quota` calls of these operations in `window_s` seconds, for each of `per`."""

    name: str
    quota: int
    window_s: int
    per: str
    calls: tuple[str, ...]

    def view(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "quota": self.quota,
            "window_ms": self.window_s * 1000,
            "per": self.per,
            "calls": list(self.calls),
        }


MOVES: Final = Policy("moves", 20, 1, "seat", ("POST /v1/matches/{match_id}/moves",))
CREATIONS: Final = Policy("creations", 60, 60, "caller", ("POST /v1/matches",))
REGISTRATIONS: Final = Policy("registrations", 20, 3600, "address", ("POST /v1/players",))
TOKENS: Final = Policy("tokens", 20, 60, "caller", ("POST /v1/me/token",))
POLICIES: Final = (MOVES, CREATIONS, REGISTRATIONS, TOKENS)


@dataclass(frozen=True, slots=True)
class Bucket:
    """What one caller has used of a policy in the window that ends in `reset_ms`."""

    policy: Policy
    used: int
    reset_ms: int

    @property
    def remaining(self) -> int:
        return max(0, self.policy.quota - self.used)

    @property
    def reset_s(self) -> int:
        """Whole seconds until the next window, at least 1."""
        return max(1, ceil(self.reset_ms / 1000))

    def refuse_if_over(self) -> None:
        """Raise `RateLimited` for a call beyond the quota."""
        if self.used > self.policy.quota:
            raise RateLimited(self)


class RateLimited(Refusal):
    """The caller has asked too often; `retry_after` seconds from now it may again."""

    code = "rate_limited"

    def __init__(self, bucket: Bucket) -> None:
        policy = bucket.policy
        super().__init__(
            f"At most {policy.quota} {policy.name} in {policy.window_s} s for each {policy.per}."
        )
        self.retry_after = bucket.reset_s
