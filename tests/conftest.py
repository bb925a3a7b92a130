"""A real Redis for every test that asks for one."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from redis import Redis

from menagerie.store import embedded


@pytest.fixture(scope="session")
def redis_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server of this test session's own.

    `MENAGERIE_TEST_BINARY` names another server program to test on.
    """
    given = os.environ.get("MENAGERIE_TEST_BINARY")
    server = embedded.start(
        tmp_path_factory.mktemp("redis"),
        binary=Path(given) if given else None,
        appendonly=False,
    )
    yield server.url
    server.stop()


@pytest.fixture
def redis(redis_url: str) -> Iterator[Redis]:
    """A client of that server, which is empty."""
    with Redis.from_url(redis_url) as client:
        client.flushall()
        yield client
