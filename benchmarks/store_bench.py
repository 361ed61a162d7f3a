"""The store at 100,000 records of 384 dimensions: search, hybrid, durable inserts, recall.

    python benchmarks/store_bench.py [--records N] [--postgres URL] [--json FILE]

Ratios and CPU times are the figures to compare; wall times depend on the neighbours.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import apsw
import numpy as np

from cuedeck.store.ddl import table, text_index, vector_table
from cuedeck.store.protocol import Session, Store, TextRecord, TextSpec, VectorRecord, VectorSpec
from cuedeck.store.schema import DatabaseName, Migration, migrations

TEXT = TextSpec("bench_text", (("title", 3.0), ("body", 1.0)))
VECTORS = VectorSpec("bench_vectors", 384)
NOTES = Migration(
    "state",
    "bench",
    1,
    (
        table(
            "bench_notes",
            ["id text not null", "title text not null", "body text not null", "project text not null"],
            key=["id"],
            rid=True,
            audited=True,
        ),
        text_index(TEXT),
        vector_table(VECTORS),
    ),
)


class Note(NamedTuple):
    """A record as an engine has it when it begins to write: its row, and its text analysed."""

    row: dict[str, str]
    words: dict[str, list[str]]
    scope: list[str]


PROJECTS = 20
QUERIES = 100


def known(database: DatabaseName) -> Sequence[Migration]:
    return [*(m for m in migrations(database) if m.domain == "changes"), *([NOTES] * (database == "state"))]


class Corpus:
    """Words with the frequencies of a language, vectors with the clusters of a subject matter."""

    def __init__(self, count: int, seed: int = 11) -> None:
        self.count = count
        self._chance = np.random.default_rng(seed)
        self._words = np.array([f"w{rank}" for rank in range(40_000)])
        weights = 1.0 / np.arange(1, 40_001) ** 1.05
        self._cumulative = np.cumsum(weights / weights.sum())
        self._centres = self._chance.normal(size=(400, 384))
        self._drift = self._chance.normal(size=384)

    def words(self, count: int) -> list[str]:
        ranks = np.searchsorted(self._cumulative, self._chance.random(count))
        found: list[str] = self._words[np.minimum(ranks, 39_999)].tolist()
        return found

    def record(self, number: int) -> Note:
        words = {"title": self.words(6), "body": self.words(int(50 + number % 61))}
        scope = [f"p_{number % PROJECTS}", f"k_{number % 3}"]
        texts = {name: " ".join(own) for name, own in words.items()}
        return Note({"id": f"n{number}", **texts, "project": scope[0]}, words, scope)

    def vectors(self, count: int) -> np.ndarray:
        near = self._centres[self._chance.integers(0, 400, count)]
        found = near + 0.8 * self._chance.normal(size=(count, 384)) + 0.4 * self._drift
        return (found / np.linalg.norm(found, axis=1, keepdims=True)).astype(np.float32)

    def query(self) -> list[str]:
        return [f"w{rank}" for rank in self._chance.integers(40, 2_000, 3)]


def write(session: Session, note: Note, vector: np.ndarray) -> None:
    """One record as an engine writes it: row, full text, vector, change log."""
    rid = session.insert("bench_notes", note.row)
    session.text(TEXT).put([TextRecord(rid, note.words, note.scope)])
    session.vectors(VECTORS).put([VectorRecord(rid, "m", vector, note.scope)])


def write_many(session: Session, notes: Sequence[Note], vectors: np.ndarray) -> None:
    """The same for many at once, as an import does it."""
    session.insert_many("bench_notes", tuple(notes[0].row), [tuple(note.row.values()) for note in notes])
    ids = [note.row["id"] for note in notes]
    found = session.rows("SELECT id, rid FROM bench_notes WHERE id IN :ids", ids=ids)
    rids = {row["id"]: row["rid"] for row in found}
    session.text(TEXT).put(TextRecord(rids[note.row["id"]], note.words, note.scope) for note in notes)
    session.vectors(VECTORS).put(
        VectorRecord(rids[note.row["id"]], "m", vector, note.scope)
        for note, vector in zip(notes, vectors, strict=True)
    )


def measured(action: Callable[[Any], object], inputs: Sequence[Any]) -> dict[str, float]:
    """Median and 95th percentile of CPU and wall milliseconds."""
    action(inputs[0])
    cpu, wall = [], []
    for value in inputs:
        started, used = time.perf_counter(), time.process_time()
        action(value)
        cpu.append((time.process_time() - used) * 1000)
        wall.append((time.perf_counter() - started) * 1000)
    return {
        "cpu_p50": round(statistics.median(cpu), 3),
        "wall_p50": round(statistics.median(wall), 3),
        "wall_p95": round(float(np.percentile(wall, 95)), 3),
    }


def load(store: Store, corpus: Corpus) -> tuple[np.ndarray, float]:
    kept = []
    used = time.perf_counter()
    for start in range(0, corpus.count, 500):
        vectors = corpus.vectors(min(500, corpus.count - start))
        kept.append(vectors)
        with store.state.write(actor="bench", durable=False) as session:
            write_many(session, [corpus.record(start + at) for at in range(len(vectors))], vectors)
    return np.concatenate(kept), round(time.perf_counter() - used, 1)


def recall(store: Store, queries: np.ndarray, kept: np.ndarray, scope: list[list[str]]) -> dict[str, float]:
    """Share of the true ten nearest that were found, against stored and against unrounded vectors."""
    inside = np.arange(len(kept))
    if scope:
        inside = inside[inside % PROJECTS == 3]
    halves = kept[inside].astype(np.float16).astype(np.float32)
    shares: dict[str, list[float]] = {"stored": [], "unrounded": []}
    for query in queries:
        with store.state.read() as session:
            hits = session.vectors(VECTORS).nearest(query, model="m", scope=scope, limit=10)
        found = {hit.id for hit in hits}
        for name, vectors in (("stored", halves), ("unrounded", kept[inside])):
            true = {int(inside[at]) + 1 for at in np.argsort(-(vectors @ query), kind="stable")[:10]}
            shares[name].append(len(found & true) / 10)
    return {name: round(statistics.fmean(values), 5) for name, values in shares.items()}


def searches(store: Store, corpus: Corpus, kept: np.ndarray) -> dict[str, Any]:
    inputs = [(corpus.query(), vector) for vector in corpus.vectors(QUERIES)]
    scope = [["p_3"]]

    def text(scope: list[list[str]]) -> Callable[[Any], object]:
        def run(value: Any) -> object:
            with store.state.read() as session:
                return session.text(TEXT).match(value[0], scope=scope, limit=50)

        return run

    def nearest(scope: list[list[str]]) -> Callable[[Any], object]:
        def run(value: Any) -> object:
            with store.state.read() as session:
                return session.vectors(VECTORS).nearest(value[1], model="m", scope=scope, limit=50)

        return run

    def hybrid(scope: list[list[str]]) -> Callable[[Any], object]:
        def run(value: Any) -> object:
            with store.state.read() as session:
                ranks: dict[int, float] = {}
                for hits in (
                    session.text(TEXT).match(value[0], scope=scope, limit=50),
                    session.vectors(VECTORS).nearest(value[1], model="m", scope=scope, limit=50),
                ):
                    for rank, hit in enumerate(hits, 1):
                        ranks[hit.id] = ranks.get(hit.id, 0.0) + 1 / (60 + rank)
                best = sorted(ranks, key=lambda number: (-ranks[number], number))[:10]
                return session.rows("SELECT * FROM bench_notes WHERE rid IN :ids", ids=best)

        return run

    queries = np.stack([vector for _, vector in inputs[:50]])
    return {
        "bm25": measured(text([]), inputs),
        "bm25_filtered": measured(text(scope), inputs),
        "vectors": measured(nearest([]), inputs),
        "vectors_filtered": measured(nearest(scope), inputs),
        "hybrid": measured(hybrid([]), inputs),
        "hybrid_filtered": measured(hybrid(scope), inputs),
        "recall_at_10": recall(store, queries, kept, []),
        "recall_at_10_filtered": recall(store, queries, kept, scope),
    }


@contextmanager
def bare_table(url: str | None, folder: Path) -> Iterator[Callable[[tuple[Any, ...]], object]]:
    """One durable row after the other into a plain table of the same engine, without the store."""
    columns = "id {0}, title TEXT, body TEXT, project TEXT, v {1}"
    if url is None:
        with closing(apsw.Connection(str(folder / "bare.db"))) as bare:
            for pragma in ("journal_mode=wal", "synchronous=full"):
                bare.execute(f"PRAGMA {pragma}").fetchall()
            bare.execute(f"CREATE TABLE bare({columns.format('INTEGER PRIMARY KEY', 'BLOB')})").fetchall()

            def keep(row: tuple[Any, ...]) -> None:
                bare.execute("BEGIN IMMEDIATE").fetchall()
                bare.execute("INSERT INTO bare(title, body, project, v) VALUES(?, ?, ?, ?)", row).fetchall()
                bare.execute("COMMIT").fetchall()

            yield keep
        return
    import psycopg

    with psycopg.connect(url, autocommit=True) as server:
        server.execute(f"CREATE TEMPORARY TABLE made({columns.format('bigserial PRIMARY KEY', 'bytea')})")
        server.execute("CREATE SCHEMA IF NOT EXISTS bench_bare")
        server.execute("DROP TABLE IF EXISTS bench_bare.bare")
        server.execute("CREATE TABLE bench_bare.bare (LIKE made INCLUDING ALL)")
        insert = "INSERT INTO bench_bare.bare(title, body, project, v) VALUES(%s, %s, %s, %s)"
        yield lambda row: server.execute(insert, row)
        server.execute("DROP SCHEMA bench_bare CASCADE")


def milliseconds(action: Callable[..., object], *arguments: Any) -> float:
    started = time.perf_counter()
    action(*arguments)
    return (time.perf_counter() - started) * 1000


def compared(name: str, ours: list[float], bare: list[float]) -> dict[str, float]:
    mine, theirs = statistics.median(ours), statistics.median(bare)
    return {f"{name}_p50": round(mine, 3), "bare_p50": round(theirs, 3), "ratio": round(mine / theirs, 2)}


def inserts(store: Store, corpus: Corpus, url: str | None, folder: Path, count: int = 150) -> dict[str, Any]:
    """One durable write at a time, turn about with a bare row of the same content."""
    full: tuple[list[float], list[float]] = ([], [])
    plain: tuple[list[float], list[float]] = ([], [])

    def whole(note: Note, vector: np.ndarray) -> None:
        with store.state.write(actor="bench") as session:
            write(session, note, vector)

    def row_alone(number: int, body: str) -> None:
        with store.state.write(actor="bench") as session:
            row = {"id": f"x{number}", "title": "title", "body": body, "project": "p"}
            session.insert("bench_notes", row)

    with bare_table(url, folder) as bare:
        for number, vector in enumerate(corpus.vectors(count), corpus.count):
            note = corpus.record(number)
            _, *content = note.row.values()
            full[1].append(milliseconds(bare, (*content, vector.tobytes())))
            full[0].append(milliseconds(whole, note, vector))
        for number in range(count):
            plain[1].append(milliseconds(bare, ("title", "word " * 80, "p", b"")))
            plain[0].append(milliseconds(row_alone, number, "word " * 80))
    return {
        "durable_insert_ms": compared("full_record", *full),
        "durable_plain_insert_ms": compared("row_with_change_log", *plain),
    }


def run(url: str | None, count: int) -> dict[str, Any]:
    from cuedeck.store.postgres.store import PostgresStore
    from cuedeck.store.sqlite.store import SqliteStore

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        store: Store
        if url is None:
            store = SqliteStore(root=folder, state_root=folder, busy_timeout=10, known=known)
        else:
            workspace = f"bench-{os.getpid()}"
            store = PostgresStore(url, workspace_id=workspace, busy_timeout=10, pool_size=4, known=known)
        corpus = Corpus(count)
        kept, seconds = load(store, corpus)
        found = {"load_s": seconds, **searches(store, corpus, kept)}
        found |= inserts(store, corpus, url, folder)
        if url is None:
            found["disk_mb"] = round((folder / ".cuedeck" / "state.db").stat().st_size / 1e6)
        store.close()
    return found


def report(url: str | None, records: int, target: Path | None = None) -> None:
    """Measure one engine and print what was found."""
    result = {
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}",
        "load": round(os.getloadavg()[0], 1),
        "records": records,
        "engine": "postgres" if url else f"sqlite {apsw.sqlite_lib_version()}",
        **run(url, records),
    }
    text = json.dumps(result, indent=2)
    if target:
        target.write_text(text + "\n", encoding="utf-8")
    sys.stdout.write(text + "\n")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--postgres", help="measure this server instead of SQLite")
    parser.add_argument("--json", type=Path)
    chosen = parser.parse_args()
    report(chosen.postgres, chosen.records, chosen.json)


if __name__ == "__main__":
    main()
