"""Safari, as a player meets it."""

import json
import random
import re
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from menagerie.games.chance import commitment, lot, shuffled
from menagerie.games.position import BLACK, SEATS, VIEWERS, WHITE, Outcome, other
from menagerie.games.refusals import (
    BadOption,
    BadPosition,
    GameOver,
    IllegalMove,
    NotYourTurn,
    Refusal,
)
from menagerie.games.safari import GAME, SafariPosition
from menagerie.games.safari.cards import COPIES, DECK, in_order
from menagerie.games.safari.notation import read
from menagerie.games.squares import all_squares, board_text, turned

CASES = json.loads((Path(__file__).parent.parent / "golden" / "safari.json").read_text())
SEED = bytes(32)
SQUARES = all_squares(18, 14)
PLACEMENT = "place EBTLWD/XY.CM."
OTHER_PLACEMENT = "place MCX.YE/.BTLWD"
CORNERS = {"X": "a1", "Y": "r1", "x": "a14", "y": "r14"}

seeds = st.integers(0, 2**32)
few = settings(max_examples=12, deadline=None)
some = settings(max_examples=40, deadline=None)


def safari(pieces, hand="-", side="w", quiet=0, ply=0):
    """A position from pieces like `Eg2 mh5`; humans not named stand in their corners."""
    letters = {piece[1:]: piece[0] for piece in pieces.split()}
    for human, corner in CORNERS.items():
        if human not in letters.values():
            letters[corner] = human
    return SafariPosition.parse(f"{board_text(letters, 18, 14)} {side} {hand} {quiet} {ply}")


def moves_of(position, square):
    """The moves of the piece on this square, without the cards."""
    starts = (move.partition(":")[2] for move in position.moves(position.side))
    return {start.removeprefix(square) for start in starts if start.startswith(square)}


def reason(position, text, seat=None):
    with pytest.raises(IllegalMove) as refusal:
        position.check(seat or position.side, text)
    assert refusal.value.detail
    return refusal.value.reason


def set_up(seed=SEED):
    return SafariPosition.start({}, seed).play(WHITE, PLACEMENT).play(BLACK, OTHER_PLACEMENT)


def pieces_of(position):
    return position.view("spectator")["pieces"]


def placed_at_random(rng, seed):
    position = SafariPosition.start({}, seed)
    for seat in rng.sample(SEATS, 2):
        letters = rng.sample("EBTLWDCMXY..", 12)
        position = position.play(seat, f"place {''.join(letters[:6])}/{''.join(letters[6:])}")
    return position


def match_at_random(rng, plies):
    """The positions of a match whose players like captures and cards."""
    seed = rng.randbytes(32)
    position = placed_at_random(rng, seed)
    yield position
    while position.outcome() is None and position.ply < plies:
        moves = position.moves(position.side)
        captures = [move for move in moves if "x" in move]
        joined = [move for move in moves if "+" in move]
        choices = [choice for choice in (captures, joined, moves, moves) if choice]
        position = position.play(position.side, rng.choice(rng.choice(choices)))
        yield position


def in_the_middle(rng, plies=60):
    """A position of a match that still goes on, as a match or as a text knows it."""
    going = [p for p in match_at_random(rng, rng.randrange(plies)) if p.outcome() is None]
    return going[-1]


def crowded(rng):
    """A position with many captures: most pieces within a few squares, some long dead."""
    squares = rng.sample([f"{file}{rank}" for file in "ghijkl" for rank in range(5, 11)], 20)
    animals = [p for p in "EBTLWDCMebtlwdcm" if rng.random() < 0.7]
    pieces = dict(zip(squares, [*animals, *"XYxy"], strict=False))
    dead = [card for card in DECK if card[0] not in animals and card[0] not in "XY*"]
    hand = rng.sample(dead if len(dead) > 6 and rng.random() < 0.3 else DECK, 7)
    board = board_text(pieces, 18, 14)
    return SafariPosition.parse(f"{board} {rng.choice('wb')} {','.join(hand)} 0 0")


# The cases


@pytest.mark.parametrize("case", CASES["moves"], ids=lambda case: ", ".join(case["tags"]))
def test_the_legal_moves_of_the_cases(case):
    position = SafariPosition.parse(f"{case['board']} {case['side']} {','.join(case['hand'])} 0 0")
    moves = position.moves(position.side)
    assert moves == sorted(case["moves"])
    assert len(moves) == case["count"]
    assert expanded(position.compact(position.side)) == moves


@pytest.mark.parametrize("case", CASES["matches"], ids=lambda case: case["reason"])
def test_whole_matches_replay_from_their_seed(case):
    seed = bytes.fromhex(case["seed"])
    assert commitment(seed) == case["commitment"]
    position = SafariPosition.start({}, seed)
    for seat in case["placing_order"]:
        position = position.play(seat, case["placements"][seat])
    assert position.to_move() == (case["begins"],)
    for move in case["moves"]:
        assert position.outcome() is None
        position = position.play(position.side, move)
    assert position.outcome() == Outcome(case["winner"], case["reason"])
    assert position.to_move() == ()
    assert position.text().split(" ")[0] == case["final_board"]
    assert (position.quiet, position.ply) == (case["final_quiet"], case["plies"])
    shown = position.revealed("spectator")
    assert shown["hands"] == case["final_hands"]
    assert shown["played"] == case["final_played"]
    assert shown["draw"] == case["final_draw"]
    assert shown["placements"] == case["placements"]
    assert position.dump()["piles"]["reshuffles"] == case["reshuffles"]


