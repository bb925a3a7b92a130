"""Jungle, against its page, its golden cases, and an oracle that reads the page anew."""

import json
import random
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as bounded
from hypothesis import strategies as st

from menagerie.games import GAMES
from menagerie.games.jungle import GAME, REFUSALS, START, JunglePosition
from menagerie.games.position import BLACK, WHITE, Outcome, Position, Seat, other
from menagerie.games.refusals import (
    BadOption,
    BadPosition,
    GameOver,
    IllegalMove,
    NotYourTurn,
    Refusal,
)
from menagerie.games.squares import all_squares, board_text, turned

GOLDEN = json.loads((Path(__file__).parent.parent / "golden" / "jungle.json").read_text())
SQUARES = all_squares(7, 9)
TEXTS = [origin + target for origin, target in product(SQUARES, SQUARES)]


def jungle(
    pieces: str,
    side: str = "w",
    white_trail: str = "-",
    black_trail: str = "-",
    quiet: int = 0,
    ply: int = 0,
) -> JunglePosition:
    """A position from letters and squares: `jungle("Ea3 rg7")`."""
    board = board_text({token[1:]: token[0] for token in pieces.split()}, 7, 9)
    return JunglePosition.parse(f"{board} {side} {white_trail} {black_trail} {quiet} {ply}")


def reason(position: JunglePosition, text: str) -> str | None:
    """The code with which the side to move is refused this move; None if it may make it."""
    try:
        position.check(position.side, text)
    except IllegalMove as refusal:
        assert refusal.detail
        return refusal.reason
    return None


def line(position: JunglePosition, moves: str) -> JunglePosition:
    """The position after these moves, by the sides in turn."""
    for text in moves.split():
        position = position.play(position.side, text)
    return position


def lone(position: JunglePosition, moves: str) -> JunglePosition:
    """The position after these moves of one side, whose opponent misses every turn."""
    for text in moves.split():
        position = position.play(position.side, text)
        position = position.skip(position.side)
    return position


def start() -> JunglePosition:
    return JunglePosition.parse(START)


# Golden cases


@pytest.mark.parametrize("case", GOLDEN["moves"], ids=lambda case: ",".join(case["tags"]))
def test_legal_moves_are_those_of_the_golden_cases(case: dict) -> None:
    position = JunglePosition.parse(case["position"])
    assert position.moves(position.side) == sorted(case["moves"])
    assert position.moves(other(position.side)) == []
    outcome = case["outcome"]
    assert position.outcome() == (outcome and Outcome(**outcome))


@pytest.mark.parametrize("case", GOLDEN["plays"], ids=lambda case: ",".join(case["tags"]))
def test_moves_lead_where_the_golden_cases_say(case: dict) -> None:
    position = JunglePosition.parse(case["position"])
    after = position.play(position.side, case["move"])
    assert after.text() == case["result"]
    outcome = case["outcome"]
    assert after.outcome() == (outcome and Outcome(**outcome))


def perft(position: JunglePosition, plies: int) -> int:
    moves = position.moves(position.side)
    if plies == 1:
        return len(moves)
    return sum(perft(position.play(position.side, text), plies - 1) for text in moves)


@pytest.mark.parametrize(
    ("position", "plies", "count"),
    [
        pytest.param(case["position"], int(plies), count, id=f"{case['tags'][0]}-{plies}")
        for case in GOLDEN["perft"]
        for plies, count in case["perft"].items()
        if count < 300_000
    ],
)
def test_perft(position: str, plies: int, count: int) -> None:
    assert perft(JunglePosition.parse(position), plies) == count


def test_perft_from_the_start_is_what_is_widely_published() -> None:
    assert [perft(start(), plies) for plies in (1, 2, 3)] == [24, 576, 12_240]


# Each refusal by name

REFUSED = [
    ("bad_move_text", jungle("Ea3 rg7"), "a3-a4"),
    ("no_piece", jungle("Ea3 rg7"), "b3b4"),
    ("not_your_piece", jungle("Ea3 rg7"), "g7g6"),
    ("own_piece_there", jungle("Ea3 Ca4 rg7"), "a3a4"),
    ("not_adjacent", jungle("Ea3 rg7"), "a3a5"),
    ("into_own_den", jungle("Ed2 rg7"), "d2d1"),
    ("into_water", jungle("Eb3 rg7"), "b3b4"),
    ("leap_blocked", jungle("Lb3 rb5"), "b3b7"),
    ("too_strong", jungle("Ca3 da4"), "a3a4"),
    ("from_water", jungle("Rb4 ea4"), "b4a4"),
    ("no_power", jungle("Ed8 cd7"), "d8d7"),
    ("barred_by_repetition", jungle("Wa3 rg7", white_trail="a4a3a4a3a4a3"), "a3a4"),
]


