"""Things that can be cited, citations, and what became of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from cuedeck.citations.mentions import Kind


@dataclass(frozen=True, slots=True)
class Thing:
    """One end of a citation: a symbol is named by its qualified name and its file."""

    kind: str
    name: str
    path: str = ""
    title: str = ""

    def to_json(self) -> dict[str, Any]:
        """For tools and scripts; empty fields are left out."""
        more = {"path": self.path, "title": self.title}
        return {"kind": self.kind, "name": self.name} | {name: text for name, text in more.items() if text}


@dataclass(frozen=True, slots=True)
class Stale:
    """A cited thing that is no longer what it was."""

    kind: Kind
    name: str
    path: str
    change: str  # modified, moved or removed
    now: str = ""  # where it is now: path, or path:line

    def to_json(self) -> dict[str, Any]:
        """For tools and scripts."""
        value = {"kind": self.kind.value, "name": self.name, "path": self.path, "change": self.change}
        return value | ({"now": self.now} if self.now else {})


@dataclass(frozen=True, slots=True)
class Around:
    """What a thing cites and what cites it."""

    thing: Thing
    cites: tuple[Thing, ...]
    cited_by: tuple[Thing, ...]
    stale: tuple[Stale, ...] = ()
    code_indexed: bool = True
    truncated: bool = False

    def to_json(self) -> dict[str, Any]:
        """For tools and scripts."""
        value: dict[str, Any] = {
            **self.thing.to_json(),
            "cites": [thing.to_json() for thing in self.cites],
            "cited_by": [thing.to_json() for thing in self.cited_by],
            "code_indexed": self.code_indexed,
        }
        value |= {"stale_citations": [one.to_json() for one in self.stale]} if self.stale else {}
        return value | ({"truncated": True} if self.truncated else {})