@pytest.mark.parametrize("case", CASES["deals"], ids=lambda case: case["seed"][:8])
def test_the_deals_of_the_cases(case):
    seed = bytes.fromhex(case["seed"])
    assert commitment(seed) == case["commitment"]
    assert lot(seed) == case["lots"]
    deck = shuffled(DECK, seed, "deck")
    assert deck[:7] == case["dealt_white"]
    assert deck[7:14] == case["dealt_black"]
    again = shuffled(DECK, seed, "reshuffle:1")
    assert again[:20] == case["reshuffle_1_of_the_unshuffled_deck_first_20"]
    position = set_up(seed)
    assert position.view(WHITE)["hand"] == case["hand_white"]
    assert position.view(BLACK)["hand"] == case["hand_black"]
    assert position.revealed(WHITE)["draw"][:20] == case["draw_first_20"]
    assert position.view("spectator")["draw_count"] == case["draw_count"]
    assert position.to_move() == (case["begins"],)


# Setup


def test_in_setup_both_may_place_in_either_order():
    start = SafariPosition.start({}, SEED)
    assert start.to_move() == SEATS
    assert start.play(WHITE, PLACEMENT).to_move() == (BLACK,)
    assert start.play(BLACK, PLACEMENT).to_move() == (WHITE,)
    one = start.play(WHITE, PLACEMENT).play(BLACK, OTHER_PLACEMENT)
    two = start.play(BLACK, OTHER_PLACEMENT).play(WHITE, PLACEMENT)
    assert one.dump() == two.dump()


def test_lots_decide_who_begins_once_both_have_placed():
    begins = {set_up(bytes([number] * 32)).to_move() for number in range(8)}
    assert begins == {(WHITE,), (BLACK,)}
    assert all(set_up(bytes([n] * 32)).side == SEATS[lot(bytes([n] * 32))] for n in range(8))


def test_placements_are_no_plies_and_the_last_of_them_ends_the_setup():
    start = SafariPosition.start({}, SEED)
    half = start.play(BLACK, PLACEMENT)
    assert (start.in_setup, half.in_setup, set_up().in_setup) == (True, True, False)
    assert (set_up().ply, set_up().quiet) == (0, 0)


def test_each_side_places_from_its_own_left_front_row_first():
    pieces = pieces_of(set_up())
    assert pieces["g2"] == "E" and pieces["l2"] == "D" and pieces["g1"] == "X"
    assert "i1" not in pieces and "l1" not in pieces and pieces["k1"] == "M"
    assert pieces["l13"] == "m" and pieces["g13"] == "e" and pieces["k14"] == "b"
    assert "i13" not in pieces and "l14" not in pieces and pieces["g14"] == "d"
    assert len(pieces) == 20


def test_a_seat_is_told_what_it_has_to_place():
    start = SafariPosition.start({}, SEED)
    assert start.placement(WHITE) == {
        "squares": ["g2", "h2", "i2", "j2", "k2", "l2", "g1", "h1", "i1", "j1", "k1", "l1"],
        "pieces": list("EBTLWDCMXY"),
    }
    black = start.placement(BLACK)["squares"]
    assert black == [
        "l13",
        "k13",
        "j13",
        "i13",
        "h13",
        "g13",
        "l14",
        "k14",
        "j14",
        "i14",
        "h14",
        "g14",
    ]
    half = start.play(WHITE, PLACEMENT)
    assert half.placement(WHITE) is None
    assert half.placement(BLACK)["squares"] == black


def test_setup_lists_no_moves_and_has_no_position_text():
    for position in (SafariPosition.start({}, SEED), set_up().play(BLACK, "pass")):
        empty = position.in_setup
        assert (position.text() == "") == empty
        assert all((position.text_for(viewer) == "") == empty for viewer in VIEWERS)
        assert (position.moves(WHITE) == []) == empty
    with pytest.raises(BadPosition):
        SafariPosition.parse("")


def test_no_turn_is_missed_in_setup():
    with pytest.raises(IllegalMove) as refusal:
        SafariPosition.start({}, SEED).skip(WHITE)
    assert refusal.value.reason == "still_in_setup"


def test_safari_has_no_options():
    with pytest.raises(BadOption):
        SafariPosition.start({"size": "full"}, SEED)


# Movement


def test_a_piece_goes_around_corners_but_not_out_and_back():
    position = safari("Ei7", "E2")
    assert moves_of(position, "i7") == {
        *("-i8", "-i9", "-j7", "-k7", "-i6", "-i5", "-h7", "-g7"),
        *("-j8", "-j6", "-h8", "-h6"),
    }


