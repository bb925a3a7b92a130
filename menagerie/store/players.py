"""The players in Redis: a method for each script, and the reads beside them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from menagerie.games.position import SEATS, Seat
from menagerie.player import Player, Rating
from menagerie.store import codec
from menagerie.store.keys import PLAYERS, leaderboard_key, player_key
from menagerie.store.pages import Cursor, below
from menagerie.store.scripts import Lines

RATING = b"rating."


@dataclass(frozen=True, slots=True)
class Standing:
    """A rating as it lies in the store (empty: none yet), and what it says."""

    stored: bytes
    rating: Rating


class Entry(NamedTuple):
    """A line of a leaderboard; `name` is None for a bot."""

    rank: int
    id: str
    name: str | None
    rating: Rating


@dataclass(frozen=True, slots=True)
class Registered:
    """What came of a registration: when, whether by this very request, and by which."""

    created_ms: int
    is_new: bool
    request: str


class Players:
    """All of the players in one Redis data set. A bot has ratings under its own id."""

    def __init__(self, redis: Any) -> None:
        self.redis = redis
        lines = Lines(redis)
        self._register = lines.script("register")
        self._rotate = lines.script("rotate")
        self._count = lines.script("count")

    def register(self, player_id: str, name: str, request: str) -> Registered:
        """Make a player (register.lua), unless there is one by this id."""
        created_ms, made, request_before = self._register(
            keys=[player_key(player_id)], args=[name, request]
        )
        return Registered(created_ms, made == 1, request_before.decode())

    def rotate(self, player_id: str, generation: int, mark: str) -> tuple[int, bool] | None:
        """Let the token of this generation die (rotate.lua).

        Returns the next one's, and whether the request that `mark` stands for had it
        before. None if the token was dead already, and by another request.
        """
        fresh, again = self._rotate(keys=[player_key(player_id)], args=[generation, mark])
        return None if fresh < 0 else (fresh, again == 1)

    def count(
        self,
        match_id: str,
        game: str,
        *,
        ids: Mapping[Seat, str],
        before: Mapping[Seat, Standing],
        after: Mapping[Seat, Rating],
        xp: Mapping[Seat, int],
    ) -> Literal["counted", "again", "conflict"]:
        """Count a result (count.lua): `before` as it was read, `after` as it shall be."""
        keys = [f"{PLAYERS}:counted", leaderboard_key(game)]
        args: list[Any] = [match_id, RATING + game.encode()]
        for seat in SEATS:
            rating = after[seat]
            keys.append(player_key(ids[seat]))
            args += [ids[seat], before[seat].stored, _dump(rating), rating.at_least, xp[seat]]
        answer: Literal["counted", "again", "conflict"] = self._count(keys=keys, args=args).decode()
        return answer

    # Reads

    def get(self, player_id: str) -> Player | None:
        """The player; None if there is none by this id (a bot is none)."""
        fields = self.redis.hgetall(player_key(player_id))
        if b"name" not in fields:
            return None
        return Player(
            id=player_id,
            name=fields[b"name"].decode(),
            created_ms=int(fields[b"created_ms"]),
            generation=int(fields[b"generation"]),
            xp=int(fields.get(b"xp", 0)),
            ratings={
                field.removeprefix(RATING).decode(): _load(value).rating
                for field, value in fields.items()
                if field.startswith(RATING)
            },
        )

    def generation(self, player_id: str) -> int | None:
        """The generation of the token that is good now; None if there is no such player."""
        found = self.redis.hget(player_key(player_id), "generation")
        return None if found is None else int(found)

    def standings(self, ids: Sequence[str], game: str) -> list[Standing]:
        """The ratings of players and bots at a game, in the order asked for."""
        pipe = self.redis.pipeline(transaction=False)
        for one in ids:
            pipe.hget(player_key(one), RATING + game.encode())
        return [_load(stored) for stored in pipe.execute()]

    def leaderboard(
        self, game: str, before: Cursor | None, limit: int
    ) -> tuple[list[Entry], Cursor | None]:
        """The next lines, best first, and the place after which more follow (None: none do)."""
        name = leaderboard_key(game)
        places = below(self.redis, name, before, limit + 1)
        more, places = len(places) > limit, places[:limit]
        pipe = self.redis.pipeline(transaction=False)
        for _, one in places:
            pipe.zrevrank(name, one)
            pipe.hmget(player_key(one), "name", RATING + game.encode())
        found = iter(pipe.execute())
        entries = [
            Entry(rank + 1, one, name and name.decode(), _load(stored).rating)
            for (_, one), rank, (name, stored) in zip(places, found, found, strict=True)
        ]
        return entries, places[-1] if more else None


def _dump(rating: Rating) -> bytes:
    return codec.dumps([rating.value, rating.uncertainty, rating.matches])


def _load(stored: bytes | None) -> Standing:
    if stored is None:
        return Standing(b"", Rating())
    return Standing(stored, Rating(*codec.loads(stored)))
