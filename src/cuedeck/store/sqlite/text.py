"""Full text on SQLite: contentless FTS5 over analysed tokens, scope tokens inside the same index."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache

import apsw

from cuedeck.store import bm25
from cuedeck.store.protocol import JoinedText, Scope, TextHit, TextRecord, TextSpec, TextStatistics
from cuedeck.store.sqlite.connection import fetch
from cuedeck.store.tokens import scope_tokens, stored_text, stored_token

# Every segment is looked into for every term.
_SCATTERED = 4
_TIDIED_PAGES = 200
_PUNCTUATION = "".join(chr(code) for code in range(33, 127) if not chr(code).isalnum())


def create_text_index(spec: TextSpec) -> Iterator[str]:
    """The index and its vocabulary; every visible character is part of a token."""
    characters = _PUNCTUATION.replace("'", "''").replace('"', '""')
    fields = ", ".join(f"f_{name}" for name, _ in spec.fields)
    yield (
        f"CREATE VIRTUAL TABLE {spec.name} USING fts5(scope, {fields}, content='', contentless_delete=1, "
        f"tokenize=\"ascii tokenchars '{characters}'\")"
    )
    yield f"CREATE VIRTUAL TABLE {spec.name}_terms USING fts5vocab({spec.name}, row)"


class SqliteTextIndex:
    """BM25 over one FTS5 table, inside a session."""

    def __init__(self, connection: apsw.Connection, spec: TextSpec) -> None:
        self._connection = connection
        self._spec = spec

    def put(self, records: Iterable[TextRecord]) -> None:
        names = [name for name, _ in self._spec.fields]
        columns = ", ".join(f"f_{name}" for name in names)
        marks = ", ".join("?" for _ in names)
        self._connection.executemany(
            f"INSERT OR REPLACE INTO {self._spec.name}(rowid, scope, {columns}) VALUES(?, ?, {marks})",
            (
                (
                    record.id,
                    " ".join(scope_tokens(record.scope)),
                    *(stored_text(record.fields.get(name, ())) for name in names),
                )
                for record in records
            ),
        ).fetchall()

    def add(self, records: Iterable[JoinedText]) -> None:
        columns = ", ".join(f"f_{name}" for name, _ in self._spec.fields)
        marks = ", ".join("?" for _ in self._spec.fields)
        scope = cache(lambda tokens: " ".join(scope_tokens(tokens)))
        self._connection.executemany(
            f"INSERT INTO {self._spec.name}(rowid, scope, {columns}) VALUES(?, ?, {marks})",
            ((record.id, scope(record.scope), *record.fields) for record in records),
        ).fetchall()

    def drop(self, ids: Collection[int]) -> None:
        self._connection.executemany(
            f"DELETE FROM {self._spec.name} WHERE rowid = ?",  # noqa: S608
            ((number,) for number in ids),
        ).fetchall()

    def scattered(self) -> bool:
        sql = f"SELECT count(DISTINCT segid) FROM {self._spec.name}_idx"  # noqa: S608
        return bool(fetch(self._connection, sql)[0][0] > _SCATTERED)

    def tidy(self) -> bool:
        name = self._spec.name
        command = f"INSERT INTO {name}({name}, rank) VALUES(?, ?)"
        fetch(self._connection, command, ("usermerge", 2))
        before = self._connection.total_changes()
        fetch(self._connection, command, ("merge", _TIDIED_PAGES))
        # FTS5 says that there was nothing to merge by changing nothing but the command's own row.
        return self._connection.total_changes() - before >= 2

    def pack(self) -> None:
        fetch(self._connection, f"INSERT INTO {self._spec.name}({self._spec.name}) VALUES('optimize')")

    def match(self, terms: Sequence[str], *, scope: Scope = (), limit: int = 50) -> list[TextHit]:
        expression = self._expression(terms, scope)
        if not expression or limit <= 0:
            return []
        weights = ", ".join(repr(float(weight)) for _, weight in self._spec.fields)
        name = self._spec.name
        found = self._connection.execute(
            f"SELECT rowid, bm25({name}, 0.0, {weights}) AS score FROM {name} "  # noqa: S608
            f"WHERE {name} MATCH ? ORDER BY score, rowid LIMIT ?",
            (expression, limit),
        )
        return [TextHit(number, -score) for number, score in found]

    def matching_ids(self, terms: Sequence[str], *, scope: Scope = ()) -> list[int]:
        # Terms nobody holds match nothing; to count each first would read every list twice.
        expression = _expression([term for term in dict.fromkeys(terms) if term], scope)
        if not expression:
            return []
        name = self._spec.name
        found = self._connection.execute(
            f"SELECT rowid FROM {name} WHERE {name} MATCH ? ORDER BY rowid",  # noqa: S608
            (expression,),
        )
        return [number for (number,) in found]

    def strengths(self, terms: Sequence[str], ids: Collection[int]) -> dict[str, dict[int, float]]:
        frequencies = self._frequencies(terms)
        documents, _ = self._totals()
        weights = ", ".join(repr(float(weight)) for _, weight in self._spec.fields)
        name = self._spec.name
        # The plus keeps SQLite from searching once for each id; only rows that pass are scored.
        sql = (
            f"SELECT rowid, bm25({name}, 0.0, {weights}) FROM {name} "  # noqa: S608
            f"WHERE {name} MATCH ? AND +rowid IN (SELECT value FROM json_each(?))"
        )
        among = json.dumps(list(ids))
        found = {}
        for term in bm25.chosen(terms, documents, frequencies):
            weight = bm25.idf(documents, frequencies[term])
            rows = self._connection.execute(sql, (_expression([term], ()), among))
            found[term] = {number: -score / weight for number, score in rows}
        return found

    def statistics(self, terms: Sequence[str]) -> TextStatistics:
        frequencies = self._frequencies(terms)
        documents, totals = self._totals()
        names = ("scope", *(name for name, _ in self._spec.fields))
        return TextStatistics(
            documents,
            {
                name: total / documents if documents else 0.0
                for name, total in zip(names, totals, strict=True)
            },
            frequencies,
            sum(totals) / documents if documents else 0.0,
        )

    def _expression(self, terms: Sequence[str], scope: Scope) -> str:
        frequencies = self._frequencies(terms)
        documents, _ = self._totals()
        return _expression(bm25.chosen(terms, documents, frequencies), scope)

    def _frequencies(self, terms: Sequence[str]) -> dict[str, int]:
        # Reading the vocabulary also writes out what this transaction has pending, totals included.
        sql = f"SELECT doc FROM {self._spec.name}_terms WHERE term = ?"  # noqa: S608
        found = {}
        for term in dict.fromkeys(terms):
            row = self._connection.execute(sql, (stored_token(term),)).fetchone() if term else None
            found[term] = row[0] if row else 0
        return found

    def _totals(self) -> tuple[int, list[int]]:
        """Record count and tokens per column, from FTS5's averages record: the figures bm25() uses."""
        row = self._connection.execute(
            f"SELECT block FROM {self._spec.name}_data WHERE id = 1"  # noqa: S608
        ).fetchone()
        numbers = list(_varints(row[0])) if row and row[0] else []
        columns = 1 + len(self._spec.fields)
        documents, *totals = numbers or [0]
        return documents, (totals + [0] * columns)[:columns]


def _expression(terms: Sequence[str], scope: Scope) -> str:
    """An AND of ORs in FTS5's query language, every token a quoted string."""
    if not terms or any(not group for group in scope):
        return ""
    groups = [_any(stored_token(term) for term in terms)]
    groups += [_any(scope_tokens(group)) for group in scope]
    return " AND ".join(groups)


def _any(tokens: Iterable[str]) -> str:
    return "(" + " OR ".join('"' + token.replace('"', '""') + '"' for token in tokens) + ")"


def _varints(block: bytes) -> Iterator[int]:
    """SQLite's variable-length integers: seven bits a byte, the ninth byte whole."""
    value = size = 0
    for byte in block:
        size += 1
        if size == 9:
            value, size = (value << 8) | byte, 0
        else:
            value = (value << 7) | (byte & 0x7F)
            if byte & 0x80:
                continue
            size = 0
        yield value
        value = 0
