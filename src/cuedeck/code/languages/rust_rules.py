"""Rust: crates, modules in files and inline, and ``impl`` blocks."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable
from functools import cached_property
from typing import ClassVar, Final

from cuedeck.code.facts import OP_MASK, Bind, Import, Op
from cuedeck.code.languages.open_rules import OpenRules
from cuedeck.code.resolution.rules import file_module
from cuedeck.code.resolution.values import MODULE, PACKAGE, Symbol, Targets, Value

_NAME: Final = re.compile(r"^[ \t]*name[ \t]*=[ \t]*\"([^\"]+)\"", re.MULTILINE)
_FOLDER_STEMS: Final = ("mod.rs", "lib.rs", "main.rs")
_PATHS: Final = "rust-paths:"
_MOST_MACROS: Final = 4


class RustRules(OpenRules):
    """Paths begin at the crate, at this module, at its parent, at a child module or at another crate."""

    language: ClassVar[str] = "rust"
    endings: ClassVar[tuple[str, ...]] = (".rs",)
    fields_beside_methods: ClassVar[bool] = True
    body_names: ClassVar[bool] = False
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
        {"Vec", "VecDeque", "HashSet", "BTreeSet", "LinkedList", "BinaryHeap", "Iter", "IntoIter"}
    )
    mappings: ClassVar[frozenset[str]] = frozenset({"HashMap", "BTreeMap", "IndexMap"})
    element_methods: ClassVar[frozenset[str]] = frozenset(
        {"get", "get_mut", "pop", "first", "last", "next", "remove", "pop_front", "pop_back", "find", "entry"}
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
            "cloned",
            "chain",
        }
    )
    callback_methods: ClassVar[frozenset[str]] = frozenset(
        {
            "map",
            "filter",
            "filter_map",
            "flat_map",
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
    comparing_methods: ClassVar[frozenset[str]] = frozenset({"sort_by"})
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
            "by_ref",
        }
    )
    self_types: ClassVar[frozenset[str]] = frozenset({"Self"})

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
            if other != path and plain:
                meant = self.project.module_member(file_module(other), name)
                if mine not in meant and any(isinstance(one, Symbol) for one in meant):
                    continue
            yield other, number

    def module(self, path: str, imported: Import) -> Value | None:
        current: Value | None = None
        for position, part in enumerate(imported.module.split("::")):
            if not part:
                continue
            current = self._first(path, part) if not position else self._next(current, part)
            if current is None:
                return None
        return current

    def _first(self, path: str, part: str) -> Value | None:
        if part == "crate":
            root = self._root(path)
        elif part == "self":
            root = path
        elif part == "super":
            root = self._parent(path)
        else:
            inside = self._inner(file_module(path), part)
            root = self._child(path, part)
            if root is None and inside is not None:
                return inside
            root = root or self._crates.get(part)
        return file_module(root) if root is not None else None

    def _next(self, module: Value | None, part: str) -> Value | None:
        if module is None or module.tag != MODULE:
            return None
        if part == "super":
            parent = self._parent(module.path)
            return file_module(parent) if parent is not None else None
        return self._inner(module, part) or self.submodule(module, part) or self._reexported(module, part)

    def _inner(self, module: Value, name: str) -> Value | None:
        """A module written inside another."""
        links = self.project.links(module.path)
        number = links.string_numbers.get(name, -1)
        for binding in links.names[module.scope].get(number, ()):
            if links.bindings[3][binding] == Bind.NAMESPACE:
                return Value(MODULE, module.path, links.bindings[4][binding])
        return None

    def _reexported(self, module: Value, name: str) -> Value | None:
        for target in self.project.module_member(module, name):
            if isinstance(target, Value) and target.tag == MODULE:
                return target
        return None

    def submodule(self, module: Value, name: str) -> Value | None:
        child = self._child(module.path, name) if module.tag == MODULE and not module.scope else None
        return file_module(child) if child is not None else None

    def ambient(self, path: str, name: str) -> Iterable[Value]:
        return (Value(PACKAGE, _PATHS + path),)

    def package_member(self, key: str, name: str) -> Targets:
        if not key.startswith(_PATHS):
            return ()
        path = key.removeprefix(_PATHS)
        found = self._first(path, name)
        return (found,) if found is not None else self._macros(self._root(path), name)

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
