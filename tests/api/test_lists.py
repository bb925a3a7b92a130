"""Lists walked by cursor while the matches in them come, begin and end."""

from collections import Counter
from collections.abc import Iterator

import pytest

from menagerie.match import Occupant
from menagerie.play.referee import Call, Wish
from menagerie.play.tokens import Claim
from tests.api.conftest import Api

GUEST, OPEN = Occupant("guest"), Occupant("open")


def make(api: Api, black: Occupant = GUEST) -> str:
    return api.referee.create(Wish("jungle", white=GUEST, black=black), Call()).match.id


def resign(api: Api, match_id: str) -> None:
    api.referee.resign(match_id, Call(Claim(match_id, "white", 0)))


def pages(api: Api, path: str) -> Iterator[list[str]]:
    """The ids on each page of the list, by its links."""
    address: str | None = path
    while address:
        page = api.get(address)
        yield [match["id"] for match in page.json["items"]]
        link = page.headers.get("Link")
        address = link and link.partition(">")[0].lstrip("<")


def walk_while_things_happen(api: Api, count: int, limit: int) -> None:
    """Every match that was there at the start is met once, whatever happens on the way.

    Before each page some begin, some end - ahead of the reader and behind - and new ones come.
    """
    made = [make(api, OPEN if nth % 3 else GUEST) for nth in range(count)]
    later, seen = [], Counter[str]()
    for nth, page in enumerate(pages(api, f"/v1/matches?limit={limit}")):
        seen.update(page)
        for place in range(nth, count, count // 5):
            match_id = made[place]
            match = api.referee.get(match_id)[0]
            if match.status == "open":
                api.referee.take_seat(match_id, "any", None, Call())
            elif match.status == "active":
                resign(api, match_id)
        later.append(make(api))
    assert [seen[match_id] for match_id in made] == [1] * count
    assert not set(seen) - {*made, *later}
    assert not [match_id for match_id in later if seen[match_id] > 1]
    states = Counter(api.referee.get(match_id)[0].status for match_id in made[: count // 2])
    assert len(states) == 3


def test_a_walk_meets_each_match_once_while_others_come_begin_and_end(api: Api) -> None:
    walk_while_things_happen(api, count=90, limit=7)


@pytest.mark.soak
def test_a_walk_over_25_000_matches_meets_each_once(api: Api) -> None:
    walk_while_things_happen(api, count=25_000, limit=200)


def test_matches_of_one_instant_are_met_once_however_many(api: Api) -> None:
    time_ms = api.referee.matches.time_ms()
    load = api.referee.matches.load
    api.referee.matches.load = lambda *args: load(*args)._replace(now_ms=time_ms)  # type: ignore[method-assign]
    made = [make(api) for _ in range(25)]
    seen = [match_id for page in pages(api, "/v1/matches?limit=4") for match_id in page]
    assert seen == sorted(made, reverse=True)


@pytest.mark.parametrize("status", ["open", "active", "finished", "aborted"])
def test_a_list_by_status_has_the_matches_that_are_in_it(api: Api, status: str) -> None:
    by_status = {
        "open": make(api, OPEN),
        "active": make(api),
        "aborted": make(api),
        "finished": make(api),
    }
    match_id = by_status["finished"]
    api.referee.move(match_id, ("a3a4",), 0, Call(Claim(match_id, "white", 0)))
    resign(api, match_id)
    api.referee.abort(by_status["aborted"], Call(Claim(by_status["aborted"], "black", 0)))
    (page,) = pages(api, f"/v1/matches?status={status}")
    assert page == [by_status[status]]


@pytest.mark.parametrize("cursor", ["x", "eA==", "MS4", "Lg==", "%00", "é"])
def test_a_cursor_of_another_make_is_400(api: Api, cursor: str) -> None:
    answer = api.get(f"/v1/matches?cursor={cursor}")
    assert (answer.status_code, answer.json["code"]) == (400, "bad_cursor")
