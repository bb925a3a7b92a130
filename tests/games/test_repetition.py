"""What a position remembers of repetition, held against a count over the whole game."""

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from menagerie.games import GAMES
from menagerie.games.position import Occurrence, Position, Repetition

STARTS = [
    pytest.param("jungle", {}, id="jungle"),
    pytest.param("feral", {"size": "beginner"}, id="feral beginner"),
    pytest.param("feral", {"size": "full"}, id="feral full"),
]


def game(slug: str, options: dict[str, Any], seed: int, plies: int) -> list[Occurrence[Position]]:
    """A game at random that likes to go back where it was, with some turns missed."""
    luck = random.Random(seed)
    position = GAMES[slug].position.start(GAMES[slug].complete(options), luck.randbytes(32))
    history = [Occurrence("white", None, position)]
    while len(history) <= plies and position.to_move():
        (seat,) = position.to_move()
        moves: list[str | None] = [*position.moves(seat)]
        back = [
            m
            for m in moves
            if m and any(m == h.move[2:4] + h.move[:2] for h in history[-5:] if h.move)
        ]
        move = luck.choice(back) if back and luck.random() < 0.85 else luck.choice(moves)
        if luck.random() < 0.03:
            move = None
        position = position.skip(seat) if move is None else position.play(seat, move)
        history.append(Occurrence(seat, move, position))
    return history


@pytest.mark.parametrize(("slug", "options"), STARTS)
@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_a_count_over_the_whole_game_finds_what_each_position_says(
    slug: str, options: dict[str, Any], seed: int
) -> None:
    start, *history = game(slug, options, seed, 80)
    for ply in range(len(history) + 1):
        last = history[ply - 1].position if ply else start.position
        assert type(last).recounted(start.position, history[:ply]) == last.repetition()


def test_such_games_meet_bars_and_draws() -> None:
    jungle = [game("jungle", {}, seed, 120) for seed in range(20)]
    feral = [game("feral", {"size": "beginner"}, seed, 120) for seed in range(60)]
    assert any(each.position.repetition().barred for line in jungle for each in line)
    assert any(each.position.repetition().counts.get("board", 0) > 1 for f in feral for each in f)


def test_a_shuttle_is_barred_after_its_third_time() -> None:
    position = GAMES["jungle"].position.start({}, bytes(32))
    start, history = position, []
    for white in ("a1b1", "b1a1") * 3:
        for seat, text in (("white", white), ("black", "g9f9" if white == "a1b1" else "f9g9")):
            position = position.play(seat, text)  # type: ignore[arg-type]
            history.append(Occurrence(seat, text, position))  # type: ignore[arg-type]
    expected = Repetition({"a1": 3, "b1": 3}, ("a1", "b1"))
    assert position.repetition() == expected
    assert type(position).recounted(start, history) == expected
