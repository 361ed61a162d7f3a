"""JavaScript and TypeScript: how modules are found, by path, by tsconfig, by package."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any, ClassVar, Final

from cuedeck.code.facts import ROLE_SHIFT, TYPE_BINDS, Bind, Import, Role
from cuedeck.code.languages.ecmascript_configurations import Configurations
from cuedeck.code.languages.ecmascript_globals import EcmaGlobals
from cuedeck.code.languages.ecmascript_modules import AUGMENTS, WHOLE
from cuedeck.code.languages.ecmascript_packages import choices, exported, read_json, star_of
from cuedeck.code.resolution.foreign import ANY_TYPE
from cuedeck.code.resolution.rules import file_module, from_files
from cuedeck.code.resolution.values import CLASS, MODULE, Symbol, Targets, Value

_ENDINGS: Final = (".ts", ".tsx", ".d.ts", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".d.mts", ".d.cts")
_COMPILED: Final = re.compile(r"\.([cm]?)jsx?$")
_BUILT: Final = frozenset({"dist", "lib", "build", "out", "esm", "cjs", "types", "es"})
_MADE_BY_BUILDS: Final = frozenset({"dist", "build", "out", "lib"})
_ELEMENTS: Final = "IntrinsicElements"
# Packages that give on the types of another.
_GIVEN_ON: Final = {"express-serve-static-core": ("express",), "@vue/runtime-core": ("vue",)}
# What is left out of a foreign name: where a module comes from, members that are what they belong to.
_SAME: Final = re.compile(r"^node:|\.(default|not|resolves|rejects)\b")
# Global types by what holds a value of them.
_HELD_IN: Final = {
    "nodejs.ProcessEnv": "process.env",
    "nodejs.Process": "process",
    "ImportMetaEnv": "import.meta.env",
}
# The body of an overloaded function has a binding whose value is not followed.
_DECLARING: Final = frozenset({Bind.FUNCTION, Bind.CLASS, Bind.ALIAS, Bind.NAMESPACE, Bind.OPAQUE})
# All that ``export * from "…"`` binds.
_PASSING: Final = frozenset({Bind.STAR, Bind.OPAQUE})
# Modules of Node, whose types are a package.
_OF_NODE: Final = re.compile(
    "node:.*|assert|async_hooks|buffer|child_process|cluster|console|crypto|dgram|dns|events|fs|http|http2|https|"
    "module|net|os|path|perf_hooks|process|querystring|readline|repl|stream|string_decoder|timers|tls|tty|url|"
    "util|v8|vm|worker_threads|zlib"
)


class EcmaRules(EcmaGlobals):
    """Modules are files; bare names are packages of the project, path mappings, or foreign."""

    constructors: ClassVar[tuple[str, ...]] = ("constructor",)
    members_of_all: ClassVar[frozenset[str]] = frozenset(constructors)
    new_names_constructors: ClassVar[bool] = True
    prototype: ClassVar[str] = "prototype"
    keeps_results: ClassVar[bool] = True
    renames_exports: ClassVar[bool] = True
    heirs_give_themselves: ClassVar[bool] = True
    reads_classes_as_instances: ClassVar[bool] = True
    body_names: ClassVar[bool] = False
    declared_members: ClassVar[bool] = True
    interfaces_promise: ClassVar[bool] = True
    function_types: ClassVar[bool] = True
    structural: ClassVar[bool] = True
    yields_entries: ClassVar[bool] = True
    foreign_wrappers: ClassVar[bool] = True
    adds_to_foreign: ClassVar[bool] = True
    stars_pass_imports: ClassVar[bool] = False
    types_beside_values: ClassVar[bool] = True
    keeps_empty: ClassVar[bool] = True
    open_namespaces: ClassVar[bool] = True

    # -- declarations of one thing in several files

    @property
    @from_files
    def _blocks(self) -> Sequence[tuple[Value, str, Value | None]]:
        """Each block of ``declare module "x"``, its name and the module of the project that it adds to."""
        found = []
        for path in sorted(self.project.files_naming(AUGMENTS)):
            links = self.project.links(path)
            for binding in links.bound.get(links.string_numbers.get(AUGMENTS, -1), ()):
                block = Value(MODULE, path, links.bindings[4][binding])
                name = links.imports[links.bindings[5][binding]].module
                found.append((block, name, self._written(path, name)))
        return found

    def _foreign(self, path: str, name: str) -> Value | None:
        """The nearest block that describes a foreign module; ``*`` in its name stands for anything."""
        described = [
            block
            for block, pattern, module in self._blocks
            if module is None and star_of(pattern, name) is not None and not self._is_module(block.path)
        ]
        return max(described, key=lambda block: _nearness(path, block.path), default=None)

    def lent(self, module: Value, name: str) -> Targets:
        """``export = X`` gives the members of a namespace X."""
        whole = WHOLE.decode()
        for target in self.project.module_member(module, whole) if name != whole else ():
            if isinstance(target, Symbol):
                around = Value(MODULE, target.path, target.scope)
                for label, scope in self._declared(around, Bind.NAMESPACE):
                    inner = Value(MODULE, target.path, scope)
                    if label == target.name and (found := self.project.module_member(inner, name)):
                        return found
        return super().lent(module, name)

    def additions(self, foreign: str) -> Sequence[Value]:
        added = self._added
        return added.get(_SAME.sub("", foreign), ()) if added else ()

    def added_package(self, foreign: str) -> tuple[str, str]:
        plain = _SAME.sub("", foreign) if self._added_packages else ""
        for package in self._added_packages:
            if plain == package or plain.startswith((f"{package}.", f"{package}/", f"@{package}/")):
                return package, plain.removeprefix(package)
        return "", ""

    @property
    @from_files
    def _added_packages(self) -> Sequence[str]:
        any_type = f".{ANY_TYPE}"
        return [name.removesuffix(any_type) for name in self._added or () if name.endswith(any_type)]

    @property
    @from_files
    def _added(self) -> dict[str, list[Value]]:
        """What the project adds to foreign packages: blocks by the module, members by the type.

        Types of a global namespace that is named like a package are parents of the package's own.
        """
        found: dict[str, list[Value]] = {}
        for block, name, module in self._blocks:
            if module is None and self._is_module(block.path):
                for package in (name, *_GIVEN_ON.get(name, ())):
                    found.setdefault(package, []).append(block)
                    for kind, members in self._declared(block, Bind.CLASS):
                        place = Value(CLASS, block.path, members)
                        for label in (kind, ANY_TYPE):
                            found.setdefault(f"{package}.{label}", []).append(place)
        for block in self._globals:
            for name, place in self._global_types(block):
                package = name.rpartition(".")[0]
                for label in (name, _HELD_IN.get(name, ""), f"{package}.{ANY_TYPE}" if package else ""):
                    found.setdefault(label, []).append(place)
        return found

    def _global_types(self, block: Value) -> Iterable[tuple[str, Value]]:
        """The types of a global block, those of a namespace below its name in small letters."""
        for kind, members in self._declared(block, Bind.CLASS):
            yield kind, Value(CLASS, block.path, members)
        for name, inner in self._declared(block, Bind.NAMESPACE):
            for kind, members in self._declared(Value(MODULE, block.path, inner), Bind.CLASS):
                yield f"{name.lower()}.{kind}", Value(CLASS, block.path, members)

    def types_apart(self, symbol: Symbol) -> bool:
        links = self.project.links(symbol.path)
        number = links.string_numbers.get(symbol.name, -1)
        bound = {
            links.bindings[2][b]: links.bindings[3][b] for b in links.names[symbol.scope].get(number, ())
        }
        values = {at for at, kind in bound.items() if kind in (Bind.VARIABLE, Bind.FUNCTION)}
        if symbol.scope or not values or TYPE_BINDS.isdisjoint(bound.values()):
            return False
        # A type is exported where it is declared, in a clause, or as the default.
        exports = (s for s in links.sites.get(number) if links.ops[s] >> ROLE_SHIFT == Role.EXPORT)
        named = any(links.pos[site] not in values for site in exports)
        forwarded = any(links.b[links.bindings[4][b]] == number for b in links.forwarding)
        return self._is_module(symbol.path) and not named and not forwarded

    def declares_again(self, symbol: Symbol, other: Symbol, kind: int) -> bool:
        """Overloads, a type and a value of one name, and parts of an interface, a namespace or a class."""
        return kind in _DECLARING or (kind == Bind.VARIABLE and self._is_type(other))

    def _is_type(self, symbol: Symbol) -> bool:
        links = self.project.links(symbol.path)
        bindings = links.names[symbol.scope].get(links.string_numbers.get(symbol.name, -1), ())
        return any(links.bindings[3][b] in TYPE_BINDS for b in bindings)

    def intrinsic(self, path: str, name: str) -> Iterable[Symbol]:
        return sorted(self._intrinsics, key=lambda s: -_nearness(path, s.path))

    @property
    @from_files
    def _intrinsics(self) -> Sequence[Symbol]:
        """The interfaces of the elements of JSX."""
        found = []
        for path in sorted(self.project.files_naming(_ELEMENTS)):
            links = self.project.links(path)
            for binding in links.bound.get(links.string_numbers.get(_ELEMENTS, -1), ()):
                if links.bindings[3][binding] == Bind.CLASS:
                    found.append(Symbol(path, links.bindings[0][binding], _ELEMENTS))
        return found

    def module(self, path: str, imported: Import) -> Value | None:
        return self._written(path, imported.module) or self._foreign(path, imported.module)

    def _written(self, path: str, name: str) -> Value | None:
        """The file that a module is written in."""
        name = name.split("?", 1)[0]
        folder = posixpath.dirname(path)
        if name.startswith(("./", "../", "/")) or name in (".", ".."):
            target = posixpath.join(folder, name)
            return self._found(self.file(target) or self._package_at(path, target) or self._built_at(target))
        if name.startswith("#"):
            return self._found(self._mapped(path, name) or self._private(path, name))
        found = self._mapped(path, name) or self._passed_on(path, name) or self._package(path, name)
        return self._found(found)

    def _found(self, path: str | None) -> Value | None:
        return file_module(path) if path is not None else None

    def file(self, target: str) -> str | None:
        """The source file that a path without or with a compiled ending means."""
        target = posixpath.normpath(target)
        if target.startswith("..") or target.startswith("/"):
            return None
        # As Node does it: what is linked is what the link leads to.
        found = self._file(self.project.followed(target))
        endings = () if found is not None else _ENDINGS
        linked = (self.project.followed(target + ending) for ending in endings)
        return found or next((path for path in linked if path in self.project.paths), None)

    def _file(self, target: str) -> str | None:
        paths = self.project.paths
        compiled = _COMPILED.search(target)
        if compiled:
            stem = target[: compiled.start()]
            for ending in (f".{compiled[1]}ts", ".tsx", f".d.{compiled[1]}ts"):
                if stem + ending in paths:
                    return stem + ending
        if target in paths:
            return target
        stem = "" if target == "." else target
        for ending in _ENDINGS:
            if stem and stem + ending in paths:
                return stem + ending
        for ending in _ENDINGS:
            index = posixpath.join(stem, "index" + ending)
            if index in paths:
                return index
        return None

    # -- tsconfig

    def _mapped(self, path: str, name: str) -> str | None:
        for mappings in self._configurations.mappings(posixpath.dirname(path), self._nuxt):
            for pattern, targets in mappings.patterns:
                filled = star_of(pattern, name)
                if filled is None:
                    continue
                for target in targets:
                    target = target.replace("*", filled, 1)
                    found = self.file(target)
                    whole = not mappings.by_node or target.endswith(_ENDINGS) or not self._is_esm(path)
                    if found is not None and (whole or self.project.assumes()):
                        return found
            found = self.file(posixpath.join(mappings.root, name)) if mappings.root is not None else None
            if found is not None:
                return found
        return None

    def _passed_on(self, path: str, name: str) -> str | None:
        """What a file that only passes on other modules takes, as they see it who map its package."""
        own = self._around(path)
        if own is None or any(kind not in _PASSING for kind in self.project.links(path).bindings[3]):
            return None
        label = str(self._manifests[own].get("name"))
        for manifest in self._mapping:
            if self._mapped(manifest, label) == path and (found := self._mapped(manifest, name)):
                return found
        return None

    @cached_property
    def _mapping(self) -> list[str]:
        """The manifests of packages that have path mappings of their own."""
        folders = (f for f in self._manifests if self._configurations.own_mappings(f, self._nuxt))
        return [posixpath.join(folder, "package.json") for folder in folders]

    def counts_nothing(self, path: str) -> tuple[bool, bool]:
        return self._configurations.counts_nothing(posixpath.dirname(path))

    @cached_property
    def _configurations(self) -> Configurations:
        return Configurations(self.project.text, self._package_folder)

    # -- packages

    @cached_property
    def _manifests(self) -> dict[str, dict[str, Any]]:
        """The package manifests of the project, by folder."""
        folders = {""}
        for path in self.project.paths:
            folder = posixpath.dirname(path)
            while folder and folder not in folders:
                folders.add(folder)
                folder = posixpath.dirname(folder)
        found = {}
        for folder in sorted(folders):
            manifest = read_json(self._manifest(folder))
            if manifest is not None:
                found[folder] = manifest
        return found

    @cached_property
    def _packages(self) -> dict[str, str]:
        named: dict[str, str] = {}
        for folder, manifest in self._manifests.items():
            if isinstance(manifest.get("name"), str):
                named.setdefault(manifest["name"], folder)
        return named

    def _package_folder(self, name: str) -> str | None:
        """The folder of a package; one of nothing but settings stands beside others and is named like it."""
        if name in self._packages:
            return self._packages[name]
        for beside in sorted({"", *(posixpath.dirname(folder) for folder in self._manifests)}):
            folder = posixpath.join(beside, name.rpartition("/")[2])
            manifest = read_json(self._manifest(folder))
            if manifest is not None and manifest.get("name") == name:
                return folder
        return None

    def _package(self, path: str, name: str) -> str | None:
        parts = name.split("/")
        count = 2 if name.startswith("@") else 1
        package = "/".join(parts[:count])
        folder = self._packages.get(package)
        if folder is None or not (self._is_linked(path, package, folder) or self.project.assumes()):
            return None
        rest = "/".join(parts[count:])
        return self._entry(path, folder, rest) if rest else self._main(path, folder)

    def _is_linked(self, path: str, name: str, folder: str) -> bool:
        """Whether a package that a file imports is the one in a folder: its own, or installed as a link."""
        own = self._around(path)
        if own is None or own == folder:
            return own == folder
        if (own, folder) not in self._links:
            self._links[own, folder] = self._installed(own, name) == self._manifest(folder)
        return self._links[own, folder]

    @cached_property
    def _links(self) -> dict[tuple[str, str], bool]:
        return {}

    def _has_package(self, own: str, other: str) -> bool:
        name = self._manifests[other].get("name")
        if not isinstance(name, str):
            return False
        mapped = self._mapped(posixpath.join(own, "package.json"), name) or ""
        return mapped.startswith(f"{other}/") or self._installed(own, name) == self._manifest(other)

    def _installed(self, own: str, name: str) -> str | None:
        """The manifest of what files of a package import by a name."""
        while True:
            found = self._manifest(posixpath.join(own, "node_modules", name))
            if found is not None or not own:
                return found
            own = posixpath.dirname(own)

    def is_absent(self, path: str, module: str) -> bool:
        if module.startswith((".", "/", "#")):
            return False
        parts = module.split("/")
        name = "/".join(parts[: 2 if module.startswith("@") else 1])
        own = self._around(path) or ""
        if (own, name) not in self._absent:
            plain = "node" if _OF_NODE.fullmatch(name) else name
            typed = f"@types/{plain.removeprefix('@').replace('/', '__')}"
            self._absent[own, name] = not (self._installed(own, name) or self._installed(own, typed))
        return self._absent[own, name]

    @cached_property
    def _absent(self) -> dict[tuple[str, str], bool]:
        return {}

    def _manifest(self, folder: str) -> str | None:
        return self.project.text(posixpath.join(folder, "package.json"))

    def _package_at(self, path: str, target: str) -> str | None:
        """What a package is, named by the folder it is in."""
        folder = posixpath.normpath(target)
        folder = "" if folder == "." else folder
        return self._main(path, folder) if folder in self._manifests else None

    def _around(self, path: str) -> str | None:
        """The folder of the package that a file belongs to."""
        first = folder = posixpath.dirname(path)
        if first not in self._folders:
            while folder and folder not in self._manifests:
                folder = posixpath.dirname(folder)
            self._folders[first] = folder if folder in self._manifests else None
        return self._folders[first]

    @cached_property
    def _folders(self) -> dict[str, str | None]:
        return {}

    def _choices(self, path: str, target: object) -> list[object]:
        """The files that an entry names, as a file loads it: a module of JavaScript requires nothing."""
        return choices(target, "require" if self._is_esm(path) else "")

    def _is_esm(self, path: str) -> bool:
        """Whether a file is a module of JavaScript by its ending or by its package."""
        package = self._around(path) if not path.endswith((".cts", ".cjs")) else None
        said = package is not None and self._manifests[package].get("type") == "module"
        return said or path.endswith((".mts", ".mjs"))

    def _main(self, path: str, folder: str) -> str | None:
        manifest = self._manifests[folder]
        named = self._choices(path, exported(manifest.get("exports"), "."))
        named += [manifest.get(key) for key in ("source", "types", "typings", "module", "main")]
        found = self._source(folder, named)
        if found is None and not any(isinstance(name, str) for name in named):
            found = self.file(posixpath.join(folder, "index"))
        return found or self._guessed(folder, ("src/index", "index", "source/index", "lib/index", "src/main"))

    def _guessed(self, folder: str, guesses: Iterable[str]) -> str | None:
        """The first file that is there, of those that an entry is usually built from."""
        found = (self.file(posixpath.join(folder, guess)) for guess in guesses)
        return next((path for path in found if path is not None and self.project.assumes()), None)

    def _entry(self, path: str, folder: str, rest: str) -> str | None:
        said = exported(self._manifests[folder].get("exports"), "./" + rest)
        found = self._source(folder, self._choices(path, said))
        if found is not None:
            return found
        if said is None and "exports" not in self._manifests[folder]:
            found = self.file(posixpath.join(folder, rest))
        return found or self._guessed(folder, (rest, f"src/{rest}", f"source/{rest}", f"lib/{rest}"))

    def _private(self, path: str, name: str) -> str | None:
        folder = self._around(path)
        if folder is None:
            return None
        return self._source(
            folder, self._choices(path, exported(self._manifests[folder].get("imports"), name))
        )

    def _source(self, folder: str, targets: list[object]) -> str | None:
        """The first file of the project among targets; then the source that one may be built from."""
        named = [target for target in targets if isinstance(target, str)]
        for target in named:
            found = self.file(posixpath.join(folder, target))
            if found is not None:
                return found
        built = (self._built_from(folder, target) for target in named)
        return next((path for path in built if path is not None and self.project.assumes()), None)

    def _built_from(self, folder: str, target: str) -> str | None:
        """``dist/a.js`` is built from ``src/a.ts``."""
        parts = [part for part in target.split("/") if part != "."]
        while parts and parts[0] in _BUILT:
            parts = parts[1:]
        stem = re.sub(r"(\.d)?\.[cm]?[jt]sx?$", "", "/".join(parts))
        for root in ("src", "source", "lib", ""):
            found = self.file(posixpath.join(folder, root, stem)) if stem else None
            if found is not None:
                return found
        return None

    def _built_at(self, target: str) -> str | None:
        """The source of a file in a folder that a build makes, which is none of the project's."""
        parts = posixpath.normpath(target).split("/")
        at = next((at for at, part in enumerate(parts) if part in _MADE_BY_BUILDS), len(parts))
        rest = "/".join(parts[at:] if parts[at + 1 :] else [*parts[at:], "index"])
        found = self._built_from("/".join(parts[:at]), rest) if at < len(parts) else None
        return found if found is not None and self.project.assumes() else None


def _nearness(path: str, other: str) -> int:
    """How much of the way to two files is the same."""
    return len(posixpath.commonprefix([path, other]))
