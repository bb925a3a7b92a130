"""Players: sign up, see, a new token; leaderboards."""

from typing import Any

from flask import Response, url_for

from api.answers import send
from api.asking import bearer, call, call_of, claim, forget_body, reader, referee, registry
from api.blueprint import IDEMPOTENCY_KEY, Blueprint
from api.games import game_of
from api.limits import count
from api.pages import before, send_page
from menagerie.play.limits import REGISTRATIONS, TOKENS
from menagerie.play.lists import Filter
from menagerie.play.players import Admitted
from menagerie.store.players import Entry
from schemas.matches import MatchListSchema
from schemas.players import (
    AdmittedSchema,
    LeaderboardSchema,
    NewPlayerSchema,
    PageQuerySchema,
    PlayerMatchesQuerySchema,
    PlayerSchema,
)

blp = Blueprint("players", __name__, description="Players, what they have earned, leaderboards.")

AS_A_PLAYER = ("no_token", "not_yours")
KEYED = ("bad_idempotency_key", "idempotency_key_reused")


@blp.route("/v1/players", methods=["POST"])
@blp.answers(201, AdmittedSchema, "rate_limited", *KEYED, parameters=(IDEMPOTENCY_KEY,))
@blp.arguments(NewPlayerSchema)
def create_player(body: dict[str, Any]) -> Response:
    """Sign up

    The answer holds the bearer token, which is shown this once: it acts for the player in
    every match. Names need not be unique; ids are.
    """
    count(REGISTRATIONS)
    admitted = registry().register(body["name"], call())
    location = url_for("players.get_player", player_id=admitted.player.id)
    return _send_admitted(admitted, 201, Location=location)


@blp.route("/v1/players/<player_id>")
@blp.answers(200, PlayerSchema, "no_such_player", public=True)
def get_player(player_id: str) -> Response:
    """See a player

    Experience, level and ratings follow each finished match that counts: rated, and with two
    completed turns on each side.
    """
    return send(registry().get(player_id).view(), Cache_Control="public, no-cache")


@blp.route("/v1/players/<player_id>/matches")
@blp.answers(200, MatchListSchema, "no_such_player", "bad_cursor")
@blp.arguments(PlayerMatchesQuerySchema, location="query")
def list_matches_of_player(query: dict[str, Any], player_id: str) -> Response:
    """List a player's matches

    Newest first, as a spectator sees them: the public ones, and to the player all.
    """
    registry().get(player_id)
    asked = {name: query.get(name) for name in ("game", "status", "bot")}
    wanted = Filter(**asked, player=player_id, reader=reader())
    page, last = referee().lists.page(wanted, before(query), query["limit"])
    items = [match.view("spectator") for match in page]
    return send_page(items, last, Cache_Control="private, no-cache")


@blp.route("/v1/me")
@blp.answers(200, PlayerSchema, *AS_A_PLAYER)
def get_me() -> Response:
    """See oneself

    The player of the bearer token.
    """
    return send(registry().me(claim()).view(), Cache_Control="private, no-cache")


@blp.route("/v1/me/token", methods=["POST"])
@blp.answers(
    201, AdmittedSchema, "rate_limited", *AS_A_PLAYER, *KEYED, parameters=(IDEMPOTENCY_KEY,)
)
def create_token() -> Response:
    """Get a new token

    The old one is dead at once. It may ask again with the same `Idempotency-Key` for the
    token that it was given, in case the answer was lost; for nothing else.
    """
    forget_body()
    asking = bearer()
    count(TOKENS)
    return _send_admitted(registry().new_token(asking, call_of(asking)), 201)


@blp.route("/v1/leaderboards/<game>")
@blp.answers(200, LeaderboardSchema, "no_such_game", "bad_cursor", public=True)
@blp.arguments(PageQuerySchema, location="query")
def get_leaderboard(query: dict[str, Any], game: str) -> Response:
    """The strongest at a game

    Players and bots, by the strength that is almost sure: `value` less three times
    `uncertainty`. Ratings move while one reads; who keeps his place is met once.
    """
    game_of(game)
    entries, last = registry().leaderboard(game, before(query), query["limit"])
    return send_page([_line(entry) for entry in entries], last)


def _send_admitted(admitted: Admitted, status: int, **headers: str) -> Response:
    if admitted.replayed:
        headers["Idempotent_Replayed"] = "true"
    body = {**admitted.player.view(), "token": admitted.token}
    return send(body, status, Cache_Control="no-store", **headers)


def _line(entry: Entry) -> dict[str, Any]:
    is_player = entry.name is not None
    return {
        "rank": entry.rank,
        "player": entry.id if is_player else None,
        "bot": None if is_player else entry.id,
        "name": entry.name or entry.id,
        "rating": entry.rating.view(),
    }
