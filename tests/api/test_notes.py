"""Notes: what stands in the log beside the commits, and the verdicts of the checks."""

import time

from menagerie.match import Match as Stored
from tests.api.conftest import Api, Match

BLITZ = {"type": "absolute", "initial_ms": 10_000}
SHUTTLE = ("a1b1", "g9f9", "b1a1", "f9g9") * 3


def checked(api: Api, match: Match) -> Stored:
    """The match, after a worker has checked it."""
    stored, _ = api.referee.present(match.id)
    api.referee.check_repetition(match.id, stored.version)
    return stored


def test_a_low_clock_is_news_to_readers_and_in_the_replay_and_changes_no_version(api: Api) -> None:
    match = api.create(time_control=BLITZ)
    before = api.get(match.path)
    stored, now_ms = api.referee.present(match.id)
    step = stored.reminded(now_ms)
    assert step is not None
    assert api.referee.matches.note(step, "clock", "keep")
    news = api.get(f"{match.path}/events?after=1-1", headers={"Accept": "application/json"}).json
    (event,) = news["items"]
    assert (event["id"], event["type"], event["by"]) == ("1-2", "clock.low", "clock")
    assert (event["seat"], event["data"]) == ("white", {"remaining_ms": 1_000})
    assert event["clock"]["white"]["remaining_ms"] == 1_000
    after = api.get(match.path)
    assert after.json == before.json
    assert after.headers["ETag"] == before.headers["ETag"]
    assert match.replay()["notes"][-1] == {
        "after_ply": 0,
        "at": event["at"],
        "type": "clock.low",
        "by": "clock",
        "seat": "white",
        "data": {"remaining_ms": 1_000},
    }


def test_a_replay_that_has_a_new_note_is_not_unchanged(api: Api) -> None:
    match = api.create()
    match.play(*SHUTTLE)
    known = {"If-None-Match": api.get(f"{match.path}/replay").headers["ETag"]}
    assert api.get(f"{match.path}/replay", headers=known).status_code == 304
    checked(api, match)
    again = api.get(f"{match.path}/replay", headers=known)
    assert again.status_code == 200
    assert again.json["notes"][-1]["type"] == "repetition.barred"


def test_the_verdict_is_there_once_a_worker_has_counted(api: Api) -> None:
    match = api.create()
    match.play(*SHUTTLE)
    path = f"{match.path}/repetition"
    assert api.get(path).json == {"ply": 12, "verdict": None}
    checked(api, match)
    assert api.get(path).json == {
        "ply": 12,
        "verdict": {
            "ply": 12,
            "counts": {"a1": 3, "b1": 3},
            "barred": ["a1", "b1"],
            "draw": False,
            "agrees": True,
        },
    }
    assert match.get()["state"]["barred"] == ["a1", "b1"]


def test_the_verdict_of_a_match_for_its_players_is_hidden_from_others(api: Api) -> None:
    match = api.create(visibility="players")
    assert api.get(f"{match.path}/repetition").status_code == 404
    assert api.get(f"{match.path}/repetition", match.tokens["white"]).status_code == 200


def test_a_finished_match_is_checked_but_nothing_is_barred_in_it(api: Api) -> None:
    match = api.create()
    match.play(*SHUTTLE)
    match.act("white", "resign")
    before = match.replay()
    checked(api, match)
    assert api.get(f"{match.path}/repetition").json["verdict"]["agrees"] is True
    assert match.replay() == before


def test_metrics_and_readiness_tell_what_waits(api: Api) -> None:
    match = api.create()
    match.play("a3a4")
    time.sleep(0.002)
    ready = api.get("/readyz").json
    assert ready["outbox"] == 1
    assert ready["outbox_oldest_ms"] >= 1
    assert ready["queues"] == {name: {"waiting": 0, "oldest_ms": 0} for name in ("bots", "checks")}
    checked(api, match)
    text = api.get("/metrics").text
    for line in (
        "menagerie_outbox_entries 1.0",
        "menagerie_overdue_seconds 0.0",
        "menagerie_repetition_checks 1.0",
        "menagerie_repetition_differences 0.0",
        'menagerie_queue_jobs{queue="bots"} 0.0',
        'menagerie_queue_age_seconds{queue="checks"} 0.0',
    ):
        assert f"\n{line}\n" in text
    assert "menagerie_outbox_lag_seconds 0." in text
