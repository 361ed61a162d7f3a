"""What nobody expected: logged whole under an id, shown to the client as that id alone."""

from __future__ import annotations

import errno
import logging
import os
import secrets

from cuedeck.model.errors import CueError, ErrorCode

logger = logging.getLogger("cuedeck.mcp")

# What the system refuses for a reason that its user can remove.
_REFUSALS = (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOSPC, errno.EDQUOT, errno.EMFILE, errno.ENFILE)
# What is no longer there; libgit2 gives its own errors no number.
_VANISHED = (errno.ENOENT, errno.ENOTDIR, errno.ESTALE, None)


def unexpected(where: str, error: Exception) -> CueError:
    """An error for the client that holds little but the id under which the log has the rest."""
    error_id = secrets.token_hex(4)
    logger.error("%s failed, error id %s", where, error_id, exc_info=error)
    if isinstance(error, OSError) and error.errno in _REFUSALS:
        return CueError(
            ErrorCode.UNAVAILABLE,
            f"The system refused: {os.strerror(error.errno).lower()}",
            data={"error_id": error_id},
            hint="Check permissions and room in the workspace and its .cuedeck folder; the server's log has "
            "the path under this id.",
        )
    if isinstance(error, OSError) and error.errno in _VANISHED:
        return CueError(
            ErrorCode.UNAVAILABLE,
            "A file or folder of the workspace vanished while it was read",
            data={"error_id": error_id},
            hint="Ask again when the workspace is in its place; the server's log has the path under this id.",
        )
    return CueError(
        ErrorCode.INTERNAL,
        f"Internal error {error_id}",
        data={"error_id": error_id},
        hint="The server's log has the details under this id.",
    )
