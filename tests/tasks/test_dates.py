"""Date filters as people write them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cuedeck.model.errors import CueError
from cuedeck.tasks.dates import parse_moment, parse_period, timestamp

NOW = datetime(2026, 3, 15, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("wanted", "moment", "inside"),
    [
        (">2w", "2026-03-02", True),
        (">2w", "2026-02-28", False),
        ("<7d", "2026-03-01", True),
        ("<7d", "2026-03-14", False),
        (">1m", "2026-02-14", True),
        (">1m", "2026-02-10", False),
        ("<1y", "2025-03-01", True),
        ("2026", "2026-12-31T23:59:59Z", True),
        ("2026", "2027-01-01", False),
        ("2026-02", "2026-02-28T10:00:00", True),
        ("2026-02", "2026-03-01", False),
        ("2026-03-15", "2026-03-15T23:00:00Z", True),
        (">2026-03-01", "2026-03-01T18:00:00Z", False),
        (">2026-03-01", "2026-03-02", True),
        ("<2026-03-01", "2026-02-28T23:59:00Z", True),
        ("<2026", "2025-12-31", True),
        ("9999", "9999-12-31", True),
        ("9999-12", "9999-12-31", True),
        ("9999-12-31", "9999-12-31", True),
        ("today", "2026-03-15T00:00:00Z", True),
        ("Today", "2026-03-14T23:59:59Z", False),
        ("yesterday", "2026-03-14T10:00:00Z", True),
        (">99999999y", "0001-01-02", True),
        (" > 2w ", "2026-03-10", True),
        ("2026-03-15", "2026-03-16T00:30:00+02:00", True),
    ],
)
def test_periods(wanted: str, moment: str, inside: bool) -> None:
    assert parse_period("created", wanted, now=NOW).holds(parse_moment(moment)) is inside


@pytest.mark.parametrize(
    "wanted", ["", "soon", "2w", ">w", "2026-13", "2026-02-30", "0000", ">>2w", "2026-1-1-1"]
)
def test_what_is_no_date_is_refused_with_the_field(wanted: str) -> None:
    with pytest.raises(CueError) as refusal:
        parse_period("updated", wanted, now=NOW)
    assert refusal.value.data["field"] == "updated"


def test_an_unknown_moment_is_in_no_period() -> None:
    assert not parse_period("created", ">9y", now=NOW).holds(None)


@given(st.text(max_size=12))
def test_no_filter_text_can_crash(wanted: str) -> None:
    try:
        parse_period("created", wanted, now=NOW)
    except CueError as refusal:
        assert refusal.data["field"] == "created"


@given(st.datetimes(min_value=datetime(1, 1, 2), max_value=datetime(9999, 12, 30), timezones=st.just(UTC)))
def test_timestamps_read_back(moment: datetime) -> None:
    back = parse_moment(timestamp(moment))
    assert back is not None
    assert abs((back - moment).total_seconds()) < 0.001
