"""Feral, as a player meets it."""

import json
import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from menagerie.games import GAMES, squares
from menagerie.games.chance import lot, shuffled
from menagerie.games.feral import GAME, FeralPosition
from menagerie.games.feral.board import ANIMALS, SIZES
from menagerie.games.feral.setup import board_drawn_in_order
from menagerie.games.feral.why_not import reasons
from menagerie.games.position import BLACK, SEATS, VIEWERS, WHITE, Outcome, other
from menagerie.games.refusals import (
    BadOption,
    BadPosition,
    GameOver,
    IllegalMove,
    NotYourTurn,
)

CASES = json.loads((Path(__file__).parent.parent / "golden" / "feral.json").read_text())
EXAMPLE = "KSACBO/HFURLG/6/6/glrufh/obcask b - - 0 1"
SEED = bytes(range(32))


def set_up(pieces, side="w", activated="-", size="full", passes=0, turn=9):
    """A position from pieces like `Gb5 sa4`; in the full size the lions stay out of the way."""
    letters = {piece[1:]: piece[0] for piece in pieces.split()}
    if size == "full":
        for lion, square in (("L", "f6"), ("l", "a1")):
            if lion not in letters.values():
                letters[square] = lion
    board = squares.board_text(letters, SIZES[size].files, 6)
    beach, is_enemy = ("6", str.islower) if side == "w" else ("1", str.isupper)
    invaded = any(square[1] == beach and is_enemy(own) for square, own in letters.items())
    threat = "!" if invaded else "-"
    return FeralPosition.parse(f"{board} {side} {activated} {threat} {passes} {turn}")


def moves_of(position, square):
    return {move for move in position.moves(position.side) if move.startswith(square)}


def play(position, *texts):
    for text in texts:
        position = position.play(position.side, text)
    return position


def reason(position, text, seat=None):
    with pytest.raises(IllegalMove) as refusal:
        position.check(seat or position.side, text)
    return refusal.value.reason


def told(outcome):
    return outcome and {"winner": outcome.winner, "reason": outcome.reason}


# The cases


@pytest.mark.parametrize("case", CASES["moves"], ids=lambda case: case["position"])
def test_the_legal_moves_of_the_cases(case):
    position = FeralPosition.parse(case["position"])
    assert position.moves(position.side) == sorted(case["moves"])


@pytest.mark.parametrize(
    "case", CASES["plays"] + CASES["endings"], ids=lambda case: case["position"]
)
def test_the_plays_of_the_cases(case):
    after = play(FeralPosition.parse(case["position"]), case["move"])
    assert after.text() == case["after"]
    assert told(after.outcome()) == case["outcome"]


@pytest.mark.parametrize("case", CASES["lines"], ids=lambda case: case["position"])
def test_the_lines_of_the_cases(case):
    position = FeralPosition.parse(case["position"])
    for step in case["steps"]:
        position = play(position, step["move"])
        assert position.text() == step["after"]
        assert told(position.outcome()) == step["outcome"]


def perft(position, plies):
    moves = position.moves(position.side)
    if plies == 1:
        return len(moves)
    return sum(perft(play(position, move), plies - 1) for move in moves)


@pytest.mark.parametrize("case", CASES["perft"], ids=lambda case: case["position"])
def test_perft(case):
    position = FeralPosition.parse(case["position"])
    assert [perft(position, plies) for plies in (1, 2, 3)] == case["counts"][:3]


# The setup


def test_the_example_of_the_page_is_drawn():
    order = "OGBLCRAUSFKH"
    assert board_drawn_in_order(SIZES["full"], order).text() == EXAMPLE.split(" ", maxsplit=1)[0]


@pytest.mark.parametrize("size", SIZES)
def test_the_seed_draws_the_animals_in_the_order_of_its_shuffle(size):
    letters = {ANIMALS[letter]: letter for letter in SIZES[size].letters}
    names = sorted(letters)
    order = [letters[name] for name in shuffled(names, SEED, "setup")]
    start = FeralPosition.start({"size": size}, SEED)
    assert start.board == board_drawn_in_order(SIZES[size], order)


@pytest.mark.parametrize("size", SIZES)
def test_both_rows_are_full_and_the_armies_mirror_each_other(size):
    for n in range(50):
        text = FeralPosition.start({"size": size}, bytes([n] * 32)).text()
        ranks = text.split(" ")[0].split("/")
        files = str(SIZES[size].files)
        assert ranks[2:4] == [files, files]
        assert ranks == [rank[::-1].swapcase() for rank in reversed(ranks)]
        assert sorted("".join(ranks[:2])) == sorted(SIZES[size].letters)


def test_yellow_animals_begin_on_the_beach_and_green_ones_on_the_grass():
    for n in range(50):
        ranks = FeralPosition.start({}, bytes([n] * 32)).text().split("/")
        assert set("oca") <= set(ranks[5].split(" ")[0])
        assert set("gul") <= set(ranks[4])


