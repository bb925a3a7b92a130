"""The event log, and tickets to read it."""

from marshmallow import Schema, fields

from schemas.fields import Choice, QueryWhole, Text, instant_field
from schemas.games import OutcomeSchema
from schemas.matches import SEATS, ClockSchema


class EventsQuerySchema(Schema):
    after = Text(
        at_most=32, metadata={"description": "The last event seen, `<version>-<n>`, or a version."}
    )
    wait = QueryWhole(
        0, 30, load_default=0, metadata={"description": "Seconds to wait for news (JSON only)."}
    )
    ticket = Text(
        at_most=128,
        metadata={"description": "From POST tickets, in place of a token; for `EventSource`."},
    )


class EventSchema(Schema):
    """Something that happened, with the clock, the turn and the result as after it."""

    id = fields.String(required=True, metadata={"example": "3-0"})
    version = fields.Integer(required=True)
    type = fields.String(required=True, metadata={"example": "move.played"})
    at = instant_field(required=True)
    by = fields.String(required=True)
    seat = fields.String(required=True, allow_none=True)
    data = fields.Dict(required=True)
    to_move = fields.List(Choice(*SEATS), required=True)
    clock = fields.Nested(ClockSchema, required=True)
    result = fields.Nested(OutcomeSchema, required=True, allow_none=True)


class EventsSchema(Schema):
    items = fields.List(fields.Nested(EventSchema), required=True)
    next_after = fields.String(required=True, metadata={"description": "`after` of the next call."})
    ended = fields.Boolean(
        required=True,
        metadata={"description": "The match is over; only `rematch.created` may still come."},
    )


class TicketSchema(Schema):
    """Reads this match as this viewer, any number of times."""

    ticket = fields.String(required=True)
    viewer = Choice(*SEATS, "spectator", required=True)
    events = fields.String(
        required=True, metadata={"description": "The address for `new EventSource(...)`."}
    )
    expires_at = instant_field(
        required=True,
        allow_none=True,
        metadata={"description": "An hour after the match's end; null while it goes on."},
    )


class OwnEventsQuerySchema(Schema):
    after = Text(at_most=32, metadata={"description": "The `id` of the last event seen."})
    wait = QueryWhole(
        0, 30, load_default=0, metadata={"description": "Seconds to wait for news (JSON only)."}
    )


class OwnEventSchema(Schema):
    """An event of one of the caller's matches, or the `snapshot` of those that go on.

    `id` is its place among the events of all these matches; in the log of its match it is
    `event_id`. A snapshot has only `id`, `type`, `at` and `data`.
    """

    id = fields.String(required=True, metadata={"example": "1764547200000-0"})
    type = fields.String(required=True, metadata={"example": "move.played"})
    at = instant_field(required=True)
    data = fields.Dict(
        required=True, metadata={"description": "Of a snapshot: `matches`, as GET shows each."}
    )
    match = fields.String()
    viewer = Choice(*SEATS, "spectator", metadata={"description": "As whom the caller sees it."})
    event_id = fields.String(metadata={"example": "3-0"})
    version = fields.Integer()
    by = fields.String()
    seat = fields.String(allow_none=True)
    to_move = fields.List(Choice(*SEATS))
    clock = fields.Nested(ClockSchema)
    result = fields.Nested(OutcomeSchema, allow_none=True)


class OwnEventsSchema(Schema):
    items = fields.List(fields.Nested(OwnEventSchema), required=True)
    next_after = fields.String(required=True, metadata={"description": "`after` of the next call."})
