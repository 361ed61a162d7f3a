"""The documents domain's statements."""

from __future__ import annotations

import json
import secrets
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cuedeck.store.protocol import Row, Session, VectorRecord
from cuedeck.store.schema.documents import DOCUMENT_VECTORS

EVENTS_KEPT = 100_000
# Token counts of what no file holds any more are kept while they are among so many newest; looked for seldom.
TOKENS_KEPT = 10_000
TOKENS_SWEPT = 500


# A chunk has at most so many vectors, one for each of its passages.
PASSAGES = 8


def passage_id(chunk: int, number: int) -> int:
    """The identity of a chunk's passage among the vectors."""
    return chunk * PASSAGES + number


def chunk_of_passage(passage: int) -> int:
    """The chunk a passage belongs to."""
    return passage // PASSAGES


def passages_of(chunks: Iterable[int]) -> list[int]:
    """Every identity that passages of some chunks may have."""
    return [passage_id(chunk, number) for chunk in chunks for number in range(PASSAGES)]


@dataclass(frozen=True, slots=True)
class DocumentRow:
    """What an answer says of a file."""

    rid: int
    path: str
    kind: str
    hash: str
    frontmatter: dict[str, Any] | None
    anchors: Sequence[tuple[str, int, int]]


@dataclass(frozen=True, slots=True)
class FileEvent:
    """What happened to a file: ``add``, ``change`` or ``unlink``."""

    seq: int
    at: int
    path: str
    event: str
    hash: str | None


_EVENTS = "SELECT rid AS seq, at, path, event, hash FROM document_events"


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


def anchors(session: Session) -> dict[str, list[tuple[str, int, int]]]:
    """Text, level and line of the anchors of every file that has any, by path."""
    rows = session.rows("SELECT path, anchors FROM documents WHERE anchors <> '[]'")
    return {row["path"]: [tuple(each) for each in json.loads(row["anchors"])] for row in rows}


def documents_by_id(session: Session, rids: Collection[int]) -> dict[int, DocumentRow]:
    """Files by identity."""
    sql = "SELECT rid, path, kind, hash, frontmatter, anchors FROM documents WHERE rid IN :rids"
    return {row["rid"]: _document(row) for row in session.rows(sql, rids=list(rids))}


def paths(session: Session, rids: Collection[int]) -> dict[int, str]:
    """The paths of files by identity."""
    sql = "SELECT rid, path FROM documents WHERE rid IN :rids"
    return {row["rid"]: row["path"] for row in session.rows(sql, rids=list(rids))}


def with_anchor(session: Session, rids: Collection[int], text: str) -> list[tuple[int, str, str, bool]]:
    """Identity, path and kind of files, and whether a heading or symbol in them is exactly this text."""
    sql = "SELECT rid, path, kind, anchors FROM documents WHERE rid IN :rids"
    start = f"[{json.dumps(text, ensure_ascii=False)}, "
    found = session.rows(sql, rids=list(rids))
    return [(row["rid"], row["path"], row["kind"], start in row["anchors"]) for row in found]


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


def homes(session: Session, rids: Collection[int]) -> dict[int, int]:
    """The document of each of some chunks."""
    sql = "SELECT rid, document FROM document_chunks WHERE rid IN :rids"
    return {row["rid"]: row["document"] for row in session.rows(sql, rids=list(rids))}


def extents(session: Session, rids: Collection[int]) -> list[tuple[int, int, int]]:
    """Every chunk of some files, its file and its size."""
    sql = "SELECT rid, document, last_byte - first_byte AS size FROM document_chunks WHERE document IN :rids"
    return [(row["rid"], row["document"], row["size"]) for row in session.rows(sql, rids=list(rids))]


def mean_size(session: Session, least: int) -> float:
    """How long files with text are in the mean, shorter ones counted as so long."""
    sql = (
        "SELECT avg(CASE WHEN size > :least THEN size ELSE :least END) FROM documents "
        "WHERE kind <> 'asset' AND skipped IS NULL"
    )
    return float(session.value(sql, least=least) or least)


def restamp(session: Session, changed: Iterable[tuple[str, int, int, int, int]]) -> None:
    """Files whose content is the same although their directory entry changed."""
    session.run_many(
        "UPDATE documents SET size = :size, mtime_ns = :mtime, ctime_ns = :ctime, modified = :modified "
        "WHERE path = :path",
        (
            {"path": path, "size": size, "mtime": mtime, "ctime": ctime, "modified": modified}
            for path, size, mtime, ctime, modified in changed
        ),
    )


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
    sql = f"{_EVENTS} WHERE rid > :seq ORDER BY rid LIMIT :limit"
    return [FileEvent(**row) for row in session.rows(sql, seq=seq, limit=limit)]


