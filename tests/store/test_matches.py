"""What a commit leaves in Redis, and what it does not when it comes twice or too late."""

from typing import Any

import pytest
from redis import Redis

from menagerie.clock import Control
from menagerie.match import Event, Match, Step
from menagerie.store.keys import LISTS, facet
from menagerie.store.matches import SANDBOX_TTL_MS, Conflict, Handed, Matches, Reply, scores_of
from tests.store.conftest import NOW_MS, created

TAG = "{s00}"


def whole(redis: Redis) -> dict[bytes, Any]:
    """Everything that the store holds, but for what is left of lifetimes."""
    return {key: redis.dump(key) for key in sorted(redis.keys())}


def second_coming(matches: Matches, step: Step, **more: Any) -> Any:
    """Commit a step; returns what sends it once more, as redis-py does after a lost answer."""
    script, sent = matches._commit, []

    def overheard(keys: list[str], args: list[Any]) -> Any:
        sent.append((keys, args))
        return script(keys=keys, args=args)

    matches._commit = overheard  # type: ignore[assignment]
    matches.commit(step, **more)
    matches._commit = script
    ((keys, args),) = sent
    return lambda: script(keys=keys, args=args)


def moved(match: Match, text: str = "a3a4", seat: str = "white") -> Step:
    return match.move(seat, (text,), match.ply, NOW_MS + 10 * match.version)  # type: ignore[arg-type]


# Commits


def test_what_is_committed_is_loaded(matches: Matches) -> None:
    step = created()
    matches.commit(step, due_ms=None)
    loaded = matches.load("duel")
    assert loaded.match == step.match
    assert abs(loaded.now_ms - matches.time_ms()) < 10_000
    assert loaded.kept is None


def test_what_one_process_remembers_is_what_another_reads(matches: Matches, redis: Redis) -> None:
    step = created()
    matches.commit(step, due_ms=None)
    for text, seat in (("a3a4", "white"), ("g7g6", "black"), ("a4a5", "white")):
        step = moved(step.match, text, seat)
        matches.commit(step, due_ms=None)
        assert matches.load("duel").match is step.match
        assert Matches(redis).load("duel").match == step.match


def test_a_remembered_match_is_not_taken_for_a_later_one(matches: Matches, redis: Redis) -> None:
    first = created()
    matches.commit(first, due_ms=None)
    second = moved(first.match)
    Matches(redis).commit(second, due_ms=None)
    assert matches.load("duel").match == second.match


def test_a_remembered_match_is_not_taken_for_a_new_one_of_its_id(
    matches: Matches, redis: Redis
) -> None:
    matches.commit(created(), due_ms=None)
    redis.delete(*matches.keys.of_match("duel"))
    assert matches.load("duel").match is None
    other = created(control=Control("none"))
    Matches(redis).commit(other, due_ms=None)
    assert matches.load("duel").match == other.match


