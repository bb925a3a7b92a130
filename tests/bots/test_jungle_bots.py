import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from menagerie.bots import BOTS, choose, consider, one_ply
from menagerie.bots.jungle import careful
from menagerie.bots.jungle_board import read, text, ways
from menagerie.games.jungle import START, JunglePosition
from menagerie.games.refusals import BadPosition, GameOver, NotYourTurn
from tests.bots.positions import endgame, game_positions, safe_moves, wins_in_one

SEEDS = st.integers(0, 10**9)
CAREFUL = [f"jungle-{level}" for level in range(2, 9)]

WINS = [
    "2r4/5l1/1tw4/7/7/7/2d4/6c/D3pe1 b - - 0 60",
    "6T/7/3Wp2/7/7/7/2L4/3l3/4c2 b - - 0 60",
    "7/1P1W3/C6/T6/3c3/7/R6/2DE2L/5l1 w - - 50 60",
    "1R3D1/6W/7/7/7/6T/1C2P2/2E4/1Lc4 w - - 0 60",
    "1t5/2d3l/We5/7/3c3/6p/5r1/7/5w1 b - - 0 60",
    "1D5/6L/2W4/7/3T3/e2w3/E2P3/7/4R1C w - - 0 60",
    "Rp5/Tl5/7/7/7/7/6r/7/7 b - - 3 60",
    "4rW1/T3C1R/5P1/7/7/7/4D2/dL1E3/7 w - - 50 60",
    "7/7/L3C2/d6/p6/2R4/T2W3/5D1/P5E w - - 50 60",
]
"""Wins in one by the den, by the last capture, and by leaving no move."""

LOSSES = [
    "4cC1/3dp2/7/7/7/7/7/7/7 w - - 50 60",
    "7/7/2l3e/7/d5c/6w/t6/r5p/5P1 w - - 50 60",
    "6P/5ER/1D4C/6T/7/L6/5W1/6c/7 b - - 3 60",
    "5l1/4L2/7/7/7/7/1C5/7/7 b - - 0 60",
    "7/2E4/L1w4/1r4P/1R4l/7/1t4c/e2C2p/2T1dWD w - - 0 60",
    "7/t5L/5l1/7/7/3r3/7/c4pe/w3dT1 w - - 3 60",
    "4PR1/4w2/5r1/7/7/7/7/7/6p b - - 3 60",
    "7/3c3/7/7/7/7/7/2Wep2/4E2 w - - 3 60",
]
"""Losses in one, by the den and by the last capture, that some moves stop."""


def never():
    return False


def at_once():
    return True


def chosen(bot_id, position, seed=1, out_of_time=never):
    return choose(bot_id, position.text(), position.side, seed, out_of_time)


@pytest.mark.parametrize("bot_id", CAREFUL)
@pytest.mark.parametrize("text", WINS)
def test_win_in_one_is_played(bot_id, text):
    position = JunglePosition.parse(text)
    assert wins_in_one(position)
    for seed in range(3):
        assert chosen(bot_id, position, seed) in wins_in_one(position)


@pytest.mark.parametrize("bot_id", CAREFUL)
@pytest.mark.parametrize("text", LOSSES)
def test_loss_in_one_is_stopped_even_without_time(bot_id, text):
    position = JunglePosition.parse(text)
    safe = safe_moves(position)
    assert safe
    assert safe < set(position.moves(position.side))
    for seed in range(3):
        assert chosen(bot_id, position, seed, at_once) in safe


