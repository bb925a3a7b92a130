"""Safari as a front end meets it."""

from typing import Final

from menagerie.games.game import Game, PieceKind
from menagerie.games.position import SEATS
from menagerie.games.safari.board import ANIMALS, FILES, HUMANS, LAST_RANK, RANKS, STARRED
from menagerie.games.safari.cards import HAND_SIZE, KINDS, VALUES
from menagerie.games.safari.position import SafariPosition
from menagerie.games.safari.why_not import REFUSALS

GAME: Final = Game(
    slug="safari",
    name="Safari",
    rules_version="1",
    information="hidden",
    position=SafariPosition,
    start_position=None,
    board={
        "files": FILES,
        "ranks": RANKS,
        "squares": {"starred": {seat: list(STARRED[seat]) for seat in SEATS}},
        "last_rank": dict(LAST_RANK),
    },
    pieces=tuple(
        PieceKind(letter, name, len(ANIMALS) - place if letter in ANIMALS else None)
        for place, (letter, name) in enumerate({**ANIMALS, **HUMANS}.items())
    ),
    options=(),
    notation={
        "placement": "place, and the starred squares, front row first: place EBTLWD/XY.CM.",
        "move": "Cards, from-square and to-square: E4:g2-g5.",
        "capture": "x and the square of the capture, then where the mover goes on: *3:i2xk2-k1.",
        "cards": "Kind and value; cards of one eliminated animal are joined: E2+E2+E5:h1-h4.",
        "pass": "pass, or pass and one card that is put on the played pile: pass E4.",
        "position": "<board> <side> <hand> <quiet> <ply>",
        "deck": {"kinds": KINDS, "values": list(VALUES), "hand": HAND_SIZE},
        "examples": [
            "place EBTLWD/XY.CM.",
            "E4:g2-g5",
            "*3:i2xk2-k1",
            "E2+E2+E5:h1-h4",
            "pass",
            "pass E4",
            "16yx/18/18/18/18/7c10/7d10/7E10/18/18/18/18/18/XY16 w E2,B1,D3,D3,M4,Y1,*5 3 41",
        ],
    },
    end_reasons={
        "human_taken": "An enemy human was taken; the taker wins.",
        "human_home": "A human stands on its last rank at the end of its movement; its side wins.",
        "quiet": "200 plies of play in a row without a capture: a draw.",
    },
    refusals=REFUSALS,
    presets={
        "safari_standard": {"type": "fischer", "initial_ms": 1_200_000, "increment_ms": 15_000},
        "safari_blitz": {"type": "fischer", "initial_ms": 300_000, "increment_ms": 5_000},
        "safari_skip": {
            "type": "fischer",
            "initial_ms": 1_200_000,
            "increment_ms": 15_000,
            "turn_limit_ms": 120_000,
            "on_turn_limit": "skip",
        },
        "safari_correspondence": {"type": "per_turn", "turn_ms": 259_200_000},
    },
    default_preset="safari_standard",
)
