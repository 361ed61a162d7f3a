"""Writes what is known of files: rows, pieces with their tokens, tags, links and names."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cuedeck.store.documents import DocumentRow, chunks_of_documents, existing, passages_of
from cuedeck.store.protocol import Row, Session, TextRecord, VectorRecord
from cuedeck.store.schema.documents import DOCUMENT_TEXT, DOCUMENT_VECTORS

_BATCH = 500


@dataclass(frozen=True, slots=True)
class ChunkRow:
    """A searchable piece with its tokens; what is stored of it is where it stands."""

    anchor: int
    first_byte: int
    last_byte: int
    line: int
    last_line: int
    digest: str
    fields: Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True)
class LinkRow:
    """A link target of one document; repeated links are counted."""

    kind: str
    target: str
    anchor: str | None
    line: int
    times: int
    target_key: str
    resolved: str | None


@dataclass(frozen=True, slots=True)
class Entry:
    """Everything to write for one file."""

    document: DocumentRow
    scope: Sequence[str]
    chunks: Sequence[ChunkRow]
    tags: Sequence[tuple[str, str]]
    links: Sequence[LinkRow]
    names: Sequence[tuple[str, bool]]


def write_entries(session: Session, entries: Sequence[Entry]) -> None:
    """Add or replace files; pieces that did not change keep their identity and vector."""
    paths = [entry.document.path for entry in entries]
    before = existing(session, paths)
    _upsert(session, [entry.document for entry in entries])
    rids = {path: row["rid"] for path, row in existing(session, paths).items()}
    old = [row["rid"] for row in before.values()]
    for name in ("document_tags", "document_links", "document_names"):
        if old:
            session.run(f"DELETE FROM {name} WHERE document IN :rids", rids=old)  # noqa: S608 - fixed names
    _write_details(session, [(rids[entry.document.path], entry) for entry in entries])
    _write_chunks(session, entries, rids, before)


def remove_documents(session: Session, paths: Sequence[str]) -> None:
    """Forget files and everything known of them."""
    for start in range(0, len(paths), _BATCH):
        found = existing(session, paths[start : start + _BATCH])
        rids = [row["rid"] for row in found.values()]
        if not rids:
            continue
        _drop_chunks(session, [row["rid"] for row in chunks_of_documents(session, rids)])
        for name in ("document_tags", "document_links", "document_names"):
            session.run(f"DELETE FROM {name} WHERE document IN :rids", rids=rids)  # noqa: S608 - fixed names
        session.run("DELETE FROM documents WHERE rid IN :rids", rids=rids)


_COLUMNS = (
    "path", "kind", "vault", "size", "mtime_ns", "ctime_ns", "hash", "shape", "created", "modified",
    "type", "status", "frontmatter", "anchors", "problem", "problem_line", "skipped",
)  # fmt: skip
_UPSERT = (
    f"INSERT INTO documents({', '.join(_COLUMNS)}) VALUES({', '.join(':' + name for name in _COLUMNS)}) "
    f"ON CONFLICT (path) DO UPDATE SET {', '.join(f'{name} = excluded.{name}' for name in _COLUMNS[1:])}"
)


def _upsert(session: Session, rows: Sequence[DocumentRow]) -> None:
    session.run_many(_UPSERT, (_values(row) for row in rows))


def _values(row: DocumentRow) -> dict[str, Any]:
    values = {name: getattr(row, name) for name in _COLUMNS}
    values["vault"] = int(row.vault)
    front = row.frontmatter
    values["frontmatter"] = None if front is None else json.dumps(front, ensure_ascii=False)
    values["anchors"] = json.dumps(row.anchors, ensure_ascii=False)
    return values


def _write_details(session: Session, entries: Sequence[tuple[int, Entry]]) -> None:
    session.run_many(
        "INSERT INTO document_tags(document, tag, tag_key) VALUES(:document, :tag, :key)",
        ({"document": rid, "tag": tag, "key": key} for rid, entry in entries for tag, key in entry.tags),
    )
    session.run_many(
        "INSERT INTO document_links"
        "(document, ordinal, kind, target, anchor, line, times, target_key, resolved) VALUES"
        "(:document, :ordinal, :kind, :target, :anchor, :line, :times, :target_key, :resolved)",
        (
            {
                "document": rid,
                "ordinal": ordinal,
                "kind": link.kind,
                "target": link.target,
                "anchor": link.anchor,
                "line": link.line,
                "times": link.times,
                "target_key": link.target_key,
                "resolved": link.resolved,
            }
            for rid, entry in entries
            for ordinal, link in enumerate(entry.links)
        ),
    )
    session.run_many(
        "INSERT INTO document_names(document, name_key, alias) VALUES(:document, :key, :alias) "
        "ON CONFLICT (name_key, document, alias) DO NOTHING",
        (
            {"document": rid, "key": key, "alias": int(alias)}
            for rid, entry in entries
            for key, alias in entry.names
        ),
    )


def _write_chunks(
    session: Session, entries: Sequence[Entry], rids: Mapping[str, int], before: Mapping[str, Row]
) -> None:
    fresh: list[tuple[int, int, ChunkRow, Entry]] = []
    for entry in entries:
        path = entry.document.path
        known = before.get(path)
        if known is None:
            fresh += [(rids[path], n, chunk, entry) for n, chunk in enumerate(entry.chunks)]
        else:
            fresh += _revise(session, rids[path], entry, same_shape=known["shape"] == entry.document.shape)
    _insert_chunks(session, fresh)


def _revise(
    session: Session, rid: int, entry: Entry, *, same_shape: bool
) -> list[tuple[int, int, ChunkRow, Entry]]:
    """Match a file's pieces with those it had; returns the new ones."""
    rows = chunks_of_documents(session, [rid])
    spare: dict[str, list[Row]] = {}
    for row in reversed(rows):
        spare.setdefault(row["digest"], []).append(row)
    kept: list[tuple[Row, int, ChunkRow]] = []
    fresh: list[tuple[int, int, ChunkRow, Entry]] = []
    for ordinal, chunk in enumerate(entry.chunks):
        same = spare.get(chunk.digest)
        if same:
            kept.append((same.pop(), ordinal, chunk))
        else:
            fresh.append((rid, ordinal, chunk, entry))
    _drop_chunks(session, [row["rid"] for left in spare.values() for row in left])
    _move(session, rid, kept)
    if not same_shape:
        _rescope(session, entry, kept)
    return fresh


