"""Feral by HTTP: turns of two activations, as both players and their clocks see them."""

from typing import Any

import pytest

from menagerie.games import GAMES
from menagerie.verify import verify
from tests.api.conftest import Api, Match

START = "5L/1S1R2/6/1s1r2/6/l5 w - - 0 9"
"""Each side has a snake, a rabbit and a lion out of the way; White begins a turn of two."""

FISCHER = {"type": "fischer", "initial_ms": 60_000, "increment_ms": 2_000}
SKIP = {**FISCHER, "turn_limit_ms": 10_000, "on_turn_limit": "skip"}


def feral(api: Api, position: str = START, **wish: Any) -> Match:
    """A match from this position on a virtual clock."""
    sandbox = {"virtual_clock": True}
    wish = {"time_control": FISCHER, "position": position, "sandbox": sandbox, **wish}
    return api.create(game="feral", **wish)


def turn(match: Match, seat: str, ply: int, *texts: str) -> Any:
    """Both activations in one request."""
    body = {"moves": list(texts), "ply": ply}
    return match.api.post(f"{match.path}/moves", body, match.tokens[seat])


def legal(match: Match, seat: str, query: str = "") -> dict[str, Any]:
    response = match.api.get(f"{match.path}/legal-moves{query}", match.tokens[seat])
    assert response.status_code == 200, response.json
    return response.json


def left_ms(now: dict[str, Any]) -> tuple[int, int]:
    """White's and Black's time."""
    return tuple(now["clock"][seat]["remaining_ms"] for seat in ("white", "black"))


def refused(response: Any, status: int, code: str, reason: str | None = None) -> None:
    problem = response.json
    assert (response.status_code, problem["code"], problem.get("reason")) == (status, code, reason)


def ended(match: Match) -> dict[str, Any]:
    """The match after its end, its replay checked."""
    verify(match.replay("?positions=true"))
    verify(match.replay())
    return match.get()


# Starts


@pytest.mark.parametrize(("size", "animals"), [("full", 12), ("beginner", 8)])
@pytest.mark.parametrize("first", ["white", "black", "random"])
def test_a_match_of_either_size_starts_from_its_seed(
    api: Api, size: str, animals: int, first: str
) -> None:
    wish = {"options": {"size": size, "first": first}, "sandbox": {"seed": "0f" * 32}}
    match = api.create(game="feral", **wish)
    pieces = match.created["state"]["pieces"]
    assert len(pieces) == 2 * animals
    assert {piece.swapcase() for piece in pieces.values()} == set(pieces.values())
    if first != "random":
        assert match.created["to_move"] == [first]
    assert match.created["commitment"] and match.created["seed"] is None
    match.act("white", "resign")
    assert ended(match)["seed"] == "0f" * 32


# Refusals

REFUSED = [
    ("bad_move_text", "5L/1G4/1s4/6/6/l5", "b5*b4"),
    ("no_piece", "5L/1S4/6/6/6/l5", "c3-c2"),
    ("not_your_piece", "5L/1S4/6/6/1s4/l5", "b2-b3"),
    ("not_forward_or_sideways", "5L/6/1S4/6/6/l5", "b4-b5"),
    ("off_board", "4/4/4/3S/4/4", "d3-e3"),
    ("occupied", "5L/1S4/1sr3/6/6/l5", "b5-b4"),
    ("not_adjacent", "5L/1Sr3/6/2B3/6/l5", "b5-b3"),
    ("no_target", "5L/1B4/2U3/6/6/l5", "b5*b4"),
    ("wrong_target_side", "5L/1F4/1S4/6/6/l5", "b5*b4-b3"),
    ("no_effect", "5L/3K2/Os4/6/6/l5", "a4*b4"),
    ("no_path", "5L/2K1r1/6/2s3/6/l5", "c5*e3"),
    ("cannot_copy", "5L/1r4/1H1G2/6/6/l5", "b4*G:b5>a4"),
    ("in_chain", "5L/F5/f5/G5/6/l5", "a5*a4*a3*a4>~"),
    ("pass_not_allowed", "5L/1S4/6/6/6/l5", "pass"),
    ("already_activated", "5L/1S1R2/6/6/6/l5", "b4-b3"),
    ("turn_over", "5L/1S4/6/6/6/1l4", "b5-b4"),
]
"""`already_activated` and `turn_over` are met by the second text of a turn."""


