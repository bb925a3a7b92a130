"""Matches in Redis, made without the layers above."""

import pytest
from redis import Redis

from menagerie.clock import Control
from menagerie.games import GAMES
from menagerie.match import Match, Occupant, Setup, Step
from menagerie.store.matches import Matches

SECOND = Control("absolute", initial_ms=1000)
NOW_MS = 1_700_000_000_000


@pytest.fixture
def matches(redis: Redis) -> Matches:
    return Matches(redis)


def created(
    match_id: str = "duel", black: str = "guest", control: Control = SECOND, sandbox: bool = False
) -> Step:
    """The first step of a match of Jungle at `NOW_MS`."""
    game = GAMES["jungle"]
    setup = Setup(
        id=match_id,
        game=game.slug,
        options=game.complete({}),
        control=control,
        visibility="public",
        rated=False,
        creator=None,
        seed=bytes(32),
        start=game.position.start(game.complete({}), bytes(32)).dump(),
        from_position=False,
        created_ms=NOW_MS,
        expires_ms=NOW_MS + 60_000,
        sandbox=sandbox,
    )
    return Match.create(setup, Occupant("guest", "Ann"), Occupant(black))