@pytest.mark.parametrize(("code", "position", "text"), REFUSED, ids=[code for code, *_ in REFUSED])
def test_every_refusal_is_met(code: str, position: JunglePosition, text: str) -> None:
    assert reason(position, text) == code
    with pytest.raises(IllegalMove):
        position.play(position.side, text)


def test_the_codes_are_those_of_the_page_in_its_order() -> None:
    assert list(REFUSALS) == [code for code, *_ in REFUSED]
    assert GAME.refusals == REFUSALS


@pytest.mark.parametrize(
    "text",
    ["", "a3", "a3a", "a3a44", " a3a4", "a3a4\n", "A3a4", "a3A4", "h1a1", "a0a1", "a1a0",
     "a3xa4", "a3a4a5", "٣٣٣٣", "a٣a4", "pass", "\ud800", "a" * 10_000],
)  # fmt: skip
def test_a_text_that_is_not_two_squares_is_a_bad_move_text(text: str) -> None:
    assert reason(start(), text) == "bad_move_text"


@pytest.mark.parametrize(
    ("first", "second", "position", "text"),
    [
        ("no_piece", "own_piece_there", jungle("Ea3 rg7"), "b3a3"),
        ("no_piece", "not_adjacent", jungle("Ea3 rg7"), "b3g9"),
        ("not_your_piece", "own_piece_there", jungle("Ea3 ra4"), "a4a3"),
        ("not_your_piece", "not_adjacent", jungle("Ea3 rg7"), "g7a1"),
        ("own_piece_there", "standing still", jungle("Ea3 rg7"), "a3a3"),
        ("own_piece_there", "not_adjacent", jungle("Ea3 Cg1 rg7"), "a3g1"),
        ("own_piece_there", "into_water", jungle("Eb3 Rb4 rg7"), "b3b4"),
        ("own_piece_there", "leap_blocked", jungle("Lb3 Cb7 Rb5 rg7"), "b3b7"),
        ("own_piece_there", "barred", jungle("Wa3 Ca4 rg7", "w", "a4a3a4a3a4a3"), "a3a4"),
        ("not_adjacent", "into_own_den", jungle("Ea1 rg7"), "a1d1"),
        ("not_adjacent", "into_water", jungle("Ea1 rg7"), "a1b5"),
        ("not_adjacent", "a leap of another", jungle("Pb3 rg7"), "b3b7"),
        ("not_adjacent", "too_strong", jungle("Ca1 eg7"), "a1g7"),
        ("not_adjacent", "from_water", jungle("Rb5 eg7"), "b5g7"),
        ("not_adjacent", "no_power", jungle("Ed8 cd6"), "d8d6"),
        ("into_water", "too_strong", jungle("Ea4 rb4"), "a4b4"),
        ("into_water", "a capture it could make", jungle("Ca4 rb4"), "a4b4"),
        ("leap_blocked", "too_strong", jungle("Lb3 rb5 eb7"), "b3b7"),
        ("leap_blocked", "barred", jungle("Lb3 rb5", "w", "b7b3b7b3b7b3"), "b3b7"),
        ("too_strong", "no_power", jungle("Cd8 pd7"), "d8d7"),
        ("too_strong", "barred", jungle("Ca3 ea4", "w", "a4a3a4a3a4a3"), "a3a4"),
        ("from_water", "barred", jungle("Rb4 ea4", "w", "a4b4a4b4a4b4"), "b4a4"),
    ],
)
def test_where_several_refusals_fit_the_first_of_the_page_is_given(
    first: str, second: str, position: JunglePosition, text: str
) -> None:
    assert reason(position, text) == first


# Movement


def test_white_begins() -> None:
    assert start().to_move() == (WHITE,)


def test_the_start_is_the_same_for_every_seed_and_has_no_options() -> None:
    assert JunglePosition.start({}, bytes(32)) == JunglePosition.start({}, b"\xff" * 32) == start()
    with pytest.raises(BadOption, match="size"):
        JunglePosition.start({"size": "full"}, bytes(32))


def test_the_side_not_to_move_is_refused_whatever_it_sends() -> None:
    with pytest.raises(NotYourTurn):
        start().play(BLACK, "a7a6")
    with pytest.raises(NotYourTurn):
        start().play(BLACK, "nonsense")
    assert start().moves(BLACK) == []
    assert start().details(BLACK) == []


