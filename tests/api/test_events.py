"""The event log as its readers get it: streams and long polls, tickets, and how they end."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from redis import Redis

from menagerie.play import streams
from menagerie.play.referee import Call
from menagerie.play.tokens import Claim
from menagerie.store import feeds
from tests.api.conftest import Api, Match

SSE, NDJSON = "text/event-stream", "application/x-ndjson"
FORMS = pytest.mark.parametrize("form", [SSE, NDJSON])
FISCHER = {"type": "fischer", "initial_ms": 60_000, "increment_ms": 2_000}


def refused(response: Any, status: int, code: str) -> None:
    assert (response.status_code, response.json["code"]) == (status, code), response.json
    assert response.mimetype == "application/problem+json"


def parse(form: str, chunks: Iterator[bytes]) -> Iterator[dict[str, Any]]:
    """The events of a stream, as a front end takes them in."""
    data, mark = b"", b"\n\n" if form == SSE else b"\n"
    for chunk in chunks:
        data += chunk
        *whole, data = data.split(mark)
        for text in whole:
            fields = dict(line.split(b": ", 1) for line in text.split(b"\n") if form == SSE)
            event = json.loads(fields[b"data"] if form == SSE else text)
            if form == SSE:
                assert fields[b"event"].decode() == event["type"]
                assert fields.get(b"id", b"").decode() == event.get("id", "")
            yield event


class Reader:
    """A stream of one match that is read event by event."""

    def __init__(self, api: Api, path: str, form: str = NDJSON, **more: Any) -> None:
        headers = {"Accept": form, **more.pop("headers", {})}
        self.response = api.get(path, headers=headers, **more)
        assert self.response.status_code == 200, self.response.data
        assert self.response.mimetype == form
        self._events = parse(form, self.response.iter_encoded())

    def __enter__(self) -> "Reader":
        return self

    def __exit__(self, *error: object) -> None:
        self.response.close()

    def next(self) -> dict[str, Any]:
        """The next event; pings are looked at and left out."""
        for event in self._events:
            if event["type"] != "ping":
                return event
            assert event["server_time"].endswith("Z")
        raise AssertionError("the stream ended without stream.end")

    def rest(self) -> list[dict[str, Any]]:
        """All events up to `stream.end`, after which nothing comes."""
        found = [event for event in self._events if event["type"] != "ping"]
        assert [event["type"] for event in found].index("stream.end") == len(found) - 1
        return found


def read(
    api: Api, match: Match, form: str = NDJSON, seat: str | None = None, **more: Any
) -> Reader:
    query = more.pop("query", "")
    return Reader(
        api, f"{match.path}/events{query}", form, token=match.tokens.get(seat or ""), **more
    )


def move_by_another_server(api: Api, match: Match) -> None:
    api.referee.move(match.id, ("a3a4",), 0, Call(Claim(match.id, "white", 0)))


@pytest.fixture
def no_linger(monkeypatch: pytest.MonkeyPatch) -> None:
    """Streams end with the match, not two minutes later."""
    monkeypatch.setattr(streams, "LINGER_MS", 0)


@pytest.fixture
def later(api: Api, monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Let so many ms pass."""

    def pass_ms(ms: int) -> None:
        load = api.referee.matches.load

        def load_later(*args: Any) -> Any:
            loaded = load(*args)
            return loaded._replace(now_ms=loaded.now_ms + ms)

        monkeypatch.setattr(api.referee.matches, "load", load_later)

    return pass_ms


# Order


@FORMS
def test_a_stream_begins_with_what_get_shows_and_goes_on_as_it_happens(api: Api, form: str) -> None:
    match = api.create()
    with read(api, match, form, "white") as reader:
        snapshot = reader.next()
        assert (snapshot["type"], snapshot["id"]) == ("snapshot", "1-1")
        assert snapshot["data"] == match.get("white")
        match.play("a3a4", "g7g6")
        match.act("white", "resign")
        found = [reader.next() for _ in range(3)]
    assert [event["id"] for event in found] == ["2-0", "3-0", "4-0"]
    assert [event["type"] for event in found] == ["move.played", "move.played", "match.finished"]
    polled = api.get(f"{match.path}/events?after=1-1").json["items"]
    assert found == polled
    assert found[0]["data"]["move"] == "a3a4"


