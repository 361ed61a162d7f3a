"""Moments as people write them, and filters such as ``>2w``, ``<2024-05`` and ``yesterday``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from cuedeck.model.errors import CueError, invalid

_DAYS = {"d": 1, "w": 7, "m": 30, "y": 365}
_RELATIVE = re.compile(r"([<>])\s*([0-9]{1,9})\s*([dwmy])", re.IGNORECASE)
_ABSOLUTE = re.compile(r"([<>]?)\s*([0-9]{4})(?:-([0-9]{1,2})(?:-([0-9]{1,2}))?)?")
_WORD = re.compile(r"([<>]?)\s*(today|yesterday)", re.IGNORECASE)
_EXPECTED = (
    "a date such as '2024-01-31', '2024-01' or '2024', '>2w' (within), '<7d' (older), 'today', 'yesterday'"
)
_AGE = "an age such as '30d', '4w', '6m' or '1y', or a date such as '2024-01-31'"

_FIRST = datetime.min.replace(tzinfo=UTC)
_LAST = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Period:
    """A stretch of time: from ``start``, up to but not including ``end``."""

    start: datetime = _FIRST
    end: datetime = _LAST

    def holds(self, moment: datetime | None) -> bool:
        """Whether a moment lies in it; an unknown one never does."""
        return moment is not None and self.start <= moment < self.end


def timestamp(moment: datetime) -> str:
    """ISO 8601 in UTC, to the millisecond."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def parse_moment(text: str) -> datetime | None:
    """A date or time in ISO form, without a zone taken as UTC; nothing when it is neither."""
    try:
        moment = datetime.fromisoformat(text.strip().replace("/", "-"))
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def parse_period(field: str, text: str, *, now: datetime) -> Period:
    """Read a date filter, or say what one looks like."""
    wanted = text.strip()
    if match := _RELATIVE.fullmatch(wanted):
        return _relative(match, now)
    try:
        if match := _WORD.fullmatch(wanted):
            return _compared(match[1], *_named_day(match[2].lower(), now))
        if match := _ABSOLUTE.fullmatch(wanted):
            return _compared(match[1], *_calendar(match[2], match[3], match[4]))
    except (ValueError, OverflowError):
        pass
    raise invalid(field, _EXPECTED, text)


def older_than_period(field: str, text: str, *, now: datetime) -> Period:
    """Everything before an age or a date, given with or without the sign for it."""
    try:
        return parse_period(field, f"<{text.strip().lstrip('<')}", now=now)
    except CueError:
        raise invalid(field, _AGE, text) from None


def _relative(match: re.Match[str], now: datetime) -> Period:
    try:
        edge = now - timedelta(days=int(match[2]) * _DAYS[match[3].lower()])
    except OverflowError:
        edge = _FIRST
    return Period(start=edge) if match[1] == ">" else Period(end=edge)


def _compared(sign: str, start: datetime, end: datetime) -> Period:
    match sign:
        case ">":
            return Period(start=end)
        case "<":
            return Period(end=start)
        case _:
            return Period(start, end)


def _named_day(word: str, now: datetime) -> tuple[datetime, datetime]:
    midnight = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    start = midnight if word == "today" else midnight - timedelta(days=1)
    return start, start + timedelta(days=1)


def _calendar(year: str, month: str | None, day: str | None) -> tuple[datetime, datetime]:
    start = datetime(int(year), int(month or 1), int(day or 1), tzinfo=UTC)
    try:
        if day is not None:
            return start, start + timedelta(days=1)
        if month is not None:
            return start, (start + timedelta(days=31)).replace(day=1)
        return start, start.replace(year=start.year + 1)
    except (ValueError, OverflowError):  # the calendar ends with the year 9999
        return start, _LAST
