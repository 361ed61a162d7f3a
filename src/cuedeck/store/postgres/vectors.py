"""Vectors on PostgreSQL: halfvec rows, exact over small scopes, HNSW with iterative scan over large ones.

Like full text, the table names its workspace in every statement instead of relying on row-level
security, so that the scope's index can be used.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Any

from cuedeck.store.postgres.failures import translated
from cuedeck.store.postgres.keys import scope_groups, scope_keys
from cuedeck.store.postgres.pool import Connection
from cuedeck.store.protocol import Scope, Vector, VectorHit, VectorRecord, VectorSpec

# Up to so many records an exact look costs less than a walk through the graph.
EXACT = 5_000
# A few more than asked for, so that rounding at the edge changes nothing.
_SPARE = 16


def create_vector_table(spec: VectorSpec) -> Iterator[str]:
    """The vectors and their two indexes; vectors of another model's size are simply not in the graph."""
    yield (
        f'CREATE TABLE {spec.name} (workspace_id text COLLATE "C" NOT NULL '
        "DEFAULT current_setting('cuedeck.workspace'), id bigint NOT NULL, model text NOT NULL, "
        "scope bigint[] NOT NULL, v halfvec NOT NULL, PRIMARY KEY (workspace_id, id))"
    )
    yield f"CREATE INDEX {spec.name}_scope ON {spec.name} USING gin (scope)"
    yield (
        f"CREATE INDEX {spec.name}_graph ON {spec.name} USING hnsw "
        f"((v::halfvec({spec.dimensions})) halfvec_cosine_ops) WHERE vector_dims(v) = {spec.dimensions}"
    )


class PostgresVectorIndex:
    """Nearest neighbours over one vector table, inside a session."""

    def __init__(self, connection: Connection, workspace: str, spec: VectorSpec) -> None:
        self._connection = connection
        self._workspace = workspace
        self._spec = spec

    def put(self, records: Iterable[VectorRecord]) -> None:
        from cuedeck.store.vector import checked

        rows = [
            (
                record.id,
                record.model,
                scope_keys(record.scope, self._workspace),
                _literal(checked(record, self._spec)),
            )
            for record in records
        ]
        with translated(), self._connection.cursor() as cursor:
            cursor.executemany(
                f"INSERT INTO {self._spec.name}(id, model, scope, v) "
                "VALUES(%s, %s, %s::bigint[], %s::halfvec) ON CONFLICT (workspace_id, id) "
                "DO UPDATE SET model = excluded.model, scope = excluded.scope, v = excluded.v",
                rows,
            )

    def drop(self, ids: Collection[int]) -> None:
        self._rows(
            f"DELETE FROM {self._spec.name} WHERE workspace_id = %(w)s AND id = ANY(%(ids)s) RETURNING id",  # noqa: S608
            ids=list(ids),
        )

    def nearest(
        self, vector: Vector, *, model: str, scope: Scope = (), limit: int = 50, floor: float = -1.0
    ) -> list[VectorHit]:
        if limit <= 0 or any(not group for group in scope):
            return []
        params: dict[str, Any] = {"q": _literal(vector), "model": model, "limit": limit, "most": EXACT + 1}
        clauses = ["workspace_id = %(w)s", "model = %(model)s", f"vector_dims(v) = {self._spec.dimensions}"]
        for number, group in enumerate(scope_groups(scope, self._workspace)):
            params[f"s{number}"] = group
            clauses.append(f"scope && %(s{number})s::bigint[]")
        where = " AND ".join(clauses)
        candidates = self._rows(
            f"SELECT count(*) AS n FROM (SELECT 1 FROM {self._spec.name} WHERE {where} LIMIT %(most)s) AS t",  # noqa: S608
            **params,
        )[0]["n"]
        params["limit"] = limit + _SPARE
        near = self._exact(where, params) if candidates <= EXACT else self._walk(where, params)
        return [hit for hit in self._ranked(near, vector, model)[:limit] if hit.cosine >= floor]

    def get(self, ids: Collection[int], *, model: str) -> dict[int, Vector]:
        import numpy as np

        sql = (
            f"SELECT id, v FROM {self._spec.name} "  # noqa: S608
            "WHERE workspace_id = %(w)s AND model = %(model)s AND id = ANY(%(ids)s)"
        )
        params = {"w": self._workspace, "model": model, "ids": list(ids)}
        with translated(), self._connection.cursor(binary=True) as cursor:
            rows = cursor.execute(sql, params).fetchall()
        # On the wire a halfvec is its length, a reserved word, and big-endian halves.
        return {row["id"]: np.frombuffer(row["v"], dtype=">f2", offset=4).astype(np.float32) for row in rows}

    def count(self, *, model: str) -> int:
        sql = f"SELECT count(*) AS n FROM {self._spec.name} WHERE workspace_id = %(w)s AND model = %(model)s"  # noqa: S608
        return int(self._rows(sql, model=model)[0]["n"])

    def _ranked(self, ids: list[int], query: Vector, model: str) -> list[VectorHit]:
        """Scored here, as on SQLite: the server rounds the query to half precision too."""
        import numpy as np

        from cuedeck.store.vector import cosines

        found = self.get(ids, model=model)
        if not found:
            return []
        scores = cosines(np.stack(list(found.values())), np.asarray(query, dtype=np.float32))
        ranked = sorted((-cosine, number) for number, cosine in zip(found, scores, strict=True))
        return [VectorHit(number, -negative) for negative, number in ranked]

    def _exact(self, where: str, params: dict[str, Any]) -> list[int]:
        found = self._rows(
            f"WITH near AS MATERIALIZED (SELECT id, v FROM {self._spec.name} WHERE {where}) "  # noqa: S608
            "SELECT id FROM near ORDER BY v <=> %(q)s::halfvec, id LIMIT %(limit)s",
            **params,
        )
        return [row["id"] for row in found]

    def _walk(self, where: str, params: dict[str, Any]) -> list[int]:
        # Set for this transaction only: a pooled connection must not carry it to the next.
        self._rows(
            "SELECT set_config('hnsw.iterative_scan', 'strict_order', true), "
            "set_config('hnsw.ef_search', %(ef)s, true), set_config('hnsw.max_scan_tuples', '200000', true)",
            ef=str(min(1000, max(200, 4 * int(params["limit"])))),
        )
        distance = f"v::halfvec({self._spec.dimensions}) <=> %(q)s::halfvec({self._spec.dimensions})"
        found = self._rows(
            f"SELECT id FROM {self._spec.name} WHERE {where} ORDER BY {distance} LIMIT %(limit)s",  # noqa: S608
            **params,
        )
        return [row["id"] for row in found]

    def _rows(self, sql: str, **params: Any) -> list[dict[str, Any]]:
        with translated():
            return self._connection.execute(sql, {"w": self._workspace, **params}).fetchall()


def _literal(vector: Vector) -> str:
    from cuedeck.store.vector import halved

    return "[" + ",".join(map(repr, halved(vector).tolist())) + "]"
