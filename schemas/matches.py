"""Matches: creating, seeing, moving."""

from typing import Any, ClassVar

from marshmallow import Schema, ValidationError, fields, validate, validates_schema

from menagerie.games import GAMES
from schemas.fields import Choice, Flag, QueryWhole, Text, Whole, instant_field
from schemas.games import OutcomeSchema
from schemas.kinds import Kinds
from schemas.time_controls import DAY, MINUTE, TimeControlSchema

SEATS = ("white", "black")
STATUSES = ("open", "active", "paused", "finished", "aborted")


SEAT_KINDS = Kinds(
    "kind",
    needs={"guest": (), "me": (), "open": (), "bot": ("bot",)},
    may_have={"guest": ("name",)},
)


class SeatWishSchema(Schema):
    """Who shall sit here: `guest`, `me`, `open` (anyone may take it) or `bot`."""

    class Meta:
        rules = SEAT_KINDS.rules()

    kind = Choice(*SEAT_KINDS.needs, required=True)
    name = Text(at_least=1, at_most=40, metadata={"description": "A guest's name."})
    bot = Text(at_most=40, metadata={"description": "A bot's id, as in GET /v1/bots."})

    @validates_schema
    def _fits_its_kind(self, data: dict[str, Any], **kwargs: Any) -> None:
        SEAT_KINDS.refuse_misfit(data, data["kind"])


class SeatsWishSchema(Schema):
    white = fields.Nested(SeatWishSchema)
    black = fields.Nested(SeatWishSchema)


class SandboxSchema(Schema):
    """For integrators' tests: a known seed, and a clock that stands still until advanced."""

    seed = fields.String(validate=validate.Regexp(r"[0-9a-f]{64}\Z"))
    virtual_clock = Flag(load_default=False)


class NewMatchSchema(Schema):
    """Only `game` is required."""

    game = Text(required=True, at_most=40, metadata={"example": "jungle"})
    options = fields.Dict(
        keys=Text(at_most=40),
        values=Text(at_most=40),
        metadata={"description": "As in GET /v1/games."},
    )
    seats = fields.Nested(SeatsWishSchema)
    random_sides = Flag(load_default=False)
    time_control = fields.Nested(TimeControlSchema)
    visibility = Choice("public", "unlisted", "players", load_default="public")
    rated = Flag(load_default=False)
    position = Text(at_most=1000)
    sandbox = fields.Nested(SandboxSchema)
    expires_in_ms = Whole(
        MINUTE, 7 * DAY, metadata={"description": "How long an open seat waits; a day by default."}
    )


class TakeSeatSchema(Schema):
    name = Text(at_least=1, at_most=40, metadata={"description": "The name to show."})


class MoveSchema(Schema):
    """One move, or the moves of one turn together; `ply` is what the client has seen."""

    class Meta:
        rules: ClassVar = {"oneOf": [{"required": ["move"]}, {"required": ["moves"]}]}

    move = Text(at_most=64, metadata={"example": "a3a4"})
    moves = fields.List(Text(at_most=64), validate=validate.Length(min=1, max=2))
    ply = Whole(0, 10**9, required=True)

    @validates_schema
    def _has_one_of_the_two(self, data: dict[str, Any], **kwargs: Any) -> None:
        if ("move" in data) == ("moves" in data):
            raise ValidationError("Send either move or moves.", "move")


class AdvanceSchema(Schema):
    ms = Whole(1, 30 * DAY, required=True, metadata={"example": 1000})


class MatchQuerySchema(Schema):
    include = Choice("legal_moves")


class LegalMovesQuerySchema(Schema):
    from_ = Text(data_key="from", at_most=8)


class ListQuerySchema(Schema):
    game = Choice(*GAMES)
    status = Choice(*STATUSES)
    player = Text(at_most=64)
    bot = Text(at_most=40)
    creator = Choice("me", metadata={"description": "The matches that the caller has made."})
    limit = QueryWhole(1, 200, load_default=50)
    cursor = Text(at_most=100)


class RatingSchema(Schema):
    """How strong at this game: the estimate and its standard deviation, after so many matches."""

    value = fields.Integer(required=True, metadata={"example": 1658})
    uncertainty = fields.Integer(required=True, metadata={"example": 484})
    matches = fields.Integer(required=True)


class SeatSchema(Schema):
    kind = Choice("guest", "player", "open", "bot", required=True)
    name = fields.String(required=True, allow_none=True)
    player = fields.String(required=True, allow_none=True)
    bot = fields.String(required=True, allow_none=True)
    rating = fields.Nested(
        RatingSchema,
        required=True,
        allow_none=True,
        metadata={"description": "As it was on sitting down; null for guests."},
    )


