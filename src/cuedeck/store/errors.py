"""Failures of a store, in the words both engines share."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Literal, TypeVar

from cuedeck.model.errors import CueError, ErrorCode

T = TypeVar("T")
ConflictKind = Literal["unique", "foreign", "not_null", "check"]


class Conflict(CueError):
    """A row that breaks a constraint; on PostgreSQL the transaction is lost with it."""

    def __init__(self, kind: ConflictKind, detail: str) -> None:
        super().__init__(
            ErrorCode.DATABASE, f"The change breaks a {kind} constraint", data={"constraint": detail}
        )
        self.kind = kind


def locked(lock_file: str, holder_pid: int | None, waited: float) -> CueError:
    """Another writer kept its transaction open for longer than we may wait."""
    # Another program than ours leaves no pid; all that is known then is who of us wrote last.
    who = (
        f"process {holder_pid}, or a program that opened the file since," if holder_pid else "another program"
    )
    return CueError(
        ErrorCode.LOCKED,
        "Lock Error",
        data={
            "lock_file": lock_file,
            "holder_pid": holder_pid,
            "suggestion": "Close other CueDeck instances or remove stale lock",
        },
        hint=f"Waited {waited:.1f} s for {who} to finish writing; try again, or raise store.busy_timeout.",
    )


class Broken(CueError):
    """The database cannot do its work; ``passing`` when nothing but room, rights or a disk is missing."""

    def __init__(self, message: str, hint: str, *, passing: bool, data: dict[str, object]) -> None:
        super().__init__(ErrorCode.DATABASE, message, data=data, hint=hint)
        self.passing = passing


def broken(message: str, hint: str, *, passing: bool = False, **data: object) -> CueError:
    """The database cannot do its work."""
    return Broken(message, hint, passing=passing, data=data)


def is_passing(error: CueError) -> bool:
    """Whether the same transaction may well succeed a little later."""
    if isinstance(error, Broken):
        return error.passing
    return error.code in (ErrorCode.LOCKED, ErrorCode.UNAVAILABLE)


def patiently(
    write: Callable[[bool], T], *, seconds: float, stopped: Callable[[], bool] = lambda: False
) -> T:
    """Repeat a write while the store is locked, full or away; it is told when it is not the first try."""
    deadline = time.monotonic() + seconds
    again, pause = False, 0.05
    while True:
        try:
            return write(again)
        except CueError as error:
            if not is_passing(error) or time.monotonic() > deadline or stopped():
                raise
        time.sleep(pause)
        again, pause = True, min(pause * 2, 2.0)


def closed() -> CueError:
    """The store, or the file that was open, is no longer in use."""
    return CueError(ErrorCode.UNAVAILABLE, "The store is closed", hint="Open the workspace again.")


def lost() -> CueError:
    """An error inside the transaction was caught, and the engine had given the transaction up."""
    return broken(
        "The transaction was undone by an earlier error",
        "Nothing of it was kept; try again.",
    )


def too_new(where: str, unknown: str) -> CueError:
    """The database was written by a later version of CueDeck."""
    return CueError(
        ErrorCode.SCHEMA_TOO_NEW,
        f"{where} was written by a newer version of CueDeck",
        data={"database": where, "unknown_migration": unknown},
        hint="Upgrade CueDeck with `cue upgrade`; the data is untouched.",
    )


def differing(where: str, migration: str) -> CueError:
    """The database was written by a build whose migration of the same number did something else."""
    return CueError(
        ErrorCode.SCHEMA_TOO_NEW,
        f"{where} was written by another build of CueDeck",
        data={"database": where, "differing_migration": migration},
        hint="Use the build that wrote it to `cue state export`, or run `cue daemon stop` and move it aside "
        "with its -wal; the data is untouched.",
    )
