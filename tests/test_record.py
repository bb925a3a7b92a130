"""The record: what a replay tells is what happened, to the millisecond."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as bounded
from tabletop import (
    ANN,
    BLITZ,
    OPEN,
    SEED,
    T0,
    lives,
    moved,
    paused,
    recorded,
    relay,
    relay_is_known,
    replayed,
    settled,
    setup,
    started,
)

from menagerie.clock import Control
from menagerie.games.jungle import START
from menagerie.games.position import BLACK, SEATS, WHITE
from menagerie.instants import parse_instant
from menagerie.match import Match, Ply, Step, position_hash
from menagerie.record import Entry, Note, Record, dump, load, written

SKIP = Control("fischer", 60_000, 2_000, turn_limit_ms=10_000, on_turn_limit="skip")


@pytest.fixture(scope="module", autouse=True)
def _relays() -> Iterator[None]:
    with relay_is_known():
        yield


def game(match: Match, moves: str, think_ms: int = 1_000) -> list[Step]:
    """The steps of a match whose seats think this long about every move."""
    life = [Step(match, ())]
    for text in moves.split():
        match = life[-1].match
        at_ms = match.clock.at_ms + think_ms
        life.append(match.move(match.to_move[0], (text,), match.ply, at_ms))
    return life


# Entries


def test_a_move_is_written_as_a_ply_and_all_else_as_a_note() -> None:
    step = started(start="6r/3R3/7/7/7/7/7/7/7 w - - 0 0").move(WHITE, ("d8d9",), 0, T0 + 5)
    ply, note = written(*step)
    assert ply == step.match.last_ply
    assert note == Note(1, T0 + 5, "match.finished", WHITE, None, None)


def test_a_note_says_after_which_ply_and_when_it_happened() -> None:
    match = moved(started(SKIP), "a3a4", 3_000)
    (step,) = settled(match, T0 + 13_000)
    (note,) = written(*step)
    assert isinstance(note, Note)
    assert note.view() == {
        "after_ply": 1,
        "at": "2025-12-01T00:00:13.000Z",
        "type": "turn.missed",
        "by": "clock",
        "seat": "black",
        "data": {"missed_turns": 1},
    }


def test_the_plies_of_one_request_are_written_in_their_order() -> None:
    entries = written(*relay().move(WHITE, ("go", "go", "win"), 0, T0))
    assert [entry.ply for entry in entries if isinstance(entry, Ply)] == [1, 2, 3]
    assert isinstance(entries[3], Note)
    assert entries[3].after_ply == 3


@bounded(max_examples=40, deadline=None)
@given(lives)
def test_entries_are_read_back_from_the_store(life: list[Step]) -> None:
    for step in life:
        for entry in written(*step):
            again: Entry = load(json.loads(json.dumps(dump(entry))))
            assert again == entry


# The record is the truth


@bounded(max_examples=50, deadline=None)
@given(lives)
def test_the_record_rebuilds_the_position_of_its_match_at_every_step(life: list[Step]) -> None:
    for nth in range(1, len(life) + 1):
        if nth % 5 and nth != len(life):
            continue
        record = recorded(life[:nth])
        assert record.rebuild() == life[nth - 1].match.position
        assert len(record.plies) == life[nth - 1].match.ply


@bounded(max_examples=40, deadline=None)
@given(lives)
def test_every_ply_carries_the_hash_of_the_position_after_it(life: list[Step]) -> None:
    for entry, position in recorded(life).positions():
        if isinstance(entry, Ply):
            assert entry.position_hash == position_hash(position)


def test_missed_turns_are_played_anew_as_missed() -> None:
    match = moved(started(SKIP), "a3a4")
    life = [Step(match, ()), *settled(match, T0 + 10_000)]
    record = Record(match.setup, (match.last_ply, *written(*life[-1])))  # type: ignore[arg-type]
    assert record.rebuild() == life[-1].match.position
    assert record.rebuild().text().split()[1] == "w"


# Repeated requests


def test_a_record_holds_what_the_seat_made_at_that_ply() -> None:
    record = recorded(game(started(), "a3a4 a7a6 a4a3"))
    assert record.holds(WHITE, ("a3a4",), 0)
    assert record.holds(BLACK, ("a7a6",), 1)
    assert record.holds(WHITE, ("a4a3",), 2)


def test_a_record_holds_no_other_move_seat_or_ply() -> None:
    record = recorded(game(started(), "a3a4 a7a6 a4a3"))
    assert not record.holds(WHITE, ("a3a2",), 0)
    assert not record.holds(BLACK, ("a3a4",), 0)
    assert not record.holds(WHITE, ("a3a4",), 1)
    assert not record.holds(WHITE, ("a4a3",), 3)
    assert not record.holds(WHITE, ("a3a4", "a7a6"), 0)
    assert not record.holds(WHITE, (), 0)


def test_a_record_holds_all_texts_of_a_turn_or_a_part_of_it() -> None:
    record = recorded(game(relay(), "go go stop stop"))
    assert record.holds(WHITE, ("go", "go", "stop"), 0)
    assert record.holds(WHITE, ("go", "stop"), 1)
    assert not record.holds(WHITE, ("go", "stop"), 0)
    assert not record.holds(WHITE, ("go", "go", "stop", "stop"), 0)


# Replays


def test_a_replay_tells_the_match_from_its_heading_to_its_end() -> None:
    life = game(started(start="r6/7/3R3/7/7/7/7/7/7 w - - 0 0"), "d7d8 a9b9 d8d9")
    replay = replayed(life)
    assert replay["match"] == {
        "id": "m-1",
        "game": "jungle",
        "options": {},
        "rules_version": "1",
        "seats": {seat: life[-1].match.seat(seat).view() for seat in SEATS},
        "time_control": {"type": "fischer", "initial_ms": 60_000, "increment_ms": 2_000},
        "result": {"winner": "white", "reason": "den"},
        "commitment": "630dcd2966c4336691125448bbb25b4ff412a49c732db2c8abc1b8581bd710dd",
        "seed": SEED.hex(),
        "from_position": True,
        "created_at": "2025-12-01T00:00:00.000Z",
        "started_at": "2025-12-01T00:00:00.000Z",
        "finished_at": "2025-12-01T00:00:03.000Z",
    }
    assert replay["start_position"] == "r6/7/3R3/7/7/7/7/7/7 w - - 0 0"
    assert replay["final_position"] == life[-1].match.position.text()
    assert [ply["move"] for ply in replay["plies"]] == ["d7d8", "a9b9", "d8d9"]
    assert [note["type"] for note in replay["notes"]] == ["match.finished"]
    assert (replay["placements"], replay["undone"]) == (None, [])


def test_a_replay_of_a_running_match_does_not_show_the_seed() -> None:
    replay = replayed(game(started(), "a3a4"))
    assert replay["match"]["seed"] is None
    assert SEED.hex() not in json.dumps(replay)


def test_a_part_of_a_replay_includes_both_its_ends() -> None:
    life = game(started(), "a3a4 a7a6 a4a3 a6a7")

    def plies(**wishes: Any) -> list[int]:
        return [ply["ply"] for ply in replayed(life, **wishes)["plies"]]

    assert plies() == [1, 2, 3, 4]
    assert plies(from_ply=2) == [2, 3, 4]
    assert plies(to_ply=2) == [1, 2]
    assert plies(from_ply=2, to_ply=3) == [2, 3]
    assert plies(from_ply=5) == plies(to_ply=0) == []


def test_a_replay_shows_positions_when_asked() -> None:
    life = game(started(), "a3a4 a7a6")
    texts = [ply["position"] for ply in replayed(life, with_positions=True)["plies"]]
    assert texts == [step.match.position.text() for step in life[1:]]
    assert all("position" not in ply for ply in replayed(life)["plies"])
    assert replayed(life)["start_position"] == START


def test_notes_tell_of_seats_that_were_taken_and_left() -> None:
    life = [Match.create(setup(), ANN, OPEN)]
    life.append(life[-1].match.leave_seat(WHITE, T0 + 1))
    life.append(life[-1].match.take_seat("any", ANN, T0 + 2))
    life.append(life[-1].match.take_seat("any", ANN, T0 + 3))
    notes = replayed(life)["notes"]
    assert [note["type"] for note in notes] == [
        "match.created",
        "seat.left",
        "seat.taken",
        "seat.taken",
        "match.started",
    ]
    assert [parse_instant(note["at"]) - T0 for note in notes] == [0, 1, 2, 3, 3]


# Both clocks, computed from the replay alone


def in_order(replay: dict[str, Any]) -> list[dict[str, Any]]:
    """Plies and notes as they happened."""
    lines = [(ply["ply"], 0, nth, ply) for nth, ply in enumerate(replay["plies"])]
    lines += [(note["after_ply"], 1, nth, note) for nth, note in enumerate(replay["notes"])]
    return [line for *_, line in sorted(lines, key=lambda line: line[:3])]


def ends_turn(ply: dict[str, Any]) -> bool:
    """Jungle's turns are of one ply, a relay's end with `stop`; the end of a game ends them too."""
    return ply["move"] != "go"


def figures(replay: dict[str, Any]) -> Iterator[tuple[int | None, int | None]]:
    """White's and Black's time after every ply, from what the replay says and nothing else."""
    control = replay["match"]["time_control"]
    kind, delay = control["type"], control.get("delay_ms", 0)
    bank = dict.fromkeys(SEATS, control.get("turn_ms" if kind == "per_turn" else "initial_ms"))
    periods = dict.fromkeys(SEATS, control.get("periods"))
    free = dict.fromkeys(SEATS, "start_ms" in control)
    used = dict.fromkeys(SEATS, 0)
    since, stood = 0, 0

    def shown(seat: str) -> int | None:
        if bank[seat] is None or free[seat]:
            return bank[seat]
        left = bank[seat] - used[seat]
        if kind == "delay":
            left += min(delay, used[seat])
        if kind == "byoyomi" and left <= 0:
            return control["period_ms"] - (-left) % control["period_ms"]
        return left

    def end_turn(seat: str, made: bool) -> None:
        spent, used[seat] = used[seat], 0
        if bank[seat] is None or free[seat]:
            free[seat] = False
            return
        if kind == "per_turn":
            return
        bank[seat] -= spent
        if kind == "fischer" and made:
            grown = bank[seat] + control["increment_ms"]
            bank[seat] = min(grown, control.get("cap_ms", grown))
        if kind == "delay" or (kind == "bronstein" and made):
            bank[seat] += min(delay, spent)
        if kind == "byoyomi" and bank[seat] < 0:
            periods[seat] -= -bank[seat] // control["period_ms"]
        if kind == "byoyomi":
            bank[seat] = max(bank[seat], 0)

    for line in in_order(replay):
        at, seat = parse_instant(line["at"]), line["seat"]
        if "move" in line:
            assert line["used_ms"] == at - since - stood
            since, stood = at, 0
            used[seat] += line["used_ms"]
            if ends_turn(line):
                end_turn(seat, made=True)
            yield shown(WHITE), shown(BLACK)
        elif line["type"] == "match.started":
            since = at
        elif line["type"] == "turn.missed":
            used[seat] += at - since - stood
            assert used[seat] == control["turn_limit_ms"]
            since, stood = at, 0
            end_turn(seat, made=False)
        elif line["type"] == "clock.paused":
            paused_at = at
        elif line["type"] == "clock.resumed":
            stood += at - paused_at


@bounded(max_examples=200, deadline=None)
@given(lives)
def test_both_clocks_follow_from_the_replay_to_the_millisecond(life: list[Step]) -> None:
    replay = replayed(life)
    assert list(figures(replay)) == [(p["white_ms"], p["black_ms"]) for p in replay["plies"]]


def test_a_pause_is_no_time_used() -> None:
    life = [Match.create(setup(), ANN, OPEN)]
    life.append(life[-1].match.take_seat(BLACK, ANN, T0))
    life.append(paused(life[-1].match, 4_000, 20_000))
    life += settled(life[-1].match, T0 + 24_000)
    life.append(life[-1].match.move(WHITE, ("a3a4",), 0, T0 + 25_000))
    (ply,) = replayed(life)["plies"]
    assert (ply["used_ms"], ply["white_ms"]) == (5_000, 57_000)
    assert list(figures(replayed(life))) == [(57_000, 60_000)]


def test_the_clocks_of_a_known_game() -> None:
    life = [Match.create(setup(BLITZ), ANN, OPEN)]
    life.append(life[-1].match.take_seat(BLACK, ANN, T0 + 100))
    for text, think_ms in [("a3a4", 1_234), ("a7a6", 0), ("a4a3", 59_999), ("a6a7", 61_999)]:
        match = life[-1].match
        at_ms = match.clock.at_ms + think_ms
        life.append(match.move(match.to_move[0], (text,), match.ply, at_ms))
    plies = replayed(life)["plies"]
    assert [(p["used_ms"], p["white_ms"], p["black_ms"]) for p in plies] == [
        (1_234, 60_766, 60_000),
        (0, 60_766, 62_000),
        (59_999, 2_767, 62_000),
        (61_999, 2_767, 2_001),
    ]
    assert plies[0]["at"] == "2025-12-01T00:00:01.334Z"