def test_own_pieces_close_the_way():
    assert moves_of(safari("Er2 Bq2 Tr3", "E5"), "r2") == set()


@pytest.mark.parametrize(
    ("taker", "victim", "takes"),
    [
        ("E", "b", True),
        ("E", "c", True),
        ("B", "e", False),
        ("M", "e", True),
        ("E", "m", False),
        ("D", "b", True),
        ("B", "d", False),
        ("D", "e", False),
        ("M", "c", False),
        ("B", "m", True),
        ("M", "x", True),
        ("E", "y", True),
        ("X", "m", False),
    ],
)
def test_who_takes_whom(taker, victim, takes):
    position = safari(f"{taker}i7 {victim}i8", f"{taker}1")
    assert ("xi8" in moves_of(position, "i7")) == takes


@pytest.mark.parametrize(("square", "takes"), [("i7", False), ("i8", True)])
def test_a_human_takes_a_human_in_the_opponents_half_only(square, takes):
    position = safari(f"Xh{square[1]} y{square}", "X1")
    assert (f"x{square}" in moves_of(position, f"h{square[1]}")) == takes


def test_identical_animals_are_both_removed_and_the_movement_ends():
    position = safari("Li7 li8", "L4")
    onto = {way for way in moves_of(position, "i7") if "x" in way}
    assert onto == {"xi8"}
    after = position.play(WHITE, "L4:i7xi8")
    assert "i7" not in pieces_of(after) and "i8" not in pieces_of(after)
    assert after.view(WHITE)["dead"] == {
        "white": ["E", "B", "T", "L", "W", "D", "C", "M"],
        "black": ["e", "b", "t", "l", "w", "d", "c", "m"],
    }
    assert after.quiet == 0


def test_after_its_capture_a_piece_goes_on_through_empty_squares_only():
    position = safari("Ei7 ci8 di9", "E2")
    ways = {way for way in moves_of(position, "i7") if "x" in way}
    assert ways == {"xi8", "xi8-i7", "xi8-h8", "xi8-j8"}


def test_a_piece_may_take_and_come_back_to_where_it_stood():
    after = safari("Ei7 ci8", "E2", quiet=9).play(WHITE, "E2:i7xi8-i7")
    assert pieces_of(after)["i7"] == "E" and "i8" not in pieces_of(after)
    assert after.quiet == 0


def test_the_squares_of_stronger_enemies_are_closed():
    assert "-i9" not in moves_of(safari("Ci7 ei8", "C2"), "i7")
    assert "-i9" in moves_of(safari("Ci7 ei8", "C4"), "i7")


# Cards


def test_a_joker_moves_any_own_piece():
    position = safari("Ei7", "*2")
    assert {move[3:5] for move in position.moves(WHITE) if ":" in move} == {"i7", "a1", "r1"}


def test_a_card_of_an_own_dead_animal_moves_any_own_piece_by_one():
    position = safari("Ei7 bi12", "B5")
    assert moves_of(position, "i7") == {"-i8", "-j7", "-i6", "-h7"}
    assert moves_of(position, "a1") == {"-a2", "-b1"}


def test_the_other_sides_loss_makes_no_joker():
    position = safari("Ei7 Bi2", "B5")
    assert moves_of(position, "i7") == set()
    assert "-i7" not in moves_of(position, "i2") and "-i6" in moves_of(position, "i2")


def test_cards_of_one_dead_animal_are_joined_by_number():
    position = safari("Ei7", "B2,B2,B5,D1")
    cards = {move.partition(":")[0] for move in position.moves(WHITE) if ":" in move}
    assert cards == {"B2", "B5", "B2+B2", "B2+B5", "B2+B2+B5", "D1"}
    assert "B2+B2+B5:i7-i10" in position.moves(WHITE)
    assert "B2+B5:i7-i10" not in position.moves(WHITE)


def test_a_pass_may_put_one_card_away():
    position = safari("Ei7 Wi2", "E1,E2,W3")
    passes = [move for move in position.moves(WHITE) if move.startswith("pass")]
    assert passes == ["pass", "pass E1", "pass E2", "pass W3"]


def test_played_cards_lie_in_order_and_are_replaced():
    position = set_up()
    hand, draw = position.view(BLACK)["hand"], position.revealed(BLACK)["draw"]
    after = position.play(BLACK, f"pass {hand[2]}")
    left = [*hand[:2], *hand[3:], draw[0]]
    assert after.view(BLACK)["hand"] == list(in_order(left))
    assert after.view(WHITE)["played"] == [hand[2]]
    assert after.view(WHITE)["draw_count"] == 84
    assert (after.quiet, after.ply) == (1, 1)


def nearly_drawn(left, pieces, hand):
    """A match in play whose draw pile is down to `left` cards."""
    dump = set_up().dump()
    rest = Counter(DECK) - Counter(hand) - Counter(dump["hands"][BLACK])
    cards = sorted(rest.elements())
    for key, value in {"pieces": pieces, "side": WHITE}.items():
        dump[key] = value
    dump["hands"][WHITE] = list(hand)
    dump["piles"] |= {"draw": cards[:left], "played": cards[left:], "reshuffles": 3}
    return SafariPosition.load(dump)


