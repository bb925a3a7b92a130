"""Instants: milliseconds inside, RFC 3339 on the wire."""

import pytest
from hypothesis import given
from hypothesis import settings as bounded
from hypothesis import strategies as st

from menagerie.instants import instant, instant_or_none, parse_instant


def test_an_instant_is_written_in_utc_with_milliseconds() -> None:
    assert instant(1_764_547_200_000) == "2025-12-01T00:00:00.000Z"
    assert instant(1_764_547_200_007) == "2025-12-01T00:00:00.007Z"
    assert instant_or_none(0) == "1970-01-01T00:00:00.000Z"
    assert instant_or_none(None) is None


@bounded(max_examples=100, deadline=None)
@given(st.integers(0, 4_102_444_800_000))
def test_an_instant_is_read_back_to_the_millisecond(ms: int) -> None:
    assert parse_instant(instant(ms)) == ms


def test_an_instant_of_any_zone_is_read() -> None:
    assert parse_instant("2025-12-01T01:30:00+01:30") == 1_764_547_200_000


@pytest.mark.parametrize("text", ["", "now", "2025-12-01", "2025-12-01T00:00:00", "1764547200000"])
def test_a_text_without_a_zone_or_a_date_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        parse_instant(text)