def _move(session: Session, rid: int, kept: Sequence[tuple[Row, int, ChunkRow]]) -> None:
    # Ordinals are unique in a document, so all step aside before each takes its place.
    session.run("UPDATE document_chunks SET ordinal = -ordinal - 1 WHERE document = :rid", rid=rid)
    session.run_many(
        "UPDATE document_chunks SET ordinal = :ordinal, anchor = :anchor, first_byte = :first, "
        "last_byte = :last, line = :line, last_line = :last_line WHERE rid = :rid",
        (
            {
                "rid": row["rid"],
                "ordinal": ordinal,
                "anchor": chunk.anchor,
                "first": chunk.first_byte,
                "last": chunk.last_byte,
                "line": chunk.line,
                "last_line": chunk.last_line,
            }
            for row, ordinal, chunk in kept
        ),
    )


def _rescope(session: Session, entry: Entry, kept: Sequence[tuple[Row, int, ChunkRow]]) -> None:
    """The file's name or filters changed: its pieces are found and filtered differently."""
    session.text(DOCUMENT_TEXT).put(
        TextRecord(row["rid"], chunk.fields, entry.scope) for row, _, chunk in kept
    )
    by_model: dict[str, list[int]] = {}
    for row, _, _ in kept:
        if row["model"]:
            by_model.setdefault(row["model"], []).append(row["rid"])
    index = session.vectors(DOCUMENT_VECTORS) if by_model else None
    for model, rids in by_model.items():
        assert index is not None
        found = index.get(passages_of(rids), model=model)
        index.put(VectorRecord(rid, model, vector, entry.scope) for rid, vector in found.items())


def _insert_chunks(session: Session, fresh: Sequence[tuple[int, int, ChunkRow, Entry]]) -> None:
    if not fresh:
        return
    session.run_many(
        "INSERT INTO document_chunks"
        "(document, ordinal, anchor, first_byte, last_byte, line, last_line, digest) VALUES"
        "(:document, :ordinal, :anchor, :first, :last, :line, :last_line, :digest)",
        (
            {
                "document": document,
                "ordinal": ordinal,
                "anchor": chunk.anchor,
                "first": chunk.first_byte,
                "last": chunk.last_byte,
                "line": chunk.line,
                "last_line": chunk.last_line,
                "digest": chunk.digest,
            }
            for document, ordinal, chunk, _ in fresh
        ),
    )
    documents = sorted({document for document, *_ in fresh})
    sql = "SELECT rid, document, ordinal FROM document_chunks WHERE document IN :documents"
    rids = {(row["document"], row["ordinal"]): row["rid"] for row in session.rows(sql, documents=documents)}
    session.text(DOCUMENT_TEXT).put(
        TextRecord(rids[document, ordinal], chunk.fields, entry.scope)
        for document, ordinal, chunk, entry in fresh
    )


def _drop_chunks(session: Session, rids: Sequence[int]) -> None:
    if not rids:
        return
    session.text(DOCUMENT_TEXT).drop(rids)
    session.vectors(DOCUMENT_VECTORS).drop(passages_of(rids))
    session.run("DELETE FROM document_chunks WHERE rid IN :rids", rids=list(rids))
