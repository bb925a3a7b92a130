"""Instants: milliseconds since the Unix epoch inside, RFC 3339 in UTC on the wire."""

from datetime import UTC, datetime, timedelta
from functools import lru_cache

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@lru_cache(maxsize=4096)
def instant(ms: int) -> str:
    """`1764547200000` as `"2025-12-01T00:00:00.000Z"`."""
    moment = _EPOCH + timedelta(milliseconds=ms)
    return moment.isoformat(timespec="milliseconds")[:-6] + "Z"


def instant_or_none(ms: int | None) -> str | None:
    return None if ms is None else instant(ms)


def parse_instant(text: str) -> int:
    """The reverse of `instant`; any zone is read, none is refused. Raises `ValueError`."""
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError(f"An instant names its zone, such as Z: {text!r}.")
    return round((moment - _EPOCH) / timedelta(milliseconds=1))
