"""The documents engine: the index, search, reading and the vault over one workspace."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from cuedeck.documents.events import FileEvents
from cuedeck.documents.extract import embedding_text, scope_of
from cuedeck.documents.freshness import PATIENCE_SECONDS, Freshness
from cuedeck.documents.index import ACTOR, DocumentIndex, Progress, Refreshed
from cuedeck.documents.kinds import Kind
from cuedeck.documents.query import Query, Results
from cuedeck.documents.reader import DocumentReader, ReadDocument
from cuedeck.documents.search import DocumentSearch
from cuedeck.documents.sections import passage_model, passages_of
from cuedeck.documents.spaces import Spaces
from cuedeck.documents.token_counts import TokenCounts
from cuedeck.documents.vault import Vault
from cuedeck.search.embedding_queue import EmbeddingQueue
from cuedeck.store import documents as rows
from cuedeck.store.vault import vault_links

if TYPE_CHECKING:
    from cuedeck.config.sections import DocumentsSection
    from cuedeck.search.embedder import Embedder
    from cuedeck.store.protocol import Store, Vector


class Documents:
    """Everything that is known of a workspace's documents, kept true to the disk."""

    def __init__(
        self,
        root: Path,
        store: Store,
        embedder: Embedder,
        section: DocumentsSection,
        *,
        token_limit: int,
        opened_ns: int | None = None,
    ) -> None:
        self._database = store.index
        self._embedder = embedder
        self.index = DocumentIndex(
            root,
            self._database,
            patterns=section.ignore,
            max_bytes=section.max_file_bytes,
            opened_ns=opened_ns,
        )
        self.freshness = Freshness(self.index)
        self.events = FileEvents(self._database, root)
        self._queue: EmbeddingQueue[int] = EmbeddingQueue(
            embedder, load=self._texts, sink=self._store_vectors
        )
        self._reader = DocumentReader(self.index, token_limit=token_limit)
        self._spaces = Spaces(self._database)
        self.token_counts = TokenCounts(self._database, self._reader)
        self._search = DocumentSearch(self.index, self._database, embedder, self.token_counts, self._spaces)
        self.vault = Vault(self.index, self._database)
        self._starting = threading.Lock()
        self._started = False
        self._queued = 0

    @property
    def _model(self) -> str:
        return passage_model(self._embedder.model)

    @property
    def root(self) -> Path:
        """The workspace folder, every symlink resolved."""
        return self.index.root

    def start(self) -> None:
        """Keep the index current from now on: watch the folder, make vectors in the background."""
        with self._starting:
            if self._started:
                return
            self._started = True
        self.freshness.listen(self._queue_missing)
        self.freshness.start()

    def refresh(self, progress: Progress | None = None) -> Refreshed:
        """Bring the index up to date with the disk, however long it takes."""
        return self.index.refresh(progress)

    def search(self, query: Query, *, budget: float = 1.0) -> Results:
        """The documents that answer a query, verified against the disk."""
        complete = self.freshness.ensure()
        return replace(self._search.search(query, budget=budget), incomplete=not complete)

    def current_vault(self, patience: float | None = PATIENCE_SECONDS) -> tuple[Vault, bool]:
        """The vault as it is on disk now; False beside it while the first look is still under way."""
        complete = self.freshness.ensure(patience)
        return self.vault, complete

    def explain(self, query: Query, results: Results) -> list[dict[str, object]]:
        """How each result's score is made up."""
        return self._search.explain(query, results)

    def read(self, path: str, anchor: str | None = None) -> ReadDocument:
        """A markdown document or a section of it, from the disk."""
        return self._reader.read(path, anchor)

    def outgoing(self, path: str) -> tuple[str, ...]:
        """The files a document links to."""
        with self._database.read() as session:
            return vault_links(session, path).outgoing

    def incoming(self, path: str) -> tuple[str, ...]:
        """The documents that link to a file."""
        with self._database.read() as session:
            return vault_links(session, path).incoming

    def embed_pending(self, timeout: float) -> int:
        """Make missing vectors for at most so long; how many are still missing."""
        self._queued = 0
        self._queue_missing(Refreshed())
        self._queue.drain(timeout)
        return self.pending()

    def pending(self) -> int:
        """How many chunks still wait for their vector."""
        with self._database.read() as session:
            return rows.count_without_vector(session, self._model)

    def close(self) -> None:
        """Stop watching and embedding."""
        self.freshness.close()
        self._queue.close()

    def _queue_missing(self, refreshed: Refreshed) -> None:
        """Ask for vectors of new chunks, and of those passed over while their file was changing."""
        if self._embedder.unavailable is not None:
            return
        model = self._model
        with self._database.read() as session:
            missing = rows.without_vector(session, model, after=self._queued)
            again = rows.without_vector_in(session, model, refreshed.changed) if refreshed.changed else []
        self._queued = max([self._queued, *missing])
        self._queue.add([*missing, *again])

    def _texts(self, chunks: Sequence[int]) -> Mapping[int, str]:
        """The texts of the passages of some chunks."""
        with self._database.read() as session:
            found = rows.chunks(session, chunks)
            homes = rows.documents_by_id(session, {row["document"] for row in found})
        texts: dict[int, str] = {}
        contents: dict[int, bytes | None] = {}
        for row in found:
            home = homes[row["document"]]
            if home.rid not in contents:
                contents[home.rid] = self._reader.content(home.path, home.hash)
            data = contents[home.rid]
            if data is None:
                continue
            trail = trail_of(home.anchors, row["anchor"]) if home.kind == Kind.MARKDOWN else ()
            passages = passages_of(data, row["first_byte"], row["last_byte"], rows.PASSAGES)
            for number, (first, last) in enumerate(passages):
                piece = data[first:last].decode("utf-8", "replace")
                texts[rows.passage_id(row["rid"], number)] = embedding_text(home.path, trail, piece)
        return texts

    def _store_vectors(self, vectors: Mapping[int, Vector]) -> None:
        with self._database.write(actor=ACTOR, durable=False) as session:
            found = rows.chunks(session, {rows.chunk_of_passage(passage) for passage in vectors})
            homes = rows.documents_by_id(session, {row["document"] for row in found})
            tags = rows.tags_of(session, list(homes))
            scopes = {
                row["rid"]: scope_of(
                    Kind(homes[row["document"]].kind),
                    tags.get(row["document"], ()),
                    homes[row["document"]].frontmatter,
                )
                for row in found
            }
            rows.put_vectors(session, self._model, vectors, scopes)
        self._spaces.learn(self._model, more=self._queue.waiting)


def trail_of(anchors: Sequence[tuple[str, int, int]], anchor: int) -> tuple[str, ...]:
    """The headings above a heading and itself, outermost first."""
    trail: list[str] = []
    level = 7
    for text, depth, _ in reversed(anchors[: anchor + 1]):
        if depth < level:
            trail.append(text)
            level = depth
    return tuple(reversed(trail))
