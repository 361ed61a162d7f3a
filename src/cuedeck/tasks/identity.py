"""Whose todos: the proven principal, never an argument."""

from __future__ import annotations

import uuid

from cuedeck.model.errors import CueError, ErrorCode, invalid
from cuedeck.model.principal import Principal

NO_USER = "No user is known: todos belong to somebody"
SET_USER = (
    "Set user.id in .cuedeck/config.toml, the environment variable CUEDECK_USER, or `cue mcp --user UUID`; "
    "over HTTP send a bearer token."
)


def owner(principal: Principal, claimed: str | None = None) -> str:
    """The user whose rows may be touched; a claim that names somebody else is refused."""
    if not principal.subject:
        raise CueError(ErrorCode.UNAUTHORIZED, f"{NO_USER}. {SET_USER}")
    if claimed is not None and _same(claimed) != _same(principal.subject):
        if _same(claimed) is None:
            raise invalid("user_id", "a UUID", claimed)
        raise CueError(ErrorCode.UNAUTHORIZED, "user_id is not the authenticated user")
    return _same(principal.subject) or principal.subject


def _same(text: str) -> str | None:
    """A UUID in its one canonical form, whatever case it was written in."""
    try:
        canonical = str(uuid.UUID(text))
    except ValueError:
        return None
    return canonical if canonical == text.lower() else None
