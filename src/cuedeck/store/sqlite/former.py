"""The form in which SQLite's own full text kept words, and only sketches knew the scope of vectors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import apsw

from cuedeck.store.ddl import Step
from cuedeck.store.protocol import TextSpec, VectorSpec
from cuedeck.store.schema import Migration
from cuedeck.store.sqlite.connection import fetch
from cuedeck.store.sqlite.ddl import statements

_TEXT_PARTS = ("", "_terms", "_data", "_idx", "_docsize", "_config")


def former_tables(known: Sequence[Migration]) -> set[tuple[str, str]]:
    """What such a database holds beside ours."""
    return {
        ("table", f"{step.name}{part}")
        for step in _steps(known)
        if isinstance(step, TextSpec)
        for part in _TEXT_PARTS
    }


def is_former(connection: apsw.Connection, known: Sequence[Migration]) -> bool:
    """Whether a database has that form."""
    sql = "SELECT 1 FROM sqlite_schema WHERE name = ?"
    return any(isinstance(step, TextSpec) and fetch(connection, sql, (step.name,)) for step in _steps(known))


def reform(connection: apsw.Connection, known: Sequence[Migration]) -> None:
    """Give vectors their scope, and make text indexes anew, to be filled by whoever did."""
    for step in _steps(known):
        if isinstance(step, TextSpec):
            texts = [f"DROP TABLE {step.name}_terms", f"DROP TABLE {step.name}", *statements(step)]
        elif isinstance(step, VectorSpec):
            scope = f"SELECT scope FROM {step.name}_sketches AS s WHERE s.id = {step.name}.id"  # noqa: S608
            texts = [
                f"ALTER TABLE {step.name} ADD COLUMN scope TEXT NOT NULL DEFAULT ''",
                f"UPDATE {step.name} SET scope = ({scope})",  # noqa: S608
            ]
        else:
            texts = []
        for text in texts:
            fetch(connection, text)


def _steps(known: Sequence[Migration]) -> Iterator[Step]:
    return (step for made in known for step in made.steps)
