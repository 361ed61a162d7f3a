"""Python: by which names the files of a project are imported."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Collection
from dataclasses import dataclass

ROOTS = frozenset({"src", "lib", "python"})
_PACKAGING = ("pyproject.toml", "setup.cfg", "setup.py")
_NAME = re.compile(r"""^\s*name\s*=\s*["']?([\w.-]+)""", re.MULTILINE)


@dataclass(frozen=True)
class Layout:
    """Files by every dotted name; folders in which no import begins, though no file makes them packages."""

    modules: dict[str, list[str]]
    namespaces: set[str]


def read_layout(paths: Collection[str], text: Callable[[str], str | None]) -> Layout:
    """What paths and packaging tell."""
    reader = _Reader(paths, text)
    for path in paths:
        if path.endswith((".py", ".pyi")):
            reader.add(path)
    return Layout(reader.rooted | reader.named, reader.namespaces)


class _Reader:
    def __init__(self, paths: Collection[str], text: Callable[[str], str | None]) -> None:
        self.paths = paths
        self._text = text
        self._distributions: dict[str, str | None] = {}
        self.namespaces: set[str] = set()
        self.named: dict[str, list[str]] = {}
        self.rooted: dict[str, list[str]] = {}

    def add(self, path: str) -> None:
        segments = path.rsplit(".", 1)[0].split("/")
        last = top = len(segments) - 1
        while top and self._is_package("/".join(segments[:top])):
            top -= 1
        if segments[-1] == "__init__":
            segments = segments[:-1]
        begin = self._namespace(segments[: top + 1]) if top < last else top
        self.namespaces.update("/".join(segments[:end]) for end in range(begin + 1, top + 1))
        self.named.setdefault(".".join(segments[begin:]), []).append(path)
        for start in range(1, len(segments)):
            if segments[start - 1] in ROOTS or (start < begin and self._is_published(segments[:start])):
                self.rooted.setdefault(".".join(segments[start:]), []).append(path)
        self.rooted.setdefault(".".join(segments), []).append(path)

    def _is_package(self, folder: str) -> bool:
        return f"{folder}/__init__.py" in self.paths or f"{folder}/__init__.pyi" in self.paths

    def _namespace(self, package: list[str]) -> int:
        """Where the name of a package begins: above its folder, if what it is published as says so."""
        top = len(package) - 1
        if top and (package[top - 1] in ROOTS or self._is_published(package[:top])):
            return top
        for start in reversed(range(top)):
            name = self._distribution("/".join(package[:start]))
            if name is not None:
                first = start + (package[start] in ROOTS)
                shared = first < top and f"{name}_".startswith(f"{package[first]}_")
                return first if shared and not self._holds_its_name(package[: first + 1]) else top
        return top

    def _holds_its_name(self, folder: list[str]) -> bool:
        """Whether a folder has a package that is called as itself: imports begin in it then."""
        return self._is_package("/".join([*folder, folder[-1]]))

    def _is_published(self, folder: list[str]) -> bool:
        return self._distribution("/".join(folder)) is not None

    def _distribution(self, folder: str) -> str | None:
        """What a folder is published as, its name empty if nothing tells; nothing if it is not packaged."""
        if folder not in self._distributions:
            files = (posixpath.join(folder, name) for name in _PACKAGING)
            texts = [text for file in files if (text := self._text(file)) is not None]
            names = (match[1] for text in texts if (match := _NAME.search(text)))
            name = re.sub(r"[-_.]+", "_", next(names, "")).lower()
            self._distributions[folder] = name if texts else None
        return self._distributions[folder]
