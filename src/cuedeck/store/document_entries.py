"""Writes what is known of files: rows, pieces with their tokens, tags, links and names."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from cuedeck.store.document_values import ChunkValues, Entry
from cuedeck.store.documents import chunks_of_documents, existing, passages_of
from cuedeck.store.protocol import Row, Session, TextRecord, VectorRecord
from cuedeck.store.schema.documents import DOCUMENT_TEXT, DOCUMENT_VECTORS

if TYPE_CHECKING:
    from cuedeck.store.vocabulary import Coded

_COLUMNS = (
    "path", "kind", "vault", "size", "mtime_ns", "ctime_ns", "hash", "shape", "created", "modified",
    "type", "status", "frontmatter", "anchors", "problem", "problem_line", "skipped",
)  # fmt: skip
_CHUNK_COLUMNS = ("document", "ordinal", "anchor", "first_byte", "last_byte", "line", "last_line", "digest")
_LINK_COLUMNS = (
    "document", "ordinal", "kind", "target", "anchor", "line", "times", "target_key", "resolved"
)  # fmt: skip

Leads = Callable[[str, str, str], str | None]


_Fresh = tuple[int, int, ChunkValues, Entry]


def text_record(entry: Entry, chunk: ChunkValues) -> TextRecord:
    """What a piece is found by, field by field."""
    names = (name for name, _ in DOCUMENT_TEXT.fields)
    _, *texts = entry.lines(chunk)
    fields = {name: text.decode().split() for name, text in zip(names, texts, strict=True)}
    return TextRecord(0, fields, entry.scope)


def write_entries(
    session: Session,
    entries: Sequence[Entry],
    before: Mapping[str, Row],
    leads: Leads,
    words: Sequence[Coded] = (),
) -> None:
    """Add or replace files; pieces that did not change keep their identity and vector.

    ``before`` has those that exist, ``leads`` tells from kind, target and the file it is in where a link
    leads. Where all files are new, the words of their pieces may be coded already.
    """
    paths = [entry.file.path for entry in entries]
    session.insert_many("documents", _COLUMNS, (entry.file for entry in entries), key=["path"])
    rids = {path: row["rid"] for path, row in existing(session, paths).items()}
    old = [before[path]["rid"] for path in paths if path in before]
    for name in ("document_tags", "document_links", "document_names"):
        if old:
            session.run(f"DELETE FROM {name} WHERE document IN :rids", rids=old)  # noqa: S608 - fixed names
    _write_details(session, [(rids[entry.file.path], entry) for entry in entries], leads)
    _write_chunks(session, entries, rids, before, words)


def remove_documents(session: Session, paths: Sequence[str]) -> None:
    """Forget files and everything known of them."""
    rids = [row["rid"] for row in existing(session, paths).values()]
    if not rids:
        return
    _drop_chunks(session, [row["rid"] for row in chunks_of_documents(session, rids)])
    for name in ("document_tags", "document_links", "document_names"):
        session.run(f"DELETE FROM {name} WHERE document IN :rids", rids=rids)  # noqa: S608 - fixed names
    session.run("DELETE FROM documents WHERE rid IN :rids", rids=rids)


def _write_details(session: Session, entries: Sequence[tuple[int, Entry]], leads: Leads) -> None:
    session.insert_many(
        "document_tags",
        ("document", "tag", "tag_key"),
        ((rid, *tag) for rid, entry in entries for tag in entry.tags),
    )
    # Links may lead to names that come with them.
    session.insert_many(
        "document_names",
        ("document", "name_key", "alias"),
        ((rid, *name) for rid, entry in entries for name in entry.names),
    )
    session.insert_many("document_links", _LINK_COLUMNS, _link_rows(entries, leads))


def _link_rows(entries: Sequence[tuple[int, Entry]], leads: Leads) -> Iterator[tuple[Any, ...]]:
    for rid, entry in entries:
        path = entry.file.path
        for ordinal, link in enumerate(entry.links):
            yield rid, ordinal, *link, leads(link.kind, link.target, path)


def _write_chunks(
    session: Session,
    entries: Sequence[Entry],
    rids: Mapping[str, int],
    before: Mapping[str, Row],
    words: Sequence[Coded],
) -> None:
    fresh: list[_Fresh] = []
    for entry in entries:
        path = entry.file.path
        known = before.get(path)
        if known is None:
            fresh += [(rids[path], n, chunk, entry) for n, chunk in enumerate(entry.chunks)]
        else:
            fresh += _revise(session, rids[path], entry, same_shape=known["shape"] == entry.file.shape)
    _insert_chunks(session, fresh, words)


def _revise(session: Session, rid: int, entry: Entry, *, same_shape: bool) -> list[_Fresh]:
    """Match a file's pieces with those it had; returns the new ones."""
    rows = chunks_of_documents(session, [rid])
    spare: dict[str, list[Row]] = {}
    for row in reversed(rows):
        spare.setdefault(row["digest"], []).append(row)
    kept: list[tuple[Row, int, ChunkValues]] = []
    fresh: list[_Fresh] = []
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


def _move(session: Session, rid: int, kept: Sequence[tuple[Row, int, ChunkValues]]) -> None:
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


def _rescope(session: Session, entry: Entry, kept: Sequence[tuple[Row, int, ChunkValues]]) -> None:
    """The file's name or filters changed: its pieces are found and filtered differently."""
    session.text(DOCUMENT_TEXT).add((row["rid"], entry.words(chunk)) for row, _, chunk in kept)
    by_model: dict[str, list[int]] = {}
    for row, _, _ in kept:
        if row["model"]:
            by_model.setdefault(row["model"], []).append(row["rid"])
    index = session.vectors(DOCUMENT_VECTORS) if by_model else None
    for model, rids in by_model.items():
        assert index is not None
        found = index.get(passages_of(rids), model=model)
        index.put(VectorRecord(rid, model, vector, entry.scope) for rid, vector in found.items())


def _insert_chunks(session: Session, fresh: Sequence[_Fresh], words: Sequence[Coded]) -> None:
    if not fresh:
        return
    newest = session.value("SELECT max(rid) FROM document_chunks") or 0
    session.insert_many(
        "document_chunks",
        _CHUNK_COLUMNS,
        ((document, ordinal, *chunk[:6]) for document, ordinal, chunk, _ in fresh),
    )
    rids = _identities_after(session, newest, len(fresh))
    text = session.text(DOCUMENT_TEXT)
    if words:
        text.add_coded(rids, words)
    else:
        text.add((rid, entry.words(chunk)) for rid, (_, _, chunk, entry) in zip(rids, fresh, strict=True))


def _identities_after(session: Session, newest: int, count: int) -> Sequence[int]:
    """Those of the pieces inserted last: one writer at a time, so they follow the order of insertion."""
    if session.value("SELECT max(rid) FROM document_chunks") == newest + count:
        return range(newest + 1, newest + count + 1)
    added = session.rows("SELECT rid FROM document_chunks WHERE rid > :newest ORDER BY rid", newest=newest)
    return [row["rid"] for row in added]


def _drop_chunks(session: Session, rids: Sequence[int]) -> None:
    if not rids:
        return
    session.text(DOCUMENT_TEXT).drop(rids)
    session.vectors(DOCUMENT_VECTORS).drop(passages_of(rids))
    session.run("DELETE FROM document_chunks WHERE rid IN :rids", rids=list(rids))