def test_lots_decide_who_begins_unless_the_creator_fixes_it():
    begun = {FeralPosition.start({}, bytes([n] * 32)).side for n in range(20)}
    assert begun == set(SEATS)
    assert FeralPosition.start({"first": "random"}, SEED).side == SEATS[lot(SEED)]
    for seat in SEATS:
        assert FeralPosition.start({"first": seat}, SEED).to_move() == (seat,)


def test_the_full_game_is_the_default():
    assert FeralPosition.start({}, SEED).board == FeralPosition.start({"size": "full"}, SEED).board


@pytest.mark.parametrize("options", [{"size": "huge"}, {"first": "ann"}, {"colour": "red"}])
def test_an_option_the_game_has_not_is_refused(options):
    with pytest.raises(BadOption):
        FeralPosition.start(options, SEED)


# A turn


def test_the_first_turn_is_one_activation():
    after = play(FeralPosition.parse(EXAMPLE), "a2-a3")
    assert after.to_move() == (WHITE,)
    assert after.text().endswith(" w - - 0 2")


def test_two_different_animals_are_activated_in_a_turn():
    position = set_up("Sb5 Rd5 sb2")
    first = play(position, "b5-b4")
    assert first.to_move() == (WHITE,)
    assert first.activated == "S"
    assert not moves_of(first, "b4")
    assert play(first, "d5-d4").to_move() == (BLACK,)


def test_a_turn_ends_after_one_activation_when_no_second_is_possible():
    after = play(set_up("Sb5 sb2", size="beginner"), "b5-b4")
    assert after.to_move() == (BLACK,)
    assert after.passes == 0


def test_a_side_without_animals_must_pass():
    position = set_up("sb2", size="beginner")
    assert position.moves(WHITE) == ["pass"]
    after = play(position, "pass")
    assert (after.side, after.passes, after.turn) == (BLACK, 1, 10)
    assert position.details(WHITE)[0]["kind"] == "pass"


def test_a_side_that_is_walled_in_must_pass():
    position = set_up("Sa1 Rb1 Kc1 od1", size="beginner")
    assert position.moves(WHITE) == ["pass"]


def test_passes_keep_their_value_through_the_whole_turn():
    position = set_up("Sb5 Rd5 sb2", passes=1)
    first = play(position, "b5-b4")
    assert first.passes == 1
    assert play(first, "d5-d4").passes == 0


def test_an_animal_moved_by_another_may_still_be_activated():
    after = play(set_up("Ub5 Sb4 sb1"), "b5*b4")
    assert "b3-b2" in after.moves(WHITE)


def test_the_activated_letter_stays_though_the_animal_has_left_the_board():
    after = play(set_up("Bb5 sb4 Rd5 rd2"), "b5*b4")
    assert after.text().split(" ")[2] == "B"
    assert FeralPosition.parse(after.text()) == after


# The animals


def test_every_animal_moves_one_square_forward_or_sideways():
    assert moves_of(set_up("Bc3"), "c3") == {"c3-c2", "c3-b3", "c3-d3"}
    assert moves_of(set_up("bc3", side="b"), "c3") == {"c3-c4", "c3-b3", "c3-d3"}


def test_bee_takes_itself_and_friend_or_foe_away():
    position = set_up("Bb5 Sb4 sa5")
    assert {"b5*b4", "b5*a5"} <= moves_of(position, "b5")
    assert not {"b5", "a5"} & play(position, "b5*a5").board.pieces.keys()


def test_rabbit_hops_over_one_animal_but_never_back():
    position = set_up("Rc3 sc2 Sc4 Gb3 Ud3 oe3")
    assert moves_of(position, "c3") == {"c3*a3", "c3*c1"}


def test_gorilla_at_the_edge_throws_its_neighbour_into_the_water():
    assert moves_of(set_up("Ga4 sa3 Sb4"), "a4") >= {"a4*a3>~", "a4*b4>~", "a4*a3>a5", "a4*b4>a5"}
    assert "b4*b3>~" not in moves_of(set_up("Gb4 sb3"), "b4")
    assert "b6*b5>~" in moves_of(set_up("Gb6 sb5"), "b6")


def test_crab_and_partner_may_walk_in_single_file():
    position = set_up("Cb4 sb3")
    assert {m for m in moves_of(position, "b4") if "*" in m} == {
        "b4*b3>b2",
        "b4*b3>a3",
        "b4*b3>c3",
    }
    after = play(position, "b4*b3>b2")
    assert (after.board.pieces["b3"], after.board.pieces["b2"]) == ("C", "s")


def test_crab_does_not_drown_its_partner():
    assert "a4*a3>~" not in moves_of(set_up("Ca4 sa3"), "a4")
    assert moves_of(set_up("Ca2 sa1 lf1"), "a2") == {"a2-b2", "a2*a1>b1"}


def test_bull_pushes_the_whole_line_and_the_last_one_drowns_at_the_edge():
    after = play(set_up("Ud4 sc4 Sb4 ra4"), "d4*c4")
    pieces = after.board.pieces
    assert (pieces["b4"], pieces["a4"], pieces["d4"]) == ("s", "S", "U")
    assert "r" not in pieces.values()
    assert "c4" not in pieces


