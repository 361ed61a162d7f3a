"""What a snapshot reads besides facts: files as they stand at its ref, and where its links lead."""

from __future__ import annotations

from collections.abc import Mapping

from cuedeck.code.git.checkout import Checkout, is_installed
from cuedeck.code.git.links import links_of
from cuedeck.code.git.repository import MissingBlob, Repository
from cuedeck.code.snapshot import Entry
from cuedeck.code.wanted import Wanted


class Reading:
    """One ref's files: from disk where they are uncommitted, else from git."""

    def __init__(
        self, repository: Repository | None, checkout: Checkout, wanted: Wanted, files: Mapping[str, Entry]
    ) -> None:
        self._repository = repository
        self._checkout = checkout
        self._wanted = wanted
        self._files = files

    def file(self, path: str) -> bytes | None:
        """A file's bytes, or nothing where there is none, or this clone lacks it."""
        entry = self._files.get(path)
        if entry is None and is_installed(path):
            return self._checkout.project_file(path)
        repository, commit = self._repository, self._wanted.commit
        if entry is not None and not entry.on_disk and repository is not None:
            if self._wanted.checked_out:
                # A file is read several times faster than an object, if it is still the same.
                data = self._checkout.read_blob(path, entry.oid)
                if data is not None:
                    return data
            try:
                return repository.read(entry.oid)
            except MissingBlob:
                return None
        if self._wanted.checked_out:
            return self._checkout.read(path) if entry is not None else self._checkout.project_file(path)
        return repository.text(commit, path) if repository is not None and commit is not None else None

    def links(self) -> Mapping[str, str]:
        """The symbolic links, and what each says."""
        if self._wanted.checked_out:
            return self._checkout.links
        if self._repository is None or self._wanted.commit is None:
            return {}
        return links_of(self._repository, self._wanted.commit)
