"""The matches in Redis: a method for each script, and the reads beside them."""

import logging
import secrets
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, Final, Literal, NamedTuple

from menagerie.match import STATUSES, Match, Setup, Step
from menagerie.record import Record
from menagerie.store import codec
from menagerie.store.events import Place, StoredEvent, place_text
from menagerie.store.keys import LISTS, Keys, facet
from menagerie.store.pages import Cursor, below
from menagerie.store.scripts import Lines

SANDBOX_TTL_MS: Final = 24 * 60 * 60 * 1000
EVENTS_TTL_MS: Final = 24 * 60 * 60 * 1000
MOVES_WINDOW_MS: Final = 1000
SCAN: Final = 500
REMEMBERED: Final = 2_000
"""Matches saved from here last: whoever reads one that has not changed since need not decode it."""

log = logging.getLogger("menagerie.store")


@dataclass(frozen=True, slots=True)
class Reply:
    """What is kept of a request that had an idempotency key, so that it can be given again."""

    mark: str
    body: str
    status: int
    extra: str = ""

    @classmethod
    def parse(cls, line: str) -> "Reply":
        mark, body, status, extra = line.split(" ", 3)
        return cls(mark, body, int(status), extra)

    def line(self) -> str:
        return f"{self.mark} {self.body} {self.status} {self.extra}"


class Loaded(NamedTuple):
    """A match (None: there is none), the server's instant, and the reply kept for the mark.

    `moves`: how many the caller has asked for in this window, if they are counted, and the
    ms until the next window.
    """

    match: Match | None
    now_ms: int
    kept: Reply | None
    moves: tuple[int, int] | None = None


class Handed(NamedTuple):
    """Something that must follow a commit: its place in the outbox, and what it is."""

    key: str
    id: str
    entry: dict[str, Any]

    @property
    def at_ms(self) -> int:
        """When it was put there."""
        return int(self.id.partition("-")[0])


class Agenda(NamedTuple):
    """The instant, the next matches to fall due with their instants, and the outbox."""

    now_ms: float
    due: list[tuple[str, int]]
    outbox: list[Handed]


class Backlog(NamedTuple):
    """Entries in the outbox, for how many ms the oldest has waited, and by how many ms the
    oldest deadline is overdue."""

    outbox: int
    outbox_oldest_ms: int
    overdue_ms: int


class Checks(NamedTuple):
    """Checks of repetition made, and those that found the match to say something else."""

    made: int
    differing: int


class Conflict(Exception):
    """Another commit came first: load again and decide again."""


