"""SQL written once: `:name` parameters, `IN :list` and conflict targets, spelt for each engine."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum
from functools import lru_cache
from itertools import islice
from typing import Any, TypeVar

from cuedeck.model.errors import invalid
from cuedeck.model.text import is_storable, storable

_TOKEN = re.compile(
    r"""(?P<skip>'(?:[^']|'')*' | "(?:[^"]|"")*" | --[^\n]* | /\*.*?\*/ | ::)
      | (?P<not>\bNOT\s+)?\bIN\s+:(?P<list>[A-Za-z_]\w*)
      | \bON\s+CONFLICT\s*\((?P<target>[^()]*)\)
      | :(?P<null>[A-Za-z_]\w*)\s+IS\s+(?P<given>NOT\s+)?NULL\b
      | :(?P<name>[A-Za-z_]\w*)""",
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
_LARGEST = 2**63
_CHECKED = 512
T = TypeVar("T")
_SIMPLE = frozenset((str, int, float, bytes, type(None)))


def text_within(text: str) -> str:
    """What ``LIKE … ESCAPE '\\'`` compares with to find a text inside others, wildcards taken literally."""
    literal = text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return f"%{literal}%"


@lru_cache(maxsize=2048)
def for_sqlite(sql: str) -> str:
    """Lists become ``json_each``; everything else is SQLite's own syntax already."""

    def spell(found: re.Match[str]) -> str:
        if name := found["list"]:
            return f"{found['not'] or ''}IN (SELECT value FROM json_each(:{name}))"  # noqa: S608
        return found[0]

    return _TOKEN.sub(spell, sql)


@lru_cache(maxsize=2048)
def for_postgres(sql: str) -> str:
    """Psycopg's placeholders, ``ANY`` for lists, and the workspace in front of conflict targets."""

    def spell(found: re.Match[str]) -> str:
        if name := found["list"]:
            return f"<> ALL(%({name})s)" if found["not"] else f"= ANY(%({name})s)"
        if target := found["target"]:
            return f"ON CONFLICT (workspace_id, {target.strip()})".replace("%", "%%")
        if name := found["null"]:
            # PostgreSQL cannot tell the type of a parameter from this alone, so the answer is passed.
            return f"{found['given'] or ''}%({name}__null)s"
        if name := found["name"]:
            return f"%({name})s"
        return found[0].replace("%", "%%")

    pieces: list[str] = []
    end = 0
    for found in _TOKEN.finditer(sql):
        pieces += (sql[end : found.start()].replace("%", "%%"), spell(found))
        end = found.end()
    return "".join((*pieces, sql[end:].replace("%", "%%")))


def sqlite_parameters(params: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters as SQLite binds them; lists travel as JSON."""
    bound = {}
    for name, value in params.items():
        plain = _plain(name, value)
        bound[name] = json.dumps(plain) if isinstance(plain, list) else plain
    return bound


def postgres_parameters(params: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters as psycopg binds them."""
    bound = {name: _plain(name, value) for name, value in params.items()}
    return bound | {f"{name}__null": value is None for name, value in bound.items()}


def plain_values(row: Mapping[str, Any]) -> list[Any]:
    """One row's values as both engines bind them."""
    return [_plain(name, value) for name, value in row.items()]


def plain_rows(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> Iterator[Sequence[Any]]:
    """Rows of values as both engines bind them; the usual ones are checked many at a time, by column."""
    pending = iter(rows)
    while batch := list(islice(pending, _CHECKED)):
        if all(map(_all_plain, zip(*batch, strict=True))):
            yield from batch
        else:
            for row in batch:
                yield [_plain(name, value) for name, value in zip(columns, row, strict=True)]


def _all_plain(values: Sequence[Any]) -> bool:
    """Whether all may be bound as they are, looked at as a whole."""
    kinds = set(map(type, values))
    if not kinds <= _SIMPLE:
        return False
    if int in kinds:
        numbers = _of_kind(int, values, kinds)
        if min(numbers) < -_LARGEST or max(numbers) >= _LARGEST:
            return False
    text = "".join(_of_kind(str, values, kinds)) if str in kinds else ""
    return is_storable(text)


def _of_kind(kind: type[T], values: Sequence[Any], kinds: set[type]) -> Sequence[T]:
    return values if len(kinds) == 1 else [value for value in values if type(value) is kind]


@lru_cache(maxsize=2048)
def insertion(table: str, columns: tuple[str, ...], key: tuple[str, ...], mark: str) -> str:
    """An INSERT of one value per column, marked by name; with a key, rows that have it are overwritten."""
    marks = ", ".join([mark.format(name) for name in columns])
    sql = f"INSERT INTO {table}({', '.join(columns)}) VALUES({marks})"
    if not key:
        return sql
    changed = ", ".join(f"{name} = excluded.{name}" for name in columns if name not in key)
    action = f"UPDATE SET {changed}" if changed else "NOTHING"
    return f"{sql} ON CONFLICT ({', '.join(key)}) DO {action}"


def _plain(name: str, value: Any) -> Any:
    """The same value on both engines: enums and booleans unwrapped, what one engine refuses refused."""
    kind = type(value)
    if kind is str and "\x00" not in value and value.isascii():
        return value
    if kind is int and -_LARGEST <= value < _LARGEST:
        return value
    if isinstance(value, Enum):
        value = value.value
    if isinstance(value, str):
        return storable(name, value)
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, int):
        if not -_LARGEST <= value < _LARGEST:
            raise invalid(name, "an integer of 64 bits", str(value))
        return value
    if isinstance(value, (list, tuple, set, frozenset)):
        items = list(value)
        return items if _all_plain(items) else [_plain(name, item) for item in items]
    return value
