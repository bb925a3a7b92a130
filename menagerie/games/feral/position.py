"""A position of Feral: whose turn it is, what a turn is made of, and how the game ends."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Final, Self

from menagerie.games import squares
from menagerie.games.chance import lot
from menagerie.games.feral.actions import Deed, activations
from menagerie.games.feral.board import (
    ANIMALS,
    GROUNDS,
    RANKS,
    SIZES,
    Board,
    Ground,
    Size,
    letter_of,
    seat_of,
)
from menagerie.games.feral.setup import drawn_board
from menagerie.games.feral.why_not import REFUSALS, why_not
from menagerie.games.game import Game, Option, PieceKind
from menagerie.games.position import (
    BLACK,
    SEATS,
    WHITE,
    Occurrence,
    Outcome,
    Position,
    Repetition,
    Seat,
    Viewer,
    other,
)
from menagerie.games.refusals import BadPosition, IllegalMove

PASSING: Final = "pass"
REPETITIONS: Final = 3

_SQUARE: Final = re.compile("[a-f][1-6]")
_FIELDS: Final[Mapping[str, re.Pattern[str]]] = {
    "board": re.compile("[^ ]*"),
    "side": re.compile("[wb]"),
    "activated": re.compile("-|[A-Za-z]"),
    "threat": re.compile("[-!]"),
    "passes": re.compile("[01]"),
    "turn": re.compile("[1-9][0-9]{0,8}"),
}
"""The fields of a position text."""


@dataclass(frozen=True)
class FeralPosition(Position):
    """One position of Feral, of either size.

    `activated`: the letter of the animal that the side to move has activated
    in this turn, or None; `threat`: whether an enemy stood on its beach when
    the turn began; `passes`: 1 after a forced pass, else 0; `turn`: from 1. `seen`
    counts the boards, with the side, at the starts of turns: those that can
    still come back (none can once an animal has left); `ended` is how the game ended.
    """

    game: ClassVar[str] = "feral"
    judges_repetition: ClassVar[bool] = True

    board: Board
    side: Seat
    activated: str | None
    threat: bool
    passes: int
    turn: int
    seen: Mapping[str, int]
    ended: Outcome | None = None

    # Texts

    @classmethod
    def start(cls, options: Mapping[str, Any], seed: bytes) -> Self:
        chosen = GAME.complete(options)
        lots: Mapping[str, Seat] = {"random": SEATS[lot(seed)], WHITE: WHITE, BLACK: BLACK}
        board = drawn_board(SIZES[chosen["size"]], seed)
        return cls._turn_begun(board, lots[chosen["first"]], passes=0, turn=1, seen={})

    @classmethod
    def parse(cls, text: str) -> Self:
        fields = text.split(" ")
        _refuse_unreadable(fields)
        board_text = fields[0]
        size = _size_of(board_text)
        known = set(size.letters + size.letters.lower())
        pieces = squares.parse_board(board_text, size.files, RANKS, known.__contains__)
        _refuse_doubled(pieces)
        position = cls._read(Board(GROUNDS[size.name], pieces), fields[1:])
        position._refuse_what_cannot_be()
        return position

    @classmethod
    def _read(cls, board: Board, fields: Sequence[str]) -> Self:
        """The position that the fields after the board tell of, with itself as its history."""
        side, activated, threat, passes, turn = fields
        return cls(
            board=board,
            side=WHITE if side == "w" else BLACK,
            activated=None if activated == "-" else activated,
            threat=threat == "!",
            passes=int(passes),
            turn=int(turn),
            seen={f"{board.text()} {side}": 1} if activated == "-" else {},
            ended=_judge_lions(board),
        )

    def text(self) -> str:
        return self._text

    @cached_property
    def _text(self) -> str:
        threat = "!" if self.threat else "-"
        return (
            f"{self.board.text()} {self.side[0]} {self.activated or '-'}"
            f" {threat} {self.passes} {self.turn}"
        )

    @classmethod
    def load(cls, dump: Any) -> Self:
        """The position that `dump` wrote: read without the questions put to a stranger's text."""
        text, seen, ended = dump
        board_text, *fields = text.split(" ")
        size = _size_of(board_text)
        pieces = squares.parse_board(board_text, size.files, RANKS, str.isalpha)
        position = cls._read(Board(GROUNDS[size.name], pieces), fields)
        return replace(position, seen=seen, ended=Outcome(*ended) if ended else None)

    def dump(self) -> Any:
        """The text, the boards seen, and the end (`[winner, reason]` or None)."""
        ended = [self.ended.winner, self.ended.reason] if self.ended else None
        return [self.text(), dict(self.seen), ended]

    def view(self, viewer: Viewer) -> dict[str, Any]:
        pieces = self.board.pieces
        return {
            "pieces": {square: pieces[square] for square in sorted(pieces)},
            "activated": self.activated,
            "threat": self.threat,
            "passes": self.passes,
            "turn": self.turn,
        }

    # Moves

    def settled_options(self) -> dict[str, str]:
        """Its board decides the size, and its side who begins."""
        return {"size": self.board.ground.size.name, "first": self.side}

    def to_move(self) -> tuple[Seat, ...]:
        return () if self.ended else (self.side,)

    def outcome(self) -> Outcome | None:
        return self.ended

    def _activations(self) -> Iterator[tuple[str, Deed]]:
        """All that the side to move can activate now, with the animal's square.

        They are told as though a game that has ended went on.
        """
        for at, letter in self.board.pieces.items():
            if seat_of(letter) == self.side and letter != self.activated:
                for deed in activations(self.board, at, (at,)):
                    yield at, deed

    @cached_property
    def _deeds(self) -> Mapping[str, Deed]:
        return {deed.text: deed for _, deed in self._activations()}

    def _can_activate(self) -> bool:
        return any(True for _ in self._activations())

    def _moves(self, seat: Seat) -> list[str]:
        return list(self._deeds) or [PASSING]

    def _detail(self, seat: Seat, text: str) -> dict[str, Any]:
        """Also `actor`, `kind` (`move`, `pass` or the acting animal's name), `targets`, `changes`.

        `to` is the square named first after `from`; `targets` are the squares of the animals
        acted on; `changes` maps squares to what they hold afterwards, a letter or None.
        """
        if text == PASSING:
            nobody = {"from": None, "to": None, "actor": None}
            return {"move": PASSING, **nobody, "kind": PASSING, "targets": [], "changes": {}}
        deed, origin = self._deeds[text], text[:2]
        actor = self.board.pieces[origin]
        return {
            "move": text,
            "from": origin,
            "to": _SQUARE.findall(text)[1],
            "actor": actor,
            "kind": "move" if text[2] == "-" else ANIMALS[actor.upper()],
            "targets": list(deed.targets),
            "changes": dict(deed.changes),
        }

    def _check(self, seat: Seat, text: str) -> None:
        if text in self._deeds:
            return
        if text != PASSING:
            reason = why_not(self.board, seat, self.activated, text)
            raise IllegalMove(reason, REFUSALS[reason])
        if self._deeds:
            raise IllegalMove("pass_not_allowed", REFUSALS["pass_not_allowed"])

    # A turn

    def _play(self, seat: Seat, text: str) -> Self:
        if text == PASSING:
            return self._turn_ended(passed=True)
        after = self._after(text[:2], self._deeds[text])
        if self._is_first_activation and after._can_activate():
            return after
        return after._turn_ended(passed=False)

    @property
    def _is_first_activation(self) -> bool:
        """Whether a second activation belongs to this turn."""
        return self.activated is None and self.turn > 1

    def _after(self, origin: str, deed: Deed) -> Self:
        """The position right after an activation, in the middle of the turn."""
        board = self.board.changed(deed.changes)
        return replace(
            self,
            board=board,
            activated=self.board.pieces[origin],
            seen=self.seen if len(board.pieces) == len(self.board.pieces) else {},
            ended=_judge_lions(board),
        )

    def _turn_ended(self, passed: bool) -> Self:
        begun = self._turn_begun(
            self.board, other(self.side), int(passed), self.turn + 1, self.seen
        )
        ended = self.ended or self._judge_beach() or self._judge_passes(passed)
        return replace(begun, ended=ended or begun._judge_repetition())

    @classmethod
    def _turn_begun(
        cls, board: Board, side: Seat, passes: int, turn: int, seen: Mapping[str, int]
    ) -> Self:
        """The position at the start of a turn, counted among those seen."""
        key = _seen_key(board, side)
        return cls(
            board=board,
            side=side,
            activated=None,
            threat=board.is_invaded(side),
            passes=passes,
            turn=turn,
            seen={**seen, key: seen.get(key, 0) + 1},
        )

    def skip(self, seat: Seat) -> Self:
        return self._turn_ended(passed=False)

    # Ends, in the order of judgement

    def _judge_beach(self) -> Outcome | None:
        """An enemy stood on the beach when the turn began, and any enemy does now that it ends."""
        if self.threat and self.board.is_invaded(self.side):
            return Outcome(other(self.side), "beach")
        return None

    def _judge_passes(self, passed: bool) -> Outcome | None:
        return Outcome(None, "stalemate") if passed and self.passes else None

    def _judge_repetition(self) -> Outcome | None:
        times = self.seen[_seen_key(self.board, self.side)]
        return Outcome(None, "repetition") if times >= REPETITIONS else None

    def repetition(self) -> Repetition:
        times = 0 if self.activated else self.seen.get(_seen_key(self.board, self.side), 0)
        draw = self.ended is not None and self.ended.reason == "repetition"
        return _counted(times, draw)

    @classmethod
    def recounted(cls, start: Self, history: Sequence[Occurrence[Self]]) -> Repetition:
        """How often the last board was there at the start of a turn of the same side."""
        boards = [start, *(occurrence.position for occurrence in history)]
        last = boards[-1]
        if last.activated:
            return _counted(0, draw=False)
        seen = [(b.board.text(), b.side) for b in boards if not b.activated]
        times = seen.count((last.board.text(), last.side))
        decided = last.ended is not None and last.ended.reason != "repetition"
        return _counted(times, draw=times >= REPETITIONS and not decided)

    # Positions that cannot be

    def _refuse_what_cannot_be(self) -> None:
        if self.board.ground.size.name == "full":
            self._refuse_bad_lions()
        if self.activated is not None:
            self._refuse_bad_activated()
        elif self.threat != self.board.is_invaded(self.side):
            raise BadPosition("bad_threat", "The threat contradicts the board.")
        if self.passes and self.turn == 1:
            raise BadPosition("bad_passes", "No turn before the first can have been a pass.")

    def _refuse_bad_lions(self) -> None:
        if all(self.board.square_of(lion) is None for lion in "Ll"):
            raise BadPosition("lions_missing", "Both lions are missing.")
        if all(_is_home(self.board, seat) for seat in SEATS):
            raise BadPosition("lions_home", "Both lions are home.")

    def _refuse_bad_activated(self) -> None:
        letter = self.activated or ""
        if letter.upper() not in self.board.ground.size.letters or seat_of(letter) != self.side:
            raise BadPosition("bad_activated", f"{self.side} has no animal {letter!r}.")
        if self.turn == 1:
            raise BadPosition("bad_activated", "The first turn is one activation only.")
        if not self._can_activate():
            raise BadPosition("bad_activated", "No second activation is legal: the turn is over.")


