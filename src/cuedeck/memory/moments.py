"""Reads a point in time that a caller names."""

from __future__ import annotations

from datetime import UTC, datetime

from cuedeck.model.errors import invalid


def moment(field: str, text: str) -> int:
    """Milliseconds since the epoch of an ISO 8601 time; without a zone it is UTC."""
    try:
        parsed = datetime.fromisoformat(text.strip())
    except ValueError:
        raise invalid(field, "an ISO 8601 time such as 2026-01-31T12:00:00Z", text) from None
    zoned = parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)
    return round(zoned.timestamp() * 1000)
