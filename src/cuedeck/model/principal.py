"""Who is calling: the verified subject of a token, or the configured local user."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Principal:
    """An identity that was proven, never one that an argument claimed."""

    subject: str | None
    issuer: str | None = None

    @property
    def key(self) -> str:
        """A stable key for rows, caches and rate limits."""
        return f"{self.issuer or 'local'}|{self.subject or ''}"


ANONYMOUS = Principal(subject=None)
