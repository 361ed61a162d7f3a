"""The vault: notes with their metadata, tags and links, as the index has them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from cuedeck.documents.index import DocumentIndex
from cuedeck.documents.kinds import in_vault
from cuedeck.documents.reader import missing_document
from cuedeck.documents.tags import tag_key
from cuedeck.model.errors import CueError, ErrorCode, invalid
from cuedeck.paths import ConfinedPath, confine, missing_file, read_file
from cuedeck.store import vault as rows
from cuedeck.store.protocol import Database
from cuedeck.store.vault import VaultFile, VaultFilter, VaultLinks, VaultStatistics

LARGEST_CONTENT = 16 * 1024 * 1024
UNSAYABLE = "its name is not UTF-8 or holds control characters"


@dataclass(frozen=True, slots=True)
class VaultPage:
    """Some of the files that pass a filter, and how many pass in all."""

    files: tuple[VaultFile, ...]
    total: int


class Vault:
    """Answers from the index, which the caller has brought up to date; dot-folders are not part of it."""

    def __init__(self, index: DocumentIndex, database: Database) -> None:
        self._index = index
        self._database = database
        self._counted: tuple[int, VaultStatistics] | None = None

    def files(self, chosen: VaultFilter, *, limit: int, offset: int = 0) -> VaultPage:
        """A page of files, by path."""
        folder = None if chosen.folder is None else _folder(self._index, chosen.folder)
        if folder is not None and not in_vault(folder):
            return VaultPage((), 0)
        chosen = VaultFilter(
            folder or None, chosen.type, chosen.status, None if chosen.tag is None else _tag(chosen.tag)
        )
        with self._database.read() as session:
            found, total = rows.vault_files(session, chosen, limit=limit, offset=offset)
        return VaultPage(tuple(found), total)

    def file(self, path: str) -> tuple[VaultFile, VaultLinks]:
        """One note and its links."""
        confined = self._confined(path)
        if not self._index.unfinished:
            self._index.refresh_paths([confined.relative])
        elif not self._index.is_fresh(confined.relative) and self._index.stamp(confined.relative) is not None:
            raise _not_reached(confined.relative)
        with self._database.read() as session:
            found = rows.vault_file(session, confined.relative)
            if found is None:
                raise self._missing(confined.relative)
            return found, rows.vault_links(session, confined.relative)

    def content(self, path: str) -> tuple[str, str, int]:
        """Path, text and size in bytes of a file, read from the disk."""
        confined = self._confined(path)
        try:
            found = read_file(confined, at_most=LARGEST_CONTENT + 1)
        except CueError as error:
            if error.code is ErrorCode.NOT_FOUND and self._index.stamp(confined.relative) is None:
                raise self._missing(confined.relative) from error
            raise
        if len(found.data) > LARGEST_CONTENT:
            raise invalid("path", f"a file of at most {LARGEST_CONTENT} bytes", path)
        try:
            return confined.relative, found.data.decode("utf-8"), len(found.data)
        except UnicodeDecodeError as error:
            raise invalid("path", "a UTF-8 text file", f"undecodable byte at {error.start}") from error

    def statistics(self) -> VaultStatistics:
        """Counts over the whole vault."""
        version = self._database.version()
        if self._counted is None or self._counted[0] != version:
            with self._database.read() as session:
                self._counted = (version, rows.vault_statistics(session))
        named = self._counted[1]
        unsayable = ((name, UNSAYABLE) for name in self._index.unsayable() if in_vault(name))
        return replace(named, left_out=(*named.left_out, *unsayable))

    def _confined(self, path: str) -> ConfinedPath:
        confined = confine(self._index.root, path)
        if not in_vault(confined.relative):
            raise missing_file(confined.relative)
        return confined

    def _missing(self, path: str) -> CueError:
        return missing_document(path, [each for each in self._index.markdown_paths() if in_vault(each)])


def _not_reached(path: str) -> CueError:
    return CueError(
        ErrorCode.UNAVAILABLE,
        f"The vault is being read for the first time, and '{path}' has not been reached",
        data={"path": path},
        hint="Ask again in some seconds, or read the file itself.",
    )


def _folder(index: DocumentIndex, folder: str) -> str:
    """A folder filter as the beginning of paths; the vault's own root is the empty one."""
    if folder.strip() in ("", ".", "./"):
        return ""
    try:
        return confine(index.root, folder).relative
    except CueError as error:
        error.data["field"] = "directory"
        raise


def _tag(tag: str) -> str:
    key = tag_key(tag)
    if not key:
        raise invalid("tag", "a tag of at least one character", tag)
    return key