@settings(max_examples=40, deadline=None)
@given(SEEDS)
def test_careful_moves_are_the_wins_or_else_the_safe_ones(seed):
    position = endgame(seed, 1 + seed % 3, 1 + seed // 3 % 3)
    cells = read(position)
    expected = wins_in_one(position) or safe_moves(position) or set(position.moves(position.side))
    assert {text(way) for way in careful(cells, ways(cells))} == expected


@settings(max_examples=6, deadline=None)
@given(SEEDS)
def test_careful_moves_in_a_game_are_the_wins_or_else_the_safe_ones(seed):
    for position in game_positions(seed, 80)[-2:]:
        cells = read(position)
        expected = wins_in_one(position) or safe_moves(position)
        assert {text(way) for way in careful(cells, ways(cells))} == (
            expected or set(position.moves(position.side))
        )


@pytest.mark.parametrize("bot_id", ["jungle-1", "jungle-2", "jungle-3", "jungle-4", "jungle-5"])
@settings(max_examples=5, deadline=None)
@given(SEEDS)
def test_move_is_legal_and_one_seed_gives_one_move(bot_id, seed):
    position = game_positions(seed, 40)[-1]
    move = chosen(bot_id, position, seed)
    assert move in position.moves(position.side)
    assert chosen(bot_id, position, seed) == move


def test_thought_names_the_chosen_move_and_what_it_cost():
    position = game_positions(4, 30)[-1]
    thought = consider("jungle-4", position.text(), position.side, 9, never)
    assert thought.move == chosen("jungle-4", position, 9)
    assert thought.depth >= 2
    assert 0 < thought.nodes < 2 * BOTS["jungle-4"].nodes


@pytest.mark.parametrize("bot_id", list(BOTS))
def test_bot_without_time_still_answers_with_a_legal_move(bot_id):
    position = JunglePosition.parse(START)
    assert chosen(bot_id, position, 5, at_once) in position.moves("white")


@pytest.mark.parametrize("bot_id", ["jungle-1", "jungle-4"])
def test_games_vary_with_the_seed(bot_id):
    position = JunglePosition.parse(START)
    assert len({chosen(bot_id, position, seed) for seed in range(12)}) > 3


def test_only_move_is_played_without_a_thought():
    def asked():
        raise AssertionError

    position = JunglePosition.parse("6d/7/7/7/7/7/7/7/D6 w a2a1a2a1a2a1 g9 60 60")
    assert choose("jungle-8", position.text(), "white", 1, asked) == "a1b1"


def test_barred_move_is_never_chosen():
    position = JunglePosition.parse("6d/7/7/7/7/7/7/2C4/D6 w a2a1a2a1a2a1 g9 60 60")
    assert all(chosen("jungle-1", position, seed) != "a1a2" for seed in range(40))


@pytest.mark.parametrize("bot_id", ["jungle-4", "jungle-5", "jungle-6"])
def test_elephant_beside_the_rat_is_taken(bot_id):
    position = JunglePosition.parse("6l/7/7/7/7/3e3/3R3/7/C6 w - - 0 60")
    assert chosen(bot_id, position) == "d3d4"


def test_first_level_answers_within_milliseconds():
    text = JunglePosition.parse(START).text()
    times = []
    for seed in range(15):
        started = time.perf_counter()
        choose("jungle-1", text, "white", seed, never)
        times.append(time.perf_counter() - started)
    assert sorted(times)[7] < 0.015


@pytest.mark.parametrize("text", WINS)
def test_one_ply_choice_wins_if_it_can(text):
    position = JunglePosition.parse(text)
    assert one_ply("jungle", text, position.side, 1) in wins_in_one(position)


@pytest.mark.parametrize("text", LOSSES)
def test_one_ply_choice_stops_a_loss(text):
    position = JunglePosition.parse(text)
    assert one_ply("jungle", text, position.side, 1) in safe_moves(position)


def test_bot_refuses_a_turn_that_is_not_its_own():
    with pytest.raises(NotYourTurn):
        choose("jungle-3", START, "black", 1, never)


def test_bot_refuses_a_game_that_is_over():
    with pytest.raises(GameOver):
        choose("jungle-3", "3D2d/7/7/7/7/7/7/7/7 b - - 0 61", "black", 1, never)


def test_bot_refuses_what_is_no_position():
    with pytest.raises(BadPosition):
        choose("jungle-3", "checkers", "white", 1, never)
