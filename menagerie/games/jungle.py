"""Jungle (Dou Shou Qi), as docs/rules/jungle.md has it."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar, Final, Self

from menagerie.games import squares
from menagerie.games.game import Game, PieceKind
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
from menagerie.games.refusals import BadOption, BadPosition, IllegalMove

FILES: Final = 7
RANKS: Final = 9

DENS: Final[Mapping[Seat, str]] = {WHITE: "d1", BLACK: "d9"}
TRAPS: Final[Mapping[Seat, frozenset[str]]] = {
    WHITE: frozenset({"c1", "d2", "e1"}),
    BLACK: frozenset({"c9", "d8", "e9"}),
}
ALL_TRAPS: Final = TRAPS[WHITE] | TRAPS[BLACK]
WATER: Final = frozenset(file + rank for file in "bcef" for rank in "456")

ANIMALS: Final[Mapping[str, str]] = {
    "E": "elephant",
    "L": "lion",
    "T": "tiger",
    "P": "leopard",
    "W": "wolf",
    "D": "dog",
    "C": "cat",
    "R": "rat",
}
RANK_OF: Final[Mapping[str, int]] = {letter: 8 - i for i, letter in enumerate(ANIMALS)}

QUIET_LIMIT: Final = 200
TRAIL_LIMIT: Final = 17
START: Final = "l5t/1d3c1/r1p1w1e/7/7/7/E1W1P1R/1C3D1/T5L w - - 0 0"

REFUSALS: Final = {
    "bad_move_text": "The text is not a move of this game.",
    "no_piece": "The from-square is empty.",
    "not_your_piece": "The animal there is the other side's.",
    "own_piece_there": "The target holds an animal of the same side.",
    "not_adjacent": "The target is neither a step nor a leap of this animal.",
    "into_own_den": "No animal enters its own den.",
    "into_water": "Only the rat enters water.",
    "leap_blocked": "A rat in the water stops the leap.",
    "too_strong": "The animal there is stronger.",
    "from_water": "A rat in water cannot take the elephant.",
    "no_power": "An animal on an enemy trap cannot capture.",
    "barred_by_repetition": "The square is barred by 7-3 or 17-5.",
}
"""The codes of the page, in the order in which they are tried."""

_MOVE = re.compile(r"([a-g][1-9])([a-g][1-9])", re.ASCII)
_NUMBER = re.compile(r"0|[1-9][0-9]{0,8}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Piece:
    """One animal of one side. `letter` is uppercase for both sides."""

    seat: Seat
    letter: str
    strength: int

    @property
    def symbol(self) -> str:
        """The letter as the board text has it: uppercase White's, lowercase Black's."""
        return self.letter if self.seat == WHITE else self.letter.lower()

    @property
    def swims(self) -> bool:
        return self.letter == "R"

    @property
    def leaps(self) -> bool:
        return self.letter in "LT"


PIECES: Final[Mapping[str, Piece]] = {
    piece.symbol: piece
    for seat in SEATS
    for piece in (Piece(seat, letter, RANK_OF[letter]) for letter in ANIMALS)
}

_DIRECTIONS: Final = ((0, 1), (1, 0), (0, -1), (-1, 0))


def _walk(square: str, direction: tuple[int, int]) -> Iterator[str]:
    """The squares from `square` (not included) to the edge of the board."""
    file, rank = squares.file_of(square), squares.rank_of(square)
    while True:
        file, rank = file + direction[0], rank + direction[1]
        if not (1 <= file <= FILES and 1 <= rank <= RANKS):
            return
        yield squares.square(file, rank)


def _leaps_from(square: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Each landing across water from a bank square, with the water leapt over."""
    if square in WATER:
        return
    for direction in _DIRECTIONS:
        crossed: list[str] = []
        for reached in _walk(square, direction):
            if reached not in WATER:
                break
            crossed.append(reached)
        if crossed:
            yield reached, tuple(crossed)


