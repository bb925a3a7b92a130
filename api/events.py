"""The event log of a match, live: Server-Sent Events, NDJSON or long poll."""

import re
from typing import Any

from flask import Response, current_app, request, url_for

from api.answers import send
from api.asking import call, claim, forget_body, own_events, referee, remember_instant, streams
from api.blueprint import IDEMPOTENCY_KEY, IF_MATCH, Blueprint
from api.forms import FORMS, Lines, ServerSentEvents
from api.problems import BadRequest
from api.sender import StreamResponse
from menagerie.instants import instant, instant_or_none
from menagerie.play.own import OwnOpening
from menagerie.play.streams import TICKET_MS, Live, Opening, TicketSpent
from menagerie.play.tokens import Bearer, Ticket
from menagerie.store.events import Place, parse_place, place_text
from schemas.events import (
    EventsQuerySchema,
    EventsSchema,
    OwnEventsQuerySchema,
    OwnEventsSchema,
    TicketSchema,
)

blp = Blueprint("events", __name__, description="What happens in a match, as it happens.")

JSON, SSE, NDJSON = "application/json", ServerSentEvents.mimetype, Lines.mimetype
ALL_OF_A_VERSION = 2**31

LAST_EVENT_ID = {
    "name": "Last-Event-ID",
    "in": "header",
    "schema": {"type": "string"},
    "description": "The last event seen, as `EventSource` sends it; goes before `after`.",
}

SSE_EXAMPLE = """\
retry: 1000
id: 1-1
event: snapshot
data: {"id":"1-1","version":1,"type":"snapshot","at":"2026-12-01T12:00:00.000Z","by":"server",...}

: ping
event: ping
data: {"type":"ping","server_time":"2026-12-01T12:00:08.000Z"}

id: 2-0
event: move.played
data: {"id":"2-0","version":2,"type":"move.played","at":"2026-12-01T12:00:09.120Z","by":"white",...}

retry: 60000
event: stream.end
data: {"type":"stream.end","reason":"finished","server_time":"2026-12-01T12:20:00.000Z"}

"""
NDJSON_EXAMPLE = """\
{"id":"1-1","version":1,"type":"snapshot","at":"2026-12-01T12:00:00.000Z","by":"server",...}
{"type":"ping","server_time":"2026-12-01T12:00:08.000Z"}
{"id":"2-0","version":2,"type":"move.played","at":"2026-12-01T12:00:09.120Z","by":"white",...}
{"type":"stream.end","reason":"finished","server_time":"2026-12-01T12:20:00.000Z"}
"""

OWN_SSE_EXAMPLE = """\
retry: 1000
id: 1764547200000-0
event: snapshot
data: {"id":"1764547200000-0","type":"snapshot","at":"...","data":{"matches":[...]}}

id: 1764547209120-0
event: move.played
data: {"id":"1764547209120-0","event_id":"2-0","match":"k3v...","viewer":"black","version":2,...}

"""
OWN_NDJSON_EXAMPLE = """\
{"id":"1764547200000-0","type":"snapshot","at":"...","data":{"matches":[...]}}
{"id":"1764547209120-0","event_id":"2-0","match":"k3v...","viewer":"black","version":2,...}
"""

_AFTER = re.compile(r"([0-9]{1,15})(-[0-9]{1,9})?")


@blp.route("/v1/matches/<match_id>/events")
@blp.answers(
    200,
    EventsSchema,
    "no_such_match",
    "events_gone",
    "too_many_streams",
    parameters=[LAST_EVENT_ID],
)
@blp.alt_response(
    200, schema={"type": "string"}, content_type=SSE, example=SSE_EXAMPLE, success=True
)
@blp.alt_response(
    200, schema={"type": "string"}, content_type=NDJSON, example=NDJSON_EXAMPLE, success=True
)
@blp.arguments(EventsQuerySchema, location="query")
def get_events(query: dict[str, Any], match_id: str) -> Response:
    """The event log, live

    By `Accept` a stream of Server-Sent Events or of lines, or JSON at once. All three begin
    with a `snapshot`, whose data is all that `GET` shows, and go on with every event after it,
    in order and once. `Last-Event-ID` or `after` resumes behind an event without the snapshot;
    a place that the log has not reached gets a snapshot.

    A stream brings a `ping` with `server_time` every ten seconds at the least, and always ends
    with `stream.end` and a `reason`: `finished` (two minutes after the match's end, or with
    `rematch.created`), `server_restart`, `too_slow`, `ticket_expired` (the ticket, or the seat
    it was read for, is no longer good). After any of them, or when the connection breaks, resume.

    JSON with `wait` answers at once if there is something, else at the first event or when
    the wait is over.
    """
    kind = request.accept_mimetypes.best_match([JSON, SSE, NDJSON]) or JSON
    try:
        opening = streams().open(match_id, _access(query), _after(query))
    except TicketSpent:
        if kind == JSON:
            raise
        end = FORMS[kind].end("ticket_expired", instant(streams().now_ms()))
        return _unkept(Response(end, mimetype=kind))
    remember_instant(opening.now_ms)
    if kind == JSON:
        return _polled(opening, query["wait"] * 1000)
    return _streamed(streams().stream(opening, FORMS[kind]), kind)


