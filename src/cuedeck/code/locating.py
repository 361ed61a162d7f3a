"""Finding definitions by name, and the way from a definition to the symbol that references lead to."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from cuedeck.code.extraction.generated import is_secondary
from cuedeck.code.facts import BIND_MASK, CALLABLE, INSTANCE, TYPES, Bind, Kind
from cuedeck.code.resolution.values import CLASS, Symbol, Target, Value
from cuedeck.code.symbols import SymbolRecord, module_name

if TYPE_CHECKING:
    from cuedeck.code.snapshot import Snapshot

_KIND_ALIASES: Final = {"function": Kind.FUNCTION, "constant": Kind.CONSTANT, "func": Kind.FUNCTION}
_SEPARATORS: Final = ("::", ".", "#", "/", "\\")
_BREAKS: Final = "".join(_SEPARATORS)
_BETWEEN: Final = re.compile(r"::|[./\\]|(?<=[^:./\\#])#")
_MOST_OWNERS: Final = 8
_HELD: Final = 3
PROTOTYPES: Final = ("c", "cpp")
_IMPORTS: Final = (Bind.IMPORT, Bind.MODULE, Bind.STAR)
_QUOTES: Final = "'\"`"
# How SCIP indexes name constructors and accessors of JavaScript.
_INDEXED: Final = re.compile(r"<(?:get|set)>|<(constructor)>")
_RECEIVER: Final = re.compile(r"\(\*?(\w+)\)(?=\.)")
_TEST_PARTS: Final = frozenset(
    {"test", "tests", "testing", "spec", "specs", "__tests__", "testdata", "fixtures"}
)


def kind_named(kind: str) -> str:
    """A kind as the engine spells it."""
    said = kind.strip().casefold()
    return _KIND_ALIASES.get(said, said)


def name_parts(text: str) -> list[str]:
    """``a.b::c`` as its parts; the name of a private member begins with ``#``."""
    return [part for part in _BETWEEN.split(text) if part]


def locate(
    snapshot: Snapshot,
    name: str,
    *,
    kind: str | None = None,
    language: str | None = None,
    path: str | None = None,
) -> list[SymbolRecord]:
    """Definitions of an exact name or a (partial) qualified name, best first; those of one file, if given."""
    parts = name_parts(name) or [name]
    # A key may hold dots and slashes itself: ``'user.created'``, ``[Action.Set]``.
    keys = [part for part in name.split("::") if part] or [name]
    wanted = kind_named(kind) if kind else None
    if path is not None:
        here = _named(snapshot, parts, wanted, language, only=path) if path in snapshot.files else []
        if not here and path in snapshot.files and keys != parts:
            here = _named(snapshot, keys, wanted, language, only=path)
        everywhere = () if here else locate(snapshot, name, kind=kind, language=language)
        return _best_first(snapshot, here) or [each for each in everywhere if each.path == path]
    found = _named(snapshot, parts, wanted, language)
    if not found and len(parts) > 1:
        # An import or a path names the folders that a qualified name leaves out.
        found = (
            _named(snapshot, parts, wanted, language, by_path=True)
            or _inherited(snapshot, parts, wanted, language)
            or _named(snapshot, keys, wanted, language)
        )
    if not found and (bare := _bare(name)) != name:
        return locate(snapshot, bare, kind=kind, language=language)
    return _best_first(snapshot, found)


def _inherited(
    snapshot: Snapshot, parts: list[str], kind: str | None, language: str | None
) -> list[SymbolRecord]:
    """What a type has from its ancestors: ``Flask.route`` is ``Scaffold.route``."""
    if len(parts) > _MOST_OWNERS:
        return []
    found: dict[tuple[str, int], SymbolRecord] = {}
    with snapshot.lock:
        for owner in locate(snapshot, "::".join(parts[:-1]), language=language)[:_MOST_OWNERS]:
            scope = snapshot.outline(owner.path).definitions[owner.number].scope if owner.number >= 0 else -1
            if owner.kind not in TYPES or scope < 0:
                continue
            declared = snapshot.linker.member(Value(CLASS, owner.path, scope), parts[-1])
            if declared is None:
                continue
            for number in definitions_of(snapshot, declared):
                record = snapshot.symbols(declared.path).record(number)
                if kind in (None, record.kind):
                    found[record.path, number] = record
    return list(found.values())


def _bare(name: str) -> str:
    """``crate::a::run()`` as ``a::run``, ``(*Server).Stop`` as ``Server.Stop``, ``<get>x`` as ``x``."""
    name = _RECEIVER.sub(r"\1", name.strip())
    name = _INDEXED.sub(r"\1", name.removesuffix("()").removeprefix("crate::"))
    return name[1:-1] if len(name) > 2 and name[0] == name[-1] and name[0] in _QUOTES else name


