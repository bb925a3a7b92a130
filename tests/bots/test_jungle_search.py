import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from menagerie.bots.jungle_board import read, text, ways
from menagerie.bots.jungle_search import NODES, SURE, WIN, _quiesce, effort, think
from menagerie.games.jungle import JunglePosition
from tests.bots.positions import endgame, game_positions

ENDGAMES = json.loads((Path(__file__).parents[1] / "golden" / "jungle_endgames.json").read_text())
SEEDS = st.integers(0, 10**9)
PLENTY = 10**9


def never():
    return False


def thought(position, deepest, nodes=PLENTY):
    cells = read(position)
    return think(cells, dict.fromkeys(ways(cells), 0), effort(nodes, never), deepest)


def gates_are_won(position):
    gates = {"white": ("c9", "d8", "e9"), "black": ("c1", "d2", "e1")}[position.side]
    return any(
        square in position.pieces and position.pieces[square].seat == position.side
        for square in gates
    )


def minimax(position, depth, ply=0):
    """The worth by the readable rules, every line looked at to its end."""
    outcome = position.outcome()
    if outcome is not None:
        sign = 0 if outcome.winner is None else 1 if outcome.winner == position.side else -1
        return sign * (WIN - ply)
    if gates_are_won(position):
        return WIN - ply - 1
    if depth == 0:
        return _quiesce(read(position), effort(PLENTY, never), -WIN, WIN, ply)
    side = position.side
    return max(
        -minimax(position.play(side, move), depth - 1, ply + 1) for move in position.moves(side)
    )


@settings(max_examples=12, deadline=None)
@given(SEEDS)
def test_two_plies_are_worth_what_minimax_by_the_rules_says(seed):
    position = game_positions(seed, 5 + seed % 60)[-1]
    assert thought(position, 2).worth == minimax(position, 2)


@settings(max_examples=25, deadline=None)
@given(SEEDS)
def test_three_plies_of_an_endgame_are_worth_what_minimax_says(seed):
    position = endgame(seed, 1 + seed % 2, 1)
    if not gates_are_won(position):
        assert min(thought(position, 3).worth, SURE) == min(minimax(position, 3), SURE)


@pytest.mark.parametrize("position", ENDGAMES["w"])
def test_won_endgames_are_seen_to_be_won(position):
    assert thought(JunglePosition.parse(position), 40, 20_000).worth > SURE


@pytest.mark.parametrize("position", ENDGAMES["b"])
def test_lost_endgames_are_seen_to_be_lost(position):
    assert thought(JunglePosition.parse(position), 40, 20_000).worth < -SURE


@pytest.mark.parametrize("position", ENDGAMES["d"])
def test_drawn_endgames_are_not_taken_for_won_or_lost(position):
    assert abs(thought(JunglePosition.parse(position), 40, 3_000).worth) < SURE


# Bars


def test_bar_at_the_root_is_obeyed():
    barred = JunglePosition.parse("6d/7/7/7/7/7/7/7/D6 w a2a1a2a1a2a1 g9 60 60")
    assert "a1a2" not in barred.moves("white")
    cells = read(barred)
    assert [text(way) for way in ways(cells)] == ["a1b1"]
    assert text(thought(barred, 3).way) == "a1b1"


@settings(max_examples=20, deadline=None)
@given(SEEDS)
def test_bars_in_the_tree_are_those_of_the_rules(seed):
    """Endgames in which both sides have shuttled nearly as often as they may."""
    position = endgame(seed, 1, 1)
    shuttled = shuttle(position)
    if shuttled is not None:
        assert min(thought(shuttled, 3).worth, SURE) == min(minimax(shuttled, 3), SURE)


def shuttle(position):
    """The position after two to and fros and a half by both sides, if they can."""
    for _ in range(5):
        for _ in range(2):
            trail = position.trails[position.side]
            moves = position.moves(position.side)
            back = [m for m in moves if len(trail) > 1 and m[2:] == trail[-2]]
            calm = [m for m in back or moves if m[2:] not in position.pieces]
            if not calm:
                return None
            position = position.play(position.side, calm[0])
            if position.outcome() is not None or gates_are_won(position):
                return None
    return position


# Effort


@settings(max_examples=10, deadline=None)
@given(SEEDS, st.integers(1, 4_000))
def test_budget_is_kept_but_for_the_last_iteration_step(seed, nodes):
    cells = read(game_positions(seed, 30)[-1])
    spending = effort(nodes, never)
    think(cells, dict.fromkeys(ways(cells), 0), spending)
    first_ply = effort(0, never)
    think(cells, dict.fromkeys(ways(cells), 0), first_ply)
    assert spending.left[NODES] > -1_000 + first_ply.left[NODES]


def test_search_stops_soon_after_its_time_is_out():
    asked = []

    def out_of_time():
        asked.append(True)
        return len(asked) == 3

    cells = read(game_positions(1, 30)[-1])
    spending = effort(1_000_000, out_of_time)
    think(cells, dict.fromkeys(ways(cells), 0), spending)
    assert len(asked) == 3
    assert spending.left[NODES] > 1_000_000 - 4 * 512


def test_search_leaves_the_position_as_it_was():
    cells = read(game_positions(1, 30)[-1])
    before = cells[:]
    think(cells, dict.fromkeys(ways(cells), 0), effort(3_000, never))
    assert cells == before