def test_octopus_pulls_everything_between_up_to_itself():
    after = play(set_up("Oa4 sc4 Sd4 rf4"), "a4*f4")
    assert [after.board.pieces.get(square) for square in ("b4", "c4", "d4", "f4")] == [
        "s",
        "S",
        "r",
        None,
    ]


def test_octopus_may_pull_the_nearer_ones_only():
    after = play(set_up("Oa4 sc4 Sd4 rf4"), "a4*c4")
    assert (after.board.pieces["b4"], after.board.pieces["f4"]) == ("s", "r")


def test_kangaroo_jumps_over_anything_and_turns():
    position = set_up("Kc5 sc4 rb5")
    landings = {move for move in moves_of(position, "c5") if "*" in move}
    assert landings == {"c5*a5", "c5*e5", "c5*c3", "c5*c1", "c5*a3", "c5*e3"}


def test_kangaroo_needs_one_free_way_of_the_two():
    assert "c5*e3" in moves_of(set_up("Kc5 sc3"), "c5")
    assert "c5*e3" not in moves_of(set_up("Kc5 sc3 re5"), "c5")


def test_snake_winds_forward_once_or_twice():
    assert {move for move in moves_of(set_up("Sc5"), "c5") if "*" in move} == {
        "c5*b4",
        "c5*d4",
        "c5*a3",
        "c5*c3",
        "c5*e3",
    }


def test_lion_steps_diagonally_forward_once():
    assert {move for move in moves_of(set_up("Lc5"), "c5") if "*" in move} == {"c5*b4", "c5*d4"}


def test_fox_makes_an_enemy_walk_by_its_own_forward():
    assert moves_of(set_up("Fc3 sb3"), "c3") >= {"c3*b3-b4", "c3*b3-a3", "c3*b3*a4", "c3*b3*c4"}
    assert "c3*b3-b2" not in moves_of(set_up("Fc3 sb3"), "c3")


def test_a_forced_bee_may_remove_itself_and_the_fox():
    after = play(set_up("Fc3 bb3"), "c3*b3*c3")
    assert not {"b3", "c3"} & after.board.pieces.keys()


def test_a_forced_gorilla_may_throw_the_fox_that_began_into_the_water():
    assert "b3*a3*b3>~" in moves_of(set_up("Fb3 ga3"), "b3")


def test_a_forced_fox_may_not_be_drowned_by_what_it_forces():
    position = set_up("Fa5 fa4 Ga3")
    assert "a5*a4*a3*a4>b3" in position.moves(WHITE)
    assert reason(position, "a5*a4*a3*a4>~") == "in_chain"


def test_a_forced_fox_may_not_force_the_fox_that_began():
    assert reason(set_up("Fc3 fc4"), "c3*c4*c3-c2") == "in_chain"


def test_a_chain_of_forcing_runs_on_through_chameleons():
    position = set_up("Fc4 hc3 fc2 Sb3")
    assert {"c4*c3*F:b3-b2", "c4*c3*F:b3*a2"} <= set(position.moves(WHITE))
    assert reason(position, "c4*c3*F:c4-c5") == "not_forward_or_sideways"
    assert reason(position, "c4*c3*F:c4-b4") == "in_chain"


def test_anglerfish_swaps_any_two_neighbours_and_itself_too():
    position = set_up("Ab5 sc2 rc3 Sb6")
    assert {move for move in moves_of(position, "b5") if "*" in move} == {"b5*c2=c3", "b5*b5=b6"}
    assert play(position, "b5*b5=b6").board.pieces["b6"] == "A"


def test_chameleon_copies_its_own_side_only():
    position = set_up("Hb4 Kb5 sb3")
    copies = {move for move in moves_of(position, "b4") if ":" in move}
    assert copies == {"b4*K:d4", "b4*K:f4", "b4*K:b2", "b4*K:d2"}


def test_chameleon_as_bee_goes_itself_and_may_take_the_bee_along():
    after = play(set_up("Hb4 Bb5 sb3"), "b4*B:b3")
    assert after.board.pieces["b5"] == "B"
    assert not {"b4", "b3"} & after.board.pieces.keys()
    assert not {"b4", "b5"} & play(set_up("Hb4 Bb5 sb3"), "b4*B:b5").board.pieces.keys()


def test_chameleon_as_lion_never_wins():
    after = play(set_up("Hb2 Lb3"), "b2*L:c1")
    assert after.outcome() is None


def test_chameleon_as_fox_forces_from_its_own_square():
    position = set_up("Hb4 Fb5 sb3 rc5")
    assert "b4*F:b3-a3" in position.moves(WHITE)
    assert "b4*F:c5-d5" not in position.moves(WHITE)


