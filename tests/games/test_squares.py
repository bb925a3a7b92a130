"""Squares and boards as texts, of every size that the games use."""

import pytest
from hypothesis import given
from hypothesis import settings as bounded
from hypothesis import strategies as st

from menagerie.games.refusals import BadPosition
from menagerie.games.squares import (
    all_squares,
    board_text,
    file_of,
    parse_board,
    rank_of,
    square,
    turned,
)

SIZES = st.sampled_from([(4, 6), (6, 6), (7, 9), (18, 14)])


def test_a_square_is_a_file_letter_and_a_rank_number() -> None:
    assert square(1, 1) == "a1"
    assert square(18, 14) == "r14"
    assert (file_of("r14"), rank_of("r14")) == (18, 14)


def test_squares_come_in_the_order_of_the_board_text() -> None:
    assert all_squares(2, 3) == ("a3", "b3", "a2", "b2", "a1", "b1")


@bounded(max_examples=20, deadline=None)
@given(SIZES)
def test_a_board_turned_twice_is_as_it_was(size: tuple[int, int]) -> None:
    squares = all_squares(*size)
    assert [turned(name, *size) for name in squares] == list(reversed(squares))
    assert all(turned(turned(name, *size), *size) == name for name in squares)


@bounded(max_examples=60, deadline=None)
@given(st.data())
def test_a_board_is_read_back_from_its_text(data: st.DataObject) -> None:
    files, ranks = data.draw(SIZES)
    names = st.sampled_from(all_squares(files, ranks))
    letters = data.draw(st.dictionaries(names, st.sampled_from("ELTrcx")))
    text = board_text(letters, files, ranks)
    assert parse_board(text, files, ranks, str.isalpha) == letters


@pytest.mark.parametrize(
    "text",
    ["", "2/2", "2/2/2/2", "2/2/3", "2/2/1", "2/2/11", "2/2/02", "2/2/20", "2/2/a1b", "2/2/a2",
     "2/2/?1", "2/2/ 2", "2/2/-2", "2/2/", "99a/2/2", "2/" + "9" * 30_000 + "a/2", "2/2/²"],
)  # fmt: skip
def test_a_text_of_another_board_is_refused(text: str) -> None:
    with pytest.raises(BadPosition) as refused:
        parse_board(text, 2, 3, str.isalpha)
    assert refused.value.reason == "bad_board"


def test_an_unknown_piece_is_refused() -> None:
    with pytest.raises(BadPosition, match="no piece 'z'"):
        parse_board("z1/2/2", 2, 3, "ab".__contains__)