def test_only_so_many_matches_are_remembered(
    matches: Matches, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("menagerie.store.matches.REMEMBERED", 2)
    steps = [created(match_id=f"duel{n}") for n in range(4)]
    for step in steps:
        matches.commit(step, due_ms=None)
    assert len(matches._saved) == 2
    assert [matches.load(step.match.id).match for step in steps] == [step.match for step in steps]


def test_an_unknown_match_is_none(matches: Matches, redis: Redis) -> None:
    assert matches.load("nobody").match is None
    assert whole(redis) == {}


def test_a_commit_that_comes_twice_is_committed_once(matches: Matches, redis: Redis) -> None:
    first = created()
    matches.commit(first, due_ms=1)
    again = second_coming(
        matches,
        moved(first.match),
        due_ms=2,
        outbox=[{"kind": "lists", "match": "duel", "version": 2}],
        reply=Reply("mark", "body", 201),
    )
    before = whole(redis)
    assert again() == [b"committed"]
    assert whole(redis) == before


def test_a_commit_that_comes_again_after_the_next_one_writes_nothing(
    matches: Matches, redis: Redis
) -> None:
    first = created()
    matches.commit(first, due_ms=1)
    step = moved(first.match)
    again = second_coming(matches, step, due_ms=2, reply=Reply("mark", "body", 201))
    matches.commit(moved(step.match, "g7g6", "black"), due_ms=3)
    before = whole(redis)
    assert again() == [b"committed"]
    assert whole(redis) == before


def test_a_creation_that_comes_twice_makes_one_match(matches: Matches, redis: Redis) -> None:
    again = second_coming(matches, created(), due_ms=1)
    before = whole(redis)
    assert again() == [b"committed"]
    assert whole(redis) == before


@pytest.mark.parametrize("ahead", [1, 2])
def test_a_commit_at_an_old_version_is_a_conflict_and_writes_nothing(
    matches: Matches, redis: Redis, ahead: int
) -> None:
    first = created()
    matches.commit(first, due_ms=1)
    step = moved(first.match)
    matches.commit(step, due_ms=2)
    if ahead == 2:
        matches.commit(moved(step.match, "g7g6", "black"), due_ms=3)
    before = whole(redis)
    with pytest.raises(Conflict):
        matches.commit(
            moved(first.match, "g3g4"),
            due_ms=9,
            outbox=[{"kind": "lists", "match": "duel", "version": 2}],
            reply=Reply("mark", "body", 201),
        )
    assert whole(redis) == before


def test_a_second_match_with_the_same_id_is_a_conflict(matches: Matches, redis: Redis) -> None:
    matches.commit(created(), due_ms=1)
    before = whole(redis)
    with pytest.raises(Conflict):
        matches.commit(created(black="open"), due_ms=2)
    assert whole(redis) == before


def test_a_commit_to_a_match_that_is_gone_does_not_bring_back_a_part_of_it(
    matches: Matches, redis: Redis
) -> None:
    with pytest.raises(Conflict):
        matches.commit(moved(created().match), due_ms=1)
    assert whole(redis) == {}


def test_the_record_leads_to_the_position_and_the_log_tells_each_version(matches: Matches) -> None:
    step = created()
    matches.commit(step, due_ms=None)
    for text, seat in [("a3a4", "white"), ("g7g6", "black"), ("a4a5", "white")]:
        step = moved(step.match, text, seat)
        matches.commit(step, due_ms=None)
    match = step.match
    record = matches.record(match)
    assert [ply.move for ply in record.plies] == ["a3a4", "g7g6", "a4a5"]
    assert record.rebuild() == match.position
    ids = [event.id for event in matches.events(match)]
    assert ids == ["1-0", "1-1", "2-0", "3-0", "4-0"]
    assert matches.last_event(match).id == "4-0"
    assert [event.id for event in matches.events(match, after=(2, 0))] == ["3-0", "4-0"]


# Replies to requests with an idempotency key


def test_only_the_last_sixty_four_replies_are_kept(matches: Matches, redis: Redis) -> None:
    step = created()
    marks = [f"{n:016x}" for n in range(66)]
    matches.commit(step, due_ms=None, reply=Reply(marks[0], "body", 201))
    for nth, mark in enumerate(marks[1:], start=1):
        step = Step(step.match._next(NOW_MS), (Event("offer.made", "white"),))
        matches.commit(step, due_ms=None, reply=Reply(mark, f"body{nth}", 200, "black 0"))
    assert redis.llen(matches.keys.replies("duel")) == 64
    kept = [matches.load("duel", mark).kept for mark in marks]
    assert kept[:2] == [None, None]
    assert kept[2:] == [Reply(mark, f"body{n}", 200, "black 0") for n, mark in enumerate(marks)][2:]


# Lifetimes


def lifetimes(matches: Matches, redis: Redis) -> dict[str, int]:
    keys = matches.keys.of_match("duel")
    return {key.partition(":")[0]: redis.pttl(key) for key in keys if redis.exists(key)}


def test_a_match_that_goes_on_lives_for_ever(matches: Matches, redis: Redis) -> None:
    matches.commit(created(), due_ms=None, reply=Reply("mark", "body", 201))
    assert lifetimes(matches, redis) == {"match": -1, "record": -1, "events": -1, "replies": -1}


def test_a_sandbox_lives_a_day_from_its_last_request(matches: Matches, redis: Redis) -> None:
    first = created(sandbox=True)
    matches.commit(first, due_ms=None, reply=Reply("mark", "body", 201))
    assert set(lifetimes(matches, redis)) == {"match", "record", "events", "replies"}
    for act in (
        lambda: matches.load("duel"),
        lambda: matches.commit(moved(first.match), due_ms=None),
    ):
        for key in matches.keys.of_match("duel"):
            redis.pexpire(key, 60_000)
        act()
        for left_ms in lifetimes(matches, redis).values():
            assert SANDBOX_TTL_MS - 10_000 < left_ms <= SANDBOX_TTL_MS


def test_only_the_events_go_a_day_after_the_end(matches: Matches, redis: Redis) -> None:
    first = created()
    matches.commit(first, due_ms=None)
    matches.commit(first.match.resign("white", NOW_MS), due_ms=None)
    left = lifetimes(matches, redis)
    assert 0 < left.pop("events") <= 24 * 60 * 60 * 1000
    assert left == {"match": -1, "record": -1}


# The due set and the outbox


def test_the_due_set_holds_the_next_deadline_or_nothing(matches: Matches) -> None:
    first = created()
    matches.commit(first, due_ms=5000)
    assert matches.agenda(TAG).due == [("duel", 5000)]
    matches.commit(moved(first.match), due_ms=6000)
    assert matches.agenda(TAG).due == [("duel", 6000)]
    matches.commit(moved(first.match).match.resign("black", NOW_MS), due_ms=None)
    assert matches.agenda(TAG).due == []


def test_the_outbox_holds_what_follows_until_it_is_handed_on(matches: Matches) -> None:
    entries = [{"kind": "lists", "match": "duel", "version": n} for n in (1, 2)]
    handed = matches.commit(created(), due_ms=None, outbox=entries)
    assert [item.entry for item in handed] == entries
    assert matches.agenda(TAG).outbox == handed
    assert all(isinstance(item, Handed) for item in handed)
    matches.handed_on(handed[:1])
    assert matches.agenda(TAG).outbox == handed[1:]
    assert matches.backlog().outbox == 1
    matches.handed_on(handed)
    assert matches.backlog() == (0, 0, 0)


# Lists


def in_lists(redis: Redis, match_id: str = "duel") -> set[str]:
    names = [key.decode() for key in redis.keys(f"{LISTS}:*") if redis.type(key) == b"zset"]
    return {name for name in names if redis.zscore(name, match_id) is not None}


def test_a_match_moves_from_list_to_list(matches: Matches, redis: Redis) -> None:
    first = created(black="open").match
    always = {facet("public"), facet("game", "jungle")}
    matches.index(first, scores_of(first))
    assert in_lists(redis) == always | {facet("status", "open")}
    ended = first.settle(first.setup.expires_ms).match
    matches.index(ended, scores_of(ended))
    assert in_lists(redis) == always | {facet("status", "aborted")}


def test_lists_refuse_what_is_older_than_they_know(matches: Matches, redis: Redis) -> None:
    first = created(black="open").match
    ended = first.settle(first.setup.expires_ms).match
    matches.index(ended, scores_of(ended))
    before = whole(redis)
    matches.index(first, scores_of(first))
    assert whole(redis) == before
    matches.index(ended, scores_of(ended))
    assert whole(redis) == before


def test_pages_neither_repeat_nor_omit_a_match(matches: Matches) -> None:
    ids = [f"duel{n:02}" for n in range(25)]
    for match_id in ids:
        match = created(match_id).match
        matches.index(match, scores_of(match))
    seen, before = [], None
    while page := matches.page([facet("public"), facet("status", "active")], before, 10):
        seen += [match_id for _, match_id in page]
        before = page[-1]
    assert seen == sorted(ids, reverse=True)
    assert matches.page([facet("public"), facet("status", "open")], None, 10) == []