@FORMS
@pytest.mark.parametrize("how", ["?after=2-0", "?after=2", "Last-Event-ID", "both"])
def test_a_reader_resumes_behind_what_it_has_seen(api: Api, form: str, how: str) -> None:
    match = api.create()
    match.play("a3a4", "g7g6", "a4a5")
    query = how if how.startswith("?") else "?after=1" if how == "both" else ""
    headers = {} if how.startswith("?") else {"Last-Event-ID": "2-0"}
    with read(api, match, form, query=query, headers=headers) as reader:
        assert [reader.next()["id"] for _ in range(2)] == ["3-0", "4-0"]


def test_a_long_log_is_read_whole_though_memory_holds_only_its_tail(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feeds, "TAIL", 3)
    monkeypatch.setattr(feeds, "PAGE", 4)
    match = api.create()
    moves = ["a3a4", "g7g6", "a4a3", "g6g7", "b2b3", "f8f7", "b3b2", "f7f8"]
    match.play(*moves)
    with read(api, match, query="?after=1") as early, read(api, match, query="?after=5") as late:
        assert [early.next()["data"]["move"] for _ in moves] == moves
        assert [late.next()["data"]["move"] for _ in moves[4:]] == moves[4:]


def test_notes_are_events_of_their_version(api: Api) -> None:
    match = api.create()
    match.play("a3a4")
    with read(api, match) as reader:
        assert reader.next()["id"] == "2-0"
        matches, key = api.referee.matches, api.referee.matches.keys.events(match.id)
        (_, fields) = matches.redis.xrevrange(key, count=1)[0]
        for number in (1, 2):  # as a note is appended: no new version
            matches.redis.xadd(key, fields, id=f"2-{number}")
            matches.redis.publish(key, 2)
        assert [reader.next()["id"] for _ in range(2)] == ["2-1", "2-2"]
    with read(api, match, headers={"Last-Event-ID": "2-1"}) as reader:
        assert reader.next()["id"] == "2-2"
    with read(api, match) as reader:
        assert reader.next()["id"] == "2-2"


@pytest.mark.parametrize("place", ["x", "1-", "-1", "1-0-0", "1 ", "1-0\t", "9" * 40, "é"])
def test_a_place_that_is_none_is_400(api: Api, place: str) -> None:
    path = f"{api.create().path}/events"
    for form in (SSE, NDJSON, "application/json"):
        headers = {"Accept": form, "Last-Event-ID": place}
        refused(api.get(path, headers=headers), 400, "bad_request")
        refused(
            api.get(path, query_string={"after": place}, headers={"Accept": form}),
            400,
            "bad_request",
        )


def test_a_place_that_the_log_has_not_reached_gets_a_snapshot(api: Api) -> None:
    match = api.create()
    match.play("a3a4")
    with read(api, match, headers={"Last-Event-ID": "7-0"}) as reader:
        assert reader.next()["type"] == "snapshot"
    (only,) = api.get(f"{match.path}/events?after=7-0").json["items"]
    assert only["type"] == "snapshot"


def test_a_commit_between_a_readers_two_looks_is_not_skipped(api: Api) -> None:
    match = api.create()
    matches = api.referee.matches
    last_event = matches.last_event

    def move_first(*args: Any) -> Any:
        move_by_another_server(api, match)
        return last_event(*args)

    matches.last_event = move_first  # type: ignore[method-assign]
    with read(api, match) as reader:
        snapshot = reader.next()
        assert (snapshot["id"], snapshot["data"]["ply"]) == ("1-1", 0)
        assert reader.next()["id"] == "2-0"


