"""What a store promises: two databases, transactions, full text, vectors and a change log."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from cuedeck.store.news import News
    from cuedeck.store.vocabulary import Coded

Row = dict[str, Any]
Vector: TypeAlias = "npt.NDArray[np.float32]"

# A scope is an AND of ORs over scope tokens: every group must share a token with the record.
Scope = Sequence[Collection[str]]


class Dialect(StrEnum):
    """Which SQL a session speaks, for the few statements that differ."""

    SQLITE = "sqlite"
    POSTGRES = "postgres"


@dataclass(frozen=True, slots=True)
class TextSpec:
    """A full-text index over analysed tokens: its table name and the weight of each field."""

    name: str
    fields: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class TextRecord:
    """One record's analysed tokens per field, and the scope tokens it may be filtered by."""

    id: int
    fields: Mapping[str, Sequence[str]]
    scope: Collection[str] = ()


@dataclass(frozen=True, slots=True)
class TextHit:
    """A record that matched and its BM25 score; higher is better."""

    id: int
    score: float


@dataclass(frozen=True, slots=True)
class TextStatistics:
    """What a BM25 explanation needs: corpus size, document frequencies, and how long records are.

    The mean is computed from integers and so exact; scope tokens count too, see ``bm25.py``.
    """

    documents: int
    frequencies: Mapping[str, int]
    mean_length: float


class TextIndex(Protocol):
    """BM25 over pre-analysed tokens; ties go to the lower id."""

    def put(self, records: Iterable[TextRecord]) -> None:
        """Add or replace records."""

    def add(self, records: Iterable[tuple[int, str]]) -> None:
        """Add or replace records given as ``tokens.record_words``; no token is checked."""

    def add_coded(self, ids: Sequence[int], coded: Sequence[Coded]) -> None:
        """Add records that are not there yet and whose words were coded elsewhere."""

    def drop(self, ids: Collection[int]) -> None:
        """Remove records; unknown ids are ignored."""

    def pack(self) -> None:
        """Bring all pieces together at once: after most records were replaced."""

    def match(
        self,
        terms: Sequence[str],
        *,
        scope: Scope = (),
        limit: int = 50,
        statistics: TextStatistics | None = None,
    ) -> list[TextHit]:
        """The best records holding any of the terms, inside the scope.

        How rare a term is, the statistics tell; without them it is counted in all records.
        """

    def matching_ids(self, terms: Sequence[str], *, scope: Scope = ()) -> list[int]:
        """Every record holding any of the terms, inside the scope, ascending."""

    def strengths(self, terms: Sequence[str], ids: Collection[int]) -> dict[str, dict[int, float]]:
        """How strongly some records hold each term that takes part in a ranking: its BM25 without the idf."""

    def statistics(self, terms: Sequence[str], *, scope: Scope = ()) -> TextStatistics:
        """How many records are inside the scope, and how many of them hold each term.

        Inside a scope, only of the terms that take part in a ranking of all records.
        """


@dataclass(frozen=True, slots=True)
class VectorSpec:
    """A vector table: its name and the number of dimensions."""

    name: str
    dimensions: int = 384


@dataclass(frozen=True, slots=True)
class VectorRecord:
    """A unit vector, the model that made it, and the scope tokens it may be filtered by."""

    id: int
    model: str
    vector: Vector
    scope: Collection[str] = ()


@dataclass(frozen=True, slots=True)
class VectorHit:
    """A neighbour and its cosine."""

    id: int
    cosine: float


class Reached(NamedTuple):
    """The closest records that reach a floor, the ids of all that do, and cosines asked for besides."""

    nearest: list[VectorHit]
    ids: set[int]
    also: dict[int, float]


class VectorIndex(Protocol):
    """Exact nearest neighbours; ties go to the lower id. Only vectors of the asked model count."""

    def put(self, records: Iterable[VectorRecord]) -> None:
        """Add or replace vectors."""

    def drop(self, ids: Collection[int]) -> None:
        """Remove vectors; unknown ids are ignored."""

    def nearest(
        self, vector: Vector, *, model: str, scope: Scope = (), limit: int = 50, floor: float = -1.0
    ) -> list[VectorHit]:
        """The closest records of that model inside the scope, cosine at least the floor."""

    def nearest_each(
        self,
        vectors: Sequence[Vector],
        *,
        model: str,
        limit: int,
        floor: float,
        without: Collection[int] = (),
    ) -> list[list[VectorHit]]:
        """The closest records to each of many vectors, some records left out."""

    def reaching(
        self,
        vector: Vector,
        *,
        model: str,
        floor: float,
        scope: Scope = (),
        limit: int = 50,
        also: Collection[int] = (),
    ) -> Reached:
        """Every record of that model inside the scope whose cosine is at least the floor.

        Records of ``also`` tell their cosines wherever they are.
        """

    def get(self, ids: Collection[int], *, model: str) -> dict[int, Vector]:
        """The stored vectors of these records."""

    def count(self, *, model: str) -> int:
        """How many records have a vector of that model."""


