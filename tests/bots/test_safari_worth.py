"""What a Safari bot takes for good: cards, near wins, open ways home."""

import pytest

from menagerie.bots.safari_board import read
from menagerie.bots.safari_hand import hold, turns
from menagerie.bots.safari_tables import KINDS, cards_of
from menagerie.bots.safari_worth import AT_HAND, LIKELY, evaluate, race, threat
from tests.bots.safari_positions import safari, view


def cells_of(pieces, hand="C1,C2"):
    position = safari(f"{pieces} Cb2", hand)
    return read(view(position), position.side)


# Cards


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        (["X4"], ["X2"]),
        (["*3"], ["X3"]),
        (["X3"], ["E3"]),
        (["E3", "T3"], ["E3", "E3"]),
        (["E1"], ["M5"]),
    ],
)
def test_hand_that_is_worth_more(better, worse):
    mouse_is_dead = 1 << KINDS.index("M")
    assert hold(cards_of(better), mouse_is_dead) > hold(cards_of(worse), mouse_is_dead)


@pytest.mark.parametrize(
    ("cards", "steps", "number"),
    [
        (["X5"], 5, 1),
        (["X5", "*4"], 6, 2),
        (["X2", "X3", "Y5", "E5"], 5, 2),
        (["X2", "X3"], 7, 4),
        ([], 3, 3),
        (["M1", "M4", "M5", "X2"], 5, 2),
    ],
)
def test_turns_that_a_human_needs(cards, steps, number):
    mouse_is_dead = 1 << KINDS.index("M")
    assert turns(cards_of(cards), mouse_is_dead, KINDS.index("X"), steps) == number


# Near wins


def test_win_that_the_hand_has_weighs_more_than_one_that_may_come():
    have = cells_of("Ei7 xi9", "E2,C1")
    may = cells_of("Ei7 xi9", "C1,C2")
    far = cells_of("Ei7 xo13", "E2,C1")
    assert threat(have, 0) == AT_HAND
    assert 0 < threat(may, 0) < LIKELY
    assert threat(far, 0) == 0


def test_two_hunters_threaten_more_than_one_and_near_ones_more_than_far_ones():
    two = threat(cells_of("Ei7 Tk9 xi9"), 0)
    near = threat(cells_of("Ei8 xi9"), 0)
    assert two > threat(cells_of("Ei7 xi9"), 0) < near


# Ways home


def test_human_with_cards_and_an_open_way_is_worth_a_run():
    assert race(cells_of("Xa9", "X5,C1"), 0) > race(cells_of("Xa9"), 0) > race(cells_of("Xa2"), 0)


@pytest.mark.parametrize(
    ("alone", "guarded"),
    [("mr12", "ma12"), ("ma12", "ma12 eb11"), ("ma3", "ma12"), ("mi12", "mc12")],
)
def test_guards_of_a_way_home_make_a_run_worth_less(alone, guarded):
    free, held = cells_of(f"Xa9 {alone}"), cells_of(f"Xa9 {guarded}")
    assert race(free, 0) > race(held, 0)
    assert race(free, 1) == -race(free, 0)


def test_worth_of_a_position_counts_hands_of_both():
    cells = cells_of("Ei7 xo13")
    rich = cells[:]
    rich[23] = cards_of(["*5", "X5"])
    assert evaluate(rich) < evaluate(cells)
