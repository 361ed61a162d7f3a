"""JavaScript and TypeScript: what files see without importing it, and what several of them declare."""

from __future__ import annotations

import posixpath
import re
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Final

from cuedeck.code.facts import Bind, Import
from cuedeck.code.languages.ecmascript_library import EcmaLibrary
from cuedeck.code.languages.ecmascript_modules import MODULE_MARK
from cuedeck.code.languages.ecmascript_packages import offering, offers
from cuedeck.code.resolution.rules import file_module, from_files
from cuedeck.code.resolution.values import MODULE, Symbol, Target, Targets, Value

_NUXT: Final = re.compile(r"nuxt\.config\.[cm]?[jt]s")
_TYPED: Final = (".ts", ".tsx", ".mts", ".cts")


class EcmaGlobals(EcmaLibrary):
    """The part of the rules that knows global declarations.

    Those of another package count only where that is a part of the same program, as packages are that have
    one configuration, those that are installed or mapped, and a file that is imported by its path.
    """

    @property
    @abstractmethod
    def _blocks(self) -> Sequence[tuple[Value, str, Value | None]]:
        """Each block of ``declare module "x"``, its name and the module of the project that it adds to."""

    @abstractmethod
    def module(self, path: str, imported: Import) -> Value | None:
        """The module an import names."""

    @abstractmethod
    def _around(self, path: str) -> str | None:
        """The folder of the package that a file belongs to."""

    @abstractmethod
    def _has_package(self, own: str, other: str) -> bool:
        """Whether a package has the package in another folder, by what is installed or mapped."""

    @property
    @from_files
    def _globals(self) -> Sequence[Value]:
        """Declaration files that are no modules, and ``declare global`` blocks."""
        found = []
        naming = {p for p in self.project.files_naming("global") if p.endswith(_TYPED)}
        for path in sorted({p for p in self.project.paths if p.endswith(".d.ts")} | naming):
            links = self.project.links(path)
            kinds = links.bindings[3]
            blocks = links.names[0].get(links.string_numbers.get("global", -1), ())
            scopes = [links.bindings[4][b] for b in blocks if kinds[b] == Bind.NAMESPACE]
            found += [Value(MODULE, path, scope) for scope in scopes]
            if path.endswith(".d.ts") and not self._is_module(path):
                found.append(file_module(path))
        return found

    def _is_module(self, path: str) -> bool:
        """Whether a file has imports or exports of its own; ``import("x")`` in a type is none."""
        links = self.project.links(path)
        return links.string_numbers.get(MODULE_MARK, -1) in links.names[0]

    def is_typed(self, path: str) -> bool:
        return path.endswith(_TYPED)

    def adds_to_language(self, target: Target) -> bool:
        return isinstance(target, Symbol) and Value(MODULE, target.path, target.scope) in self._globals

    def ambient(self, path: str, name: str) -> Iterable[Value]:
        yield from self._seen(path, self._globals, name)
        if self._nuxt:
            yield from map(file_module, self._offered(path, name))

    # -- what is a part of the same program

    def sees(self, declaration: Target, symbol: Symbol) -> bool:
        if symbol in self._global_symbols:
            return self._is_seen(declaration.path, symbol.path)
        return self._has(self._around(declaration.path) or "", self._around(symbol.path) or "")

    def _is_seen(self, path: str, other: str) -> bool:
        """Whether a file sees what another declares for all of its program."""
        own, theirs = self._around(path) or "", self._around(other) or ""
        if self._has(own, theirs) or self._governing(path) == self._governing(other):
            return True
        loaded: bool = self.project.solve(("loads", own, other), self._loads, own, other)
        return loaded

    def _loads(self, own: str, other: str) -> bool:
        """Whether a file of a package imports a file of another one by its path."""
        stem = posixpath.basename(other).split(".")[0]
        for path in self.project.files_naming(stem):
            for imported in self.project.links(path).imports if self._around(path) == own else ():
                if imported.module.startswith("../") and self.module(path, imported) == file_module(other):
                    return True
        return False

    def _has(self, own: str, theirs: str) -> bool:
        """Whether a package has another one, or either stands in the other."""
        if own == theirs or not (own and theirs) or f"{own}/".startswith(f"{theirs}/"):
            return True
        if (own, theirs) not in self._together:
            self._together[own, theirs] = theirs.startswith(f"{own}/") or self._has_package(own, theirs)
        return self._together[own, theirs]

    def _governing(self, path: str) -> str:
        """The nearest folder around a file that has a configuration."""
        first = folder = posixpath.dirname(path)
        if first not in self._governed:
            while folder and self.project.text(posixpath.join(folder, "tsconfig.json")) is None:
                folder = posixpath.dirname(folder)
            self._governed[first] = folder
        return self._governed[first]

    @cached_property
    def _governed(self) -> dict[str, str]:
        return {}

    @cached_property
    def _together(self) -> dict[tuple[str, str], bool]:
        return {}

    def _seen(self, path: str, blocks: Sequence[Value], name: str) -> Iterator[Value]:
        """Of some blocks those of the same package, then of the same program; then, if that is assumed,
        of the others those that have a name.
        """
        own, near, far = self._around(path), list[Value](), list[Value]()
        for block in blocks:
            if self._around(block.path) == own:
                yield block
            elif self._is_seen(path, block.path):
                near.append(block)
            elif self._has_name(block, name):
                far.append(block)
        yield from near
        if far and self.project.assumes():
            yield from far

    def _has_name(self, block: Value, name: str) -> bool:
        links = self.project.links(block.path)
        return links.string_numbers.get(name, -1) in links.names[block.scope]

    # -- Nuxt

    def _offered(self, path: str, name: str) -> Iterable[str]:
        """The files of an application of Nuxt that define a name which all of its files see."""
        root = next((r for r in self._nuxt if not r or path.startswith(f"{r}/")), None)
        if root is None:
            return ()
        return (
            file
            for file in self.project.files_defining(name)
            if file.startswith(root) and offers(file[len(root) :].strip("/"), self._nuxt[root])
        )

    @cached_property
    def _nuxt(self) -> dict[str, list[str]]:
        """The applications of Nuxt, inner ones first, with the folders whose names they offer."""
        found = {}
        for path in self.project.paths:
            if _NUXT.fullmatch(posixpath.basename(path)):
                found[posixpath.dirname(path)] = offering(self.project.text(path) or "")
        return dict(sorted(found.items(), key=lambda item: -len(item[0])))

    # -- declarations of one thing in several files

    @property
    @from_files
    def _merged(self) -> dict[Symbol, tuple[Symbol, ...]]:
        """Every declaration of what global blocks and augmentations of modules declare again."""
        groups: dict[object, dict[Symbol, None]] = {}
        for block in self._globals:
            for name, symbol in self._global_names(block):
                groups.setdefault(name, {})[symbol] = None
        for block, _, module in self._blocks:
            if module is None:
                continue
            for name in self._mergeable(block):
                for target in self.project.module_member(module, name):
                    if isinstance(target, Symbol):
                        group = groups.setdefault(target, {target: None})
                        group[Symbol(block.path, block.scope, name)] = None
        return {symbol: tuple(group) for group in groups.values() if len(group) > 1 for symbol in group}

    @property
    @from_files
    def _global_symbols(self) -> frozenset[Symbol]:
        """What global blocks declare that may be declared again."""
        return frozenset(symbol for block in self._globals for _, symbol in self._global_names(block))

    @property
    @from_files
    def _spaces(self) -> dict[Value, tuple[Value, ...]]:
        """Every block of a global namespace that has several."""
        groups: dict[str, list[Value]] = {}
        waiting = [("", block) for block in self._globals]
        for around, block in waiting:
            for name, scope in self._declared(block, Bind.NAMESPACE):
                inner = Value(MODULE, block.path, scope)
                groups.setdefault(f"{around}{name}", []).append(inner)
                waiting.append((f"{around}{name}.", inner))
        return {block: tuple(group) for group in groups.values() if len(group) > 1 for block in group}

    def lent(self, module: Value, name: str) -> Targets:
        """A global namespace has what any of its blocks declares."""
        for block in self._seen(module.path, (self._spaces or {}).get(module, ()), name):
            if block != module and self._has_name(block, name):
                return self.project.module_member(block, name)
        return ()

    def _global_names(self, block: Value, around: str = "") -> Iterable[tuple[str, Symbol]]:
        """What a global block declares, and the namespaces in it, by whole names."""
        for name in self._mergeable(block):
            yield around + name, Symbol(block.path, block.scope, name)
        for name, inner in self._declared(block, Bind.NAMESPACE):
            yield from self._global_names(Value(MODULE, block.path, inner), f"{around}{name}.")

    def _declared(self, block: Value, kind: int) -> Iterable[tuple[str, int]]:
        """The names of one kind in a block, with their scopes."""
        links = self.project.links(block.path)
        for name, bindings in links.names[block.scope].items():
            for binding in bindings:
                if links.bindings[3][binding] == kind:
                    yield links.strings[name], links.bindings[4][binding]

    def _mergeable(self, block: Value) -> list[str]:
        links = self.project.links(block.path)
        kinds = links.bindings[3]
        return [
            links.strings[name]
            for name, bindings in links.names[block.scope].items()
            if any(kinds[b] in (Bind.CLASS, Bind.NAMESPACE) for b in bindings)
        ]

    def twins(self, symbol: Symbol) -> Iterable[Symbol]:
        return (other for other in (self._merged or {}).get(symbol, ()) if other != symbol)

    def extensions(self, path: str, scope: int, name: str) -> Iterable[tuple[str, int]]:
        around = self.project.links(path).scopes[scope].parent
        symbol = Symbol(path, around, name)
        for other in (symbol, *self.twins(symbol)):
            if not (self.sees(symbol, other) or self.project.assumes()):
                continue
            links = self.project.links(other.path)
            for binding in links.names[other.scope].get(links.string_numbers[name], ()):
                found = other.path, links.bindings[4][binding]
                if links.bindings[3][binding] == Bind.CLASS and found != (path, scope):
                    yield found
