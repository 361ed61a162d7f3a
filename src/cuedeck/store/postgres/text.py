"""Full text on PostgreSQL: fresh records as they come, folded into pieces of packed postings now and then.

BM25 is computed in this process, from the postings of the terms asked for. Pieces never change but for the
bits that say which of their records have gone, so what was read once can be kept; what it is kept by is drawn
at random, so that nothing else ever bears the same name.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from cuedeck.store import bm25
from cuedeck.store.postgres.failures import translated
from cuedeck.store.postgres.keys import key, scope_keys
from cuedeck.store.postgres.pool import Connection
from cuedeck.store.postgres.text_cache import TextCache
from cuedeck.store.protocol import JoinedText, Scope, TextHit, TextRecord, TextSpec, TextStatistics
from cuedeck.store.tokens import stored_token, stored_tokens

if TYPE_CHECKING:
    from cuedeck.store.postgres.pieces import Fresh, Mask, Numbers, Part, Piece, Run, State

_BATCH = 500
# So many fresh records become a piece, so many small pieces a large one.
FOLDED = 1024
SMALL = 8 * FOLDED
MOST_SMALL = 12
_COLUMNS = "ids, lengths, keys, starts"


def create_text_index(spec: TextSpec) -> Iterator[str]:
    """Fresh records, pieces, and a stamp that moves with every change of either."""
    workspace = """workspace_id text COLLATE "C" NOT NULL DEFAULT current_setting('cuedeck.workspace')"""
    name = spec.name
    yield (
        f"CREATE TABLE {name}_fresh ({workspace}, stamp bigint NOT NULL, "
        "id bigint NOT NULL, keys bytea NOT NULL, counts bytea NOT NULL, lengths bytea NOT NULL, "
        "PRIMARY KEY (workspace_id, id))"
    )
    yield (
        f"CREATE TABLE {name}_pieces ({workspace}, piece bigint NOT NULL, "
        "first_id bigint NOT NULL, last_id bigint NOT NULL, "
        "documents integer NOT NULL, width integer NOT NULL, dead bytea, ids bytea NOT NULL, "
        "lengths bytea NOT NULL, keys bytea NOT NULL, starts bytea NOT NULL, places bytea NOT NULL, "
        "counts bytea NOT NULL, "
        "PRIMARY KEY (workspace_id, piece))"
    )
    # Not compressed, so that a run is read without what stands before it.
    yield (f"ALTER TABLE {name}_pieces ALTER places SET STORAGE EXTERNAL, ALTER counts SET STORAGE EXTERNAL")
    yield (
        f"CREATE TABLE {name}_stamp ({workspace}, stamp bigint NOT NULL, fresh integer NOT NULL, "
        "PRIMARY KEY (workspace_id)) WITH (fillfactor = 50)"
    )
    for table in text_tables(spec):
        yield f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY"
        yield f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY"
        yield (
            f"CREATE POLICY workspace ON {table} USING (workspace_id = current_setting('cuedeck.workspace'))"
        )


def text_tables(spec: TextSpec) -> list[str]:
    """The tables of one index."""
    return [f"{spec.name}_{part}" for part in ("fresh", "pieces", "stamp")]


class PostgresTextIndex:
    """BM25 over one index, inside a session."""

    def __init__(self, connection: Connection, cache: TextCache, spec: TextSpec) -> None:
        self._connection = connection
        self._cache = cache
        self._spec = spec
        self._name = spec.name
        self._fields = len(spec.fields)

    def put(self, records: Iterable[TextRecord]) -> None:
        pending = iter(records)
        while batch := {record.id: record for record in islice(pending, _BATCH)}:
            self._save([self._fresh(record) for record in batch.values()], known=batch)

    def add(self, records: Iterable[JoinedText]) -> None:
        names = [name for name, _ in self._spec.fields]
        made = (
            TextRecord(
                record.id,
                {name: text.split() for name, text in zip(names, record.fields, strict=True)},
                record.scope,
            )
            for record in records
        )
        while batch := [self._fresh(record) for record in islice(made, _BATCH)]:
            self._save(batch)

    def drop(self, ids: Collection[int]) -> None:
        if not ids:
            return
        self._run(f"DELETE FROM {self._name}_fresh WHERE id = ANY(%(ids)s)", ids=list(ids))  # noqa: S608
        holding = self._rows(
            f"SELECT piece, dead, documents FROM {self._name}_pieces "  # noqa: S608
            "WHERE last_id >= %(low)s AND first_id <= %(high)s",
            low=min(ids),
            high=max(ids),
        )
        self._bury_in(holding, ids)
        self._run(self._stamping(), stamp=_stamp(), fresh=0)

    def scattered(self) -> bool:
        """Never: whoever writes folds and merges when it is time."""
        return False

    def tidy(self) -> bool:
        return False

    def pack(self) -> None:
        self._fold(all_small=True)

    def match(self, terms: Sequence[str], *, scope: Scope = (), limit: int = 50) -> list[TextHit]:
        from cuedeck.store.postgres import ranking

        state, runs = self._asked(terms, scope)
        frequencies = {term: len(runs[_key(term)].places) for term in terms}
        chosen = bm25.chosen(terms, state.documents, frequencies)
        if not chosen or limit <= 0 or any(not group for group in scope):
            return []
        inside = ranking.inside(state, [[runs[number] for number in scope_keys(one)] for one in scope])
        weighed = [(bm25.idf(state.documents, frequencies[one]), runs[_key(one)]) for one in chosen]
        return ranking.best(state, self._spec, weighed, inside, limit)

    def matching_ids(self, terms: Sequence[str], *, scope: Scope = ()) -> list[int]:
        from cuedeck.store.postgres import ranking

        if any(not group for group in scope):
            return []
        state, runs = self._asked(terms, scope)
        groups = [[runs[number] for number in scope_keys(group)] for group in scope]
        return ranking.holding(state, [[runs[_key(term)] for term in terms if term], *groups])

    def strengths(self, terms: Sequence[str], ids: Collection[int]) -> dict[str, dict[int, float]]:
        from cuedeck.store.postgres import ranking

        state, runs = self._asked(terms)
        frequencies = {term: len(runs[_key(term)].places) for term in terms}
        among = ranking.among(state, ids)
        return {
            term: ranking.strengths(state, self._spec, runs[_key(term)], among)
            for term in bm25.chosen(terms, state.documents, frequencies)
        }

    def statistics(self, terms: Sequence[str]) -> TextStatistics:
        state, runs = self._asked(terms)
        names = ("scope", *(name for name, _ in self._spec.fields))
        documents = max(state.documents, 1)
        return TextStatistics(
            state.documents,
            {name: total / documents for name, total in zip(names, state.totals, strict=True)},
            {term: len(runs[_key(term)].places) for term in terms},
            sum(state.totals) / documents,
        )

    def _asked(self, terms: Sequence[str], scope: Scope = ()) -> tuple[State, dict[int, Run]]:
        """The index as this transaction sees it, and the postings of terms and scope tokens."""
        import numpy as np

        state = self._state()
        wanted = dict.fromkeys(_key(term) for term in terms)
        wanted |= dict.fromkeys(number for group in scope for number in scope_keys(group))
        keys = np.array(list(wanted), dtype=np.int64)
        return state, state.gathered(keys, self._runs(state, keys), self._fields)

    def _runs(self, state: State, keys: Numbers) -> dict[tuple[int, int], Run]:
        """The postings inside each piece, from the cache or the server."""
        spans = {
            (part.piece, number): span
            for part in state.parts
            for number, span in part.directory.spans(part.piece, keys)
        }
        found = self._cache.runs(self._name, spans)
        missing = {place: span for place, span in spans.items() if place not in found}
        if missing:
            read = self._read_runs(missing)
            self._cache.add(self._name, read)
            found |= read
        return found

    def _read_runs(self, spans: dict[tuple[int, int], Any]) -> dict[tuple[int, int], Run]:
        import numpy as np

        from cuedeck.store.postgres.pieces import PLACE, Run, counts_read

        rows = self._rows(
            "SELECT w.n, substring(p.places FROM w.start * 2 + 1 FOR w.size * 2) AS places, "  # noqa: S608
            "substring(p.counts FROM w.start * p.width * %(fields)s + 1 FOR w.size * p.width * %(fields)s) "
            "AS counts FROM unnest(%(pieces)s::bigint[], %(starts)s::integer[], %(sizes)s::integer[]) "
            f"WITH ORDINALITY AS w(piece, start, size, n) JOIN {self._name}_pieces AS p ON p.piece = w.piece",
            fields=self._fields,
            pieces=[span.piece for span in spans.values()],
            starts=[span.start for span in spans.values()],
            sizes=[span.size for span in spans.values()],
        )
        places = list(spans)
        found = {}
        for row in rows:
            at = np.frombuffer(row["places"], PLACE).astype(np.int64)
            found[places[row["n"] - 1]] = Run(at, counts_read(row["counts"], len(at), self._fields))
        return found

    def _state(self) -> State:
        from cuedeck.store.postgres.pieces import State

        row = self._rows(f"SELECT stamp FROM {self._name}_stamp")  # noqa: S608
        stamp = row[0]["stamp"] if row else 0
        known = self._cache.state(self._name)
        if known is None or known.stamp != stamp:
            known = State(stamp, self._parts(known), self._fresh_records(known), self._fields + 1)
            self._cache.keep(self._name, known)
        return known

    def _parts(self, known: State | None) -> list[Part]:
        """The pieces; of those that are known only the bits that may have changed."""
        from cuedeck.store.postgres.pieces import Directory, Part, dead_read

        before = {part.piece: part for part in known.parts} if known else {}
        columns = ", ".join(
            f"CASE WHEN piece = ANY(%(known)s) THEN NULL ELSE {one} END AS {one}"
            for one in _COLUMNS.split(", ")
        )
        rows = self._rows(
            f"SELECT piece, dead, {columns} FROM {self._name}_pieces ORDER BY piece",  # noqa: S608
            known=list(before),
        )
        parts = []
        for row in rows:
            old = before.get(row["piece"])
            directory = old.directory if old else Directory.read(row)
            dead = dead_read(row["dead"], len(directory.ids))
            parts.append(Part(row["piece"], directory, dead))
        return parts

    def _fresh_records(self, known: State | None) -> dict[int, Fresh]:
        from cuedeck.store.postgres.pieces import Fresh

        before = known.fresh if known else {}
        order = [row["stamp"] for row in self._rows(f"SELECT stamp FROM {self._name}_fresh")]  # noqa: S608
        rows = []
        if missing := [stamp for stamp in order if stamp not in before]:
            rows = self._rows(
                f"SELECT stamp, id, keys, counts, lengths FROM {self._name}_fresh "  # noqa: S608
                "WHERE stamp = ANY(%(missing)s)",
                missing=missing,
            )
        read = {row["stamp"]: Fresh.read(row, self._fields) for row in rows}
        return {stamp: read.get(stamp) or before[stamp] for stamp in order}

    def _fresh(self, record: TextRecord) -> Fresh:
        import numpy as np

        from cuedeck.store.postgres.pieces import MOST_COUNTED, Fresh

        fields = [stored_tokens(record.fields.get(name, ())) for name, _ in self._spec.fields]
        counted = [Counter(tokens) for tokens in fields]
        distinct = list(dict.fromkeys(token for tokens in fields for token in tokens))
        scope = scope_keys(record.scope)
        counts = np.zeros((len(distinct) + len(scope), self._fields), dtype=np.uint16)
        place = {token: at for at, token in enumerate(distinct)}
        for at, each in enumerate(counted):
            counts[[place[token] for token in each], at] = [min(n, MOST_COUNTED) for n in each.values()]
        return Fresh(
            record.id,
            np.array([*map(key, distinct), *scope], dtype=np.int64),
            counts,
            np.array([len(scope), *(len(tokens) for tokens in fields)], dtype=np.int64),
        )

    def _save(self, records: list[Fresh], known: Collection[int] = ()) -> None:
        """Write fresh records, in one statement; of ``known`` ids the pieces may hold earlier forms."""
        name = self._name
        ids, keys, counts, lengths = zip(*(record.columns() for record in records), strict=True)
        rows = self._rows(
            f"WITH put AS (INSERT INTO {name}_fresh(stamp, id, keys, counts, lengths) SELECT * FROM "  # noqa: S608
            "unnest(%(stamps)b::bigint[], %(ids)b::bigint[], %(keys)b::bytea[], %(counts)b::bytea[], "
            "%(lengths)b::bytea[]) "
            "ON CONFLICT (workspace_id, id) DO UPDATE SET stamp = excluded.stamp, keys = excluded.keys, "
            f"counts = excluded.counts, lengths = excluded.lengths), stamped AS ({self._stamping()}) "
            "SELECT stamped.fresh AS waiting, piece, dead, documents FROM stamped "
            f"LEFT JOIN {name}_pieces ON last_id >= %(low)s AND first_id <= %(high)s",
            stamps=[_stamp() for _ in records],
            ids=list(ids),
            keys=list(keys),
            counts=list(counts),
            lengths=list(lengths),
            stamp=_stamp(),
            fresh=len(records),
            low=min(known, default=1),
            high=max(known, default=0),
        )
        self._bury_in([row for row in rows if row["piece"] is not None], known)
        if rows[0]["waiting"] >= FOLDED:
            self._fold()

    def _stamping(self) -> str:
        """Another stamp; how many records may be fresh."""
        return (
            f"INSERT INTO {self._name}_stamp(stamp, fresh) VALUES(%(stamp)s, %(fresh)s) "
            "ON CONFLICT (workspace_id) DO UPDATE SET stamp = excluded.stamp, "
            f"fresh = {self._name}_stamp.fresh + excluded.fresh RETURNING fresh"
        )

    def _bury_in(self, rows: list[dict[str, Any]], ids: Collection[int]) -> None:
        """Mark those records that pieces hold as gone."""
        if not rows:
            return
        import numpy as np

        from cuedeck.store.postgres.pieces import Directory, dead_read, dead_stored

        gone = np.array(sorted(ids), dtype=np.int64)
        known = self._cache.state(self._name)
        directories = {part.piece: part.directory for part in known.parts} if known else {}
        for row in rows:
            directory = directories.get(row["piece"])
            if directory is None:
                where = f"SELECT {_COLUMNS} FROM {self._name}_pieces WHERE piece = %(piece)s"  # noqa: S608
                directory = Directory.read(self._rows(where, piece=row["piece"])[0])
            dead = dead_read(row["dead"], row["documents"])
            now = dead | np.isin(directory.ids, gone)
            if now.all():
                self._run(f"DELETE FROM {self._name}_pieces WHERE piece = %(piece)s", piece=row["piece"])  # noqa: S608
            elif (now != dead).any():
                self._run(
                    f"UPDATE {self._name}_pieces SET dead = %(dead)s WHERE piece = %(piece)s",  # noqa: S608
                    piece=row["piece"],
                    dead=dead_stored(now),
                )

    def _fold(self, *, all_small: bool = False) -> None:
        """Make a piece of what is fresh, together with pieces that are small and many, or mostly gone."""
        from cuedeck.store.postgres.pieces import Fresh, folded, merged

        rows = self._rows(f"DELETE FROM {self._name}_fresh RETURNING id, keys, counts, lengths")  # noqa: S608
        rows.sort(key=lambda row: row["id"])
        parts = self._taken(room=len(rows), all_small=all_small)
        if rows:
            made = folded([Fresh.read(row, self._fields) for row in rows])
            parts.append((made, _none_dead(len(rows))))
        joined = parts[0][0] if len(parts) == 1 and rows else merged(parts) if parts else None
        if joined is not None:
            self._add_piece(joined)
        self._run(f"UPDATE {self._name}_stamp SET fresh = 0, stamp = %(stamp)s", stamp=_stamp())  # noqa: S608

    def _taken(self, *, room: int, all_small: bool) -> list[tuple[Piece, Mask]]:
        """Take those pieces out that are to be merged."""
        from cuedeck.store.postgres.pieces import MOST_PLACES, Piece, dead_read

        rows = self._rows(f"SELECT piece, documents, dead FROM {self._name}_pieces ORDER BY piece")  # noqa: S608
        living = {
            row["piece"]: row["documents"] - int(dead_read(row["dead"], row["documents"]).sum())
            for row in rows
        }
        small = [piece for piece, count in living.items() if count < SMALL]
        wanted = set(small) if all_small or len(small) >= MOST_SMALL else set()
        wanted |= {row["piece"] for row in rows if 2 * living[row["piece"]] < row["documents"]}
        chosen, total = [], room
        for piece in sorted(wanted, key=lambda piece: (living[piece], piece)):
            total += living[piece]
            if total <= MOST_PLACES:
                chosen.append(piece)
        if not chosen:
            return []
        taken = self._rows(
            f"DELETE FROM {self._name}_pieces WHERE piece = ANY(%(chosen)s) "  # noqa: S608
            f"RETURNING piece, dead, documents, {_COLUMNS}, places, counts",
            chosen=chosen,
        )
        taken.sort(key=lambda row: row["piece"])
        return [(Piece.read(row, self._fields), dead_read(row["dead"], row["documents"])) for row in taken]

    def _add_piece(self, piece: Piece) -> None:
        columns = {**piece.columns(), "piece": _stamp()}
        marks = ", ".join(f"%({name})s" for name in columns)
        self._run(f"INSERT INTO {self._name}_pieces({', '.join(columns)}) VALUES({marks})", **columns)

    def _rows(self, sql: str, **params: Any) -> list[dict[str, Any]]:
        with translated(), self._connection.cursor(binary=True) as cursor:
            return cursor.execute(sql, params).fetchall()

    def _run(self, sql: str, **params: Any) -> None:
        with translated():
            self._connection.execute(sql, params)


def _key(term: str) -> int:
    return key(stored_token(term))


def _stamp() -> int:
    """A number nobody has drawn before, not even in a transaction that was undone."""
    return random.getrandbits(63)


def _none_dead(count: int) -> Mask:
    from cuedeck.store.postgres.pieces import dead_read

    return dead_read(None, count)