def test_animals_go_one_square_up_down_left_or_right() -> None:
    assert jungle("Pd7 rg1").moves(WHITE) == ["d7c7", "d7d6", "d7d8", "d7e7"]
    assert jungle("Pa1 rg9").moves(WHITE) == ["a1a2", "a1b1"]
    assert jungle("Pg9 ra1").moves(WHITE) == ["g9f9", "g9g8"]


def test_only_the_rat_swims() -> None:
    assert reason(jungle("Rb3 ra9"), "b3b4") is None
    for letter in "ELTPWDC":
        assert reason(jungle(f"{letter}b3 ra9"), "b3b4") == "into_water"


@pytest.mark.parametrize("leaper", ["L", "T"])
@pytest.mark.parametrize(
    ("origin", "landings"),
    [
        ("b3", ["b7"]), ("b7", ["b3"]), ("c3", ["c7"]), ("e3", ["e7"]), ("f7", ["f3"]),
        ("a4", ["d4"]), ("g6", ["d6"]), ("d5", ["a5", "g5"]), ("d3", []), ("a3", []),
    ],
)  # fmt: skip
def test_lion_and_tiger_leap_straight_across_water(
    leaper: str, origin: str, landings: list[str]
) -> None:
    position = jungle(f"{leaper}{origin} rg9")
    leaps = [d["to"] for d in position.details(WHITE) if d["leap"]]
    assert leaps == landings


@pytest.mark.parametrize("rat", ["R", "r"])
@pytest.mark.parametrize("square", ["b4", "b5", "b6"])
def test_a_rat_of_either_colour_in_the_water_leapt_over_stops_the_leap(
    rat: str, square: str
) -> None:
    position = jungle(f"Tb3 {rat}{square} cg9")
    assert reason(position, "b3b7") == "leap_blocked"


def test_a_rat_in_other_water_stops_no_leap() -> None:
    assert reason(jungle("Tb3 rc5"), "b3b7") is None
    assert reason(jungle("Td5 re5"), "d5a5") is None


def test_no_animal_but_lion_and_tiger_leaps() -> None:
    for letter in "EPWDCR":
        assert reason(jungle(f"{letter}b3 rg9"), "b3b7") == "not_adjacent"


def test_a_leap_captures() -> None:
    after = jungle("Lb3 tb7 rg9").play(WHITE, "b3b7")
    assert after.view(WHITE)["pieces"] == {"b7": "L", "g9": "r"}


# Capture

STRENGTH = "RCDWPTLE"


@pytest.mark.parametrize(("attacker", "victim"), list(product(STRENGTH, STRENGTH)))
def test_a_piece_takes_its_equals_and_the_weaker(attacker: str, victim: str) -> None:
    position = jungle(f"{attacker}a3 {victim.lower()}a2")
    can = STRENGTH.index(attacker) >= STRENGTH.index(victim)
    if {attacker, victim} == {"R", "E"}:
        can = attacker == "R"
    assert reason(position, "a3a2") == (None if can else "too_strong")


def test_rat_in_water_cannot_take_the_elephant_but_one_on_land_can() -> None:
    assert reason(jungle("Rb4 ea4"), "b4a4") == "from_water"
    assert reason(jungle("Ra5 ea4"), "a5a4") is None


@pytest.mark.parametrize(("origin", "target"), [("b4", "a4"), ("a4", "b4"), ("b4", "b5")])
def test_rat_takes_rat_across_the_bank_and_in_the_water(origin: str, target: str) -> None:
    assert reason(jungle(f"R{origin} r{target}"), origin + target) is None


def test_an_intruder_on_a_trap_may_be_taken_by_any_animal() -> None:
    assert reason(jungle("Rd3 ed2"), "d3d2") is None
    assert reason(jungle("Cc2 ec1"), "c2c1") is None
    assert reason(jungle("Ee2 re1"), "e2e1") is None


def test_an_intruder_on_a_trap_has_no_power_to_capture() -> None:
    for weaker in "rcdwptle":
        assert reason(jungle(f"Ed8 {weaker}d7"), "d8d7") in ("no_power", "too_strong")
    assert reason(jungle("Ed8 cd7"), "d8d7") == "no_power"
    assert reason(jungle("Ed8 cg1"), "d8d7") is None


def test_on_an_own_trap_nothing_changes() -> None:
    assert reason(jungle("Cd3 pd2 rg9"), "d3d2") is None
    assert reason(jungle("Ed2 cd3"), "d2d3") is None
    assert reason(jungle("Cd7 pd8 rg9"), "d7d8") == "too_strong"


# Repetition


