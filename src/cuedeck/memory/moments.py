"""Reads a point in time that a caller names."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from cuedeck.model.errors import invalid

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def moment(field: str, text: str) -> int:
    """Milliseconds since the epoch of an ISO 8601 time; without a zone it is UTC."""
    try:
        parsed = datetime.fromisoformat(text.strip())
        zoned = parsed.astimezone(UTC) if parsed.tzinfo else parsed.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        raise invalid(field, "an ISO 8601 time such as 2026-01-31T12:00:00Z", text) from None
    return (zoned - _EPOCH) // timedelta(milliseconds=1)
