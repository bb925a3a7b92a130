"""Why a text is no legal activation: every reason code of the page that fits it.

`actions.py` says what is legal; this module only explains the rest, and a test
holds the two together: a text has a reason exactly when it is not legal.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from menagerie.games import squares
from menagerie.games.feral import actions
from menagerie.games.feral.actions import Action, Chain, Deed
from menagerie.games.feral.board import ANIMALS, FORWARD, Board, Way, seat_of, shifted
from menagerie.games.position import Seat, other

REFUSALS: Final = {
    "bad_move_text": "The text is no move of this game, or none that this animal makes.",
    "no_piece": "The from-square is empty.",
    "not_your_piece": "The animal there is the other side's.",
    "already_activated": "This animal has been activated in this turn; another must follow.",
    "not_forward_or_sideways": "This goes straight forward or straight sideways only, never back.",
    "off_board": "A square lies outside the board.",
    "occupied": "The target holds an animal.",
    "not_adjacent": "The squares are not next to each other.",
    "no_target": "There is no animal to act on.",
    "wrong_target_side": "A fox forces enemies only, a chameleon copies its own side only.",
    "no_effect": "Nothing on the board would change.",
    "no_path": "No way of this animal leads there.",
    "cannot_copy": "No such animal of its own side stands beside the chameleon.",
    "in_chain": "An animal is forced once at most, and a forced animal may not drown.",
    "pass_not_allowed": "A side that can activate an animal may not pass.",
    "turn_over": "The first of the two moves ended the turn.",
}
"""The codes of the page in its order: where several fit, the first is given.

`turn_over` is raised for the second text of one request, by `menagerie.match`.
"""

_ORDER: Final = {code: nth for nth, code in enumerate(REFUSALS)}


def why_not(board: Board, seat: Seat, activated: str | None, text: str) -> str:
    """The first reason code of the page that fits a text which is no legal activation.

    `activated`: the letter of the seat's animal that was activated before in this turn, or None.
    """
    return min(reasons(board, seat, activated, text), key=_ORDER.__getitem__)


def reasons(board: Board, seat: Seat, activated: str | None, text: str) -> Iterator[str]:
    """The reason codes that fit the text, in any order; none fits a legal activation."""
    at = text[:2]
    if not _can_be_read(board, seat, text):
        yield "bad_move_text"
    elif at not in board.pieces:
        yield "no_piece"
    elif board.seat_at(at) != seat:
        yield "not_your_piece"
    else:
        if board.pieces[at] == activated:
            yield "already_activated"
        yield from _faults(board, text, (at,))


# Texts

_LONGEST: Final = 40
"""Longer than any chain of forcing can be told."""

_SQUARE: Final = "[a-z][0-9]"
_ANY_TEXT: Final = re.compile(
    rf"{_SQUARE}-{_SQUARE}"
    rf"|{_SQUARE}(\*([{''.join(ANIMALS)}]:)*{_SQUARE})+([-=>]{_SQUARE}|>~)?"
)
_ONE_SQUARE: Final = re.compile(_SQUARE)
_ACTION_TEXTS: Final[Mapping[str, re.Pattern[str]]] = {
    **dict.fromkeys("BRUOKSL", _ONE_SQUARE),
    "G": re.compile(rf"{_SQUARE}>({_SQUARE}|~)"),
    "C": re.compile(rf"{_SQUARE}>{_SQUARE}"),
    "A": re.compile(rf"{_SQUARE}={_SQUARE}"),
}


def _can_be_read(board: Board, seat: Seat, text: str) -> bool:
    """Whether it is a move text, and where an animal of the seat's is named, one of that animal."""
    if len(text) > _LONGEST or _ANY_TEXT.fullmatch(text) is None:
        return False
    letter = board.pieces.get(text[:2])
    if letter is None or seat_of(letter) != seat or text[2] == "-":
        return True
    return _is_text_of(board, seat, letter.upper(), text[3:])


def _is_text_of(board: Board, seat: Seat, animal: str, rest: str) -> bool:
    """Whether the text after `from*` has the form of this animal's action."""
    if animal == "F":
        return _can_be_read(board, other(seat), rest)
    if animal == "H":
        return rest[1] == ":" and _is_text_of(board, seat, rest[0], rest[2:])
    if animal == "A" and not rest[:2] < rest[3:]:
        return False
    return _ACTION_TEXTS[animal].fullmatch(rest) is not None


# Moves and actions

Faults = Iterator[str]


def _faults(board: Board, text: str, chain: Chain) -> Faults:
    """What is wrong with the activation of the animal that ends the chain."""
    at = chain[-1]
    if text[2] == "-":
        return _move(board, at, text[3:])
    return _ACTION_FAULTS[board.pieces[at].upper()](board, at, text[3:], chain)


def _move(board: Board, at: str, target: str) -> Faults:
    yield from _unless_onward(board, at, _way(at, target))
    yield from _unless_on_board(board, target)
    if target in board.pieces:
        yield "occupied"
    yield from _unless_adjacent(board, at, target)


def _bee_or_bull(board: Board, at: str, target: str, chain: Chain) -> Faults:
    yield from _unless_on_board(board, target)
    yield from _unless_adjacent(board, at, target)
    yield from _unless_animal(board, target)


