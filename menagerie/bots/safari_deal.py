"""The cards that a seat has not seen, dealt at random.

A view tells a seat its own hand and the played pile since the last reshuffle.
All other cards of the deck lie in the other hand or in the draw pile, and
nothing in the view tells one split of them from another: each is as likely.
That holds after a reshuffle too. Who remembers all that was played before it
knows more (at that moment the other hand is what is left of the deck), but a
view does not remember.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from menagerie.bots.safari_tables import CARD_OF, DECK, cards_of
from menagerie.games.chance import shuffle
from menagerie.games.safari.cards import HAND_SIZE


@dataclass(frozen=True, slots=True)
class Deal:
    """The other `hand`, and the cards that will be drawn, one after the other."""

    hand: int
    draws: list[int]


def unseen(view: Mapping[str, Any]) -> int:
    """The cards that lie in the other hand or in the draw pile."""
    return DECK - cards_of(view["hand"] or []) - cards_of(view["played"] or [])


def deals(view: Mapping[str, Any], other: str, luck: Iterator[int]) -> Iterator[Deal]:
    """Deal after deal of the unseen cards, for ever. `other`: the other seat.

    The played pile comes back once the draw pile is used up.
    """
    cards = _one_by_one(unseen(view))
    played = _one_by_one(cards_of(view["played"] or []))
    in_hand = view["hand_counts"][other]
    if in_hand is None:
        in_hand = HAND_SIZE
    while True:
        shuffle(cards, luck)
        shuffle(played, luck)
        yield Deal(sum(cards[:in_hand]), cards[in_hand:] + played)


def _one_by_one(held: int) -> list[int]:
    return [card for card in CARD_OF.values() for _ in range(held // card & 3)]