def events_around(session: Session, first: FileEvent, last: FileEvent, ms: int) -> list[FileEvent]:
    """The events from one to another, and what happened shortly before and after them, in order."""
    sql = f"""{_EVENTS} WHERE rid BETWEEN :first AND :last
              OR (rid < :first AND at >= :since) OR (rid > :last AND at <= :until) ORDER BY rid"""
    found = session.rows(sql, first=first.seq, last=last.seq, since=first.at - ms, until=last.at + ms)
    return [FileEvent(**row) for row in found]


def events_since(session: Session, at: int, limit: int) -> list[FileEvent]:
    """File events from a time on, newest first."""
    sql = f"{_EVENTS} WHERE at >= :at ORDER BY rid DESC LIMIT :limit"
    return [FileEvent(**row) for row in session.rows(sql, at=at, limit=limit)]


def last_event(session: Session, before_ms: int | None = None) -> int:
    """The sequence number of the newest file event, or of the newest one from before a time."""
    if before_ms is None:
        return int(session.value("SELECT max(rid) FROM document_events") or 0)
    return int(session.value("SELECT max(rid) FROM document_events WHERE at < :at", at=before_ms) or 0)


def named(session: Session, keys: Sequence[str]) -> list[tuple[str, str, bool]]:
    """Which vault paths answer to some names: name, path, and whether it is an alias."""
    # The vault is settled here: asked of the database, it lures it into reading every document.
    sql = (
        "SELECT n.name_key, n.alias, d.path, d.vault FROM document_names n "
        "JOIN documents d ON d.rid = n.document WHERE n.name_key IN :keys"
    )
    found = session.rows(sql, keys=list(keys))
    return [(row["name_key"], row["path"], bool(row["alias"])) for row in found if row["vault"]]


def names_of(session: Session, paths: Sequence[str]) -> set[str]:
    """Every name and alias key that some files answer to."""
    sql = (
        "SELECT n.name_key FROM document_names n JOIN documents d ON d.rid = n.document "
        "WHERE d.path IN :paths"
    )
    return {row["name_key"] for row in session.rows(sql, paths=list(paths))}


def links_to_keys(session: Session, keys: Sequence[str], *, open_only: bool = False) -> list[Row]:
    """Links, or those leading nowhere, whose target might be one of some names, with the file they are in."""
    sql = (
        "SELECT l.document, l.ordinal, l.kind, l.target, l.resolved, d.path FROM document_links l "
        "JOIN documents d ON d.rid = l.document WHERE l.target_key IN :keys"
    )
    return session.rows(sql + " AND l.resolved IS NULL" * open_only, keys=list(keys))


def links(session: Session) -> list[Row]:
    """Every link with the file it is in and where it leads."""
    return session.rows(
        "SELECT l.target, l.anchor, l.line, l.resolved, d.path FROM document_links l "
        "JOIN documents d ON d.rid = l.document ORDER BY d.path, l.line, l.ordinal"
    )


def headings(session: Session, paths: Collection[str]) -> dict[str, list[str]]:
    """The headings of some files, by path."""
    found = session.rows("SELECT path, anchors FROM documents WHERE path IN :paths", paths=list(paths))
    return {row["path"]: [text for text, _, _ in json.loads(row["anchors"])] for row in found}


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


def token_counts(session: Session, hashes: Collection[str]) -> dict[str, int]:
    """What those of some contents cost that were counted, by hash."""
    sql = "SELECT hash, tokens FROM document_tokens WHERE hash IN :hashes"
    return {row["hash"]: row["tokens"] for row in session.rows(sql, hashes=list(hashes))}


def put_token_counts(session: Session, counts: Mapping[str, int]) -> None:
    """Keep what some contents cost; the oldest that are no file's are forgotten."""
    session.insert_many("document_tokens", ("hash", "tokens"), counts.items(), key=["hash"])
    newest = session.value("SELECT max(rid) FROM document_tokens")
    if newest % TOKENS_SWEPT < len(counts):
        sql = "DELETE FROM document_tokens WHERE rid <= :floor AND hash NOT IN (SELECT hash FROM documents)"
        session.run(sql, floor=newest - TOKENS_KEPT)