def test_details_tell_a_front_end_what_to_highlight():
    position = set_up("Fb3 ga3 Sc5")
    details = {detail["move"]: detail for detail in position.details(WHITE)}
    assert list(details) == position.moves(WHITE)
    assert details["b3*a3*b3>~"] == {
        "move": "b3*a3*b3>~",
        "from": "b3",
        "to": "a3",
        "actor": "F",
        "kind": "fox",
        "targets": ["a3", "b3"],
        "changes": {"b3": None},
    }
    assert details["c5-c4"] == {
        "move": "c5-c4",
        "from": "c5",
        "to": "c4",
        "actor": "S",
        "kind": "move",
        "targets": [],
        "changes": {"c5": None, "c4": "S"},
    }


def test_the_view_is_the_same_for_all():
    position = set_up("Fb3 ga6 Sc5", activated="S", turn=12)
    position = FeralPosition.parse(position.text().replace(" S ", " F "))
    for viewer in VIEWERS:
        assert position.view(viewer) == {
            "pieces": {"a1": "l", "a6": "g", "b3": "F", "c5": "S", "f6": "L"},
            "activated": "F",
            "threat": True,
            "passes": 0,
            "turn": 12,
        }


# Refusals

REFUSED = [
    ("bad_move_text", set_up("Sb5"), ("", "hello", "b5", "b5-", "b5-b4 ", "B5-b4", "b5-b4-b3")),
    ("bad_move_text", set_up("Gb5 sb4"), ("b5*b4", "b5*b4=b3", "b5*G:b4>b3", "b5*b4-b3")),
    (
        "bad_move_text",
        set_up("Sb5"),
        ("b5*a4>~", "b5*Z:a4", "b5*" * 13 + "b4", "b5-b\N{SUPERSCRIPT FOUR}"),
    ),
    ("bad_move_text", set_up("Ab5 sc4 rc5"), ("b5*c5=c4", "b5*c4=c4", "b5*c4")),
    ("bad_move_text", set_up("Fb5 sb4"), ("b5*b4", "b5*b4*b3>b2", "b5*F:b4-b3")),
    ("bad_move_text", set_up("Hb5 Gb4"), ("b5*b4>b3", "b5*G:b4", "b5*GG:b4")),
    ("no_piece", set_up("Sb5"), ("c3-c2", "c3*c2", "c3*c2>~", "g1-g2", "z9-z8")),
    ("not_your_piece", set_up("Sb5 sb2"), ("b2-b3", "b2*c3", "b2*c3>c4", "a1-a2")),
    ("already_activated", set_up("Sb5 Rc5", activated="S"), ("b5-b4", "b5*c4", "b5-b6")),
    ("not_forward_or_sideways", set_up("Sb4"), ("b4-b5", "b4-c3", "b4-b4", "b4-d6", "b4*a5")),
    ("not_forward_or_sideways", set_up("Rb4 sb5"), ("b4*b6", "b4*c3", "b4*d2")),
    ("not_forward_or_sideways", set_up("Kb4 Cd4 sd3"), ("b4*b6", "d4*d3>d4", "d4*d3>e2")),
    ("not_forward_or_sideways", set_up("Fb4 sb3"), ("b4*b3-b2", "b4*b3*c2")),
    ("off_board", set_up("Sa1 Kb2 lf1"), ("a1-a0", "b2*b0", "a1-g1")),
    ("off_board", set_up("Ca3 sb3"), ("a3*b3>a3", "a3*a0>b0")),
    ("off_board", set_up("Gf4 Ab4"), ("f4*g4>f5", "f4*f5>g4", "b4*f4=g4")),
    ("off_board", set_up("Sd3", size="beginner"), ("d3-e3", "d3*e2")),
    ("off_board", set_up("Fa2 Ue2 Hb3 Od2"), ("a2*a0-a1", "e2*e0", "b3*O:b0", "d2*d0")),
    ("occupied", set_up("Sb5 sb4 rc4"), ("b5-b4", "b5*c4")),
    ("occupied", set_up("Gb5 sb4 ra5"), ("b5*b4>a5", "b5*b4>b5")),
    ("occupied", set_up("Rb5 sb4 rb3"), ("b5*b3",)),
    ("occupied", set_up("Cb5 sc5 rd5 gc4"), ("b5*c5>d5", "b5*c5>c4")),
    ("not_adjacent", set_up("Sb5 Bc3 rc5"), ("b5-b3", "c3*c5", "c3*d4", "c3*c3")),
    ("not_adjacent", set_up("Gb4 sb3 rc5"), ("b4*b3>~", "b4*b3>d4", "b4*c5>c4")),
    ("not_adjacent", set_up("Ab5 sc2 rc4"), ("b5*c2=c4", "b5*b5=c4")),
    ("not_adjacent", set_up("Fb5 Ue5 sb3 Cc3 re3"), ("b5*b3-b4", "e5*e3", "c3*e3>f3")),
    ("no_target", set_up("Bb5 Uc4 Ge5"), ("b5*b4", "c4*c3", "e5*e4>d5", "e5*f5>e4")),
    ("no_target", set_up("Oa4 Rc5 Cd3 Ab2"), ("a4*e4", "c5*c3", "d3*d2>d1", "b2*e5=e6")),
    ("no_target", set_up("Fb5"), ("b5*b4-b3", "b5*b4*b3")),
    ("wrong_target_side", set_up("Fb5 Sb4"), ("b5*b4-b3", "b5*b4*c3")),
    ("wrong_target_side", set_up("Hb4 gb5"), ("b4*G:b5>a4",)),
    ("no_effect", set_up("Oa4 sb4 Kd5 Ge3 re2"), ("a4*b4", "d5*d5", "e3*e2>e2")),
    ("no_effect", set_up("Fc5 oc4 sc3 Rb4"), ("c5*c4*c3", "c5*c4*b4")),
    ("no_path", set_up("Oa4 sb3 Kd5 rd3"), ("a4*b3", "d5*d2", "d5*d1", "d5*c5")),
    ("no_path", set_up("Sc5 sb4 Lf4 Rb5"), ("c5*a3", "c5*c4", "f4*f2", "f4*d2", "b5*b2")),
    ("no_path", set_up("Kc5 sc3 re5"), ("c5*e3",)),
    ("cannot_copy", set_up("Hb4 Gd4 rb5"), ("b4*G:b5>a4", "b4*H:K:b2", "b4*S:a3")),
    ("cannot_copy", set_up("Fc4 hc3 gd2"), ("c4*c3*K:c5",)),
    ("in_chain", set_up("Fa5 fa4 Ga3"), ("a5*a4*a3*a4>~",)),
    ("in_chain", set_up("Fb6 fa6 Ha5 Ub5"), ("b6*a6*a5*U:a6",)),
    ("in_chain", set_up("Fc3 fc4 sb3"), ("c3*c4*c3-c2", "c3*c4*c3*b3-b4")),
    ("pass_not_allowed", set_up("Sb5"), ("pass",)),
]