def test_many_streams_of_one_token_all_hear_everything(api: Api) -> None:
    match = api.create()
    readers = [read(api, match, form, "white") for form in (SSE, NDJSON) * 4]
    for reader in readers:
        assert reader.next()["type"] == "snapshot"
    match.play("a3a4", "g7g6")
    for reader in readers:
        assert [reader.next()["id"] for _ in range(2)] == ["2-0", "3-0"]
        reader.response.close()
    assert api.app.extensions["streams"].feeds.count() == 0


def test_a_poll_answers_at_the_first_event(api: Api) -> None:
    match = api.create()
    follow = api.app.extensions["streams"].feeds.follow

    def move_meanwhile(*args: Any) -> Any:
        reader = follow(*args)
        move_by_another_server(api, match)
        return reader

    api.app.extensions["streams"].feeds.follow = move_meanwhile
    polled = api.get(f"{match.path}/events?after=1&wait=25").json
    assert [event["id"] for event in polled["items"]] == ["2-0"]
    assert polled["next_after"] == "2-0"


# Ends


def to_the_end_of_time(match: Match) -> None:
    match.advance(3_600_000)


def resign(match: Match) -> None:
    match.play("a3a4", "g7g6")
    match.act("white", "resign")


def miss_three_turns(match: Match) -> None:
    match.advance(60_000)


CAN_ENTER = "7/3R3/7/7/7/7/7/7/6e w - - 0 0"
CLOCK = {"sandbox": {"virtual_clock": True}}
OPEN = {"white": {"kind": "guest"}, "black": {"kind": "open"}}
SKIPPING = {**FISCHER, "turn_limit_ms": 10_000, "on_turn_limit": "skip"}

ENDS: dict[str, tuple[dict[str, Any], Callable[[Match], Any]]] = {
    "den": ({"position": CAN_ENTER}, lambda match: match.play("d8d9")),
    "resignation": ({}, resign),
    "abort": ({}, lambda match: match.act("black", "abort")),
    "timeout": ({**CLOCK, "time_control": FISCHER}, to_the_end_of_time),
    "no_start": ({**CLOCK, "time_control": {**FISCHER, "start_ms": 5000}}, to_the_end_of_time),
    "idle": ({**CLOCK, "time_control": SKIPPING}, miss_three_turns),
}


@pytest.mark.parametrize("reason", ENDS)
def test_everyone_is_told_the_same_end(api: Api, no_linger: None, reason: str) -> None:
    wish, end = ENDS[reason]
    match = api.create(**wish)
    seats = ("white", "black", None)
    readers = [read(api, match, form, seat) for form in (SSE, NDJSON) for seat in seats]
    for reader in readers:
        assert reader.next()["data"]["status"] == "active"
    end(match)
    shown = match.get()
    assert shown["result"]["reason"] == reason
    assert shown["status"] in ("finished", "aborted")
    for reader in readers:
        *events, last = reader.rest()
        assert last["reason"] == "finished"
        assert events[-1]["type"] == f"match.{shown['status']}"
        assert events[-1]["result"] == shown["result"]
        assert events[-1]["to_move"] == events[-1]["clock"]["running"] == []
    for seat in seats:
        assert match.get(seat)["result"] == shown["result"]
        polled = api.get(f"{match.path}/events", token=match.tokens.get(seat or "")).json
        assert polled["ended"] is True
        assert polled["items"][0]["data"]["status"] == shown["status"]
    assert match.replay()["match"]["result"] == shown["result"]


def test_a_match_that_nobody_joins_ends_for_its_readers(
    api: Api, no_linger: None, later: Callable[[int], None]
) -> None:
    created = api.post("/v1/matches", {"game": "jungle", "seats": OPEN}).json
    match = Match(api, created)
    with read(api, match) as reader:
        assert reader.next()["data"]["status"] == "open"
        later(25 * 3_600_000)
        assert match.get()["result"]["reason"] == "no_opponent"
        *_, ended, last = reader.rest()
    assert (ended["type"], last["reason"]) == ("match.aborted", "finished")


