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
