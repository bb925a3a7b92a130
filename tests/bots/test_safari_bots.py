"""The bots of Safari, as who seats them sees them."""

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from menagerie.bots.safari import BOTS, consider, one_ply
from menagerie.games.position import BLACK, SEATS, WHITE, other
from menagerie.games.refusals import GameOver, NotYourTurn
from menagerie.games.safari import GAME, SafariPosition
from menagerie.games.safari.board import NEIGHBOURS
from menagerie.games.safari.cards import DECK
from tests.bots.safari_positions import crowd, match_positions, safari, view, wins_in_one

SEEDS = st.integers(0, 10**9)
CAREFUL = BOTS[1:]
SEED = bytes(range(32))

LOSSES = {
    "take the hunter": ("Yi4 ei6 Mh4", "M4,W2,W3,T2,B1"),
    "flee": ("Yi4 ti6 lh5 mj5 Bq9", "Y5,W2,W3,T2,B1"),
    "flee by a joker": ("Yi4 ti6 lh5 mj5 Bq9", "*5,W2,W3,T2,C1"),
}
"""Positions in which most hands win at once unless the move at hand is found."""


def never():
    return False


def at_once():
    return True


def chosen(bot, position, seed=1, out_of_time=never):
    return consider(bot, view(position), position.side, seed, out_of_time).move


def hidden_differently(position, number):
    """The position with all that its side to move may not know dealt anew."""
    side = position.side
    hidden = [*position.hands[other(side)], *position.piles.draw]
    random.Random(number).shuffle(hidden)
    hands = {**position.hands, other(side): tuple(sorted(hidden[:7]))}
    piles = replace(position.piles, draw=tuple(hidden[7:]), seed=bytes([number]) * 32)
    return replace(position, hands=hands, piles=piles)


def risk(position, move):
    """By the readable rules: how many of 30 random hands win at once after the move."""
    after = position.play(position.side, move)
    if after.outcome():
        return 0
    luck = random.Random(1)
    unseen = list(DECK)
    for card in position.hands[position.side]:
        unseen.remove(card)
    hands = [tuple(luck.sample(unseen, 7)) for _ in range(30)]
    twins = [replace(after, hands={**after.hands, after.side: hand}) for hand in hands]
    return sum(bool(wins_in_one(twin)) for twin in twins)


def test_levels_are_six_and_cost_ever_more():
    assert [bot.id for bot in BOTS] == [f"safari-{level}" for level in range(1, 7)]
    assert [bot.nodes for bot in BOTS] == sorted(bot.nodes for bot in BOTS)
    assert [bot.cap_ms for bot in BOTS] == sorted(bot.cap_ms for bot in BOTS)
    assert all(bot.cap_ms < 10_000 and bot.description for bot in BOTS)


# Setup


@pytest.mark.parametrize("bot", BOTS, ids=lambda bot: bot.id)
def test_placement_is_legal_and_varies_with_the_seed(bot):
    start = SafariPosition.start({}, SEED)
    placements = set()
    for seed in range(10):
        for seat in SEATS:
            text = consider(bot, start.view(seat), seat, seed, never).move
            start.check(seat, text)
            placements.add(text)
    assert len(placements) > 5


@pytest.mark.parametrize("bot", CAREFUL, ids=lambda bot: bot.id)
def test_humans_are_placed_where_no_enemy_gets_to_them_at_once(bot):
    for seat in SEATS:
        position = SafariPosition.start({}, SEED)
        for number, each in enumerate(SEATS):
            text = consider(bot, position.view(each), each, number, never).move
            position = position.play(each, text)
        humans = [
            s for s, piece in position.pieces.items() if piece.seat == seat and piece.is_human
        ]
        assert len(humans) == 2
        assert all(beside in position.pieces for s in humans for beside in NEIGHBOURS[s])


def test_placement_tells_nothing_of_the_other_seats():
    start = SafariPosition.start({}, SEED)
    placed = start.play(WHITE, "place EBTLWD/XY.CM.")
    for bot in BOTS:
        alone, second = (consider(bot, p.view(BLACK), BLACK, 7, never) for p in (start, placed))
        assert alone == second


def test_bot_that_has_placed_is_not_to_move():
    placed = SafariPosition.start({}, SEED).play(WHITE, "place EBTLWD/XY.CM.")
    with pytest.raises(NotYourTurn):
        consider(BOTS[0], placed.view(WHITE), WHITE, 1, never)


