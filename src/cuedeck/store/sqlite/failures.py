"""SQLite's failures, turned into errors that say what to do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import apsw

from cuedeck.model.errors import CueError, ErrorCode, invalid
from cuedeck.store.errors import Conflict, ConflictKind, broken, locked

_CONFLICTS: dict[int, ConflictKind] = {
    apsw.SQLITE_CONSTRAINT_UNIQUE: "unique",
    apsw.SQLITE_CONSTRAINT_PRIMARYKEY: "unique",
    apsw.SQLITE_CONSTRAINT_ROWID: "unique",
    apsw.SQLITE_CONSTRAINT_FOREIGNKEY: "foreign",
    apsw.SQLITE_CONSTRAINT_NOTNULL: "not_null",
}


class translated:
    """Run statements on this file; what SQLite raises comes out as a CueError, and damage is told before."""

    __slots__ = ("_damaged", "_path")

    def __init__(self, path: Path, damaged: Callable[[], None] | None = None) -> None:
        self._path = path
        self._damaged = damaged

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if error is None:
            return
        failure = translate(error, self._path)
        if self._damaged is not None and is_corrupt(failure or error):
            self._damaged()
        if failure is not None:
            raise failure from error


def translate(error: BaseException, path: Path) -> CueError | None:
    """What an error of SQLite's means to a person; nothing for any other."""
    name = path.name
    match error:
        case apsw.ConstraintError():
            return Conflict(_CONFLICTS.get(getattr(error, "extendedresult", 0), "check"), str(error))
        case apsw.BusyError() | apsw.LockedError():
            return locked(name, None, 0.0)
        case apsw.FullError():
            return broken(
                f"No space left to write {name}",
                "Free some disk space and try again.",
                passing=True,
                file=name,
            )
        case apsw.ReadOnlyError():
            return broken(
                f"{name} cannot be written: the file or its folder is read-only",
                "Make the .cuedeck folder writable for this user, or choose another workspace.",
                passing=True,
                file=name,
            )
        case apsw.CantOpenError() | apsw.PermissionsError() | apsw.AuthError():
            return broken(
                f"{name} cannot be opened",
                "Check that the .cuedeck folder exists and that this user may read and write it.",
                passing=True,
                file=name,
            )
        case apsw.NotADBError():
            return broken(f"{name} is not a CueDeck database", _restore(name), file=name, corrupt=True)
        case apsw.CorruptError():
            return broken(f"{name} is damaged", _restore(name), file=name, corrupt=True)
        case apsw.IOError() if getattr(error, "extendedresult", 0) == apsw.SQLITE_IOERR_SHORT_READ:
            return broken(f"{name} or its log was cut off", _restore(name), file=name, corrupt=True)
        case apsw.IOError():
            return broken(
                f"The disk failed while using {name}",
                "Check free space, quotas and the disk itself, then try again.",
                passing=True,
                file=name,
                detail=str(error),
            )
        case apsw.SQLError() if str(error).startswith("no such"):
            return broken(
                f"{name} was changed by another version of CueDeck while this one was using it",
                "Start the agent or command again, so that it uses that version; nothing was written.",
                file=name,
            )
        case apsw.InterruptError():
            return CueError(ErrorCode.UNAVAILABLE, "The store was closed", hint="Open the workspace again.")
        case apsw.Error():
            return broken(f"{name}: {error}", "This is a defect of CueDeck; please report it.", file=name)
        case OverflowError() | UnicodeEncodeError():
            return invalid("parameter", "a value the database can hold", str(error))
    return None


def is_corrupt(error: BaseException) -> bool:
    """Whether the file itself is beyond use."""
    return isinstance(error, CueError) and bool(error.data.get("corrupt"))


def _restore(name: str) -> str:
    if name == "index.db":
        return "Run `cue clean`; the index is derived and will be built again."
    return (
        f"Run `cue daemon stop`, move {name} and {name}-wal aside, and restore from a backup "
        "(`cue state import PATH`); nothing was changed."
    )
