"""The scripts, looked at from inside Redis."""

import pytest
from redis import Redis

from menagerie.clock import Control
from menagerie.games import GAMES
from menagerie.match import Match, Occupant, Setup, Step
from menagerie.store import matches as matches_module
from menagerie.store.keys import facet
from menagerie.store.matches import Conflict, Matches, Reply, facets_of

START = GAMES["jungle"].position.start({}, b"")
GUEST = Occupant("guest")


@pytest.fixture
def store(redis: Redis) -> Matches:
    return Matches(redis)


def new(match_id: str = "aaaaaaaaaaaaaaaa", black: Occupant = GUEST, sandbox: bool = False) -> Step:
    setup = Setup(
        id=match_id,
        game="jungle",
        options={},
        control=Control("absolute", initial_ms=60_000),
        visibility="public",
        rated=False,
        creator=None,
        seed=bytes(32),
        start=START.dump(),
        from_position=False,
        created_ms=1_000,
        expires_ms=9_000,
        sandbox=sandbox,
    )
    return Match.create(setup, GUEST, black)


def written(store: Matches, match_id: str) -> tuple[int, int, bytes | None]:
    """The record's length, the events' and the version."""
    keys = store.keys
    return (
        store.redis.llen(keys.record(match_id)),
        store.redis.xlen(keys.events(match_id)),
        store.redis.hget(keys.match(match_id), "version"),
    )


def test_a_match_comes_back_as_it_was_saved(store: Matches) -> None:
    step = new()
    store.commit(step, due_ms=None)
    assert store.load(step.match.id).match == step.match


def test_a_commit_that_follows_another_version_writes_nothing(store: Matches) -> None:
    step = new()
    store.commit(step, due_ms=None)
    first = step.match.move("white", ("a3a4",), 0, 2_000)
    second = step.match.move("white", ("a3b3",), 0, 2_000)
    store.commit(first, due_ms=5)
    before = written(store, step.match.id)
    with pytest.raises(Conflict):
        store.commit(second, due_ms=7, outbox=[{"kind": "lists"}])
    assert written(store, step.match.id) == before
    assert store.load(step.match.id).match == first.match
    assert store.agenda(store.keys.tag(step.match.id)).outbox == []


def test_a_commit_that_is_sent_twice_knows_itself(
    store: Matches, monkeypatch: pytest.MonkeyPatch
) -> None:
    step = new()
    store.commit(step, due_ms=None)
    moved = step.match.move("white", ("a3a4",), 0, 2_000)
    monkeypatch.setattr(matches_module.secrets, "token_hex", lambda size: "the same commit")
    store.commit(moved, due_ms=None)
    before = written(store, step.match.id)
    store.commit(moved, due_ms=None)
    assert written(store, step.match.id) == before
    monkeypatch.undo()
    store.commit(moved.match.move("black", ("g7g6",), 1, 3_000), due_ms=None)
    monkeypatch.setattr(matches_module.secrets, "token_hex", lambda size: "the same commit")
    store.commit(moved, due_ms=None)
    latest = store.load(step.match.id).match
    assert latest is not None and latest.ply == 2


def test_the_last_64_replies_are_kept(store: Matches) -> None:
    step = new()
    store.commit(step, due_ms=None, reply=Reply("mark-00", "body", 201))
    match = step.match
    for nth in range(1, 65):
        black = Occupant("guest", name=str(nth))
        taken = Step(match._next(2_000)._with_seat("black", black), new().events[:1])
        store.commit(taken, due_ms=None, reply=Reply(f"mark-{nth:02}", "body", 201))
        match = taken.match
    assert store.load(match.id, "mark-00").kept is None
    assert store.load(match.id, "mark-01").kept == Reply("mark-01", "body", 201)
    assert store.redis.llen(store.keys.replies(match.id)) == 64


def test_what_falls_due_and_what_must_follow_are_saved_with_the_match(store: Matches) -> None:
    step = new()
    tag = store.keys.tag(step.match.id)
    handed = store.commit(step, due_ms=61_000, outbox=[{"kind": "lists", "match": "x"}])
    agenda = store.agenda(tag)
    assert agenda.due == [(step.match.id, 61_000)]
    assert agenda.outbox == handed
    store.handed_on(handed)
    store.commit(step.match.resign("white", 2_000), due_ms=None)
    assert store.agenda(tag)[1:] == ([], [])


def test_events_go_a_day_after_the_end_and_not_before(store: Matches) -> None:
    step = new()
    store.commit(step, due_ms=None)
    events = store.keys.events(step.match.id)
    assert store.redis.pttl(events) == -1
    store.commit(step.match.resign("white", 2_000), due_ms=None)
    assert 0 < store.redis.pttl(events) <= 24 * 3_600_000
    assert store.redis.pttl(store.keys.record(step.match.id)) == -1


def test_a_sandbox_match_lives_a_day_after_its_last_request(store: Matches) -> None:
    step = new(sandbox=True)
    store.commit(step, due_ms=None)
    keys = [store.keys.match(step.match.id), store.keys.record(step.match.id)]
    for key in keys:
        store.redis.pexpire(key, 60_000)
    store.load(step.match.id)
    assert all(store.redis.pttl(key) > 60_000 for key in keys)


def test_the_lists_refuse_what_is_older_than_what_they_know(store: Matches) -> None:
    opened = new(black=Occupant("open")).match
    started = opened.take_seat("black", GUEST, 2_000).match
    store.index(started, facets_of(started))
    store.index(opened, facets_of(opened))
    assert store.page([facet("status", "open")], None, 10) == []
    assert store.page([facet("all"), facet("status", "active")], None, 10) == [(1_000, opened.id)]


def test_pages_go_on_within_one_millisecond(store: Matches) -> None:
    made = [new(f"{'a' * 14}{nth:02}").match for nth in range(10)]
    for match in made:
        store.index(match, facets_of(match))
    seen: list[tuple[int, str]] = []
    while page := store.page([facet("all")], seen[-1] if seen else None, 3):
        seen += page
    assert [match_id for _, match_id in seen] == sorted((m.id for m in made), reverse=True)
