"""How values lie in Redis: compact JSON."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import orjson

from menagerie import record
from menagerie.clock import Clock
from menagerie.match import Event, Match, Setup, Step
from menagerie.store.events import StoredEvent


def dumps(value: Any) -> bytes:
    return orjson.dumps(value)


def loads(data: bytes) -> Any:
    return orjson.loads(data)


@lru_cache(maxsize=4096)
def load_setup(data: bytes) -> Setup:
    """A setup never changes, so the same bytes are the same value."""
    return Setup.load(orjson.loads(data))


def load_match(setup: bytes, version: bytes, state: bytes) -> Match:
    return Match.load(load_setup(setup), int(version), orjson.loads(state))


def dump_events(step: Step) -> list[bytes]:
    """The events of a step, each as the match was right after it."""
    match = step.match
    clock, result = match.clock.dump(), match.result and match.result.view()
    return [
        orjson.dumps(
            {
                "type": event.type,
                "at": match.clock.at_ms,
                "by": event.by,
                "seat": event.seat,
                "data": _event_data(event),
                "to_move": match.to_move,
                "clock": clock,
                "result": result,
            }
        )
        for event in step.events
    ]


def _event_data(event: Event) -> Mapping[str, Any]:
    data = dict(event.data or {})
    return data if event.ply is None else {**event.ply.view(), **data}


def load_event(setup: Setup, event_id: bytes, data: bytes) -> StoredEvent:
    event = orjson.loads(data)
    clock = event["clock"]
    return StoredEvent(
        id=event_id.decode(),
        type=event["type"],
        at_ms=event["at"],
        by=event["by"],
        seat=event["seat"],
        data=event["data"],
        to_move=tuple(event["to_move"]),
        clock=Clock.load(setup.control, clock),
        result=event["result"],
    )


def dump_entries(step: Step) -> list[bytes]:
    """The lines that a step adds to the record."""
    return [orjson.dumps(record.dump(entry)) for entry in record.written(*step)]


def load_entries(rows: list[bytes]) -> list[list[Any]]:
    return [orjson.loads(row) for row in rows]
