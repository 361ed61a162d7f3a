"""Names under which a file holds what it imports, as variables of that file."""

from __future__ import annotations

import re
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
    place: int


def loaded_at(snapshot: Snapshot, name: str, path: str | None, line: int | None) -> Imported | None:
    """The variable that a line declares for what it loads: ``const x = require("…")``."""
    found = imported_at(snapshot, name, path, line)
    if found is None or found.record.language not in _LOADING or found.record.line_start != line:
        return None
    before = (snapshot.source(found.record.path) or b"")[: found.place]
    words = _DECLARING.findall(before)
    return found if words and words[-1] != b"import" else None


def imported_at(snapshot: Snapshot, name: str, path: str | None, line: int | None) -> Imported | None:
    """What a line of a file imports under a name, or uses under it."""
    file = snapshot.spelled(clean_path(path)) if path is not None else None
    if file not in snapshot.files or file is None or line is None:
        return None
    links, outline = snapshot.links(file), snapshot.outline(file)
    number = links.string_numbers.get(name, -1)
    for binding in links.bound.get(number, ()):
        scope, _, place, kind, _, _ = (column[binding] for column in links.bindings)
        if kind & BIND_MASK in _IMPORTS:
            used = [row for row in links.sites.get(number, ()) if _holder(links, row, number) == scope]
            edges = {links.pos[row]: edge_of(links.ops[row] >> ROLE_SHIFT) for row in used}
            sites = [Site(file, at, outline.line_of(at), edges[at]) for at in sorted(edges) if at != place]
            begins = outline.line_of(place)
            if line in (begins, *(site.line for site in sites)):
                return Imported(_record(snapshot, name, file, begins), tuple(sites), place)
    return None


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