def test_drawing_the_last_card_shuffles_the_played_pile_this_turns_cards_included():
    pieces = {"a1": "X", "r1": "Y", "a14": "x", "r14": "y", "i7": "E"}
    hand = ("B1", "B2", "B5", "T4", "T5", "M5", "*5")
    position = nearly_drawn(2, pieces, hand)
    before = position.dump()["piles"]
    after = position.play(WHITE, "B1+B2+B5:i7-i10")
    expected = shuffled([*before["played"], "B1", "B2", "B5"], SEED, "reshuffle:4")
    piles = after.dump()["piles"]
    drawn = [*before["draw"], expected[0]]
    assert piles["draw"] == expected[1:]
    assert piles["played"] == [] and piles["reshuffles"] == 4
    assert after.view(WHITE)["hand"] == list(in_order(["T4", "T5", "M5", "*5", *drawn]))


def test_the_pile_is_shuffled_at_once_when_nothing_more_is_to_be_drawn():
    pieces = {"a1": "X", "r1": "Y", "a14": "x", "r14": "y", "i7": "E"}
    position = nearly_drawn(1, pieces, ("B1", "B2", "B5", "T4", "T5", "M5", "*5"))
    after = position.play(WHITE, "pass T4").view("spectator")
    assert after["played"] == [] and after["draw_count"] == 85


@few
@given(seeds)
def test_there_are_always_99_cards_and_seven_in_each_hand(number):
    rng = random.Random(number)
    for position in match_at_random(rng, 150):
        dump = position.dump()
        piles, hands = dump["piles"], dump["hands"]
        cards = [*piles["draw"], *piles["played"], *hands[WHITE], *hands[BLACK]]
        assert Counter(cards) == COPIES
        assert position.view(WHITE)["hand_counts"] == {"white": 7, "black": 7}
        assert piles["draw"]


# Refusals


WHY_NOT = [
    ("bad_move_text", "Ei7", "E2", "E2 i7 i8"),
    ("bad_move_text", "Ei7", "E2", "E6:i7-i8"),
    ("bad_move_text", "Ei7", "E2", "E2:i7-i15"),
    ("bad_move_text", "Ei7", "E2", "E2:i07-i8"),
    ("bad_move_text", "Ei7", "E2", "E2:i7-i8-i9"),
    ("bad_move_text", "Ei7 ci8", "E2", "E2:i7xi8-i8"),
    ("bad_move_text", "Ei7", "B2,B5", "B5+B2:i7-i8"),
    ("bad_move_text", "Ei7", "E2", "pass  E2"),
    ("bad_move_text", "Ei7", "E2", "PASS"),
    ("bad_move_text", "Ei7", "E2", "E2:i7-i8\n"),
    ("bad_move_text", "Ei7", "E2", "place EBTLWD/XYCM"),
    ("bad_move_text", "Ei7", "E2", "place ebtlwd/xy.cm."),
    ("not_in_hand", "Ei7", "E2", "E3:i7-i8"),
    ("not_in_hand", "Ei7", "E2", "pass E3"),
    ("not_in_hand", "Ei7", "B2,B5", "B2+B2:i7-i8"),
    ("not_in_hand", "Ei7", "-", "E2:i7-i8"),
    ("wrong_card_for_piece", "Ei7 Ci2", "C2", "C2:i7-i8"),
    ("wrong_card_for_piece", "Ei7", "X2", "X2:i7-i8"),
    ("no_piece", "Ei7", "E2", "E2:i8-i9"),
    ("no_piece", "Ei7", "E2", "E2:i7xi8"),
    ("not_your_piece", "Ei7 ei8", "E2", "E2:i8-i9"),
    ("too_far", "Ei7", "E2", "E2:i7-i10"),
    ("too_far", "Ei7", "B2,B5", "B2+B5:i7-i10"),
    ("too_far", "Ei7 ci8", "E2", "E2:i7xi8-i10"),
    ("too_far", "Ei7 mi10", "E2", "E2:i7xi10"),
    ("blocked", "Ei7 Ci8", "E2", "E2:i7-i8"),
    ("blocked", "Ei7 ci8", "E2", "E2:i7-i8"),
    ("blocked", "Ei7 ci8", "E2", "E2:i7-i9"),
    ("blocked", "Ei7 Ci8", "E2", "E2:i7xi8"),
    ("blocked", "Ei7 ci8 di9", "E3", "E3:i7xi8-i10"),
    ("blocked", "Ei7 ci8 Di9", "E3", "E3:i7xi8-i9"),
    ("blocked", "Ei7 ci8 Ti9", "E4", "E4:i7xi8-i10"),
    ("blocked", "Ei7 ei8", "E3", "E3:i7xi8-i9"),
    ("blocked", "Ei7 xi8", "E3", "E3:i7xi8-i9"),
    ("too_strong", "Ei7 mi8", "E2", "E2:i7xi8"),
    ("too_strong", "Bi7 di8", "B2", "B2:i7xi8"),
    ("too_strong", "Ci7 wi8", "C2", "C2:i7xi8-i9"),
    ("too_strong", "Xi7 mi8", "X2", "X2:i7xi8"),
    ("second_capture", "Ei7 ci8 di9", "E3", "E3:i7xi8-i9"),
    ("human_in_own_half", "Xi6 yi7", "X2", "X2:i6xi7"),
    ("no_movement", "Ei7", "E2", "E2:i7-i7"),
    ("bad_placement", "Ei7", "E2", "place EEBTLW/XY.CM."),
    ("bad_placement", "Ei7", "E2", "place EBTLWD/XYCM.D"),
    ("not_in_setup", "Ei7", "E2", PLACEMENT),
    ("mixed_cards", "Ei7", "B2,D2", "B2+D2:i7-i8"),
    ("mixed_cards", "Ei7", "E2,E5", "E2+E5:i7-i8"),
    ("mixed_cards", "Ei7", "B2,*2", "B2+*2:i7-i8"),
    ("mixed_cards", "Ei7", "*2,*4", "*2+*4:i7-i8"),
]


