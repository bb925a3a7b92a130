import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from menagerie.bots import jungle_board
from menagerie.bots.jungle_board import (
    END,
    KEY,
    LOST,
    OLDER,
    SCORE,
    SIDE,
    SIZE,
    TRAIL,
    after,
    bars,
    captures,
    is_quiet_way,
    quiet_ways,
    read,
    trail_key,
    ways,
)
from menagerie.bots.jungle_tables import PIECE, SQUARE_OF, WAYS, bit
from menagerie.games.jungle import NEIGHBOURS, PIECES, START, JunglePosition
from menagerie.games.position import BLACK, WHITE, other
from tests.bots.positions import endgame, game, game_positions, perft

CASES = json.loads((Path(__file__).parents[1] / "golden" / "jungle.json").read_text())
SEEDS = st.integers(0, 10**9)
DEEPEST_LEAVES = 30_000


def texts(cells):
    return sorted(jungle_board.text(way) for way in ways(cells))


def way_of(cells, move):
    (way,) = [way for way in ways(cells) if jungle_board.text(way) == move]
    return way


def inner_perft(cells, plies):
    if cells[END]:
        return 0
    found = ways(cells)
    if plies == 1:
        return len(found)
    return sum(inner_perft(after(cells, way), plies - 1) for way in found)


@pytest.mark.parametrize("case", CASES["moves"], ids=lambda case: case["position"])
def test_inner_form_finds_the_legal_moves_of_the_cases(case):
    position = JunglePosition.parse(case["position"])
    if position.outcome() is None:
        assert texts(read(position)) == case["moves"]


@pytest.mark.parametrize("case", CASES["plays"], ids=lambda case: " ".join(case["tags"]))
def test_inner_form_plays_the_moves_of_the_cases(case):
    cells = read(JunglePosition.parse(case["position"]))
    played = after(cells, way_of(cells, case["move"]))
    result = JunglePosition.parse(case["result"])
    if case["outcome"] is None:
        assert played == read(result)
    elif case["outcome"]["reason"] == "no_moves":
        assert not played[END] and not ways(played)
    elif case["outcome"]["winner"] is not None:
        assert played[END] == LOST
    else:
        assert played[END] == jungle_board.DRAWN


@pytest.mark.parametrize("case", CASES["perft"], ids=lambda case: case["position"])
def test_inner_form_counts_the_perft_of_the_cases(case):
    cells = read(JunglePosition.parse(case["position"]))
    for plies, leaves in case["perft"].items():
        if leaves <= DEEPEST_LEAVES:
            assert inner_perft(cells, int(plies)) == leaves


@settings(max_examples=20, deadline=None)
@given(SEEDS)
def test_inner_form_agrees_with_the_rules_through_a_game(seed):
    cells = read(JunglePosition.parse(START))
    for move, position in game(seed, 100):
        cells = after(cells, way_of(cells, move))
        if position.outcome() is None:
            assert cells == read(position)
            assert texts(cells) == position.moves(position.side)
        else:
            assert cells[END] or not ways(cells)


@settings(max_examples=40, deadline=None)
@given(SEEDS)
def test_perft_of_inner_form_equals_the_rules_in_games(seed):
    position = game_positions(seed, 3 + seed % 97)[-1]
    assert inner_perft(read(position), 2) == perft(position, 2)


