"""Players: who they are, how strong, and the leaderboards."""

from marshmallow import Schema, fields

from menagerie.games import GAMES
from schemas.fields import Choice, QueryWhole, Text, instant_field
from schemas.matches import STATUSES, RatingSchema


class NewPlayerSchema(Schema):
    name = Text(required=True, at_least=1, at_most=40, metadata={"example": "Ann"})


class PlayerSchema(Schema):
    """What everyone may know of a player. The id is no secret, and gives no rights."""

    id = fields.String(required=True)
    name = fields.String(required=True)
    created_at = instant_field(required=True)
    xp = fields.Integer(required=True, metadata={"description": "Experience points."})
    level = fields.Integer(required=True)
    ratings = fields.Dict(
        keys=fields.String(),
        values=fields.Nested(RatingSchema),
        required=True,
        metadata={"description": "By game, for the games in which a match has counted."},
    )


class AdmittedSchema(PlayerSchema):
    """The player and the bearer token, which no other answer shows."""

    token = fields.String(required=True)


class PlayerMatchesQuerySchema(Schema):
    game = Choice(*GAMES)
    status = Choice(*STATUSES)
    bot = Text(at_most=40)
    limit = QueryWhole(1, 200, load_default=50)
    cursor = Text(at_most=100)


class PageQuerySchema(Schema):
    limit = QueryWhole(1, 200, load_default=50)
    cursor = Text(at_most=100)


class LeaderSchema(Schema):
    """A line of a leaderboard: of a player, or of a bot."""

    rank = fields.Integer(required=True)
    player = fields.String(required=True, allow_none=True)
    bot = fields.String(required=True, allow_none=True)
    name = fields.String(required=True)
    rating = fields.Nested(RatingSchema, required=True)


class LeaderboardSchema(Schema):
    items = fields.List(fields.Nested(LeaderSchema), required=True)
    next_cursor = fields.String(required=True, allow_none=True)
