"""The service about itself."""

from marshmallow import Schema, fields

from schemas.fields import Choice, instant_field


class TimeSchema(Schema):
    now = instant_field(required=True)
    now_ms = fields.Integer(required=True)


class LiveSchema(Schema):
    status = Choice("live", required=True)


class QueueSchema(Schema):
    waiting = fields.Integer(required=True)
    oldest_ms = fields.Integer(required=True)


class ReadySchema(Schema):
    status = Choice("ready", required=True)
    store = fields.String(required=True)
    outbox = fields.Integer(required=True, metadata={"description": "Entries not handed on yet."})
    outbox_oldest_ms = fields.Integer(
        required=True, metadata={"description": "For how long the oldest of them has waited."}
    )
    overdue_ms = fields.Integer(
        required=True, metadata={"description": "How late the oldest unsettled deadline is."}
    )
    queues = fields.Dict(
        keys=fields.String(),
        values=fields.Nested(QueueSchema),
        required=True,
        allow_none=True,
        metadata={"description": "Jobs that wait for workers, by queue; null: the queue is away."},
    )


class LimitSchema(Schema):
    """At most `quota` of these calls in a window, for each of `per`."""

    name = fields.String(required=True, metadata={"example": "creations"})
    quota = fields.Integer(required=True)
    window_ms = fields.Integer(required=True)
    per = Choice("seat", "caller", "address", required=True)
    calls = fields.List(fields.String(), required=True)
    remaining = fields.Integer(
        required=True,
        allow_none=True,
        metadata={"description": "What the caller has left; null where it differs by match."},
    )
    reset_ms = fields.Integer(
        required=True, allow_none=True, metadata={"description": "Until all of it is back."}
    )


class LimitsSchema(Schema):
    applies = fields.Boolean(
        required=True,
        metadata={"description": "Whether the caller is limited; one on the same machine is not."},
    )
    items = fields.List(fields.Nested(LimitSchema), required=True)
