"""The cards of Safari: the deck, the piles, and what a hand can play.

A card is its text, kind and value: `E4`, `X1`, `*5`.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final, Self

from menagerie.games.chance import shuffled
from menagerie.games.position import BLACK, WHITE, Seat
from menagerie.games.safari.board import LETTERS

JOKER: Final = "*"
KINDS: Final = LETTERS + JOKER
VALUES: Final = (1, 2, 2, 3, 3, 3, 4, 4, 5)
DECK: Final = tuple(f"{kind}{value}" for kind in KINDS for value in VALUES)
"""The deck before it is shuffled."""

COPIES: Final = Counter(DECK)
HAND_SIZE: Final = 7

_PLACE: Final[Mapping[str, int]] = {card: place for place, card in enumerate(COPIES)}

Cards = tuple[str, ...]


def in_order(cards: Iterable[str]) -> Cards:
    """The cards of a hand as texts and views have them: by kind, then by value."""
    return tuple(sorted(cards, key=_PLACE.__getitem__))


def without(hand: Cards, cards: Iterable[str]) -> Cards:
    """The hand once these cards of it are gone."""
    left = list(hand)
    for card in cards:
        left.remove(card)
    return tuple(left)


def holds(hand: Cards, cards: Cards) -> bool:
    """Whether the hand has all of these cards, each as often as it is named."""
    return all(hand.count(card) >= cards.count(card) for card in cards)


@dataclass(frozen=True, slots=True)
class Piles:
    """The draw pile (its front first), the played pile, and the seed of all shuffles."""

    seed: bytes
    draw: Cards
    played: Cards
    reshuffles: int

    @classmethod
    def deal(cls, seed: bytes) -> tuple[Self, dict[Seat, Cards]]:
        """The piles and both hands as the match begins."""
        deck = tuple(shuffled(DECK, seed, "deck"))
        white, black = deck[:HAND_SIZE], deck[HAND_SIZE : 2 * HAND_SIZE]
        piles = cls(seed, deck[2 * HAND_SIZE :], (), 0)
        return piles, {WHITE: in_order(white), BLACK: in_order(black)}

    def exchange(self, hand: Cards, cards: Cards) -> tuple[Self, Cards]:
        """The piles and the hand once these cards are played and as many are drawn."""
        piles = type(self)(self.seed, self.draw, self.played + cards, self.reshuffles)
        kept = list(without(hand, cards))
        for _ in cards:
            piles, card = piles._drawn()
            kept.append(card)
        return piles, in_order(kept)

    def _drawn(self) -> tuple[Self, str]:
        """The piles without the front card, and that card; the last one's leaving reshuffles."""
        card, draw = self.draw[0], self.draw[1:]
        if draw:
            return type(self)(self.seed, draw, self.played, self.reshuffles), card
        number = self.reshuffles + 1
        reshuffled = tuple(shuffled(self.played, self.seed, f"reshuffle:{number}"))
        return type(self)(self.seed, reshuffled, (), number), card

    @classmethod
    def load(cls, dump: Mapping[str, Any]) -> Self:
        return cls(
            seed=bytes.fromhex(dump["seed"]),
            draw=tuple(dump["draw"]),
            played=tuple(dump["played"]),
            reshuffles=dump["reshuffles"],
        )

    def dump(self) -> dict[str, Any]:
        return {
            "seed": self.seed.hex(),
            "draw": list(self.draw),
            "played": list(self.played),
            "reshuffles": self.reshuffles,
        }


@dataclass(frozen=True, slots=True)
class Play:
    """Cards that can be played together: they move `letter`'s piece, or any (None)."""

    cards: Cards
    value: int
    letter: str | None

    @property
    def text(self) -> str:
        return "+".join(self.cards)


def value_of(cards: Cards, dead: Collection[str]) -> int | None:
    """The steps that these cards give together, or None if they cannot be joined.

    `dead`: the kinds of the player's eliminated animals.
    """
    kind = cards[0][0]
    if kind in dead:
        return len(cards) if all(card[0] == kind for card in cards) else None
    return int(cards[0][1]) if len(cards) == 1 else None


def plays(hand: Cards, dead: Collection[str]) -> Iterator[Play]:
    """Every play of this hand once, whatever pieces there are to move."""
    for card in sorted(set(hand)):
        if card[0] not in dead:
            yield Play((card,), int(card[1]), None if card[0] == JOKER else card[0])
    for kind in sorted(dead):
        yield from _dead_plays([card for card in hand if card[0] == kind])


def _dead_plays(cards: list[str]) -> Iterator[Play]:
    """The jokers that the cards of one eliminated animal make, one card or several."""
    for number in range(1, len(cards) + 1):
        for joined in sorted(set(combinations(sorted(cards), number))):
            yield Play(joined, number, None)
