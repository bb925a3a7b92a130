"""Flags fall by themselves, and by whoever looks."""

import threading
from collections.abc import Iterator

import pytest
import requests
from redis import Redis

from menagerie.play.settings import Settings, open_referee
from tests.e2e.conftest import Server
from tests.e2e.test_races import GUESTS, create
from workers.timekeeper import Timekeeper

SECOND = {"type": "absolute", "initial_ms": 1000}


@pytest.fixture
def timekeeper(redis: Redis, redis_url: str) -> Iterator[Timekeeper]:
    keeper = Timekeeper(open_referee(Settings(redis_url, redis_url, "a secret of the tests")))
    thread = threading.Thread(target=keeper.run)
    thread.start()
    yield keeper
    keeper.stop()
    thread.join()


def test_a_flag_falls_without_anyone_asking(servers: list[Server], timekeeper: Timekeeper) -> None:
    match = create(servers[0], seats=GUESTS, time_control=SECOND)
    path = f"{servers[0].url}/v1/matches/{match['id']}/events?after=1&wait=20"
    events = requests.get(path, timeout=30).json()["items"]
    assert [event["type"] for event in events] == ["match.finished"]
    assert events[0]["result"] == {"winner": "black", "reason": "timeout"}
    assert events[0]["at"] == match["clock"]["deadline"]
    assert events[0]["clock"]["white"]["remaining_ms"] == 0


def test_without_a_timekeeper_the_next_read_settles_it(servers: list[Server], redis: Redis) -> None:
    match = create(servers[0], seats=GUESTS, time_control=SECOND)
    path = f"{servers[1].url}/v1/matches/{match['id']}"
    requests.get(f"{path}/events?after=1&wait=2", timeout=30)  # nobody tells; time goes by
    now = requests.get(path, timeout=10).json()
    assert now["result"] == {"winner": "black", "reason": "timeout"}
    assert now["finished_at"] == match["clock"]["deadline"]
    note = requests.get(f"{path}/replay", timeout=10).json()["notes"][-1]
    assert (note["type"], note["at"]) == ("match.finished", match["clock"]["deadline"])