@blp.route("/v1/matches/<match_id>/tickets", methods=["POST"])
@blp.answers(
    201,
    TicketSchema,
    "no_such_match",
    "precondition_failed",
    "bad_idempotency_key",
    parameters=(IDEMPOTENCY_KEY, IF_MATCH),
)
def create_ticket(match_id: str) -> Response:
    """Get a ticket for `EventSource`

    A browser's `EventSource` sends no token, so its address carries a ticket. It reads this
    match's events as the caller may, any number of times, until an hour after the match's
    end, and does nothing else. A spent one gets a stream of one `stream.end`.
    """
    forget_body()
    ticket, match, viewer = streams().ticket(match_id, call())
    spent_ms = None if match.finished_ms is None else match.finished_ms + TICKET_MS
    body = {
        "ticket": ticket,
        "viewer": viewer,
        "events": url_for("events.get_events", match_id=match_id, ticket=ticket),
        "expires_at": instant_or_none(spent_ms),
    }
    return send(body, 201, Cache_Control="no-store")


@blp.route("/v1/me/events")
@blp.answers(
    200,
    OwnEventsSchema,
    "no_token",
    "not_yours",
    "events_gone",
    "too_many_streams",
    parameters=[LAST_EVENT_ID],
)
@blp.alt_response(
    200, schema={"type": "string"}, content_type=SSE, example=OWN_SSE_EXAMPLE, success=True
)
@blp.alt_response(
    200, schema={"type": "string"}, content_type=NDJSON, example=OWN_NDJSON_EXAMPLE, success=True
)
@blp.arguments(OwnEventsQuerySchema, location="query")
def get_my_events(query: dict[str, Any]) -> Response:
    """The events of all matches of a player, live

    Those that the player of the token plays or has made, new ones from their creation on: one
    connection is enough for a bot. It is read as the log of a match is. The `snapshot` holds
    the matches that go on, each as `GET` shows it; every event names its `match` and as which
    `viewer` the player sees it. The player is to move where `viewer` is in `to_move`.

    A place older than a day is 410. A stream ends with `server_restart`, `too_slow`, or
    `ticket_expired` when the player has a new token.
    """
    kind = request.accept_mimetypes.best_match([JSON, SSE, NDJSON]) or JSON
    opening = own_events().open(claim(), _after(query))
    remember_instant(opening.now_ms)
    if kind == JSON:
        return _own_polled(opening, query["wait"] * 1000)
    return _streamed(own_events().stream(opening, FORMS[kind]), kind)


def _own_polled(opening: OwnOpening, wait_ms: int) -> Response:
    if opening.matches is not None:
        items = [opening.snapshot_body()]
    else:
        if wait_ms:
            streams().refuse_if_full()
        items = own_events().poll(opening, wait_ms)
    next_after = items[-1]["id"] if items else place_text(opening.place)
    return send({"items": items, "next_after": next_after}, Cache_Control="no-store")


def _access(query: dict[str, Any]) -> Bearer | Ticket | None:
    """Who asks: by the ticket, if the address has one, else by the token."""
    return referee().tokens.read_ticket(query["ticket"]) if "ticket" in query else claim()


def _after(query: dict[str, Any]) -> Place | None:
    """The place that the client has read to, None from one that has read nothing.

    A bare version means all of its events.
    """
    header = request.headers.get("Last-Event-ID")
    name, text = ("Last-Event-ID", header) if header else ("after", query.get("after"))
    if text is None:
        return None
    found = _AFTER.fullmatch(text)
    if found is None:
        errors = [{"field": name, "message": "An event's id, or a version."}]
        raise BadRequest("This is no place in an event log.", errors)
    return parse_place(text) if found[2] else (int(text), ALL_OF_A_VERSION)


def _polled(opening: Opening, wait_ms: int) -> Response:
    if opening.snapshot:
        events = [opening.snapshot_body()]
    else:
        if wait_ms:
            streams().refuse_if_full()
        events = [event.view(opening.viewer) for event in streams().poll(opening, wait_ms)]
    next_after = events[-1]["id"] if events else place_text(opening.place)
    ended = opening.match.has_ended if not events else events[-1]["result"] is not None
    body = {"items": events, "next_after": next_after, "ended": ended}
    return send(body, Cache_Control="no-store")


def _streamed(stream: Live, kind: str) -> Response:
    streams().refuse_if_full()
    return _unkept(StreamResponse(stream, current_app.extensions["sender"], kind))


def _unkept(response: Response) -> Response:
    """No cache keeps a stream, and no proxy waits for more of it."""
    response.headers["Cache-Control"] = "no-store, no-transform"
    response.headers["X-Accel-Buffering"] = "no"
    return response
