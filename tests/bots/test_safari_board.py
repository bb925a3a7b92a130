"""The inner form of Safari against the readable rules."""

import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from menagerie.bots import safari_board, safari_eval
from menagerie.bots.safari_board import (
    DEAD,
    DRAW,
    DRAWN,
    END,
    HAND,
    LOST,
    MEN,
    QUIET,
    SCORE,
    SIDE,
    after,
    read,
    strikes,
    ways,
    wins,
)
from menagerie.bots.safari_hand import FRESH, cheapest, hold, prices
from menagerie.bots.safari_tables import (
    BLACKS,
    CARD_OF,
    DECK,
    FARTHEST,
    KINDS,
    NAME_OF,
    NOWHERE,
    PASS,
    PIECE_OF,
    PIECES,
    SIDE_OF,
    SQUARE_OF,
    cards_of,
    how_many,
    move,
    mover,
    origin,
    played,
    steps,
    texts_of,
)
from menagerie.games.position import BLACK, SEATS, WHITE, other
from menagerie.games.safari import SafariPosition, cards
from menagerie.games.safari.notation import read as read_text
from tests.bots.safari_positions import crowd, match_positions, safari, view, wins_in_one

GOLDEN = Path(__file__).parent.parent / "golden" / "safari.json"
CASES = [case for case in json.loads(GOLDEN.read_text())["moves"] if case["moves"]]
"""Those of matches that are not over."""
SEEDS = st.integers(0, 10**9)
DRAWS = [CARD_OF[card] for card in ["E1", "*5", "X3", "M2", "Y4", "C3", "E1"]]


def cells_of(position):
    return read(view(position), position.side)


def case_position(case):
    return SafariPosition.parse(f"{case['board']} {case['side']} {','.join(case['hand'])} 0 0")


def moves_of(cells):
    """Every way with the cards that the inner form pays for it, and a pass."""
    side = cells[SIDE]
    price = prices(cells[HAND + side], cells[DEAD + side])
    return [price.of(way) for way in [PASS, *ways(cells)]]


def check_ways(position):
    """The ways are those of the readable rules, and can be paid for."""
    cells = cells_of(position)
    compact = position.compact(position.side)
    expected = Counter(
        (square, int(value), way)
        for square, by_value in compact["ways"].items()
        for value, opened in by_value.items()
        for way in opened
    )
    found = moves_of(cells)
    texts = [safari_board.text(each) for each in found]
    told = Counter()
    for each, text in zip(found, texts, strict=True):
        way = safari_board.way_of(each)
        if way:
            start = NAME_OF[origin(way)]
            told[start, steps(way), text.partition(":")[2].removeprefix(start)] += 1
    assert told == expected
    assert set(texts) <= set(position.moves(position.side))
    assert texts[0] in compact["passes"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: ", ".join(case["tags"]))
def test_ways_of_the_cases(case):
    check_ways(case_position(case))


@pytest.mark.parametrize("case", CASES, ids=lambda case: ", ".join(case["tags"]))
def test_texts_of_the_cases_have_the_effects_of_the_ways(case):
    def effect(text):
        movement = read_text(text)
        return movement.origin, movement.taken, movement.target

    texts = [safari_board.text(each) for each in moves_of(cells_of(case_position(case)))[1:]]
    expected = [text for text in case["moves"] if ":" in text]
    assert {effect(text) for text in texts} == {effect(text) for text in expected}


@settings(max_examples=60, deadline=None)
@given(SEEDS)
def test_ways_in_a_crowd(seed):
    check_ways(crowd(seed))


@settings(max_examples=6, deadline=None)
@given(SEEDS)
def test_ways_in_a_match(seed):
    for position in match_positions(seed, 60)[::6]:
        check_ways(position)


def test_crowds_of_these_tests_meet_what_is_rare():
    crowds = [crowd(number) for number in range(60)]
    texts = [text for position in crowds for text in position.moves(position.side)]
    assert sum("+" in text for text in texts) > 500
    assert sum("x" in text and "-" in text for text in texts) > 500
    won = sum(bool(wins_in_one(position)) for position in crowds)
    assert 20 < won < 55


# Turns


def check_after(position, text, inner):
    """The next position of the inner form is that of the readable rules."""
    cells = cells_of(position)
    before = cells[:]
    new = after(cells, inner, DRAWS)
    assert cells == before
    side = cells[SIDE]
    number = how_many(played(inner))
    assert new[DRAWN] == number
    assert new[HAND + side] == cells[HAND + side] - played(inner) + sum(DRAWS[:number])
    assert new[HAND + 1 - side] == cells[HAND + 1 - side]
    played_out = position.play(position.side, text)
    outcome = played_out.outcome()
    if outcome is None:
        assert new[END] == 0
    else:
        assert new[END] == (DRAW if outcome.winner is None else LOST)
        assert outcome.winner in (None, position.side)
    fresh = read(played_out.view(other(position.side)), other(position.side))
    assert new[:PIECES] == fresh[:PIECES]
    for field in (MEN, MEN + 1, DEAD, DEAD + 1, SIDE, QUIET):
        assert new[field] == fresh[field]
    if new[END] != LOST:
        assert new[SCORE] == fresh[SCORE] == safari_eval.score(new, new[SIDE])


