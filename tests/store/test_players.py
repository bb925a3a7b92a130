"""Players in Redis: what each script leaves, and what it does not when it comes twice."""

from typing import Any

import pytest
from redis import Redis

from menagerie.games.position import Seat
from menagerie.player import Rating
from menagerie.store.players import Players, Standing

NEW = Standing(b"", Rating())
IDS: dict[Seat, str] = {"white": "ann", "black": "ben"}
AFTER: dict[Seat, Rating] = {"white": Rating(1600.0, 400.0, 1), "black": Rating(1400.0, 400.0, 1)}
XP: dict[Seat, int] = {"white": 3, "black": 1}


@pytest.fixture
def players(redis: Redis) -> Players:
    players = Players(redis)
    for name in IDS.values():
        players.register(name, name.title(), "")
    return players


def whole(redis: Redis) -> dict[bytes, Any]:
    return {key: redis.dump(key) for key in sorted(redis.keys())}


def counted(players: Players, match_id: str = "duel", white: Standing = NEW) -> str:
    before: dict[Seat, Standing] = {"white": white, "black": NEW}
    return players.count(match_id, "jungle", ids=IDS, before=before, after=AFTER, xp=XP)


def test_a_registration_that_comes_twice_makes_one_player(players: Players, redis: Redis) -> None:
    first = players.register("cat", "Cat", "asked")
    before = whole(redis)
    again = players.register("cat", "Another", "other")
    assert (first.is_new, again.is_new) == (True, False)
    assert (again.created_ms, again.request) == (first.created_ms, "asked")
    assert whole(redis) == before


def test_an_unknown_player_is_none_and_so_is_a_bot(players: Players) -> None:
    assert players.get("nobody") is None
    assert players.generation("nobody") is None
    assert players.rotate("nobody", 0, "mark") is None
    counted(players)
    players.count(
        "other",
        "jungle",
        ids={"white": "jungle-1", "black": "cat"},
        before={"white": NEW, "black": NEW},
        after=AFTER,
        xp={"white": 0, "black": 0},
    )
    assert players.get("jungle-1") is None
    assert players.standings(["jungle-1"], "jungle")[0].rating == AFTER["white"]


def test_of_two_new_tokens_asked_for_by_one_token_one_is_given(players: Players) -> None:
    assert players.rotate("ann", 0, "mine") == (1, False)
    assert players.rotate("ann", 0, "yours") is None
    assert players.rotate("ann", 0, "mine") == (1, True)
    assert players.rotate("ann", 1, "next") == (2, False)
    assert players.rotate("ann", 0, "mine") is None
    assert players.generation("ann") == 2


def test_a_result_is_counted_once(players: Players, redis: Redis) -> None:
    assert counted(players) == "counted"
    before = whole(redis)
    assert counted(players) == "again"
    (ann,) = players.standings(["ann"], "jungle")
    assert counted(players, white=ann) == "again"
    assert whole(redis) == before
    player = players.get("ann")
    assert player is not None
    assert (player.xp, player.ratings) == (3, {"jungle": AFTER["white"]})


def test_a_rating_that_has_moved_on_is_a_conflict_and_nothing_is_changed(
    players: Players, redis: Redis
) -> None:
    counted(players)
    before = whole(redis)
    (ann,) = players.standings(["ann"], "jungle")
    assert counted(players, "next") == "conflict"
    assert counted(players, "next", white=ann) == "conflict"  # Black's has moved on too
    assert whole(redis) == before


def test_a_leaderboard_is_walked_from_the_surest_down(players: Players) -> None:
    ids = [f"player{n:02}" for n in range(30)]
    for nth, one in enumerate(ids):
        players.register(one, one.title(), "")
        players.count(
            one,
            "jungle",
            ids={"white": one, "black": f"jungle-{nth % 3}"},
            before={"white": NEW, "black": players.standings([f"jungle-{nth % 3}"], "jungle")[0]},
            after={"white": Rating(1500.0 + nth // 3, 500.0, 1), "black": Rating(9.0, 1.0, 1)},
            xp={"white": 3, "black": 0},
        )
    found, before = [], None
    while True:
        entries, before = players.leaderboard("jungle", before, 7)
        found += entries
        if before is None:
            break
    assert [entry.rank for entry in found] == list(range(1, 34))
    scores = [entry.rating.at_least for entry in found]
    assert scores == sorted(scores, reverse=True)
    assert {entry.id for entry in found} == {*ids, "jungle-0", "jungle-1", "jungle-2"}
    assert {entry.id for entry in found if entry.name is None} == {
        "jungle-0",
        "jungle-1",
        "jungle-2",
    }
    assert players.leaderboard("feral", None, 7) == ([], None)
