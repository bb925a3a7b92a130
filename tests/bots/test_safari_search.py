"""The search of the Safari bots against the readable rules and against plain recursion."""

from dataclasses import replace
from itertools import islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from menagerie.bots import safari_eval
from menagerie.bots.luck import numbers
from menagerie.bots.safari_board import (
    DEAD,
    DRAW,
    END,
    HAND,
    SCORE,
    SIDE,
    after,
    read,
    text,
    wins,
)
from menagerie.bots.safari_deal import deals
from menagerie.bots.safari_hand import hold
from menagerie.bots.safari_search import (
    SURE,
    WIN,
    Effort,
    Plan,
    Spent,
    Tree,
    first_look,
    losses,
    prices_of,
    rated,
    think,
)
from menagerie.bots.safari_tables import WAY_MASK, cards_of, texts_of
from menagerie.bots.safari_worth import evaluate
from menagerie.games.position import other
from menagerie.games.safari.cards import in_order
from tests.bots.safari_positions import crowd, match_positions, safari, view, wins_in_one

SEEDS = st.integers(0, 10**9)


def never():
    return False


def plain():
    return 0


def effort(nodes=10**6, out_of_time=never):
    return Effort(nodes, out_of_time)


def cells_of(position):
    return read(view(position), position.side)


def dealt(position, number, seed=1):
    return list(islice(deals(view(position), other(position.side), numbers(seed)), number))


def calm(seed):
    """A crowd whose side to move has no win in one."""
    return next(
        position
        for position in (crowd(seed + n) for n in range(10_000, 20_000))
        if not wins_in_one(position)
    )


# What is looked at first


