"""Games, and the stateless rules service."""

from typing import Any

from flask import Response

from api.answers import send
from api.blueprint import Blueprint
from menagerie.games import GAMES, Game
from menagerie.games.refusals import IllegalMove, Refusal
from menagerie.match import END_REASONS
from menagerie.play.bots import bots_of
from menagerie.play.refusals import NoSuchGame
from schemas.games import (
    BotsSchema,
    GameSchema,
    GamesSchema,
    PlayedSchema,
    PlayQuestionSchema,
    PositionMovesSchema,
    PositionQuestionSchema,
)

blp = Blueprint("games", __name__, description="What is played here, and its rules.")

FOR_AN_HOUR = "public, max-age=3600"


class FirstRefusedMove(IllegalMove):
    """Which of several moves was refused first, and why."""

    def __init__(self, refusal: Refusal, move: str, index: int) -> None:
        super().__init__(refusal.reason or refusal.code, refusal.detail)
        self.move = move
        self.index = index


def game_of(slug: str) -> Game:
    game = GAMES.get(slug)
    if game is None:
        raise NoSuchGame(f"There is no game {slug!r}.")
    return game


@blp.route("/v1/games")
@blp.answers(200, GamesSchema, public=True)
def list_games() -> Response:
    """All games

    Everything that a front end needs to draw and explain each of them.
    """
    return send({"items": [describe(game) for game in GAMES.values()]}, Cache_Control=FOR_AN_HOUR)


@blp.route("/v1/games/<game>")
@blp.answers(200, GameSchema, "no_such_game", public=True)
def get_game(game: str) -> Response:
    """One game

    Board, special squares, pieces, options, notation, end reasons, refusal codes, presets, bots.
    """
    return send(describe(game_of(game)), Cache_Control=FOR_AN_HOUR)


@blp.route("/v1/games/<game>/legal-moves", methods=["POST"])
@blp.answers(200, PositionMovesSchema, "no_such_game", "bad_position", public=True)
@blp.arguments(PositionQuestionSchema)
def legal_moves_of_position(question: dict[str, Any], game: str) -> Response:
    """The legal moves of any position

    Stateless. A position whose game is over has no moves, and its outcome.
    """
    position = game_of(game).position.parse(question["position"])
    origin = question.get("from_")
    details = [
        detail
        for seat in position.to_move()
        for detail in position.details(seat)
        if origin is None or detail["from"] == origin
    ]
    return send(
        {
            "position": position.text(),
            "moves": [detail["move"] for detail in details],
            "details": details,
            "outcome": _outcome(position),
        }
    )


@blp.route("/v1/games/<game>/play", methods=["POST"])
@blp.answers(200, PlayedSchema, "no_such_game", "bad_position", "illegal_move", public=True)
@blp.arguments(PlayQuestionSchema)
def play_on_position(question: dict[str, Any], game: str) -> Response:
    """The position after some moves

    Stateless. 422 names the first refused move, its place in `moves` and the reason.
    """
    position = game_of(game).position.parse(question["position"])
    for index, move in enumerate(question["moves"]):
        try:
            seat = next(iter(position.to_move()), "white")
            position = position.play(seat, move)  # type: ignore[arg-type]
        except Refusal as refusal:
            raise FirstRefusedMove(refusal, move, index) from refusal
    return send({"position": position.text(), "outcome": _outcome(position)})


@blp.route("/v1/bots")
@blp.answers(200, BotsSchema, public=True)
def list_bots() -> Response:
    """All bots

    By game and level, with what they need per move.
    """
    items = [bot.view() for game in GAMES for bot in bots_of(game)]
    return send({"items": items}, Cache_Control=FOR_AN_HOUR)


def describe(game: Game) -> dict[str, Any]:
    """A game as the API tells of it."""
    return {
        "game": game.slug,
        "name": game.name,
        "rules_version": game.rules_version,
        "information": game.information,
        "start_position": game.start_position,
        "board": dict(game.board),
        "pieces": [
            {"letter": kind.letter, "name": kind.name, "rank": kind.rank} for kind in game.pieces
        ],
        "options": [
            {
                "name": option.name,
                "values": list(option.values),
                "default": option.default,
                "description": option.description,
            }
            for option in game.options
        ],
        "notation": dict(game.notation),
        "end_reasons": _codes({**game.end_reasons, **END_REASONS}),
        "refusals": _codes(dict(game.refusals)),
        "presets": [
            {"name": name, "time_control": dict(control)} for name, control in game.presets.items()
        ],
        "default_preset": game.default_preset,
        "bots": [bot.view() for bot in bots_of(game.slug)],
    }


def _codes(table: dict[str, str]) -> list[dict[str, str]]:
    return [{"code": code, "meaning": meaning} for code, meaning in table.items()]


def _outcome(position: Any) -> dict[str, Any] | None:
    outcome = position.outcome()
    return None if outcome is None else {"winner": outcome.winner, "reason": outcome.reason}