@settings(max_examples=40, deadline=None)
@given(SEEDS)
def test_positions_after_every_move_of_a_crowd(seed):
    position = crowd(seed)
    found = moves_of(cells_of(position))
    for each in found if len(found) < 60 else found[seed % 7 :: len(found) // 40]:
        check_after(position, safari_board.text(each), each)


def test_what_is_read_is_the_view_and_nothing_else():
    position = match_positions(5, 40)[-1]
    cells = cells_of(position)
    side = SIDE_OF[position.side]
    assert texts_of(cells[HAND + side]) == list(position.hands[position.side])
    assert cells[HAND + 1 - side] == 0
    there = {cells[PIECE_OF[piece.symbol]]: square for square, piece in position.pieces.items()}
    assert there == {SQUARE_OF[square]: square for square in position.pieces}
    assert cells.count(NOWHERE) >= 20 - len(there)


def test_a_pile_that_is_used_up_gives_no_card():
    cells = cells_of(safari("Ei7", "E2,E4"))
    new = after(cells, move(CARD_OF["E2"], 0), [])
    assert texts_of(new[HAND]) == ["E4"]


# Cards


def test_deck_of_the_inner_form_is_the_deck():
    assert Counter(texts_of(DECK)) == Counter(cards.DECK)
    assert how_many(DECK) == 99


@given(st.lists(st.sampled_from(cards.DECK), max_size=7, unique_by=id))
def test_cards_come_back_as_texts(hand):
    hand = list((Counter(hand) & cards.COPIES).elements())
    assert texts_of(cards_of(hand)) == list(cards.in_order(hand))
    assert how_many(cards_of(hand)) == len(hand)


@pytest.mark.parametrize(
    ("pieces", "hand", "kind", "number", "paid"),
    [
        ("Ei7 Cb2", "E2,E5,*2", "E", 2, ["E2"]),
        ("Ei7 Cb2", "E2,E5,*3", "E", 3, ["E5"]),
        ("Ei7 Cb2", "E2,*1,*3,*5", "E", 3, ["*3"]),
        ("Ei7 Cb2", "B1,B4,B5,*3", "E", 2, ["B1", "B4"]),
        ("Ei7 Cb2", "B5,E1", "X", 1, ["B5"]),
        ("Ei7 Cb2", "B5,T1", "X", 2, []),
    ],
)
def test_cheapest_cards_that_are_enough(pieces, hand, kind, number, paid):
    cells = cells_of(safari(pieces, hand))
    assert texts_of(cheapest(cells[HAND], cells[DEAD], KINDS.index(kind), number)) == paid


@settings(max_examples=40, deadline=None)
@given(SEEDS)
def test_pass_lays_off_what_the_hand_spares_most_easily(seed):
    cells = cells_of(crowd(seed))
    side = cells[SIDE]
    hand, dead = cells[HAND + side], cells[DEAD + side]
    left = [hold(hand, dead), *(hold(hand - card, dead) + FRESH for card in set(split(hand)))]
    price = prices(hand, dead)
    assert hold(hand, dead) - price.idle == max(left)
    assert played(price.of(PASS)) in {0, *split(hand)}


def split(held):
    return [CARD_OF[text] for text in texts_of(held)]


def test_hand_of_thousands_of_texts_has_hundreds_of_ways():
    position = safari("Bh5 Tk9 Lc7 Wd4 Do9 Cm5 Mf11 Xi3 Yl3", "E1,E2,E2,E3,E3,E4,E5")
    number = len(position.moves(WHITE))
    assert number > 15_000
    assert len(moves_of(cells_of(position))) < number // 15


# Wins in one


@settings(max_examples=80, deadline=None)
@given(SEEDS)
def test_win_in_one_of_a_crowd_is_seen(seed):
    position = crowd(seed)
    assert wins(cells_of(position)) == bool(wins_in_one(position))


@settings(max_examples=6, deadline=None)
@given(SEEDS)
def test_win_in_one_in_a_match_is_seen(seed):
    for position in match_positions(seed, 150)[-8:]:
        assert wins(cells_of(position)) == bool(wins_in_one(position))


@settings(max_examples=40, deadline=None)
@given(SEEDS)
def test_strikes_name_the_fewest_steps_of_each_piece_that_wins(seed):
    position = crowd(seed)
    cells = cells_of(position)
    side = cells[SIDE]
    found = {}
    for strike in strikes(cells, side, FARTHEST):
        found[strike >> 4] = min(strike & 15, found.get(strike >> 4, 9))
    cells[HAND + side] = CARD_OF["*5"]
    expected = {}
    for way in ways(cells):
        if after(cells, move(CARD_OF["*5"], way), [])[END] == LOST:
            kind = mover(way) % BLACKS
            expected[kind] = min(steps(way), expected.get(kind, 9))
    assert {kind: number for kind, number in found.items() if number <= 5} == expected


@pytest.mark.parametrize(("dead", "won"), [("E5,E4,E3,E2,E2,E1", True), ("E5,E4,E3,E2,E2", False)])
def test_six_cards_of_a_dead_animal_go_six_steps(dead, won):
    assert wins(cells_of(safari("Mi7 xi13", dead))) == won


def test_seats_and_sides_rhyme():
    assert [SIDE_OF[seat] for seat in SEATS] == [0, 1]
    assert (WHITE, BLACK) == SEATS