def test_bot_refuses_a_game_that_is_over():
    position = safari("Xi13", "X2").play(WHITE, "X2:i13-i14")
    with pytest.raises(GameOver):
        consider(BOTS[2], position.view(BLACK), BLACK, 1, never)


# Play


@pytest.mark.parametrize("bot", BOTS[:5], ids=lambda bot: bot.id)
@settings(max_examples=4, deadline=None)
@given(SEEDS)
def test_move_is_legal_and_one_seed_gives_one_move(bot, seed):
    position = match_positions(seed, 60)[-1]
    move = chosen(bot, position, seed)
    position.check(position.side, move)
    assert chosen(bot, position, seed) == move


@pytest.mark.parametrize("bot", BOTS, ids=lambda bot: bot.id)
def test_hidden_cards_and_seed_change_no_move(bot):
    for number in range(3):
        position = match_positions(100 + number, 50)[-1]
        moves = {
            chosen(bot, hidden_differently(position, twin), seed=number) for twin in range(1, 6)
        }
        assert moves == {chosen(bot, position, seed=number)}


@pytest.mark.parametrize("bot", CAREFUL, ids=lambda bot: bot.id)
def test_win_in_one_is_played(bot):
    won = [p for p in map(crowd, range(60)) if wins_in_one(p)][:12]
    for number, position in enumerate(won):
        assert chosen(bot, position, number, at_once) in wins_in_one(position)


@pytest.mark.parametrize("bot", CAREFUL, ids=lambda bot: bot.id)
@pytest.mark.parametrize(("pieces", "hand"), LOSSES.values(), ids=LOSSES)
def test_loss_in_one_is_stopped_even_without_time(bot, pieces, hand):
    position = safari(pieces, hand)
    assert risk(position, "pass") > 20
    for seed in range(3):
        assert risk(position, chosen(bot, position, seed, at_once)) < 10


@pytest.mark.parametrize("bot", BOTS, ids=lambda bot: bot.id)
def test_bot_without_time_still_answers_with_a_legal_move(bot):
    position = match_positions(5, 30)[-1]
    position.check(position.side, chosen(bot, position, 5, at_once))


def test_human_with_an_open_way_runs_home_in_two():
    position = safari("Xa5 eq2 tr4", "X5,X4,E1,B1,T1,L1,W1")
    assert chosen(BOTS[5], position).split(":")[0] in ("X4", "X5")


def test_hand_of_thousands_of_texts_costs_no_more_nodes():
    pieces = "Bh5 Tk9 Lc7 Wd4 Do9 Cm5 Mf11 Xi3 Yl3"
    hands = ["E1,E2,E2,E3,E3,E4,E5", "*5,T3,L3,W3,D3,C3,M3"]
    nodes = []
    for hand in hands:
        position = safari(pieces, hand)
        nodes.append(consider(BOTS[3], view(position), WHITE, 1, never).nodes)
        position.check(WHITE, chosen(BOTS[3], position))
    assert nodes[0] < 3 * nodes[1]


def test_thought_says_what_it_cost():
    thought = consider(BOTS[4], view(match_positions(4, 30)[-1]), WHITE, 9, never)
    assert thought.depth == 2
    assert 0 < thought.nodes < 2 * BOTS[4].nodes


@pytest.mark.parametrize("number", range(2))
def test_whole_match_from_setup_to_its_end(number):
    position = SafariPosition.start({}, bytes([number]) * 32)
    turn = 0
    while (outcome := position.outcome()) is None:
        seat = position.to_move()[0]
        bot = BOTS[2] if seat == SEATS[number % 2] else BOTS[0]
        position = position.play(seat, consider(bot, position.view(seat), seat, turn, never).move)
        turn += 1
    assert outcome.reason in GAME.end_reasons
    assert position.ply > 2


# At once


def test_one_ply_choice_wins_stops_losses_and_places():
    won = [p for p in map(crowd, range(60)) if wins_in_one(p)][:12]
    assert all(one_ply(view(p), p.side, 1) in wins_in_one(p) for p in won)
    for pieces, hand in LOSSES.values():
        position = safari(pieces, hand)
        assert risk(position, one_ply(view(position), WHITE, 1)) < 10
    start = SafariPosition.start({}, SEED)
    start.check(BLACK, one_ply(start.view(BLACK), BLACK, 1))