@pytest.mark.parametrize(("code", "pieces", "hand", "text"), WHY_NOT)
def test_why_a_move_is_refused(code, pieces, hand, text):
    assert reason(safari(pieces, hand), text) == code


def test_the_first_reason_that_fits_is_given():
    position = safari("Ei7 Ci2 mi9", "C2,B2,D2")
    assert reason(position, "E5:i7xi9") == "not_in_hand"
    assert reason(position, "C2:i7xi9") == "wrong_card_for_piece"
    assert reason(position, "B2:i7xi9") == "too_far"
    assert reason(position, "B2+D2:i7xi9") == "too_strong"
    assert reason(position, "B2+D2:i7-i7") == "no_movement"


def test_why_a_placement_is_refused():
    start = SafariPosition.start({}, SEED)
    assert reason(start, "place EBTLWD/XY.CMM", WHITE) == "bad_placement"
    half = start.play(WHITE, PLACEMENT)
    assert reason(half, OTHER_PLACEMENT, WHITE) == "already_placed"
    assert reason(half, "place EBTLWD/XY.CMM", WHITE) == "bad_placement"
    assert reason(set_up(), PLACEMENT, BLACK) == "not_in_setup"


def test_nothing_is_played_in_setup():
    start = SafariPosition.start({}, SEED)
    half = start.play(WHITE, PLACEMENT)
    for position in (start, half):
        for seat in SEATS:
            card = position.view(seat)["hand"][0]
            assert reason(position, "pass", seat) == "still_in_setup"
            assert reason(position, f"pass {card}", seat) == "still_in_setup"
    assert half.view(WHITE)["hand"][0] == "E2"
    assert reason(half, "E2:g2-g4", WHITE) == "still_in_setup"
    assert reason(half, "E2:g2-h2", WHITE) == "blocked"
    assert reason(half, "E1:g2-g3", WHITE) == "not_in_hand"
    assert reason(start, "E2:g2-g3", WHITE) == "no_piece"


def test_every_code_of_the_page_is_met_in_these_tests():
    met = {code for code, *_ in WHY_NOT} | {"already_placed", "still_in_setup"}
    assert met == set(GAME.refusals)


def test_the_seat_out_of_turn_is_told_so_whatever_it_sends():
    position = set_up()
    for text in ("pass", "nonsense", PLACEMENT):
        with pytest.raises(NotYourTurn):
            position.check(WHITE, text)
    assert position.moves(WHITE) == []
    assert position.compact(WHITE) == {"passes": [], "plays": [], "ways": {}}


def mangled(rng, position, moves):
    """A text near a legal one, or far from any."""
    text = rng.choice(moves)
    match rng.randrange(5):
        case 0:
            return text.replace("x", "-") if rng.random() < 0.5 else text.replace("-", "x")
        case 1:
            where = rng.randrange(len(text))
            return text[:where] + rng.choice("EBTLWDCMXY*12345abhijk-x+: ") + text[where + 1 :]
        case 2:
            cards = rng.sample(position.view(position.side)["hand"], rng.randint(1, 3))
            return f"{'+'.join(cards)}:{text.partition(':')[2]}"
        case 3:
            captures = [move for move in moves if re.search("x.*-", move)] or [text]
            return f"{rng.choice(captures).rpartition('-')[0]}-{rng.choice(SQUARES[72:180])}"
        case _:
            near = rng.choice(list(position.pieces))
            return f"{text.partition(':')[0]}:{near}x{rng.choice(list(position.pieces))}"


@some
@given(seeds)
def test_check_accepts_exactly_the_listed_moves(number):
    rng = random.Random(number)
    position = crowded(rng)
    moves = position.moves(position.side)
    listed = set(moves)
    for text in [*rng.sample(moves, min(60, len(moves))), *"xyz", ""]:
        assert (text in listed) == is_accepted(position, text)
    for _ in range(150):
        text = mangled(rng, position, moves)
        assert (text in listed) == is_accepted(position, text), text