def test_a_shuttle_is_barred_on_its_seventh_move() -> None:
    position = lone(jungle("Wa3 rg9"), "a3a4 a4a3 a3a4 a4a3 a3a4 a4a3")
    assert position.trails[WHITE] == ("a4", "a3", "a4", "a3", "a4", "a3")
    assert reason(position, "a3a4") == "barred_by_repetition"
    assert position.view(WHITE)["barred"] == ["a3", "a4"]
    assert position.moves(WHITE) == ["a3a2", "a3b3"]


def test_a_shuttle_is_barred_against_an_opponent_who_moves_too() -> None:
    position = line(start(), "a3a4 a7a6 a4a3 a6a5 a3a4 a5b5 a4a3 b5b6 a3a4 b6b7 a4a3 b7a7")
    assert reason(position, "a3a4") == "barred_by_repetition"
    assert reason(position.skip(WHITE), "a7a6") is None


def test_a_square_four_loop_is_barred_on_its_eighteenth_move_and_not_before() -> None:
    position = jungle("Wa1 rg9")
    for nth in range(17):
        position = lone(position, ["a1a2", "a2b2", "b2b1", "b1a1"][nth % 4])
        assert (position.barred() == frozenset()) == (nth < 16)
    assert reason(position, "a2b2") == "barred_by_repetition"
    assert reason(position, "a2a1") == "barred_by_repetition"
    assert position.moves(WHITE) == ["a2a3"]
    assert position.view(WHITE)["barred"] == ["a1", "a2", "b1", "b2"]


def test_a_loop_of_six_squares_is_never_barred() -> None:
    position = jungle("Wa1 rg9")
    for nth in range(60):
        position = lone(position, ["a1a2", "a2a3", "a3b3", "b3b2", "b2b1", "b1a1"][nth % 6])
        assert position.barred() == frozenset()
    assert len(position.trails[WHITE]) == 17


def test_seven_three_looks_at_the_last_seven_entries_and_no_further() -> None:
    assert jungle("Wa2 rg9", white_trail="a3a4a3a2b2b3a3a2").barred() == frozenset()
    seven = jungle("Wa3 rg9", white_trail="a3a4a3a2b2b3a3")
    assert seven.view(WHITE)["barred"] == ["a3"]
    assert reason(jungle("Lb7 rg9", white_trail="b3b2b3a3b3b7"), "b7b3") == "barred_by_repetition"


def test_seventeen_entries_of_five_squares_bar_all_five() -> None:
    trail = "a2a1b1b2c2b2b1a1a2b2b1a1a2b2b1a1a2"
    position = jungle("Wa2 rg9", white_trail=trail)
    assert position.view(WHITE)["barred"] == ["a1", "a2", "b1", "b2", "c2"]
    assert jungle("Wa2 rg9", white_trail=trail[2:]).barred() == frozenset()


def test_bars_bind_the_animal_of_the_trail_alone() -> None:
    position = jungle("Wa3 Ca5 rg9", white_trail="a4a3a4a3a4a3")
    assert reason(position, "a5a4") is None
    assert reason(position, "a3a4") == "barred_by_repetition"


def test_a_move_of_another_animal_starts_the_trail_anew() -> None:
    position = lone(jungle("Wa3 Cg1 rg9"), "a3a4 a4a3 a3a4 a4a3 a3a4 a4a3 g1g2")
    assert position.trails[WHITE] == ("g2",)
    assert reason(position, "a3a4") is None


def test_entering_any_trap_empties_the_trail() -> None:
    assert lone(jungle("Wd4 rg9"), "d4d3 d3d2").trails[WHITE] == ()
    assert lone(jungle("Wd6 rg9"), "d6d7 d7d8").trails[WHITE] == ()
    shuttle = lone(jungle("Wd3 rg9"), "d3d2 d2d3 " * 12)
    assert shuttle.trails[WHITE] == ("d3",)
    assert reason(shuttle, "d3d2") is None


def test_a_trail_is_emptied_when_its_animal_is_captured() -> None:
    after = jungle("Wa3 ca4 rg9", white_trail="a2a3", black_trail="a5a4").play(WHITE, "a3a4")
    assert after.trails == {WHITE: ("a2", "a3", "a4"), BLACK: ()}


def test_a_trail_is_left_alone_when_another_animal_is_captured() -> None:
    after = jungle("Wa3 ca4 rg9", black_trail="f9g9").play(WHITE, "a3a4")
    assert after.trails[BLACK] == ("f9", "g9")


def test_a_missed_turn_leaves_trails_quiet_and_ply_alone() -> None:
    position = jungle("Wa3 rg9", "w", "a4a3", "g8g9", quiet=7, ply=40)
    missed = position.skip(WHITE)
    assert missed.text() == position.text().replace(" w ", " b ")
    assert missed.to_move() == (BLACK,)


