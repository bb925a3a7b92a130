"""All matches of a player on one connection: in order, once, and resumable."""

from itertools import count
from typing import Any

import pytest
from redis import Redis

from menagerie.play import own
from menagerie.play.referee import Call
from menagerie.play.tokens import Claim
from menagerie.store.keys import journal_key
from tests.api.conftest import GUESTS, Api, Player
from tests.api.test_events import ENDS, FORMS, Reader, refused

ME, GUEST = {"kind": "me"}, {"kind": "guest"}
AT_HOME = {"seats": {"white": ME, "black": GUEST}}
SHUTTLE = ("a3a4", "g7g6", "a4a3", "g6g7")


@pytest.fixture
def ann(api: Api) -> Player:
    return api.sign_up("Ann")


def read(player: Player, form: str = "application/x-ndjson", **more: Any) -> Reader:
    return Reader(player.api, "/v1/me/events", form, token=player.token, **more)


def poll(player: Player, after: str, wait: int = 0) -> list[dict[str, Any]]:
    answer = player.get(f"/v1/me/events?after={after}&wait={wait}")
    assert answer.status_code == 200, answer.json
    items: list[dict[str, Any]] = answer.json["items"]
    assert answer.json["next_after"] == (items[-1]["id"] if items else after)
    return items


def began(player: Player) -> str:
    """A place to go on from."""
    return str(player.get("/v1/me/events").json["next_after"])


