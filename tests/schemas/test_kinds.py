"""What openapi.yaml says of a body's kinds is what the service takes."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from marshmallow import Schema

from schemas.matches import MoveSchema, SeatWishSchema
from schemas.time_controls import TYPES, TimeControlSchema

COMPONENTS = yaml.safe_load((Path(__file__).parents[2] / "openapi.yaml").read_text("utf-8"))

CONTROLS = st.fixed_dictionaries(
    {"type": st.sampled_from(list(TYPES.needs))},
    optional={
        **{name: st.just(5_000) for name in TYPES.named if name != "periods"},
        "periods": st.just(3),
        "turn_limit_ms": st.just(5_000),
        "on_turn_limit": st.sampled_from(["lose", "skip"]),
        "max_missed_turns": st.just(3),
    },
)
SEATS = st.fixed_dictionaries(
    {"kind": st.sampled_from(["guest", "me", "open", "bot"])},
    optional={"name": st.just("Ann"), "bot": st.just("jungle-1")},
)
MOVES = st.fixed_dictionaries(
    {"ply": st.just(0)}, optional={"move": st.just("a3a4"), "moves": st.just(["a3a4"])}
)


@pytest.mark.parametrize(
    ("name", "schema", "bodies"),
    [
        ("TimeControl", TimeControlSchema(), CONTROLS),
        ("SeatWish", SeatWishSchema(), SEATS),
        ("Move", MoveSchema(), MOVES),
    ],
)
@given(data=st.data())
def test_the_description_takes_what_the_service_takes(
    name: str, schema: Schema, bodies: st.SearchStrategy[dict[str, Any]], data: st.DataObject
) -> None:
    body = data.draw(bodies)
    described = Draft202012Validator(COMPONENTS["components"]["schemas"][name])
    assert described.is_valid(body) == (not schema.validate(body))
