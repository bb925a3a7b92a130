"""The store goes away and comes back; the service says so and recovers by itself."""

from pathlib import Path

import pytest

from api import create_app
from menagerie.play.settings import Settings
from menagerie.store import embedded
from tests.api.conftest import GUESTS, Api, Match


@pytest.fixture
def own(tmp_path: Path) -> embedded.Server:
    """A store of this test's own, which it may end."""
    return embedded.start(tmp_path)


def test_503_while_the_store_is_away_and_everything_is_there_when_it_is_back(
    own: embedded.Server, tmp_path: Path
) -> None:
    api = Api(create_app(Settings(own.url, own.url, secret="a secret of the tests")))
    match = api.create(seats=GUESTS)
    match.play("a3a4")
    before = match.get()
    assert own.process is not None
    own.process.kill()
    own.process.wait()

    for response in (
        match.move("black", "g7g6", 1),
        api.get(match.path),
        api.post("/v1/matches", {"game": "jungle"}),
        api.get("/readyz"),
    ):
        assert (response.status_code, response.json["code"]) == (503, "store_away")
        assert int(response.headers["Retry-After"]) >= 1
    assert api.get("/livez").status_code == 200
    assert api.get("/v1/games").status_code == 200

    again = embedded.start(tmp_path)
    try:
        assert again.url == own.url
        assert match.get() == before
        assert Match.move(match, "black", "g7g6", 1).status_code == 201
        assert api.get("/readyz").status_code == 200
    finally:
        again.stop()