def is_accepted(position, text):
    try:
        position.check(position.side, text)
    except IllegalMove as refusal:
        assert refusal.reason in GAME.refusals
        return False
    return True


@some
@given(st.text(max_size=30))
def test_any_other_text_is_a_bad_move_text(text):
    position = set_up()
    if read(text) is None:
        assert reason(position, text) == "bad_move_text"


# Ways, untangled


def expanded(compact):
    """The texts that a compact answer stands for."""
    texts = list(compact["passes"])
    for play in compact["plays"]:
        for square in play["pieces"]:
            for value, opened in compact["ways"][square].items():
                if int(value) <= play["value"]:
                    texts += [f"{play['cards']}:{square}{way}" for way in opened]
    return sorted(texts)


@some
@given(seeds)
def test_the_compact_form_stands_for_exactly_the_listed_moves(number):
    position = crowded(random.Random(number))
    compact = json.loads(json.dumps(position.compact(position.side)))
    assert expanded(compact) == position.moves(position.side)


def test_a_hand_of_thousands_of_moves_stays_small_in_the_compact_form():
    position = safari("Ef7 Bn7 Lc6 We10 Dj4 Cb4 Mm9 Xh6 Yk8", "T1,T2,T2,T3,T3,T4,T5")
    texts, compact = position.moves(WHITE), position.compact(WHITE)
    assert expanded(compact) == texts
    assert len(texts) > 19_000
    assert len(json.dumps(compact)) < len(json.dumps(texts)) / 30


def test_details_tell_what_a_front_end_highlights():
    position = safari("Ei7 ci8", "E2")
    details = {detail["move"]: detail for detail in position.details(WHITE)}
    assert list(details) == position.moves(WHITE)
    assert details["E2:i7xi8-i9"] == {
        "move": "E2:i7xi8-i9",
        "from": "i7",
        "to": "i9",
        "piece": "E",
        "cards": ["E2"],
        "captured": "c",
        "captured_on": "i8",
        "exchange": False,
    }
    assert details["pass E2"] == {
        "move": "pass E2",
        "from": None,
        "to": None,
        "piece": None,
        "cards": ["E2"],
        "captured": None,
        "captured_on": None,
        "exchange": False,
    }
    exchanges = {detail["move"]: detail for detail in safari("Ei7 ei8", "E1").details(WHITE)}
    assert exchanges["E1:i7xi8"]["exchange"] is True
    assert exchanges["E1:i7-i6"]["captured"] is None


# Ends


def test_taking_a_human_wins():
    after = safari("Ci7 yi8", "C1").play(WHITE, "C1:i7xi8")
    assert after.outcome() == Outcome(WHITE, "human_taken")
    assert after.to_move() == () and after.moves(BLACK) == []
    assert after.view("spectator")["dead"]["black"][-1] == "y"
    for seat in SEATS:
        with pytest.raises(GameOver):
            after.check(seat, "pass")


@pytest.mark.parametrize(
    ("side", "pieces", "move", "winner"),
    [("w", "Yi13", "Y1:i13-i14", WHITE), ("b", "xi3", "X2:i3-i1", BLACK)],
)
def test_a_human_on_its_last_rank_wins(side, pieces, move, winner):
    position = safari(pieces, move[:2], side)
    assert position.play(winner, move).outcome() == Outcome(winner, "human_home")


def test_a_human_that_only_crosses_its_last_rank_is_not_home():
    position = safari("Yi13 Ej13", "Y3")
    assert position.play(WHITE, "Y3:i13-h13").outcome() is None
    assert safari("Ei13", "E1").play(WHITE, "E1:i13-i14").outcome() is None


def test_taking_a_human_on_the_last_rank_counts_as_taking():
    after = safari("Xi13 yi14", "X1").play(WHITE, "X1:i13xi14")
    assert after.outcome() == Outcome(WHITE, "human_taken")


def test_two_hundred_plies_without_a_capture_are_a_draw():
    position = safari("Ei7 ci8", "E2", quiet=199)
    assert position.outcome() is None
    assert position.play(WHITE, "pass").outcome() == Outcome(None, "quiet")
    assert position.play(WHITE, "E2:i7-h7").outcome() == Outcome(None, "quiet")
    assert position.play(WHITE, "E2:i7xi8").outcome() is None


def test_coming_home_goes_before_the_draw():
    after = safari("Yi13", "Y1", quiet=199).play(WHITE, "Y1:i13-i14")
    assert after.outcome() == Outcome(WHITE, "human_home")


def test_a_missed_turn_plays_nothing_and_counts_nowhere():
    position = set_up().play(BLACK, "pass")
    after = position.skip(WHITE)
    assert after.to_move() == (BLACK,)
    assert (after.ply, after.quiet) == (1, 1)
    assert after.view(WHITE) == position.view(WHITE)


# What a seat may know


def test_a_seat_sees_its_own_placement_and_a_spectator_an_empty_board():
    half = SafariPosition.start({}, SEED).play(WHITE, PLACEMENT)
    assert half.view(WHITE)["pieces"]["g2"] == "E"
    assert half.view(BLACK)["pieces"] == {} == half.view("spectator")["pieces"]
    for viewer in VIEWERS:
        view = half.view(viewer)
        assert view["phase"] == "setup"
        assert view["placed"] == {"white": True, "black": False}
        assert view["dead"] == {"white": [], "black": []}


