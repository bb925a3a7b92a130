"""Every key in Redis.

All keys of a match and of its shard share the tag `{sNN}`, so that each script
stays in one slot of a cluster; NN is the CRC-32 of the match id modulo the
number of shards, which is fixed for a data set. The lists share `{lists}`, the
players `{players}`.

| key                    | type       | lives                           | written by      |
| ---------------------- | ---------- | ------------------------------- | --------------- |
| `match:{sNN}:<id>`     | hash       | for ever; sandbox: 24 h idle    | commit          |
| ... `setup`            |            | what the match was created with |                 |
| ... `version`, `state` |            | the match as of its last commit |                 |
| `record:{sNN}:<id>`    | list       | as the match                    | commit, note    |
| `events:{sNN}:<id>`    | stream     | 24 h after the end              | commit, note    |
| `replies:{sNN}:<id>`   | list       | as the match; 64 entries        | commit          |
| `verdict:{sNN}:<id>`   | string     | as the match                    | note            |
| `due:{sNN}`            | sorted set | for ever; score: server ms      | commit, note    |
| `outbox:{sNN}`         | stream     | until handed on                 | commit, hand_on |
| `checks:{sNN}`         | hash       | for ever; checks made, differing | note           |
| `moves:{sNN}:<id>:<by>`| string     | 1 s; moves asked for by one     | load            |
| `{lists}:<facet>`      | sorted set | for ever; score: created at, ms | index           |
| `{lists}:followed:<p>` | sorted set | a day after the match's end     | index           |
| `{lists}:versions`     | hash       | for ever, an entry a match      | index           |
| `{players}:player:<id>`| hash       | for ever; a bot: its ratings    | register, rotate, count |
| `{players}:leaderboard:<game>` | sorted set | for ever; score: `at_least` | count       |
| `{players}:counted`    | set        | for ever, an entry a match      | count           |
| `{players}:journal:<id>` | stream   | two days; which events came when | journal       |
| ... `:places`          | hash       | as the journal; match to event  | journal, forget |
| `limits...`            | string     | a window of the limit           | the library `limits` |

The channel `events:{sNN}:<id>` carries the version of each commit and note,
that of a list's name the id of each match that comes or goes: hints to readers
that wait, never the data itself.
"""

from dataclasses import dataclass
from functools import lru_cache
from zlib import crc32

LISTS = "{lists}"
PLAYERS = "{players}"


@dataclass(frozen=True, slots=True)
class Keys:
    """The names of the keys, for a data set of this many shards."""

    shards: int = 1

    def tag(self, match_id: str) -> str:
        return _tag(match_id, self.shards)

    def tags(self) -> list[str]:
        return [_shard_tag(shard) for shard in range(self.shards)]

    def match(self, match_id: str) -> str:
        return f"match:{self.tag(match_id)}:{match_id}"

    def record(self, match_id: str) -> str:
        return f"record:{self.tag(match_id)}:{match_id}"

    def events(self, match_id: str) -> str:
        return f"events:{self.tag(match_id)}:{match_id}"

    def replies(self, match_id: str) -> str:
        return f"replies:{self.tag(match_id)}:{match_id}"

    def moves(self, match_id: str, by: str) -> str:
        """The counter of what one caller has asked to move within a second."""
        return f"moves:{self.tag(match_id)}:{match_id}:{by}"

    def verdict(self, match_id: str) -> str:
        return f"verdict:{self.tag(match_id)}:{match_id}"

    def due(self, tag: str) -> str:
        return f"due:{tag}"

    def outbox(self, tag: str) -> str:
        return f"outbox:{tag}"

    def checks(self, tag: str) -> str:
        return f"checks:{tag}"

    def of_match(self, match_id: str) -> list[str]:
        """The keys that a match has to itself."""
        return [
            self.match(match_id),
            self.record(match_id),
            self.events(match_id),
            self.replies(match_id),
            self.verdict(match_id),
        ]


@lru_cache(maxsize=16_384)
def _tag(match_id: str, shards: int) -> str:
    return _shard_tag(crc32(match_id.encode()) % shards)


def _shard_tag(shard: int) -> str:
    return f"{{s{shard:02d}}}"


def facet(name: str, value: str | None = None) -> str:
    """The list of the matches that have this in common: `facet("status", "open")`."""
    return f"{LISTS}:{name}" if value is None else f"{LISTS}:{name}:{value}"


def player_key(player_id: str) -> str:
    """Of a player, or of the ratings of a bot."""
    return f"{PLAYERS}:player:{player_id}"


def leaderboard_key(game: str) -> str:
    return f"{PLAYERS}:leaderboard:{game}"


def journal_key(player_id: str) -> str:
    return f"{PLAYERS}:journal:{player_id}"
