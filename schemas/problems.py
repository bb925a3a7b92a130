"""The shape of every error."""

from marshmallow import Schema, fields


class FieldErrorSchema(Schema):
    """One thing that is wrong with a body or query."""

    field = fields.String(required=True, metadata={"description": "Path of the field, `a.b.0`."})
    message = fields.String(required=True)


class ProblemSchema(Schema):
    """RFC 9457 problem details, with a stable `code`."""

    type = fields.String(required=True, metadata={"example": "about:blank"})
    title = fields.String(required=True)
    status = fields.Integer(required=True)
    detail = fields.String(required=True)
    instance = fields.String(required=True, metadata={"description": "The path asked for."})
    code = fields.String(required=True, metadata={"description": "Stable; act on this."})
    request_id = fields.String(required=True)
    errors = fields.List(fields.Nested(FieldErrorSchema))
    reason = fields.String(metadata={"description": "The engine's reason code."})
    current_ply = fields.Integer(metadata={"description": "With `stale_ply`."})
    move = fields.String(metadata={"description": "The first move refused."})
    index = fields.Integer(metadata={"description": "Its place in `moves`, from 0."})
    retry_after = fields.Integer(metadata={"description": "Seconds, as in `Retry-After`."})
