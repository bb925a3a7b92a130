"""Flags that fall, with a timekeeper and without one."""

from datetime import datetime, timedelta

from tests.e2e.conftest import Process, check_record

SECOND = {"type": "absolute", "initial_ms": 1000}


def check_flag(match, matches):
    """White's flag fell at its deadline; the record tells it like every other reader."""
    after = match.get()
    assert (after["status"], after["result"]) == (
        "finished",
        {"winner": "black", "reason": "timeout"},
    )
    assert after["finished_at"] == match.created["clock"]["deadline"]
    started, finished = map(datetime.fromisoformat, (after["started_at"], after["finished_at"]))
    assert finished - started == timedelta(seconds=1)
    assert after["clock"]["white"]["remaining_ms"] == 0
    last = match.get("/replay")["notes"][-1]
    assert (last["type"], last["at"], last["by"], last["after_ply"]) == (
        "match.finished",
        after["finished_at"],
        "clock",
        0,
    )
    assert after["version"] == match.created["version"] + 1
    refused = match.move("white", "a3a4", 0)
    assert (refused.status_code, refused.json()["code"]) == (409, "clock_expired")
    assert check_record(matches, match.id) == []


def test_a_flag_falls_without_anyone_asking(server, matches, timekeeper):
    match = server.create(time_control=SECOND)
    (event,) = match.events(match.created["version"], wait=25)
    assert (event["type"], event["by"]) == ("match.finished", "clock")
    assert event["at"] == match.created["clock"]["deadline"]
    assert event["result"] == {"winner": "black", "reason": "timeout"}
    check_flag(match, matches)


def test_without_a_timekeeper_the_next_read_settles_the_flag(server, matches):
    match = server.create(time_control=SECOND)
    assert match.events(match.created["version"], wait=2) == []
    check_flag(match, matches)


def test_without_a_timekeeper_the_late_move_settles_the_flag(server, matches):
    match = server.create(time_control=SECOND)
    assert match.events(match.created["version"], wait=2) == []
    refused = match.move("white", "a3a4", 0)
    assert (refused.status_code, refused.json()["code"]) == (409, "clock_expired")
    check_flag(match, matches)


def test_two_timekeepers_settle_many_flags_once_each(server, matches, timekeeper, redis_url):
    second = Process(redis_url, "workers.timekeeper")
    try:
        played = [server.create(time_control=SECOND) for _ in range(20)]
        for match in played:
            match.events(match.created["version"], wait=25)
            check_flag(match, matches)
    finally:
        second.stop()
    tag = matches.keys.tags()[0]
    assert matches.agenda(tag).due == []
