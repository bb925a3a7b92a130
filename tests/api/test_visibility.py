"""Who may know of a match, and which lists it is in, for whom."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.api.conftest import Api, Match, Player
from tests.api.test_matches import VIRTUAL, refused

GUEST = {"kind": "guest"}
TWO_GUESTS = {"seats": {"white": GUEST, "black": GUEST}}
OPERATIONS: dict[str, tuple[str, str, Any]] = {
    "see": ("GET", "", None),
    "see its moves": ("GET", "/legal-moves", None),
    "see its replay": ("GET", "/replay", None),
    "see its events": ("GET", "/events", None),
    "get a ticket": ("POST", "/tickets", None),
    "move": ("POST", "/moves", {"move": "a3a4", "ply": 0}),
    "repetition": ("GET", "/repetition", None),
    "resign": ("POST", "/resign", None),
    "abort": ("POST", "/abort", None),
    "let time pass": ("POST", "/sandbox/advance", {"ms": 1}),
    "take a seat": ("POST", "/seats/any", None),
    "leave a seat": ("DELETE", "/seats/white", None),
}


def ids(response: Any) -> list[str]:
    assert response.status_code == 200, response.json
    return [match["id"] for match in response.json["items"]]


def private(ann: Player, **wish: Any) -> Match:
    return ann.create(visibility="players", **wish)


def test_every_operation_on_a_match_is_tried(api: Api) -> None:
    rules = {
        (method, rule.rule.partition("<match_id>")[2])
        for rule in api.app.url_map.iter_rules()
        if "<match_id>" in rule.rule
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    }
    tried = {(method, path) for method, path, _ in OPERATIONS.values()}
    takes_seat = {
        ("POST", "/seats/<any(white,black,any):seat>"): ("POST", "/seats/any"),
        ("DELETE", "/seats/<any(white,black):seat>"): ("DELETE", "/seats/white"),
    }
    assert {takes_seat.get(rule, rule) for rule in rules} == tried


def told(answer: Any) -> dict[str, Any]:
    """What a refusal says, but for what names the request."""
    return {name: answer.json[name] for name in answer.json.keys() - {"instance", "request_id"}}


@pytest.mark.parametrize("wish", [TWO_GUESTS, {}, {**TWO_GUESTS, **VIRTUAL}])
def test_a_private_match_is_404_to_others_on_every_operation(
    api: Api, wish: dict[str, Any]
) -> None:
    ann, eve, elsewhere = api.sign_up("Ann"), api.sign_up("Eve"), api.create()
    match = private(ann, **wish)
    before = ann.get(match.path).json
    for method, path, body in OPERATIONS.values():
        for token in (None, eve.token, elsewhere.tokens["white"]):
            answer = api.call(method, match.path + path, body, token)
            unknown = api.call(method, f"/v1/matches/aaaaaaaaaaaaaaaa{path}", body, token)
            refused(answer, 404, "no_such_match")
            assert told(answer) == told(unknown)
    assert ann.get(match.path).json == before


def test_a_private_match_is_seen_by_its_seats_and_its_creator(api: Api) -> None:
    ann = api.sign_up("Ann")
    match = private(ann, **TWO_GUESTS)
    assert match.get("white")["viewer"] == "white"
    assert match.get("black")["viewer"] == "black"
    seen = ann.get(match.path)
    assert seen.json["viewer"] == "spectator"
    assert seen.headers["Cache-Control"] == "private, no-cache"
    match.move("white", "a3a4", 0)
    assert match.act("black", "resign").status_code == 200
    for path in ("/replay", "/events"):
        assert ann.get(match.path + path).status_code == 200
    assert ann.get(f"{match.path}/replay").headers["Cache-Control"] == "private, no-cache"


def test_the_creator_of_a_private_match_takes_its_open_seat(api: Api) -> None:
    ann = api.sign_up("Ann")
    match = private(ann, seats={"white": GUEST, "black": {"kind": "open"}})
    refused(api.post(f"{match.path}/seats/any"), 404, "no_such_match")
    assert ann.post(f"{match.path}/seats/any").json["viewer"] == "black"
    assert ann.get(match.path).json["viewer"] == "black"


def test_who_left_a_private_match_sees_it_no_more(api: Api) -> None:
    ann = api.sign_up("Ann")
    match = private(ann, seats={"white": GUEST, "black": {"kind": "open"}})
    white = match.tokens["white"]
    assert api.call("DELETE", f"{match.path}/seats/white", token=white).status_code == 200
    refused(api.get(match.path, token=white), 401, "bad_token")


def test_a_private_match_with_a_bot_is_played(api: Api) -> None:
    ann = api.sign_up("Ann")
    match = private(ann, seats={"black": {"kind": "bot", "bot": "jungle-1"}})
    moved = ann.post(f"{match.path}/moves", {"move": "a3a4", "ply": 0}).json
    assert api.referee.play_bot_turn(match.id, "black", moved["version"])
    assert ann.get(match.path).json["ply"] == 2


def test_an_unlisted_match_is_seen_by_who_knows_its_id(api: Api) -> None:
    ann, eve = api.sign_up("Ann"), api.sign_up("Eve")
    match = ann.create(visibility="unlisted")
    assert eve.get(match.path).status_code == 200
    assert eve.post(f"{match.path}/seats/any").status_code == 201


LISTS: dict[str, Callable[[Player], str]] = {
    "all": lambda ann: "/v1/matches",
    "the lobby": lambda ann: "/v1/matches?status=open",
    "of a game": lambda ann: "/v1/matches?game=jungle",
    "of a player": lambda ann: f"/v1/matches?player={ann.id}",
    "of a player's profile": lambda ann: f"/v1/players/{ann.id}/matches",
    "of a player and a game": lambda ann: f"/v1/players/{ann.id}/matches?game=jungle&status=open",
}


@pytest.mark.parametrize("name", LISTS)
def test_lists_show_public_matches_to_all_and_ones_own_also_the_others(api: Api, name: str) -> None:
    ann, eve = api.sign_up("Ann"), api.sign_up("Eve")
    made = [ann.create(visibility=one).id for one in ("public", "unlisted", "players")]
    path = LISTS[name](ann)
    for reader in (eve, None):
        assert ids(api.get(path, reader and reader.token)) == made[:1]
    own = ids(ann.get(path))
    assert sorted(own) == sorted(made if "player" in path else made[:1])


def test_a_creator_sees_all_that_the_creator_made(api: Api) -> None:
    ann, eve = api.sign_up("Ann"), api.sign_up("Eve")
    made = [ann.create(visibility=v).id for v in ("public", "unlisted", "players")]
    hosted = ann.create(visibility="unlisted", **TWO_GUESTS).id
    theirs = eve.create().id
    assert sorted(ids(ann.get("/v1/matches?creator=me"))) == sorted([*made, hosted])
    assert ids(eve.get("/v1/matches?creator=me")) == [theirs]
    active = ann.get("/v1/matches?creator=me&status=active&game=jungle")
    assert ids(active) == [hosted]
    assert active.headers["Cache-Control"] == "private, no-cache"
    assert hosted not in ids(ann.get(f"/v1/players/{ann.id}/matches"))
    refused(api.get("/v1/matches?creator=me"), 401, "no_token")
    refused(api.get("/v1/matches?creator=me", token=api.create().tokens["white"]), 403, "not_yours")
    refused(ann.get(f"/v1/matches?creator={ann.id}"), 400, "bad_request")


def test_lists_are_narrowed_by_bot(api: Api) -> None:
    ann = api.sign_up("Ann")
    match = ann.create(seats={"black": {"kind": "bot", "bot": "jungle-1"}})
    ann.create()
    assert ids(api.get("/v1/matches?bot=jungle-1")) == [match.id]
    assert ids(ann.get(f"/v1/players/{ann.id}/matches?bot=jungle-1")) == [match.id]
    assert ids(api.get("/v1/matches?bot=jungle-2")) == []


def test_a_seat_that_was_left_takes_the_match_out_of_the_players_list(api: Api) -> None:
    ann, ben = api.sign_up("Ann"), api.sign_up("Ben")
    match = ann.create()
    assert ids(api.get(f"/v1/players/{ann.id}/matches")) == [match.id]
    api.call("DELETE", f"{match.path}/seats/white", token=ann.token)
    assert ids(api.get(f"/v1/players/{ann.id}/matches")) == []
    ben.post(f"{match.path}/seats/white")
    assert ids(api.get(f"/v1/players/{ben.id}/matches")) == [match.id]


def test_what_is_listed_late_is_listed_for_who_left_as_it_is_now(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, ben = api.sign_up("Ann"), api.sign_up("Ben")
    match = ann.create()
    with monkeypatch.context() as patch:
        patch.setattr("menagerie.play.outbox.Takers.hand_on", lambda takers, handed: None)
        api.call("DELETE", f"{match.path}/seats/white", token=ann.token)
        ben.post(f"{match.path}/seats/white")
        ann.post(f"{match.path}/seats/black")
    left = api.referee.matches.agenda("{s00}").outbox
    assert len(left) == 3
    for entry in reversed(left):
        api.referee.takers.hand_on([entry])
    for player in (ann, ben):
        assert ids(player.get(f"/v1/players/{player.id}/matches?status=active")) == [match.id]


def test_the_lobby_says_until_when_a_match_waits(api: Api) -> None:
    ann = api.sign_up()
    match = ann.create(expires_in_ms=60_000)
    (shown,) = api.get("/v1/matches?status=open").json["items"]
    assert shown["id"] == match.id
    created_ms, expires_ms = (
        api.referee.matches.load(match.id).match.setup.created_ms,
        api.referee.matches.load(match.id).match.setup.expires_ms,
    )
    assert expires_ms - created_ms == 60_000
    assert shown["expires_at"] == match.created["expires_at"] is not None