SQUARES: Final = squares.all_squares(FILES, RANKS)
NEIGHBOURS: Final[Mapping[str, tuple[str, ...]]] = {
    square: tuple(next(_walk(square, d)) for d in _DIRECTIONS if any(_walk(square, d)))
    for square in SQUARES
}
LEAPS: Final[Mapping[str, Mapping[str, tuple[str, ...]]]] = {
    square: dict(_leaps_from(square)) for square in SQUARES
}


@dataclass(frozen=True)
class JunglePosition(Position):
    """One position of Jungle.

    `pieces` maps square to piece; `trails` holds, for each seat, the squares
    that one animal of it entered on its latest consecutive own moves, oldest
    first; `quiet` counts plies since the last capture.
    """

    game: ClassVar[str] = "jungle"
    judges_repetition: ClassVar[bool] = True

    pieces: Mapping[str, Piece]
    side: Seat
    trails: Mapping[Seat, tuple[str, ...]]
    quiet: int
    ply: int

    # Texts

    @classmethod
    def start(cls, options: Mapping[str, Any], seed: bytes) -> Self:
        if options:
            raise BadOption(f"Jungle has no option {min(options)!r}.")
        return cls.parse(START)

    @classmethod
    def parse(cls, text: str) -> Self:
        fields = text.split(" ")
        if len(fields) != 6:
            raise BadPosition(
                "bad_position_text",
                "A Jungle position is: board, side, White's trail, Black's trail, quiet, ply.",
            )
        board, side, white_trail, black_trail, quiet, ply = fields
        if side not in ("w", "b"):
            raise BadPosition("bad_position_text", f"The side is w or b, not {side!r}.")
        letters = squares.parse_board(board, FILES, RANKS, PIECES.__contains__)
        position = cls(
            pieces={square: PIECES[letter] for square, letter in letters.items()},
            side=WHITE if side == "w" else BLACK,
            trails={WHITE: _parse_trail(white_trail), BLACK: _parse_trail(black_trail)},
            quiet=_parse_number(quiet, "quiet"),
            ply=_parse_number(ply, "ply"),
        )
        position._refuse_what_cannot_be()
        return position

    def text(self) -> str:
        return self._text

    @cached_property
    def _text(self) -> str:
        letters = {square: piece.symbol for square, piece in self.pieces.items()}
        board = squares.board_text(letters, FILES, RANKS)
        trails = " ".join("".join(self.trails[seat]) or "-" for seat in SEATS)
        return f"{board} {self.side[0]} {trails} {self.quiet} {self.ply}"

    @classmethod
    def load(cls, dump: Any) -> Self:
        """The position that `dump` wrote: read without the questions put to a stranger's text."""
        board, side, white_trail, black_trail, quiet, ply = dump.split(" ")
        return cls(
            pieces=_pieces_of(board),
            side=WHITE if side == "w" else BLACK,
            trails={WHITE: _parse_trail(white_trail), BLACK: _parse_trail(black_trail)},
            quiet=int(quiet),
            ply=int(ply),
        )

    def view(self, viewer: Viewer) -> dict[str, Any]:
        return {
            "pieces": {square: self.pieces[square].symbol for square in sorted(self.pieces)},
            "barred": sorted(self.barred()),
            "quiet": self.quiet,
        }

    # Whose turn, and how it ended

    def to_move(self) -> tuple[Seat, ...]:
        return () if self.outcome() else (self.side,)

    def outcome(self) -> Outcome | None:
        return self._outcome

    @cached_property
    def _outcome(self) -> Outcome | None:
        for seat in SEATS:
            guest = self.pieces.get(DENS[seat])
            if guest is not None and guest.seat != seat:
                return Outcome(guest.seat, "den")
        alive = {piece.seat for piece in self.pieces.values()}
        for seat in SEATS:
            if seat not in alive:
                return Outcome(other(seat), "annihilation")
        if self.quiet >= QUIET_LIMIT:
            return Outcome(None, "quiet")
        if not any(self._targets()):
            return Outcome(other(self.side), "no_moves")
        return None

    # Movement

    def is_closed(self, piece: Piece, square: str) -> bool:
        """Whether the ground itself keeps this animal out: its own den, or water."""
        return square == DENS[piece.seat] or (square in WATER and not piece.swims)

    def leap_is_blocked(self, crossed: tuple[str, ...]) -> bool:
        """Whether a rat of either colour swims in the water to be leapt over."""
        return any(square in self.pieces for square in crossed)

    def ways(self, square: str, piece: Piece) -> Iterator[str]:
        """The squares that the animal's legs reach, whoever stands there."""
        for neighbour in NEIGHBOURS[square]:
            if not self.is_closed(piece, neighbour):
                yield neighbour
        if piece.leaps:
            for landing, crossed in LEAPS[square].items():
                if not self.leap_is_blocked(crossed):
                    yield landing

    def _targets(self) -> Iterator[tuple[str, str]]:
        """Every legal move of the side to move, as from-square and to-square."""
        trail = self.trails[self.side]
        barred = self.barred()
        for square, piece in self.pieces.items():
            if piece.seat != self.side:
                continue
            closed = barred if trail and trail[-1] == square else frozenset()
            for target in self.ways(square, piece):
                if target in closed:
                    continue
                victim = self.pieces.get(target)
                if victim is None or (
                    victim.seat != piece.seat
                    and self.why_not_capture(square, piece, target, victim) is None
                ):
                    yield square, target

    # Capture

    def why_not_capture(self, square: str, piece: Piece, target: str, victim: Piece) -> str | None:
        """The code of the rule that forbids this capture, or None if it is allowed."""
        if target not in TRAPS[piece.seat] and not _is_match_for(piece, victim):
            return "too_strong"
        if piece.letter == "R" and victim.letter == "E" and square in WATER:
            return "from_water"
        if square in TRAPS[victim.seat]:
            return "no_power"
        return None

    # Repetition (7-3 and 17-5)

    def barred(self) -> frozenset[str]:
        """The squares that the side to move may not enter with the animal of its trail."""
        return _barred_by(self.trails[self.side])

    def repetition(self) -> Repetition:
        return _judged(self.trails[self.side])

    @classmethod
    def recounted(cls, start: Self, history: Sequence[Occurrence[Self]]) -> Repetition:
        """The squares that one animal entered, from all own moves of the side to move."""
        side = (history[-1].position if history else start).side
        entered = list(start.trails[side])
        for seat, move, _ in history:
            if move is None:
                continue
            origin, target = move[:2], move[2:]
            if seat != side:
                if entered[-1:] == [target]:
                    entered = []
            elif target in ALL_TRAPS:
                entered = []
            else:
                entered = [*(entered if entered[-1:] == [origin] else ()), target]
        return _judged(entered)

    def _next_trail(self, origin: str, target: str) -> tuple[str, ...]:
        """The mover's trail once its animal has gone from `origin` to `target`."""
        if target in ALL_TRAPS:
            return ()
        trail = self.trails[self.side]
        if trail and trail[-1] == origin:
            return (*trail, target)[-TRAIL_LIMIT:]
        return (target,)

    # Moves

    def skip(self, seat: Seat) -> Self:
        return replace(self, side=other(self.side))

    def _moves(self, seat: Seat) -> list[str]:
        return [origin + target for origin, target in self._targets()]

    def _detail(self, seat: Seat, text: str) -> dict[str, Any]:
        origin, target = text[:2], text[2:]
        victim = self.pieces.get(target)
        return {
            "move": text,
            "from": origin,
            "to": target,
            "piece": self.pieces[origin].symbol,
            "captured": victim.symbol if victim else None,
            "leap": target not in NEIGHBOURS[origin],
        }

    def _check(self, seat: Seat, text: str) -> None:
        match = _MOVE.fullmatch(text)
        if match is None:
            raise IllegalMove("bad_move_text", "A move is two squares, such as a3a4.")
        origin, target = match.groups()
        piece = self.pieces.get(origin)
        if piece is None:
            raise IllegalMove("no_piece", f"No animal stands on {origin}.")
        if piece.seat != seat:
            raise IllegalMove("not_your_piece", f"The animal on {origin} is not {seat}'s.")
        victim = self.pieces.get(target)
        if victim is not None and victim.seat == seat:
            raise IllegalMove("own_piece_there", f"An animal of {seat}'s stands on {target}.")
        self._check_way(piece, origin, target)
        if victim is not None:
            reason = self.why_not_capture(origin, piece, target, victim)
            if reason is not None:
                raise IllegalMove(reason, REFUSALS[reason])
        if self.trails[seat][-1:] == (origin,) and target in self.barred():
            raise IllegalMove(
                "barred_by_repetition", f"This animal has entered {target} too often (7-3, 17-5)."
            )

    def _check_way(self, piece: Piece, origin: str, target: str) -> None:
        """Raise `IllegalMove` unless the animal's legs reach the target."""
        crossed = LEAPS[origin].get(target) if piece.leaps else None
        if target not in NEIGHBOURS[origin] and crossed is None:
            raise IllegalMove(
                "not_adjacent", f"{target} is neither a step nor a leap from {origin}."
            )
        if target == DENS[piece.seat]:
            raise IllegalMove("into_own_den", "No animal enters its own den.")
        if target in WATER and not piece.swims:
            raise IllegalMove("into_water", "Only the rat enters water.")
        if crossed is not None and self.leap_is_blocked(crossed):
            raise IllegalMove("leap_blocked", "A rat in the water stops the leap.")

    def _play(self, seat: Seat, text: str) -> Self:
        origin, target = text[:2], text[2:]
        pieces = dict(self.pieces)
        pieces[target] = pieces.pop(origin)
        trails = {**self.trails, seat: self._next_trail(origin, target)}
        captures = target in self.pieces
        if captures and self.trails[other(seat)][-1:] == (target,):
            trails[other(seat)] = ()
        return type(self)(
            pieces=pieces,
            side=other(seat),
            trails=trails,
            quiet=0 if captures else self.quiet + 1,
            ply=self.ply + 1,
        )

    # Positions that cannot be

    def _refuse_what_cannot_be(self) -> None:
        doubled = Counter(piece.symbol for piece in self.pieces.values()).most_common(1)
        if not doubled:
            raise BadPosition("no_pieces", "The board is empty.")
        if doubled[0][1] > 1:
            raise BadPosition("doubled_piece", f"{doubled[0][0]} stands on the board twice.")
        for square, piece in self.pieces.items():
            if square in WATER and not piece.swims:
                raise BadPosition("land_animal_in_water", f"{piece.symbol} stands in water.")
            if square == DENS[piece.seat]:
                raise BadPosition("piece_in_own_den", f"{piece.symbol} stands in its own den.")
        if all(den in self.pieces for den in DENS.values()):
            raise BadPosition("both_dens_entered", "Both dens are entered.")
        for seat in SEATS:
            self._refuse_bad_trail(seat)
        if self.quiet > QUIET_LIMIT:
            raise BadPosition("quiet_too_high", f"quiet is at most {QUIET_LIMIT}.")

    def _refuse_bad_trail(self, seat: Seat) -> None:
        trail = self.trails[seat]
        if not trail:
            return
        piece = self.pieces.get(trail[-1])
        if piece is None or piece.seat != seat:
            raise BadPosition("bad_trail", f"{seat}'s trail does not end on an animal of its own.")
        for square in trail:
            if square in ALL_TRAPS or self.is_closed(piece, square):
                raise BadPosition("bad_trail", f"{seat}'s trail cannot hold {square}.")
        for origin, target in pairwise(trail):
            leap = piece.leaps and target in LEAPS[origin]
            if target not in NEIGHBOURS[origin] and not leap:
                raise BadPosition(
                    "bad_trail", f"{origin} to {target} is neither a step nor a leap."
                )


