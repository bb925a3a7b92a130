"""A match from its creation to its end: who may do what, and what comes of it."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import settings as bounded
from tabletop import (
    ANN,
    BEN,
    BLITZ,
    BOT,
    OPEN,
    SEED,
    T0,
    lives,
    moved,
    paused,
    relay,
    relay_is_known,
    restarted,
    settled,
    setup,
    started,
)

from menagerie.clock import Control
from menagerie.games.jungle import START
from menagerie.games.position import BLACK, SEATS, VIEWERS, WHITE, Seat
from menagerie.games.refusals import IllegalMove, NotYourTurn, Refusal
from menagerie.match import (
    BotToMove,
    ClockExpired,
    Match,
    MatchNotStarted,
    MatchOver,
    MatchPaused,
    MatchStarted,
    NoVirtualClock,
    Occupant,
    Result,
    SeatTaken,
    StalePly,
    Step,
    TooLateToAbort,
    position_hash,
)

NONE = Control("none")
SKIP = Control("none", turn_limit_ms=1_000, on_turn_limit="skip")
WHITE_AT_THE_DEN = "6r/3R3/7/7/7/7/7/7/7 w - - 0 0"


@pytest.fixture(scope="module", autouse=True)
def _relays() -> Iterator[None]:
    with relay_is_known():
        yield


def types(step: Step) -> list[str]:
    return [event.type for event in step.events]


def open_match(control: Control = BLITZ) -> Match:
    return Match.create(setup(control), ANN, OPEN).match


def virtual(control: Control = BLITZ, start: str = START) -> Match:
    return started(control, start, sandbox=True, virtual_clock=True)


# Before the start


def test_a_match_with_an_open_seat_waits() -> None:
    match, events = Match.create(setup(), ANN, OPEN)
    assert [event.type for event in events] == ["match.created"]
    assert (match.version, match.status, match.ply) == (1, "open", 0)
    assert match.to_move == ()
    assert match.started_ms is None
    assert match.clock.running == ()


@pytest.mark.parametrize("seats", [(ANN, BEN), (BOT, BOT), (ANN, BOT)])
def test_a_match_without_an_open_seat_starts_at_once(seats: tuple[Occupant, Occupant]) -> None:
    step = Match.create(setup(), *seats)
    assert types(step) == ["match.created", "match.started"]
    assert (step.match.version, step.match.status, step.match.started_ms) == (1, "active", T0)
    assert step.match.to_move == (WHITE,)


def test_taking_the_last_seat_starts_the_match_and_its_clocks() -> None:
    step = open_match().take_seat(BLACK, BEN, T0 + 500_000)
    assert types(step) == ["seat.taken", "match.started"]
    match = step.match
    assert (match.version, match.started_ms) == (2, T0 + 500_000)
    assert match.black.name == "Ben"
    assert match.due_ms == T0 + 560_000


def test_taking_one_of_two_open_seats_starts_nothing() -> None:
    match = Match.create(setup(), OPEN, OPEN).match
    step = match.take_seat("any", ANN, T0 + 1)
    assert types(step) == ["seat.taken"]
    assert (step.match.white.name, step.match.black.kind) == ("Ann", "open")
    assert types(step.match.take_seat("any", BEN, T0 + 2)) == ["seat.taken", "match.started"]


def test_a_seat_that_is_taken_cannot_be_taken() -> None:
    with pytest.raises(SeatTaken, match="white is taken"):
        open_match().take_seat(WHITE, BEN, T0)
    for seat in (*SEATS, "any"):
        with pytest.raises(SeatTaken):
            started().take_seat(seat, BEN, T0)


def test_leaving_opens_the_seat_and_its_next_holder_gets_another_token() -> None:
    step = open_match().leave_seat(WHITE, T0 + 1)
    assert types(step) == ["seat.left"]
    assert (step.match.white.kind, step.match.white.generation) == ("open", 1)
    again = step.match.take_seat(WHITE, BEN, T0 + 2).match
    assert (again.white.name, again.white.generation) == ("Ben", 1)


def test_no_seat_is_left_once_the_match_has_started() -> None:
    with pytest.raises(MatchStarted):
        started().leave_seat(WHITE, T0)


def test_an_open_match_is_aborted_when_it_expires_and_not_before() -> None:
    match = open_match()
    assert match.due_ms == T0 + 3_600_000
    assert match.settle(T0 + 3_599_999) is None
    step = match.settle(T0 + 9_999_999)
    assert step is not None
    assert types(step) == ["match.aborted"]
    assert (step.match.status, step.match.result) == ("aborted", Result(None, "no_opponent"))
    assert step.match.finished_ms == T0 + 3_600_000
    assert step.match.due_ms is None


def test_a_match_from_a_position_that_is_over_ends_as_it_starts() -> None:
    step = Match.create(setup(start="3R3/7/7/7/7/7/7/7/r6 b - - 0 0"), ANN, BEN)
    assert types(step) == ["match.created", "match.started", "match.finished"]
    assert step.match.result == Result(WHITE, "den")
    assert (step.match.to_move, step.match.due_ms) == ((), None)


# Moves


def test_a_move_is_played_recorded_and_told() -> None:
    match, (event,) = started().move(WHITE, ("a3a4",), 0, T0 + 1_500)
    assert (match.version, match.ply, match.to_move) == (2, 1, (BLACK,))
    assert (event.type, event.by, event.seat) == ("move.played", WHITE, WHITE)
    assert event.data == {"position": match.position.text()}
    assert match.last_ply == event.ply
    assert event.ply is not None
    assert event.ply.view() == {
        "ply": 1,
        "seat": "white",
        "move": "a3a4",
        "at": "2025-12-01T00:00:01.500Z",
        "used_ms": 1_500,
        "white_ms": 60_500,
        "black_ms": 60_000,
    }
    assert event.ply.position_hash == position_hash(match.position)
    assert match.turns == (1, 0)
    assert (match.turn_version, match.turn_ms) == (2, T0 + 1_500)


def over() -> Match:
    return started().resign(BLACK, T0).match


def out_of_time() -> Match:
    """White's time ran out on its first turn."""
    *_, step = settled(started(), T0 + 60_000)
    return step.match


