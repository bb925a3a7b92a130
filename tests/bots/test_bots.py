import pytest

from menagerie.bots import BOTS, bots_of, choose
from menagerie.games import GAMES
from menagerie.games.jungle import START


def test_every_bot_plays_a_game_that_there_is():
    assert {bot.game for bot in BOTS.values()} <= set(GAMES)


def test_ids_are_game_and_level():
    assert all(id_ == bot.id == f"{bot.game}-{bot.level}" for id_, bot in BOTS.items())


def test_jungle_has_eight_levels_weakest_first():
    assert [bot.id for bot in bots_of("jungle")] == [f"jungle-{level}" for level in range(1, 9)]


def test_stronger_levels_may_look_at_more_and_take_longer():
    levels = bots_of("jungle")
    assert [bot.nodes for bot in levels] == sorted({bot.nodes for bot in levels})
    assert [bot.cap_ms for bot in levels] == sorted(bot.cap_ms for bot in levels)
    assert all(bot.cap_ms < 10_000 for bot in levels)


def test_game_without_bots_has_none():
    assert bots_of("chess") == ()


def test_unknown_bot_is_refused():
    with pytest.raises(KeyError):
        choose("jungle-9", START, "white", 1, lambda: False)
