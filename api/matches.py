"""Matches: create, list, see, sit down, move, end."""

from typing import Any

from flask import Response, url_for

from api.answers import legal_moves, send, send_done, send_match
from api.asking import call, claim, forget_body, reader, referee, registry, remember_instant
from api.blueprint import IDEMPOTENCY_KEY, IF_MATCH, IF_NONE_MATCH, Blueprint
from api.limits import count
from api.pages import before, send_page
from api.problems import BadRequest
from menagerie.games.position import SEATS, Seat
from menagerie.match import OPEN_FOR_MS, Occupant
from menagerie.play.bots import BOTS
from menagerie.play.limits import CREATIONS
from menagerie.play.lists import Filter
from menagerie.play.referee import Done, Wish
from menagerie.play.refusals import NoSuchBot, NoToken
from schemas.matches import (
    AdvanceSchema,
    LegalMovesQuerySchema,
    LegalMovesSchema,
    ListQuerySchema,
    MatchListSchema,
    MatchQuerySchema,
    MatchSchema,
    MoveSchema,
    NewMatchSchema,
    RepetitionSchema,
    TakeSeatSchema,
)
from schemas.time_controls import control_of

blp = Blueprint("matches", __name__, description="Matches, from creation to their end.")

AGAIN = {200: "The same request again: `Idempotent-Replayed: true`."}
ON_A_MATCH = (
    "no_such_match",
    "precondition_failed",
    "bad_idempotency_key",
    "idempotency_key_reused",
)
AS_A_SEAT = ("no_token", "not_yours", *ON_A_MATCH)
HEADERS = (IDEMPOTENCY_KEY, IF_MATCH)


@blp.route("/v1/matches", methods=["POST"])
@blp.answers(
    201,
    MatchSchema,
    "no_such_game",
    "no_token",
    "bad_option",
    "bad_position",
    "no_such_bot",
    "not_rateable",
    "own_match",
    "rate_limited",
    "position_not_supported",
    "bad_idempotency_key",
    "idempotency_key_reused",
    parameters=(IDEMPOTENCY_KEY,),
)
@blp.arguments(NewMatchSchema)
def create_match(wish: dict[str, Any]) -> Response:
    """Create a match

    The answer holds the tokens of its guests' seats: hand each to its player. Without `seats`
    the caller is White and anyone may take Black. The match starts when both seats are taken.
    A player's own token is good for the seats that are `me`. `players` as visibility shows the
    match to its players and its creator only; an `unlisted` one is shown to who knows its id.
    """
    count(CREATIONS)
    done = referee().create(_wish(wish), call())
    match = done.match
    tokens = {
        seat: referee().seat_token(match, seat)
        for seat in SEATS
        if match.seat(seat).kind == "guest" and match.seat(seat).generation == 0
    }
    location = url_for("matches.get_match", match_id=match.id)
    return send_done(done, "spectator", tokens, Location=location)


@blp.route("/v1/matches")
@blp.answers(200, MatchListSchema, "bad_cursor", "no_token", "not_yours")
@blp.arguments(ListQuerySchema, location="query")
def list_matches(query: dict[str, Any]) -> Response:
    """List matches

    Newest first, as a spectator sees them: the public ones, and with `creator=me` or one's own
    id as `player` also those that are not. `status=open` is the lobby. A page may be short; the
    last one has no `next_cursor`. Sandboxes are not listed.
    """
    asked = {name: query.get(name) for name in ("game", "status", "player", "bot")}
    creator = registry().me(claim()).id if "creator" in query else None
    wanted = Filter(**asked, creator=creator, reader=reader())
    page, last = referee().lists.page(wanted, before(query), query["limit"])
    items = [match.view("spectator") for match in page]
    return send_page(items, last, Cache_Control="private, no-cache")


@blp.route("/v1/matches/<match_id>")
@blp.answers(
    200,
    MatchSchema,
    "no_such_match",
    also={304: "The client has this version."},
    parameters=(IF_NONE_MATCH,),
)
@blp.arguments(MatchQuerySchema, location="query")
def get_match(query: dict[str, Any], match_id: str) -> Response:
    """See a match

    As the bearer of the token may see it; without one as a spectator.
    """
    match, viewer, now_ms = referee().get(match_id, claim())
    return send_match(match, viewer, now_ms)


@blp.route("/v1/matches/<match_id>/seats/<any(white,black,any):seat>", methods=["POST"])
@blp.answers(
    201,
    MatchSchema,
    "seat_taken",
    "own_match",
    "match_over",
    "not_rateable",
    *ON_A_MATCH,
    parameters=HEADERS,
)
@blp.arguments(TakeSeatSchema, required=False)
def take_seat(body: dict[str, Any], match_id: str, seat: Any) -> Response:
    """Take an open seat

    Of two who ask at once, one gets the seat and its token. `any` takes whichever is open. With
    a player's token the seat is that player's, and needs no token of its own.
    """
    if "name" in body and reader() is not None:
        error = {"field": "name", "message": "Only a guest is given a name."}
        raise BadRequest("The body does not fit its schema.", [error])
    done = referee().take_seat(match_id, seat, body.get("name"), call())
    taken, held = _seat_taken(done)
    if not held:
        return send_done(done, "spectator")
    is_guest = done.match.seat(taken).kind == "guest"
    tokens = {taken: referee().seat_token(done.match, taken)} if is_guest else {}
    return send_done(done, taken, tokens)


@blp.route("/v1/matches/<match_id>/seats/<any(white,black):seat>", methods=["DELETE"])
@blp.answers(200, MatchSchema, "match_started", "match_over", *AS_A_SEAT, parameters=HEADERS)
def leave_seat(match_id: str, seat: Any) -> Response:
    """Leave a seat before the start

    The seat is open again and its token is dead.
    """
    done = referee().leave_seat(match_id, seat, call())
    return send_done(done, "spectator")


