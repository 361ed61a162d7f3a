"""Which files a source of C or C++ reads, by its ``#include`` lines alone: a build may say otherwise."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from cuedeck.code.facts import Import
    from cuedeck.code.resolution.rules import Project

_USING: Final = 2  # the level of ``using namespace``, which names no file
_QUOTED: Final = 1
_MAX_READ: Final = 2000


class Includes:
    """What the files of one ref include."""

    def __init__(self, project: Project) -> None:
        self.project = project

    def read_by(self, path: str) -> frozenset[str]:
        """A file and all that it includes, and what those include."""
        found: frozenset[str] = self.project.solve(("included", path), self._read_by, path)
        return found

    def _read_by(self, path: str) -> frozenset[str]:
        seen, waiting = {path}, [path]
        while waiting and len(seen) < _MAX_READ:
            for other in self.included(waiting.pop()):
                if other not in seen:
                    seen.add(other)
                    waiting.append(other)
        return frozenset(seen)

    def included(self, path: str) -> tuple[str, ...]:
        """The files that a file's own lines include."""
        found: tuple[str, ...] = self.project.solve(("includes", path), self._included, path)
        return found

    def _included(self, path: str) -> tuple[str, ...]:
        imports = self.project.links(path).imports
        return tuple(dict.fromkeys(f for i in imports if i.level != _USING for f in self._files(path, i)))

    def _files(self, path: str, imported: Import) -> tuple[str, ...]:
        """What a line may read: the file beside it, else those that the path fits, nearest first."""
        folder, text = posixpath.dirname(path), posixpath.normpath(imported.module)
        fitting = self._by_name().get(posixpath.basename(text), ())
        beside = posixpath.normpath(posixpath.join(folder, text))
        if imported.level == _QUOTED and beside in fitting:
            return (beside,)
        ending = "/" + text.lstrip("./")
        return tuple(other for other in fitting if ("/" + other).endswith(ending))

    def _by_name(self) -> dict[str, tuple[str, ...]]:
        found: dict[str, tuple[str, ...]] = self.project.solve(("files by name",), self._named)
        return found

    def _named(self) -> dict[str, tuple[str, ...]]:
        files: dict[str, list[str]] = {}
        for path in self.project.paths:
            files.setdefault(posixpath.basename(path), []).append(path)
        return {name: tuple(paths) for name, paths in files.items()}