def test_the_view_has_the_fields_of_the_contract_and_no_others():
    assert set_up().view(WHITE) == {
        "phase": "play",
        "pieces": pieces_of(set_up()),
        "placed": {"white": True, "black": True},
        "hand": ["E2", "E3", "E4", "L5", "D3", "C1", "*5"],
        "hand_counts": {"white": 7, "black": 7},
        "draw_count": 85,
        "played": [],
        "dead": {"white": [], "black": []},
        "quiet": 0,
    }
    assert set_up().view("spectator")["hand"] is None


def test_a_position_text_shows_the_hand_to_its_owner_alone():
    position = set_up()
    assert position.text_for(BLACK) == position.text()
    assert position.text().split(" ")[1:] == ["b", "B4,T3,T3,L2,W2,C3,Y4", "0", "0"]
    for viewer in (WHITE, "spectator"):
        assert position.text_for(viewer).split(" ")[1:] == ["b", "-", "0", "0"]


def hidden_shuffled(rng, position, viewer):
    """The same to this viewer's knowledge: other hands, another draw pile, another seed."""
    dump = json.loads(json.dumps(position.dump()))
    unseen = [seat for seat in SEATS if seat != viewer]
    cards = [*dump["piles"]["draw"], *(card for seat in unseen for card in dump["hands"][seat])]
    rng.shuffle(cards)
    for seat in unseen:
        dump["hands"][seat] = list(in_order(cards[:7]))
        cards = cards[7:]
    dump["piles"] |= {"draw": cards, "seed": rng.randbytes(32).hex()}
    if position.in_setup:
        for seat in unseen:
            if dump["placements"][seat] is not None:
                letters = "".join(rng.sample("EBTLWDCMXY..", 12))
                dump["placements"][seat] = f"place {letters[:6]}/{letters[6:]}"
    return SafariPosition.load(dump)


def all_that_is_told(position, viewer, texts):
    seat = None if viewer == "spectator" else viewer
    return {
        "view": position.view(viewer),
        "text": position.text_for(viewer),
        "to_move": position.to_move(),
        "outcome": position.outcome(),
        "moves": seat and position.moves(seat),
        "details": seat and position.details(seat),
        "compact": seat and position.compact(seat),
        "placement": seat and position.placement(seat),
        "refusals": seat and [refusal_of(position, seat, text) for text in texts],
    }


def refusal_of(position, seat, text):
    try:
        position.check(seat, text)
    except Refusal as refusal:
        return (refusal.code, refusal.reason, refusal.detail)
    return None


@some
@given(seeds, st.sampled_from(VIEWERS))
def test_positions_that_differ_in_hidden_things_alone_look_the_same(number, viewer):
    rng = random.Random(number)
    position = in_the_middle(rng, 40)
    if rng.random() < 0.4:
        start = SafariPosition.start({}, rng.randbytes(32))
        position = rng.choice([start, *(start.play(seat, PLACEMENT) for seat in SEATS)])
    texts = ["pass", "nonsense", PLACEMENT, *(f"{card}:g2-g3" for card in sorted(COPIES))]
    texts += [f"*{value}:h2xh13" for value in range(1, 6)]
    same = hidden_shuffled(rng, position, viewer)
    assert all_that_is_told(position, viewer, texts) == all_that_is_told(same, viewer, texts)


def test_after_the_match_everything_is_shown_even_when_it_ended_in_setup():
    half = SafariPosition.start({}, SEED).play(WHITE, PLACEMENT)
    shown = half.revealed(BLACK)
    assert shown["pieces"] == half.view(WHITE)["pieces"]
    assert shown["hands"][WHITE] == half.view(WHITE)["hand"]
    assert shown["placements"] == {"white": PLACEMENT, "black": None}
    assert len(shown["draw"]) == 85
    assert shown["hand"] == half.view(BLACK)["hand"]


# Texts and dumps


@few
@given(seeds)
def test_a_dump_is_read_back_whole(number):
    rng = random.Random(number)
    start = SafariPosition.start({}, rng.randbytes(32))
    half = start.play(rng.choice(SEATS), PLACEMENT)
    for position in (start, half, in_the_middle(rng)):
        again = SafariPosition.load(json.loads(json.dumps(position.dump())))
        assert again == position
        assert again.dump() == position.dump()


@few
@given(seeds)
def test_a_match_goes_on_from_its_dump_as_it_would_have(number):
    rng = random.Random(number)
    positions = list(match_at_random(rng, 30))
    again = SafariPosition.load(json.loads(json.dumps(positions[-1].dump())))
    if again.outcome() is None:
        move = rng.choice(again.moves(again.side))
        assert again.play(again.side, move) == positions[-1].play(again.side, move)


