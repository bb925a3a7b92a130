"""The search of the Safari bots: the unseen cards are dealt many times, and each deal is searched.

A worth is in the points of safari_eval.py, from the view of the side to move;
a win is `WIN` less the plies until then, so that a nearer win is worth more.

First every move is looked at with all deals, for one thing only: in how many
of them the other side wins at once. The likeliest moves are then searched,
deal by deal, each deal with the same moves; half of them fall out whenever the
number of deals has doubled. The best mean is played.

In a deal both sides play as if they saw all cards, which no player does. So
the search of one deal is shallow, and there are many deals.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from menagerie.bots.safari_board import (
    DEAD,
    DRAW,
    END,
    HAND,
    LOST,
    QUIET,
    SCORE,
    SIDE,
    after,
    can_strike,
    humans,
    strikes,
    takes,
    walks,
    wins,
)
from menagerie.bots.safari_deal import Deal
from menagerie.bots.safari_eval import gain, stands, stride
from menagerie.bots.safari_hand import Prices, prices
from menagerie.bots.safari_tables import (
    AROUND,
    BLACKS,
    FARTHEST,
    LONGEST,
    NOWHERE,
    PASS,
    SQUARE_MASK,
    STEPS,
    TARGET,
    WAY_BITS,
    WAY_MASK,
    X,
    mover,
    taken,
    target,
)
from menagerie.bots.safari_worth import evaluate, race, threat
from menagerie.games.safari.position import QUIET_LIMIT

WIN: Final = 10_000
SURE: Final = WIN - 100
"""Worths beyond this are wins that the search has seen to the end."""

_BIAS: Final = 1 << 20
"""Added to a worth that is packed, so that it is never negative."""
_LOOK_EVERY: Final = 64


class Spent(Exception):
    """The budget or the time is gone in the middle of a deal."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How a bot searches.

    The `deals`; how many of the likeliest moves, `roots`, are searched in them;
    how many `plies` of answers, and of each position's moves the likeliest `width`.
    """

    deals: int
    plies: int = 0
    roots: int = 0
    width: int = 0


@dataclass(slots=True)
class Effort:
    """What one move may still cost: `nodes` positions, and the time."""

    nodes: int
    out_of_time: Callable[[], bool]

    def look(self) -> None:
        """Count a position. Raises `Spent`."""
        self.nodes -= 1
        if self.nodes <= 0 or (self.nodes % _LOOK_EVERY == 0 and self.out_of_time()):
            raise Spent


@dataclass(frozen=True, slots=True)
class Choice:
    """A move, what it is worth to the side to move, and how many deals say so."""

    move: int
    worth: int
    deals: int


# The root


def think(
    cells: list[int],
    dealt: Sequence[Deal],
    plan: Plan,
    spending: Effort,
    whim: Callable[[], int],
) -> Choice:
    """The best move. `whim` gives what luck adds to the worth of each at first look."""
    choices = first_look(cells, dealt, spending, whim)
    if not plan.plies or choices[0].worth > SURE:
        return choices[0]
    found = [choice.move for choice in choices[: plan.roots]]
    return _searched(cells, dealt, plan, spending, found)


def first_look(
    cells: list[int], dealt: Sequence[Deal], spending: Effort, whim: Callable[[], int]
) -> list[Choice]:
    """Every move by what it gains at once and how often it loses in one, the best first.

    A win in one comes alone.
    """
    side = cells[SIDE]
    price = prices_of(cells)
    choices = []
    for each in rated(cells, price):
        move = price.of(each & WAY_MASK)
        child = after(cells, move, [])
        spending.nodes -= 1
        if child[END] == LOST:
            return [Choice(move, WIN - 1, len(dealt))]
        worth = (
            cells[SCORE]
            + (each >> WAY_BITS)
            - _BIAS
            + threat(child, side)
            + race(child, side)
            + whim()
        )
        worth -= (WIN + worth) * losses(child, dealt) // max(1, len(dealt))
        choices.append(Choice(move, worth, len(dealt)))
    return sorted(choices, key=lambda choice: -choice.worth)


def losses(child: list[int], dealt: Sequence[Deal]) -> int:
    """In how many deals the side to move wins at once."""
    dead = child[DEAD + child[SIDE]]
    found = strikes(child, child[SIDE], FARTHEST if dead else LONGEST)
    if not found:
        return 0
    return sum(can_strike(found, deal.hand, dead) for deal in dealt)


def _searched(
    cells: list[int], dealt: Sequence[Deal], plan: Plan, spending: Effort, found: list[int]
) -> Choice:
    """The best of the moves found by the mean of the deals that the effort lasts for."""
    side = cells[SIDE]
    sums = dict.fromkeys(found, 0)
    done = 0
    for deal in dealt:
        here = cells[:]
        here[HAND + 1 - side] = deal.hand
        tree = Tree(deal.draws, plan.width, spending)
        try:
            worths = [
                -tree.search(after(here, move, deal.draws), plan.plies, -WIN, WIN, 1)
                for move in found
            ]
        except Spent:
            break
        done += 1
        for move, worth in zip(found, worths, strict=True):
            sums[move] += worth
        found.sort(key=sums.__getitem__, reverse=True)
        if done.bit_count() == 1 and len(found) > 2:
            del found[(len(found) + 1) // 2 :]
    return Choice(found[0], sums[found[0]] // max(1, done), done)


# One deal


@dataclass(frozen=True, slots=True)
class Tree:
    """The search of one deal, whose cards are drawn in the order of `draws`."""

    draws: list[int]
    width: int
    spending: Effort

    def search(self, cells: list[int], plies: int, alpha: int, beta: int, ply: int) -> int:
        """The worth of a position `ply` plies after the root, with `plies` more to be searched."""
        self.spending.look()
        if cells[END]:
            return 0 if cells[END] == DRAW else ply - WIN
        if wins(cells):
            return WIN - ply - 1
        if not plies:
            return evaluate(cells)
        best = ply - WIN
        price = prices_of(cells)
        for n, each in enumerate(rated(cells, price)):
            way = each & WAY_MASK
            if n >= self.width:
                if best > -SURE:
                    break
                if not _may_parry(cells, way):
                    continue
            child = after(cells, price.of(way), self.draws)
            worth = -self.search(child, plies - 1, -beta, -alpha, ply + 1)
            if worth > best:
                best = worth
                alpha = max(alpha, worth)
                if worth >= beta:
                    break
        return best


def _may_parry(cells: list[int], way: int) -> bool:
    """Whether a way may stop a win in one: by a capture, by flight, in between, or by a draw."""
    if way == PASS:
        return cells[QUIET] + 1 >= QUIET_LIMIT
    if taken(way) != NOWHERE or mover(way) % BLACKS >= X:
        return True
    side = cells[SIDE]
    between = AROUND[(FARTHEST if cells[DEAD + 1 - side] else LONGEST) - 1]
    return any(
        between[human] >> target(way) & 1 for human in (*humans(cells, 0), *humans(cells, 1))
    )


def rated(cells: list[int], price: Prices) -> list[int]:
    """The ways of the side to move and its pass, the likeliest first. `price`: its hand's.

    Each has above its bits what it gains on the board less what it costs the
    hand, plus `_BIAS`.
    """
    side = cells[SIDE]
    own, enemy = BLACKS * side, BLACKS - BLACKS * side
    stand = stands(1 - side, cells[enemy + X], cells[enemy + X + 1])
    found = [(_BIAS - price.idle) << WAY_BITS | PASS]
    for kind in range(BLACKS):
        limit = price.limits[kind]
        if not limit:
            continue
        piece = own + kind
        costs = price.losses[kind << 3 : kind + 1 << 3]
        quiet = walks(cells, piece, limit)
        if kind < X:
            base = (_BIAS - stand[cells[piece]] << WAY_BITS) + piece
            found += [
                base + (stand[way >> TARGET & SQUARE_MASK] - costs[way >> STEPS] << WAY_BITS) + way
                for way in quiet
            ]
        elif quiet:
            base = (_BIAS - stride(cells, piece, cells[piece]) << WAY_BITS) + piece
            found += [
                base + (stride(cells, piece, target(way)) - costs[way >> STEPS] << WAY_BITS) + way
                for way in quiet
            ]
        for way in takes(cells, piece, limit):
            found.append(_BIAS + gain(cells, way) - costs[way >> STEPS] << WAY_BITS | way)
    found.sort(reverse=True)
    return found


def prices_of(cells: list[int]) -> Prices:
    """The prices of the side to move."""
    side = cells[SIDE]
    return prices(cells[HAND + side], cells[DEAD + side])
