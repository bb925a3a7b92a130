"""Replays."""

from marshmallow import Schema, fields

from schemas.fields import Choice, QueryFlag, QueryWhole, instant_field
from schemas.games import OutcomeSchema
from schemas.matches import SEATS, PlySchema, SeatsSchema
from schemas.time_controls import TimeControlSchema


class ReplayQuerySchema(Schema):
    perspective = Choice(*SEATS, "spectator")
    from_ply = QueryWhole(1, 10**9, load_default=1)
    to_ply = QueryWhole(1, 10**9)
    positions = QueryFlag(load_default=False)


class HeadingSchema(Schema):
    id = fields.String(required=True)
    game = fields.String(required=True)
    options = fields.Dict(required=True)
    rules_version = fields.String(required=True)
    seats = fields.Nested(SeatsSchema, required=True)
    time_control = fields.Nested(TimeControlSchema, required=True)
    result = fields.Nested(OutcomeSchema, required=True, allow_none=True)
    commitment = fields.String(required=True)
    seed = fields.String(required=True, allow_none=True)
    from_position = fields.Boolean(
        required=True,
        metadata={"description": "Whether its creator gave the start, not the game and the seed."},
    )
    created_at = instant_field(required=True)
    started_at = instant_field(required=True, allow_none=True)
    finished_at = instant_field(required=True, allow_none=True)


class ReplayPlySchema(PlySchema):
    position_hash = fields.String(
        required=True,
        metadata={"description": "First 16 hex digits of SHA-256 of the position text."},
    )
    position = fields.String(metadata={"description": "With positions=true."})


class NoteSchema(Schema):
    """An event that is not a ply."""

    after_ply = fields.Integer(required=True)
    at = instant_field(required=True)
    type = fields.String(required=True)
    by = fields.String(required=True)
    seat = fields.String(required=True, allow_none=True)
    data = fields.Dict(required=True)


class ReplaySchema(Schema):
    match = fields.Nested(HeadingSchema, required=True)
    perspective = Choice(*SEATS, "spectator", required=True)
    start_position = fields.String(required=True, allow_none=True)
    placements = fields.Dict(required=True, allow_none=True)
    plies = fields.List(fields.Nested(ReplayPlySchema), required=True)
    notes = fields.List(fields.Nested(NoteSchema), required=True)
    undone = fields.List(fields.Nested(ReplayPlySchema), required=True)
    final_position = fields.String(required=True, allow_none=True)
