"""Experience, levels, ratings as values."""

import pytest

from menagerie.player import Player, Rating, earned_xp, level


def test_a_win_a_draw_and_a_loss_are_worth_three_two_and_one() -> None:
    assert [earned_xp("white", winner) for winner in ("white", None, "black")] == [3, 2, 1]
    assert [earned_xp("black", winner) for winner in ("white", None, "black")] == [1, 2, 3]


@pytest.mark.parametrize(
    ("reached", "at_xp"), [(1, 0), (2, 100), (3, 300), (4, 1_000), (5, 3_000), (6, 6_000)]
)
def test_a_level_is_reached_at_its_points_and_not_before(reached: int, at_xp: int) -> None:
    assert level(at_xp) == reached
    assert level(max(at_xp - 1, 0)) == max(reached - 1, 1)
    assert level(10**9) == 6


def test_thirty_three_wins_and_a_loss_make_level_two() -> None:
    xp = 33 * earned_xp("white", "white") + earned_xp("white", "black")
    assert (xp, level(xp), level(xp - 1)) == (100, 2, 1)


def test_a_newcomer_is_at_level_one_and_has_no_ratings_yet() -> None:
    player = Player("p", "Ann", 1_764_547_200_000)
    assert player.view() == {
        "id": "p",
        "name": "Ann",
        "created_at": "2025-12-01T00:00:00.000Z",
        "xp": 0,
        "level": 1,
        "ratings": {},
    }
    assert player.rating("jungle").view() == {"value": 1500, "uncertainty": 500, "matches": 0}


def test_what_is_almost_sure_is_three_uncertainties_below_the_estimate() -> None:
    assert Rating().at_least == 0
    assert Rating(1700, 100, 30).at_least == 1400
