"""Bots and checks by real workers, and what remains when those are killed."""

import random
import threading
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from itertools import pairwise

import pytest
from redis import Redis

from menagerie.store.matches import Matches
from tests.e2e.conftest import (
    GUESTS,
    PATIENCE_S,
    Match,
    Process,
    Server,
    check_record,
    until,
)

TWO_SECONDS = {"type": "per_turn", "turn_ms": 2000}
"""A bot whose job is lost is played for after one of them."""


def bots(white: str, black: str) -> dict[str, dict[str, str]]:
    return {"white": {"kind": "bot", "bot": white}, "black": {"kind": "bot", "bot": black}}


class Pool:
    """The worker pool, which can be killed and begun again."""

    def __init__(self, redis_url: str) -> None:
        self._redis_url = redis_url
        self.begin()

    def begin(self) -> None:
        self.process = Process(self._redis_url, "workers.pool")

    def kill(self) -> None:
        self.process.kill()

    def stop(self) -> None:
        self.process.stop()


@pytest.fixture
def pool(redis: Redis, redis_url: str) -> Iterator[Pool]:
    pool = Pool(redis_url)
    yield pool
    pool.kill()


def empty_the_queues(redis: Redis) -> None:
    for key in redis.scan_iter("rq:*", count=1000):
        redis.delete(key)


def check_ended(matches: Matches, match: Match) -> None:
    """It ended on the board, no turn played twice, and no bot's time ran out."""
    after = match.get()
    assert after["status"] == "finished"
    assert after["result"]["reason"] not in ("timeout", "idle")
    check_record(matches, match.id)
    seats = [ply["seat"] for ply in match.get("/replay")["plies"]]
    assert all(one != next_one for one, next_one in pairwise(seats))


def disturb(pool: Pool, redis: Redis, luck: random.Random, pause_s: float) -> str:
    """One disaster, after a while."""
    threading.Event().wait(luck.uniform(0.1, pause_s))
    what = luck.choice(["killed", "killed", "emptied"])
    if what == "killed":
        pool.kill()
        pool.begin()
    else:
        empty_the_queues(redis)
    return what


def disturbed_matches(
    server: Server, matches: Matches, pool: Pool, redis: Redis, count: int, patience_s: float
) -> Counter[str]:
    """Bot matches under random kills until all have ended. Returns how often what was done."""
    luck, done = random.Random(7), Counter[str]()
    started = [
        server.create(seats=bots("jungle-2", "jungle-1"), time_control=TWO_SECONDS)
        for _ in range(count)
    ]

    def going_on() -> int:
        return sum(m is not None and m.status == "active" for m in matches.read_many(ids))

    ids = [match.id for match in started]
    for _ in range(max(3, count // 10)):
        if going_on():
            done[disturb(pool, redis, luck, 2.0)] += 1
    until(lambda: going_on() == 0, "the end of every match", patience_s)
    for match in started:
        check_ended(matches, match)
    return done


def test_bot_matches_end_though_workers_are_killed_and_the_queue_is_emptied(
    server: Server, matches: Matches, timekeeper: Process, pool: Pool, redis: Redis
) -> None:
    done = disturbed_matches(server, matches, pool, redis, 6, PATIENCE_S)
    assert done.total() == 3


@pytest.mark.soak
def test_two_hundred_bot_matches_under_random_kills(
    server: Server, matches: Matches, timekeeper: Process, pool: Pool, redis: Redis
) -> None:
    done = disturbed_matches(server, matches, pool, redis, 200, 1200)
    print(f"200 bot matches, {dict(done)}")
    assert done.total() == 20


def test_a_worker_checks_repetition_after_the_plies(
    server: Server, timekeeper: Process, pool: Pool
) -> None:
    match = server.create(seats=GUESTS)
    for ply, text in enumerate(("a1b1", "g9f9", "b1a1", "f9g9") * 3):
        assert match.move("white" if ply % 2 == 0 else "black", text, ply).status_code == 201

    def verdict() -> object:
        found = match.get("/repetition")["verdict"]
        return found if found and found["ply"] == 12 else None

    assert until(verdict, "the check of the last ply") == {
        "ply": 12,
        "counts": {"a1": 3, "b1": 3},
        "barred": ["a1", "b1"],
        "draw": False,
        "agrees": True,
    }
    noted = [n for n in match.get("/replay")["notes"] if n["type"] == "repetition.barred"]
    assert [(n["after_ply"], n["data"]) for n in noted[-1:]] == [(12, {"squares": ["a1", "b1"]})]


def test_without_workers_people_play_bars_hold_and_flags_fall(
    server: Server, matches: Matches, timekeeper: Process
) -> None:
    match = server.create(time_control={"type": "absolute", "initial_ms": 4000})
    for ply, text in enumerate(("a1b1", "g9f9", "b1a1", "f9g9") * 3):
        assert match.move("white" if ply % 2 == 0 else "black", text, ply).status_code == 201
    barred = match.move("white", "a1b1", 12)
    assert (barred.status_code, barred.json()["reason"]) == (422, "barred_by_repetition")
    until(lambda: match.get()["status"] == "finished", "the flag")
    assert match.get()["result"] == {"winner": "black", "reason": "timeout"}
    assert len(check_record(matches, match.id)) == 12


def test_without_workers_a_bot_is_played_for_at_half_of_its_time(
    server: Server, timekeeper: Process
) -> None:
    seats = {"white": GUESTS["white"], "black": {"kind": "bot", "bot": "jungle-3"}}
    match = server.create(seats=seats, time_control=TWO_SECONDS)
    assert match.move("white", "a3a4", 0).status_code == 201
    until(lambda: match.get()["ply"] == 2, "the bot's turn")
    mine, its = match.get("/replay")["plies"]
    waited = datetime.fromisoformat(its["at"]) - datetime.fromisoformat(mine["at"])
    assert waited.total_seconds() == 1.0