def _judge_lions(board: Board) -> Outcome | None:
    """How the lions end the game; they do in the full size only."""
    if board.ground.size.name != "full":
        return None
    for seat in SEATS:
        if board.square_of(letter_of(seat, "L")) is None:
            return Outcome(other(seat), "lion_lost")
    for seat in SEATS:
        if _is_home(board, seat):
            return Outcome(seat, "lion_home")
    return None


def _is_home(board: Board, seat: Seat) -> bool:
    """Whether the side's lion stands on the other side's beach."""
    return board.square_of(letter_of(seat, "L")) in board.ground.beaches[other(seat)]


def _counted(times: int, draw: bool) -> Repetition:
    return Repetition({"board": times}, draw=draw)


def _seen_key(board: Board, side: Seat) -> str:
    return f"{board.text()} {side[0]}"


def _size_of(board_text: str) -> Size:
    """The size of the game, by the number of files in the first row."""
    row = board_text.split("/", maxsplit=1)[0]
    files = sum(int(token) if token.isdecimal() else 1 for token in row)
    for size in SIZES.values():
        if size.files == files:
            return size
    raise BadPosition("bad_board", f"A board has 4 or 6 files; this one has {files}.")


def _refuse_unreadable(fields: Sequence[str]) -> None:
    if len(fields) != len(_FIELDS):
        raise BadPosition("bad_position_text", f"A Feral position is: {', '.join(_FIELDS)}.")
    for value, (name, pattern) in zip(fields, _FIELDS.items(), strict=True):
        if pattern.fullmatch(value) is None:
            raise BadPosition("bad_position_text", f"{name} cannot be {value!r}.")