def test_a_reader_stays_two_minutes_after_the_end(api: Api, later: Callable[[int], None]) -> None:
    match = api.create()
    match.act("white", "resign")
    opened = api.app.extensions["streams"].open(match.id, None, None)
    assert 119_000 < opened.lasts_ms <= 120_000
    later(120_000)
    assert [event["type"] for event in read(api, match).rest()] == ["snapshot", "stream.end"]
    (last,) = read(api, match, SSE, query="?after=2-0").rest()
    assert (last["type"], last["reason"]) == ("stream.end", "finished")


def test_a_rematch_ends_the_old_matchs_streams_at_once(api: Api) -> None:
    match = api.create()
    match.act("white", "resign")
    with read(api, match) as reader:
        assert reader.next()["data"]["status"] == "finished"
        matches, key = api.referee.matches, api.referee.matches.keys.events(match.id)
        (_, fields) = matches.redis.xrevrange(key, count=1)[0]
        event = json.loads(fields[b"event"]) | {"type": "rematch.created"}
        matches.redis.xadd(key, {**fields, b"event": json.dumps(event)}, id="3-0")
        matches.redis.hset(matches.keys.match(match.id), "version", 3)
        matches.redis.publish(key, 3)
        told = reader.rest()
    assert [event["type"] for event in told] == ["rematch.created", "stream.end"]
    (last,) = read(api, match, query="?after=3").rest()
    assert last["reason"] == "finished"


@FORMS
def test_a_server_that_stops_says_so(api: Api, form: str) -> None:
    match = api.create()
    reader = read(api, match, form)
    assert reader.next()["type"] == "snapshot"
    api.app.extensions["streams"].feeds.stop()
    (last,) = reader.rest()
    assert last["reason"] == "server_restart"