def told(events: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return [(event["match"], event["event_id"]) for event in events]


def as_told_by_their_matches(api: Api, events: list[dict[str, Any]]) -> bool:
    """Whether each is what the log of its match says of it."""
    for event in events:
        log = api.referee.matches.load(event["match"]).match
        known = {one.id: one.view(event["viewer"]) for one in api.referee.matches.events(log)}
        envelope = {name: event[name] for name in ("id", "event_id", "match", "viewer")}
        if event != known[event["event_id"]] | envelope:
            return False
    return True


@FORMS
def test_a_stream_begins_with_the_matches_that_go_on_and_tells_of_all(
    api: Api, ann: Player, form: str
) -> None:
    first, over = ann.create(**AT_HOME), ann.create(**AT_HOME)
    over.act("black", "resign")
    elsewhere = api.create()
    with read(ann, form) as reader:
        snapshot = reader.next()
        assert snapshot["type"] == "snapshot"
        assert snapshot["data"]["matches"] == [ann.get(first.path).json]
        ann.post(f"{first.path}/moves", {"move": "a3a4", "ply": 0})
        moved = reader.next()
        assert (moved["type"], moved["match"], moved["viewer"]) == (
            "move.played",
            first.id,
            "white",
        )
        elsewhere.move("white", "a3a4", 0)
        second = ann.create(**AT_HOME)
        assert [reader.next()["type"] for _ in range(2)] == ["match.created", "match.started"]
        second.act("black", "resign")
        ended = reader.next()
        assert (ended["type"], ended["match"]) == ("match.finished", second.id)
        assert ended["result"] == {"winner": "white", "reason": "resignation"}
        first.move("black", "g7g6", 1)
        assert reader.next()["to_move"] == ["white"]


@pytest.mark.parametrize("how", ["Last-Event-ID", "after"])
def test_a_reader_resumes_behind_any_event_without_gap_or_repeat(
    api: Api, ann: Player, how: str
) -> None:
    start = began(ann)
    matches = [ann.create(**AT_HOME) for _ in range(3)]
    for ply, text in enumerate(SHUTTLE):
        for match in matches:
            if ply % 2:
                match.move("black", text, ply)
            else:
                ann.post(f"{match.path}/moves", {"move": text, "ply": ply})
    whole = poll(ann, start)
    assert len(whole) == len(set(told(whole))) == 3 * 6
    assert as_told_by_their_matches(api, whole)
    for match in matches:
        ids = [event["event_id"] for event in whole if event["match"] == match.id]
        assert ids == ["1-0", "1-1", "2-0", "3-0", "4-0", "5-0"]
    for nth in range(len(whole)):
        rest = whole[nth + 1 :]
        if how == "after":
            assert poll(ann, whole[nth]["id"]) == rest
        elif rest:
            with read(ann, headers={"Last-Event-ID": whole[nth]["id"]}) as reader:
                assert [reader.next() for _ in rest] == rest


def test_what_happened_while_nobody_read_is_told_in_its_order_to_who_resumes(ann: Player) -> None:
    first = ann.create(**AT_HOME)
    start = began(ann)
    second = ann.create(**AT_HOME)
    expected = [(second.id, "1-0"), (second.id, "1-1")]
    for ply, text in enumerate(SHUTTLE):
        for match in (second, first) if ply % 2 else (first, second):
            if ply % 2:
                match.move("black", text, ply)
            else:
                ann.post(f"{match.path}/moves", {"move": text, "ply": ply})
            expected.append((match.id, f"{ply + 2}-0"))
    events = poll(ann, start)
    assert sorted(told(events)) == sorted(expected)
    instants = [event["at"] for event in events]
    assert instants == sorted(instants)


def test_several_streams_of_one_player_hear_the_same_in_the_same_order(
    api: Api, ann: Player
) -> None:
    matches = [ann.create(**AT_HOME) for _ in range(4)]
    start = began(ann)
    readers = [read(ann, headers={"Last-Event-ID": start}) for _ in range(3)]
    for match in matches:
        ann.post(f"{match.path}/moves", {"move": "a3a4", "ply": 0})
        match.move("black", "g7g6", 1)
    heard = [[reader.next() for _ in range(8)] for reader in readers]
    assert heard[0] == heard[1] == heard[2] == poll(ann, start)
    for reader in readers:
        reader.response.close()


def test_a_commit_between_two_looks_of_the_opening_is_neither_lost_nor_repeated(
    api: Api, ann: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = ann.create(**AT_HOME)
    read_many, plies = api.referee.matches.read_many, count()

    def overtaken(ids: Any) -> Any:
        found = read_many(ids)
        if found and (ply := next(plies)) < 4:
            seat: Any = ("white", "black")[ply % 2]
            api.referee.move(match.id, (SHUTTLE[ply],), ply, Call(Claim(match.id, seat, 0)))
        return found

    monkeypatch.setattr(api.referee.matches, "read_many", overtaken)
    snapshot = ann.get("/v1/me/events").json["items"][0]
    (shown,) = snapshot["data"]["matches"]
    monkeypatch.undo()
    last = ann.get(match.path).json["version"]
    assert last == 5
    seen = [event["version"] for event in poll(ann, snapshot["id"])]
    assert [shown["version"], *seen] == list(range(shown["version"], last + 1))


def test_the_creator_of_a_match_between_others_follows_it_as_a_spectator(ann: Player) -> None:
    start = began(ann)
    match = ann.create(seats={"white": GUEST, "black": GUEST}, visibility="players")
    match.move("white", "a3a4", 0)
    events = poll(ann, start)
    assert told(events) == [(match.id, "1-0"), (match.id, "1-1"), (match.id, "2-0")]
    assert {event["viewer"] for event in events} == {"spectator"}


def test_who_takes_a_seat_is_told_from_the_beginning_and_who_leaves_it_no_more(
    api: Api, ann: Player
) -> None:
    ben = api.sign_up("Ben")
    match = ann.create()
    with read(ben) as reader:
        assert reader.next()["data"]["matches"] == []
        ben.post(f"{match.path}/seats/any")
        events = [reader.next() for _ in range(3)]
        assert [event["type"] for event in events] == [
            "match.created",
            "seat.taken",
            "match.started",
        ]
        assert {event["viewer"] for event in events} == {"black"}
    other = ann.create()
    with read(ann) as reader:
        reader.next()
        api.call("DELETE", f"{other.path}/seats/white", token=ann.token)
        assert reader.next()["type"] == "seat.left"
        ben.post(f"{other.path}/seats/white")
        assert reader.next()["type"] == "seat.taken"  # Ann has made it


def test_a_match_that_was_left_is_heard_of_no_more(api: Api, ann: Player) -> None:
    ben = api.sign_up("Ben")
    match = ann.create()
    ben.post(f"{match.path}/seats/any")
    with read(ben) as reader:
        reader.next()
        waiting = ann.create(seats={"white": {"kind": "open"}, "black": {"kind": "open"}})
        ben.post(f"{waiting.path}/seats/white")
        assert [reader.next()["type"] for _ in range(2)] == ["match.created", "seat.taken"]
        api.call("DELETE", f"{waiting.path}/seats/white", token=ben.token)
        assert reader.next()["type"] == "seat.left"
        api.post(f"{waiting.path}/seats/white")
        ben.post(f"{match.path}/moves", {"move": "a3a4", "ply": 0})
        ann.post(f"{match.path}/moves", {"move": "a3a4", "ply": 0})
        assert (reader.next()["match"]) == match.id
    assert waiting.id not in {event["match"] for event in poll(ben, began(ben))}


def test_a_sandbox_is_followed_though_it_is_not_listed(ann: Player) -> None:
    start = began(ann)
    match = ann.create(**AT_HOME, sandbox={})
    assert told(poll(ann, start)) == [(match.id, "1-0"), (match.id, "1-1")]
    assert ann.get("/v1/matches?creator=me").json["items"] == []


def test_a_poll_answers_at_the_first_event(api: Api, ann: Player) -> None:
    match = ann.create(**AT_HOME)
    start = began(ann)
    assert poll(ann, start) == []
    with api.app.test_request_context():
        opening = api.app.extensions["own_events"].open(
            api.referee.tokens.read(ann.token), tuple(map(int, start.split("-")))
        )
    reader = own.OwnReader(api.app.extensions["own_events"], ann.id, opening.place, lambda: None)
    assert reader.fresh(9) == []
    reader.close()
    ann.post(f"{match.path}/moves", {"move": "a3a4", "ply": 0})
    (event,) = poll(ann, start, wait=20)
    assert event["type"] == "move.played"


def test_long_silence_is_no_reason_to_begin_anew_but_missed_events_are(
    api: Api, ann: Player, redis: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = ann.create(**AT_HOME)
    start = began(ann)
    time_ms = api.referee.matches.time_ms
    monkeypatch.setattr(api.referee.matches, "time_ms", lambda: time_ms() + own.KEPT_MS + 60_000)
    followed = api.referee.matches.followed
    monkeypatch.setattr(api.referee.matches, "followed", lambda one: followed(one) or [match.id])
    assert poll(ann, start) == []
    ann.post(f"{match.path}/moves", {"move": "a3a4", "ply": 0})
    ann.get("/v1/me/events")
    refused(ann.get(f"/v1/me/events?after={start}"), 410, "events_gone")
    assert ann.get("/v1/me/events").json["items"][0]["type"] == "snapshot"


def test_a_place_in_the_future_gets_a_snapshot(ann: Player) -> None:
    (item,) = ann.get("/v1/me/events?after=99999999999999-0").json["items"]
    assert item["type"] == "snapshot"


def test_a_stream_ends_when_its_players_token_is_dead(
    api: Api, ann: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("menagerie.play.streams.PING_S", 0.0)
    reader = read(ann)
    assert reader.next()["type"] == "snapshot"
    ann.post("/v1/me/token")
    (end,) = reader.rest()
    assert (end["type"], end["reason"]) == ("stream.end", "ticket_expired")
    refused(ann.get("/v1/me/events"), 401, "bad_token")


def test_a_server_that_stops_says_so(api: Api, ann: Player) -> None:
    reader = read(ann)
    assert reader.next()["type"] == "snapshot"
    api.app.extensions["streams"].feeds.stop()
    (end,) = reader.rest()
    assert end["reason"] == "server_restart"


def test_events_are_for_players(api: Api) -> None:
    refused(api.get("/v1/me/events"), 401, "no_token")
    token = api.create().tokens["white"]
    refused(api.get("/v1/me/events", token=token), 403, "not_yours")


def test_a_journal_holds_no_events_and_is_gone_when_nobody_reads(ann: Player, redis: Redis) -> None:
    match = ann.create(**AT_HOME)
    assert not redis.exists(journal_key(ann.id))
    began(ann)
    ((_, fields), *_) = redis.xrange(journal_key(ann.id))
    assert fields == {b"match": match.id.encode(), b"event": b"1-0"}
    for name in (journal_key(ann.id), f"{journal_key(ann.id)}:places"):
        assert redis.pttl(name) > own.KEPT_MS


def test_matches_that_are_over_leave_no_places_behind(ann: Player, redis: Redis, api: Api) -> None:
    matches = [ann.create(**AT_HOME) for _ in range(3)]
    matches[0].act("black", "resign")
    began(ann)
    assert redis.hlen(f"{journal_key(ann.id)}:places") == 3
    redis.zrem(f"{{lists}}:followed:{ann.id}", *(match.id for match in matches))
    began(ann)
    kept = redis.hkeys(f"{journal_key(ann.id)}:places")
    assert sorted(kept) == sorted(match.id.encode() for match in matches[1:])


@pytest.mark.parametrize("reason", ENDS)
def test_an_end_is_told_as_the_match_tells_it_and_nothing_after_it(
    ann: Player, reason: str
) -> None:
    wish, end = ENDS[reason]
    match = ann.create(seats=GUESTS, **wish)
    with read(ann) as reader:
        snapshot = reader.next()
        assert [one["id"] for one in snapshot["data"]["matches"]] == [match.id]
        end(match)
        shown = match.get()
        events = poll(ann, snapshot["id"])
        assert [reader.next() for _ in events] == events
    last = events[-1]
    assert last["type"] == f"match.{shown['status']}"
    assert last["result"] == shown["result"] == match.replay()["match"]["result"]
    assert last["result"]["reason"] == reason
    assert last["to_move"] == last["clock"]["running"] == []
    assert ann.get("/v1/me/events").json["items"][0]["data"]["matches"] == []