def test_a_barred_capture_is_illegal_too() -> None:
    position = jungle("Wa3 ca4 rg9", white_trail="a4a3a4a3a4a3")
    assert reason(position, "a3a4") == "barred_by_repetition"


# The end


def test_entering_the_enemy_den_wins() -> None:
    after = jungle("Rd8 rg9").play(WHITE, "d8d9")
    assert after.outcome() == Outcome(WHITE, "den")
    after = jungle("Rg1 rd2", "b").play(BLACK, "d2d1")
    assert after.outcome() == Outcome(BLACK, "den")


def test_capturing_the_last_enemy_piece_wins() -> None:
    after = jungle("Ca3 ra4").play(WHITE, "a3a4")
    assert after.outcome() == Outcome(WHITE, "annihilation")
    assert jungle("ra4").outcome() == Outcome(BLACK, "annihilation")


def test_the_side_that_has_no_legal_move_loses() -> None:
    after = jungle("Eb1 Wa3 ra1 ca9", "w").play(WHITE, "a3a2")
    assert after.outcome() is None
    after = jungle("Eb1 Wa3 ca1", "w").play(WHITE, "a3a2")
    assert after.outcome() == Outcome(WHITE, "no_moves")


def test_a_side_left_with_barred_moves_alone_loses() -> None:
    blocked = jungle("Wa1 Eb1 ca3", "b", black_trail="a2a3a2a3a2a3")
    assert "a3a2" not in blocked.moves(BLACK)
    only = jungle("Ea4 Pb3 da3", "b", black_trail="a2a3a2a3a2a3")
    assert only.outcome() == Outcome(WHITE, "no_moves")


def test_two_hundred_quiet_plies_are_a_draw() -> None:
    after = jungle("Wa3 rg9", quiet=198).play(WHITE, "a3a4")
    assert (after.quiet, after.outcome()) == (199, None)
    after = after.play(BLACK, "g9g8")
    assert (after.quiet, after.outcome()) == (200, Outcome(None, "quiet"))


def test_a_capture_ends_the_quiet() -> None:
    after = jungle("Wa3 ca4 rg9", quiet=199).play(WHITE, "a3a4")
    assert (after.quiet, after.outcome()) == (0, None)


def test_the_den_comes_before_the_draw() -> None:
    after = jungle("Rd8 rg9", quiet=199).play(WHITE, "d8d9")
    assert after.outcome() == Outcome(WHITE, "den")


def test_the_den_comes_before_annihilation() -> None:
    assert jungle("Rd9").outcome() == Outcome(WHITE, "den")


def test_annihilation_comes_before_the_draw() -> None:
    assert jungle("Ra3", quiet=200).outcome() == Outcome(WHITE, "annihilation")


def test_the_draw_comes_before_no_moves() -> None:
    after = jungle("Eb1 Wa3 ca1", quiet=199).play(WHITE, "a3a2")
    assert after.outcome() == Outcome(None, "quiet")


def test_a_missed_turn_may_leave_the_opponent_without_a_move() -> None:
    position = jungle("Eb1 Wa2 ca1", "w")
    assert position.outcome() is None
    assert position.skip(WHITE).outcome() == Outcome(WHITE, "no_moves")


def test_an_ended_game_has_no_moves_and_refuses_any() -> None:
    ended = jungle("Rd9 rg9", "b")
    assert ended.to_move() == ()
    assert ended.moves(BLACK) == ended.moves(WHITE) == []
    for seat in (WHITE, BLACK):
        with pytest.raises(GameOver):
            ended.play(seat, "g9g8")