@pytest.mark.parametrize(("code", "position", "texts"), REFUSED, ids=lambda value: str(value)[:24])
def test_a_refusal_names_the_reason(code, position, texts):
    for text in texts:
        assert (text, reason(position, text)) == (text, code)


def test_every_reason_of_the_page_has_an_example():
    page = [
        "bad_move_text",
        "no_piece",
        "not_your_piece",
        "already_activated",
        "not_forward_or_sideways",
        "off_board",
        "occupied",
        "not_adjacent",
        "no_target",
        "wrong_target_side",
        "no_effect",
        "no_path",
        "cannot_copy",
        "in_chain",
        "pass_not_allowed",
        "turn_over",
    ]
    assert list(GAME.refusals) == page
    assert {code for code, _, _ in REFUSED} == set(page) - {"turn_over"}


def test_where_several_reasons_fit_the_first_of_the_page_is_given():
    position = set_up("Fb5 se4 Sd5")
    assert reason(position, "b5*e4-e2") == "not_forward_or_sideways"
    assert reason(position, "b5*e4-e7") == "off_board"
    assert reason(position, "b5*e4-e5") == "not_adjacent"
    assert reason(position, "d5-d7") == "not_forward_or_sideways"
    assert reason(position, "g9-g8") == "no_piece"


def test_a_pass_is_the_only_move_of_a_side_that_must_pass():
    position = set_up("Sa1 Rb1 Kc1 od1", size="beginner")
    position.check(WHITE, "pass")
    assert reason(position, "a1-b1") == "occupied"


def test_the_other_side_is_refused():
    with pytest.raises(NotYourTurn):
        set_up("Sb5 sb2").check(BLACK, "b2-b3")


def test_a_game_that_is_over_takes_no_moves():
    position = set_up("Lb1 lb2 Sb5")
    assert position.outcome() == Outcome(WHITE, "lion_home")
    assert position.to_move() == ()
    assert position.moves(WHITE) == []
    with pytest.raises(GameOver):
        position.check(WHITE, "b5-b4")


# Position texts


