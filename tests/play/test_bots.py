"""Bots at the board, as the referee sees them: their jobs, their patience, their luck."""

from typing import Any

import pytest
from redis import Redis

from menagerie.bots import safari as safari_bots
from menagerie.clock import Control
from menagerie.games import GAMES, safari
from menagerie.match import BOT_PATIENCE_MS, Match, Occupant
from menagerie.play.bots import BOTS, bot_to_move
from menagerie.play.outbox import Takers
from menagerie.play.queues import Queues
from menagerie.play.referee import Call, Referee, Wish
from menagerie.play.tokens import Claim, Tokens
from menagerie.store.matches import Loaded, Matches
from workers.timekeeper import Timekeeper

ANN = Occupant("guest", "Ann")
BOT = Occupant("bot", "jungle-1", bot="jungle-1")
UNTIMED = Control("none")


class MatchesAt(Matches):
    """The store, at an instant of the test's choosing."""

    now_ms: int | None = None

    def load(self, match_id: str, mark: str = "") -> Loaded:
        loaded = super().load(match_id, mark)
        return loaded if self.now_ms is None else loaded._replace(now_ms=self.now_ms)


class Table:
    """One match and its referee; without queues what is for a worker stays in the outbox."""

    def __init__(
        self, redis: Redis, game: str = "jungle", queues: Queues | None = None, **wish: Any
    ) -> None:
        self.matches = MatchesAt(redis)
        tokens = Tokens("a secret of the tests")
        self.referee = Referee(self.matches, tokens, queues=queues)
        asked = {"white": ANN, "black": BOT, "control": UNTIMED, **wish}
        self.match = self.referee.create(Wish(game, **asked), Call()).match
        self.tag = self.matches.keys.tag(self.match.id)

    def move(self, text: str) -> Match:
        call = Call(Claim(self.match.id, "white", 0))
        return self.referee.move(self.match.id, (text,), self.now().ply, call).match

    def now(self) -> Match:
        return self.referee.get(self.match.id)[0]

    def jobs(self) -> list[dict[str, Any]]:
        entries = [item.entry for item in self.matches.agenda(self.tag).outbox]
        return [entry for entry in entries if entry["kind"] == "bots"]

    def plies(self) -> list[tuple[str, str]]:
        return [(ply.seat, ply.move) for ply in self.matches.record(self.now()).plies]


@pytest.fixture
def safari_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """The service referees Safari too, with its bots."""
    monkeypatch.setitem(GAMES, safari.GAME.slug, safari.GAME)  # type: ignore[arg-type]
    for bot in safari_bots.BOTS:
        monkeypatch.setitem(BOTS, bot.id, bot)  # type: ignore[arg-type]


def takers(table: Table, queues: Queues) -> Takers:
    return Takers(table.matches, table.referee.players, queues)


def test_a_turn_of_a_bot_brings_a_job_and_a_turn_of_a_person_none(redis: Redis) -> None:
    table = Table(redis)
    assert table.jobs() == []
    match = table.move("a3a4")
    assert table.jobs() == [
        {"kind": "bots", "match": match.id, "version": match.version, "seat": "black"}
    ]


def test_a_job_that_comes_twice_plays_once(redis: Redis) -> None:
    table = Table(redis)
    version = table.move("a3a4").version
    assert table.referee.play_bot_turn(table.match.id, "black", version)
    assert not table.referee.play_bot_turn(table.match.id, "black", version)
    assert [seat for seat, _ in table.plies()] == ["white", "black"]


@pytest.mark.parametrize(("seat", "lag"), [("black", 1), ("black", -1), ("white", 0)])
def test_a_job_for_another_turn_is_dropped(redis: Redis, seat: Any, lag: int) -> None:
    table = Table(redis)
    version = table.move("a3a4").version
    assert not table.referee.play_bot_turn(table.match.id, seat, version + lag)
    assert not table.referee.play_bot_turn("aaaaaaaaaaaaaaaa", seat, version)
    assert len(table.plies()) == 1


def test_a_bots_luck_is_not_the_matchs_seed(redis: Redis) -> None:
    answers = set()
    for seed in (bytes(32), bytes([1]) * 32):
        redis.flushall()
        table = Table(redis, sandbox=True, seed=seed)
        luck = table.referee.tokens.luck
        assert luck(table.match.id, "black", 1) == luck(table.match.id, "black", 1)
        answers.add(luck("a", "black", 1))
    assert len(answers) == 1