class Session(Protocol):
    """One transaction. SQL is written once with ``:name`` parameters and works on both engines.

    ``column IN :names`` takes a list; ``ON CONFLICT (key)`` needs no workspace. See ``docs/store.md``.
    """

    @property
    def dialect(self) -> Dialect:
        """Which engine this is."""

    @property
    def skip_locked(self) -> str:
        """``FOR UPDATE SKIP LOCKED`` where the engine has it, else empty: for claims."""

    def rows(self, sql: str, /, **params: Any) -> list[Row]:
        """All rows, as dictionaries."""

    def row(self, sql: str, /, **params: Any) -> Row | None:
        """The first row, or nothing."""

    def value(self, sql: str, /, **params: Any) -> Any:
        """The first column of the first row, or None."""

    def run(self, sql: str, /, **params: Any) -> int:
        """Execute a statement; how many rows it changed."""

    def run_many(self, sql: str, params: Iterable[Mapping[str, Any]], /) -> None:
        """Execute one statement for each set of parameters."""

    def insert_many(
        self,
        table: str,
        columns: Sequence[str],
        rows: Iterable[Sequence[Any]],
        /,
        *,
        key: Sequence[str] = (),
    ) -> None:
        """Insert rows, values in the order of the columns; with a key, overwrite those that have it."""

    def insert(self, table: str, row: Mapping[str, Any], /) -> int:
        """Insert a row; its integer ``rid`` where the table has one, else 0."""

    def upsert(self, table: str, row: Mapping[str, Any], /, *, key: Sequence[str]) -> None:
        """Insert a row or overwrite the one with the same key."""

    def text(self, spec: TextSpec, /) -> TextIndex:
        """The full-text index of that name."""

    def vectors(self, spec: VectorSpec, /) -> VectorIndex:
        """The vector table of that name."""


@dataclass(frozen=True, slots=True)
class Change:
    """One row of the change log."""

    seq: int
    at: int
    actor: str
    table: str
    op: str
    id: str
    before: dict[str, Any] | None
    after: dict[str, Any] | None


class Database(Protocol):
    """One database of a workspace: transactions and what changed in it."""

    @property
    def dialect(self) -> Dialect:
        """Which engine this is."""

    def read(self, *, user: str | None = None) -> AbstractContextManager[Session]:
        """A consistent view; refuses to write."""

    def write(
        self, *, actor: str, user: str | None = None, durable: bool = True
    ) -> AbstractContextManager[Session]:
        """A write transaction, begun at once, durable when the block ends, undone when it raises.

        One at a time per workspace and database, on both engines and across processes.
        ``actor`` goes into the change log. ``user`` scopes rows that belong to one person; on PostgreSQL such
        a write waits only for those of the same person, and may touch nothing that is logged.
        ``durable=False`` survives the death of the process, though not necessarily of the machine.
        """

    def changes(self, *, after: int, limit: int = 1000, tables: Collection[str] = ()) -> list[Change]:
        """Committed changes in order, without gaps, also across processes (state database only)."""

    @property
    def generation(self) -> int:
        """Another number once a new database stands in this one's place: rows then have other numbers."""

    def version(self) -> int:
        """A number that moves when any process commits; cheap enough to ask on every call."""

    def wait_for_change(self, *, since: int, timeout: float) -> int:
        """Block until ``version()`` differs from ``since`` or the time is up; the version then."""

    def check(self) -> list[str]:
        """Integrity problems, one sentence each; none when all is well."""


class Store(Protocol):
    """A workspace's two databases. Nothing that must be atomic spans both."""

    @property
    def state(self) -> Database:
        """Precious: memories, agent tasks, todos, runs, the change log."""

    @property
    def index(self) -> Database:
        """Derived: documents, symbols, manifests, caches. May be deleted at any time."""

    def news(self) -> News:
        """Where a thread waits for commits of any process to either database."""

    def close(self) -> None:
        """Release every connection."""
