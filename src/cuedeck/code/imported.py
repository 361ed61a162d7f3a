"""Names under which a file holds what it imports, as variables of that file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from cuedeck.code.facts import BIND_MASK, OP_MASK, ROLE_SHIFT, Bind, Kind, Links, Op
from cuedeck.code.resolution.uses import Site, edge_of
from cuedeck.code.served import clean_path
from cuedeck.code.snapshot import Snapshot
from cuedeck.code.symbols import SymbolRecord, stable_id, symbol_id

_SHOWN: Final = 240
_DECLARING: Final = re.compile(rb"\b(?:const|let|var|import)\b")
_LOADING: Final = frozenset({"javascript", "typescript", "tsx"})
_IMPORTS: Final = frozenset({Bind.IMPORT, Bind.MODULE, Bind.LINK})


@dataclass(frozen=True, slots=True)
class Imported:
    """An import's name as a variable of its file, and the uses of it there."""

    record: SymbolRecord
    uses: tuple[Site, ...]


def loaded_at(snapshot: Snapshot, name: str, path: str | None, line: int | None) -> Imported | None:
    """The variable that a line declares for what it loads: ``const x = require("…")``."""
    file = snapshot.spelled(clean_path(path)) if path is not None else ""
    if line is None or file not in snapshot.files or snapshot.files[file].language not in _LOADING:
        return None
    outline = snapshot.outline(file)
    for scope, place in _imports(snapshot.links(file), name):
        if outline.line_of(place) == line and _is_declared(snapshot.source(file) or b"", place):
            return _imported(snapshot, name, file, scope, place)
    return None


def _is_declared(source: bytes, place: int) -> bool:
    """Whether a name stands behind ``const`` and not behind ``import``."""
    words = _DECLARING.findall(source, 0, place)
    return bool(words) and words[-1] != b"import"


def imported_at(snapshot: Snapshot, name: str, path: str | None, line: int | None) -> Imported | None:
    """What a line of a file imports under a name, or uses under it."""
    file = snapshot.spelled(clean_path(path)) if path is not None else ""
    if line is None or file not in snapshot.files:
        return None
    for scope, place in _imports(snapshot.links(file), name):
        found = _imported(snapshot, name, file, scope, place)
        if line in (found.record.line_start, *(site.line for site in found.uses)):
            return found
    return None


def _imports(links: Links, name: str) -> Iterator[tuple[int, int]]:
    """The scopes that import a name, and where."""
    holders, _, places, kinds, _, _ = links.bindings
    for binding in links.bound.get(links.string_numbers.get(name, -1), ()):
        if kinds[binding] & BIND_MASK in _IMPORTS:
            yield holders[binding], places[binding]


def _imported(snapshot: Snapshot, name: str, path: str, scope: int, place: int) -> Imported:
    links, outline = snapshot.links(path), snapshot.outline(path)
    number = links.string_numbers[name]
    used = [row for row in links.sites.get(number, ()) if _holder(links, row, number) == scope]
    edges = {links.pos[row]: edge_of(links.ops[row] >> ROLE_SHIFT) for row in used}
    sites = [Site(path, at, outline.line_of(at), edges[at]) for at in sorted(edges) if at != place]
    return Imported(_record(snapshot, name, path, outline.line_of(place)), tuple(sites))


def _holder(links: Links, row: int, number: int) -> int:
    """The scope that holds what a bare name means; -1 for other expressions."""
    scope = links.a[row] if links.ops[row] & OP_MASK == Op.NAME else -1
    while scope >= 0 and number not in links.names[scope]:
        scope = links.scopes[scope].parent
    return scope


def _record(snapshot: Snapshot, name: str, path: str, line: int) -> SymbolRecord:
    module, language = snapshot.symbols(path).module, snapshot.outline(path).language
    qualified = f"{module}::{name}" if module else name
    stable = stable_id(language, Kind.VARIABLE, qualified, 0)
    written = (snapshot.source(path) or b"").split(b"\n")[line - 1 : line]
    signature = b"".join(written).decode("utf-8", "replace").strip()[:_SHOWN]
    layer = snapshot.files[path].layer
    return SymbolRecord(
        symbol_id(stable, path),
        stable,
        name,
        qualified,
        Kind.VARIABLE,
        language,
        signature,
        path,
        line,
        line,
        layer,
        -1,
    )