@pytest.mark.parametrize(
    "text",
    [
        EXAMPLE,
        "O1sK/U1R1/1C1B/kg1G/1r1u/1bc1 w B ! 0 10",
        "4/4/4/4/4/4 b - - 1 11",
        "3BlA/3GL1/UC2s1/2R2k/ha2u1/ogbc1f b u - 0 19",
        "6/6/6/6/6/L5 w - - 0 1",
    ],
)
def test_a_position_text_comes_out_as_it_went_in(text):
    assert FeralPosition.parse(text).text() == text


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "bad_position_text"),
        ("4/4/4/4/4/S3 w - - 0", "bad_position_text"),
        ("4/4/4/4/4/S3 w - - 0 1 ", "bad_position_text"),
        ("4/4/4/4/4/S3 x - - 0 1", "bad_position_text"),
        ("4/4/4/4/4/S3 w ? - 0 1", "bad_position_text"),
        ("4/4/4/4/4/S3 w - + 0 1", "bad_position_text"),
        ("4/4/4/4/4/S3 w - - 2 1", "bad_position_text"),
        ("4/4/4/4/4/S3 w - - 0 0", "bad_position_text"),
        ("4/4/4/4/4/S3 w - - 0 01", "bad_position_text"),
        ("5/5/5/5/5/5 w - - 0 1", "bad_board"),
        ("4/4/4/4/4 w - - 0 1", "bad_board"),
        ("4/4/4/6/4/4 w - - 0 1", "bad_board"),
        ("22/4/4/4/4/4 w - - 0 1", "bad_board"),
        ("\N{SUPERSCRIPT FOUR}/4/4/4/4/4 w - - 0 1", "bad_board"),
        ("\N{ARABIC-INDIC DIGIT FOUR}/4/4/4/4/4 w - - 0 1", "bad_board"),
        ("4/4/L3/4/4/4 w - - 0 1", "bad_board"),
        ("4/4/4/4/4/SS2 w - - 0 1", "doubled_piece"),
        ("6/6/6/6/6/6 w - - 0 1", "lions_missing"),
        ("l5/6/6/6/6/L5 w - ! 0 1", "lions_home"),
        ("4/4/4/s3/4/r3 b s - 0 1", "bad_activated"),
        ("4/4/4/s3/4/4 b S - 0 2", "bad_activated"),
        ("4/4/4/s3/4/4 b l - 0 2", "bad_activated"),
        ("4/4/4/s3/4/4 b s - 0 2", "bad_activated"),
        ("4/4/4/s3/4/S3 b - - 0 2", "bad_threat"),
        ("4/4/4/s3/4/4 b - ! 0 2", "bad_threat"),
        ("4/4/4/s3/4/4 b - - 1 1", "bad_passes"),
    ],
)
def test_a_position_that_cannot_be_is_refused(text, code):
    with pytest.raises(BadPosition) as refusal:
        FeralPosition.parse(text)
    assert refusal.value.reason == code


def test_in_the_middle_of_a_turn_the_threat_is_taken_as_given():
    for threat in "-!":
        text = f"4/4/4/s3/4/S3 b r {threat} 0 2"
        assert FeralPosition.parse(text).text() == text


def test_a_game_that_is_over_is_no_bad_position():
    assert FeralPosition.parse("6/6/6/6/6/L5 w - - 0 1").outcome() == Outcome(WHITE, "lion_lost")
    assert FeralPosition.parse("6/6/6/6/6/l5 w - - 0 1").outcome() == Outcome(BLACK, "lion_lost")
    assert FeralPosition.parse("l5/6/6/6/L5/6 w - ! 0 1").outcome() == Outcome(BLACK, "lion_home")


# Ends


def test_a_lion_that_comes_home_wins_at_once():
    after = play(set_up("Lb2 lc5 Sb5"), "b2*c1")
    assert after.outcome() == Outcome(WHITE, "lion_home")
    assert after.to_move() == ()
    assert after.text().split(" ")[1:3] == ["w", "L"]


def test_a_lion_is_home_whoever_moved_it_there():
    assert play(set_up("Ub3 lb5 Sb4"), "b3*b4").outcome() == Outcome(BLACK, "lion_home")


def test_a_lion_in_the_water_loses():
    assert play(set_up("Ga4 la3 Sb5"), "a4*a3>~").outcome() == Outcome(WHITE, "lion_lost")
    assert play(set_up("Ga4 La3 Sb5"), "a4*a3>~").outcome() == Outcome(BLACK, "lion_lost")


def test_an_invader_that_holds_out_a_whole_turn_wins():
    after = play(set_up("Sb4 Rd5 gb6 rc2"), "b4-b3", "d5-d4")
    assert after.outcome() == Outcome(BLACK, "beach")


def test_any_enemy_on_the_beach_at_the_end_of_the_turn_counts():
    position = set_up("Ub5 Kf5 gb6 cc5 rc2")
    after = play(position, "b5*b6", "f5*d5")
    assert after.outcome() is None
    after = play(set_up("Ub5 Fc4 gb6 cc5 rc2"), "b5*b6", "c4*c5-c6")
    assert after.outcome() == Outcome(BLACK, "beach")


def test_an_enemy_that_arrives_during_the_turn_is_no_threat_yet():
    after = play(set_up("Fc4 Kf5 cc5 rc2"), "c4*c5-c6", "f5*d5")
    assert after.outcome() is None


def test_a_defender_snatches_the_game_from_an_invader_with_its_lion():
    position = set_up("Lb2 lc5 Sb5 ge6")
    assert play(position, "b5-b4", "b2*c1").outcome() == Outcome(WHITE, "lion_home")


def test_two_passed_turns_in_a_row_are_a_draw():
    position = set_up("", size="beginner")
    assert play(position, "pass").outcome() is None
    assert play(position, "pass", "pass").outcome() == Outcome(None, "stalemate")