@pytest.mark.parametrize(("reason", "board", "text"), REFUSED)
def test_every_refusal_of_the_rules_page_reaches_the_client(
    api: Api, reason: str, board: str, text: str
) -> None:
    match = feral(api, f"{board} w - - 0 {1 if reason == 'turn_over' else 9}")
    before = match.get()
    if reason in ("already_activated", "turn_over"):
        response = turn(match, "white", 0, "b5-b4", text)
    else:
        response = match.move("white", text, 0)
    refused(response, 422, "illegal_move", reason)
    assert match.get() == before


def test_the_page_has_no_other_reason() -> None:
    assert {reason for reason, *_ in REFUSED} == set(GAMES["feral"].refusals)


def test_every_reason_is_explained_to_front_ends(api: Api) -> None:
    explained = {told["code"] for told in api.get("/v1/games/feral").json["refusals"]}
    assert {reason for reason, *_ in REFUSED} <= explained


# Turns of two activations


def test_both_activations_in_one_request_are_two_plies_and_one_turn(api: Api) -> None:
    match = feral(api)
    match.advance(4_000)
    response = turn(match, "white", 0, "b5-b4", "d5-d4")
    assert response.status_code == 201
    now = response.json
    assert (now["ply"], now["to_move"], now["version"]) == (2, ["black"], 3)
    assert now["position"] == "5L/6/1S1R2/1s1r2/6/l5 b - - 0 10"
    assert left_ms(now) == (58_000, 60_000)
    plies = match.replay()["plies"]
    assert [(ply["move"], ply["used_ms"], ply["white_ms"]) for ply in plies] == [
        ("b5-b4", 4_000, 56_000),
        ("d5-d4", 0, 58_000),
    ]


@pytest.mark.parametrize(
    ("second", "reason"),
    [
        ("b4-b3", "already_activated"),
        ("d5-d6", "not_forward_or_sideways"),
        ("d3-d4", "not_your_piece"),
        ("pass", "pass_not_allowed"),
        ("hello", "bad_move_text"),
    ],
)
def test_a_refused_second_activation_takes_the_first_with_it(
    api: Api, second: str, reason: str
) -> None:
    match = feral(api)
    before = match.get()
    refused(turn(match, "white", 0, "b5-b4", second), 422, "illegal_move", reason)
    assert match.get() == before
    assert match.replay()["plies"] == []
    assert turn(match, "white", 0, "b5-b4", "d5-d4").json["ply"] == 2


def test_a_second_text_after_the_end_of_the_game_is_refused(api: Api) -> None:
    match = feral(api, "6/S5/6/6/1L4/4l1 w - - 0 9")
    refused(turn(match, "white", 0, "b2-b1", "a5-a4"), 422, "illegal_move", "game_over")
    assert (match.get()["ply"], match.get()["status"]) == (0, "active")
    assert match.move("white", "b2-b1", 0).json["result"]["reason"] == "lion_home"
    assert ended(match)["result"]["winner"] == "white"


def test_the_turn_is_over_at_once_when_no_second_activation_is_legal(api: Api) -> None:
    match = feral(api, "4/1S2/4/4/1s2/4 w - - 0 9")
    refused(turn(match, "white", 0, "b5-b4", "pass"), 422, "illegal_move", "turn_over")
    now = match.move("white", "b5-b4", 0).json
    assert (now["to_move"], now["state"]["turn"]) == (["black"], 10)
    assert left_ms(now) == (62_000, 60_000)


def test_a_third_text_is_not_of_a_turn(api: Api) -> None:
    match = feral(api)
    response = turn(match, "white", 0, "b5-b4", "d5-d4", "f6-f5")
    refused(response, 400, "bad_request")
    assert match.get()["ply"] == 0


def test_the_first_turn_of_the_game_is_one_activation(api: Api) -> None:
    match = feral(api, START[:-1] + "1")
    assert match.move("white", "b5-b4", 0).json["to_move"] == ["black"]
    assert turn(match, "black", 1, "b3*c4", "d3-e3").json["to_move"] == ["white"]


def test_a_turn_that_is_sent_again_is_played_once(api: Api) -> None:
    match = feral(api)
    done = turn(match, "white", 0, "b5-b4", "d5-d4").json
    for ply, texts in [(0, ["b5-b4", "d5-d4"]), (0, ["b5-b4"]), (1, ["d5-d4"])]:
        again = turn(match, "white", ply, *texts)
        assert (again.status_code, again.json) == (200, done)
        assert again.headers["Idempotent-Replayed"] == "true"
    refused(turn(match, "white", 0, "b5-b4", "d5-e5"), 409, "stale_ply")


