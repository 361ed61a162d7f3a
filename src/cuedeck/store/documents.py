"""The documents domain's statements."""

from __future__ import annotations

import json
import secrets
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cuedeck.store.protocol import Row, Session, TextRecord, VectorRecord
from cuedeck.store.schema.documents import DOCUMENT_TEXT, DOCUMENT_VECTORS

EVENTS_KEPT = 100_000
_BATCH = 500


@dataclass(frozen=True, slots=True)
class DocumentRow:
    """One file as the index keeps it."""

    path: str
    kind: str
    vault: bool
    size: int
    mtime_ns: int
    ctime_ns: int
    hash: str
    shape: str
    created: int
    modified: int
    type: str | None
    status: str | None
    frontmatter: dict[str, Any] | None
    anchors: Sequence[tuple[str, int, int]]
    problem: str | None
    problem_line: int | None
    skipped: str | None
    rid: int = 0


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


@dataclass(frozen=True, slots=True)
class FileEvent:
    """What happened to a file: ``add``, ``change`` or ``unlink``."""

    seq: int
    at: int
    path: str
    event: str
    hash: str | None


def meta(session: Session, name: str) -> str | None:
    """A remembered fact about the index."""
    value = session.value("SELECT value FROM document_meta WHERE name = :name", name=name)
    return None if value is None else str(value)


def set_meta(session: Session, name: str, value: str) -> None:
    """Remember a fact about the index."""
    session.upsert("document_meta", {"name": name, "value": value}, key=["name"])


def revision(session: Session) -> int:
    """A number that moves with every change of the files known."""
    return int(meta(session, "revision") or 0)


def next_revision(session: Session) -> int:
    """Move the revision on."""
    following = revision(session) + 1
    set_meta(session, "revision", str(following))
    return following


def stamps(session: Session) -> dict[str, tuple[int, int, int]]:
    """Size, modification and change time of every file, by path."""
    rows = session.rows("SELECT path, size, mtime_ns, ctime_ns FROM documents")
    return {row["path"]: (row["size"], row["mtime_ns"], row["ctime_ns"]) for row in rows}


def document(session: Session, path: str) -> DocumentRow | None:
    """One file by path."""
    row = session.row("SELECT * FROM documents WHERE path = :path", path=path)
    return None if row is None else _document(row)


def documents_by_id(session: Session, rids: Collection[int]) -> dict[int, DocumentRow]:
    """Files by identity."""
    rows = session.rows("SELECT * FROM documents WHERE rid IN :rids", rids=list(rids))
    return {row["rid"]: _document(row) for row in rows}


def existing(session: Session, paths: Sequence[str]) -> dict[str, Row]:
    """Identity, hash and shape of those of the paths that are indexed."""
    sql = "SELECT rid, path, hash, shape FROM documents WHERE path IN :paths"
    return {row["path"]: row for row in session.rows(sql, paths=list(paths))}


def chunks(session: Session, rids: Collection[int]) -> list[Row]:
    """Chunks by their own identity."""
    sql = (
        "SELECT rid, document, ordinal, anchor, first_byte, last_byte, line, last_line, digest "
        "FROM document_chunks WHERE rid IN :rids ORDER BY rid"
    )
    return session.rows(sql, rids=list(rids))


def chunks_of_documents(session: Session, rids: Collection[int]) -> list[Row]:
    """All chunks of some files in reading order."""
    sql = (
        "SELECT rid, document, ordinal, anchor, first_byte, last_byte, line, last_line, digest, model "
        "FROM document_chunks WHERE document IN :rids ORDER BY document, ordinal"
    )
    return session.rows(sql, rids=list(rids))


