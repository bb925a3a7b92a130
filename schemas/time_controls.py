"""Time controls as a client writes them, with the bounds of docs/timing.md."""

from typing import Any, ClassVar

from marshmallow import Schema, ValidationError, validates_schema

from menagerie.clock import Control
from schemas.fields import Choice, Whole
from schemas.kinds import Kinds

SECOND = 1000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR

TYPES = Kinds(
    "type",
    needs={
        "none": (),
        "absolute": ("initial_ms",),
        "fischer": ("initial_ms", "increment_ms"),
        "delay": ("initial_ms", "delay_ms"),
        "bronstein": ("initial_ms", "delay_ms"),
        "byoyomi": ("initial_ms", "periods", "period_ms"),
        "per_turn": ("turn_ms",),
    },
    may_have={"fischer": ("cap_ms",)},
)


class TimeControlSchema(Schema):
    """A time control. Each type has its own fields; the last four go with any type."""

    class Meta:
        rules: ClassVar = {
            **TYPES.rules(),
            "dependentRequired": {"on_turn_limit": ["turn_limit_ms"]},
            "dependentSchemas": {
                "max_missed_turns": {
                    "properties": {"on_turn_limit": {"const": "skip"}},
                    "required": ["on_turn_limit"],
                }
            },
        }

    type = Choice(*TYPES.needs, required=True)
    initial_ms = Whole(SECOND, DAY)
    increment_ms = Whole(0, 10 * MINUTE)
    cap_ms = Whole(SECOND, 365 * DAY)
    delay_ms = Whole(0, 10 * MINUTE)
    periods = Whole(1, 60)
    period_ms = Whole(SECOND, 10 * MINUTE)
    turn_ms = Whole(SECOND, 14 * DAY)
    turn_limit_ms = Whole(SECOND, 14 * DAY)
    on_turn_limit = Choice("lose", "skip")
    max_missed_turns = Whole(1, 100)
    start_ms = Whole(SECOND, 14 * DAY)

    @validates_schema
    def _fits_its_type(self, data: dict[str, Any], **kwargs: Any) -> None:
        TYPES.refuse_misfit(data, data["type"])
        if data.get("cap_ms", DAY) < data.get("initial_ms", 0):
            raise ValidationError("cap_ms is at least initial_ms.", "cap_ms")

    @validates_schema
    def _has_its_turn_limit(self, data: dict[str, Any], **kwargs: Any) -> None:
        if "on_turn_limit" in data and "turn_limit_ms" not in data:
            raise ValidationError("on_turn_limit needs turn_limit_ms.", "on_turn_limit")
        if "max_missed_turns" in data and data.get("on_turn_limit") != "skip":
            raise ValidationError("max_missed_turns needs skip.", "max_missed_turns")


def control_of(data: dict[str, Any]) -> Control:
    """The control that a loaded `time_control` describes; a turn limit without a word loses."""
    if "turn_limit_ms" in data:
        data = {"on_turn_limit": "lose", **data}
    return Control.load(data)