# Positions that cannot be


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "bad_position_text"),
        (START + " ", "bad_position_text"),
        (START.replace(" w ", "  w "), "bad_position_text"),
        (START.replace(" w ", " W "), "bad_position_text"),
        (START.replace(" w ", " white "), "bad_position_text"),
        (START[:-1] + "-1", "bad_position_text"),
        (START[:-1] + "01", "bad_position_text"),
        (START[:-1] + "+1", "bad_position_text"),
        (START[:-1] + "1\n", "bad_position_text"),
        (START[:-1] + "٣", "bad_position_text"),
        (START[:-1] + "9" * 10_000, "bad_position_text"),
        (START.replace(" - - 0 0", " - - x 0"), "bad_position_text"),
        (START.replace("/7/7/7/", "/7/7/"), "bad_board"),
        (START.replace("/7/7/7/", "/7/7/7/7/"), "bad_board"),
        (START.replace("/7/7/7/", "/7/8/7/"), "bad_board"),
        (START.replace("/7/7/7/", "/7/6/7/"), "bad_board"),
        (START.replace("/7/7/7/", "/7/61/7/"), "bad_board"),
        (START.replace("/7/7/7/", "/7/07/7/"), "bad_board"),
        (START.replace("/7/7/7/", "/7/70/7/"), "bad_board"),
        (START.replace("/7/7/7/", "/7//7/"), "bad_board"),
        (START.replace("l5t", "x5t"), "bad_board"),
        ("99" * 12_000 + "R/7/7/7/7/7/7/7/7 w - - 0 0", "bad_board"),
        ("7/7/7/7/7/7/7/7/7 w - - 0 0", "no_pieces"),
        (START.replace("l5t", "t5t"), "doubled_piece"),
        (START.replace("T5L", "L5L"), "doubled_piece"),
        ("6r/7/7/1E5/7/7/7/7/7 w - - 0 0", "land_animal_in_water"),
        ("6r/7/7/7/4c2/7/7/7/R6 w - - 0 0", "land_animal_in_water"),
        ("6r/7/7/7/7/7/7/7/3E3 w - - 0 0", "piece_in_own_den"),
        ("3r3/7/7/7/7/7/7/7/E6 w - - 0 0", "piece_in_own_den"),
        ("3E3/7/7/7/7/7/7/7/3e3 w - - 0 0", "both_dens_entered"),
        (START.replace(" - - ", " a4 - "), "bad_trail"),
        (START.replace(" - - ", " a7 - "), "bad_trail"),
        (START.replace(" - - ", " - a3 "), "bad_trail"),
        (START.replace(" - - ", " a3a4 - "), "bad_trail"),
        (START.replace(" - - ", " a3a a3 "), "bad_trail"),
        (START.replace(" - - ", " h3 - "), "bad_trail"),
        (START.replace(" - - ", " a3- - "), "bad_trail"),
        (START.replace(" - - ", " A3 - "), "bad_trail"),
        (START.replace(" - -", "  -"), "bad_trail"),
        (START.replace(" - - ", " a1a3 - "), "bad_trail"),
        (START.replace(" - - ", " a3a3 - "), "bad_trail"),
        (START.replace(" - - ", " b7b3a3 - "), "bad_trail"),
        (START.replace(" - - ", " b4b3a3 - "), "bad_trail"),
        (START.replace(" - - ", " " + "a3a4" * 8 + "a3a4 - "), "bad_trail"),
        (START.replace(" - - ", " " + "a3" + "a4a3" * 9 + " - "), "bad_trail"),
        ("6r/7/7/7/7/7/7/3W3/7 w d3d2 - 0 0", "bad_trail"),
        ("6r/7/7/7/7/7/3W3/7/7 w d2d3 - 0 0", "bad_trail"),
        ("6r/7/7/7/7/7/7/7/2W4 w c1 - 0 0", "bad_trail"),
        (START.replace(" 0 0", " 201 0"), "quiet_too_high"),
    ],
)  # fmt: skip
def test_a_position_that_cannot_be_is_refused(text: str, why: str) -> None:
    with pytest.raises(BadPosition) as refused:
        JunglePosition.parse(text)
    assert refused.value.reason == why
    assert refused.value.detail


@pytest.mark.parametrize(
    "text",
    [
        "6r/7/7/1R5/7/7/7/7/7 w - - 0 0",
        "l5t/1d3c1/r1p1w1e/7/7/7/E1W1P1R/1C3D1/T5L w - - 200 0",
        "l5t/1d3c1/r1p1w1e/7/7/7/E1W1P1R/1C3D1/T5L b - - 0 7",
        "6r/7/1T5/7/7/7/7/7/7 w b3b7 - 0 0",
        "6r/7/7/7/7/7/1R5/7/7 w b4b3 - 0 0",
        "3R3/7/7/7/7/7/7/7/r6 b - - 0 0",
        "7/7/7/7/7/7/7/7/r6 b - - 0 0",
        "6r/7/7/7/7/7/W6/7/7 w a3a4a3a4a3a4a3a4a3 - 0 0",
    ],
)
def test_a_position_that_may_be_is_read_and_written_alike(text: str) -> None:
    assert JunglePosition.parse(text).text() == text


@bounded(max_examples=60, deadline=None)
@given(
    st.text(max_size=60)
    | st.lists(
        st.sampled_from(
            ["l5t", "7", "6", "1", "/", "E", "r", " ", "w", "b", "-", "a3", "a4", "0", "200", "9"]
        ),
        max_size=40,
    ).map("".join)
    | st.tuples(st.integers(0, len(START) - 1), st.sampled_from("/ 1270wbEeRr-a3\n")).map(
        lambda change: START[: change[0]] + change[1] + START[change[0] + 1 :]
    )
)
def test_any_text_is_a_position_that_is_written_alike_or_a_bad_position(text: str) -> None:
    try:
        position = JunglePosition.parse(text)
    except BadPosition as refused:
        assert refused.reason
    else:
        assert position.text() == text


