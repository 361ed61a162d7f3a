"""Symbols as citations see them: a name leads to one definition or to none, and has a digest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cuedeck.citations.mentions import Kind, Mention
from cuedeck.citations.model import Stale

if TYPE_CHECKING:
    from cuedeck.code.snapshot import Snapshot
    from cuedeck.code.symbols import SymbolRecord
    from cuedeck.store.citations import CitationRow


def definition_of(snapshot: Snapshot, mention: Mention) -> SymbolRecord | None:
    """The one definition a mention leads to; tests and vendored code count only when nothing else does."""
    from cuedeck.code.extraction.generated import is_secondary
    from cuedeck.code.facts import Kind as SymbolKind
    from cuedeck.code.locating import is_test, locate

    found = [
        record
        for record in locate(snapshot, mention.name)
        if record.kind != SymbolKind.MODULE and in_file(record.path, mention.path)
    ]
    first = [record for record in found if not (is_test(record.path) or is_secondary(record.path))] or found
    places = {(record.path, record.qualified_name) for record in first}
    return first[0] if len(places) == 1 else None


def in_file(path: str, wanted: str) -> bool:
    """Whether a path is the one meant, which may lack its first folders."""
    return not wanted or path == wanted or path.endswith("/" + wanted)


def digest_of(snapshot: Snapshot, path: str, qualified: str) -> str:
    """What a symbol is like: its text and its text without formatting; empty when it is not there."""
    if path not in snapshot.files:
        return ""
    outline, symbols = snapshot.outline(path), snapshot.symbols(path)
    numbers = [
        number
        for number in outline.named(qualified.rsplit("::", 1)[-1])
        if symbols.qualified(number) == qualified
    ]
    same = [outline.definitions[number] for number in numbers]
    contents = ",".join(sorted(definition.content.hex() for definition in same))
    shapes = ",".join(sorted(definition.shape.hex() for definition in same))
    return f"{contents}|{shapes}" if same else ""


def change_of(snapshot: Snapshot, row: CitationRow) -> Stale | None:
    """What became of a cited symbol, or nothing when it is as it was."""
    now = digest_of(snapshot, row.path, row.target)
    if _alike(now, row.digest):
        return None
    if now:
        line = _line(snapshot, row.path, row.target)
        return Stale(Kind.SYMBOL, row.target, row.path, "modified", f"{row.path}:{line}")
    moved = _moved(snapshot, row)
    if moved is not None:
        return Stale(Kind.SYMBOL, row.target, row.path, "moved", moved)
    return Stale(Kind.SYMBOL, row.target, row.path, "removed")


def _alike(one: str, other: str) -> bool:
    """Whether the texts are equal, or are but for formatting."""
    return any(a == b and a.strip(",") for a, b in zip(one.split("|"), other.split("|"), strict=False))


def _moved(snapshot: Snapshot, row: CitationRow) -> str | None:
    name = row.target.rsplit("::", 1)[-1]
    for path in snapshot.files_defining(name):
        symbols = snapshot.symbols(path)
        for number in snapshot.outline(path).named(name):
            qualified = symbols.qualified(number)
            if _alike(digest_of(snapshot, path, qualified), row.digest):
                return f"{path}:{_line(snapshot, path, qualified)}"
    return None


def _line(snapshot: Snapshot, path: str, qualified: str) -> int:
    symbols, outline = snapshot.symbols(path), snapshot.outline(path)
    return next(
        definition.line_start
        for number, definition in enumerate(outline.definitions)
        if symbols.qualified(number) == qualified
    )