@pytest.mark.parametrize(
    ("match", "seat", "text", "ply", "refusal"),
    [
        pytest.param(over, BLACK, "nonsense", 9, MatchOver, id="over, before stale"),
        pytest.param(out_of_time, WHITE, "nonsense", 9, ClockExpired, id="own flag fell"),
        pytest.param(out_of_time, BLACK, "nonsense", 9, MatchOver, id="the other's flag fell"),
        pytest.param(open_match, WHITE, "nonsense", 9, MatchNotStarted, id="open, before stale"),
        pytest.param(
            lambda: paused(started(), 5, 100).match, BLACK, "nonsense", 9, MatchPaused,
            id="paused, before stale",
        ),
        pytest.param(started, BLACK, "nonsense", 9, StalePly, id="stale, before whose turn"),
        pytest.param(started, BLACK, "nonsense", 0, NotYourTurn, id="whose turn, before illegal"),
        pytest.param(started, WHITE, "nonsense", 0, IllegalMove, id="illegal"),
    ],
)  # fmt: skip
def test_of_several_refusals_of_a_move_the_services_come_first(
    match: Callable[[], Match], seat: Seat, text: str, ply: int, refusal: type[Refusal]
) -> None:
    before = match()
    kept = before.dump()
    with pytest.raises(Refusal) as refused:
        before.move(seat, (text,), ply, T0 + 60_000)
    assert type(refused.value) is refusal
    assert before.dump() == kept