# The page read anew: whole random games against an oracle of plain predicates

FILES, RANKS = "abcdefg", "123456789"
WATER = {file + rank for file in "bcef" for rank in "456"}
TRAPS = {WHITE: {"c1", "d2", "e1"}, BLACK: {"c9", "d8", "e9"}}
DEN = {WHITE: "d1", BLACK: "d9"}
LEAPS = {
    pair: water
    for first, second, water in [
        *((f"{f}3", f"{f}7", {f"{f}4", f"{f}5", f"{f}6"}) for f in "bcef"),
        *((f"a{r}", f"d{r}", {f"b{r}", f"c{r}"}) for r in "456"),
        *((f"d{r}", f"g{r}", {f"e{r}", f"f{r}"}) for r in "456"),
    ]
    for pair in ((first, second), (second, first))
}


def is_step(origin: str, target: str) -> bool:
    across = abs(FILES.index(origin[0]) - FILES.index(target[0]))
    along = abs(RANKS.index(origin[1]) - RANKS.index(target[1]))
    return across + along == 1


def expected_reason(text: str, board: dict[str, str], seat: Seat, trail: list[str]) -> str | None:
    """The first code of the page that fits, asked one by one of a bare board."""
    origin, target = text[:2], text[2:]
    mine = str.isupper if seat == WHITE else str.islower
    if origin not in board:
        return "no_piece"
    if not mine(board[origin]):
        return "not_your_piece"
    if target in board and mine(board[target]):
        return "own_piece_there"
    animal = board[origin].upper()
    leap = LEAPS.get((origin, target)) if animal in "LT" else None
    if not is_step(origin, target) and leap is None:
        return "not_adjacent"
    if target == DEN[seat]:
        return "into_own_den"
    if target in WATER and animal != "R":
        return "into_water"
    if leap is not None and leap & set(board):
        return "leap_blocked"
    if target in board:
        victim = board[target].upper()
        helpless = target in TRAPS[seat]
        wins = STRENGTH.index(animal) >= STRENGTH.index(victim)
        if animal + victim in ("RE", "ER"):
            wins = animal == "R"
        if not wins and not helpless:
            return "too_strong"
        if animal + victim == "RE" and origin in WATER:
            return "from_water"
        if origin in TRAPS[other(seat)]:
            return "no_power"
    if trail and trail[-1] == origin:
        lately = trail[-7:].count(target) >= 3
        long = len(trail) == 17 and len(set(trail)) <= 5 and target in trail
        if lately or long:
            return "barred_by_repetition"
    return None


def random_game(seed: int, plies: int, position: JunglePosition) -> Iterator[JunglePosition]:
    """The positions of a game whose players like captures, and shuttle when they see none."""
    luck = random.Random(seed)
    for _ in range(plies):
        yield position
        details = position.details(position.side)
        if not details:
            return
        trail = position.trails[position.side]
        captures = [d for d in details if d["captured"]]
        again = [d for d in details if trail and d["from"] == trail[-1]]
        pick = luck.choice([captures or details, again or details, details])
        position = position.play(position.side, luck.choice(pick)["move"])
        if luck.random() < 0.05 and position.to_move():
            position = position.skip(position.side)
    yield position


STARTS = [START] + [case["position"] for case in GOLDEN["moves"] if case["outcome"] is None]
games = st.builds(
    lambda seed, text: list(random_game(seed, 120, JunglePosition.parse(text))),
    st.integers(0, 2**32),
    st.sampled_from(STARTS),
)


@bounded(max_examples=20, deadline=None)
@given(games, st.randoms(use_true_random=False))
def test_of_all_texts_the_listed_ones_are_accepted_and_each_other_refused_for_its_reason(
    game: list[JunglePosition], luck: random.Random
) -> None:
    for position in luck.sample(game, min(3, len(game))):
        seat, trail = position.side, list(position.trails[position.side])
        board = position.view("spectator")["pieces"]
        listed = set(position.moves(seat))
        if position.outcome() is not None:
            assert not listed
            continue
        for text in TEXTS:
            expected = expected_reason(text, board, seat, trail)
            assert reason(position, text) == expected, (position.text(), text)
            assert (text in listed) == (expected is None), (position.text(), text)