def _barred_by(trail: Sequence[str]) -> frozenset[str]:
    """The squares that the animal of this trail may not enter next: 7-3 and 17-5."""
    if len(trail) < 3:
        return frozenset()
    barred = {square for square, times in Counter(trail[-7:]).items() if times >= 3}
    latest = trail[-TRAIL_LIMIT:]
    if len(latest) == TRAIL_LIMIT and len(set(latest)) <= 5:
        barred |= set(latest)
    return frozenset(barred)


def _judged(trail: Sequence[str]) -> Repetition:
    """How often the animal of this trail has entered each square lately, and what is barred."""
    counts = Counter(sorted(trail[-TRAIL_LIMIT:]))
    return Repetition(dict(counts), tuple(sorted(_barred_by(trail))))


def _is_match_for(piece: Piece, victim: Piece) -> bool:
    """Whether the ranks alone let this animal take that one."""
    if piece.letter == "R" and victim.letter == "E":
        return True
    if piece.letter == "E" and victim.letter == "R":
        return False
    return piece.strength >= victim.strength


def _parse_trail(text: str) -> tuple[str, ...]:
    """The squares of a trail text (`-`, or squares without separators)."""
    if text == "-":
        return ()
    trail = tuple(text[i : i + 2] for i in range(0, len(text), 2))
    if not trail or len(trail) > TRAIL_LIMIT or any(square not in NEIGHBOURS for square in trail):
        raise BadPosition("bad_trail", f"A trail is - or 1 to {TRAIL_LIMIT} squares, not {text!r}.")
    return trail