@settings(max_examples=30, deadline=None)
@given(SEEDS)
def test_rating_is_what_the_board_gains_and_the_hand_keeps(seed):
    cells = cells_of(calm(seed))
    side = cells[SIDE]
    price = prices_of(cells)
    found = rated(cells, prices_of(cells))
    assert found == sorted(found, reverse=True)
    ratings = set()
    for each in found[:: 1 + len(found) // 40]:
        child = after(cells, price.of(each & WAY_MASK), [])
        kept = hold(child[HAND + side], cells[DEAD + side])
        drawn = len(texts_of(cells[HAND + side])) - len(texts_of(child[HAND + side]))
        ratings.add((each >> 36) - (-child[SCORE] - cells[SCORE] + kept + 36 * drawn))
    assert len(ratings) == 1


@settings(max_examples=15, deadline=None)
@given(SEEDS)
def test_losses_are_the_deals_in_which_the_other_side_wins_in_one(seed):
    position = crowd(seed)
    cells = cells_of(position)
    row = dealt(position, 6, seed)
    price = prices_of(cells)
    for each in rated(cells, prices_of(cells))[::40]:
        move = price.of(each & WAY_MASK)
        child = after(cells, move, [])
        played = position.play(position.side, text(move))
        if played.outcome() is None:
            hands = [in_order(texts_of(deal.hand)) for deal in row]
            twins = [replace(played, hands={**played.hands, played.side: hand}) for hand in hands]
            assert losses(child, row) == sum(bool(wins_in_one(twin)) for twin in twins)


@settings(max_examples=30, deadline=None)
@given(SEEDS)
def test_win_in_one_comes_alone(seed):
    position = crowd(seed)
    choices = first_look(cells_of(position), dealt(position, 4), effort(), plain)
    if wins_in_one(position):
        assert [choice.worth for choice in choices] == [WIN - 1]
        assert text(choices[0].move) in wins_in_one(position)
    else:
        assert all(choice.worth < SURE for choice in choices)
        assert choices == sorted(choices, key=lambda choice: -choice.worth)


# One deal


def dealt_cells(position, deal):
    cells = cells_of(position)
    cells[HAND + 1 - cells[SIDE]] = deal.hand
    return cells


def minimax(cells, draws, plies, ply):
    """The worth by all moves, without bounds."""
    if cells[END]:
        return 0 if cells[END] == DRAW else ply - WIN
    if wins(cells):
        return WIN - ply - 1
    if not plies:
        return evaluate(cells)
    price = prices_of(cells)
    moves = [price.of(each & WAY_MASK) for each in rated(cells, price)]
    return max(-minimax(after(cells, move, draws), draws, plies - 1, ply + 1) for move in moves)


@pytest.mark.parametrize("plies", [1, 2])
@settings(max_examples=12, deadline=None)
@given(SEEDS)
def test_search_of_every_move_is_plain_minimax(plies, seed):
    hand = ["E1,M2,X1", "*1,M1,T3", "E1,E2,M1"][seed % 3]
    squares = ["h8", "h9", "i8", "j9"]
    position = safari(
        f"M{squares[seed // 3 % 4]} Xi5 xi10 t{squares[(seed // 3 + 1) % 4]} dk7", hand
    )
    (deal,) = dealt(position, 1, seed)
    few = replace(deal, hand=cards_of(texts_of(deal.hand)[:3]))
    cells = dealt_cells(position, few)
    found = Tree(few.draws, 10**6, effort()).search(cells, plies, -WIN, WIN, 0)
    assert found == minimax(cells, few.draws, plies, 0)


@settings(max_examples=10, deadline=None)
@given(SEEDS)
def test_narrow_search_still_looks_for_the_move_that_parries(seed):
    position = calm(seed)
    for deal in dealt(position, 3, seed):
        cells = dealt_cells(position, deal)
        narrow = Tree(deal.draws, 1, effort()).search(cells, 1, -WIN, WIN, 0)
        price = prices_of(cells)
        children = [
            after(cells, price.of(each & WAY_MASK), deal.draws)
            for each in rated(cells, prices_of(cells))
        ]
        can_parry = any(child[END] == DRAW or not wins(child) for child in children)
        assert (narrow > -SURE) == can_parry


# The worth


@settings(max_examples=20, deadline=None)
@given(SEEDS)
def test_worth_to_one_side_is_the_loss_of_the_other(seed):
    position = crowd(seed)
    assert safari_eval.score(cells_of(position), 0) == -safari_eval.score(cells_of(position), 1)


def turned_cells(cells):
    """The board turned by 180 degrees, with the sides changed."""
    last = 13 * 19 + 17
    turn = [-1 if square == -1 else last - square for square in cells[:20]]
    men = [sum(1 << square for square in half if square != -1) for half in (turn[10:], turn[:10])]
    return [
        *turn[10:],
        *turn[:10],
        *men,
        *reversed(cells[22:24]),
        *reversed(cells[24:26]),
        cells[26],
        1 - cells[27],
        *cells[28:],
    ]


@settings(max_examples=30, deadline=None)
@given(SEEDS)
def test_turned_position_is_worth_the_same(seed):
    position = crowd(seed)
    cells = dealt_cells(position, dealt(position, 1)[0])
    turned = turned_cells(cells)
    assert evaluate(turned) == evaluate(cells)
    assert safari_eval.score(turned, turned[SIDE]) == turned[SCORE]
    assert wins(turned) == wins(cells)


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ("Ei7 xi12", "Ei7 xo12"),
        ("Ei7 xi12", "Mi7 xi12"),
        ("Xa9", "Xa5"),
        ("Xa5 ep9", "Xa5 ec9"),
        ("Ei7 Bh2 xi12", "Ei7 xi12"),
    ],
)
def test_what_is_worth_more(better, worse):
    hand = "W2,W3"
    assert cells_of(safari(better, hand))[SCORE] > cells_of(safari(worse, hand))[SCORE]


# What it may cost


def test_search_that_is_spent_says_so():
    position = calm(1)
    (deal,) = dealt(position, 1)
    with pytest.raises(Spent):
        Tree(deal.draws, 5, effort(nodes=20)).search(dealt_cells(position, deal), 2, -WIN, WIN, 0)


def test_move_is_found_however_little_there_is_to_spend():
    position = match_positions(2, 20)[-1]
    plan = Plan(8, plies=2, roots=8, width=4)
    cells, row = cells_of(position), dealt(position, 8)
    for spending in (effort(nodes=0), effort(out_of_time=lambda: True)):
        choice = think(cells, row, plan, spending, plain)
        assert choice.deals == 0
        assert text(choice.move) in position.moves(position.side)


def test_more_nodes_look_at_more_deals():
    position = match_positions(2, 20)[-1]
    plan = Plan(16, plies=1, roots=8, width=4)
    cells, row = cells_of(position), dealt(position, 16)
    counts = []
    for nodes in (200, 300, 5_000):
        spending = effort(nodes=nodes)
        counts.append(think(cells, row, plan, spending, plain).deals)
        assert spending.nodes >= -len(rated(cells, prices_of(cells)))
    assert counts == sorted(set(counts))
    assert counts[-1] == 16
