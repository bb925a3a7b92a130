from hypothesis import given, settings
from hypothesis import strategies as st

from menagerie.bots.jungle_board import SCORE, read
from menagerie.bots.jungle_eval import WORTH
from menagerie.bots.jungle_tables import PIECE_OF, SQUARE_OF
from menagerie.games import squares
from menagerie.games.jungle import JunglePosition
from menagerie.games.position import WHITE, other
from tests.bots.positions import game_positions


def score(text):
    return read(JunglePosition.parse(text))[SCORE]


def worth(symbol, square):
    return WORTH[PIECE_OF[symbol] << 6 | SQUARE_OF[square]]


def turned(position):
    """The position with the board turned by 180 degrees and the sides exchanged."""
    pieces = {
        squares.turned(name, 7, 9): piece.symbol.swapcase()
        for name, piece in position.pieces.items()
    }
    board = squares.board_text(pieces, 7, 9)
    return JunglePosition.parse(f"{board} {other(position.side)[0]} - - 0 0")


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**9))
def test_both_sides_are_weighed_alike(seed):
    for position in game_positions(seed, 40):
        assert read(position)[SCORE] == read(turned(position))[SCORE]


def test_start_is_level():
    assert score("l5t/1d3c1/r1p1w1e/7/7/7/E1W1P1R/1C3D1/T5L w - - 0 0") == 0


def test_nearer_the_den_is_worth_more():
    assert worth("P", "d7") > worth("P", "d3")
    assert worth("p", "d3") > worth("p", "d7")


def test_gate_of_the_enemy_is_worth_more_than_the_square_before_it():
    assert worth("W", "d8") > worth("W", "d7")


def test_leap_shortens_the_lions_road_but_not_the_leopards():
    assert worth("L", "b3") - worth("L", "a4") > worth("P", "b3") - worth("P", "a4")


def test_rat_is_worth_more_in_the_water():
    assert worth("R", "b5") > worth("R", "a5")


def test_lion_is_worth_more_once_the_elephant_is_gone():
    facing_elephant = score("6e/7/7/7/7/7/7/7/L6 w - - 0 0") + worth("e", "g9")
    facing_lion = score("6l/7/7/7/7/7/7/7/L6 w - - 0 0") + worth("l", "g9")
    assert facing_lion > facing_elephant


def test_rat_is_worth_more_while_the_enemy_elephant_lives():
    facing_elephant = score("6e/7/7/7/7/7/7/7/R6 w - - 0 0") + worth("e", "g9")
    facing_lion = score("6l/7/7/7/7/7/7/7/R6 w - - 0 0") + worth("l", "g9")
    assert facing_elephant > facing_lion


def test_whites_score_is_the_opposite_of_blacks():
    text = "6e/7/7/7/7/7/7/7/R5L {} - - 0 0"
    assert score(text.format(WHITE[0])) == -score(text.format("b"))
