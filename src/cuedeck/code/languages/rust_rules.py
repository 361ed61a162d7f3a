"""Rust: crates, modules in files and inline, and ``impl`` blocks."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import ClassVar, Final

from cuedeck.code.facts import OP_MASK, Bind, Import, Op, ScopeKind
from cuedeck.code.languages.open_rules import OpenRules, named
from cuedeck.code.resolution.rules import file_module
from cuedeck.code.resolution.values import MODULE, PACKAGE, Symbol, Targets, Value

_NAME: Final = re.compile(r"^[ \t]*name[ \t]*=[ \t]*\"([^\"]+)\"", re.MULTILINE)
_FOLDER_STEMS: Final = ("mod.rs", "lib.rs", "main.rs")
_PATHS: Final = "rust-paths:"
_ALIKE: Final = "rust-alike:"
# Traits of the standard library that say what walking over a value gives.
ITERATORS: Final = frozenset(
    {"Iterator", "IntoIterator", "DoubleEndedIterator", "ExactSizeIterator", "FusedIterator"}
)
_MOST_MACROS: Final = 4
_MOST_ALIKE: Final = 8


# How an import begins that names a file.
FILE: Final = "file:"


class RustRules(OpenRules):
    """Paths begin at the crate, at this module, at its parent, at a child module or at another crate."""

    language: ClassVar[str] = "rust"
    endings: ClassVar[tuple[str, ...]] = (".rs",)
    fields_beside_methods: ClassVar[bool] = True
    body_names: ClassVar[bool] = False
    function_types: ClassVar[bool] = True
    transparent: ClassVar[frozenset[str]] = frozenset(
        {
            "Box",
            "Rc",
            "Arc",
            "Option",
            "Result",
            "RefCell",
            "Cell",
            "Mutex",
            "RwLock",
            "Cow",
            "Pin",
            "Ref",
            "RefMut",
        }
    )
    sequences: ClassVar[frozenset[str]] = frozenset(
        {"Vec", "VecDeque", "HashSet", "BTreeSet", "LinkedList", "BinaryHeap", "Iter", "IntoIter", *ITERATORS}
    )
    iterator: ClassVar[str] = "into_iter"
    advancer: ClassVar[str] = "next"
    walks_iterators: ClassVar[bool] = True
    numbering_methods: ClassVar[frozenset[str]] = frozenset({"enumerate"})
    pairing_methods: ClassVar[frozenset[str]] = frozenset({"zip"})
    mapping_methods: ClassVar[frozenset[str]] = frozenset({"map", "filter_map", "map_while", "and_then"})
    arrow: ClassVar[str] = "deref"
    mappings: ClassVar[frozenset[str]] = frozenset({"HashMap", "BTreeMap", "IndexMap"})
    pair_members: ClassVar[Mapping[str, int]] = {str(place): place for place in range(12)}
    element_methods: ClassVar[frozenset[str]] = frozenset(
        {
            *("get", "get_mut", "pop", "first", "last", "next", "remove", "pop_front", "pop_back", "find"),
            *("entry", "peek", "nth", "next_back", "first_mut", "last_mut", "front", "back", "swap_remove"),
            *("min_by", "max_by", "min_by_key", "max_by_key"),
        }
    )
    container_methods: ClassVar[frozenset[str]] = frozenset(
        {
            "iter",
            "iter_mut",
            "into_iter",
            "filter",
            "rev",
            "take",
            "skip",
            "drain",
            "collect",
            "chain",
            *("peekable", "step_by", "skip_while", "take_while", "inspect", "cycle", "fuse", "to_vec"),
        }
    )
    callback_methods: ClassVar[frozenset[str]] = frozenset(
        {
            "map",
            "filter",
            "filter_map",
            "flat_map",
            "map_while",
            "fold",
            "min_by",
            "max_by",
            "for_each",
            "any",
            "all",
            "find",
            "find_map",
            "position",
            "take_while",
            "skip_while",
            "inspect",
            "retain",
            "sort_by",
            "sort_by_key",
            "min_by_key",
            "max_by_key",
            "partition",
            "and_then",
            "map_or",
            "is_some_and",
        }
    )
    comparing_methods: ClassVar[frozenset[str]] = frozenset({"sort_by", "min_by", "max_by"})
    folding_methods: ClassVar[frozenset[str]] = frozenset({"fold"})
    same_methods: ClassVar[frozenset[str]] = frozenset(
        {
            "clone",
            "unwrap",
            "expect",
            "as_ref",
            "as_mut",
            "borrow",
            "borrow_mut",
            "lock",
            "to_owned",
            "unwrap_or_default",
            "unwrap_or",
            "unwrap_or_else",
            "ok",
            "take",
            "as_deref",
            "as_deref_mut",
            "by_ref",
            "cloned",
            "copied",
            *("ok_or", "ok_or_else", "map_err"),
        }
    )
    self_types: ClassVar[frozenset[str]] = frozenset({"Self"})
    extension_methods: ClassVar[bool] = True

    @cached_property
    def _crates(self) -> dict[str, str]:
        """The root file of every crate of the project, by the name that others use."""
        found: dict[str, str] = {}
        for path in self.project.paths:
            if path.endswith("src/lib.rs"):
                folder = posixpath.dirname(posixpath.dirname(path))
                match = _NAME.search(self.project.text(posixpath.join(folder, "Cargo.toml")) or "")
                found.setdefault((match[1] if match else posixpath.basename(folder)).replace("-", "_"), path)
        return found

    def _root(self, path: str) -> str | None:
        """The file at the root of the crate that a file belongs to."""
        folder = posixpath.dirname(path)
        if self._is_program(folder):
            return path
        while True:
            for name in ("lib.rs", "main.rs"):
                candidate = posixpath.join(folder, name)
                if candidate in self.project.paths:
                    return candidate
            if not folder:
                return None
            folder = posixpath.dirname(folder)

    def _is_program(self, folder: str) -> bool:
        """Whether each file of a folder is a crate: a test, a benchmark, an example or a further program."""
        package, name = posixpath.split(folder)
        if name == "bin":
            return posixpath.basename(package) == "src"
        roots = (posixpath.join(package, "src", root) for root in ("lib.rs", "main.rs"))
        return name in ("tests", "benches", "examples") and any(root in self.project.paths for root in roots)

    def _child(self, path: str, name: str) -> str | None:
        folder, file = posixpath.split(path)
        places = [folder] if file in _FOLDER_STEMS else [posixpath.join(folder, file[:-3]), folder]
        for place in places[: 1 if file in _FOLDER_STEMS or path != self._root(path) else 2]:
            for candidate in (posixpath.join(place, name + ".rs"), posixpath.join(place, name, "mod.rs")):
                if candidate in self.project.paths:
                    return candidate
        return None

    def _parent(self, path: str) -> str | None:
        folder, file = posixpath.split(path)
        if file in _FOLDER_STEMS:
            folder = posixpath.dirname(folder)
        for candidate in (
            *(posixpath.join(folder, name) for name in _FOLDER_STEMS),
            folder + ".rs",
        ):
            if candidate in self.project.paths and candidate != path:
                return candidate
        return None

    def extensions(self, path: str, scope: int, name: str) -> Iterable[tuple[str, int]]:
        """The ``impl`` blocks of a type: where the name in them is that type and not another of that name."""
        mine = Symbol(path, self.project.links(path).scopes[scope].parent, name)
        for other, number in super().extensions(path, scope, name):
            links = self.project.links(other)
            target = links.scopes[number].result
            while links.ops[target] & OP_MASK == Op.INDEX:
                target = links.a[target]
            plain = links.ops[target] & OP_MASK == Op.NAME
            if plain:
                around = Value(MODULE, other, links.scopes[number].parent)
                nearest = self.project.module_member(around, name)
                meant = nearest or self.project.module_member(file_module(other), name)
                if mine not in meant and any(isinstance(one, Symbol) for one in meant):
                    continue
            yield other, number

    def extending(self, name: str) -> Iterator[Symbol]:
        """The method of a trait that types of other crates have, too, where nothing else is called so."""
        found: dict[Symbol, None] = {}
        implementing: set[str] = set()
        for path, links in self._defining(name):
            owners, _, _, kinds, _, _ = links.bindings
            for binding in links.bound.get(links.string_numbers.get(name, -1), ()):
                row = links.scopes[owners[binding]]
                if kinds[binding] == Bind.FUNCTION and row.kind == ScopeKind.CLASS:
                    found[Symbol(path, owners[binding], name)] = None
                elif kinds[binding] == Bind.FUNCTION and row.kind == ScopeKind.EXTENSION:
                    implementing |= {named(links, base) for base in links.lists[row.bases]} or {""}
        for method in found if len(found) == 1 else ():
            trait = self._trait(method.path, method.scope)
            if implementing <= {trait.name} and self._extends_others(trait):
                yield method

    def reaches(self, path: str, method: Symbol) -> bool:
        """A trait's methods are called where it is seen by its name, or imported as ``_``."""
        trait = self._trait(method.path, method.scope)
        links = self.project.links(path)
        for name in (trait.name, "_"):
            bindings = links.bound.get(links.string_numbers.get(name, -1), ())
            for scope in sorted({0, *(links.bindings[0][binding] for binding in bindings)}):
                if trait in self.project.module_member(Value(MODULE, path, scope), name):
                    return True
        return False

    def _trait(self, path: str, scope: int) -> Symbol:
        links = self.project.links(path)
        return Symbol(path, links.scopes[scope].parent, links.strings[links.classes[scope]])

    def _extends_others(self, trait: Symbol) -> bool:
        """Whether a trait is implemented for a type that the project does not declare, or for any."""
        return bool(self.project.solve(("rust-others", trait), self._foreign_implementation, trait))

    def _foreign_implementation(self, trait: Symbol) -> bool:
        for path in self.project.files_naming(trait.name):
            if not path.endswith(self.endings):
                continue
            links = self.project.links(path)
            for number, row in enumerate(links.scope_rows()):
                if row.kind == ScopeKind.EXTENSION and trait.name in (
                    named(links, base) for base in links.lists[row.bases]
                ):
                    target = named(links, row.result)
                    any_type = links.string_numbers.get(target, -1) in links.names[number]
                    if any_type or not self.project.module_member(file_module(path), target):
                        return True
        return False

    def module(self, path: str, imported: Import) -> Value | None:
        if imported.module.startswith(FILE):
            named = posixpath.join(posixpath.dirname(path), imported.module.removeprefix(FILE))
            file = posixpath.normpath(named)
            return file_module(file) if file in self.project.paths else None
        return _together(self._modules(path, imported.module))

    def _modules(self, path: str, written: str) -> list[Value]:
        """The modules that a path means: conditions of compilation may leave one of several."""
        first, *parts = [part for part in written.split("::") if part] or [""]
        found = self._first(path, first)
        for part in parts:
            found = list(dict.fromkeys(inner for module in found for inner in self._next(module, part)))
        return found[:_MOST_ALIKE]

    def _first(self, path: str, part: str) -> list[Value]:
        if part == "crate":
            root = self._root(path)
        elif part == "self":
            root = path
        elif part == "super":
            root = self._parent(path)
        else:
            root = self._child(path, part)
            inside = self._inner(file_module(path), part) if root is None else []
            if inside:
                return inside
            root = root or self._crates.get(part)
            if root is None:
                return self._enums(file_module(path), part)
        return [file_module(root)] if root is not None else []

    def _next(self, module: Value, part: str) -> list[Value]:
        child = self.submodule(module, part)
        found = [*self._inner(module, part), *self._reexported(module, part)]
        return found or ([child] if child else self._enums(module, part))

    def _enums(self, module: Value, name: str) -> list[Value]:
        """An enum whose variants are taken out of it as if it were a module."""
        found: list[Value] = []
        for target in self.project.module_member(module, name):
            if isinstance(target, Symbol):
                links = self.project.links(target.path)
                for binding in links.names[target.scope].get(links.string_numbers.get(name, -1), ()):
                    if links.bindings[3][binding] == Bind.CLASS:
                        found.append(Value(MODULE, target.path, links.bindings[4][binding]))
        return found

    def _inner(self, module: Value, name: str) -> list[Value]:
        """The modules of that name that are written inside another."""
        links = self.project.links(module.path)
        number = links.string_numbers.get(name, -1)
        return [
            Value(MODULE, module.path, links.bindings[4][binding])
            for binding in links.names[module.scope].get(number, ())
            if links.bindings[3][binding] == Bind.NAMESPACE
        ]

    def _reexported(self, module: Value, name: str) -> list[Value]:
        targets = self.project.module_member(module, name)
        return [target for target in targets if isinstance(target, Value) and target.tag == MODULE]

    def submodule(self, module: Value, name: str) -> Value | None:
        if module.tag != MODULE or module.scope:
            return None
        child = self._parent(module.path) if name == "super" else self._child(module.path, name)
        return file_module(child) if child is not None else None

    def ambient(self, path: str, name: str) -> Iterable[Value]:
        return (Value(PACKAGE, _PATHS + path),)

    def package_member(self, key: str, name: str) -> Targets:
        if key.startswith(_ALIKE):
            modules = [Value(MODULE, *place) for place in json.loads(key.removeprefix(_ALIKE))]
            return tuple({t: None for module in modules for t in self.project.module_member(module, name)})
        if not key.startswith(_PATHS):
            return ()
        path = key.removeprefix(_PATHS)
        return tuple(self._first(path, name)) or self._macros(self._root(path), name)

    def lent(self, module: Value, name: str) -> Targets:
        """A crate has its macros at its root, wherever they are written."""
        root = self._root(module.path) if module.tag == MODULE and not module.scope else None
        return self._macros(root, name) if root == module.path else ()

    def _macros(self, root: str | None, name: str) -> Targets:
        """The macros of a crate: files see those of others without importing them."""
        found: list[Symbol] = []
        for path in self.project.files_defining(name):
            if not path.endswith(self.endings) or self._root(path) != root:
                continue
            links = self.project.links(path)
            for binding in links.bound.get(links.string_numbers.get(name, -1), ()):
                if links.bindings[3][binding] == Bind.FUNCTION and links.bindings[5][binding]:
                    found.append(Symbol(path, links.bindings[0][binding], name))
        return tuple(found[:_MOST_MACROS])


def _together(modules: list[Value]) -> Value | None:
    """Modules of one name as one."""
    if len(modules) < 2:
        return modules[0] if modules else None
    return Value(PACKAGE, _ALIKE + json.dumps([(module.path, module.scope) for module in modules]))
