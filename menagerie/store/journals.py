"""Journals of players: the events of all their matches in one order, so that a place in it
is enough to go on from.

A journal holds no events, only which came when. It is written by those who read it: from the
logs of the matches and the places that it has come to in each, whatever is missing follows.
So a move costs nothing more, and a player whom nobody reads for has no journal.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

from menagerie.store.events import Place, parse_place, place_text
from menagerie.store.keys import journal_key
from menagerie.store.scripts import Lines

KEPT_MS: Final = 24 * 60 * 60 * 1000
"""How old a place may be that is gone on from."""
LIFE_MS: Final = 30 * KEPT_MS
"""Of a journal after its last reading: longer than two moves of one match lie apart."""


class Line(NamedTuple):
    """An entry of a journal: its place there, and the event's in the log of its match."""

    place: Place
    match_id: str
    event: Place


class Journals:
    """The journals in one Redis data set."""

    def __init__(self, redis: Any) -> None:
        self._redis = redis
        self._journal = Lines(redis).script("journal")

    def journal(
        self, player_id: str, news: Iterable[tuple[str, Place]], after: Place, count: int
    ) -> list[Line]:
        """Add what is not in the journal yet, then read on from a place (journal.lua).

        `news`: events by match id and place, those of one match in their order.
        """
        name = journal_key(player_id)
        pairs = [text for match, place in news for text in (match, place_text(place))]
        rows = self._journal(
            keys=[name, f"{name}:places"],
            args=[place_text(after), count, 2 * KEPT_MS, LIFE_MS, *pairs],
        )
        return [
            Line(parse_place(row.decode()), fields[1].decode(), parse_place(fields[3].decode()))
            for row, fields in rows
        ]

    def places(self, player_id: str) -> tuple[Place, dict[str, Place]]:
        """The newest entry's place, and how far the journal has come in each match."""
        name = journal_key(player_id)
        pipe = self._redis.pipeline(transaction=True)
        pipe.xrevrange(name, count=1)
        pipe.hgetall(f"{name}:places")
        last, places = pipe.execute()
        head = parse_place(last[0][0].decode()) if last else (0, 0)
        return head, {
            match.decode(): parse_place(place.decode()) for match, place in places.items()
        }

    def forget(self, player_id: str, match_ids: Sequence[str]) -> None:
        """These matches bring no more events."""
        if match_ids:
            self._redis.hdel(f"{journal_key(player_id)}:places", *match_ids)
