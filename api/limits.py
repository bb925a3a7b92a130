"""Who has asked too often: the library `limits` counts what is rare and costly.

Callers on this machine are not limited, unless the settings say so.
"""

import time
from functools import lru_cache
from ipaddress import ip_address
from typing import Any

from flask import current_app, request
from limits import RateLimitItemPerSecond
from limits.storage import RedisStorage
from limits.strategies import FixedWindowRateLimiter

from api.asking import claim, remember_bucket
from menagerie.play.limits import Bucket, Policy
from menagerie.play.tokens import PlayerClaim


class Limiter:
    """Counts in the same Redis. `for_all`: callers on this machine are limited too."""

    def __init__(self, redis: Any, for_all: bool) -> None:
        storage = RedisStorage("redis://", redis.connection_pool, key_prefix="limits")
        self._windows = FixedWindowRateLimiter(storage)
        self._for_all = for_all

    def applies(self) -> bool:
        """Whether the caller of this request is limited."""
        return self._for_all or not _is_here(request.remote_addr)

    def hit(self, policy: Policy) -> Bucket:
        """Count this request."""
        item, name = _item(policy), _caller(policy)
        fits = self._windows.hit(item, name)
        bucket = self.look(policy)
        return bucket if fits else Bucket(policy, policy.quota + 1, bucket.reset_ms)

    def look(self, policy: Policy) -> Bucket:
        """What the caller of this request has used, without counting it."""
        ends_s, remaining = self._windows.get_window_stats(_item(policy), _caller(policy))
        return Bucket(
            policy, policy.quota - remaining, max(0, round((ends_s - time.time()) * 1000))
        )


def limiter() -> Limiter:
    """The app's limiter."""
    return current_app.extensions["limiter"]  # type: ignore[no-any-return]


def count(policy: Policy) -> None:
    """Count this request by the policy. Raises `RateLimited` for one too many."""
    if limiter().applies():
        bucket = limiter().hit(policy)
        remember_bucket(bucket)
        bucket.refuse_if_over()


def _item(policy: Policy) -> RateLimitItemPerSecond:
    return RateLimitItemPerSecond(policy.quota, policy.window_s, namespace=policy.name)


def _caller(policy: Policy) -> str:
    """The player who asks, else the address that the request came from."""
    bearer = claim() if policy.per == "caller" else None
    return bearer.player_id if isinstance(bearer, PlayerClaim) else str(request.remote_addr)


@lru_cache(maxsize=4096)
def _is_here(address: str | None) -> bool:
    """Whether the address is this machine's own; a caller by a Unix socket has none."""
    if not address:
        return True
    try:
        found = ip_address(address)
    except ValueError:
        return False
    return found.is_loopback or bool(
        getattr(found, "ipv4_mapped", None) and found.ipv4_mapped.is_loopback
    )