def _named(
    snapshot: Snapshot,
    parts: list[str],
    kind: str | None,
    language: str | None,
    *,
    by_path: bool = False,
    only: str | None = None,
) -> list[SymbolRecord]:
    found: list[SymbolRecord] = []
    for path in snapshot.files_defining(parts[-1]) if only is None else (only,):
        outline = snapshot.outline(path)
        if language and outline.language != language:
            continue
        symbols = snapshot.symbols(path)
        for number in outline.named(parts[-1]):
            if kind and outline.definitions[number].kind != kind:
                continue
            spelled = f"{path}::{symbols.local(number)}" if by_path else symbols.qualified(number)
            if len(parts) == 1 or _is_called(spelled, parts, outline.language):
                found.append(symbols.record(number))
    if kind in (None, Kind.MODULE):
        found += _modules(snapshot, parts, language, by_path, snapshot.files if only is None else (only,))
    return found


def _modules(
    snapshot: Snapshot, parts: list[str], language: str | None, by_path: bool, paths: Iterable[str]
) -> list[SymbolRecord]:
    found = []
    for path in paths:
        if parts[-1] not in path or not _names(path, parts[-1]):
            continue
        if language and snapshot.files[path].language != language:
            continue
        symbols = snapshot.symbols(path)
        names = (path, path.rpartition(".")[0]) if by_path else (symbols.module,)
        if any(_ends_with(name_parts(name), parts) for name in names):
            found.append(symbols.record(-1))
    return found


def _names(path: str, part: str) -> bool:
    """Whether a path holds a word as a whole part: else nothing of the file needs to be read."""
    at = path.find(part)
    while at >= 0:
        end = at + len(part)
        if path[max(0, at - 1) : at] in _BREAKS and path[end : end + 1] in _BREAKS:
            return True
        at = path.find(part, at + 1)
    return False


def _is_called(qualified: str, parts: list[str], language: str) -> bool:
    """Whether parts name a symbol; Rust writes the hyphen of a crate's name as an underscore."""
    name = name_parts(qualified)
    return (
        _ends_with(name, parts)
        or _ends_with(qualified.split("::"), parts)
        or (language == "rust" and _ends_with([part.replace("-", "_") for part in name], parts))
    )


def _ends_with(name: list[str], parts: list[str]) -> bool:
    if name[-len(parts) :] == parts:
        return True
    # Owners may be left out in the middle: ``Flask.run`` finds ``flask::app::Flask::run``.
    rest = iter(name)
    return name[-1:] == parts[-1:] and all(part in rest for part in parts)


@lru_cache(maxsize=65536)
def is_test(path: str) -> bool:
    """Whether a file is a test, by its path."""
    segments = path.lower().split("/")
    stem = segments[-1].split(".")[0]
    return (
        bool(_TEST_PARTS.intersection(segments[:-1]))
        or stem == "tests"
        or stem.startswith("test_")
        or stem.endswith(("_test", "_spec"))
        or ".test." in segments[-1]
        or ".spec." in segments[-1]
    )


def _best_first(snapshot: Snapshot, records: Iterable[SymbolRecord]) -> list[SymbolRecord]:
    bodies = Bodies(snapshot)

    def preference(record: SymbolRecord) -> tuple[object, ...]:
        return (
            is_secondary(record.path),
            is_test(record.path),
            rank := _rank(record),
            # Before what a type has stands nothing that is only inside something of its name.
            rank == _HELD and record.kind == Kind.FUNCTION,
            record.kind == Kind.MACRO,
            not bodies.has(record),
            not _is_of_trait(snapshot, record),
            record.qualified_name.count("::"),
            record.path,
            record.line_start,
        )

    return sorted(records, key=preference)


def _is_of_trait(snapshot: Snapshot, record: SymbolRecord) -> bool:
    """Whether a trait declares a member, which its types only implement."""
    definitions = snapshot.outline(record.path).definitions if record.number >= 0 else ()
    owner = definitions[record.number].parent if definitions else -1
    return owner >= 0 and definitions[owner].kind == Kind.TRAIT


def _rank(record: SymbolRecord) -> int:
    """Types, what a file defines on its own, what types and functions hold, namespaces, then files."""
    if record.kind in TYPES:
        return 0
    if record.kind in (Kind.NAMESPACE, Kind.MODULE):
        return 5 + (record.kind == Kind.MODULE)
    outer = "::" not in record.qualified_name.removeprefix(f"{module_name(record.path, record.language)}::")
    return (1 if outer else _HELD) + (record.kind not in CALLABLE)