def restamp(session: Session, changed: Iterable[tuple[str, int, int, int]]) -> None:
    """Files whose content is the same although their directory entry changed."""
    session.run_many(
        "UPDATE documents SET size = :size, mtime_ns = :mtime, ctime_ns = :ctime, modified = :modified "
        "WHERE path = :path",
        (
            {"path": path, "size": size, "mtime": mtime, "ctime": ctime, "modified": mtime // 1_000_000}
            for path, size, mtime, ctime in changed
        ),
    )


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


def record_events(session: Session, at: int, events: Iterable[tuple[str, str, str | None]]) -> None:
    """Append (path, event, hash) to the log of file events, oldest beyond the cap forgotten."""
    rows = [
        {"id": secrets.token_hex(10), "at": at, "path": path, "event": event, "hash": digest}
        for path, event, digest in events
    ]
    if not rows:
        return
    session.run_many(
        "INSERT INTO document_events(id, at, path, event, hash) VALUES(:id, :at, :path, :event, :hash)", rows
    )
    newest = session.value("SELECT max(rid) FROM document_events") or 0
    session.run("DELETE FROM document_events WHERE rid <= :floor", floor=newest - EVENTS_KEPT)


def events_after(session: Session, seq: int, limit: int) -> list[FileEvent]:
    """File events in order."""
    sql = "SELECT rid, at, path, event, hash FROM document_events WHERE rid > :seq ORDER BY rid LIMIT :limit"
    return [
        FileEvent(row["rid"], row["at"], row["path"], row["event"], row["hash"])
        for row in session.rows(sql, seq=seq, limit=limit)
    ]


def last_event(session: Session) -> int:
    """The sequence number of the newest file event."""
    return int(session.value("SELECT max(rid) FROM document_events") or 0)


def paths_named(session: Session, key: str, *, alias: bool) -> list[str]:
    """Vault paths that answer to a name or an alias."""
    sql = (
        "SELECT d.path FROM document_names n JOIN documents d ON d.rid = n.document "
        "WHERE n.name_key = :key AND n.alias = :alias AND d.vault = 1 ORDER BY d.path"
    )
    return [row["path"] for row in session.rows(sql, key=key, alias=int(alias))]


def names_of(session: Session, paths: Sequence[str]) -> set[str]:
    """Every name and alias key that some files answer to."""
    sql = (
        "SELECT n.name_key FROM document_names n JOIN documents d ON d.rid = n.document "
        "WHERE d.path IN :paths"
    )
    return {row["name_key"] for row in session.rows(sql, paths=list(paths))}


def links_to_keys(session: Session, keys: Sequence[str]) -> list[Row]:
    """Links whose target might be one of some names, with the file they are in."""
    sql = (
        "SELECT l.document, l.ordinal, l.kind, l.target, l.resolved, d.path FROM document_links l "
        "JOIN documents d ON d.rid = l.document WHERE l.target_key IN :keys"
    )
    return session.rows(sql, keys=list(keys))


def links_with_targets(session: Session) -> list[Row]:
    """Every link with the file it is in, where it leads, and the anchors found there."""
    sql = (
        "SELECT l.kind, l.target, l.anchor, l.line, l.resolved, d.path, t.anchors "
        "FROM document_links l JOIN documents d ON d.rid = l.document "
        "LEFT JOIN documents t ON t.path = l.resolved ORDER BY d.path, l.line, l.ordinal"
    )
    return [{**row, "anchors": json.loads(row["anchors"] or "[]")} for row in session.rows(sql)]


def problems(session: Session) -> list[Row]:
    """Files whose frontmatter is wrong or that were skipped."""
    return session.rows(
        "SELECT path, kind, frontmatter, problem, problem_line, skipped FROM documents "
        "WHERE problem IS NOT NULL OR skipped IS NOT NULL ORDER BY path"
    )


def vault_paths(session: Session) -> list[str]:
    """Every note of the vault."""
    sql = "SELECT path FROM documents WHERE vault = 1 AND kind = 'markdown' ORDER BY path"
    return [row["path"] for row in session.rows(sql)]


def resolve_links(session: Session, resolved: Iterable[tuple[int, int, str | None]]) -> None:
    """Set where some links, named by document and ordinal, lead."""
    session.run_many(
        "UPDATE document_links SET resolved = :resolved WHERE document = :document AND ordinal = :ordinal",
        (
            {"document": document, "ordinal": ordinal, "resolved": path}
            for document, ordinal, path in resolved
        ),
    )


def tags_of(session: Session, rids: Collection[int]) -> dict[int, list[str]]:
    """The tags of some files, each file's in order of their key."""
    sql = "SELECT document, tag FROM document_tags WHERE document IN :rids ORDER BY document, tag_key"
    found: dict[int, list[str]] = {}
    for row in session.rows(sql, rids=list(rids)):
        found.setdefault(row["document"], []).append(row["tag"])
    return found


def without_vector(session: Session, model: str, limit: int) -> list[int]:
    """Chunks that have no vector of a model yet."""
    sql = "SELECT rid FROM document_chunks WHERE model IS NULL OR model <> :model ORDER BY rid LIMIT :limit"
    return [row["rid"] for row in session.rows(sql, model=model, limit=limit)]


def count_without_vector(session: Session, model: str) -> int:
    """How many chunks have no vector of a model yet."""
    sql = "SELECT count(*) FROM document_chunks WHERE model IS NULL OR model <> :model"
    return int(session.value(sql, model=model))


def put_vectors(
    session: Session, model: str, vectors: Mapping[int, Any], scopes: Mapping[int, Sequence[str]]
) -> None:
    """Store vectors of chunks that are still there."""
    there = {row["rid"] for row in chunks(session, list(vectors))}
    session.vectors(DOCUMENT_VECTORS).put(
        VectorRecord(rid, model, vector, scopes.get(rid, ()))
        for rid, vector in vectors.items()
        if rid in there
    )
    session.run("UPDATE document_chunks SET model = :model WHERE rid IN :rids", model=model, rids=list(there))


def _document(row: Row) -> DocumentRow:
    return DocumentRow(
        path=row["path"],
        kind=row["kind"],
        vault=bool(row["vault"]),
        size=row["size"],
        mtime_ns=row["mtime_ns"],
        ctime_ns=row["ctime_ns"],
        hash=row["hash"],
        shape=row["shape"],
        created=row["created"],
        modified=row["modified"],
        type=row["type"],
        status=row["status"],
        frontmatter=None if row["frontmatter"] is None else json.loads(row["frontmatter"]),
        anchors=[(text, level, line) for text, level, line in json.loads(row["anchors"])],
        problem=row["problem"],
        problem_line=row["problem_line"],
        skipped=row["skipped"],
        rid=row["rid"],
    )


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
        found = index.get(rids, model=model)
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
    session.vectors(DOCUMENT_VECTORS).drop(rids)
    session.run("DELETE FROM document_chunks WHERE rid IN :rids", rids=list(rids))
