"""Bring the server to the current schema, one process at a time, or refuse one from the future."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import psycopg

from cuedeck.model.errors import CueError, ErrorCode
from cuedeck.store.ddl import Table
from cuedeck.store.errors import differing, too_new
from cuedeck.store.postgres.ddl import LOG_FUNCTION, SCHEMA, statements
from cuedeck.store.postgres.pool import Connection
from cuedeck.store.protocol import TextSpec, VectorSpec
from cuedeck.store.schema import DatabaseName, Migration
from cuedeck.store.text import text_tables

APP_ROLE = "cuedeck_app"
_LOCK = 0x43756544_65636B00
# In which form text indexes and vectors are kept.
FORM = "/blocks"
_DATABASES: tuple[DatabaseName, ...] = ("state", "index")

Known = Callable[[DatabaseName], Sequence[Migration]]

_GROUND = f"""
CREATE SCHEMA IF NOT EXISTS {SCHEMA};
SET LOCAL search_path TO {SCHEMA}, public;
CREATE TABLE IF NOT EXISTS migrations(database text NOT NULL, domain text NOT NULL, number integer NOT NULL,
    digest text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (database, domain, number));
CREATE TABLE IF NOT EXISTS commits(workspace_id text COLLATE "C" NOT NULL, database text NOT NULL,
    n bigint NOT NULL, PRIMARY KEY (workspace_id, database)) WITH (fillfactor = 50);
"""
_RECORDED = f"SELECT database, domain, number, digest FROM {SCHEMA}.migrations"  # noqa: S608
_GRANTS = f"""
GRANT USAGE ON SCHEMA {SCHEMA} TO {APP_ROLE};
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {SCHEMA} TO {APP_ROLE};
GRANT USAGE ON ALL SEQUENCES IN SCHEMA {SCHEMA} TO {APP_ROLE};
"""


def prepare(connection: Connection, known: Known) -> str | None:
    """Apply what is missing; the role to act as, when the login role would bypass row-level security."""
    bypasses = _bypasses(connection)
    wanted = {(m.database, m.domain, m.number): m for database in _DATABASES for m in known(database)}
    if _applied(connection, wanted) != {name: _digest(made) for name, made in wanted.items()}:
        with connection.transaction():
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
            _apply(connection, wanted, bypasses=bypasses)
    return APP_ROLE if bypasses else None


def _apply(
    connection: Connection, wanted: dict[tuple[DatabaseName, str, int], Migration], *, bypasses: bool
) -> None:
    _vector_extension(connection)
    connection.execute(_GROUND)
    # Asked again under the lock: another process may have been faster.
    applied = _applied(connection, wanted)
    if any(_digest(wanted[name]) != digest for name, digest in applied.items()):
        # All of them, as on SQLite: a domain's rows name those of another by numbers that begin anew.
        _drop_derived(connection, [made for made in wanted.values() if made.database == "index"])
        applied = {name: digest for name, digest in applied.items() if name[0] != "index"}
    connection.execute(LOG_FUNCTION)
    for name, migration in wanted.items():
        if name in applied:
            continue
        for step in migration.steps:
            for text in statements(step):
                connection.execute(text)
        connection.execute(
            "INSERT INTO migrations(database, domain, number, digest) VALUES(%s, %s, %s, %s)",
            (*name, _digest(migration)),
        )
    if bypasses:
        _app_role(connection)


def _digest(migration: Migration) -> str:
    """The migration's own, and in which form this engine keeps what it declares."""
    formed = any(isinstance(step, TextSpec | VectorSpec) for step in migration.steps)
    return f"{migration.digest}{FORM}" if formed else migration.digest


def _drop_derived(connection: Connection, made: list[Migration]) -> None:
    """Remove derived tables, so that they are made anew in their present form."""
    for step in (step for migration in made for step in migration.steps):
        match step:
            case Table(name=name):
                names = [name]
            case TextSpec():
                names = [made.name for made in text_tables(step)]
            case VectorSpec(name=name):
                names = [name, f"{name}_sketches", f"{name}_log"]
            case _:
                names = []
        for name in names:
            connection.execute(f"DROP TABLE IF EXISTS {name} CASCADE")
    connection.execute("DELETE FROM migrations WHERE database = 'index'")


def _applied(
    connection: Connection, wanted: dict[tuple[DatabaseName, str, int], Migration]
) -> dict[tuple[DatabaseName, str, int], str]:
    try:
        with connection.transaction():
            found = connection.execute(_RECORDED).fetchall()
    except (psycopg.errors.UndefinedTable, psycopg.errors.InvalidSchemaName):
        return {}
    applied = {(row["database"], row["domain"], row["number"]): row["digest"] for row in found}
    for name, digest in sorted(applied.items()):
        if name not in wanted:
            raise too_new("The PostgreSQL store", "/".join(map(str, name)))
        if name[0] == "state" and _digest(wanted[name]) != digest:
            raise differing("The PostgreSQL store", "/".join(map(str, name)))
    return applied


def _bypasses(connection: Connection) -> bool:
    found = connection.execute(
        "SELECT rolsuper OR rolbypassrls AS bypasses FROM pg_roles WHERE rolname = current_user"
    ).fetchone()
    return bool(found and found["bypasses"])


def _vector_extension(connection: Connection) -> None:
    try:
        connection.execute("CREATE EXTENSION IF NOT EXISTS vector WITH SCHEMA public")
    except (psycopg.errors.FeatureNotSupported, psycopg.errors.UndefinedFile) as error:
        raise CueError(
            ErrorCode.CONFIGURATION,
            "The PostgreSQL server lacks the pgvector extension",
            hint="Install pgvector 0.8 or later on the server of store.url.",
        ) from error
    except psycopg.errors.InsufficientPrivilege as error:
        raise CueError(
            ErrorCode.CONFIGURATION,
            "The user of store.url may not create the pgvector extension",
            hint="Let an administrator run `CREATE EXTENSION vector` in that database once.",
        ) from error


def _app_role(connection: Connection) -> None:
    exists = connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", (APP_ROLE,)).fetchone()
    if not exists:
        connection.execute(f"CREATE ROLE {APP_ROLE} NOLOGIN NOBYPASSRLS")
    connection.execute(_GRANTS)
