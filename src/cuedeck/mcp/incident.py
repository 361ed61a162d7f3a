"""What nobody expected: logged whole under an id, shown to the client as that id alone."""

from __future__ import annotations

import logging
import secrets

from cuedeck.model.errors import CueError, ErrorCode

logger = logging.getLogger("cuedeck.mcp")


def unexpected(where: str, error: Exception) -> CueError:
    """An error for the client that holds nothing but the id under which the log has the rest."""
    error_id = secrets.token_hex(4)
    logger.error("%s failed, error id %s", where, error_id, exc_info=error)
    return CueError(
        ErrorCode.INTERNAL,
        f"Internal error {error_id}",
        data={"error_id": error_id},
        hint="The server's log has the details under this id.",
    )
