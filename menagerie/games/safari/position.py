"""A position of Safari: setup, play and ends, and what each seat knows of them."""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Final, Self

from menagerie.games import squares
from menagerie.games.chance import lot
from menagerie.games.position import BLACK, SEATS, WHITE, Outcome, Position, Seat, Viewer, other
from menagerie.games.refusals import BadOption, BadPosition, GameOver, IllegalMove, NotYourTurn
from menagerie.games.safari.board import (
    FILES,
    HUMANS,
    LAST_RANK,
    LETTERS,
    PIECES,
    RANKS,
    STARRED,
    Piece,
    Pieces,
)
from menagerie.games.safari.cards import COPIES, HAND_SIZE, Cards, Piles, in_order
from menagerie.games.safari.listing import PASSING, Listing
from menagerie.games.safari.movement import is_exchange
from menagerie.games.safari.notation import Movement, Placement, read
from menagerie.games.safari.why_not import REFUSALS, Knowledge, why_not

QUIET_LIMIT: Final = 200
UNKNOWN: Final = "-"

_FIELDS: Final[Mapping[str, re.Pattern[str]]] = {
    "board": re.compile(r"[^ ]*"),
    "side": re.compile(r"[wb]"),
    "hand": re.compile(r"-|[^ ,]+(?:,[^ ,]+)*"),
    "quiet": re.compile(r"0|[1-9][0-9]{0,8}"),
    "ply": re.compile(r"0|[1-9][0-9]{0,8}"),
}
"""The fields of a position text."""