def test_the_other_seat_waits_for_both_activations(api: Api) -> None:
    match = feral(api)
    now = match.move("white", "b5-b4", 0).json
    assert (now["to_move"], now["state"]["activated"]) == (["white"], "S")
    assert now["position"].endswith(" w S - 0 9")
    refused(match.move("black", "b3-c3", 1), 409, "not_your_turn")
    refused(match.move("white", "d5-d4", 0), 409, "stale_ply")
    assert match.move("white", "d5-d4", 1).json["to_move"] == ["black"]


# Legal moves


def test_legal_moves_in_mid_turn_are_those_of_the_second_activation(api: Api) -> None:
    match = feral(api)
    first = legal(match, "white")
    assert first["ply"] == 0
    assert {move[:2] for move in first["moves"]} == {"b5", "d5", "f6"}
    match.play("b5-b4")
    second = legal(match, "white")
    assert second["ply"] == 1
    assert {move[:2] for move in second["moves"]} == {"d5", "f6"}
    assert [detail["move"] for detail in second["details"]] == second["moves"]
    refused(match.api.get(f"{match.path}/legal-moves", match.tokens["black"]), 409, "not_your_turn")
    for move in second["moves"]:
        other = feral(api)
        assert turn(other, "white", 0, "b5-b4", move).json["to_move"] != ["white"]


def test_legal_moves_of_one_square(api: Api) -> None:
    match = feral(api)
    assert legal(match, "white", "?from=b5")["moves"] == [
        "b5*a4",
        "b5*c4",
        "b5-a5",
        "b5-b4",
        "b5-c5",
    ]
    match.play("b5-b4")
    assert legal(match, "white", "?from=b4")["moves"] == []
    assert legal(match, "white", "?from=d3")["moves"] == []
    assert legal(match, "white", "?from=d5")["moves"] == ["d5-c5", "d5-d4", "d5-e5"]


def test_the_answer_to_the_first_activation_may_bring_the_second_ones(api: Api) -> None:
    match = feral(api)
    body = {"move": "b5-b4", "ply": 0}
    response = api.post(f"{match.path}/moves?include=legal_moves", body, match.tokens["white"])
    assert response.status_code == 201
    listed = match.get("white", "?include=legal_moves")["legal_moves"]
    assert listed == legal(match, "white")
    assert response.json["legal_moves"] == listed


def test_a_side_without_moves_is_shown_the_pass(api: Api) -> None:
    match = feral(api, "4/4/4/4/1s2/4 w - - 0 9")
    assert legal(match, "white")["moves"] == ["pass"]
    assert match.move("white", "pass", 0).json["state"]["passes"] == 1


# One clock through the turn


def test_the_turn_of_two_requests_runs_on_one_clock(api: Api) -> None:
    match = feral(api)
    match.advance(3_000)
    now = match.move("white", "b5-b4", 0).json
    assert (left_ms(now), now["clock"]["running"]) == ((57_000, 60_000), ["white"])
    match.advance(5_000)
    now = match.move("white", "d5-d4", 1).json
    assert (left_ms(now), now["clock"]["running"]) == ((54_000, 60_000), ["black"])
    plies = match.replay()["plies"]
    assert [(ply["used_ms"], ply["white_ms"], ply["black_ms"]) for ply in plies] == [
        (3_000, 57_000, 60_000),
        (5_000, 54_000, 60_000),
    ]
    match.act("black", "resign")
    ended(match)


@pytest.mark.parametrize(
    ("control", "white_ms"),
    [
        ({"type": "bronstein", "initial_ms": 60_000, "delay_ms": 4_000}, 56_000),
        ({"type": "delay", "initial_ms": 60_000, "delay_ms": 4_000}, 56_000),
        ({"type": "per_turn", "turn_ms": 30_000}, 30_000),
        ({"type": "byoyomi", "initial_ms": 5_000, "periods": 2, "period_ms": 4_000}, 4_000),
        ({"type": "absolute", "initial_ms": 60_000}, 52_000),
    ],
    ids=lambda value: value["type"] if isinstance(value, dict) else "",
)
def test_a_delay_is_given_once_a_turn_not_once_an_activation(
    api: Api, control: dict[str, Any], white_ms: int
) -> None:
    match = feral(api, time_control=control)
    match.advance(3_000)
    match.play("b5-b4")
    match.advance(5_000)
    match.play("d5-d4")
    assert left_ms(match.get())[0] == white_ms
    match.act("white", "resign")
    ended(match)


def test_the_turn_limit_is_one_for_both_activations(api: Api) -> None:
    match = feral(api, time_control=SKIP)
    match.advance(9_000)
    deadline = match.get()["clock"]["deadline"]
    assert match.move("white", "b5-b4", 0).json["clock"]["deadline"] == deadline
    now = match.advance(1_000).json
    assert (now["to_move"], now["clock"]["at"]) == (["black"], deadline)


