"""How a domain declares its tables: once, as values that each engine renders into its own SQL."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from cuedeck.store.protocol import TextSpec, VectorSpec

_NAME = re.compile(r"[a-z][a-z0-9_]*")
_TYPES = ("double precision", "text", "bigint", "integer", "blob")


@dataclass(frozen=True, slots=True)
class Column:
    """A column: portable type and the constraints both engines share."""

    name: str
    type: str
    constraints: str = ""


@dataclass(frozen=True, slots=True)
class Reference:
    """A foreign key; rows go when the row they point to goes."""

    columns: tuple[str, ...]
    table: str
    key: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A table with its key; on PostgreSQL every key starts with the workspace."""

    name: str
    columns: tuple[Column, ...]
    key: tuple[str, ...]
    rid: bool
    unique: tuple[tuple[str, ...], ...]
    references: tuple[Reference, ...]
    audited: bool
    unlogged: tuple[str, ...]
    owned_by_user: bool


@dataclass(frozen=True, slots=True)
class Index:
    """A secondary index, partial when ``where`` is given."""

    name: str
    table: str
    columns: tuple[str, ...]
    unique: bool
    where: str


@dataclass(frozen=True, slots=True)
class NewColumn:
    """A column added to a table that exists."""

    table: str
    column: Column


@dataclass(frozen=True, slots=True)
class Statement:
    """SQL for what the other steps cannot say; None where an engine has nothing to do."""

    sqlite: str | None
    postgres: str | None


Step = Table | Index | NewColumn | Statement | TextSpec | VectorSpec


def table(
    name: str,
    columns: Sequence[str],
    *,
    key: Sequence[str],
    rid: bool = False,
    unique: Sequence[Sequence[str]] = (),
    references: Sequence[Reference] = (),
    audited: bool = False,
    unlogged: Sequence[str] = (),
    owned_by_user: bool = False,
) -> Table:
    """A table; columns read like ``"title text not null"``, in the portable types.

    ``rid`` adds an integer identity for full text and vectors. ``audited`` writes every change to the
    change log, without the ``unlogged`` and blob columns. ``owned_by_user`` needs a ``user_id`` column.
    """
    parsed = tuple(_column(text) for text in columns)
    names = {column.name for column in parsed}
    if missing := [part for part in (*key, *unlogged) if part not in names]:
        raise ValueError(f"{name}: no column {missing[0]}")
    if owned_by_user and "user_id" not in names:
        raise ValueError(f"{name}: owned_by_user needs a user_id column")
    return Table(
        _identifier(name),
        parsed,
        tuple(key),
        rid,
        tuple(tuple(group) for group in unique),
        tuple(references),
        audited,
        tuple(unlogged),
        owned_by_user,
    )


def index(on: str, *columns: str, unique: bool = False, where: str = "", name: str | None = None) -> Index:
    """An index on a table's columns."""
    chosen = name or "_".join((on, *(column.split()[0] for column in columns), "index"))
    return Index(_identifier(chosen), _identifier(on), columns, unique, where)


def references(columns: Sequence[str], on: str, key: Sequence[str]) -> Reference:
    """A foreign key that deletes with its parent."""
    return Reference(tuple(columns), _identifier(on), tuple(key))


def add_column(on: str, column: str) -> NewColumn:
    """A new column of an existing table; give it a default or let it be null."""
    return NewColumn(_identifier(on), _column(column))


def text_index(spec: TextSpec) -> TextSpec:
    """The full-text index of that specification."""
    for name in (spec.name, *(field for field, _ in spec.fields)):
        _identifier(name)
    return spec


def vector_table(spec: VectorSpec) -> VectorSpec:
    """The vector table of that specification."""
    _identifier(spec.name)
    return spec


def statement(*, sqlite: str | None = None, postgres: str | None = None) -> Statement:
    """Anything else, one text per engine."""
    return Statement(sqlite, postgres)


def _column(text: str) -> Column:
    name, _, rest = text.strip().partition(" ")
    lowered = rest.strip().lower()
    kind = next((kind for kind in _TYPES if re.match(rf"{kind}\b", lowered)), None)
    if kind is None:
        raise ValueError(f"column {text!r}: the type is not one of {', '.join(_TYPES)}")
    return Column(_identifier(name), kind, rest.strip()[len(kind) :].strip())


def _identifier(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise ValueError(f"{name!r} is not a lower-case SQL name")
    return name