def test_a_stale_ply_names_the_present_one() -> None:
    match = moved(moved(started(), "a3a4"), "a7a6")
    for ply in (0, 1, 3, -1):
        with pytest.raises(StalePly) as refused:
            match.move(WHITE, ("a4a3",), ply, T0)
        assert refused.value.current_ply == 2


def test_a_move_that_ends_the_game_ends_the_match_in_the_same_step() -> None:
    step = started(start=WHITE_AT_THE_DEN).move(WHITE, ("d8d9",), 0, T0 + 9)
    assert types(step) == ["move.played", "match.finished"]
    match = step.match
    assert (match.version, match.status, match.result) == (2, "finished", Result(WHITE, "den"))
    assert (match.finished_ms, match.to_move, match.clock.running) == (T0 + 9, (), ())
    assert match.settle(T0 + 10**12) is None


def test_a_second_text_after_the_end_of_the_turn_takes_the_first_back() -> None:
    match = started()
    with pytest.raises(IllegalMove) as refused:
        match.move(WHITE, ("a3a4", "a4a5"), 0, T0)
    assert refused.value.reason == "turn_over"
    assert (match.ply, match.position.text()) == (0, START)


def test_a_second_text_after_the_end_of_the_game_is_refused_with_the_first() -> None:
    with pytest.raises(IllegalMove) as refused:
        started(start=WHITE_AT_THE_DEN).move(WHITE, ("d8d9", "d9d8"), 0, T0)
    assert refused.value.reason == "game_over"


def test_the_plies_of_one_request_are_committed_together() -> None:
    step = relay().move(WHITE, ("go", "go", "stop"), 0, T0 + 700)
    assert types(step) == ["move.played"] * 3
    assert (step.match.version, step.match.ply, step.match.turns) == (2, 3, (1, 0))
    plies = [event.ply for event in step.events if event.ply is not None]
    assert [(p.ply, p.used_ms, p.white_ms) for p in plies] == [
        (1, 700, 59_300),
        (2, 0, 59_300),
        (3, 0, 61_300),
    ]
    assert all(p.at_ms == T0 + 700 for p in plies)


def test_none_of_them_is_committed_if_one_is_illegal() -> None:
    match = relay()
    with pytest.raises(IllegalMove) as refused:
        match.move(WHITE, ("go", "jump", "stop"), 0, T0)
    assert refused.value.reason == "bad_move_text"
    assert match == relay()


def test_a_turn_of_several_plies_runs_on_one_clock_and_earns_at_its_end() -> None:
    match = moved(relay(), "go", 1_000)
    assert (match.ply, match.to_move, match.turns) == (1, (WHITE,), (0, 0))
    assert match.last_ply is not None
    assert (match.last_ply.used_ms, match.last_ply.white_ms) == (1_000, 59_000)
    assert (match.turn_version, match.due_ms) == (1, T0 + 60_000)
    match = moved(match, "stop", 3_000)
    assert match.last_ply is not None
    assert (match.last_ply.used_ms, match.last_ply.white_ms) == (3_000, 58_000)
    assert (match.to_move, match.turns, match.turn_version) == ((BLACK,), (1, 0), 3)


# Giving up


@pytest.mark.parametrize("seat", SEATS)
def test_either_seat_may_resign_at_any_time_and_the_other_wins(seat: Seat) -> None:
    step = started().resign(seat, T0 + 5)
    assert types(step) == ["match.finished"]
    assert step.events[0].by == seat
    assert step.match.result == Result(BLACK if seat == WHITE else WHITE, "resignation")
    assert step.match.has_given_up(seat, "resignation")
    assert not step.match.has_given_up(seat, "abort")
    assert not step.match.has_given_up(BLACK if seat == WHITE else WHITE, "resignation")


def test_nobody_resigns_before_the_start_or_after_the_end() -> None:
    with pytest.raises(MatchNotStarted):
        open_match().resign(WHITE, T0)
    for seat in SEATS:
        with pytest.raises(MatchOver):
            over().resign(seat, T0)
        with pytest.raises(MatchOver):
            out_of_time().resign(seat, T0 + 60_000)


