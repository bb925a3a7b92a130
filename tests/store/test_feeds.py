"""Logs shared by their readers: nothing missed when news, readers and the store come and go."""

import threading
from collections.abc import Iterator

import pytest
from redis import Redis

from menagerie.match import Match
from menagerie.store import feeds as module
from menagerie.store.feeds import Feeds, Reader
from menagerie.store.matches import Matches
from tests.store.conftest import created

PATIENCE_S = 30
SHUFFLE = ["a3a4", "g7g6", "a4a3", "g6g7", "b2b3", "f8f7", "b3b2", "f7f8"]


class Following:
    """A reader, and the places that it was given."""

    def __init__(self, feeds: Feeds, match: Match, place: tuple[int, int] = (0, 0)) -> None:
        self.news = threading.Event()
        self.reader: Reader = feeds.follow(match.setup, place, self.news.set)

    def take(self, count: int) -> list[str]:
        """The next so many ids, waited for."""
        found: list[str] = []
        while len(found) < count:
            self.news.clear()
            fresh = self.reader.fresh(16)
            found += [entry.event.id for entry in fresh]
            if not fresh:
                assert self.news.wait(PATIENCE_S), found
        return found


@pytest.fixture
def feeds(matches: Matches, redis_url: str) -> Iterator[Feeds]:
    with Redis.from_url(redis_url, protocol=2) as redis:
        yield Feeds(matches, redis)


def begin(matches: Matches, match_id: str = "duel") -> Match:
    step = created(match_id)
    matches.commit(step, due_ms=None)
    return step.match


def play(matches: Matches, match: Match, *texts: str) -> Match:
    for text in texts:
        (seat,) = match.to_move
        step = match.move(seat, (text,), match.ply, match.clock.at_ms)
        matches.commit(step, due_ms=None)
        match = step.match
    return match


def test_a_reader_is_woken_by_each_commit(matches: Matches, feeds: Feeds) -> None:
    match = begin(matches)
    one, two = Following(feeds, match), Following(feeds, match, (1, 0))
    assert one.take(2) == ["1-0", "1-1"]
    match = play(matches, match, "a3a4")
    assert one.take(1) == ["2-0"]
    assert two.take(2) == ["1-1", "2-0"]
    play(matches, match, "g7g6")
    assert one.take(1) == two.take(1) == ["3-0"]


def test_an_event_is_rendered_once_for_all_who_see_the_same(matches: Matches, feeds: Feeds) -> None:
    match = begin(matches)
    made: list[str] = []

    def render(event: object, viewer: str) -> bytes:
        made.append(viewer)
        return viewer.encode()

    readers = [Following(feeds, match) for _ in range(3)]
    for reader in readers:
        reader.take(2)
    play(matches, match, "a3a4")
    for reader in readers:
        while not (entries := reader.reader.fresh(16)):
            reader.news.wait(0.1)
        assert entries[0].frame("white", render) == b"white"
        assert entries[0].frame("spectator", render) == b"spectator"
    assert made == ["white", "spectator"]


def test_a_reader_behind_the_tail_reads_the_log_itself(
    matches: Matches, feeds: Feeds, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "TAIL", 2)
    match = begin(matches)
    quick, slow = Following(feeds, match, (1, 1)), Following(feeds, match, (1, 1))
    for text in SHUFFLE:
        match = play(matches, match, text)
        quick.take(1)
    assert slow.take(len(SHUFFLE)) == [f"{version}-0" for version in range(2, 10)]


def test_what_comes_while_nobody_listens_reaches_the_next_reader(
    matches: Matches, feeds: Feeds
) -> None:
    match = begin(matches)
    reader = Following(feeds, match)
    assert reader.take(2) == ["1-0", "1-1"]
    reader.reader.close()
    feeds._beat()  # the log is dropped while the channel is still listened to
    match = play(matches, match, "a3a4")
    assert Following(feeds, match, (1, 1)).take(1) == ["2-0"]


def test_a_lost_connection_loses_no_event(matches: Matches, feeds: Feeds, redis: Redis) -> None:
    match = begin(matches)
    reader = Following(feeds, match)
    assert reader.take(2) == ["1-0", "1-1"]
    redis.client_kill_filter(_type="pubsub")
    match = play(matches, match, "a3a4", "g7g6")
    assert reader.take(2) == ["2-0", "3-0"]


def test_an_idle_reader_holds_no_connection_to_the_store(
    matches: Matches, feeds: Feeds, redis: Redis
) -> None:
    reader = Following(feeds, begin(matches))
    reader.take(2)
    before = redis.info("clients")["connected_clients"]
    more = [Following(feeds, begin(matches, f"duel{nth}")) for nth in range(20)]
    for one in more:
        one.take(2)
    assert redis.info("clients")["connected_clients"] == before


def test_the_end_of_the_process_wakes_everybody(matches: Matches, feeds: Feeds) -> None:
    reader = Following(feeds, begin(matches))
    reader.take(2)
    reader.news.clear()
    feeds.stop()
    assert reader.news.wait(PATIENCE_S)
    reader.reader.close()
    feeds.wait_for_the_last(PATIENCE_S)
    assert feeds.count() == 0
