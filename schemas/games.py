"""Games and the stateless rules service."""

from marshmallow import INCLUDE, Schema, fields, validate

from menagerie.games import GAMES
from schemas.fields import Choice, Text
from schemas.time_controls import TimeControlSchema

START = GAMES["jungle"].start_position


class PieceKindSchema(Schema):
    letter = fields.String(required=True)
    name = fields.String(required=True)
    rank = fields.Integer(required=True, allow_none=True)


class OptionSchema(Schema):
    name = fields.String(required=True)
    values = fields.List(fields.String(), required=True)
    default = fields.String(required=True)
    description = fields.String(required=True)


class BoardSchema(Schema):
    """The board, and what else a game says of it (Feral: both its sizes)."""

    class Meta:
        unknown = INCLUDE

    files = fields.Integer(required=True)
    ranks = fields.Integer(required=True)
    squares = fields.Dict(
        required=True, metadata={"description": "Special squares by name, some by seat."}
    )


class CodeSchema(Schema):
    code = fields.String(required=True)
    meaning = fields.String(required=True)


class PresetSchema(Schema):
    name = fields.String(required=True)
    time_control = fields.Nested(TimeControlSchema, required=True)


class BotSchema(Schema):
    """A bot, and what it needs per move."""

    id = fields.String(required=True, metadata={"example": "jungle-3"})
    game = fields.String(required=True)
    level = fields.Integer(required=True)
    description = fields.String(required=True)
    nodes = fields.Integer(
        required=True, metadata={"description": "Positions it looks at, a move."}
    )
    cap_ms = fields.Integer(required=True, metadata={"description": "It answers within this."})


class BotsSchema(Schema):
    items = fields.List(fields.Nested(BotSchema), required=True)


class GameSchema(Schema):
    """What a front end needs to draw and explain a game."""

    game = fields.String(required=True, metadata={"example": "jungle"})
    name = fields.String(required=True)
    rules_version = fields.String(required=True)
    information = Choice("perfect", "hidden", required=True)
    start_position = fields.String(required=True, allow_none=True)
    board = fields.Nested(BoardSchema, required=True)
    pieces = fields.List(fields.Nested(PieceKindSchema), required=True)
    options = fields.List(fields.Nested(OptionSchema), required=True)
    notation = fields.Dict(required=True)
    end_reasons = fields.List(fields.Nested(CodeSchema), required=True)
    refusals = fields.List(fields.Nested(CodeSchema), required=True)
    presets = fields.List(fields.Nested(PresetSchema), required=True)
    default_preset = fields.String(required=True)
    bots = fields.List(fields.Nested(BotSchema), required=True)


class GamesSchema(Schema):
    items = fields.List(fields.Nested(GameSchema), required=True)


class OutcomeSchema(Schema):
    winner = fields.String(
        required=True, allow_none=True, validate=validate.OneOf(("white", "black", None))
    )
    reason = fields.String(required=True, metadata={"example": "den"})


class PositionQuestionSchema(Schema):
    position = Text(required=True, at_most=1000, metadata={"example": START})
    from_ = Text(
        data_key="from", at_most=8, metadata={"description": "Only the moves from this square."}
    )


class PositionMovesSchema(Schema):
    position = fields.String(required=True)
    moves = fields.List(fields.String(), required=True)
    details = fields.List(fields.Dict(), required=True)
    outcome = fields.Nested(OutcomeSchema, required=True, allow_none=True)


class PlayQuestionSchema(Schema):
    position = Text(required=True, at_most=1000, metadata={"example": START})
    moves = fields.List(
        Text(at_most=64),
        required=True,
        validate=validate.Length(max=500),
        metadata={"example": ["a3a4", "g7g6"]},
    )


class PlayedSchema(Schema):
    position = fields.String(required=True)
    outcome = fields.Nested(OutcomeSchema, required=True, allow_none=True)