def test_a_seat_may_abort_until_it_has_completed_a_turn() -> None:
    match = moved(started(), "a3a4")
    with pytest.raises(TooLateToAbort):
        match.abort(WHITE, T0 + 5)
    step = match.abort(BLACK, T0 + 5)
    assert types(step) == ["match.aborted"]
    assert (step.match.status, step.match.result) == ("aborted", Result(None, "abort"))
    assert step.match.has_given_up(BLACK, "abort")


def test_an_open_match_may_be_aborted() -> None:
    assert open_match().abort(WHITE, T0).match.result == Result(None, "abort")


def test_half_a_turn_and_a_missed_turn_are_no_completed_turn() -> None:
    assert moved(relay(), "go").abort(WHITE, T0).match.status == "aborted"
    *_, step = settled(started(SKIP), T0 + 1_000)
    assert step.match.abort(WHITE, T0 + 1_001).match.status == "aborted"


def test_both_ways_of_giving_up_work_in_a_pause() -> None:
    match = paused(started(), 10, 1_000).match
    assert match.resign(WHITE, T0 + 20).match.result == Result(BLACK, "resignation")
    ended = match.abort(WHITE, T0 + 20).match
    assert (ended.status, ended.clock.view()["paused"]) == ("aborted", None)


def test_after_the_end_every_act_but_a_late_move_is_refused_as_over() -> None:
    match = out_of_time()
    for act in (
        lambda: match.resign(WHITE, T0 + 60_000),
        lambda: match.abort(WHITE, T0 + 60_000),
        lambda: match.leave_seat(WHITE, T0 + 60_000),
        lambda: match.take_seat("any", BEN, T0 + 60_000),
        lambda: match.advance(1),
        lambda: match.check_turn(WHITE),
        lambda: match.check_turn(BLACK),
    ):
        with pytest.raises(MatchOver):
            act()


def test_who_may_ask_for_legal_moves() -> None:
    started().check_turn(WHITE)
    with pytest.raises(NotYourTurn):
        started().check_turn(BLACK)
    with pytest.raises(MatchNotStarted):
        open_match().check_turn(WHITE)
    with pytest.raises(MatchPaused):
        paused(started(), 0, 100).match.check_turn(WHITE)


# Time


def test_a_flag_falls_at_its_deadline_whenever_it_is_settled() -> None:
    match = started()
    assert match.settle(T0 + 59_999) is None
    assert [match.is_late(WHITE, T0 + ms) for ms in (59_999, 60_000)] == [False, True]
    assert not match.is_late(BLACK, T0 + 60_000)
    for late_ms in (0, 1, 10**9):
        step = match.settle(T0 + 60_000 + late_ms)
        assert step is not None
        assert types(step) == ["match.finished"]
        assert step.events[0].by == "clock"
        ended = step.match
        assert (ended.result, ended.finished_ms) == (Result(BLACK, "timeout"), T0 + 60_000)
        assert ended.clock.view()["white"]["remaining_ms"] == 0
        assert ended.flagged == (WHITE,)


def test_a_move_in_the_last_millisecond_is_in_time() -> None:
    match = moved(started(), "a3a4", 59_999)
    assert match.last_ply is not None
    assert match.last_ply.white_ms == 2_001
    assert match.due_ms == T0 + 119_999


def test_a_limit_that_loses_is_a_timeout() -> None:
    match = started(Control("none", turn_limit_ms=1_000, on_turn_limit="lose"))
    (step,) = settled(match, T0 + 5_000)
    assert (step.match.result, step.match.finished_ms) == (Result(BLACK, "timeout"), T0 + 1_000)


