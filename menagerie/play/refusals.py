"""What the use cases refuse, beside what a match and a game refuse."""

from menagerie.games.refusals import Refusal


class NoSuchMatch(Refusal):
    """There is no such match, or the caller may not know of it."""

    code = "no_such_match"


class NoSuchPlayer(Refusal):
    """There is no such player."""

    code = "no_such_player"


class NoSuchGame(Refusal):
    """The service does not referee this game."""

    code = "no_such_game"


class NoToken(Refusal):
    """The act needs a bearer token."""

    code = "no_token"


class NotYours(Refusal):
    """The bearer may not do this: the token is for another seat or match."""

    code = "not_yours"


class VersionChanged(Refusal):
    """`If-Match` names another version than the match's present one."""

    code = "precondition_failed"


class KeyReused(Refusal):
    """The idempotency key came with another body before."""

    code = "idempotency_key_reused"


class EventsGone(Refusal):
    """The match ended more than 24 hours ago: its replay holds everything."""

    code = "events_gone"


class PositionNotSupported(Refusal):
    """Matches of this game start from the deal, never from a position."""

    code = "position_not_supported"


class NotRateable(Refusal):
    """A match with a guest, a given position or a sandbox is never rated."""

    code = "not_rateable"


class NoSuchBot(Refusal):
    """There is no such bot for this game."""

    code = "no_such_bot"
