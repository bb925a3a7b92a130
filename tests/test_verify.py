"""The verifier: right replays pass, and whatever is changed in one is named."""

import copy
import json
import random
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as bounded
from tabletop import (
    ANN,
    BEN,
    BLITZ,
    OPEN,
    SEED,
    T0,
    lives,
    now,
    relay_is_known,
    replayed,
    settled,
    setup,
    started,
)

from menagerie.clock import Control
from menagerie.games import GAMES
from menagerie.games.chance import commitment
from menagerie.games.position import BLACK, SEATS, WHITE, other
from menagerie.instants import instant, parse_instant
from menagerie.match import Match, Setup, Step
from menagerie.verify import Unreadable, Wrong, main, verify

BYOYOMI = Control("byoyomi", 4_000, periods=3, period_ms=3_000)
SKIP = Control("fischer", 60_000, 2_000, turn_limit_ms=10_000, on_turn_limit="skip")
HASTY = replace(SKIP, max_missed_turns=2)
CONTROLS = [
    Control("none"),
    Control("absolute", 60_000),
    BLITZ,
    Control("fischer", 60_000, 2_000, cap_ms=61_000),
    Control("delay", 60_000, delay_ms=2_000),
    Control("bronstein", 60_000, delay_ms=2_000, start_ms=5_000),
    BYOYOMI,
    Control("per_turn", turn_ms=5_000),
    SKIP,
]
GAMES_OF_EACH_SIZE: list[tuple[str, dict[str, str]]] = [
    ("jungle", {}),
    ("feral", {"size": "full", "first": "random"}),
    ("feral", {"size": "beginner", "first": "black"}),
]


# Lives of matches


def drawn(game: str, options: dict[str, str], control: Control = BLITZ) -> Setup:
    """The setup of a match that starts as its game and the seed have it."""
    start = GAMES[game].position.start(options, SEED)
    return replace(setup(control), game=game, options=options, start=start.dump())


def begun(setup: Setup) -> list[Step]:
    """Black's seat is open, is taken, left and taken again; the match starts."""
    life = [Match.create(replace(setup, from_position=False), ANN, OPEN)]
    life.append(life[-1].match.leave_seat(WHITE, T0 + 1))
    life.append(life[-1].match.take_seat(WHITE, ANN, T0 + 2))
    life.append(life[-1].match.take_seat(BLACK, BEN, T0 + 3))
    return life


def played(life: list[Step], plies: int, luck: int = 1, think_ms: int = 1_400) -> list[Step]:
    """Some plies more by seats that think about as long as this; what falls due is settled."""
    picks = random.Random(luck)
    for _ in range(plies):
        at_ms = now(life[-1].match) + picks.randrange(2 * think_ms)
        life += settled(life[-1].match, at_ms)
        match = life[-1].match
        if match.has_ended:
            break
        (seat,) = match.to_move
        move = picks.choice(match.position.moves(seat))
        life.append(match.move(seat, (move,), match.ply, at_ms))
    return life


def resigned(life: list[Step], seat: Any = None) -> list[Step]:
    """The seat, or the one not to move, resigns if its opponent's time does not run out before."""
    at_ms = now(life[-1].match) + 7
    life += settled(life[-1].match, at_ms)
    match = life[-1].match
    if not match.has_ended:
        life.append(match.resign(seat or other(match.to_move[0]), at_ms))
    return life


def flagged(life: list[Step]) -> list[Step]:
    """Nobody acts any more."""
    while (deadline := life[-1].match.due_ms) is not None:
        life += settled(life[-1].match, deadline)
    return life


def jungle_den() -> dict[str, Any]:
    life = [Match.create(setup(BLITZ, "r6/7/3R3/7/7/7/7/7/7 w - - 0 0"), ANN, BEN)]
    for text in ("d7d8", "a9b9", "d8d9"):
        match = life[-1].match
        life.append(match.move(match.to_move[0], (text,), match.ply, now(match) + 1_000))
    return replayed(life, with_positions=True)


def feral_resigned() -> dict[str, Any]:
    life = played(begun(drawn("feral", {"size": "beginner", "first": "random"}, BYOYOMI)), 6)
    return replayed(resigned(life, BLACK))


def jungle_missed() -> dict[str, Any]:
    life = played(begun(drawn("jungle", {}, SKIP)), 3)
    life += settled(life[-1].match, now(life[-1].match) + 10_000)
    return replayed(flagged(played(life, 2)))


# Right replays