@blp.route("/v1/matches/<match_id>/legal-moves")
@blp.answers(
    200,
    LegalMovesSchema,
    "no_such_match",
    "not_yours",
    "not_your_turn",
    "match_not_started",
    "match_paused",
    "match_over",
    "clock_expired",
)
@blp.arguments(LegalMovesQuerySchema, location="query")
def legal_moves_of_match(query: dict[str, Any], match_id: str) -> Response:
    """The legal moves of the seat to move

    With what a front end highlights of each; `from` asks for one square's.
    """
    match, seat, now_ms = referee().seat_to_move(match_id, claim())
    remember_instant(now_ms)
    return send(legal_moves(match, seat, query.get("from_")), Cache_Control="private, no-cache")


@blp.route("/v1/matches/<match_id>/repetition")
@blp.answers(200, RepetitionSchema, "no_such_match")
def get_repetition(match_id: str) -> Response:
    """What the rules against repetition make of the match

    Counted over the whole record by a worker, soon after each ply: the referee's second pair
    of eyes. No result waits for it; what is barred now is in the `state` of the match.
    """
    match, _, now_ms = referee().get(match_id, claim())
    remember_instant(now_ms)
    body = {"ply": match.ply, "verdict": referee().verdict(match)}
    return send(body, Cache_Control="private, no-cache")


@blp.route("/v1/matches/<match_id>/moves", methods=["POST"])
@blp.answers(
    201,
    MatchSchema,
    "illegal_move",
    "not_your_turn",
    "stale_ply",
    "match_not_started",
    "match_paused",
    "match_over",
    "clock_expired",
    "rate_limited",
    *AS_A_SEAT,
    also=AGAIN,
    parameters=HEADERS,
)
@blp.arguments(MoveSchema)
def play_move(body: dict[str, Any], match_id: str) -> Response:
    """Make a move

    `ply` is the match's ply as the client has seen it. A repeated request is safe: it is
    answered with 200 and the current match, and played once. `illegal_move` comes with the
    engine's `reason`.
    """
    texts = tuple(body["moves"]) if "moves" in body else (body["move"],)
    asked = call()
    done = referee().move(match_id, texts, body["ply"], asked)
    return send_done(done, referee().viewer(done.match, asked.claim))


@blp.route("/v1/matches/<match_id>/resign", methods=["POST"])
@blp.answers(200, MatchSchema, "match_not_started", "match_over", *AS_A_SEAT, parameters=HEADERS)
def resign_match(match_id: str) -> Response:
    """Resign

    The other side wins. Repeated by the same seat: the same answer.
    """
    forget_body()
    asked = call()
    done = referee().resign(match_id, asked)
    return send_done(done, referee().viewer(done.match, asked.claim))


@blp.route("/v1/matches/<match_id>/abort", methods=["POST"])
@blp.answers(200, MatchSchema, "too_late_to_abort", "match_over", *AS_A_SEAT, parameters=HEADERS)
def abort_match(match_id: str) -> Response:
    """Call the match off

    While the caller's seat has not completed a turn; nobody wins.
    """
    forget_body()
    asked = call()
    done = referee().abort(match_id, asked)
    return send_done(done, referee().viewer(done.match, asked.claim))


@blp.route("/v1/matches/<match_id>/sandbox/advance", methods=["POST"])
@blp.answers(
    200,
    MatchSchema,
    "no_virtual_clock",
    "bot_to_move",
    "match_not_started",
    "match_paused",
    "match_over",
    *AS_A_SEAT,
    parameters=HEADERS,
)
@blp.arguments(AdvanceSchema)
def advance_clock(body: dict[str, Any], match_id: str) -> Response:
    """Let virtual time pass

    Everything that falls due on the way is settled, in order, at its own instant.
    """
    asked = call()
    done = referee().advance(match_id, body["ms"], asked)
    return send_done(done, referee().viewer(done.match, asked.claim))


def _seat_taken(done: Done) -> tuple[Seat, bool]:
    """The seat that was taken, and whether it was not left again before this answer."""
    seat, generation = done.extra.split()
    taken: Seat = "white" if seat == "white" else "black"
    return taken, done.match.seat(taken).generation == int(generation)


def _wish(body: dict[str, Any]) -> Wish:
    seats = body.get("seats", {})
    sandbox = body.get("sandbox")
    seed = (sandbox or {}).get("seed")
    return Wish(
        game=body["game"],
        options=body.get("options", {}),
        white=_occupant(seats.get("white"), body["game"]),
        black=_occupant(seats.get("black"), body["game"]),
        control=control_of(body["time_control"]) if "time_control" in body else None,
        random_sides=body["random_sides"],
        visibility=body["visibility"],
        rated=body["rated"],
        position=body.get("position"),
        sandbox=sandbox is not None,
        seed=None if seed is None else bytes.fromhex(seed),
        virtual_clock=bool(sandbox and sandbox["virtual_clock"]),
        open_for_ms=body.get("expires_in_ms", OPEN_FOR_MS),
    )


def _occupant(seat: dict[str, Any] | None, game: str) -> Occupant | None:
    """The occupant of a wished seat; None leaves it to the default."""
    if seat is None:
        return None
    if seat["kind"] == "me":
        if reader() is None:
            raise NoToken("A seat for `me` needs a player's token; a `guest` needs none.")
        return Occupant("player", player=reader())
    if seat["kind"] == "bot":
        bot = BOTS.get(seat["bot"])
        if bot is None or bot.game != game:
            raise NoSuchBot(f"There is no bot {seat['bot']!r} for this game.")
        return Occupant("bot", name=bot.id, bot=bot.id)
    return Occupant(seat["kind"], seat.get("name"))
