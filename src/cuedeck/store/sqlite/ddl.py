"""A domain's declarations as SQLite SQL, and the triggers that fill the change log."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence

import apsw

from cuedeck.store.ddl import Column, Index, NewColumn, Reference, Statement, Step, Table
from cuedeck.store.protocol import TextSpec, VectorSpec
from cuedeck.store.sqlite.connection import fetch
from cuedeck.store.sqlite.vectors import create_vector_table
from cuedeck.store.text import text_tables

_TYPES = {
    "text": "TEXT",
    "bigint": "INTEGER",
    "integer": "INTEGER",
    "double precision": "REAL",
    "blob": "BLOB",
}


def statements(step: Step) -> Iterator[str]:
    """The SQL of one step."""
    match step:
        case Table():
            yield _create_table(step)
            if step.audited:
                yield _remember_audit(step)
        case Index():
            unique = "UNIQUE " if step.unique else ""
            where = f" WHERE {step.where}" if step.where else ""
            yield f"CREATE {unique}INDEX {step.name} ON {step.table}({', '.join(step.columns)}){where}"
        case NewColumn():
            yield f"ALTER TABLE {step.table} ADD COLUMN {_column(step.column)}"
        case TextSpec():
            for made in text_tables(step):
                yield from statements(made)
        case VectorSpec():
            yield from create_vector_table(step)
        case Statement():
            if step.sqlite:
                yield step.sqlite


def rebuild_audit(connection: apsw.Connection) -> None:
    """Write the change-log triggers again, so that they know every column there is now."""
    for table, key, unlogged in fetch(connection, "SELECT tbl, key, unlogged FROM audited_tables"):
        columns = [
            name
            for name, kind in fetch(connection, "SELECT name, type FROM pragma_table_info(?)", (table,))
            if kind != "BLOB" and name not in json.loads(unlogged)
        ]
        for text in _triggers(table, json.loads(key), columns):
            fetch(connection, text)


def _create_table(step: Table) -> str:
    lines = [_column(column) for column in step.columns]
    key = ", ".join(step.key)
    numbered = step.rid
    if step.rid:
        # AUTOINCREMENT: an identity is never given twice, late vectors cannot reach a stranger.
        lines[:0] = ["rid INTEGER PRIMARY KEY AUTOINCREMENT"]
        lines.append(f"UNIQUE ({key})")
    else:
        lines.append(f"PRIMARY KEY ({key})")
        # A single number is SQLite's own key of a row.
        numbered = [column.type for column in step.columns if column.name in step.key] == ["bigint"]
    lines += [f"UNIQUE ({', '.join(group)})" for group in step.unique]
    lines += [_reference(reference) for reference in step.references]
    tail = "STRICT" if numbered else "STRICT, WITHOUT ROWID"
    return f"CREATE TABLE {step.name} ({', '.join(lines)}) {tail}"


def _column(column: Column) -> str:
    return f"{column.name} {_TYPES[column.type]} {column.constraints}".rstrip()


def _reference(reference: Reference) -> str:
    return (
        f"FOREIGN KEY ({', '.join(reference.columns)}) REFERENCES {reference.table}"
        f"({', '.join(reference.key)}) ON DELETE CASCADE"
    )


def _remember_audit(step: Table) -> str:
    # Names are identifiers, checked when declared; JSON of them holds no quote of SQL's.
    return (
        f"INSERT INTO audited_tables VALUES('{step.name}', "
        f"'{json.dumps(step.key)}', '{json.dumps(step.unlogged)}')"
    )


def _triggers(table: str, key: Sequence[str], columns: Sequence[str]) -> Iterator[str]:
    # Setting deleted_at is how a row is deleted softly, and the log says so.
    update = "'update'"
    if "deleted_at" in columns:
        update = (
            "CASE WHEN OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL THEN 'delete' "
            "WHEN OLD.deleted_at IS NOT NULL AND NEW.deleted_at IS NULL THEN 'restore' ELSE 'update' END"
        )
    old, new = _image("OLD", columns), _image("NEW", columns)
    for event, op, row, before, after in (
        ("INSERT", "'insert'", "NEW", "NULL", new),
        ("UPDATE", update, "NEW", old, new),
        ("DELETE", "'delete'", "OLD", old, "NULL"),
    ):
        name = f"{table}_log_{event.lower()}"
        identity = " || '/' || ".join(f"{row}.{part}" for part in key)
        yield f"DROP TRIGGER IF EXISTS {name}"
        yield (
            f"CREATE TRIGGER {name} AFTER {event} ON {table} BEGIN "  # noqa: S608
            "INSERT INTO change_log(at, actor, tbl, op, id, before, after) "
            "SELECT CAST(unixepoch('subsec') * 1000 AS INTEGER), actor, "
            f"'{table}', {op}, {identity}, {before}, {after} FROM current_actor; END"
        )


def _image(row: str, columns: Iterable[str]) -> str:
    pairs = ", ".join(f"'{name}', {row}.{name}" for name in columns)
    return f"json_object({pairs})"
