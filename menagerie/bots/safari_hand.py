"""What a hand of Safari can pay for, and what its cards are worth, in the points of safari_eval.py.

A side's dead animals are a set of kinds, bit kind: their cards are jokers.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from menagerie.bots.safari_tables import (
    BLACKS,
    CARD_OF,
    COUNT,
    FROM_VALUE,
    HIGHEST,
    JOKER,
    KIND_BITS,
    KIND_MASK,
    LONGEST,
    LOWEST,
    PASS,
    X,
    how_many,
    move,
    mover,
    steps,
)

# What a hand pays for


def joker(hand: int, dead: int) -> int:
    """The most steps that a hand gives to any piece."""
    most = HIGHEST[hand >> KIND_BITS * JOKER]
    kind = 0
    while dead:
        if dead & 1:
            most = max(most, COUNT[hand >> KIND_BITS * kind & KIND_MASK])
        dead >>= 1
        kind += 1
    return most


def limit(hand: int, kind: int, joker: int) -> int:
    """The most steps that a hand gives to a kind on the board; `joker`: to any piece."""
    most = HIGHEST[hand >> KIND_BITS * kind & KIND_MASK]
    return most if most > joker else joker


def cheapest(hand: int, dead: int, kind: int, number: int) -> int:
    """The cards spared most easily for so many steps of a kind on the board; 0 if none do."""
    shift = KIND_BITS * kind
    cut = hand >> shift & FROM_VALUE[number]
    if cut:
        return LOWEST[cut] << shift
    for gone in range(X):
        if dead >> gone & 1:
            shift = KIND_BITS * gone
            cut = hand >> shift & KIND_MASK
            if COUNT[cut] >= number:
                return _lowest(cut, number) << shift
    shift = KIND_BITS * JOKER
    return LOWEST[hand >> shift & FROM_VALUE[number]] << shift


def _lowest(cut: int, number: int) -> int:
    """So many cards of one kind, the lowest."""
    cards = 0
    for _ in range(number):
        cards += LOWEST[cut - cards]
    return cards


@lru_cache(1 << 12)
def turns(hand: int, dead: int, kind: int, number: int) -> int:
    """How many turns a kind needs for so many steps. What the hand lacks takes a turn a step."""
    values = [
        value
        for own in (kind, JOKER)
        for value in range(1, LONGEST + 1)
        for _ in range(hand >> KIND_BITS * own + 2 * (value - 1) & 3)
    ]
    values += [COUNT[hand >> KIND_BITS * gone & KIND_MASK] for gone in range(X) if dead >> gone & 1]
    needed = 0
    for value in sorted(values, reverse=True):
        if number <= 0 or not value:
            break
        number -= value
        needed += 1
    return needed + max(0, number)


# What its cards are worth

JOKERS: Final = (0, 45, 70, 95, 115, 130)
STRIDES: Final = (0, 30, 45, 60, 72, 82)
"""By value: a card of a human."""
PACES: Final = (0, 16, 26, 36, 44, 50)
"""By value: a card of an animal."""
REMAINS: Final = 14
"""A card of an animal that is gone."""
MORE: Final = 0.6
"""What each further card of one kind is worth of what the one before is."""
FRESH: Final = 36
"""A card that is yet to be drawn."""


def _hold(worths: tuple[int, ...]) -> list[int]:
    """By the cards of one kind: what they are worth together."""
    held = []
    for cut in range(KIND_MASK + 1):
        worth, share = 0.0, 1.0
        for value in range(5, 0, -1):
            for _ in range(cut >> 2 * (value - 1) & 3):
                worth += worths[value] * share
                share *= MORE
        held.append(round(worth))
    return held


_ANIMAL: Final = _hold(PACES)
_HUMAN: Final = _hold(STRIDES)
_JOKER: Final = _hold(JOKERS)


@lru_cache(1 << 12)
def hold(hand: int, dead: int) -> int:
    """What a hand is worth to its side."""
    worth = _JOKER[hand >> KIND_BITS * JOKER]
    worth += _HUMAN[hand >> KIND_BITS * X & KIND_MASK]
    worth += _HUMAN[hand >> KIND_BITS * (X + 1) & KIND_MASK]
    for kind in range(X):
        cut = hand >> KIND_BITS * kind & KIND_MASK
        if cut:
            worth += REMAINS * COUNT[cut] if dead >> kind & 1 else _ANIMAL[cut]
    return worth


def loss(hand: int, dead: int, cards: int) -> int:
    """What a hand loses by playing these cards and drawing as many."""
    return hold(hand, dead) - hold(hand - cards, dead) - FRESH * how_many(cards)


@dataclass(frozen=True, slots=True)
class Prices:
    """What movements cost a hand.

    `limits`: by kind the most steps. `cards` and `losses`: by kind and steps
    (`kind << 3 | steps`) the cheapest cards, and what the hand loses by them.
    `passing` is the pass that lays off the card spared most easily, or none,
    and `idle` what the hand loses by it.
    """

    limits: list[int]
    cards: list[int]
    losses: list[int]
    passing: int
    idle: int

    def of(self, way: int) -> int:
        """The move: the way with its cards."""
        if way == PASS:
            return self.passing
        return move(self.cards[mover(way) % BLACKS << 3 | steps(way)], way)


@lru_cache(1 << 10)
def prices(hand: int, dead: int) -> Prices:
    """The prices for a side with this hand and these dead animals."""
    most = joker(hand, dead)
    limits = [0 if dead >> kind & 1 else limit(hand, kind, most) for kind in range(BLACKS)]
    cards = [0] * (BLACKS << 3)
    losses = [0] * (BLACKS << 3)
    known: dict[int, int] = {}
    for kind in range(BLACKS):
        for number in range(1, limits[kind] + 1):
            paid = cheapest(hand, dead, kind, number)
            if paid not in known:
                known[paid] = loss(hand, dead, paid)
            cards[kind << 3 | number] = paid
            losses[kind << 3 | number] = known[paid]
    laid = [0, *(card for card in CARD_OF.values() if hand // card & 3)]
    idle, passing = min((loss(hand, dead, each), each) for each in laid)
    return Prices(limits, cards, losses, move(passing, PASS), idle)