def _refuse_doubled(pieces: Mapping[str, str]) -> None:
    for letter, count in Counter(pieces.values()).items():
        if count > 1:
            raise BadPosition("doubled_piece", f"{letter} stands on the board {count} times.")


def _described(ground: Ground) -> dict[str, Any]:
    """One size of the board, as a front end draws it."""
    return {
        "files": ground.size.files,
        "ranks": RANKS,
        "squares": {
            "beaches": {seat: sorted(ground.beaches[seat]) for seat in SEATS},
        },
        "animals": list(ground.size.letters),
    }


GAME: Final = Game(
    slug="feral",
    name="Feral",
    rules_version="1",
    information="perfect",
    position=FeralPosition,
    start_position=None,
    board={
        **_described(GROUNDS["full"]),
        "sizes": {name: _described(ground) for name, ground in GROUNDS.items()},
    },
    pieces=tuple(PieceKind(letter, name) for letter, name in ANIMALS.items()),
    options=(
        Option("size", tuple(SIZES), "full", "Twelve animals on six files, or eight on four."),
        Option("first", (WHITE, BLACK, "random"), "random", "Who begins; random: lots decide."),
    ),
    notation={
        "move": "From-square and to-square, with a dash: b2-b3.",
        "action": "From-square, an asterisk, and what the animal needs to be told: b2*a2>b3.",
        "pass": "pass, when no animal can be activated and only then.",
        "position": "<board> <side> <activated> <threat> <passes> <turn>",
        "examples": [
            "b2-b3",
            "b2*c2",
            "b2*a2>b3",
            "a2*a3>~",
            "b2*c4=c5",
            "b2*c2-c1",
            "b2*G:a2>b3",
            "KSACBO/HFURLG/6/6/glrufh/obcask b - - 0 1",
        ],
    },
    end_reasons={
        "lion_home": "A lion stands on the other side's beach; its side wins.",
        "lion_lost": "A lion has left the board; its side loses.",
        "beach": "An enemy still stood on the beach at the end of a turn that began so.",
        "stalemate": "Two turns in a row were passed: a draw.",
        "repetition": "The same board, the same side to move, for the third time: a draw.",
    },
    refusals=REFUSALS,
    presets={
        "feral_standard": {"type": "fischer", "initial_ms": 900_000, "increment_ms": 10_000},
        "feral_blitz": {"type": "fischer", "initial_ms": 300_000, "increment_ms": 5_000},
        "feral_skip": {
            "type": "fischer",
            "initial_ms": 900_000,
            "increment_ms": 10_000,
            "turn_limit_ms": 90_000,
            "on_turn_limit": "skip",
        },
        "feral_correspondence": {"type": "per_turn", "turn_ms": 259_200_000},
    },
    default_preset="feral_standard",
)