@pytest.mark.parametrize(
    ("control", "patience_ms"),
    [
        (UNTIMED, BOT_PATIENCE_MS),
        (Control("absolute", initial_ms=60_000), BOT_PATIENCE_MS),
        (Control("absolute", initial_ms=3_000), 1_500),
        (Control("per_turn", turn_ms=1_000), 500),
    ],
)
def test_a_bot_that_keeps_waiting_plays_at_the_end_of_its_patience(
    redis: Redis, control: Control, patience_ms: int
) -> None:
    table = Table(redis, control=control)
    began_ms = table.move("a3a4").clock.at_ms
    table.matches.now_ms = began_ms + patience_ms - 1
    assert table.now().ply == 1
    table.matches.now_ms = began_ms + 3_600_000
    ended = table.now()
    last = table.matches.record(ended).plies[1]
    assert (last.seat, last.at_ms, last.used_ms) == ("black", began_ms + patience_ms, patience_ms)


def test_two_bots_whom_no_worker_serves_end_their_match_and_neither_flags(redis: Redis) -> None:
    control = Control("absolute", initial_ms=2_000)
    table = Table(redis, white=BOT, control=control)
    table.matches.now_ms = table.match.clock.at_ms + 3_600_000
    ended = table.now()
    assert ended.status == "finished"
    assert ended.result is not None and ended.result.reason != "timeout"
    assert table.matches.record(ended).rebuild() == ended.position


def test_on_a_virtual_clock_the_timekeeper_plays_for_a_bot_in_real_time(redis: Redis) -> None:
    table = Table(redis, sandbox=True, virtual_clock=True)
    match = table.move("a3a4")
    due = table.matches.keys.due(table.tag)
    score = redis.zscore(due, match.id)
    assert score is not None and score >= match.clock.at_ms + BOT_PATIENCE_MS
    redis.zadd(due, {match.id: 1})
    Timekeeper(table.referee).tick()
    assert len(table.plies()) == 2
    assert redis.zscore(due, match.id) is None


def test_a_queue_that_is_away_refuses_no_move_and_loses_no_job(redis: Redis) -> None:
    away = Queues(Redis(host="127.0.0.1", port=1))
    table = Table(redis, queues=away)
    version = table.move("a3a4").version
    assert [job["version"] for job in table.jobs()] == [version]
    back = Queues(redis)
    takers(table, back).hand_on(table.matches.agenda(table.tag).outbox)
    assert table.jobs() == []
    assert back.waiting()["bots"]["waiting"] == 1


def test_a_job_handed_on_twice_waits_once(redis: Redis) -> None:
    queues = Queues(redis)
    table = Table(redis)
    table.move("a3a4")
    handed = table.matches.agenda(table.tag).outbox
    takers(table, queues).hand_on(handed)
    takers(table, queues).hand_on(handed)
    assert queues.waiting()["bots"]["waiting"] == 1


# Bots that see a view


def occupant(bot_id: str) -> Occupant:
    return Occupant("bot", bot_id, bot=bot_id)


@pytest.mark.usefixtures("safari_is_known")
def test_two_bots_place_and_play_a_match_of_safari_to_its_end(redis: Redis) -> None:
    table = Table(redis, "safari", white=occupant("safari-1"), black=occupant("safari-3"))
    while not (match := table.now()).has_ended:
        seat, _ = bot_to_move(match) or pytest.fail("nobody is to move")
        assert table.referee.play_bot_turn(match.id, seat, match.turn_version)
    plies = table.plies()
    assert {seat: move.partition(" ")[0] for seat, move in plies[:2]} == {
        "white": "place",
        "black": "place",
    }
    assert match.result is not None and match.result.reason in safari.GAME.end_reasons
    assert table.matches.record(match).rebuild() == match.position


@pytest.mark.usefixtures("safari_is_known")
@pytest.mark.parametrize("first", ["person", "bot"])
def test_a_bot_places_before_or_after_its_opponent(redis: Redis, first: str) -> None:
    table = Table(redis, "safari", black=occupant("safari-2"))
    if first == "person":
        table.move("place EBTLWD/XY.CM.")
    assert table.referee.play_bot_turn(table.match.id, "black", table.now().turn_version)
    if first == "bot":
        assert table.now().to_move == ("white",)
        table.move("place EBTLWD/XY.CM.")
    assert len(table.now().to_move) == 1


@pytest.mark.usefixtures("safari_is_known")
def test_a_late_bot_places_and_plays_at_once(redis: Redis) -> None:
    table = Table(redis, "safari", white=occupant("safari-6"), black=occupant("safari-6"))
    for _ in range(4):
        assert table.referee.play_for_late_bot(table.now())
    assert len(table.plies()) == 4


@pytest.mark.usefixtures("safari_is_known")
def test_what_a_bot_is_told_of_a_hidden_game_is_its_seats_view(
    redis: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[Any] = []

    def listen(bot_id: str, view: Any, *_: Any) -> str:
        told.append(view)
        return "place EBTLWD/XY.CM."

    monkeypatch.setattr("menagerie.bots.choose", listen)
    table = Table(redis, "safari", black=occupant("safari-2"))
    assert table.referee.play_bot_turn(table.match.id, "black", table.match.turn_version)
    assert told == [table.match.position.view("black")]