@settings(max_examples=40, deadline=None)
@given(SEEDS)
def test_perft_of_inner_form_equals_the_rules_in_endgames(seed):
    position = endgame(seed, 1 + seed % 2, 1 + seed // 2 % 2)
    assert inner_perft(read(position), 3) == perft(position, 3)


@settings(max_examples=6, deadline=None)
@given(SEEDS)
def test_captures_and_quiet_ways_share_out_the_moves(seed):
    for position in game_positions(seed, 40):
        cells = read(position)
        quiet = quiet_ways(cells)
        taking = {jungle_board.text(way) for way in captures(cells)}
        assert taking == {m for m in position.moves(position.side) if m[2:] in position.pieces}
        assert {jungle_board.text(way) for way in quiet} == set(
            position.moves(position.side)
        ) - taking
        own = [way for way in range(WAYS) if PIECE[way] >> 4 == cells[SIDE]]
        surely = [way for way in own if is_quiet_way(cells, way)]
        assert set(surely) <= set(quiet)
        assert not surely or set(surely) == set(quiet)


def test_after_leaves_the_position_as_it_was():
    cells = read(JunglePosition.parse(CASES["perft"][0]["position"]))
    before = cells[:]
    for way in ways(cells):
        after(cells, way)
    assert cells == before


def test_missed_turn_changes_whose_turn_and_leaves_the_trails():
    position = JunglePosition.parse("7/d6/7/7/7/7/7/6D/7 w g2g3g2g3g2 a8 60 60")
    missed = read(position.skip(position.side))
    now = read(position)
    assert missed[TRAIL:SIDE] == now[TRAIL:SIDE]
    assert missed[KEY] != now[KEY]
    assert missed[SCORE] == -now[SCORE]


# Bars


def bars_of(cells):
    barred = bars(cells[TRAIL + cells[SIDE]], cells[OLDER + cells[SIDE]])
    return {name for name, square in SQUARE_OF.items() if barred & bit(square)}


@settings(max_examples=60, deadline=None)
@given(SEEDS)
def test_bars_of_inner_form_are_those_of_the_rules(seed):
    for position in game_positions(seed, 60):
        assert bars_of(read(position)) == position.barred()


@given(st.lists(st.integers(0, 1), min_size=4, max_size=30))
def test_bars_of_long_walks_are_those_of_the_rules(turns):
    trail = ["a3"]
    for turn in turns:
        trail.append(NEIGHBOURS[trail[-1]][-turn])
    position = JunglePosition(
        {trail[-1]: PIECES["R"], "g9": PIECES["r"]},
        WHITE,
        {WHITE: tuple(trail[-17:]), BLACK: ()},
        0,
        0,
    )
    assert bars_of(read(position)) == position.barred()


def test_random_games_of_these_tests_meet_bars():
    assert sum(bool(p.barred()) for seed in range(10) for p in game_positions(seed, 60)) > 20


def test_seventh_move_of_a_shuttle_is_barred_and_no_earlier_one():
    position = JunglePosition.parse("6d/7/7/7/7/7/7/7/D6 w - - 0 0")
    cells = read(position)
    for move in ["a1a2", "g9g8", "a2a1", "g8g7", "a1a2", "g7g8", "a2a1", "g8g9"]:
        cells = after(cells, way_of(cells, move))
    for move in ["a1a2", "g9g8", "a2a1", "g8g7"]:
        cells = after(cells, way_of(cells, move))
    assert texts(cells) == ["a1b1"]


def test_eighteenth_move_of_a_loop_of_four_is_barred():
    loop = ["a1a2", "a2b2", "b2b1", "b1a1"]
    waits = ["g9g8", "g8g7", "g7f7", "f7f8", "f8f9", "f9g9"]
    cells = read(JunglePosition.parse("6d/7/7/7/7/7/7/7/D6 w - - 0 0"))
    for n in range(17):
        assert loop[n % 4] in texts(cells)
        cells = after(cells, way_of(cells, loop[n % 4]))
        cells = after(cells, way_of(cells, waits[n % 6]))
    assert texts(cells) == ["a2a3"]


@given(st.lists(st.integers(0, 3), min_size=5, max_size=21))
def test_trail_that_shares_its_key_bars_no_way_for_eight_plies(turns):
    trail = ["a3"]
    for turn in turns:
        ways_on = NEIGHBOURS[trail[-1]]
        trail.append(ways_on[turn % len(ways_on)])
    for moves in range(4):
        early, late = trail[: len(trail) - moves], trail[-17:]
        if packed_key(early) == 0:
            barred = bars(*packed(late))
            assert barred & ~bit(SQUARE_OF[trail[-1]]) == 0


def packed(names):
    """A trail as the inner form has it: the newest ten squares, and those before."""
    cells = [0] * SIZE
    for name in names[-17:]:
        jungle_board._enter(cells, 0, SQUARE_OF[name])
    return cells[TRAIL], cells[OLDER]


def packed_key(names):
    return trail_key(*packed(names))


def test_key_tells_whose_turn_it_is():
    position = JunglePosition.parse("6d/7/7/7/7/7/7/7/D6 w - - 0 0")
    assert read(position)[KEY] != read(position.skip(position.side))[KEY]
    assert other(position.side) == position.skip(position.side).side
