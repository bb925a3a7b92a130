"""Why a text is no legal move: the first reason of the page that fits it.

Nothing is listed: one text costs a walk of one piece. A seat's text is looked
at with what that seat knows, so that no refusal tells of hidden things.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from menagerie.games.position import Seat
from menagerie.games.safari.board import SQUARES, Pieces, distance
from menagerie.games.safari.cards import JOKER, Cards, holds, value_of
from menagerie.games.safari.movement import ends_movement, steps_from, steps_onto, why_not_take
from menagerie.games.safari.notation import Movement, Pass, Placement, read

REFUSALS: Final = {
    "bad_move_text": "The text is not a move of this game.",
    "not_in_hand": "The hand does not hold these cards.",
    "wrong_card_for_piece": "The card moves another piece.",
    "no_piece": "No piece stands on the from-square, or none on the square of the capture.",
    "not_your_piece": "The piece there is the other side's.",
    "too_far": "The cards do not give that many steps.",
    "blocked": "No way leads there within the steps that the cards give.",
    "too_strong": "This piece cannot take the piece there.",
    "second_capture": "Only one piece is taken a turn.",
    "human_in_own_half": "A human takes a human in the opponent's half only.",
    "no_movement": "Moving out and back without a capture is not a move; use pass.",
    "bad_placement": "A placement has each of the ten pieces once, and two empty squares.",
    "already_placed": "This side has placed its pieces.",
    "not_in_setup": "The setup is over.",
    "still_in_setup": "Both sides must have placed their pieces first.",
    "mixed_cards": "Only cards of one and the same own eliminated animal are played together.",
}
"""The codes of the page, in the order in which they are tried."""


@dataclass(frozen=True, slots=True)
class Knowledge:
    """What a seat that moves knows: all that its move's text is judged by.

    In setup `pieces` are those that the seat has placed itself; `dead` are the
    kinds of its eliminated animals; `hand` is None where it is not known.
    """

    seat: Seat
    in_setup: bool
    has_placed: bool
    pieces: Pieces
    hand: Cards | None
    dead: Collection[str]

    def has(self, cards: Cards) -> bool:
        return not cards or (self.hand is not None and holds(self.hand, cards))


def why_not(known: Knowledge, text: str) -> str | None:
    """The code of the first reason that fits, or None if the move is legal."""
    match read(text):
        case None:
            return "bad_move_text"
        case Placement() as placement:
            return _why_not_place(known, placement)
        case Pass(cards):
            if not known.has(cards):
                return "not_in_hand"
            return "still_in_setup" if known.in_setup else None
        case Movement() as move:
            return _why_not_move(known, move)


def _why_not_place(known: Knowledge, placement: Placement) -> str | None:
    if not placement.has_right_pieces:
        return "bad_placement"
    if not known.in_setup:
        return "not_in_setup"
    return "already_placed" if known.has_placed else None


def _why_not_move(known: Knowledge, move: Movement) -> str | None:
    if not known.has(move.cards):
        return "not_in_hand"
    reason = _why_not_piece(known, move)
    if reason is not None:
        return reason
    value = value_of(move.cards, known.dead)
    # Cards that cannot be joined have no value, so nothing is too far for them.
    reason = _why_not_way(known.pieces, move, len(SQUARES) if value is None else value)
    if reason is not None:
        return reason
    if known.in_setup:
        return "still_in_setup"
    return "mixed_cards" if value is None else None


def _why_not_piece(known: Knowledge, move: Movement) -> str | None:
    piece = known.pieces.get(move.origin)
    if piece is not None:
        moving = {JOKER, piece.letter, *known.dead}
        if any(card[0] not in moving for card in move.cards):
            return "wrong_card_for_piece"
    if piece is None or (move.taken is not None and move.taken not in known.pieces):
        return "no_piece"
    return "not_your_piece" if piece.seat != known.seat else None


def _why_not_way(pieces: Pieces, move: Movement, limit: int) -> str | None:
    if _length(move) > limit:
        return "too_far"
    if move.taken is None:
        others = _without(pieces, move.origin)
        if move.target not in steps_from(others, move.origin, limit):
            return "blocked"
        return "no_movement" if move.target == move.origin else None
    if _is_blocked(pieces, move, limit):
        return "blocked"
    reason = why_not_take(pieces[move.origin], pieces[move.taken], move.taken)
    if reason != "too_strong" and move.goes_on and move.target in _without(pieces, move.origin):
        return "second_capture"
    return reason


def _length(move: Movement) -> int:
    """The steps that the move would need on an empty board."""
    corner = move.taken or move.target
    return distance(move.origin, corner) + distance(corner, move.target)


def _is_blocked(pieces: Pieces, move: Movement, limit: int) -> bool:
    """Whether no way of at most `limit` steps leads over the capture to the target."""
    taken = move.taken or move.target
    piece, victim = pieces[move.origin], pieces[taken]
    if victim.seat == piece.seat or (move.goes_on and ends_movement(piece, victim)):
        return True
    others = _without(pieces, move.origin)
    steps = steps_onto(steps_from(others, move.origin, limit - 1), taken)
    if steps is None:
        return True
    second = others.get(move.target)
    if second is not None and second.seat != piece.seat:
        others = _without(others, move.target)
    return move.target not in steps_from(others, taken, limit - steps)


def _without(pieces: Pieces, lifted: str) -> Pieces:
    return {square: piece for square, piece in pieces.items() if square != lifted}