@pytest.mark.parametrize("control", CONTROLS, ids=lambda control: control.type)
@pytest.mark.parametrize(("game", "options"), GAMES_OF_EACH_SIZE, ids=["jungle", "full", "small"])
@pytest.mark.parametrize("end", [resigned, flagged])
def test_a_right_replay_of_every_game_and_clock_is_right(
    game: str, options: dict[str, str], control: Control, end: Any
) -> None:
    if control.type == "none" and end is flagged:
        end = resigned
    for luck in range(3):
        life = end(played(begun(drawn(game, options, control)), 24, luck))
        for with_positions in (False, True):
            match = verify(replayed(life, with_positions=with_positions))
            assert (match.position, match.result) == (
                life[-1].match.position,
                life[-1].match.result,
            )


def test_every_end_of_the_service_is_recognised() -> None:
    plain = drawn("jungle", {})
    idle = flagged(begun(drawn("feral", {"size": "beginner", "first": "white"}, HASTY)))
    unopened = flagged(begun(replace(plain, control=replace(BLITZ, start_ms=5_000))))
    alone = flagged([Match.create(plain, ANN, OPEN)])
    aborted = begun(plain)
    aborted.append(aborted[-1].match.abort(BLACK, T0 + 900))
    unseated = [Match.create(plain, ANN, OPEN)]
    unseated.append(unseated[-1].match.abort(WHITE, T0 + 900))
    ends = [replayed(life) for life in (idle, unopened, alone, aborted, unseated)]
    results = [verify(replay).result for replay in ends]
    assert [result.reason for result in results if result] == [
        "idle",
        "no_start",
        "no_opponent",
        "abort",
        "abort",
    ]


@pytest.mark.parametrize(
    ("game", "start", "moves", "reason"),
    [
        ("jungle", "7/7/7/7/7/7/w6/7/6W b - - 199 9", "a3a2", "quiet"),
        ("feral", "4/4/4/4/4/4 b - - 1 11", "pass", "stalemate"),
        ("feral", "4/4/4/4/r3/S3 b - ! 0 11", "a2-b2", "beach"),
    ],
)
def test_ends_of_the_games_are_recognised(game: str, start: str, moves: str, reason: str) -> None:
    position = GAMES[game].position.parse(start)
    made = replace(
        setup(BLITZ, position.dump()),
        game=game,
        options={**GAMES[game].complete({}), **position.settled_options()},
    )
    life = [Match.create(made, ANN, BEN)]
    for nth, text in enumerate(moves.split()):
        life.append(life[-1].match.move(BLACK, (text,), nth, T0 + 50))
    result = verify(replayed(life)).result
    assert result is not None
    assert result.reason == reason


def test_turns_that_nobody_makes_repeat_the_board_of_feral_until_it_is_a_draw() -> None:
    small = {"size": "beginner", "first": "white"}
    match = verify(replayed(flagged(begun(drawn("feral", small, SKIP)))))
    assert match.result is not None
    assert (match.result.reason, match.result.winner, match.ply) == ("repetition", None, 0)


def test_what_the_clock_tells_on_the_way_may_be_there_or_not() -> None:
    life = played(begun(drawn("jungle", {}, BYOYOMI)), 2)
    told = []
    while (step := life[-1].match.reminded((told or life)[-1].match.clock.at_ms)) is not None:
        told.append(step)
        if len(told) == 3:
            break
    assert {event.type for step in told for event in step.events} == {"clock.period"}
    match = life[-1].match
    late_ms = told[-1].match.clock.at_ms + 10
    ended = match.resign(WHITE, late_ms)
    verify(replayed([*life, *told, ended]))
    verify(replayed([*life, ended]))
    with pytest.raises(Wrong, match=r"clock\.period.*told before"):
        verify(replayed([*life, told[0], told[0], ended]))


def test_bars_that_the_referee_told_of_are_recognised() -> None:
    start = "7/7/7/7/7/7/C6/7/6r w b3a3b3a3b3a3 - 0 0"
    life = [Match.create(setup(BLITZ, start), ANN, BEN)]
    life.append(life[-1].match.told_of(life[-1].match.position.repetition()))
    replay = replayed(resigned(life))
    assert replay["notes"][2]["data"] == {"squares": ["a3", "b3"]}
    verify(replay)
    replay["notes"][2]["data"] = {"squares": ["a3", "b4"]}
    with pytest.raises(Wrong, match=r"note 3 \(repetition\.barred\): data\.squares\[1\]"):
        verify(replay)


@pytest.fixture(scope="module", autouse=True)
def _relays() -> Iterator[None]:
    with relay_is_known():
        yield


def check_life(life: list[Step]) -> None:
    match = verify(replayed(life))
    assert match.result == life[-1].match.result


@bounded(max_examples=150, deadline=None)
@given(lives)
def test_whatever_happens_in_a_match_its_replay_is_right(life: list[Step]) -> None:
    if not any(event.type == "clock.paused" for step in life for event in step.events):
        check_life(resigned(life))


# Wrong replays


