"""Full text on PostgreSQL: token keys in a GIN index, BM25 computed from stored frequencies.

The tables carry no row-level security: array overlap is not leakproof, so the policy would keep the
planner from the index. Every statement here names the workspace instead.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from cuedeck.store import bm25
from cuedeck.store.postgres.failures import translated
from cuedeck.store.postgres.keys import key, scope_groups, scope_keys
from cuedeck.store.postgres.pool import Connection
from cuedeck.store.protocol import JoinedText, Scope, TextHit, TextRecord, TextSpec, TextStatistics
from cuedeck.store.tokens import stored_token, stored_tokens

_BATCH = 500
_MOST_COUNTED = 32_767


def create_text_index(spec: TextSpec) -> Iterator[str]:
    """Records, term frequencies and totals of one index."""
    workspace = """workspace_id text COLLATE "C" NOT NULL DEFAULT current_setting('cuedeck.workspace')"""
    yield (
        f"CREATE TABLE {spec.name} ({workspace}, id bigint NOT NULL, keys bigint[] NOT NULL, "
        "counts smallint[] NOT NULL, lengths integer[] NOT NULL, length integer NOT NULL, "
        "PRIMARY KEY (workspace_id, id))"
    )
    yield f"CREATE INDEX {spec.name}_keys ON {spec.name} USING gin (keys) WITH (gin_pending_list_limit = 256)"
    yield (
        f"CREATE TABLE {spec.name}_terms ({workspace}, key bigint NOT NULL, documents integer NOT NULL, "
        "PRIMARY KEY (workspace_id, key)) WITH (fillfactor = 80)"
    )
    yield (
        f"CREATE TABLE {spec.name}_totals ({workspace}, documents bigint NOT NULL, "
        "lengths bigint[] NOT NULL, PRIMARY KEY (workspace_id))"
    )


@dataclass(frozen=True, slots=True)
class _Entry:
    """A record as it is stored: its distinct tokens, their counts per field, the length of each part."""

    id: int
    terms: list[int]
    scope: list[int]
    counts: list[int]
    lengths: list[int]


class PostgresTextIndex:
    """BM25 over one index, inside a session."""

    def __init__(self, connection: Connection, workspace: str, spec: TextSpec) -> None:
        self._connection = connection
        self._workspace = workspace
        self._spec = spec

    def put(self, records: Iterable[TextRecord]) -> None:
        pending = iter(records)
        while batch := {record.id: record for record in islice(pending, _BATCH)}:
            self.drop(list(batch))
            entries = [self._entry(record) for record in batch.values()]
            with translated(), self._connection.cursor() as cursor:
                cursor.executemany(
                    f"INSERT INTO {self._spec.name}(id, keys, counts, lengths, length) "
                    "VALUES(%s, %s::bigint[], %s::smallint[], %s::integer[], %s)",
                    [(e.id, e.terms + e.scope, e.counts, e.lengths, sum(e.lengths)) for e in entries],
                )
            self._account(entries, sign=1)

    def add(self, records: Iterable[JoinedText]) -> None:
        names = [name for name, _ in self._spec.fields]
        self.put(
            TextRecord(
                record.id,
                {name: text.split() for name, text in zip(names, record.fields, strict=True)},
                record.scope,
            )
            for record in records
        )

    def drop(self, ids: Collection[int]) -> None:
        if not ids:
            return
        gone = self._rows(
            f"DELETE FROM {self._spec.name} WHERE workspace_id = %(w)s AND id = ANY(%(ids)s) "  # noqa: S608
            "RETURNING id, keys, counts, lengths",
            ids=list(ids),
        )
        if gone:
            self._account([self._read(row) for row in gone], sign=-1)

    def scattered(self) -> bool:
        """Never: PostgreSQL's own vacuum sees to it."""
        return False

    def tidy(self) -> bool:
        return False

    def pack(self) -> None:
        """Nothing: PostgreSQL's own vacuum sees to it."""

    def match(self, terms: Sequence[str], *, scope: Scope = (), limit: int = 50) -> list[TextHit]:
        statistics = self.statistics(terms)
        chosen = bm25.chosen(terms, statistics.documents, statistics.frequencies)
        if not chosen or limit <= 0 or any(not group for group in scope):
            return []
        params: dict[str, Any] = {"mean": statistics.mean_length, "limit": limit}
        parts = []
        for number, term in enumerate(chosen):
            params[f"k{number}"] = key(stored_token(term))
            params[f"i{number}"] = bm25.idf(statistics.documents, statistics.frequencies[term])
            parts.append(self._part(number))
        where = self._where([params[f"k{n}"] for n in range(len(chosen))], scope, params)
        found = self._rows(
            f"SELECT id, {' + '.join(parts)} AS score FROM {self._spec.name} "  # noqa: S608
            f"WHERE {where} ORDER BY score DESC, id LIMIT %(limit)s",
            **params,
        )
        return [TextHit(row["id"], row["score"]) for row in found]

    def matching_ids(self, terms: Sequence[str], *, scope: Scope = ()) -> list[int]:
        keys = [key(stored_token(term)) for term in dict.fromkeys(terms) if term]
        if not keys or any(not group for group in scope):
            return []
        params: dict[str, Any] = {}
        where = self._where(keys, scope, params)
        found = self._rows(f"SELECT id FROM {self._spec.name} WHERE {where} ORDER BY id", **params)  # noqa: S608
        return [row["id"] for row in found]

    def strengths(self, terms: Sequence[str], ids: Collection[int]) -> dict[str, dict[int, float]]:
        statistics = self.statistics(terms)
        chosen = bm25.chosen(terms, statistics.documents, statistics.frequencies)
        if not chosen or not ids:
            return {term: {} for term in chosen}
        params: dict[str, Any] = {"mean": statistics.mean_length, "ids": list(ids)}
        for number, term in enumerate(chosen):
            params |= {f"k{number}": key(stored_token(term)), f"i{number}": 1.0}
        parts = ", ".join(f"{self._part(number)} AS s{number}" for number in range(len(chosen)))
        found = self._rows(
            f"SELECT id, {parts} FROM {self._spec.name} "  # noqa: S608
            "WHERE workspace_id = %(w)s AND id = ANY(%(ids)s)",
            **params,
        )
        return {
            term: {row["id"]: row[f"s{number}"] for row in found if row[f"s{number}"] > 0.0}
            for number, term in enumerate(chosen)
        }

    def statistics(self, terms: Sequence[str]) -> TextStatistics:
        keys = {term: key(stored_token(term)) for term in dict.fromkeys(terms)}
        found = self._rows(
            f"SELECT key, documents::bigint, NULL::bigint[] AS lengths FROM {self._spec.name}_terms "  # noqa: S608
            "WHERE workspace_id = %(w)s AND key = ANY(%(keys)s) UNION ALL "
            f"SELECT NULL, documents, lengths FROM {self._spec.name}_totals WHERE workspace_id = %(w)s",
            keys=list(keys.values()),
        )
        counted = {row["key"]: row["documents"] for row in found if row["key"] is not None}
        totals = next((row for row in found if row["lengths"] is not None), None)
        names = ("scope", *(name for name, _ in self._spec.fields))
        documents = totals["documents"] if totals else 0
        lengths = totals["lengths"] if totals else [0] * len(names)
        return TextStatistics(
            documents,
            {name: total / max(documents, 1) for name, total in zip(names, lengths, strict=True)},
            {term: counted.get(number, 0) for term, number in keys.items()},
            sum(lengths) / max(documents, 1),
        )

    def _part(self, number: int) -> str:
        """One term's share of the score, in the same order of operations as FTS5's."""
        fields = len(self._spec.fields)
        place = f"(array_position(keys, %(k{number})s) - 1) * {fields}"
        weighted = " + ".join(
            f"{float(weight)!r}::float8 * counts[{place} + {at}]"
            for at, (_, weight) in enumerate(self._spec.fields, 1)
        )
        norm = f"{bm25.K1}::float8 * (1.0::float8 - {bm25.B}::float8 + {bm25.B}::float8 * length / %(mean)s)"
        return (
            f"coalesce((SELECT %(i{number})s::float8 * ((f * {bm25.K1 + 1.0!r}::float8) / (f + {norm})) "  # noqa: S608
            f"FROM (SELECT {weighted} AS f) AS t), 0.0::float8)"
        )

    def _where(self, keys: list[int], scope: Scope, params: dict[str, Any]) -> str:
        params["keys"] = keys
        clauses = ["workspace_id = %(w)s", "keys && %(keys)s::bigint[]"]
        for number, group in enumerate(scope_groups(scope, self._workspace)):
            params[f"s{number}"] = group
            clauses.append(f"keys && %(s{number})s::bigint[]")
        return " AND ".join(clauses)

    def _entry(self, record: TextRecord) -> _Entry:
        fields = [stored_tokens(record.fields.get(name, ())) for name, _ in self._spec.fields]
        counted = [Counter(tokens) for tokens in fields]
        distinct = list(dict.fromkeys(token for tokens in fields for token in tokens))
        scope = scope_keys(record.scope, self._workspace)
        return _Entry(
            record.id,
            [key(token) for token in distinct],
            scope,
            [min(each[token], _MOST_COUNTED) for token in distinct for each in counted],
            # The workspace's own key is not a token of the record.
            [len(scope) - 1, *(len(tokens) for tokens in fields)],
        )

    def _read(self, row: dict[str, Any]) -> _Entry:
        terms = len(row["counts"]) // len(self._spec.fields)
        return _Entry(row["id"], row["keys"][:terms], row["keys"][terms:], row["counts"], row["lengths"])

    def _account(self, entries: list[_Entry], *, sign: int) -> None:
        """Keep document frequencies and totals exact; the workspace's write lock serialises this."""
        counted = Counter(term for entry in entries for term in entry.terms)
        terms = sorted(counted)
        name = self._spec.name
        self._run(
            f"INSERT INTO {name}_terms(key, documents) "  # noqa: S608
            "SELECT * FROM unnest(%(terms)s::bigint[], %(counts)s::integer[]) "
            "ON CONFLICT (workspace_id, key) "
            f"DO UPDATE SET documents = {name}_terms.documents + excluded.documents",
            terms=terms,
            counts=[sign * counted[term] for term in terms],
        )
        sums = [sign * sum(column) for column in zip(*(entry.lengths for entry in entries), strict=True)]
        self._run(
            f"INSERT INTO {name}_totals(documents, lengths) VALUES(%(n)s, %(sums)s::bigint[]) "  # noqa: S608
            "ON CONFLICT (workspace_id) "
            f"DO UPDATE SET documents = {name}_totals.documents + excluded.documents, "
            f"lengths = ARRAY(SELECT a + b FROM unnest({name}_totals.lengths, excluded.lengths) AS t(a, b))",
            n=sign * len(entries),
            sums=sums,
        )

    def _rows(self, sql: str, **params: Any) -> list[dict[str, Any]]:
        with translated():
            return self._connection.execute(sql, {"w": self._workspace, **params}).fetchall()

    def _run(self, sql: str, **params: Any) -> None:
        with translated():
            self._connection.execute(sql, {"w": self._workspace, **params})