@dataclass(frozen=True)
class SafariPosition(Position):
    """One position of Safari, setup and play alike.

    `pieces` is empty and `side` None until both have placed; `placements` are
    the texts of what was placed. `hands` are in the order of the page. A
    position read from a text knows one hand at most, and neither placements
    nor `piles` (all three None). `quiet` counts plies without a capture.
    """

    game: ClassVar[str] = "safari"

    pieces: Pieces
    side: Seat | None
    placements: Mapping[Seat, str | None]
    hands: Mapping[Seat, Cards | None]
    piles: Piles | None
    quiet: int
    ply: int

    # Texts

    @classmethod
    def start(cls, options: Mapping[str, Any], seed: bytes) -> Self:
        if options:
            raise BadOption(f"Safari has no option {min(options)!r}.")
        piles, hands = Piles.deal(seed)
        return cls(
            pieces={},
            side=None,
            placements={WHITE: None, BLACK: None},
            hands=hands,
            piles=piles,
            quiet=0,
            ply=0,
        )

    @classmethod
    def parse(cls, text: str) -> Self:
        fields = text.split(" ")
        _refuse_unreadable(fields)
        board, side, hand, quiet, ply = fields
        letters = squares.parse_board(board, FILES, RANKS, PIECES.__contains__)
        pieces = {square: PIECES[letter] for square, letter in letters.items()}
        _refuse_what_cannot_be(pieces)
        seat = WHITE if side == "w" else BLACK
        return cls(
            pieces=pieces,
            side=seat,
            placements={WHITE: None, BLACK: None},
            hands={seat: _parse_hand(hand), other(seat): None},
            piles=None,
            quiet=int(quiet),
            ply=int(ply),
        )

    def text(self) -> str:
        """What the side to move knows; empty in setup, which has no position text."""
        return self._text

    @cached_property
    def _text(self) -> str:
        return "" if self.side is None else self._told_with(self.hands[self.side])

    def text_for(self, viewer: Viewer) -> str:
        """What this viewer knows: `text`, with `-` for a hand that is not the viewer's own."""
        if self.side is None or viewer == self.side:
            return self.text()
        return self._told_with(None)

    def _told_with(self, hand: Cards | None) -> str:
        letters = {square: piece.symbol for square, piece in self.pieces.items()}
        board = squares.board_text(letters, FILES, RANKS)
        side = "b" if self.side == BLACK else "w"
        return f"{board} {side} {_hand_text(hand)} {self.quiet} {self.ply}"

    @classmethod
    def load(cls, dump: Any) -> Self:
        piles = dump["piles"]
        return cls(
            pieces={square: PIECES[symbol] for square, symbol in dump["pieces"].items()},
            side=dump["side"],
            placements=dump["placements"],
            hands={seat: _cards_or_none(dump["hands"][seat]) for seat in SEATS},
            piles=None if piles is None else Piles.load(piles),
            quiet=dump["quiet"],
            ply=dump["ply"],
        )

    def dump(self) -> Any:
        """Everything, hidden things and the seed included: for the store alone."""
        return {
            "pieces": {square: piece.symbol for square, piece in self.pieces.items()},
            "side": self.side,
            "placements": dict(self.placements),
            "hands": {seat: _list_or_none(self.hands[seat]) for seat in SEATS},
            "piles": None if self.piles is None else self.piles.dump(),
            "quiet": self.quiet,
            "ply": self.ply,
        }

    # What a seat may know

    def view(self, viewer: Viewer) -> dict[str, Any]:
        """The `state` as the rules let this viewer know it while the match goes on."""
        return self._told_to(viewer, self._pieces_known_to(viewer))

    def revealed(self, viewer: Viewer) -> dict[str, Any]:
        """The `state` after the match: nothing is hidden any more, however it ended.

        Adds to `view` both `hands`, the `draw` pile (its front first) and the
        `placements`; a match that ended in setup shows the pieces placed so far.
        """
        pieces = self.pieces
        if self.in_setup:
            pieces = {**self._placed_by(WHITE), **self._placed_by(BLACK)}
        return {
            **self._told_to(viewer, pieces),
            "hands": {seat: _list_or_none(self.hands[seat]) for seat in SEATS},
            "draw": None if self.piles is None else list(self.piles.draw),
            "placements": dict(self.placements),
        }

    def _told_to(self, viewer: Viewer, pieces: Pieces) -> dict[str, Any]:
        return {
            "phase": "setup" if self.in_setup else "play",
            "pieces": {square: pieces[square].symbol for square in sorted(pieces)},
            "placed": {seat: self._has_placed(seat) for seat in SEATS},
            "hand": None if viewer == "spectator" else _list_or_none(self.hands[viewer]),
            "hand_counts": {seat: _count_or_none(self.hands[seat]) for seat in SEATS},
            "draw_count": None if self.piles is None else len(self.piles.draw),
            "played": None if self.piles is None else list(self.piles.played),
            "dead": {seat: [piece.symbol for piece in self._dead(seat)] for seat in SEATS},
            "quiet": self.quiet,
        }

    def _pieces_known_to(self, viewer: Viewer) -> Pieces:
        if self.side is not None:
            return self.pieces
        return {} if viewer == "spectator" else self._placed_by(viewer)

    def _placed_by(self, seat: Seat) -> Pieces:
        """The pieces as this seat has placed them; none while it has not."""
        return _pieces_of(self.placements[seat], seat)

    def _has_placed(self, seat: Seat) -> bool:
        return self.side is not None or self.placements[seat] is not None

    def _dead(self, seat: Seat) -> list[Piece]:
        """The seat's pieces that are gone, strongest first; none in setup."""
        if self.side is None:
            return []
        alive = set(self.pieces.values())
        return [piece for piece in PIECES.values() if piece.seat == seat and piece not in alive]

    def _dead_animals(self, seat: Seat) -> frozenset[str]:
        """The kinds of cards that this seat may play as jokers of value 1."""
        return frozenset(piece.letter for piece in self._dead(seat) if not piece.is_human)

    # Whose turn, and how it ended

    @property
    def in_setup(self) -> bool:
        """Whether a placement is still awaited. What is played in setup is no ply and no turn."""
        return self.side is None

    def to_move(self) -> tuple[Seat, ...]:
        """In setup every seat that has not placed; then one."""
        if self.side is None:
            return tuple(seat for seat in SEATS if self.placements[seat] is None)
        return () if self.outcome() else (self.side,)

    def outcome(self) -> Outcome | None:
        return self._outcome

    @cached_property
    def _outcome(self) -> Outcome | None:
        if self.side is None:
            return None
        # The side that moved last is asked first: only it can have ended the game.
        for seat in (other(self.side), self.side):
            if _humans_on(self.pieces, other(seat)) < len(HUMANS):
                return Outcome(seat, "human_taken")
        for seat in (other(self.side), self.side):
            if _is_home(self.pieces, seat):
                return Outcome(seat, "human_home")
        return Outcome(None, "quiet") if self.quiet >= QUIET_LIMIT else None

    # Moves

    def placement(self, seat: Seat) -> dict[str, list[str]] | None:
        """What this seat is to place: its `squares`, in the order of the text, and `pieces`.

        None if it has placed.
        """
        if self._has_placed(seat):
            return None
        return {"squares": list(STARRED[seat]), "pieces": list(LETTERS)}

    def compact(self, seat: Seat) -> dict[str, Any]:
        """All of `moves(seat)`, untangled: `passes`, `plays` and `ways`.

        `passes` are whole texts. A play is `{"cards", "value", "pieces"}`, the pieces by their
        squares. `ways` maps such a square, then a value (as a string), to the ways that open with
        that value: `-g5`, `xk2`, `xk2-k1`. A move's text is `<cards>:<square><way>`, for each of
        the play's pieces, and of their ways with a value up to the play's.
        """
        if self.side is None or seat not in self.to_move():
            return {"passes": [], "plays": [], "ways": {}}
        return self._listing.compact()

    def _moves(self, seat: Seat) -> list[str]:
        """None in setup. With an unknown hand, what is legal whatever it holds: `pass`."""
        return [] if self.in_setup else self._listing.texts

    @cached_property
    def _listing(self) -> Listing:
        """The moves of the side to move; only asked for once there is one."""
        seat = self.side or WHITE
        return Listing(seat, self.pieces, self.hands[seat] or (), self._dead_animals(seat))

    def _detail(self, seat: Seat, text: str) -> dict[str, Any]:
        """Also `cards`, `piece`, `captured` and `captured_on` (its square), and `exchange`."""
        cards, _, way = text.partition(":")
        if way:
            return {"move": text, "cards": cards.split("+"), **self._told_ways[way]}
        nowhere = {"from": None, "to": None, "piece": None, "captured": None}
        laid = cards.removeprefix(PASSING).split()
        return {"move": text, "cards": laid, **nowhere, "captured_on": None, "exchange": False}

    @cached_property
    def _told_ways(self) -> Mapping[str, Mapping[str, Any]]:
        """What is told of each way, from-square included: many cards may open one."""
        return {
            square + way: self._told_way(square, way)
            for square, by_value in self._listing.ways.items()
            for opened in by_value.values()
            for way in opened
        }

    def _told_way(self, origin: str, way: str) -> dict[str, Any]:
        onto, _, onwards = way.partition("-")
        taken = onto.removeprefix("x") or None
        piece, victim = self.pieces[origin], self.pieces[taken] if taken else None
        return {
            "from": origin,
            "to": onwards or taken,
            "piece": piece.symbol,
            "captured": victim.symbol if victim else None,
            "captured_on": taken,
            "exchange": victim is not None and is_exchange(piece, victim),
        }

    def check(self, seat: Seat, text: str) -> None:
        """As in every game, but in setup no seat is out of turn: it has placed or it has not."""
        if self.outcome() is not None:
            raise GameOver("The game is over.")
        if not self.in_setup and seat != self.side:
            raise NotYourTurn(f"It is not {seat}'s turn.")
        self._check(seat, text)

    def _check(self, seat: Seat, text: str) -> None:
        reason = why_not(self._knowledge(seat), text)
        if reason is not None:
            raise IllegalMove(reason, REFUSALS[reason])

    def _knowledge(self, seat: Seat) -> Knowledge:
        return Knowledge(
            seat=seat,
            in_setup=self.in_setup,
            has_placed=self._has_placed(seat),
            pieces=self._pieces_known_to(seat),
            hand=self.hands[seat],
            dead=self._dead_animals(seat),
        )

    # A turn

    def skip(self, seat: Seat) -> Self:
        """The position after a missed turn: nothing is played, and no ply is counted.

        Raises `IllegalMove` (`still_in_setup`) in setup, which knows no turns.
        """
        if self.side is None:
            raise IllegalMove("still_in_setup", REFUSALS["still_in_setup"])
        return replace(self, side=other(self.side))

    def _play(self, seat: Seat, text: str) -> Self:
        move = read(text)
        if isinstance(move, Placement):
            return self._placed(seat, text)
        if isinstance(move, Movement):
            return self._turn_ended(seat, move.cards, self._pieces_after(move), move.taken)
        return self._turn_ended(seat, move.cards if move else (), self.pieces, None)

    def _placed(self, seat: Seat, text: str) -> Self:
        placed = replace(self, placements={**self.placements, seat: text})
        if placed.to_move() or self.piles is None:
            return placed
        return replace(
            placed,
            pieces={**placed._placed_by(WHITE), **placed._placed_by(BLACK)},
            side=SEATS[lot(self.piles.seed)],
        )

    def _pieces_after(self, move: Movement) -> Pieces:
        pieces = dict(self.pieces)
        piece = pieces.pop(move.origin)
        victim = pieces.pop(move.taken) if move.taken else None
        if victim is None or not is_exchange(piece, victim):
            pieces[move.target] = piece
        return pieces

    def _turn_ended(self, seat: Seat, cards: Cards, pieces: Pieces, taken: str | None) -> Self:
        piles, hands = self._cards_after(seat, cards)
        return type(self)(
            pieces=pieces,
            side=other(seat),
            placements=self.placements,
            hands=hands,
            piles=piles,
            quiet=self.quiet + 1 if taken is None else 0,
            ply=self.ply + 1,
        )

    def _cards_after(
        self, seat: Seat, cards: Cards
    ) -> tuple[Piles | None, Mapping[Seat, Cards | None]]:
        """The piles and the hands once these cards are played and replaced.

        Without piles the cards that are drawn cannot be known.
        """
        hand = self.hands[seat]
        if self.piles is None or hand is None:
            return self.piles, {WHITE: None, BLACK: None}
        piles, hand = self.piles.exchange(hand, cards)
        return piles, {**self.hands, seat: hand}