def changed(replay: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    """The replay with another value at this path, such as `plies.2.move`."""
    replay = copy.deepcopy(replay)
    *way, last = [int(step) if step.isdecimal() else step for step in path.split(".")]
    holder: Any = replay
    for step in way:
        holder = holder[step]
    holder[last] = value(holder[last]) if callable(value) else value
    return replay


def later(text: str) -> str:
    return instant(parse_instant(text) + 1)


TAMPERED: list[tuple[str, Any, str]] = [
    ("match.seed", "00" * 32, r"match\.seed: its SHA-256 is 66687aad"),
    ("match.seed", "hello", r"match\.seed: it is 64 lowercase hex digits"),
    ("match.commitment", "00" * 32, r"match\.seed: its SHA-256 is 630dcd29"),
    ("start_position", "4/4/4/4/4/4 b - - 0 1", r"start_position: is .*should be"),
    ("plies.2.move", "a9-a8", r"ply 3: illegal_move \(no_piece\)"),
    ("plies.2.at", later, r"ply 3: used_ms is \d+, should be \d+ by its instant"),
    ("plies.2.at", instant(T0), r"ply 3: at is 2025-12-01T00:00:00.000Z, before"),
    ("plies.2.at", instant(T0 + 99_000), r"ply 3: at is .*, but time was up at 2025"),
    ("plies.2.used_ms", 1, r"ply 3: used_ms is 1, should be \d+ by its instant"),
    ("plies.2.white_ms", 77, r"ply 3: white_ms is 77, should be \d+ by the clock"),
    ("plies.2.black_ms", 77, r"ply 3: black_ms is 77, should be \d+ by the clock"),
    ("plies.2.position_hash", "0" * 16, r"ply 3: position_hash is .* by the moves"),
    ("plies.2.ply", 7, r"ply 3: ply is 7, should be 3"),
    ("plies.2.seat", other, r"ply 3: not_your_turn"),
    ("match.result.winner", "black", r"match\.result\.winner: is \"black\", should be \"white\""),
    ("match.result.winner", None, r"match\.result\.winner: is null, should be \"white\""),
    ("match.result.reason", "beach", r"note 6 \(match\.finished\): nothing .* brings it about"),
    ("match.finished_at", later, r"match\.finished_at: is "),
    ("match.options.first", "white", r"start_position: is .*should be"),
    ("match.options.size", "full", r"start_position: is .*should be"),
    ("match.time_control.period_ms", 4_000, r"(ply|note) \d"),
    ("match.from_position", True, r"match\.options: first is \"random\""),
    ("final_position", "4/4/4/4/4/4 b - - 0 1", r"final_position: is "),
    ("notes.5.by", "white", r"note 6 \(match\.finished\): by is \"white\", should be \"black\""),
    ("notes.5.by", "clock", r"note 6 \(match\.finished\): nothing .* brings it about"),
    ("notes.5.type", "tea.served", r"note 6 \(tea\.served\): nothing .* brings it about"),
    ("notes.5.after_ply", 3, r"ply 4: match_over"),
    ("notes.5.after_ply", 99, r"note 6 \(match\.finished\): after_ply is 99, should be 6"),
    ("notes", lambda notes: notes[:-1], r"match\.result: nothing in the record ends the match"),
    ("plies", lambda plies: plies[1:], r"ply 1: "),
    ("plies", lambda plies: plies[:-1], r"note 6 \(match\.finished\): after_ply is 6, should be 5"),
    ("plies", lambda plies: [*plies, plies[-1]], r"ply 7: match_over"),
    ("undone", lambda undone: [*undone, {}], r"undone: is \[\{\}\], should be \[\]"),
]


@pytest.mark.parametrize(("path", "value", "named"), TAMPERED, ids=lambda value: str(value)[:24])
def test_what_was_tampered_with_is_named(path: str, value: Any, named: str) -> None:
    with pytest.raises(Wrong, match=f"^{named}"):
        verify(changed(feral_resigned(), path, value))


def test_a_seed_and_commitment_that_fit_each_other_still_have_to_draw_the_board() -> None:
    replay = changed(feral_resigned(), "match.seed", "00" * 32)
    replay["match"]["commitment"] = commitment(bytes(32))
    with pytest.raises(Wrong, match=r"^start_position: is "):
        verify(replay)


def test_another_legal_move_does_not_lead_to_the_same_position() -> None:
    replay = changed(jungle_den(), "plies.1.move", "a9a8")
    with pytest.raises(Wrong, match=r"^ply 2: position_hash is .* by the moves"):
        verify(replay)


def test_a_text_of_a_position_is_compared_with_the_moves() -> None:
    replay = changed(jungle_den(), "plies.1.position", "r6/7/3R3/7/7/7/7/7/7 w - - 0 0")
    with pytest.raises(Wrong, match=r"^ply 2: position is .* by the moves"):
        verify(replay)


def test_a_missed_turn_cannot_be_left_out() -> None:
    replay = jungle_missed()
    missed = [note["type"] for note in replay["notes"]].index("turn.missed")
    del replay["notes"][missed]
    with pytest.raises(Wrong, match=r"^ply \d+: at is .*, but time was up at"):
        verify(replay)


UNKNOWABLE = re.compile(
    r"perspective"
    r"|match\.id"
    r"|match\.seats(\.white|\.black)?(\.(kind|name|player|bot|rating))?"
    r"|notes\.[12]\.(at|data(\.(kind|name|player))?)"
    r"|match\.time_control\.periods"
)
"""Who played, under which name and when they came and left before the start, follows from nothing
else in a replay; nor does how many periods a clock had of which few were used.
"""


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Everything in a JSON value that holds no other value, with its path."""
    steps = value.items() if isinstance(value, dict) else enumerate(value)
    for step, inner in steps:
        if isinstance(inner, dict | list) and inner:
            yield from leaves(inner, f"{path}{step}.")
        else:
            yield f"{path}{step}", inner


def another(value: Any) -> Any:
    """A value of the same kind."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if value in SEATS:
        return other(value)
    if isinstance(value, str) and value.endswith("Z"):
        return later(value)
    if isinstance(value, str):
        return value[:-1] + ("0" if value[-1:] != "0" else "1")
    return [0] if value == [] else {"tea": 1} if value == {} else "white"


@pytest.mark.parametrize("made", [jungle_den, feral_resigned, jungle_missed])
def test_nothing_that_follows_from_the_match_can_be_changed(made: Any) -> None:
    replay = made()
    verify(replay)
    unnoticed = set()
    for path, value in leaves(replay):
        try:
            verify(changed(replay, path, another(value)))
        except (Wrong, Unreadable):
            continue
        unnoticed.add(path)
    if made is jungle_missed:
        unnoticed.remove("match.from_position")  # what was given is the game's own start
    assert [path for path in unnoticed if not UNKNOWABLE.fullmatch(path)] == []


# What cannot be checked


@pytest.mark.parametrize("value", [None, 1, "hello", [], {}, {"match": {}}, {"match": None}])
def test_what_is_no_replay_is_said_to_be_none(value: Any) -> None:
    with pytest.raises(Unreadable, match=r"^This is no replay: match"):
        verify(value)


def test_no_part_of_a_replay_breaks_the_verifier() -> None:
    replay = feral_resigned()
    paths = [path for path, _ in leaves(replay)]
    paths += [path.rsplit(".", 1)[0] for path in paths if "." in path]
    for path in dict.fromkeys(paths):
        for junk in (None, "", -1, 10**30, 1.5, True, "\ud800\n", [], {}, [[]], {"kind": {}}):
            wrong = changed(replay, path, junk)
            if wrong == replay:
                continue
            try:
                verify(wrong)
            except (Wrong, Unreadable) as trouble:
                assert str(trouble)
            else:
                assert UNKNOWABLE.fullmatch(path), path


def test_a_match_that_goes_on_cannot_be_checked_yet() -> None:
    with pytest.raises(Unreadable, match="goes on"):
        verify(replayed([Step(started(), ())]))


def test_rules_of_another_version_are_not_judged_by_these() -> None:
    with pytest.raises(Unreadable, match="version '2' of jungle"):
        verify(changed(jungle_den(), "match.rules_version", "2"))
    with pytest.raises(Unreadable, match="no game 'chess'"):
        verify(changed(jungle_den(), "match.game", "chess"))


# The command


def written_to(path: Path, replay: Any) -> str:
    path.write_text(json.dumps(replay))
    return str(path)


def test_the_command_says_in_one_line_what_came_of_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    right = written_to(tmp_path / "right.json", jungle_den())
    assert main([right]) == 0
    assert capsys.readouterr() == ("Right: jungle m-1, plies: 3, white wins by den\n", "")
    wrong = written_to(tmp_path / "wrong.json", changed(jungle_den(), "plies.0.used_ms", 1))
    assert main([wrong]) == 1
    told = "Wrong: ply 1: used_ms is 1, should be 1000 by its instant\n"
    assert capsys.readouterr() == ("", told)


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, "[1]", "\x00", '"\\ud800"'])
def test_the_command_says_what_it_could_not_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    path = tmp_path / "replay.json"
    path.write_text(text)
    assert main([str(path)]) == 2
    assert main([str(tmp_path / "missing.json")]) == 2
    assert main([]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert [len(line) > 20 for line in told.err.splitlines()] == [True, True, True]


def test_the_command_reads_standard_input_and_exits_as_it_says() -> None:
    for replay, status in [(jungle_den(), 0), (changed(jungle_den(), "plies.0.move", "x"), 1)]:
        done = subprocess.run(
            [sys.executable, "-m", "menagerie.verify", "-"],
            input=json.dumps(replay),
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, len((done.stdout + done.stderr).splitlines())) == (status, 1)