def test_a_missed_turn_passes_the_move_and_counts_as_no_ply() -> None:
    (step,) = settled(started(SKIP), T0 + 1_500)
    assert types(step) == ["turn.missed"]
    (event,) = step.events
    assert (event.by, event.seat, event.data) == ("clock", WHITE, {"missed_turns": 1})
    match = step.match
    assert (match.version, match.ply, match.to_move) == (2, 0, (BLACK,))
    assert match.position.text() == START.replace(" w ", " b ")
    assert (match.turn_version, match.turn_ms, match.turns) == (2, T0 + 1_000, (0, 0))
    with pytest.raises(NotYourTurn):
        match.move(WHITE, ("a3a4",), 0, T0 + 1_500)
    assert moved(match, "a7a6").ply == 1


def test_when_both_are_away_the_one_that_misses_its_third_turn_first_loses() -> None:
    steps = list(settled(started(SKIP), T0 + 10**9))
    assert [types(step) for step in steps] == [["turn.missed"]] * 4 + [
        ["turn.missed", "match.finished"]
    ]
    assert [step.match.clock.at_ms - T0 for step in steps] == [1_000, 2_000, 3_000, 4_000, 5_000]
    assert [step.match.version for step in steps] == [2, 3, 4, 5, 6]
    match = steps[-1].match
    assert (match.result, match.finished_ms) == (Result(BLACK, "idle"), T0 + 5_000)
    with pytest.raises(ClockExpired):
        match.move(WHITE, ("a3a4",), 0, T0 + 10**9)


def test_a_made_turn_clears_the_missed_ones() -> None:
    match = started(SKIP)
    for _ in range(2):
        (step,) = settled(match, match.clock.at_ms + 1_000)
        match = moved(step.match, step.match.position.moves(BLACK)[0])
    assert match.clock.white.missed_turns == 2
    match = moved(match, match.position.moves(WHITE)[0])
    assert match.clock.white.missed_turns == 0
    assert match.clock.black.missed_turns == 0


def test_a_missed_turn_may_end_the_game_for_the_side_then_to_move() -> None:
    match = started(SKIP, "7/7/7/7/7/7/7/W6/cE5 w - - 0 0")
    (step,) = settled(match, T0 + 1_000)
    assert types(step) == ["turn.missed", "match.finished"]
    assert step.match.result == Result(WHITE, "no_moves")


def test_half_a_turn_can_be_missed() -> None:
    match = moved(relay(SKIP), "go", 400)
    (step,) = settled(match, T0 + 1_000)
    assert (step.match.to_move, step.match.ply) == ((BLACK,), 1)
    assert step.match.clock.white.ply_ms == 0


def test_a_first_turn_that_does_not_come_aborts_the_match() -> None:
    match = started(Control("fischer", 60_000, 2_000, start_ms=1_000))
    assert match.settle(T0 + 999) is None
    (step,) = settled(match, T0 + 10**6)
    assert types(step) == ["match.aborted"]
    assert (step.match.result, step.match.finished_ms) == (Result(None, "no_start"), T0 + 1_000)
    with pytest.raises(ClockExpired):
        step.match.move(WHITE, ("a3a4",), 0, T0 + 10**6)


def test_two_flags_that_fall_together_are_a_draw() -> None:
    (step,) = settled(relay(start="wb"), T0 + 60_000)
    assert step.match.result == Result(None, "timeout")
    assert step.match.flagged == (WHITE, BLACK)


def test_both_seats_may_be_to_move_and_each_ends_its_own_turn() -> None:
    match = relay(start="wb")
    assert match.to_move == (WHITE, BLACK)
    match = match.move(BLACK, ("stop",), 0, T0 + 1_000).match
    assert (match.to_move, match.turns) == ((WHITE,), (0, 1))
    assert match.settle(T0 + 59_999) is None


def test_a_pause_ends_by_itself_and_the_turn_goes_on_with_what_was_left() -> None:
    match = paused(started(), 10_000, 300_000).match
    assert (match.status, match.to_move, match.due_ms) == ("paused", (WHITE,), T0 + 310_000)
    resumed, fell = settled(match, T0 + 10**9)
    assert types(resumed) == ["clock.resumed"]
    assert (resumed.match.status, resumed.match.due_ms) == ("active", T0 + 360_000)
    assert resumed.match.turn_version == resumed.match.version
    assert fell.match.finished_ms == T0 + 360_000