@bounded(max_examples=20, deadline=None)
@given(games)
def test_texts_and_dumps_are_read_back_as_the_same_position(game: list[JunglePosition]) -> None:
    for position in game:
        again = JunglePosition.parse(position.text())
        assert again == position
        assert again.text() == position.text()
        dump = json.loads(json.dumps(position.dump()))
        assert JunglePosition.load(dump) == position
        assert again.moves(position.side) == position.moves(position.side)
        assert again.outcome() == position.outcome()


@bounded(max_examples=20, deadline=None)
@given(games)
def test_details_say_of_every_move_what_happens_on_the_board(game: list[JunglePosition]) -> None:
    for position in game[::7]:
        board = position.view("spectator")["pieces"]
        details = position.details(position.side)
        assert [d["move"] for d in details] == position.moves(position.side)
        for d in details:
            assert d["from"] + d["to"] == d["move"]
            assert (board[d["from"]], board.get(d["to"])) == (d["piece"], d["captured"])
            after = position.play(position.side, d["move"])
            expected = {**board, d["to"]: d["piece"]}
            del expected[d["from"]]
            assert after.view("spectator")["pieces"] == expected
            assert after.quiet == (0 if d["captured"] else position.quiet + 1)
            assert after.ply == position.ply + 1
            assert after.side == other(position.side)


def mirrored(square: str) -> str:
    return FILES[6 - FILES.index(square[0])] + square[1]


def seen_otherwise(position: JunglePosition, turn: bool) -> JunglePosition:
    """The board turned by 180 degrees with the sides swapped, or looked at in a mirror."""
    move = (lambda s: turned(s, 7, 9)) if turn else mirrored
    pieces = position.view("spectator")["pieces"]
    letters = {move(s): letter.swapcase() if turn else letter for s, letter in pieces.items()}
    trails = ["".join(map(move, position.trails[seat])) or "-" for seat in (WHITE, BLACK)]
    side = other(position.side) if turn else position.side
    white, black = reversed(trails) if turn else trails
    board = board_text(letters, 7, 9)
    return JunglePosition.parse(
        f"{board} {side[0]} {white} {black} {position.quiet} {position.ply}"
    )


@pytest.mark.parametrize("turn", [True, False], ids=["turned", "mirrored"])
@bounded(max_examples=20, deadline=None)
@given(game=games)
def test_the_other_side_of_the_board_has_the_same_game(
    turn: bool, game: list[JunglePosition]
) -> None:
    move = (lambda s: turned(s, 7, 9)) if turn else mirrored
    for position in game:
        seen = seen_otherwise(position, turn)
        expected = sorted(move(t[:2]) + move(t[2:]) for t in position.moves(position.side))
        assert seen.moves(seen.side) == expected
        outcome = position.outcome()
        if outcome is not None and outcome.winner and turn:
            outcome = Outcome(other(outcome.winner), outcome.reason)
        assert seen.outcome() == outcome


@bounded(max_examples=20, deadline=None)
@given(games)
def test_every_viewer_sees_the_same(game: list[JunglePosition]) -> None:
    position = game[-1]
    view = position.view("spectator")
    assert view == position.view(WHITE) == position.view(BLACK) == json.loads(json.dumps(view))


@bounded(max_examples=20, deadline=None)
@given(games, st.text(max_size=6))
def test_nothing_but_a_refusal_is_ever_raised(game: list[JunglePosition], text: str) -> None:
    position = game[len(game) // 2]
    for seat in (WHITE, BLACK):
        try:
            assert isinstance(position.play(seat, text), Position)
        except Refusal as refused:
            assert refused.code in ("illegal_move", "not_your_turn", "game_over")


# The game as a front end meets it


def test_the_games_description_names_every_code_that_the_engine_gives() -> None:
    assert GAMES["jungle"] is GAME
    assert set(GAME.end_reasons) == {"den", "annihilation", "no_moves", "quiet"}
    assert {(kind.letter, kind.rank) for kind in GAME.pieces} == {
        (letter, rank) for rank, letter in enumerate(STRENGTH, start=1)
    }
    assert json.loads(json.dumps(GAME.board)) == {
        "files": 7,
        "ranks": 9,
        "squares": {
            "dens": DEN,
            "traps": {seat: sorted(squares) for seat, squares in TRAPS.items()},
            "water": sorted(WATER),
        },
    }
    assert GAME.presets["jungle_classic"]["turn_limit_ms"] == 60_000
    assert GAME.default_preset in GAME.presets


def test_an_option_that_jungle_has_not_is_refused() -> None:
    assert GAME.complete({}) == {}
    with pytest.raises(BadOption, match="no option 'size'"):
        GAME.complete({"size": "full"})
