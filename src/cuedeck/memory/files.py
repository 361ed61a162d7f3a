"""Source files as code_chunk memories, brought up to date by content."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cuedeck.memory.masking import Masking
from cuedeck.memory.model import Memory, MemoryType, chunk_id
from cuedeck.memory.records import from_row
from cuedeck.model.clock import now_ms
from cuedeck.model.errors import CueError, ErrorCode, invalid
from cuedeck.paths import confine, confine_file, read_file
from cuedeck.store import memories as table

if TYPE_CHECKING:
    from cuedeck.code.extraction.chunks import Chunk
    from cuedeck.memory.memories import Memories
    from cuedeck.store.protocol import Session

FILE_BYTES = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Indexed:
    """What indexing a file did to its chunks."""

    path: str
    created: tuple[str, ...] = ()
    updated: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    unchanged: int = 0
    skipped: bool = False
    masked: int = 0

    @property
    def complete(self) -> bool:
        """Whether no chunk waits for a vector on account of this."""
        return not self.created and not self.updated

    def to_json(self) -> dict[str, Any]:
        return {
            "file_path": self.path,
            "chunks_created": len(self.created),
            "chunks_updated": len(self.updated),
            "chunks_removed": len(self.removed),
            "chunks_unchanged": self.unchanged,
            "skipped": self.skipped,
        }


def index_file(memories: Memories, root: Path, path: str, project: str, *, actor: str) -> Indexed:
    """Make the chunks of a file be those of its present content."""
    try:
        confined = confine_file(root, path)
    except CueError as error:
        if error.code is not ErrorCode.NOT_FOUND:
            error.data["field"] = "file_path"
            raise
        gone = _forget(memories, confine(root, path).relative, project, actor)
        if not gone.removed:
            raise
        return gone
    source = read_file(confined, at_most=FILE_BYTES + 1).data
    if len(source) > FILE_BYTES:
        raise invalid("file_path", f"a file of at most {FILE_BYTES} bytes", confined.relative)
    _refuse_binary(confined.relative, source)
    digest = hashlib.sha256(source).hexdigest()
    with memories.state.read() as session:
        known = table.chunks_of(session, project, confined.relative)
        if table.file_hash(session, project, confined.relative) == digest:
            return Indexed(confined.relative, unchanged=len(known), skipped=True)
    from cuedeck.code.extraction.chunks import chunk_file

    masking = Masking(memories.section.secrets)
    chunks = {
        chunk_id(project, confined.relative, chunk.key): _memory(
            chunk, project, confined.relative, digest, masking
        )
        for chunk in chunk_file(confined.relative, source)
    }
    with memories.state.write(actor=actor) as session:
        done = _replace(memories, session, project, confined.relative, chunks)
        table.put_file(session, project, confined.relative, digest)
    memories.completion.follow([*done.created, *done.updated])
    return Indexed(
        confined.relative, done.created, done.updated, done.removed, done.unchanged, False, masking.count
    )


def _forget(memories: Memories, path: str, project: str, actor: str) -> Indexed:
    """Remove the chunks of a file that is gone."""
    with memories.state.read() as session:
        if not table.chunks_of(session, project, path):
            return Indexed(path)
    with memories.state.write(actor=actor) as session:
        done = _replace(memories, session, project, path, {})
        table.put_file(session, project, path, "")
    return done


def _refuse_binary(path: str, source: bytes) -> None:
    try:
        text = source.decode("utf-8")
    except UnicodeDecodeError:
        raise invalid("file_path", "a UTF-8 text file", path) from None
    if "\x00" in text:
        raise invalid("file_path", "a text file", path)


def _memory(chunk: Chunk, project: str, path: str, digest: str, masking: Masking) -> Memory:
    at = now_ms()
    return Memory(
        id=chunk_id(project, path, chunk.key),
        type=MemoryType.CODE_CHUNK,
        title=f"{chunk.qualified_name or chunk.name} ({path})",
        content=masking.text(chunk.text) or " ",
        metadata={
            "file_path": path,
            "language": chunk.language,
            "chunk_type": chunk.chunk_type,
            "name": chunk.name,
            "qualified_name": chunk.qualified_name,
            "lines": [chunk.line_start, chunk.line_end],
            "file_hash": digest,
            "dependencies": list(chunk.dependencies),
            "parent": chunk.parent,
        },
        tags=(),
        project=project,
        confidence=1.0,
        source_task=None,
        created_at=at,
        updated_at=at,
    )


def _replace(
    memories: Memories, session: Session, project: str, path: str, chunks: Mapping[str, Memory]
) -> Indexed:
    created, updated, removed, unchanged = [], [], [], 0
    for id in table.chunks_of(session, project, path):
        if id not in chunks:
            memories.hide(session, from_row(table.found(session, id)))
            removed.append(id)
    for id, chunk in chunks.items():
        row = table.find(session, id, deleted=True)
        old = from_row(row) if row else None
        if old is None:
            memories.add(session, chunk, None, unique=False)
            table.put_chunk(session, id, project, path)
            created.append(id)
        elif old.deleted_at is not None:
            memories.change(session, memories.unhide(session, old), _fields(chunk))
            created.append(id)
        elif old.embedded_text != chunk.embedded_text:
            memories.change(session, old, _fields(chunk))
            updated.append(id)
        else:
            # The file's hash and perhaps the lines have moved; the chunk itself is the same.
            memories.change(session, old, {"metadata": chunk.metadata})
            unchanged += 1
    return Indexed(path, tuple(created), tuple(updated), tuple(removed), unchanged)


def _fields(chunk: Memory) -> dict[str, Any]:
    return {"content": chunk.content, "title": chunk.title, "metadata": chunk.metadata}
