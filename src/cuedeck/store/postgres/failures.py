"""PostgreSQL's failures, turned into errors that say what to do."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

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


@dataclass(frozen=True, slots=True)
class Refusal:
    """What a server that is there turns us away for, and the words it says so with."""

    words: tuple[str, ...]
    message: str
    hint: str
    passing: bool = False


# A refused connection carries no SQLSTATE, only the server's sentence; one in another language than English
# is taken for a server that is away.
_REFUSALS = (
    Refusal(
        ("too many connections", "too many clients", "connection slots"),
        "The PostgreSQL server has no connection left for us",
        "Raise its max_connections or lower store.pool_size; try again.",
        passing=True,
    ),
    Refusal(
        ("password", "authentication", "pg_hba.conf", 'role "', "permission"),
        "PostgreSQL refused the user or password",
        "Check the user in store.url.",
    ),
    Refusal(
        ("does not exist",), "The PostgreSQL database does not exist", "Create it, or correct store.url."
    ),
)
_log = logging.getLogger("cuedeck.store")


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
            return broken(
                "The PostgreSQL server takes no changes now",
                "It may be a standby, or set to read only: store.url must name the primary.",
                passing=True,
            )
        case errors.QueryCanceled():
            return _unavailable(
                "PostgreSQL gave up a statement that took too long",
                "Try again, or raise the server's statement_timeout.",
            )
        case errors.ProgramLimitExceeded():
            return invalid("parameter", "a value the database can hold", "too long a text")
        case errors.InvalidPassword() | errors.InvalidAuthorizationSpecification():
            return _unavailable("PostgreSQL refused the user or password", "Check the user in store.url.")
        case errors.InvalidCatalogName():
            return _unavailable("The PostgreSQL database does not exist", "Create it, or correct store.url.")
        case errors.InsufficientPrivilege():
            _log.warning("PostgreSQL: %s", error.diag.message_primary)
            return broken(
                "PostgreSQL does not allow this user to do that",
                "Give the user of store.url the right to create schemas in its database; "
                "the log names what was denied.",
            )
        case errors.DataError():
            return invalid("parameter", "a value the database can hold", error.diag.message_primary or "")
        case psycopg.OperationalError() | psycopg.InterfaceError():
            return unreachable()
        case _:
            # The server's sentence may name tables and values, which are nothing to a client.
            _log.error("PostgreSQL %s: %s", error.sqlstate, error.diag.message_primary)
            return broken(
                "PostgreSQL refused a statement",
                "This is a defect of CueDeck; please report it with what the log says.",
                sqlstate=error.sqlstate,
            )


def refusal(error: psycopg.OperationalError) -> Refusal | None:
    """Why a server that is there turns us away; None when it is away, starting or stopping."""
    _, _, said = str(error).partition("FATAL:")
    return next((each for each in _REFUSALS if any(word in said for word in each.words)), None)


def refused(why: Refusal | None) -> CueError:
    """The error of a connection that could not be made."""
    return unreachable() if why is None else _unavailable(why.message, why.hint)


def malformed() -> CueError:
    """The URL cannot be read; what is wrong with it is not said, for it may hold a password."""
    return CueError(
        ErrorCode.CONFIGURATION,
        "store.url is not a PostgreSQL URL",
        hint="Write postgresql://USER:PASSWORD@HOST/DATABASE, with special characters percent-encoded.",
    )


def unreachable() -> CueError:
    """The server is down, restarting, or cut off."""
    return _unavailable(
        "The PostgreSQL server does not answer",
        "Check that the server of store.url is running and reachable; nothing half-done was kept. Try again.",
    )


def _unavailable(message: str, hint: str) -> CueError:
    return CueError(ErrorCode.UNAVAILABLE, message, hint=hint)
