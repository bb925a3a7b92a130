"""What a client sees while the store is there but takes no move."""

from collections.abc import Callable

import pytest
from redis import Redis

from tests.api.conftest import Api


def full(redis: Redis) -> None:
    redis.config_set("maxmemory", "1")


def replica(redis: Redis) -> None:
    redis.replicaof("127.0.0.1", "1")


def without_its_replicas(redis: Redis) -> None:
    redis.config_set("min-replicas-to-write", "1")


def well(redis: Redis) -> None:
    redis.config_set("maxmemory", "0")
    redis.replicaof("no", "one")
    redis.config_set("min-replicas-to-write", "0")


@pytest.mark.parametrize(
    ("trouble", "code"),
    [
        (full, "store_full"),
        (replica, "store_away"),
        (without_its_replicas, "store_away"),
    ],
)
def test_a_store_that_takes_no_writes_is_503_and_nothing_is_changed(
    api: Api, redis: Redis, trouble: Callable[[Redis], None], code: str
) -> None:
    match = api.create()
    before = match.get()
    trouble(redis)
    try:
        answers = [
            match.move("white", "a3a4", 0),
            match.act("white", "resign"),
            api.post("/v1/matches", {"game": "jungle"}),
        ]
    finally:
        well(redis)
    for answer in answers:
        assert (answer.status_code, answer.json["code"]) == (503, code)
        assert answer.mimetype == "application/problem+json"
        assert answer.headers["Retry-After"] == str(answer.json["retry_after"]) == "1"
    assert match.get() == before
    assert match.move("white", "a3a4", 0).status_code == 201