class SeatsSchema(Schema):
    white = fields.Nested(SeatSchema, required=True)
    black = fields.Nested(SeatSchema, required=True)


class SeatClockSchema(Schema):
    remaining_ms = fields.Integer(required=True, allow_none=True)
    phase = Choice("start", "main", "byoyomi", required=True)
    periods_left = fields.Integer(required=True, allow_none=True)
    missed_turns = fields.Integer(required=True)


class PauseSchema(Schema):
    until = instant_field(required=True)


class ClockSchema(Schema):
    """Figures are as of `at`; the present instant is in the header `Server-Time`."""

    control = fields.Nested(TimeControlSchema, required=True)
    at = instant_field(required=True)
    running = fields.List(Choice(*SEATS), required=True)
    deadline = instant_field(required=True, allow_none=True)
    paused = fields.Nested(PauseSchema, required=True, allow_none=True)
    white = fields.Nested(SeatClockSchema, required=True)
    black = fields.Nested(SeatClockSchema, required=True)


class PlySchema(Schema):
    """One committed move: the time it used, and both clocks after it."""

    ply = fields.Integer(required=True)
    seat = Choice(*SEATS, required=True)
    move = fields.String(required=True)
    at = instant_field(required=True)
    used_ms = fields.Integer(required=True)
    white_ms = fields.Integer(required=True, allow_none=True)
    black_ms = fields.Integer(required=True, allow_none=True)


class LegalMovesSchema(Schema):
    ply = fields.Integer(required=True)
    moves = fields.List(fields.String(), required=True)
    details = fields.List(
        fields.Dict(),
        required=True,
        metadata={"description": "Each with move, from, to, and more."},
    )


class VerdictSchema(Schema):
    """What was counted at `ply`. `agrees`: the match says the same of itself."""

    ply = fields.Integer(required=True)
    counts = fields.Dict(
        keys=fields.String(),
        values=fields.Integer(),
        required=True,
        metadata={
            "description": "Jungle: how often the animal moved last has entered each square lately;"
            " Feral: `board`, how often the board has been there with the same side to move."
        },
    )
    barred = fields.List(
        fields.String(), required=True, metadata={"description": "Squares that may not be entered."}
    )
    draw = fields.Boolean(required=True, metadata={"description": "The match ended by it."})
    agrees = fields.Boolean(required=True)


class RepetitionSchema(Schema):
    ply = fields.Integer(required=True, metadata={"description": "The match's present ply."})
    verdict = fields.Nested(
        VerdictSchema,
        required=True,
        allow_none=True,
        metadata={"description": "Null until the first check, and in games that have no rule."},
    )


class MatchSchema(Schema):
    """A match as the caller may see it; the body depends on `version` and `viewer` only."""

    id = fields.String(required=True)
    game = fields.String(required=True)
    options = fields.Dict(required=True)
    rules_version = fields.String(required=True)
    status = Choice(*STATUSES, required=True)
    viewer = Choice(*SEATS, "spectator", required=True)
    creator = fields.String(required=True, allow_none=True)
    visibility = Choice("public", "unlisted", "players", required=True)
    rated = fields.Boolean(required=True)
    sandbox = fields.Boolean(required=True)
    seats = fields.Nested(SeatsSchema, required=True)
    to_move = fields.List(Choice(*SEATS), required=True)
    ply = fields.Integer(required=True)
    version = fields.Integer(required=True)
    position = fields.String(required=True, allow_none=True)
    state = fields.Dict(required=True, metadata={"description": "What stands where; by game."})
    clock = fields.Nested(ClockSchema, required=True)
    offers = fields.List(fields.Dict(), required=True)
    last_move = fields.Nested(PlySchema, required=True, allow_none=True)
    result = fields.Nested(OutcomeSchema, required=True, allow_none=True)
    created_at = instant_field(required=True)
    started_at = instant_field(required=True, allow_none=True)
    finished_at = instant_field(required=True, allow_none=True)
    expires_at = instant_field(required=True, allow_none=True)
    commitment = fields.String(required=True)
    seed = fields.String(required=True, allow_none=True)
    rematch = fields.String(required=True, allow_none=True)
    tokens = fields.Dict(
        keys=Choice(*SEATS),
        values=fields.String(),
        metadata={"description": "The seats' tokens, where the request created or took them."},
    )
    legal_moves = fields.Nested(
        LegalMovesSchema,
        allow_none=True,
        metadata={"description": "With include=legal_moves; null unless the caller is to move."},
    )


class MatchListSchema(Schema):
    items = fields.List(fields.Nested(MatchSchema), required=True)
    next_cursor = fields.String(required=True, allow_none=True)