def test_an_invader_beats_the_second_pass():
    position = set_up("sb6", size="beginner", passes=1)
    assert play(position, "pass").outcome() == Outcome(BLACK, "beach")


SHUTTLE = ("a5-b5", "d2-c2", "b5-a5", "c2-d2")


def test_the_third_time_the_same_position_comes_up_is_a_draw():
    position = set_up("Sa5 sd2", size="beginner")
    after = play(position, *SHUTTLE, *SHUTTLE[:3])
    assert after.outcome() is None
    assert play(after, SHUTTLE[3]).outcome() == Outcome(None, "repetition")


def test_a_game_that_was_put_away_remembers_its_repetitions():
    position = play(set_up("Sa5 sd2", size="beginner"), *SHUTTLE, *SHUTTLE[:3])
    loaded = FeralPosition.load(json.loads(json.dumps(position.dump())))
    assert loaded == position
    assert play(loaded, SHUTTLE[3]).outcome() == Outcome(None, "repetition")
    parsed = FeralPosition.parse(position.text())
    assert play(parsed, SHUTTLE[3]).outcome() is None


def test_the_same_board_with_the_other_side_to_move_is_no_repetition():
    position = play(set_up("Sa5 sd2", size="beginner"), *SHUTTLE)
    assert position.skip(WHITE).skip(BLACK).outcome() == Outcome(None, "repetition")
    assert position.skip(WHITE).outcome() is None


def test_positions_before_an_animal_left_are_forgotten():
    position = play(set_up("Sa5 Bb3 rb2 sd2 kc2", size="beginner"), "a5-a4")
    assert len(position.seen) == 1
    assert not play(position, "b3*b2").seen.keys() & position.seen.keys()


# Turns that the clock skips


def test_a_skipped_turn_is_the_other_sides_turn():
    after = set_up("Sb5 sb2", passes=1).skip(WHITE)
    assert (after.side, after.passes, after.turn) == (BLACK, 0, 10)
    assert after.outcome() is None


def test_what_is_left_of_a_turn_is_forfeited():
    after = play(set_up("Sb5 Rd5 sb2"), "b5-b4").skip(WHITE)
    assert after.text().endswith(" b - - 0 10")


def test_an_invader_wins_when_the_clock_skips_the_defence():
    assert set_up("Sb5 gb6").skip(WHITE).outcome() == Outcome(BLACK, "beach")


def test_the_first_turn_can_be_skipped_and_the_second_has_two_activations():
    after = FeralPosition.parse(EXAMPLE).skip(BLACK)
    assert after.turn == 2
    assert play(after, after.moves(WHITE)[0]).to_move() == (WHITE,)


def test_a_skipped_turn_between_two_passes_saves_the_game_from_stalemate():
    position = play(set_up("", size="beginner"), "pass")
    assert play(position.skip(BLACK), "pass").outcome() is None


# Properties


def turned_square(square, files):
    return squares.turned(square, files, 6)


def turned_text(text, files):
    """The same move when the board is turned by 180 degrees."""
    turned = re.sub("[a-f][1-6]", lambda found: turned_square(found.group(), files), text)
    return re.sub(r"(..)=(..)$", lambda pair: "=".join(sorted(pair.groups())), turned)


def turned_position(position):
    """The same position when the board is turned by 180 degrees and the sides are swapped."""
    board, side, activated, *rest = position.text().split(" ")
    fields = (board[::-1].swapcase(), "b" if side == "w" else "w", activated.swapcase(), *rest)
    return FeralPosition.parse(" ".join(fields))


def game_played(size, seed) -> Iterator[FeralPosition]:
    """The positions of a game played at random."""
    luck = random.Random(seed)
    position = FeralPosition.start({"size": size}, luck.randbytes(32))
    yield position
    while position.outcome() is None and position.turn < 60:
        position = play(position, luck.choice(position.moves(position.side)))
        yield position


def crowd(size, seed):
    """A position with animals thrown together anyhow, so that rare actions meet."""
    luck = random.Random(seed)
    corner = [a + b for a in "abcd" for b in "2345"]
    both = SIZES[size].letters + SIZES[size].letters.lower()
    animals = luck.sample(both, luck.randint(2, 14))
    if size == "full":
        animals = list(dict.fromkeys(["L", "l", *luck.sample("FfHhGgUu", 5), *animals]))[:16]
    pieces = zip(animals, luck.sample(corner, len(animals)), strict=True)
    position = set_up(" ".join(a + b for a, b in pieces), side=luck.choice("wb"), size=size)
    if luck.random() < 0.5 and position.moves(position.side) != ["pass"]:
        return play(position, luck.choice(position.moves(position.side)))
    return position


seeds = st.integers(0, 2**32)
sizes = st.sampled_from(list(SIZES))


@settings(max_examples=12, deadline=None)
@given(sizes, seeds)
def test_a_game_turned_by_180_degrees_has_the_turned_moves(size, seed):
    files = SIZES[size].files
    for position in game_played(size, seed):
        if position.outcome() is not None:
            break
        turned = turned_position(position)
        assert turned.moves(turned.side) == sorted(
            turned_text(move, files) for move in position.moves(position.side)
        )


