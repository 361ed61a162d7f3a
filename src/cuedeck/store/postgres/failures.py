"""PostgreSQL's failures, turned into errors that say what to do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from psycopg import errors

from cuedeck.model.errors import CueError, ErrorCode, invalid
from cuedeck.store.errors import Conflict, ConflictKind, broken, locked

_CONFLICTS: tuple[tuple[type[psycopg.Error], ConflictKind], ...] = (
    (errors.UniqueViolation, "unique"),
    (errors.ForeignKeyViolation, "foreign"),
    (errors.NotNullViolation, "not_null"),
    (errors.IntegrityError, "check"),
)


@contextmanager
def translated() -> Iterator[None]:
    """Run statements; what psycopg raises comes out as a CueError."""
    try:
        yield
    except psycopg.Error as error:
        raise translate(error) from error
    except UnicodeEncodeError as error:
        raise invalid("parameter", "valid Unicode text", str(error)) from error


def translate(error: psycopg.Error) -> CueError:
    """What this PostgreSQL error means to a person."""
    for kind, name in _CONFLICTS:
        if isinstance(error, kind):
            return Conflict(name, error.diag.constraint_name or error.diag.column_name or "")
    match error:
        case errors.LockNotAvailable() | errors.DeadlockDetected() | errors.SerializationFailure():
            return locked("postgresql", None, 0.0)
        case errors.DiskFull() | errors.OutOfMemory():
            return broken(
                "The PostgreSQL server has no space left", "Free some space on the server.", passing=True
            )
        case errors.ReadOnlySqlTransaction():
            return broken("This is a reading transaction", "Write inside Database.write().")
        case errors.InvalidPassword() | errors.InvalidAuthorizationSpecification():
            return _unavailable("PostgreSQL refused the user or password", "Check the user in store.url.")
        case errors.InvalidCatalogName():
            return _unavailable("The PostgreSQL database does not exist", "Create it, or correct store.url.")
        case errors.InsufficientPrivilege():
            return broken(
                "PostgreSQL does not allow this user to do that",
                "Give the user of store.url the right to create schemas in its database.",
                detail=error.diag.message_primary,
            )
        case errors.DataError():
            return invalid("parameter", "a value the database can hold", error.diag.message_primary or "")
        case psycopg.OperationalError() | psycopg.InterfaceError():
            return unreachable()
        case _:
            return broken(
                f"PostgreSQL: {error.diag.message_primary or error}",
                "This is a defect of CueDeck; please report it.",
                sqlstate=error.sqlstate,
            )


def unreachable() -> CueError:
    """The server is down, restarting, or cut off."""
    return _unavailable(
        "The PostgreSQL server does not answer",
        "Check that the server of store.url is running and reachable; nothing half-done was kept. Try again.",
    )


def _unavailable(message: str, hint: str) -> CueError:
    return CueError(ErrorCode.UNAVAILABLE, message, hint=hint)