def uncounted(session: Session) -> list[tuple[str, str]]:
    """Path and hash of every file with text whose tokens were never counted."""
    sql = (
        "SELECT d.path, d.hash FROM documents d WHERE d.kind <> 'asset' AND d.skipped IS NULL "
        "AND NOT EXISTS (SELECT 1 FROM document_tokens t WHERE t.hash = d.hash) ORDER BY d.rid"
    )
    return [(row["path"], row["hash"]) for row in session.rows(sql)]


def tags_of(session: Session, rids: Collection[int]) -> dict[int, list[str]]:
    """The tags of some files, each file's in order of their key."""
    sql = "SELECT document, tag FROM document_tags WHERE document IN :rids ORDER BY document, tag_key"
    found: dict[int, list[str]] = {}
    for row in session.rows(sql, rids=list(rids)):
        found.setdefault(row["document"], []).append(row["tag"])
    return found


def without_vector(session: Session, model: str, *, after: int = 0) -> list[int]:
    """Chunks beyond one that have no vector of a model yet, those of markdown first."""
    sql = (
        "SELECT c.rid FROM document_chunks c JOIN documents d ON d.rid = c.document "
        "WHERE c.rid > :after AND (c.model IS NULL OR c.model <> :model) "
        "ORDER BY CASE d.kind WHEN 'markdown' THEN 0 ELSE 1 END, c.rid"
    )
    return [row["rid"] for row in session.rows(sql, model=model, after=after)]


def without_vector_in(session: Session, model: str, paths: Collection[str]) -> list[int]:
    """Chunks of some files that have no vector of a model yet."""
    sql = (
        "SELECT c.rid FROM document_chunks c JOIN documents d ON d.rid = c.document "
        "WHERE d.path IN :paths AND (c.model IS NULL OR c.model <> :model) ORDER BY c.rid"
    )
    return [row["rid"] for row in session.rows(sql, model=model, paths=list(paths))]


def count_without_vector(session: Session, model: str) -> int:
    """How many chunks have no vector of a model yet."""
    sql = "SELECT count(*) FROM document_chunks WHERE model IS NULL OR model <> :model"
    return int(session.value(sql, model=model))


def put_vectors(
    session: Session, model: str, vectors: Mapping[int, Any], scopes: Mapping[int, Sequence[str]]
) -> None:
    """Store the vectors of all passages of some chunks, which the scopes are of, if they are still there."""
    there = homes(session, {chunk_of_passage(passage) for passage in vectors}).keys()
    # Another model's passages may have been more.
    sql = "SELECT rid FROM document_chunks WHERE rid IN :rids AND model IS NOT NULL"
    before = [row["rid"] for row in session.rows(sql, rids=list(there))]
    session.vectors(DOCUMENT_VECTORS).drop([each for each in passages_of(before) if each not in vectors])
    session.vectors(DOCUMENT_VECTORS).put(
        VectorRecord(passage, model, vector, scopes.get(chunk_of_passage(passage), ()))
        for passage, vector in vectors.items()
        if chunk_of_passage(passage) in there
    )
    session.run("UPDATE document_chunks SET model = :model WHERE rid IN :rids", model=model, rids=list(there))


def sampled_chunks(session: Session, model: str, count: int) -> list[int]:
    """So many chunks with vectors of a model, evenly spread over all of them."""
    sql = "SELECT rid FROM document_chunks WHERE model = :model ORDER BY rid"
    found = [row["rid"] for row in session.rows(sql, model=model)]
    return found[:: max(1, len(found) // count)]


def space_size(session: Session, model: str) -> int:
    """How many passages the space of a model was learnt of; 0 while there is none."""
    sql = "SELECT passages FROM document_spaces WHERE model = :model"
    return int(session.value(sql, model=model) or 0)


def space(session: Session, model: str) -> bytes:
    """The stored space of a model."""
    return bytes(session.value("SELECT space FROM document_spaces WHERE model = :model", model=model))


def put_space(session: Session, model: str, passages: int, packed: bytes) -> None:
    """Store the space of a model; those of other models are forgotten."""
    session.run("DELETE FROM document_spaces WHERE model <> :model", model=model)
    row = {"model": model, "passages": passages, "space": packed}
    session.upsert("document_spaces", row, key=["model"])


def _document(row: Row) -> DocumentRow:
    header = None if row["frontmatter"] is None else json.loads(row["frontmatter"])
    anchors = [(text, level, line) for text, level, line in json.loads(row["anchors"])]
    return DocumentRow(**{**row, "frontmatter": header, "anchors": anchors})