# What happens in the middle of a turn


@pytest.mark.parametrize("seat", ["white", "black"])
def test_either_seat_may_resign_in_mid_turn(api: Api, seat: str) -> None:
    match = feral(api)
    match.advance(1_000)
    match.play("b5-b4")
    match.advance(2_000)
    match.act(seat, "resign")
    now = ended(match)
    winner = "black" if seat == "white" else "white"
    assert now["result"] == {"winner": winner, "reason": "resignation"}
    assert (now["ply"], now["to_move"], left_ms(now)) == (1, [], (57_000, 60_000))
    assert match.replay()["final_position"].endswith(" w S - 0 9")
    refused(match.move("white", "d5-d4", 1), 409, "match_over")


def test_a_turn_that_is_half_made_is_none_yet_so_one_may_still_abort(api: Api) -> None:
    match = feral(api)
    match.play("b5-b4")
    assert match.act("white", "abort").json["result"] == {"winner": None, "reason": "abort"}
    ended(match)
    match = feral(api)
    match.play("b5-b4", "d5-d4")
    refused(match.act("white", "abort"), 409, "too_late_to_abort")


def test_a_flag_falls_in_mid_turn(api: Api) -> None:
    match = feral(api)
    match.advance(50_000)
    match.play("b5-b4")
    match.advance(10_000)
    refused(match.move("white", "d5-d4", 1), 409, "clock_expired")
    now = ended(match)
    assert now["result"] == {"winner": "black", "reason": "timeout"}
    assert (now["ply"], left_ms(now)) == (1, (0, 60_000))


def test_a_turn_missed_in_its_middle_keeps_the_first_activation(api: Api) -> None:
    match = feral(api, time_control=SKIP)
    match.advance(4_000)
    match.play("b5-b4")
    now = match.advance(6_000).json
    assert now["position"] == "5L/3R2/1S4/1s1r2/6/l5 b - - 0 10"
    assert (now["ply"], now["to_move"], left_ms(now)) == (1, ["black"], (50_000, 60_000))
    assert now["clock"]["white"]["missed_turns"] == 1
    refused(match.move("white", "d5-d4", 1), 409, "not_your_turn")
    assert turn(match, "black", 1, "b3-a3", "d3-e3").json["to_move"] == ["white"]
    now = turn(match, "white", 3, "b4-c4", "d5-d4").json
    assert (now["clock"]["white"]["missed_turns"], left_ms(now)) == (0, (52_000, 62_000))
    match.act("black", "resign")
    ended(match)


def test_a_defence_that_is_half_made_when_the_turn_is_missed_is_judged_by_the_board(
    api: Api,
) -> None:
    invaded = "1g3L/U2R2/6/6/6/l5 w - ! 0 9"
    match = feral(api, invaded, time_control=SKIP)
    match.play("d5-d4")
    match.advance(10_000)
    assert ended(match)["result"] == {"winner": "black", "reason": "beach"}
    match = feral(api, "1g3L/1U1R2/6/6/6/l5 w - ! 0 9", time_control=SKIP)
    match.play("b5*b6")
    now = match.advance(10_000).json
    assert (now["result"], now["to_move"]) == (None, ["black"])


def test_turns_missed_by_one_side_in_a_row_lose(api: Api) -> None:
    match = feral(api, time_control={**SKIP, "max_missed_turns": 2})
    match.advance(10_000)
    turn(match, "black", 0, "b3-a3", "d3-e3")
    match.play("b5-b4")
    match.advance(10_000)
    assert ended(match)["result"] == {"winner": "black", "reason": "idle"}


# Whole matches, checked from their replays


@pytest.mark.parametrize("size", ["full", "beginner"])
def test_a_match_to_its_end_is_right_by_its_replay(api: Api, size: str) -> None:
    wish = {"options": {"size": size}, "sandbox": {"seed": "2a" * 32, "virtual_clock": True}}
    match = api.create(game="feral", time_control=SKIP, **wish)
    for nth in range(200):
        match.advance(1 + nth * 977 % 10_100)
        now = match.get()
        if now["status"] != "active":
            break
        moves = legal(match, now["to_move"][0])["moves"]
        assert (
            match.move(now["to_move"][0], moves[nth * 31 % len(moves)], now["ply"]).status_code
            == 201
        )
    else:
        match.act("white", "resign")
    now = ended(match)
    assert now["ply"] == len(match.replay()["plies"]) > 4
    types = {note["type"] for note in match.replay()["notes"]}
    assert {"clock.adjusted", "turn.missed"} <= types
