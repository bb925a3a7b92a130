"""What an animal can do: the move that all have, and each animal's action.

Every function looks from the square `at` and yields the ways to do its thing.
`chain` is the chain of forcing so far, as squares: the animal that began, the
one it forces, and so on; `at` is its last. Whose forward, friends and enemies
count follows from the animal that stands on `at`: a chameleon that copies acts
from its own square, a forced animal acts for its own side.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Final, NamedTuple

from menagerie.games.feral.board import ONWARD, WAYS, Board, Changes, seat_of
from menagerie.games.position import Seat

Chain = tuple[str, ...]


class Deed(NamedTuple):
    """One way to act. `text` is what the page has after `from*`.

    `targets`: the squares of the animals acted on; `drowned`: the square of
    the animal that falls into the water, or None.
    """

    text: str
    changes: Changes
    targets: tuple[str, ...] = ()
    drowned: str | None = None


Action = Callable[[Board, str, Chain], Iterator[Deed]]


def activations(board: Board, at: str, chain: Chain) -> Iterator[Deed]:
    """All that the animal can do, moves and actions, with their whole texts."""
    yield from move(board, at)
    for deed in ACTIONS[board.pieces[at].upper()](board, at, chain):
        yield Deed(f"{at}*{deed.text}", deed.changes, deed.targets, deed.drowned)


def move(board: Board, at: str) -> Iterator[Deed]:
    """One square forward or sideways into an empty square on the board."""
    for way in ONWARD[board.seat_at(at)]:
        target = board.ground.reach(at, way)
        if board.is_free(target):
            yield Deed(f"{at}-{target}", board.carried({at: target}))


def bee(board: Board, at: str, chain: Chain) -> Iterator[Deed]:
    """Removes itself and one adjacent animal, friend or foe."""
    for victim in board.animals_around(at):
        yield Deed(victim, board.carried({at: None, victim: None}), (victim,))


def rabbit(board: Board, at: str, chain: Chain) -> Iterator[Deed]:
    """Hops straight over one adjacent animal into the empty square just beyond."""
    for way in ONWARD[board.seat_at(at)]:
        over, landing = board.ground.reach(at, way), board.ground.reach(at, way, 2)
        if over in board.pieces and board.is_free(landing):
            yield Deed(landing, board.carried({at: landing}))


def gorilla(board: Board, at: str, chain: Chain) -> Iterator[Deed]:
    """Puts an adjacent animal on another adjacent square, or into the water if there is any."""
    around = board.ground.around[at]
    for taken in board.animals_around(at):
        for target in filter(board.is_free, around):
            yield Deed(f"{taken}>{target}", board.carried({taken: target}), (taken,))
        if len(around) < len(WAYS):
            yield Deed(f"{taken}>~", board.carried({taken: None}), (taken,), drowned=taken)


def crab(board: Board, at: str, chain: Chain) -> Iterator[Deed]:
    """Goes one square together with an adjacent animal, into squares that are empty or vacated."""
    for partner in board.animals_around(at):
        for way in ONWARD[board.seat_at(at)]:
            own, other = board.ground.reach(at, way), board.ground.reach(partner, way)
            if all(square in (at, partner) or board.is_free(square) for square in (own, other)):
                changes = board.carried({at: own, partner: other})
                yield Deed(f"{partner}>{other}", changes, (partner,))


def bull(board: Board, at: str, chain: Chain) -> Iterator[Deed]:
    """Pushes the unbroken line beside it one square away; at the edge its last one drowns."""
    for way in WAYS:
        line = board.unbroken(at, way)
        if line:
            beyond = board.ground.reach(line[-1], way)
            changes = board.carried(dict(zip(line, (*line[1:], beyond), strict=True)))
            yield Deed(line[0], changes, line, drowned=None if beyond else line[-1])


def octopus(board: Board, at: str, chain: Chain) -> Iterator[Deed]:
    """Pulls an animal in line, and every animal between, up to itself, their order kept."""
    for line in board.ground.lines[at].values():
        animals = [square for square in line if square in board.pieces]
        for count, (chosen, packed) in enumerate(zip(animals, line, strict=False), start=1):
            if chosen != packed:
                pulled = tuple(animals[:count])
                changes = board.carried(dict(zip(pulled, line, strict=False)))
                yield Deed(chosen, changes, pulled)


def kangaroo(board: Board, at: str, chain: Chain) -> Iterator[Deed]:
    """Jumps exactly two squares forward or sideways, over anything; once or twice."""
    return _once_or_twice(board, at, _jumps)


def snake(board: Board, at: str, chain: Chain) -> Iterator[Deed]:
    """Moves one square diagonally forward; once or twice."""
    return _once_or_twice(board, at, _diagonals)


def lion(board: Board, at: str, chain: Chain) -> Iterator[Deed]:
    """Steps one square diagonally forward."""
    for landing in _diagonals(board, at, board.seat_at(at)):
        yield Deed(landing, board.carried({at: landing}))


def fox(board: Board, at: str, chain: Chain) -> Iterator[Deed]:
    """Makes an adjacent enemy animal, not yet in the chain, do what its owner could have done."""
    for target in board.animals_around(at):
        if target not in chain and board.seat_at(target) != board.seat_at(at):
            longer = (*chain, target)
            for deed in activations(board, target, longer):
                if not drowns_a_forced_animal(deed, longer):
                    yield deed._replace(targets=(target, *deed.targets))


def anglerfish(board: Board, at: str, chain: Chain) -> Iterator[Deed]:
    """Swaps any two animals that are adjacent to each other, anywhere on the board."""
    for pair in board.ground.pairs:
        one, two = pair
        if one in board.pieces and two in board.pieces:
            yield Deed(f"{one}={two}", board.carried({one: two, two: one}), pair)


def chameleon(board: Board, at: str, chain: Chain) -> Iterator[Deed]:
    """Performs the action of an adjacent animal of its own side, from its own square."""
    for model in models(board, at):
        for deed in ACTIONS[model](board, at, chain):
            yield deed._replace(text=f"{model}:{deed.text}")


ACTIONS: Final[Mapping[str, Action]] = {
    "A": anglerfish,
    "B": bee,
    "U": bull,
    "H": chameleon,
    "C": crab,
    "F": fox,
    "G": gorilla,
    "K": kangaroo,
    "L": lion,
    "O": octopus,
    "R": rabbit,
    "S": snake,
}


def drowns_a_forced_animal(deed: Deed, chain: Chain) -> bool:
    """Whether an animal of the chain comes to be in the water, other than the one that began it."""
    return deed.drowned in chain[1:]


def models(board: Board, at: str) -> list[str]:
    """The animals (uppercase letters) that a chameleon on `at` can copy."""
    seat = board.seat_at(at)
    around = (board.pieces[beside] for beside in board.animals_around(at))
    return [letter.upper() for letter in around if seat_of(letter) == seat]


Landings = Callable[[Board, str, Seat], list[str]]


def _once_or_twice(board: Board, at: str, landings: Landings) -> Iterator[Deed]:
    seat = board.seat_at(at)
    once = landings(board, at, seat)
    twice = (landing for first in once for landing in landings(board, first, seat))
    for landing in dict.fromkeys((*once, *twice)):
        yield Deed(landing, board.carried({at: landing}))


def _jumps(board: Board, at: str, seat: Seat) -> list[str]:
    return list(filter(board.is_free, (board.ground.reach(at, way, 2) for way in ONWARD[seat])))


def _diagonals(board: Board, at: str, seat: Seat) -> list[str]:
    return list(filter(board.is_free, board.ground.diagonals[seat][at]))