def test_without_a_clock_nothing_falls_due() -> None:
    assert started(NONE).due_ms is None
    assert started(NONE).settle(T0 + 10**12) is None


def test_the_present_never_goes_back() -> None:
    match = moved(started(), "a3a4", 5_000)
    assert match.instant(T0) == T0 + 5_000
    assert match.instant(T0 + 5_001) == T0 + 5_001


# The virtual clock


def test_virtual_time_begins_with_the_match_and_stands_still() -> None:
    waiting = Match.create(setup(sandbox=True, virtual_clock=True), ANN, OPEN).match
    assert waiting.virtual_ms is None
    match = waiting.take_seat(BLACK, BEN, T0 + 77).match
    assert match.virtual_ms == T0 + 77
    assert match.instant(T0 + 10**9) == T0 + 77


def test_virtual_time_is_advanced_and_told() -> None:
    match, (event,) = virtual().advance(1_000)
    assert (event.type, event.by, event.data) == (
        "clock.adjusted",
        "sandbox",
        {"advanced_ms": 1_000},
    )
    assert (match.version, match.instant(0)) == (2, T0 + 1_000)
    assert match.clock.view()["white"]["remaining_ms"] == 59_000
    match = moved(match, "a3a4")
    assert match.last_ply is not None
    assert (match.last_ply.at_ms, match.last_ply.used_ms) == (T0 + 1_000, 1_000)


def test_advancing_settles_everything_due_in_order_and_goes_all_the_way() -> None:
    match = virtual(SKIP).advance(2_500).match
    assert match.clock.at_ms == match.due_ms == T0 + 1_000
    steps = list(settled(match, match.instant(0)))
    assert [types(step) for step in steps] == [["turn.missed"], ["turn.missed"]]
    assert [step.match.clock.at_ms for step in steps] == [T0 + 1_000, T0 + 2_000]
    last = steps[-1].match
    assert (last.to_move, last.instant(0), last.due_ms) == ((WHITE,), T0 + 2_500, T0 + 3_000)
    assert moved(last, "a3a4").clock.at_ms == T0 + 2_500


def test_advancing_in_small_steps_comes_to_the_same() -> None:
    once = virtual(SKIP).advance(2_500).match
    for step in settled(once, once.instant(0)):
        once = step.match
    often = virtual(SKIP)
    for _ in range(25):
        often = often.advance(100).match
        for step in settled(often, often.instant(0)):
            often = step.match
    assert often.clock.advance(T0 + 2_500) == once.clock.advance(T0 + 2_500)
    assert often.position == once.position


def test_virtual_time_passes_in_a_pause_too() -> None:
    match = paused(virtual(), 10_000, 300_000).match
    match = replace(match, virtual_ms=T0 + 10_000).advance(300_500).match
    (step,) = settled(match, match.instant(0))
    assert types(step) == ["clock.resumed"]
    assert step.match.clock.at_ms == T0 + 310_000
    assert step.match.due_ms == T0 + 360_000
    assert moved(step.match, "a3a4").clock.view()["white"]["remaining_ms"] == 51_500


def test_what_keeps_virtual_time_from_being_advanced() -> None:
    with pytest.raises(NoVirtualClock):
        started().advance(1)
    with pytest.raises(MatchNotStarted):
        Match.create(setup(sandbox=True, virtual_clock=True), ANN, OPEN).match.advance(1)
    with pytest.raises(MatchOver):
        virtual().resign(WHITE, T0).match.advance(1)
    bot_first = Match.create(setup(sandbox=True, virtual_clock=True), BOT, BEN).match
    with pytest.raises(BotToMove):
        bot_first.advance(1)
    assert moved(bot_first, "a3a4").advance(1).match.instant(0) == T0 + 1


