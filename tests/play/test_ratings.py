"""What a result gives to its players: once, whatever crashes, and to whom it is due."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from openskill.models import BradleyTerryFull
from redis import Redis
from redis.exceptions import ConnectionError as RedisConnectionError

from menagerie.match import Match, Occupant
from menagerie.play.outbox import AT_LEISURE, Takers
from menagerie.play.players import Registry
from menagerie.play.ratings import MODEL, SCALE, count, rated
from menagerie.play.referee import Call, Referee, Wish
from menagerie.play.tokens import PlayerClaim, Tokens
from menagerie.player import Player, Rating
from menagerie.store.matches import Matches
from menagerie.store.players import Players
from tests.play.test_bots import BOT

TURNS = ("a3a4", "g7g6", "a4a3", "g6g7")


class Club:
    """Players, and the matches they play."""

    def __init__(self, redis: Redis) -> None:
        tokens = Tokens("a secret of the tests")
        self.referee = Referee(Matches(redis), tokens)
        self.players = self.referee.players
        self.registry = Registry(self.players, tokens)

    def join(self, name: str) -> str:
        return self.registry.register(name, Call()).player.id

    def begin(self, white: Any, black: Any, **wish: Any) -> Match:
        seats = {
            seat: who if isinstance(who, Occupant) else Occupant("player", player=who)
            for seat, who in (("white", white), ("black", black))
        }
        return self.referee.create(Wish("jungle", **seats, **{"rated": True, **wish}), Call()).match

    def play(self, white: str, black: str, turns: int = 2, **wish: Any) -> Match:
        """A match that Black resigns after so many turns of each side."""
        match = self.begin(white, black, **wish)
        for ply, text in enumerate(TURNS[: 2 * turns]):
            by = Call(PlayerClaim((white, black)[ply % 2], 0))
            match = self.referee.move(match.id, (text,), ply, by).match
        return self.referee.resign(match.id, Call(PlayerClaim(black, 0))).match

    def now(self, player_id: str) -> Player:
        return self.registry.get(player_id)

    def hand_on_what_is_left(self) -> None:
        matches = self.referee.matches
        self.referee.takers.hand_on(matches.agenda("{s00}").outbox)

    def left(self) -> list[str]:
        """What is not handed on yet, but for what nobody waits for."""
        kinds = [item.entry["kind"] for item in self.referee.matches.agenda("{s00}").outbox]
        return [kind for kind in kinds if kind not in AT_LEISURE]


@pytest.fixture
def club(redis: Redis) -> Club:
    return Club(redis)


# The model


def test_the_figures_are_the_librarys_own_sixty_times() -> None:
    own = BradleyTerryFull()
    before = {"white": Rating(1740.0, 120.0, 9), "black": Rating(1500.0, 500.0, 0)}
    teams = [[own.rating(r.value / SCALE, r.uncertainty / SCALE)] for r in before.values()]
    for winner, ranks in (("white", [1, 2]), ("black", [2, 1]), (None, [1, 1])):
        expected = [team[0] for team in own.rate(teams, ranks=ranks)]
        after = rated(before, winner)
        for rating, theirs in zip(after.values(), expected, strict=True):
            assert rating.value == pytest.approx(theirs.mu * SCALE)
            assert rating.uncertainty == pytest.approx(theirs.sigma * SCALE)
        assert [rating.matches for rating in after.values()] == [10, 1]


def test_a_newcomers_rating_is_where_the_model_begins() -> None:
    assert (Rating().value, Rating().uncertainty) == (MODEL.mu, MODEL.sigma)


def test_who_wins_rises_and_who_loses_falls_and_both_are_better_known() -> None:
    after = rated({"white": Rating(), "black": Rating()}, "black")
    assert after["black"].value > 1500 > after["white"].value
    assert after["black"].value - 1500 == pytest.approx(1500 - after["white"].value)
    assert after["white"].uncertainty < 500 > after["black"].uncertainty


# Which matches count, and for whom


def test_a_rated_match_gives_both_players_experience_and_a_rating(club: Club) -> None:
    ann, ben = club.join("Ann"), club.join("Ben")
    club.play(ann, ben)
    expected = rated({"white": Rating(), "black": Rating()}, "white")
    assert (club.now(ann).xp, club.now(ben).xp) == (3, 1)
    assert club.now(ann).ratings == {"jungle": expected["white"]}
    assert club.now(ben).ratings == {"jungle": expected["black"]}
    assert club.left() == []


@pytest.mark.parametrize(("turns", "wish"), [(1, {}), (0, {}), (2, {"rated": False})])
def test_a_match_that_is_too_short_or_not_rated_counts_for_nothing(
    club: Club, turns: int, wish: dict[str, Any]
) -> None:
    ann, ben = club.join("Ann"), club.join("Ben")
    match = club.play(ann, ben, turns, **wish)
    assert (match.status, match.counts) == ("finished", False)
    count(club.players, match)
    assert [(club.now(one).xp, club.now(one).ratings) for one in (ann, ben)] == [(0, {}), (0, {})]


def test_two_turns_must_be_completed_on_both_sides(club: Club) -> None:
    ann, ben = club.join("Ann"), club.join("Ben")
    match = club.begin(ann, ben)
    for ply, text in enumerate(TURNS[:3]):
        by = Call(PlayerClaim((ann, ben)[ply % 2], 0))
        match = club.referee.move(match.id, (text,), ply, by).match
    match = club.referee.resign(match.id, Call(PlayerClaim(ann, 0))).match
    assert (match.turns, match.counts) == ((2, 1), False)
    assert club.now(ben).xp == 0


def test_a_bot_has_a_rating_and_no_experience(club: Club, redis: Redis) -> None:
    ann = club.join("Ann")
    match = club.begin(ann, BOT)
    for text in ("a3a4", "a4a3"):
        match = club.referee.move(match.id, (text,), match.ply, Call(PlayerClaim(ann, 0))).match
        match = club.referee.matches.load(match.id).match or match
        assert club.referee.play_bot_turn(match.id, "black", match.turn_version)
        match = club.referee.get(match.id)[0]
    club.referee.resign(match.id, Call(PlayerClaim(ann, 0)))
    (bot,) = club.players.standings(["jungle-1"], "jungle")
    assert bot.rating.matches == 1 and bot.rating.value > 1500
    assert club.now(ann).xp == 1
    assert redis.hget("{players}:player:jungle-1", "xp") is None
    again = club.begin(ann, BOT)
    assert again.black.rating == bot.rating.view()
    assert again.white.rating == club.now(ann).rating("jungle").view()


def test_a_bot_learns_nothing_from_playing_itself(club: Club) -> None:
    match = club.begin(BOT, BOT)
    while match.turns != (2, 2):
        club.referee.play_bot_turn(match.id, match.to_move[0], match.turn_version)
        match = club.referee.get(match.id)[0]
    count(club.players, match)
    assert club.players.standings(["jungle-1"], "jungle")[0].stored == b""


def test_thirty_three_wins_and_a_loss_make_level_two(club: Club) -> None:
    ann, ben = club.join("Ann"), club.join("Ben")
    for _ in range(33):
        club.play(ann, ben)
    club.play(ben, ann)
    assert (club.now(ann).xp, club.now(ann).view()["level"]) == (100, 2)
    assert club.now(ben).xp == 33 + 3
    assert club.now(ann).rating("jungle").matches == 34


# Once, whatever crashes


@pytest.fixture
def crashing(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    with monkeypatch.context() as patch:
        yield patch


def crash(*args: Any) -> None:
    raise RedisConnectionError("the process dies here")


def test_a_result_is_counted_after_a_crash_before_it_was(
    club: Club, crashing: pytest.MonkeyPatch
) -> None:
    ann, ben = club.join("Ann"), club.join("Ben")
    crashing.setattr(Takers, "hand_on", crash)
    club.play(ann, ben)
    assert club.now(ann).xp == 0
    crashing.undo()
    club.hand_on_what_is_left()
    assert (club.now(ann).xp, club.now(ben).xp, club.left()) == (3, 1, [])


def test_a_result_is_counted_once_by_a_crash_after_it_was(
    club: Club, crashing: pytest.MonkeyPatch
) -> None:
    ann, ben = club.join("Ann"), club.join("Ben")
    crashing.setattr(Matches, "handed_on", crash)
    club.play(ann, ben)
    counted = club.now(ann), club.now(ben)
    assert counted[0].xp == 3
    assert "ratings" in club.left()
    crashing.undo()
    club.hand_on_what_is_left()
    assert (club.now(ann), club.now(ben)) == counted
    assert club.left() == []


def test_a_count_that_is_sent_twice_counts_once(club: Club) -> None:
    ann, ben = club.join("Ann"), club.join("Ben")
    match = club.play(ann, ben)
    counted = club.now(ann), club.now(ben)
    for _ in range(3):
        count(club.players, match)
    assert (club.now(ann), club.now(ben)) == counted


def test_two_results_of_one_player_at_once_are_both_counted(
    club: Club, crashing: pytest.MonkeyPatch
) -> None:
    ann, ben, cat = club.join("Ann"), club.join("Ben"), club.join("Cat")
    crashing.setattr(Takers, "hand_on", lambda takers, handed: None)
    first, second = club.play(ann, ben), club.play(ann, cat)
    read, rivals = Players.standings, [second]

    def overtaken(players: Players, ids: Any, game: str) -> Any:
        found = read(players, ids, game)
        if rivals:
            count(players, rivals.pop())
        return found

    crashing.setattr(Players, "standings", overtaken)
    count(club.players, first)
    after_one = rated({"white": Rating(), "black": Rating()}, "white")["white"]
    after_both = rated({"white": after_one, "black": Rating()}, "white")
    assert club.now(ann).rating("jungle") == after_both["white"]
    assert club.now(ben).rating("jungle") == after_both["black"]
    assert club.now(ann).xp == 6


def test_many_results_of_one_player_at_the_same_instant_are_all_counted(
    club: Club, crashing: pytest.MonkeyPatch
) -> None:
    crashing.setattr(Takers, "hand_on", lambda takers, handed: None)
    ann, *others = (club.join(name) for name in "Abcdefghi")
    played = [club.play(ann, other) for other in others]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda match: count(club.players, match), played * 2))
    assert (club.now(ann).xp, club.now(ann).rating("jungle").matches) == (24, 8)
