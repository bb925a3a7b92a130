"""What a process reads from its environment at its start, and the referee it opens with it."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Self

from redis import Redis
from redis.backoff import ExponentialBackoff
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.retry import Retry

from menagerie.play.queues import Queues
from menagerie.play.referee import GRACE_MS, Referee
from menagerie.play.streams import Streams
from menagerie.play.tokens import Tokens
from menagerie.store.feeds import Feeds
from menagerie.store.matches import Matches

STORE_TIMEOUT_S: Final = 5.0
MOST_CONNECTIONS: Final = 2_000
"""One for each request that a process serves at once; redis-py's own limit of 100 is a 503."""
QUEUE_TIMEOUT_S: Final = 0.5
"""A request does not wait for an absent queue: the timekeeper hands on what it could not."""


@dataclass(frozen=True, slots=True)
class Settings:
    """`secret`: tokens and derived ids follow from it, so all processes must share it.

    `limit_all`: callers on this machine are limited like all others; `proxies`: how many
    stand in front, so that many entries of `X-Forwarded-For` are theirs.
    """

    redis_url: str
    queue_url: str
    secret: str
    shards: int = 1
    grace_ms: int = GRACE_MS
    limit_all: bool = False
    proxies: int = 0

    @classmethod
    def from_environment(cls, environ: Mapping[str, str] = os.environ) -> Self:
        secret = environ.get("MENAGERIE_SECRET")
        if not secret:
            raise SystemExit("MENAGERIE_SECRET is not set: all processes must share one.")
        redis_url = environ.get("MENAGERIE_REDIS_URL") or "redis://127.0.0.1:6379/0"
        return cls(
            redis_url=redis_url,
            queue_url=environ.get("MENAGERIE_QUEUE_URL") or redis_url,
            secret=secret,
            shards=int(environ.get("MENAGERIE_SHARDS") or 1),
            grace_ms=int(environ.get("MENAGERIE_GRACE_MS") or GRACE_MS),
            limit_all=environ.get("MENAGERIE_LIMITS") == "all",
            proxies=int(environ.get("MENAGERIE_PROXIES") or 0),
        )


def open_referee(settings: Settings) -> Referee:
    """A referee over the data set that the settings name."""
    matches = Matches(connect(settings.redis_url), settings.shards)
    queues = Queues(connect(settings.queue_url, QUEUE_TIMEOUT_S))
    return Referee(matches, Tokens(settings.secret), settings.grace_ms, queues)


def open_streams(settings: Settings, referee: Referee) -> Streams:
    """The live streams of one process."""
    return Streams(referee, Feeds(referee.matches, connect(settings.redis_url)))


def connect(url: str, timeout_s: float = STORE_TIMEOUT_S) -> Redis:
    """A client that gives up after a while, so that its caller can say 503.

    A broken connection is tried again at once; a silent store has used up the
    caller's patience by then.
    """
    return Redis.from_url(
        url,
        socket_timeout=timeout_s,
        socket_connect_timeout=timeout_s,
        max_connections=MOST_CONNECTIONS,
        retry=Retry(ExponentialBackoff(cap=0.2, base=0.02), 2, (RedisConnectionError,)),
        protocol=2,  # a fifth cheaper a call than 3 here, and nothing we use needs 3
        health_check_interval=30,
    )


def worker_connection(url: str) -> Redis:
    """A client for RQ's workers, which block for longer than a request may."""
    return Redis.from_url(url)