# Views


def test_the_view_has_what_the_contract_names() -> None:
    view = open_match().view("spectator")
    assert set(view) >= {
        "id", "game", "options", "rules_version", "status", "viewer", "creator", "seats",
        "to_move", "ply", "version", "position", "state", "clock", "offers", "last_move",
        "result", "created_at", "started_at", "finished_at", "expires_at", "commitment",
        "seed", "rematch",
    }  # fmt: skip
    assert view["seats"]["white"] == {
        "kind": "guest",
        "name": "Ann",
        "player": None,
        "bot": None,
        "rating": None,
    }
    assert view["expires_at"] == "2025-12-01T01:00:00.000Z"


def test_the_seed_is_shown_at_the_end_and_not_before() -> None:
    shown = json.dumps([moved(started(), "a3a4").view(viewer) for viewer in VIEWERS])
    assert SEED.hex() not in shown
    assert over().view("spectator")["seed"] == SEED.hex()


def test_a_view_tells_of_the_last_move_and_the_result() -> None:
    view = moved(started(start=WHITE_AT_THE_DEN), "d8d9", 5).view(BLACK)
    assert view["last_move"]["move"] == "d8d9"
    assert view["result"] == {"winner": "white", "reason": "den"}
    assert (view["to_move"], view["expires_at"]) == ([], None)
    assert view["finished_at"] == "2025-12-01T00:00:00.005Z"


# Whole lives


@bounded(max_examples=50, deadline=None)
@given(lives)
def test_every_step_is_one_version_later_and_never_earlier_in_time(life: list[Step]) -> None:
    for nth, (before, after) in enumerate(pairwise(life), start=1):
        assert after.match.version == before.match.version + 1 == nth + 1
        assert after.match.clock.at_ms >= before.match.clock.at_ms
        assert after.match.ply - before.match.ply == types(after).count("move.played")
        assert after.events


@bounded(max_examples=40, deadline=None)
@given(lives)
def test_a_match_read_back_from_the_store_is_the_same_match(life: list[Step]) -> None:
    for match, _ in life:
        again = restarted(match)
        assert again == match
        for viewer in VIEWERS:
            view = match.view(viewer)
            assert again.view(viewer) == view == json.loads(json.dumps(view))
        if match.due_ms is not None:
            assert again.settle(match.due_ms) == match.settle(match.due_ms)


@bounded(max_examples=50, deadline=None)
@given(lives)
def test_the_clocks_that_run_are_those_of_the_seats_to_move(life: list[Step]) -> None:
    for match, _ in life:
        assert match.clock.running == match.to_move
        assert (match.clock.paused_until_ms is not None) == (match.status == "paused")


@bounded(max_examples=50, deadline=None)
@given(lives)
def test_what_falls_due_falls_at_its_deadline_and_not_a_millisecond_before(
    life: list[Step],
) -> None:
    for match, _ in life:
        due_ms = match.due_ms
        if due_ms is None:
            assert match.settle(match.clock.at_ms + 10**9) is None
            continue
        assert match.settle(due_ms - 1) is None
        on_time, late = match.settle(due_ms), match.settle(due_ms + 12_345)
        assert on_time is not None
        assert on_time == late
        assert on_time.match.clock.at_ms == due_ms


@bounded(max_examples=50, deadline=None)
@given(lives)
def test_an_ended_match_has_a_result_and_stays_as_it_is(life: list[Step]) -> None:
    for match, events in life:
        ends = [event.type for event in events if event.type in ("match.finished", "match.aborted")]
        assert len(ends) == match.has_ended == (match.result is not None)
        assert (match.finished_ms is not None) == match.has_ended
        if match.has_ended:
            assert ends == [f"match.{match.status}"]
            assert match == life[-1].match
            assert match.finished_ms == match.clock.at_ms