def _parse_number(text: str, name: str) -> int:
    if _NUMBER.fullmatch(text) is None:
        raise BadPosition("bad_position_text", f"{name} is a whole number from 0, not {text!r}.")
    return int(text)


def _pieces_of(board: str) -> dict[str, Piece]:
    """The pieces of a board text that this engine wrote."""
    pieces = {}
    at = iter(SQUARES)
    for token in board.replace("/", ""):
        if token.isdigit():
            for _ in range(int(token)):
                next(at)
        else:
            pieces[next(at)] = PIECES[token]
    return pieces


GAME: Final = Game(
    slug="jungle",
    name="Jungle (Dou Shou Qi)",
    rules_version="1",
    information="perfect",
    position=JunglePosition,
    start_position=START,
    board={
        "files": FILES,
        "ranks": RANKS,
        "squares": {
            "dens": dict(DENS),
            "traps": {seat: sorted(TRAPS[seat]) for seat in SEATS},
            "water": sorted(WATER),
        },
    },
    pieces=tuple(PieceKind(letter, name, RANK_OF[letter]) for letter, name in ANIMALS.items()),
    options=(),
    notation={
        "move": "From-square and to-square, captures alike: a3a4.",
        "position": "<board> <side> <white trail> <black trail> <quiet> <ply>",
        "examples": ["a3a4", "b3b7", START],
    },
    end_reasons={
        "den": "A piece entered the enemy den; its side wins.",
        "annihilation": "The last enemy piece was captured.",
        "no_moves": "The side to move has no legal move and loses.",
        "quiet": "200 plies without a capture: a draw.",
    },
    refusals=REFUSALS,
    presets={
        "jungle_standard": {"type": "fischer", "initial_ms": 600_000, "increment_ms": 5_000},
        "jungle_classic": {
            "type": "fischer",
            "initial_ms": 600_000,
            "increment_ms": 5_000,
            "turn_limit_ms": 60_000,
            "on_turn_limit": "skip",
        },
        "jungle_blitz": {"type": "fischer", "initial_ms": 180_000, "increment_ms": 2_000},
        "jungle_correspondence": {"type": "per_turn", "turn_ms": 259_200_000},
    },
    default_preset="jungle_standard",
)