class Bodies:
    """Tells functions from their prototypes, in the languages that have both."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self.sources: dict[str, bytes] = {}

    def has(self, record: SymbolRecord) -> bool:
        if record.language not in PROTOTYPES or record.kind not in (Kind.FUNCTION, Kind.METHOD):
            return True
        if record.path not in self.sources:
            self.sources[record.path] = self.snapshot.source(record.path) or b""
        definition = self.snapshot.outline(record.path).definitions[record.number]
        return not self.sources[record.path][definition.start : definition.end].endswith(b";")


def symbol_of(snapshot: Snapshot, record: SymbolRecord) -> Symbol | None:
    """The symbol that references to a definition lead to."""
    if record.number < 0:
        return None
    links, outline = snapshot.links(record.path), snapshot.outline(record.path)
    definition = outline.definitions[record.number]
    number = links.string_numbers.get(definition.name)
    for binding in links.bound.get(number, ()) if number is not None else ():
        if links.bindings[2][binding] == definition.name_at:
            return _bound_by(snapshot, record.path, binding)
    return None


def _bound_by(snapshot: Snapshot, path: str, binding: int) -> Symbol:
    """The symbol that a binding makes; an ancestor may declare what a class only assigns."""
    links = snapshot.links(path)
    symbol = Symbol(path, links.bindings[0][binding], links.strings[links.bindings[1][binding]])
    if not links.bindings[3][binding] & INSTANCE:
        return symbol
    with snapshot.lock:
        return snapshot.linker.member(Value(CLASS, path, symbol.scope), symbol.name) or symbol


def meant_at(snapshot: Snapshot, name: str, path: str | None, line: int) -> list[SymbolRecord]:
    """The definitions of what a name stands for on a line that binds it once more, imports or uses it."""
    if path is None or path not in snapshot.files:
        return []
    links, outline = snapshot.links(path), snapshot.outline(path)
    asked = _bare(name)
    number = links.string_numbers.get((name_parts(asked) or [asked])[-1], -1)
    found: list[Target] = []
    for binding in links.bound.get(number, ()):
        if outline.line_of(links.bindings[2][binding]) != line:
            continue
        if links.bindings[3][binding] & BIND_MASK not in _IMPORTS:
            found.append(_bound_by(snapshot, path, binding))
            continue
        with snapshot.lock:
            found += snapshot.linker.linked(path, binding)
    for site in links.sites.get(number, ()):
        if outline.line_of(links.pos[site]) == line:
            with snapshot.lock:
                found += snapshot.linker.targets(path, site)
    symbols = dict.fromkeys(target for target in found if isinstance(target, Symbol))
    return [
        snapshot.symbols(symbol.path).record(number)
        for symbol in symbols
        for number in definitions_of(snapshot, symbol)
    ]


def given_at(snapshot: Snapshot, symbol: Symbol, line: int) -> int | None:
    """Where on a line of its file a variable is given a value, which may not be the first."""
    links, outline = snapshot.links(symbol.path), snapshot.outline(symbol.path)
    places, kinds, hints, given = links.bindings[2:]
    bindings = links.names[symbol.scope].get(links.string_numbers.get(symbol.name, -1), ())
    # What a test tells of a variable is bound as well, as its type and its value.
    found = [
        places[b]
        for b in bindings
        if kinds[b] & BIND_MASK == Bind.VARIABLE and not (hints[b] and hints[b] == given[b])
    ]
    return next((place for place in found if outline.line_of(place) == line), None)


def definitions_of(snapshot: Snapshot, symbol: Symbol) -> list[int]:
    """The definitions that bind a symbol, in reading order."""
    links, outline = snapshot.links(symbol.path), snapshot.outline(symbol.path)
    number = links.string_numbers.get(symbol.name)
    if number is None:
        return []
    places = {
        links.bindings[2][binding]
        for binding in links.names[symbol.scope].get(number, ())
        if links.bindings[3][binding] & BIND_MASK not in _IMPORTS
    }
    return [n for n in outline.named(symbol.name) if outline.definitions[n].name_at in places]


def at_line(snapshot: Snapshot, records: Iterable[SymbolRecord], line: int) -> list[SymbolRecord]:
    """Those of the records whose definition or name begins at a line, those that are named there first."""

    def named(record: SymbolRecord) -> int:
        outline = snapshot.outline(record.path)
        return outline.line_of(outline.definitions[record.number].name_at) if record.number >= 0 else 1

    found = [record for record in records if line in (record.line_start, named(record))]
    return sorted(found, key=lambda record: named(record) != line)


def around(records: Iterable[SymbolRecord], line: int) -> list[SymbolRecord]:
    """Those of the records that hold a line, the nearest first."""
    holding = [record for record in records if record.line_start <= line <= record.line_end]
    return sorted(holding, key=lambda record: line - record.line_start)