@some
@given(seeds)
def test_a_position_text_is_read_back(number):
    position = in_the_middle(random.Random(number), 30)
    again = SafariPosition.parse(position.text())
    assert again.text() == position.text()
    assert again.moves(again.side) == position.moves(position.side)
    assert again.dump() == SafariPosition.load(again.dump()).dump()


def test_after_a_move_on_a_text_the_next_hand_is_not_known():
    after = safari("Ei7", "E2").play(WHITE, "E2:i7-i9")
    assert after.text().split(" ")[1:] == ["b", "-", "1", "1"]
    assert after.moves(BLACK) == ["pass"]
    assert after.compact(BLACK) == {"passes": ["pass"], "plays": [], "ways": {}}
    assert reason(after, "E2:a14-a13", BLACK) == "not_in_hand"
    assert after.play(BLACK, "pass").text().split(" ")[2] == "-"
    view = after.view(BLACK)
    assert view["hand"] is None and view["played"] is None and view["draw_count"] is None


def test_a_hand_is_read_in_any_order_and_written_in_the_pages():
    assert safari("Ei7", "*2,Y1,E5,E2").text().split(" ")[2] == "E2,E5,Y1,*2"


BOARD = "xy16/18/18/18/18/18/18/18/18/18/18/18/18/X16Y"


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("bad_position_text", f"{BOARD} w - 0"),
        ("bad_position_text", f"{BOARD} W - 0 0"),
        ("bad_position_text", f"{BOARD} w E1,,E2 0 0"),
        ("bad_position_text", f"{BOARD} w - 00 0"),
        ("bad_position_text", f"{BOARD} w - 0 -1"),
        ("bad_board", "18/18 w - 0 0"),
        ("bad_board", f"{BOARD.replace('X16Y', 'X15ZY')} w - 0 0"),
        ("doubled_piece", f"{BOARD.replace('X16Y', 'X15YY')} w - 0 0"),
        ("humans_missing", "x17/18/18/18/18/18/18/18/18/18/18/18/18/X17 w - 0 0"),
        ("card_not_in_deck", f"{BOARD} w E6 0 0"),
        ("card_not_in_deck", f"{BOARD} w Z1 0 0"),
        ("card_not_in_deck", f"{BOARD} w E5,E5 0 0"),
        ("bad_hand", f"{BOARD} w E1,E2,E2,E3,E3,E3,E4,E4 0 0"),
    ],
)
def test_a_position_that_cannot_be_is_refused(code, text):
    with pytest.raises(BadPosition) as refusal:
        SafariPosition.parse(text)
    assert refusal.value.reason == code


def test_a_position_whose_game_is_over_is_read():
    taken = SafariPosition.parse(f"{BOARD.replace('xy', '1y')} b E2 0 9")
    assert taken.outcome() == Outcome(WHITE, "human_taken") and taken.moves(BLACK) == []
    home = SafariPosition.parse(f"{BOARD.replace('y16', 'y15Y').replace('16Y', '17')} b E2 0 9")
    assert home.outcome() == Outcome(WHITE, "human_home")
    assert SafariPosition.parse(f"{BOARD} w - 200 300").outcome() == Outcome(None, "quiet")


@pytest.mark.parametrize(("side", "winner"), [("w", BLACK), ("b", WHITE)])
def test_of_two_humans_at_home_the_one_that_moved_last_wins(side, winner):
    position = safari("Xb14 xb1", "E2", side)
    assert position.outcome() == Outcome(winner, "human_home")


# Symmetry


def turned_text(position):
    _, side, *rest = position.text().split(" ")
    letters = {turned(sq, 18, 14): p.symbol.swapcase() for sq, p in position.pieces.items()}
    return " ".join([board_text(letters, 18, 14), "b" if side == "w" else "w", *rest])


def turned_move(text):
    cards, colon, way = text.partition(":")
    return cards + colon + re.sub(r"[a-r]\d+", lambda square: turned(square[0], 18, 14), way)


@some
@given(seeds)
def test_the_turned_board_has_the_turned_moves(number):
    position = crowded(random.Random(number))
    about = SafariPosition.parse(turned_text(position))
    seat = position.side
    outcome = position.outcome()
    assert about.outcome() == (outcome and Outcome(other(outcome.winner), outcome.reason))
    moves = sorted(turned_move(move) for move in position.moves(seat))
    assert moves == about.moves(other(seat))


# The game


def test_the_game_describes_itself():
    assert GAME.position is SafariPosition
    assert GAME.information == "hidden" and GAME.start_position is None
    assert GAME.presets[GAME.default_preset] == {
        "type": "fischer",
        "initial_ms": 1_200_000,
        "increment_ms": 15_000,
    }
    assert "".join(kind.letter for kind in GAME.pieces) == "EBTLWDCMXY"
    assert [kind.rank for kind in GAME.pieces] == [8, 7, 6, 5, 4, 3, 2, 1, None, None]
    assert json.loads(json.dumps([GAME.board, GAME.notation, GAME.presets]))


def test_the_examples_of_the_notation_can_be_read():
    for example in GAME.notation["examples"]:
        if "/" in example and not example.startswith("place"):
            assert SafariPosition.parse(example).text() == example
        else:
            assert read(example) is not None