def _pieces_of(placement: str | None, seat: Seat) -> Pieces:
    """The pieces that the text of a placement puts on the board."""
    placed = read(placement) if placement is not None else None
    return placed.pieces(seat) if isinstance(placed, Placement) else {}


def _humans_on(pieces: Pieces, seat: Seat) -> int:
    return sum(piece.is_human and piece.seat == seat for piece in pieces.values())


def _is_home(pieces: Pieces, seat: Seat) -> bool:
    """Whether a human of this side stands on its last rank."""
    return any(
        piece.is_human and piece.seat == seat and squares.rank_of(square) == LAST_RANK[seat]
        for square, piece in pieces.items()
    )


def _hand_text(hand: Cards | None) -> str:
    return ",".join(hand) if hand else UNKNOWN


def _cards_or_none(cards: list[str] | None) -> Cards | None:
    return None if cards is None else tuple(cards)


def _list_or_none(cards: Cards | None) -> list[str] | None:
    return None if cards is None else list(cards)


def _count_or_none(cards: Cards | None) -> int | None:
    return None if cards is None else len(cards)


def _parse_hand(text: str) -> Cards | None:
    """The hand of a position text, which may name its cards in any order."""
    if text == UNKNOWN:
        return None
    hand = tuple(text.split(","))
    for card, count in Counter(hand).items():
        if count > COPIES[card]:
            raise BadPosition("card_not_in_deck", f"The deck has {COPIES[card]} cards {card!r}.")
    if len(hand) > HAND_SIZE:
        raise BadPosition("bad_hand", f"A hand has at most {HAND_SIZE} cards.")
    return in_order(hand)


def _refuse_unreadable(fields: list[str]) -> None:
    if len(fields) != len(_FIELDS):
        raise BadPosition("bad_position_text", f"A Safari position is: {', '.join(_FIELDS)}.")
    for value, (name, pattern) in zip(fields, _FIELDS.items(), strict=True):
        if pattern.fullmatch(value) is None:
            raise BadPosition("bad_position_text", f"{name} cannot be {value!r}.")


def _refuse_what_cannot_be(pieces: Pieces) -> None:
    for piece, count in Counter(pieces.values()).items():
        if count > 1:
            raise BadPosition("doubled_piece", f"{piece.symbol} stands on the board {count} times.")
    if all(_humans_on(pieces, seat) < len(HUMANS) for seat in SEATS):
        raise BadPosition("humans_missing", "A human is missing on both sides.")