@settings(max_examples=100, deadline=None)
@given(sizes, seeds)
def test_a_crowd_turned_by_180_degrees_has_the_turned_moves(size, seed):
    position = crowd(size, seed)
    turned = turned_position(position)
    assert turned.moves(turned.side) == sorted(
        turned_text(move, SIZES[size].files) for move in position.moves(position.side)
    )


@settings(max_examples=20, deadline=None)
@given(sizes, seeds)
def test_a_game_is_told_and_put_away_without_loss(size, seed):
    for position in game_played(size, seed):
        assert FeralPosition.parse(position.text()).text() == position.text()
        loaded = FeralPosition.load(json.loads(json.dumps(position.dump())))
        assert loaded == position
        assert loaded.moves(loaded.side) == position.moves(position.side)


@settings(max_examples=60, deadline=None)
@given(sizes, seeds)
def test_every_move_changes_the_board_as_its_details_say(size, seed):
    position = crowd(size, seed)
    seat = position.side
    before = position.board.pieces
    for detail in position.details(seat):
        if detail["kind"] == "pass":
            continue
        after = play(position, detail["move"]).view(seat)["pieces"]
        changed = {
            square for square in before.keys() | after if before.get(square) != after.get(square)
        }
        assert changed
        assert detail["changes"] == {square: after.get(square) for square in changed}
        assert len(set(after.values())) == len(after)
        assert set(after.values()) <= set(before.values())


@settings(max_examples=60, deadline=None)
@given(sizes, seeds)
def test_a_position_never_lets_the_side_that_is_not_to_move_play(size, seed):
    position = crowd(size, seed)
    assert position.moves(other(position.side)) == []


def random_square(luck):
    return luck.choice("abcdefg") + luck.choice("01234567")


def random_rest(luck, depth=3):
    """Something that might follow `from*`."""
    square = random_square(luck)
    rests = [
        square,
        f"{square}>{random_square(luck)}",
        f"{square}>~",
        f"{square}={random_square(luck)}",
    ]
    if depth:
        rests.append(f"{luck.choice(list(ANIMALS))}:{random_rest(luck, depth - 1)}")
        rests.append(random_text(luck, depth - 1))
    return luck.choice(rests)


def random_text(luck, depth=3):
    if luck.random() < 0.3:
        return f"{random_square(luck)}-{random_square(luck)}"
    return f"{random_square(luck)}*{random_rest(luck, depth)}"


def spoilt(luck, text):
    """The text with one letter another one, or one more, or one less."""
    at = luck.randrange(len(text))
    signs = "abcdef123456*->=:~AFHGUKS"
    return text[:at] + luck.choice([*signs, ""]) + text[at + luck.choice((0, 1)) :]


def texts_to_try(luck, position):
    for seat in SEATS:
        told_by = FeralPosition(position.board, seat, None, False, 0, 9, {})
        legal = told_by.moves(seat)
        yield from legal
        for _ in range(60):
            yield spoilt(luck, luck.choice(legal))
    for _ in range(60):
        yield random_text(luck)
        at = luck.choice([*position.board.pieces, "a1"])
        yield f"{at}*{random_rest(luck)}"


@settings(max_examples=120, deadline=None)
@given(sizes, seeds)
def test_exactly_the_listed_moves_are_accepted_and_all_else_has_a_reason(size, seed):
    luck = random.Random(seed)
    position = crowd(size, seed)
    if position.outcome() is not None:
        return
    listed = set(position.moves(position.side))
    for text in texts_to_try(luck, position):
        if text in listed:
            position.check(position.side, text)
            asked = (position.board, position.side, position.activated)
            assert text == "pass" or not list(reasons(*asked, text))
        else:
            assert reason(position, text) in GAME.refusals


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=60))
def test_no_text_whatever_breaks_the_referee(text):
    position = FeralPosition.parse(EXAMPLE)
    assert reason(position, text) == "bad_move_text"
    with pytest.raises(BadPosition):
        FeralPosition.parse(text)


# The game's description


def test_the_service_knows_feral():
    assert GAMES["feral"] is GAME
    assert GAME.default_preset in GAME.presets
    assert GAME.presets[GAME.default_preset] == {
        "type": "fischer",
        "initial_ms": 15 * 60_000,
        "increment_ms": 10_000,
    }
    assert GAME.complete({}) == {"size": "full", "first": "random"}
    assert list(GAME.end_reasons) == ["lion_home", "lion_lost", "beach", "stalemate", "repetition"]


def test_the_board_of_either_size_is_described():
    for name, size in SIZES.items():
        described = GAME.board["sizes"][name]
        assert described["files"] == size.files
        assert described["animals"] == list(size.letters)
        beaches = described["squares"]["beaches"]
        assert {square[1] for square in beaches[WHITE]} == {"6"}
        assert {square[1] for square in beaches[BLACK]} == {"1"}