def test_who_takes_a_part_too_slowly_is_told_so_and_resumes(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = api.create()
    reader = read(api, match)
    assert reader.next()["type"] == "snapshot"
    match.play("a3a4")
    assert reader.next()["id"] == "2-0"
    monkeypatch.setattr(streams, "SLOW_S", -1.0)
    match.play("g7g6")
    (last,) = reader.rest()
    assert last["reason"] == "too_slow"
    monkeypatch.undo()
    with read(api, match, headers={"Last-Event-ID": "2-0"}) as again:
        assert again.next()["id"] == "3-0"


def test_events_are_410_a_day_after_the_end(api: Api, redis: Redis) -> None:
    match = api.create()
    match.act("white", "resign")
    redis.delete(api.referee.matches.keys.events(match.id))
    for form in (SSE, NDJSON, "application/json"):
        for after in ("", "?after=1"):
            refused(
                api.get(f"{match.path}/events{after}", headers={"Accept": form}), 410, "events_gone"
            )


def test_a_server_takes_on_no_more_streams_than_it_can_serve(api: Api) -> None:
    match = api.create()
    api.app.extensions["streams"].feeds.most = 1
    with read(api, match) as reader:
        assert reader.next()["type"] == "snapshot"
        full = api.get(f"{match.path}/events", headers={"Accept": SSE})
        refused(full, 503, "too_many_streams")
        assert full.headers["Retry-After"] == "1"
        assert api.get(f"{match.path}/events").status_code == 200
    with read(api, match) as reader:
        assert reader.next()["type"] == "snapshot"


# Seats and tickets


def ticket(match: Match, seat: str | None = None) -> dict[str, Any]:
    response = match.act(seat, "tickets")
    assert response.status_code == 201
    return response.json


def test_a_ticket_reads_as_its_viewer_any_number_of_times_and_does_nothing_else(api: Api) -> None:
    match, other = api.create(), api.create()
    for seat in ("white", "black", None):
        given = ticket(match, seat)
        assert given["viewer"] == (seat or "spectator")
        assert given["expires_at"] is None
        assert ticket(match, seat) == given
        for _ in range(2):
            with Reader(api, given["events"], SSE) as reader:
                assert reader.next()["data"] == match.get(seat)
        refused(api.get(match.path, token=given["ticket"]), 401, "bad_token")
        refused(api.post(f"{match.path}/resign", token=given["ticket"]), 401, "bad_token")
        wrong = f"{other.path}/events?ticket={given['ticket']}"
        refused(api.get(wrong, headers={"Accept": SSE}), 401, "bad_token")
    stolen = f"{match.path}/events?ticket={match.tokens['white']}"
    refused(api.get(stolen), 401, "bad_token")


def test_a_ticket_is_spent_an_hour_after_the_end(api: Api, later: Callable[[int], None]) -> None:
    match = api.create()
    given = ticket(match, "white")
    match.act("white", "resign")
    assert ticket(match, "white")["expires_at"] > match.get()["finished_at"]
    later(3_599_000)
    assert [e["type"] for e in Reader(api, given["events"]).rest()] == ["snapshot", "stream.end"]
    later(1_000)
    for form in (SSE, NDJSON):
        (last,) = Reader(api, given["events"], form).rest()
        assert (last["type"], last["reason"]) == ("stream.end", "ticket_expired")
    refused(api.get(given["events"]), 401, "bad_token")


def test_who_leaves_the_seat_sees_no_more_as_that_seat(api: Api) -> None:
    match = Match(api, api.post("/v1/matches", {"game": "jungle", "seats": OPEN}).json)
    given = ticket(match, "white")
    reader, by_ticket = read(api, match, seat="white"), Reader(api, given["events"], SSE)
    spectator = read(api, match)
    for one in (reader, by_ticket, spectator):
        assert one.next()["type"] == "snapshot"
    api.call("DELETE", f"{match.path}/seats/white", token=match.tokens["white"])
    taken = api.post(f"{match.path}/seats/white").json
    for one in (reader, by_ticket):
        left, last = one.rest()
        assert (left["type"], last["reason"]) == ("seat.left", "ticket_expired")
    assert [spectator.next()["type"] for _ in range(2)] == ["seat.left", "seat.taken"]
    spectator.response.close()
    (spent,) = Reader(api, given["events"], SSE).rest()
    assert spent["reason"] == "ticket_expired"
    refused(api.get(f"{match.path}/events", token=match.tokens["white"]), 401, "bad_token")
    match.tokens |= taken["tokens"]
    with read(api, match, seat="white", query="?after=0") as heir:
        assert [heir.next()["type"] for _ in range(3)][-1] == "seat.taken"


def test_a_ticket_honours_if_match(api: Api) -> None:
    match = api.create()
    stale = match.act("white", "tickets", headers={"If-Match": '"7-white"'})
    refused(stale, 412, "precondition_failed")
    refused(api.post("/v1/matches/aaaaaaaaaaaaaaaa/tickets"), 404, "no_such_match")
    refused(match.act("white", "tickets", {"for": "ever"}), 400, "bad_request")


# Headers


@FORMS
def test_no_proxy_holds_a_stream_back_and_any_page_may_read_it(api: Api, form: str) -> None:
    match = api.create()
    with read(api, match, form) as reader:
        headers = reader.response.headers
        assert reader.next()["type"] == "snapshot"
    assert headers["Cache-Control"] == "no-store, no-transform"
    assert headers["X-Accel-Buffering"] == "no"
    assert headers["Access-Control-Allow-Origin"] == "*"
    assert "Content-Length" not in headers
    assert headers["Server-Time"].endswith("Z")


@FORMS
def test_a_head_request_of_a_stream_ends(api: Api, form: str) -> None:
    response = api.client.head(f"{api.create().path}/events", headers={"Accept": form})
    assert (response.status_code, response.mimetype, response.data) == (200, form, b"")


def test_pings_tell_the_virtual_instant_of_a_sandbox(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "PING_S", 0.0)
    match = api.create(**CLOCK, time_control=FISCHER)
    now = match.advance(5_000).json["clock"]["at"]
    response = api.get(f"{match.path}/events", headers={"Accept": SSE})
    events = parse(SSE, response.iter_encoded())
    assert next(events)["type"] == "snapshot"
    assert next(events) == {"type": "ping", "server_time": now}
    response.close()