def _rabbit(board: Board, at: str, landing: str, chain: Chain) -> Faults:
    across, up = _way(at, landing)
    yield from _unless_onward(board, at, (across, up))
    yield from _unless_on_board(board, landing)
    if landing in board.pieces:
        yield "occupied"
    if abs(across) + abs(up) == 2:
        yield from _unless_animal(board, shifted(at, (across // 2, up // 2)))
    else:
        yield "no_path"


def _gorilla(board: Board, at: str, rest: str, chain: Chain) -> Faults:
    taken, target = rest.split(">")
    yield from _unless_on_board(board, taken)
    yield from _unless_adjacent(board, at, taken)
    yield from _unless_animal(board, taken)
    if target == "~":
        if len(board.ground.around[at]) == 4:
            yield "not_adjacent"
        return
    yield from _unless_on_board(board, target)
    yield from _unless_adjacent(board, at, target)
    if target == taken:
        yield "no_effect"
    elif target in board.pieces:
        yield "occupied"


def _crab(board: Board, at: str, rest: str, chain: Chain) -> Faults:
    partner, target = rest.split(">")
    way = _way(partner, target)
    own = shifted(at, way)
    yield from _unless_onward(board, at, way)
    yield from _unless_on_board(board, partner, target, own)
    if any(square in board.pieces and square not in (at, partner) for square in (own, target)):
        yield "occupied"
    yield from _unless_adjacent(board, at, partner)
    yield from _unless_adjacent(board, partner, target)
    yield from _unless_animal(board, partner)


def _octopus(board: Board, at: str, chosen: str, chain: Chain) -> Faults:
    yield from _unless_on_board(board, chosen)
    yield from _unless_animal(board, chosen)
    if not any(chosen in line for line in board.ground.lines[at].values()):
        yield "no_path"
    elif chosen not in _texts(actions.octopus(board, at, chain)):
        yield "no_effect"


def _leap(action: Action) -> "ActionFaults":
    """The faults of an animal whose action is to go somewhere else by its own kind of steps."""

    def faults(board: Board, at: str, landing: str, chain: Chain) -> Faults:
        if _is_backward(board, at, _way(at, landing)):
            yield "not_forward_or_sideways"
        yield from _unless_on_board(board, landing)
        if landing == at:
            yield "no_effect"
        elif landing in board.pieces:
            yield "occupied"
        if landing not in _texts(action(board, at, chain)):
            yield "no_path"

    return faults


def _fox(board: Board, at: str, order: str, chain: Chain) -> Faults:
    target = order[:2]
    yield from _unless_on_board(board, target)
    yield from _unless_adjacent(board, at, target)
    yield from _unless_animal(board, target)
    if target in chain:
        yield "in_chain"
    if target not in board.pieces:
        return
    if board.seat_at(target) == board.seat_at(at):
        yield "wrong_target_side"
        return
    longer = (*chain, target)
    yield from _faults(board, order, longer)
    for deed in actions.activations(board, target, longer):
        if deed.text == order and actions.drowns_a_forced_animal(deed, longer):
            yield "in_chain"


def _anglerfish(board: Board, at: str, rest: str, chain: Chain) -> Faults:
    one, two = rest.split("=")
    yield from _unless_on_board(board, one, two)
    yield from _unless_adjacent(board, one, two)
    yield from _unless_animal(board, one)
    yield from _unless_animal(board, two)


def _chameleon(board: Board, at: str, rest: str, chain: Chain) -> Faults:
    model = rest[0]
    if model not in actions.models(board, at):
        yield "cannot_copy"
        around = (board.pieces[beside].upper() for beside in board.animals_around(at))
        if model in around:
            yield "wrong_target_side"
    yield from _ACTION_FAULTS[model](board, at, rest[2:], chain)


ActionFaults = Callable[[Board, str, str, Chain], Faults]

_ACTION_FAULTS: Final[Mapping[str, ActionFaults]] = {
    "A": _anglerfish,
    "B": _bee_or_bull,
    "U": _bee_or_bull,
    "H": _chameleon,
    "C": _crab,
    "F": _fox,
    "G": _gorilla,
    "K": _leap(actions.kangaroo),
    "L": _leap(actions.lion),
    "O": _octopus,
    "R": _rabbit,
    "S": _leap(actions.snake),
}


# What the actions share


def _way(origin: str, target: str) -> Way:
    """How far the target lies away, by file and by rank."""
    return (
        squares.file_of(target) - squares.file_of(origin),
        squares.rank_of(target) - squares.rank_of(origin),
    )


def _is_backward(board: Board, at: str, way: Way) -> bool:
    return way[1] * FORWARD[board.seat_at(at)][1] < 0


def _unless_onward(board: Board, at: str, way: Way) -> Faults:
    """Straight forward or straight sideways, at any distance."""
    is_straight = (way[0] == 0) != (way[1] == 0)
    if not is_straight or _is_backward(board, at, way):
        yield "not_forward_or_sideways"


def _unless_on_board(board: Board, *named: str) -> Faults:
    if any(square not in board.ground.around for square in named):
        yield "off_board"


def _unless_adjacent(board: Board, one: str, two: str) -> Faults:
    if two not in board.ground.around.get(one, ()):
        yield "not_adjacent"


def _unless_animal(board: Board, square: str) -> Faults:
    if square not in board.pieces:
        yield "no_target"


def _texts(deeds: Iterator[Deed]) -> set[str]:
    return {deed.text for deed in deeds}
