"""What a Safari bot holds possible of the cards it has not seen."""

import random
from collections import Counter
from dataclasses import replace
from itertools import islice

from hypothesis import given, settings
from hypothesis import strategies as st

from menagerie.bots.luck import numbers
from menagerie.bots.safari_deal import deals, unseen
from menagerie.bots.safari_tables import how_many, texts_of
from menagerie.games.position import SEATS, other
from menagerie.games.safari.cards import DECK
from tests.bots.safari_positions import placed_at_random, safari, view

SEEDS = st.integers(0, 10**9)


def card_match(number, plies):
    """The positions of a match of passes: a card laid off on nearly every turn."""
    luck = random.Random(number)
    position = placed_at_random(luck, luck.randbytes(32))
    for _ in range(plies):
        yield position
        hand = position.hands[position.side]
        position = position.play(position.side, luck.choice(["pass"] + [f"pass {c}" for c in hand]))


def told(deal):
    return texts_of(deal.hand), [texts_of(card)[0] for card in deal.draws]


@settings(max_examples=8, deadline=None)
@given(SEEDS)
def test_unseen_cards_are_those_of_the_other_hand_and_the_draw_pile(seed):
    positions = list(card_match(seed, 190))
    assert positions[-1].piles.reshuffles
    for position in positions[::9]:
        for seat in SEATS:
            hidden = Counter(position.hands[other(seat)]) + Counter(position.piles.draw)
            assert Counter(texts_of(unseen(position.view(seat)))) == hidden


@settings(max_examples=8, deadline=None)
@given(SEEDS)
def test_deal_splits_the_unseen_cards_and_then_the_played_pile_comes_back(seed):
    for position in list(card_match(seed, 190))[::31]:
        seen = view(position)
        unknown = Counter(texts_of(unseen(seen)))
        for deal in islice(deals(seen, other(position.side), numbers(seed)), 5):
            hand, draws = told(deal)
            assert len(hand) == 7
            assert Counter(hand) + Counter(draws[: seen["draw_count"]]) == unknown
            assert Counter(draws[seen["draw_count"] :]) == Counter(seen["played"])
            assert Counter(hand + draws + list(seen["hand"])) == Counter(DECK)


def test_deals_differ_and_one_seed_gives_one_row_of_them():
    position = next(card_match(3, 1))
    rows = [
        [told(deal) for deal in islice(deals(view(position), other(position.side), numbers(n)), 4)]
        for n in (1, 1, 2)
    ]
    assert rows[0] == rows[1] != rows[2]
    assert len({tuple(hand) for hand, _ in rows[0]}) > 1


def test_every_unseen_card_is_as_likely_in_the_other_hand():
    position = next(card_match(4, 1))
    seen = view(position)
    found = Counter()
    for deal in islice(deals(seen, other(position.side), numbers(5)), 2_000):
        found.update(texts_of(deal.hand))
    for card, copies in Counter(texts_of(unseen(seen))).items():
        expected = 2_000 * 7 * copies / 92
        assert abs(found[card] - expected) < 6 * expected**0.5


def test_before_a_reshuffle_little_is_left_to_guess():
    position = next(p for p in card_match(6, 190) if len(p.piles.draw) == 1)
    dealt = islice(deals(view(position), other(position.side), numbers(1)), 200)
    hands = {tuple(told(deal)[0]) for deal in dealt}
    assert 1 < len(hands) <= 8
    assert position.hands[other(position.side)] in hands


def test_what_is_hidden_changes_no_deal():
    for position in list(card_match(7, 150))[::40]:
        seat = position.side
        hidden = [*position.hands[other(seat)], *position.piles.draw]
        random.Random(1).shuffle(hidden)
        hands = {**position.hands, other(seat): tuple(hidden[:7])}
        piles = replace(position.piles, draw=tuple(hidden[7:]), seed=bytes(32))
        twin = replace(position, hands=hands, piles=piles)
        rows = [
            [told(deal) for deal in islice(deals(view(p), other(seat), numbers(9)), 3)]
            for p in (position, twin)
        ]
        assert rows[0] == rows[1]


def test_position_from_a_text_leaves_all_but_the_own_hand_unseen():
    position = safari("Ei7", "E2,E4,*5")
    deal = next(deals(view(position), "black", numbers(1)))
    assert (how_many(deal.hand), len(deal.draws)) == (7, 89)
