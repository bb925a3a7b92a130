"""Shuffles that anyone can check: published vectors, and the page computed anew."""

import hashlib
import hmac
from collections import Counter
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import settings as bounded
from hypothesis import strategies as st

from menagerie.games.chance import SEED_BYTES, below, commitment, lot, shuffle, shuffled, stream

seeds = st.binary(min_size=SEED_BYTES, max_size=SEED_BYTES)

DECK = [f"{kind}{value}" for kind in "EBTLWDCMXY*" for value in (1, 2, 2, 3, 3, 3, 4, 4, 5)]
"""Safari's unshuffled deck: 99 cards."""

DEALS = [
    {
        "seed": "00" * 32,
        "commitment": "66687aadf862bd776c8fc18b8e9f8e20089714856ee233b3902a591d0d5f2925",
        "lot": 1,
        "deck": "D3 E2 E3 L5 C1 E4 *5 C3 B4 Y4 T3 T3 L2 W2 X2 W4 *3 M3 *4 *4 Y5 D3 D4 M4 L3",
        "reshuffle:1": "X3 T3 D3 *1 C3 C2 W2 D2 L5 X5 T3 C5 C4 X4 D1 E3 Y5 T5 M2 X2",
    },
    {
        "seed": "34acd901f54ffb6f0a93d7a20c85e1cd14cc9a1ba299ef1ef73d4dadc00af152",
        "commitment": "47a0dbd7c2b175ee30fe54bbbed2b44afc4ce12b4439dfc6a45685a81b52b6e9",
        "lot": 0,
        "deck": "L1 C5 D1 *4 D3 X4 *3 C3 *3 L4 X3 C3 L3 C3 B4 Y3 W3 E4 X1 M1 M3 W4 T1 D3 Y1",
        "reshuffle:1": "T2 D3 X2 M3 C2 T4 M2 D3 L2 X5 T3 *3 C3 W5 C4 L2 *4 B1 D4 W1",
    },
]


@pytest.mark.parametrize("deal", DEALS, ids=["zeros", "random"])
def test_a_seed_deals_what_the_golden_deals_say(deal: dict) -> None:
    seed = bytes.fromhex(deal["seed"])
    assert commitment(seed) == deal["commitment"]
    assert lot(seed) == deal["lot"]
    for purpose in ("deck", "reshuffle:1"):
        expected = deal[purpose].split()
        assert shuffled(DECK, seed, purpose)[: len(expected)] == expected


@bounded(max_examples=20, deadline=None)
@given(seeds, st.sampled_from(["deck", "reshuffle:12", "lots", "setup"]))
def test_numbers_are_blocks_of_the_hmac_read_big_endian(seed: bytes, purpose: str) -> None:
    blocks = b"".join(
        hmac.new(seed, f"{purpose}:{n}".encode(), hashlib.sha256).digest() for n in range(12)
    )
    expected = [int.from_bytes(blocks[i : i + 8], "big") for i in range(0, len(blocks), 8)]
    assert list(islice(stream(seed, purpose), 48)) == expected


@bounded(max_examples=50, deadline=None)
@given(st.integers(1, 1000))
def test_a_number_that_would_favour_some_is_drawn_again(n: int) -> None:
    fair = 2**64 - 2**64 % n
    assert below(iter([fair - 1]), n) == n - 1
    if fair < 2**64:
        assert below(iter([fair, 2**64 - 1, n + 1]), n) == (n + 1) % n


def test_numbers_above_every_multiple_are_passed_over() -> None:
    assert below(iter([2**64 - 1, 7]), 3) == 1
    assert below(iter([2**64 - 1]), 2) == 1


@bounded(max_examples=30, deadline=None)
@given(seeds, st.lists(st.integers(), max_size=40))
def test_a_shuffle_keeps_every_item_and_is_always_the_same(seed: bytes, items: list[int]) -> None:
    before = list(items)
    order = shuffled(items, seed, "deck")
    assert Counter(order) == Counter(items)
    assert items == before
    assert shuffled(items, seed, "deck") == order


def test_purposes_and_seeds_give_orders_of_their_own() -> None:
    seed = bytes(32)
    orders = [shuffled(DECK, seed, purpose) for purpose in ("deck", "reshuffle:1", "reshuffle:2")]
    orders.append(shuffled(DECK, b"\x01" * 32, "deck"))
    assert len({tuple(order) for order in orders}) == 4


def test_every_order_of_three_and_both_lots_come_about_equally_often() -> None:
    seeds = [n.to_bytes(32, "big") for n in range(3000)]
    orders = Counter("".join(shuffled("abc", seed, "deck")) for seed in seeds)
    assert len(orders) == 6
    assert all(400 < count < 600 for count in orders.values())
    assert 1350 < sum(map(lot, seeds)) < 1650


def test_shuffle_gives_every_order_about_as_often():
    luck = stream(bytes(SEED_BYTES), "orders")
    orders = Counter()
    for _ in range(2_400):
        items = list("abcd")
        shuffle(items, luck)
        orders["".join(items)] += 1
    assert len(orders) == 24
    assert all(60 < count < 140 for count in orders.values())
