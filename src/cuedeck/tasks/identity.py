"""Whose todos: the proven principal, never an argument."""

from __future__ import annotations

import re

from cuedeck.model.errors import CueError, ErrorCode, invalid
from cuedeck.model.principal import Principal

_UUID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}", re.IGNORECASE | re.ASCII)
NO_USER = "No user is known: todos belong to somebody"
SET_USER = (
    "Set user.id in .cuedeck/config.toml, the environment variable CUEDECK_USER, or `cue mcp --user UUID`; "
    "over HTTP send a bearer token."
)


def owner(principal: Principal, claimed: str | None = None) -> str:
    """The user whose rows may be touched; a claim that names somebody else is refused."""
    if not principal.subject:
        raise CueError(ErrorCode.UNAUTHORIZED, f"{NO_USER}. {SET_USER}")
    subject = _canonical(principal.subject)
    if claimed is not None and _canonical(claimed) != subject:
        if not is_uuid(claimed):
            raise invalid("user_id", "a UUID", claimed)
        raise CueError(ErrorCode.UNAUTHORIZED, "user_id is not the authenticated user")
    return subject


def is_uuid(text: str) -> bool:
    """Whether it is written as a UUID is, in either case."""
    return _UUID.fullmatch(text) is not None


def _canonical(user: str) -> str:
    """A UUID in lower case, so that it is one user however it is written; other names as they are."""
    return user.lower() if is_uuid(user) else user