class Matches:
    """All of the matches in one Redis data set."""

    def __init__(self, redis: Any, shards: int = 1) -> None:
        self.redis = redis  # Any: redis-py's annotations cannot tell bytes from text
        self.keys = Keys(shards)
        self._saved = OrderedDict[str, tuple[Match, tuple[Setup, int, bytes]]]()
        lines = Lines(redis)
        self._load = lines.script("load")
        self._commit = lines.script("commit")
        self._note = lines.script("note")
        self._index = lines.script("index")

    # The life of a match

    def load(self, match_id: str, mark: str = "", moves_of: str | None = None) -> Loaded:
        """Read a match and the instant (load.lua). `mark`: of an idempotency key, if any.

        `moves_of`: the caller whose moves are counted with this one.
        """
        keys = self.keys.of_match(match_id)
        if moves_of is not None:
            keys.append(self.keys.moves(match_id, moves_of))
        now_ms, version, setup, state, kept, *moves = self._load(
            keys=keys, args=[mark, SANDBOX_TTL_MS, MOVES_WINDOW_MS]
        )
        match = None if version is None else self._known(match_id, setup, version, state)
        reply = Reply.parse(kept.decode()) if kept else None
        return Loaded(match, now_ms, reply, (moves[0], moves[1]) if moves else None)

    def _known(self, match_id: str, setup: bytes, version: bytes, state: bytes) -> Match:
        """The match that lies there: the one saved from here if it is still that, else decoded."""
        match, saved = self._saved.get(match_id, (None, None))
        if match is not None and saved == (codec.load_setup(setup), int(version), state):
            return match
        return codec.load_match(setup, version, state)

    def _remember(self, match: Match, state: bytes) -> None:
        self._saved[match.id] = match, (match.setup, match.version, state)
        if len(self._saved) > REMEMBERED:
            self._saved.popitem(last=False)

    def commit(
        self,
        step: Step,
        *,
        due_ms: int | None,
        outbox: Iterable[dict[str, Any]] = (),
        reply: Reply | None = None,
    ) -> list[Handed]:
        """Save a step (commit.lua). Raises `Conflict` if the match has moved on.

        `due_ms`: when the timekeeper must look at the match next. Returns what
        must follow, as it stands in the outbox.
        """
        match, keys = step.match, self.keys
        tag, outbox = keys.tag(match.id), list(outbox)
        entries, events = codec.dump_entries(step), codec.dump_events(step)
        state = codec.dumps(match.dump())
        is_new = match.version == 1
        answer = self._commit(
            keys=[
                keys.match(match.id),
                keys.record(match.id),
                keys.events(match.id),
                keys.replies(match.id),
                keys.due(tag),
                keys.outbox(tag),
            ],
            args=[
                match.version - 1,
                secrets.token_hex(8),
                state,
                codec.dumps(match.setup.dump()) if is_new else "",
                SANDBOX_TTL_MS if match.setup.sandbox else "",
                match.id,
                "" if due_ms is None else due_ms,
                "" if reply is None else reply.line(),
                EVENTS_TTL_MS if match.has_ended else "",
                len(entries),
                *entries,
                len(events),
                *events,
                len(outbox),
                *(codec.dumps(entry) for entry in outbox),
            ],
        )
        if answer[0] == b"conflict":
            raise Conflict(match.id)
        self._remember(match, state)
        ids = [place.decode() for place in answer[1:]]
        key = keys.outbox(tag)
        return [Handed(key, place, entry) for place, entry in zip(ids, outbox, strict=False)]

    def note(
        self,
        step: Step,
        mark: str,
        due_ms: int | Literal["keep"] | None,
        verdict: Mapping[str, Any] | None = None,
    ) -> bool:
        """Append the step's events, which change no version (note.lua), once for one mark.

        `due_ms`: when the timekeeper must look at the match next; "keep": as it is.
        `verdict`: of a check of repetition, kept and counted. False, and nothing changed, if
        the match has moved on.
        """
        match, keys = step.match, self.keys
        lines = zip(codec.dump_entries(step), codec.dump_events(step), strict=True)
        answer = self._note(
            keys=[
                keys.match(match.id),
                keys.record(match.id),
                keys.events(match.id),
                keys.due(keys.tag(match.id)),
                keys.verdict(match.id),
                keys.checks(keys.tag(match.id)),
            ],
            args=[
                match.version,
                mark,
                match.id,
                "" if due_ms is None else due_ms,
                SANDBOX_TTL_MS if match.setup.sandbox else "",
                "" if verdict is None else codec.dumps(verdict),
                int(verdict is not None and not verdict["agrees"]),
                len(step.events),
                *(part for line in lines for part in line),
            ],
        )
        return bool(answer != b"conflict")

    # Reads

    def whole(self, match_id: str) -> tuple[Match, Record] | None:
        """The match and its record as of one instant, or None if there is no such match."""
        pipe = self.redis.pipeline(transaction=True)
        pipe.hmget(self.keys.match(match_id), "version", "setup", "state")
        pipe.lrange(self.keys.record(match_id), 0, -1)
        (version, setup, state), rows = pipe.execute()
        if version is None:
            return None
        match = codec.load_match(setup, version, state)
        return match, Record.load(match.setup, codec.load_entries(rows))

    def time_ms(self) -> int:
        """The server's instant."""
        seconds, micros = self.redis.time()
        return int(seconds) * 1000 + int(micros) // 1000

    def read_many(self, match_ids: Sequence[str]) -> list[Match]:
        """Those of the matches that exist and can be read, in the order asked for."""
        pipe = self.redis.pipeline(transaction=False)
        for match_id in match_ids:
            pipe.hmget(self.keys.match(match_id), "version", "setup", "state")
        found = []
        for match_id, (version, setup, state) in zip(match_ids, pipe.execute(), strict=True):
            try:
                if version is not None:
                    found.append(codec.load_match(setup, version, state))
            except Exception:
                log.exception("match %s cannot be read", match_id)
        return found

    def record(self, match: Match) -> Record:
        """Everything that happened in the match."""
        rows = self.redis.lrange(self.keys.record(match.id), 0, -1)
        return Record.load(match.setup, codec.load_entries(rows))

    def events(self, match: Match, after: Place = (0, 0), count: int = 200) -> list[StoredEvent]:
        """The events that come after the place, oldest first."""
        (rows,) = self.event_rows([(match.id, after)], count)
        return [codec.load_event(match.setup, row[0], row[1][b"event"]) for row in rows]

    def event_rows(self, wanted: Sequence[tuple[str, Place]], count: int) -> list[list[Any]]:
        """Of each match (id, place) the entries after the place, at most `count`, in one trip.

        An entry is its id and its fields, as Redis has them.
        """
        pipe = self.redis.pipeline(transaction=False)
        for match_id, after in wanted:
            pipe.xrange(self.keys.events(match_id), min=f"({place_text(after)}", count=count)
        return pipe.execute()  # type: ignore[no-any-return]

    def events_at(self, wanted: Sequence[tuple[Match, Place]]) -> list[StoredEvent | None]:
        """The events at these places of their matches; None for one that is gone."""
        pipe = self.redis.pipeline(transaction=False)
        for match, place in wanted:
            pipe.xrange(self.keys.events(match.id), place_text(place), place_text(place))
        return [
            codec.load_event(match.setup, rows[0][0], rows[0][1][b"event"]) if rows else None
            for (match, _), rows in zip(wanted, pipe.execute(), strict=True)
        ]

    def last_event(self, match: Match) -> StoredEvent | None:
        """The newest event of the match as it was loaded; None once the events are gone."""
        rows = self.redis.xrevrange(self.keys.events(match.id), max=match.version, count=1)
        return codec.load_event(match.setup, rows[0][0], rows[0][1][b"event"]) if rows else None

    # What falls due, and what follows

    def agenda(self, tag: str, count: int = 32) -> "Agenda":
        """What a shard's timekeeper has to do next, at most `count` of each kind."""
        pipe = self.redis.pipeline(transaction=False)
        pipe.time()
        pipe.zrange(self.keys.due(tag), 0, count - 1, withscores=True)
        pipe.xrange(self.keys.outbox(tag), count=count)
        (seconds, micros), due, rows = pipe.execute()
        key = self.keys.outbox(tag)
        return Agenda(
            now_ms=int(seconds) * 1000 + int(micros) / 1000,
            due=[(match_id.decode(), int(score)) for match_id, score in due],
            outbox=[Handed(key, place.decode(), codec.loads(row[b"entry"])) for place, row in rows],
        )

    def forget_due(self, match_id: str) -> None:
        """Take a match that no longer exists out of the due set."""
        self.redis.zrem(self.keys.due(self.keys.tag(match_id)), match_id)

    def handed_on(self, handed: Sequence[Handed]) -> None:
        """These have reached their takers."""
        pipe = self.redis.pipeline(transaction=False)
        for item in handed:
            pipe.xdel(item.key, item.id)
        pipe.execute()

    def backlog(self) -> "Backlog":
        """How much waits to be handed on or settled."""
        tags = self.keys.tags()
        agendas = [self.agenda(tag, count=1) for tag in tags]
        waits = [agenda.now_ms - due_ms for agenda in agendas for _, due_ms in agenda.due]
        left = [agenda.now_ms - item.at_ms for agenda in agendas for item in agenda.outbox]
        waiting = sum(self.redis.xlen(self.keys.outbox(tag)) for tag in tags)
        oldest_ms, overdue_ms = (round(max([0, *ages])) for ages in (left, waits))
        return Backlog(waiting, oldest_ms, overdue_ms)

    def checks(self) -> Checks:
        """The checks of repetition since the data set began."""
        rows = [
            self.redis.hmget(self.keys.checks(t), "made", "differing") for t in self.keys.tags()
        ]
        made, differing = (sum(int(row[nth] or 0) for row in rows) for nth in (0, 1))
        return Checks(made, differing)

    def verdict(self, match: Match) -> dict[str, Any] | None:
        """What the last check of repetition found, or None before the first."""
        found = self.redis.get(self.keys.verdict(match.id))
        return None if found is None else dict(codec.loads(found))

    # Lists

    def index(self, match: Match, scores: Mapping[str, float | None]) -> None:
        """Put the match into these lists with its score in each; None: out of it (index.lua)."""
        self._index(
            keys=[f"{LISTS}:versions", *scores],
            args=[
                match.id,
                match.version,
                *("" if score is None else score for score in scores.values()),
            ],
        )

    def followed(self, player_id: str) -> list[str]:
        """The ids of the matches whose events may still come to this player.

        Those that he plays or has made, until a day after their end. A match that
        joins or leaves them is published on the channel `facet("followed", player_id)`.
        """
        name, now_ms = facet("followed", player_id), self.time_ms()
        pipe = self.redis.pipeline(transaction=False)
        pipe.zremrangebyscore(name, "-inf", now_ms)
        pipe.zrange(name, 0, -1)
        return [match_id.decode() for match_id in pipe.execute()[1]]

    def page(self, facets: Sequence[str], before: Cursor | None, limit: int) -> list[Cursor]:
        """Up to `limit` (created at, id) that are in every list, newest first.

        `before`: the last one that the reader has seen. A match never changes
        its place, so pages neither repeat nor omit one.
        """
        driver, others = self._smallest_first(facets)
        found: list[Cursor] = []
        while len(found) < limit:
            chunk = below(self.redis, driver, before, max(limit, SCAN))
            if not chunk:
                break
            found += self._in_all(others, chunk)
            before = chunk[-1]
        return found[:limit]

    def _smallest_first(self, facets: Sequence[str]) -> tuple[str, list[str]]:
        pipe = self.redis.pipeline(transaction=False)
        for name in facets:
            pipe.zcard(name)
        ordered = [name for _, name in sorted(zip(pipe.execute(), facets, strict=True))]
        return ordered[0], ordered[1:]

    def _in_all(self, names: Sequence[str], chunk: list[Cursor]) -> list[Cursor]:
        if not names:
            return chunk
        pipe = self.redis.pipeline(transaction=False)
        members = [member for _, member in chunk]
        for name in names:
            pipe.zmscore(name, members)
        rows = pipe.execute()
        return [
            item
            for nth, item in enumerate(chunk)
            if all(scores[nth] is not None for scores in rows)
        ]


def scores_of(match: Match, left: Iterable[str | None] = ()) -> dict[str, float | None]:
    """The lists of a match: name to its score there, None where it is not now.

    `left`: players who left a seat. Sandboxes, gone a day after their last request, are
    followed and else not listed.
    """
    setup, seats = match.setup, (match.white, match.black)
    players = {seat.player for seat in seats} - {None}
    until_ms = inf if match.finished_ms is None else match.finished_ms + EVENTS_TTL_MS
    scores: dict[str, float | None] = {
        facet(name, player): None for player in left if player for name in ("followed", "player")
    }
    scores |= {
        facet("followed", player): until_ms for player in players | {setup.creator} if player
    }
    if setup.sandbox:
        return scores
    facets = [facet("game", setup.game), *(facet("player", player) for player in players)]
    facets += [facet("bot", seat.bot) for seat in seats if seat.bot is not None]
    if setup.visibility == "public":
        facets.append(facet("public"))
    if setup.creator is not None:
        facets.append(facet("creator", setup.creator))
    scores |= {facet("status", status): None for status in STATUSES}
    scores |= dict.fromkeys((*facets, facet("status", match.status)), setup.created_ms)
    return scores
