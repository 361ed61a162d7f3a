"""Python: how its names are linked."""

from __future__ import annotations

import posixpath
import sys
from collections.abc import Collection, Iterable, Mapping
from functools import cached_property
from typing import ClassVar

from cuedeck.code.facts import OP_MASK, ROLE_SHIFT, Import, Links, Op, Role
from cuedeck.code.languages import python_packages
from cuedeck.code.languages.python_fixtures import Fixtures, handed_names, holds_tests
from cuedeck.code.languages.python_layout import ROOTS, Layout, read_layout
from cuedeck.code.languages.python_packages import Installed
from cuedeck.code.languages.python_types import LITERAL_TYPES, TELLING_TYPES
from cuedeck.code.resolution.rules import Rules, file_module, from_files
from cuedeck.code.resolution.values import (
    EXTERNAL,
    MODULE,
    PACKAGE,
    Symbol,
    Targets,
    Value,
    Values,
    elements,
    unique,
)

_BUILT_INS = "__builtins__.pyi"
_ALL = "__all__"
# As Python looks for a name: a package comes before the module beside it, and what runs before its stub.
_ENDINGS = ("/__init__.py", ".py", "/__init__.pyi", ".pyi")
# The standard library of every Python since 3.11, so that answers do not depend on which one gives them.
_REMOVED = (
    "aifc asynchat asyncore audioop cgi cgitb chunk crypt distutils imghdr imp lib2to3 mailcap msilib nis "
    "nntplib ossaudiodev pipes smtpd sndhdr spwd sunau telnetlib uu xdrlib"
)
_ADDED = "annotationlib compression"
_LIBRARY = frozenset(
    {name for name in sys.stdlib_module_names if not name.startswith("_")}
    | {*_REMOVED.split(), *_ADDED.split()}
)
# What type checkers bring along as if it were of the language.
_BROUGHT_ALONG = frozenset({"_typeshed", "mypy_extensions", "typing_extensions"})


class PythonRules(Rules):
    """Packages by ``__init__.py`` or folder, modules by dotted name from any plausible root."""

    keeps_results: ClassVar[bool] = True
    loads_modules: ClassVar[bool] = True
    transparent: ClassVar[frozenset[str]] = frozenset(
        {
            "Optional",
            "Union",
            "Annotated",
            "ClassVar",
            "Final",
            "Required",
            "NotRequired",
            "Awaitable",
            "Coroutine",
            "ReadOnly",
            "Unpack",
            "cached_property",
            "property",
        }
    )
    generators: ClassVar[frozenset[str]] = frozenset({"Generator"})
    guards: ClassVar[frozenset[str]] = frozenset({"TypeGuard", "TypeIs"})
    sequences: ClassVar[frozenset[str]] = frozenset(
        {
            "list",
            "List",
            "Iterable",
            "Sequence",
            "Iterator",
            "set",
            "Set",
            "frozenset",
            "FrozenSet",
            "Generator",
            "AsyncIterator",
            "AsyncGenerator",
            "AsyncIterable",
            "Collection",
            "deque",
            "Deque",
            "MutableSequence",
            "AbstractSet",
            "MutableSet",
            "Reversible",
            "Queue",
        }
    )
    mappings: ClassVar[frozenset[str]] = frozenset(
        {
            "dict",
            "Dict",
            "Mapping",
            "MutableMapping",
            "defaultdict",
            "DefaultDict",
            "OrderedDict",
        }
    )
    element_methods: ClassVar[frozenset[str]] = frozenset(
        {"get", "get_nowait", "pop", "setdefault", "popleft", "send", "asend", "__next__", "__anext__"}
    )
    container_methods: ClassVar[frozenset[str]] = frozenset({"copy"})
    property_decorators: ClassVar[frozenset[str]] = frozenset(
        {"property", "cached_property", "setter", "getter"}
    )
    overload_decorators: ClassVar[frozenset[str]] = frozenset({"overload"})
    field_decorators: ClassVar[frozenset[str]] = frozenset(
        {"attributes", "attrs", "dataclass", "dataclass_transform", "define", "frozen", "mutable", "s"}
    )
    field_classes: ClassVar[frozenset[str]] = frozenset(
        {
            "BaseModel",
            "BaseSettings",
            "GenericModel",
            "NamedTuple",
            "RootModel",
            "SQLModel",
            "Schema",
            "Struct",
            "TypedDict",
        }
    )
    stand_in: ClassVar[str] = "__getattr__"
    reader: ClassVar[str] = "__get__"
    waiter: ClassVar[str] = "__await__"
    rebinds_imports: ClassVar[bool] = True
    self_types: ClassVar[frozenset[str]] = frozenset({"Self"})
    linear_ancestors: ClassVar[bool] = True
    reads_in_order: ClassVar[bool] = True
    plain_types: ClassVar[frozenset[str]] = frozenset({"bool", "bytes", "complex", "float", "int", "str"})
    literal_types: ClassVar[Mapping[str, frozenset[str]]] = LITERAL_TYPES
    telling_types: ClassVar[frozenset[str]] = TELLING_TYPES
    typed_members_first: ClassVar[bool] = True
    callback_methods: ClassVar[frozenset[str]] = frozenset({"sort"})
    qualifiers: ClassVar[frozenset[str]] = frozenset({"Final", "ClassVar", "TypeAlias"})
    inherits_parameters: ClassVar[bool] = True
    tuple_arguments: ClassVar[bool] = True
    literal_forms: ClassVar[frozenset[str]] = frozenset({"Literal"})
    item_classes: ClassVar[frozenset[str]] = frozenset({"TypedDict"})
    enumerations: ClassVar[frozenset[str]] = frozenset(
        {"Enum", "IntEnum", "StrEnum", "ReprEnum", "Flag", "IntFlag"}
    )
    tuple_classes: ClassVar[frozenset[str]] = frozenset({"NamedTuple"})
    same_methods: ClassVar[frozenset[str]] = frozenset({"_replace", "model_copy"})
    making_methods: ClassVar[frozenset[str]] = frozenset(
        {"model_construct", "model_validate", "model_validate_json", "parse_obj", "parse_raw"}
    )
    type_variables: ClassVar[frozenset[str]] = frozenset({"TypeVar"})
    passing_calls: ClassVar[frozenset[str]] = frozenset(
        {"closing", "aclosing", "copy", "deepcopy", "shield", "nullcontext", "wait_for"}
    )
    foreign_types: ClassVar[Mapping[str, str]] = {"Future": "future", "Task": "future"}
    function_forms: ClassVar[Mapping[str, str]] = {"ReferenceType": "gives", "ref": "gives"}
    walking_calls: ClassVar[frozenset[str]] = frozenset(
        {"dropwhile", "filter", "filterfalse", "map", "reduce", "takewhile"}
    )
    library: ClassVar[Mapping[str, str]] = {
        ".create_task": "future",
        ".enter_async_context": "entered",
        ".enter_context": "entered",
        ".run_in_executor": "second outcome",
        ".run_until_complete": "awaited",
        ".submit": "submitted",
        "asyncio.as_completed": "elements",
        "asyncio.create_task": "future",
        "asyncio.ensure_future": "future",
        "asyncio.gather": "together",
        "asyncio.run": "awaited",
        "asyncio.to_thread": "outcome",
        "collections.defaultdict": "made",
        "concurrent.futures.as_completed": "elements",
        "dataclasses.replace": "same",
        "dict.fromkeys": "keyed",
        "functools.partial": "same",
        "functools.partialmethod": "same",
        "functools.reduce": "second element",
        "heapq.heappop": "element",
        "heapq.merge": "chained",
        "heapq.nlargest": "second elements",
        "heapq.nsmallest": "second elements",
        "itertools.accumulate": "elements",
        "itertools.batched": "groups",
        "itertools.chain": "chained",
        "itertools.chain.from_iterable": "inner",
        "itertools.combinations": "groups",
        "itertools.cycle": "elements",
        "itertools.dropwhile": "second elements",
        "itertools.filterfalse": "second elements",
        "itertools.groupby": "grouped",
        "itertools.islice": "elements",
        "itertools.pairwise": "groups",
        "itertools.permutations": "groups",
        "itertools.product": "zipped",
        "itertools.repeat": "repeated",
        "itertools.takewhile": "second elements",
        "itertools.tee": "groups",
        "itertools.zip_longest": "zipped",
        "random.choice": "element",
        "random.choices": "elements",
        "random.sample": "elements",
        "types.MappingProxyType": "same",
        "weakref.proxy": "same",
        "weakref.ref": "gives",
    }
    completing_calls: ClassVar[frozenset[str]] = frozenset({"functools.partial", "functools.partialmethod"})
    filling_calls: ClassVar[Mapping[str, str]] = {"parse_args": "namespace"}
    recording_calls: ClassVar[Mapping[str, str]] = {"raises": "value", "assertRaises": "exception"}
    maker: ClassVar[str] = "__new__"
    constructors: ClassVar[tuple[str, ...]] = ("__init__", "__new__")
    calls_name_constructors: ClassVar[bool] = True
    untyped_constructor: ClassVar[str] = "__init__"
    named_arguments: ClassVar[bool] = True

    @cached_property
    def layout(self) -> Layout:
        return read_layout(self.project.paths, self.project.text)

    @property
    def modules(self) -> dict[str, list[str]]:
        """Dotted name to the files it may mean, for every root a project may be run from."""
        return self.layout.modules

    @cached_property
    def folders(self) -> set[str]:
        """Dotted names that only folders stand for."""
        found: set[str] = set()
        for module in self.modules:
            parts = module.split(".")
            found.update(".".join(parts[:count]) for count in range(1, len(parts)))
        return found

    def module(self, path: str, imported: Import) -> Value | None:
        if imported.level:
            return self._relative(path, imported)
        known = imported.module.partition(".")[0] in _LIBRARY
        found = self._shadowing(imported.module, path) if known else self._absolute(imported.module, path)
        found = self._nearer(path, imported.module, found) if found is not None and not known else found
        folder = posixpath.dirname(path)
        if found is None or found.tag == PACKAGE:
            packaged = known and posixpath.join(folder, "__init__.py") in self.project.paths
            beside = posixpath.join(folder, *imported.module.split("."))
            found = (self._file(beside) if not packaged else None) or found
        found = found if found or known else self._above(path, imported.module)
        if found is None or self._is_foreign(found, imported.module):
            return None
        return found if self._is_on_path(path, imported.module, found) or self.project.assumes() else None

    def _is_on_path(self, path: str, dotted: str, found: Value) -> bool:
        """Whether imports in a file begin where a module was found, unless another package is installed.

        They do at the project's root, in its ``src`` and in the folders around the file.
        """
        stem = found.path.rsplit(".", 1)[0].removesuffix("/__init__")
        root = stem.removesuffix(dotted.replace(".", "/"))
        return found.tag != MODULE or root in ("", "src/", stem) or path.startswith(root)

    def _is_foreign(self, found: Value, name: str) -> bool:
        """Whether a file in some folder imports its own name, and so what is installed by it."""
        folder, base = posixpath.split(found.path)
        if found.tag != MODULE or base != f"{name}.py" or not folder or posixpath.basename(folder) in ROOTS:
            return False
        imports = self.project.links(found.path).imports
        return any(not each.level and each.module.partition(".")[0] == name for each in imports)

    def _nearer(self, path: str, dotted: str, found: Value) -> Value:
        """What a folder around a file has, before what stands at a root that the file is not below."""
        root = found.path.rsplit(".", 1)[0].removesuffix("/__init__")[: -len(dotted) - 1]
        if found.tag != MODULE or not root or root in ROOTS or path.startswith(root + "/"):
            return found
        near = self._above(path, dotted)
        if near is None or near.tag != MODULE:
            return found
        holder = near.path.rsplit(".", 1)[0].removesuffix("/__init__")[: -len(dotted) - 1]
        return found if posixpath.join(holder, "__init__.py") in self.project.paths else near

    def _above(self, path: str, dotted: str) -> Value | None:
        """What the nearest folder around a file has by a name that no root has."""
        folder = posixpath.dirname(path)
        while folder:
            folder = posixpath.dirname(folder)
            if folder in self.layout.namespaces:
                continue
            stem = posixpath.join(folder, *dotted.split("."))
            found = self._file(stem)
            if found is not None or (folder and stem.replace("/", ".") in self.folders):
                return found or Value(PACKAGE, stem.replace("/", "."))
        return None

    def is_unknown(self, name: str) -> bool:
        return name.partition(".")[0] not in _LIBRARY

    @cached_property
    def installed(self) -> Installed:
        return Installed(self.project.text, python_packages.packages_of_shell())

    def has_package(self, module: str) -> bool:
        package = module.partition(".")[0]
        return package in _LIBRARY or package in _BROUGHT_ALONG or self.installed.has(package)

    def is_loaded(self, path: str, space: Value, name: str, module: Value) -> bool:
        """Whether the package gives the module as a name, or the file imports it whole."""
        if space.tag == MODULE:
            if not _lies_in(space.path, name, module.path):
                return True
            links = self.project.links(space.path)
            named = links.string_numbers.get(name, -1) in links.names[space.scope]
            if named or any(each == Import(name, 1) for each in links.imports):
                return True
        absolute = (each for each in self.project.links(path).imports if not each.level)
        return any(self.module(path, each) == module for each in absolute)

    def _absolute(self, dotted: str, path: str = "") -> Value | None:
        if dotted in self.modules:
            return file_module(self._nearest(dotted, path))
        return Value(PACKAGE, dotted) if dotted in self.folders else None

    def _shadowing(self, dotted: str, path: str) -> Value | None:
        """The file that a name of the standard library means: one at a root that the asker stands below."""
        for candidate in self.modules.get(dotted, ()):
            stem = candidate.rsplit(".", 1)[0].removesuffix("/__init__")
            root = stem[: -len(dotted) - 1]
            if not root or root in ROOTS or path.startswith(root + "/"):
                return file_module(candidate)
        return None

    def _nearest(self, dotted: str, path: str) -> str:
        """Of the files that a dotted name may mean, the one at the root, else the nearest to who asks."""
        candidates = self.modules[dotted]
        if len(candidates) < 2 or not path:
            return candidates[0]
        folder = dotted.replace(".", "/")
        whole = [c for c in (folder + ending for ending in _ENDINGS) if c in candidates]
        shared = [len(posixpath.commonprefix((path.split("/"), c.split("/")))) for c in candidates]
        return whole[0] if whole else candidates[shared.index(max(shared))]

    def _relative(self, path: str, imported: Import) -> Value | None:
        folder = posixpath.dirname(path)
        for _ in range(imported.level - 1):
            folder = posixpath.dirname(folder)
        target = posixpath.join(folder, *imported.module.split(".")) if imported.module else folder
        return self._file(target) or self._folder(target)

    def _file(self, stem: str) -> Value | None:
        paths = self.project.paths
        candidates = [(stem + ending).removeprefix("/") for ending in _ENDINGS]
        for candidate in candidates:
            if candidate in paths:
                return file_module(candidate)
        for candidate in map(self.project.followed, candidates):
            if candidate in paths:
                return file_module(candidate)
        return None

    def _folder(self, folder: str) -> Value | None:
        """A folder without a module of its own."""
        for dotted in (folder.replace("/", "."), self.project.followed(folder).replace("/", ".")):
            if dotted in self.folders:
                return Value(PACKAGE, dotted)
        return None

    @cached_property
    def built_ins(self) -> frozenset[str]:
        """The stubs that say what a project adds to the names which every module sees."""
        return frozenset(path for path in self.project.paths if posixpath.basename(path) == _BUILT_INS)

    def ambient(self, path: str, name: str) -> Iterable[Value]:
        if not self.built_ins:
            return ()
        folders = ("", "typings", posixpath.dirname(path))
        stubs = (posixpath.join(folder, _BUILT_INS) for folder in folders)
        return [file_module(stub) for stub in stubs if stub in self.built_ins]

    def submodule(self, module: Value, name: str) -> Value | None:
        if module.tag == PACKAGE:
            return self._absolute(f"{module.path}.{name}")
        if module.tag == MODULE and module.path.endswith(("__init__.py", "__init__.pyi")):
            stem = posixpath.join(posixpath.dirname(module.path), name)
            return self._file(stem) or self._folder(stem)
        return None

    def lent(self, module: Value, name: str) -> Targets:
        """What the stub beside a module has, of which the module gets its names while it runs."""
        stub = module.path + "i"
        if not module.path.endswith(".py") or stub not in self.project.paths:
            return ()
        return self.project.module_member(file_module(stub), name)

    def star_gives(self, module: Value, name: str) -> bool:
        """What ``__all__`` lists; without one, or where that is put together, what is public."""
        if module.tag != MODULE:
            return True
        links = self.project.links(module.path)
        bound = links.names[0].get(links.string_numbers.get(_ALL, -1), ())
        if not name.startswith("_") and not (bound and self._is_whole(links, bound)):
            return True
        if not name.startswith("_") and self.project.trusts and _computes_more(links):
            return True
        sites = links.sites.get(links.string_numbers.get(name, -1))
        return any(links.ops[site] >> ROLE_SHIFT == Role.EXPORT for site in sites)

    def _is_whole(self, links: Links, bound: Iterable[int]) -> bool:
        """Whether the texts that are written behind ``__all__`` are all that it lists."""
        if not all(_is_added_list(links, site) for site in links.sites.get(links.string_numbers[_ALL])):
            return False
        values = [links.bindings[5][binding] for binding in bound]
        lists = [links.b[value] for value in values if links.ops[value] & OP_MASK == Op.TUPLE]
        return len(lists) == len(values) and not any(any(links.lists[each]) for each in lists)

    def is_guessed_at(self, path: str) -> bool:
        return self.is_called_by_names(path) or self.takes_computed(path)

    def takes_computed(self, path: str) -> bool:
        """Whether a file takes all names of a module of which some are listed only while it runs."""
        found: bool = self.project.solve(("computed", path), self._takes_computed, path)
        return found

    def _takes_computed(self, path: str) -> bool:
        links = self.project.links(path)
        stars = links.names[0].get(links.string_numbers.get("*", -1), ())
        modules = (self.module(path, links.imports[links.bindings[4][binding]]) for binding in stars)
        return any(
            _computes_more(self.project.links(module.path)) or self.takes_computed(module.path)
            for module in modules
            if module is not None and module.tag == MODULE
        )

    @staticmethod
    def names_sought(links: Links) -> Iterable[str]:
        return handed_names(links)

    def takers(self, symbol: Symbol, within: Collection[str]) -> Iterable[tuple[str, int]]:
        return Fixtures(self.project).takers(symbol, within)

    @cached_property
    def beside(self) -> dict[str, str]:
        """The stub beside a module, and the module beside a stub."""
        paths = self.project.paths
        stubs = [path for path in paths if path.endswith(".pyi") and path[:-1] in paths]
        return {**{stub[:-1]: stub for stub in stubs}, **{stub: stub[:-1] for stub in stubs}}

    @classmethod
    def checking(cls) -> type[Rules]:
        return StubRules

    @property
    def is_checked_apart(self) -> bool:
        return bool(self.beside)

    def is_stub(self, path: str) -> bool:
        return path.endswith(".pyi") and path in self.beside

    def twins(self, symbol: Symbol) -> Iterable[Symbol]:
        """What a stub and the module beside it call by one name, in the same class, is one thing."""
        path = self.beside.get(symbol.path)
        if path is None:
            return ()
        links, others = self.project.links(symbol.path), self.project.links(path)
        number = others.string_numbers.get(symbol.name, -1)
        within = links.strings[links.classes.get(symbol.scope, 0)] or None
        scopes = [n for n, name in others.classes.items() if others.strings[name] == within]
        scopes = scopes if symbol.scope else [0]
        return [Symbol(path, n, symbol.name) for n in scopes if number in others.names[n]]

    def declares_again(self, symbol: Symbol, other: Symbol, kind: int) -> bool:
        """A stub and the module beside it; what a module defines twice replaces the first."""
        return self.beside.get(symbol.path) == other.path

    @property
    @from_files
    def has_fixtures(self) -> bool:
        """Whether anybody uses pytest, by the name that everybody gives it."""
        return bool(self.project.files_naming("pytest"))

    def is_called_by_names(self, path: str) -> bool:
        return holds_tests(path) and self.has_fixtures

    def handed(self, parameter: Symbol) -> Values:
        """What a fixture gives or yields."""
        if not holds_tests(parameter.path):
            return ()
        fixtures = Fixtures(self.project).given(parameter)
        given = [value for fixture in fixtures for value in self.project.result(fixture)]
        return unique([part for value in given for part in (value, *elements(value))])

    def known_as(self, symbol: Symbol) -> Iterable[Value]:
        """Django gives out the names in capitals of a project's settings as those of one object."""
        parts = symbol.path.removesuffix(".py").split("/")
        if symbol.scope == 0 and symbol.name.isupper() and any("settings" in part for part in parts[-2:]):
            yield Value(EXTERNAL, f"django.conf.settings.{symbol.name}")

    def extensions(self, path: str, scope: int, name: str) -> Iterable[tuple[str, int]]:
        """What a stub says of a class that its module does not, and the other way round."""
        other = self.beside.get(path)
        if other is None:
            return ()
        links = self.project.links(other)
        number = links.string_numbers.get(name, -1)
        return [(other, each) for each, called in links.classes.items() if called == number]

    def told_beside(self, symbol: Symbol) -> Iterable[Symbol]:
        return self.twins(symbol) if symbol.path.endswith(".py") else ()

    def package_member(self, key: str, name: str) -> Targets:
        found = self._absolute(f"{key}.{name}")
        return (found,) if found else ()


def _lies_in(package: str, name: str, module: str) -> bool:
    """Whether a module is one of a package's own, under its own name: elsewhere only a name leads to it."""
    folder, _, file = package.rpartition("/")
    above, _, own = module.rsplit(".", 1)[0].removesuffix("/__init__").rpartition("/")
    is_near = posixpath.basename(above) == posixpath.basename(folder)
    return file.startswith("__init__.") and is_near and own == name


def _is_added_list(links: Links, site: int) -> bool:
    """Whether ``__all__`` is used to add a list to it: what is added was read just before."""
    adds = links.ops[site] == Op.NAME | Role.WRITE << ROLE_SHIFT
    added = links.ops[site - 1]
    return adds and (added & OP_MASK == Op.SEQUENCE or added == Op.TUPLE | Role.WRITE << ROLE_SHIFT)


def _computes_more(links: Links) -> bool:
    """Whether a list is added to ``__all__`` that does not consist of texts: ``+= [name for …]``."""
    sites = links.sites.get(links.string_numbers.get(_ALL, -1), ())
    return any(_is_added_list(links, site) and not _is_of_texts(links, site - 1) for site in sites)


def _is_of_texts(links: Links, value: int) -> bool:
    return links.ops[value] & OP_MASK == Op.TUPLE and not any(links.lists[links.b[value]])


class StubRules(PythonRules):
    """As type checkers read Python: whoever imports a module beside which a stub stands gets the stub."""

    def module(self, path: str, imported: Import) -> Value | None:
        return self._checked(super().module(path, imported))

    def submodule(self, module: Value, name: str) -> Value | None:
        return self._checked(super().submodule(module, name))

    def package_member(self, key: str, name: str) -> Targets:
        found = self._checked(self._absolute(f"{key}.{name}"))
        return (found,) if found else ()

    def _checked(self, found: Value | None) -> Value | None:
        if found is None or found.tag != MODULE or not found.path.endswith(".py"):
            return found
        stub = self.beside.get(found.path)
        return file_module(stub) if stub is not None else found

    def lent(self, module: Value, name: str) -> Targets:
        return ()

    def is_stub(self, path: str) -> bool:
        return False

    def twins(self, symbol: Symbol) -> Iterable[Symbol]:
        return ()

    def extensions(self, path: str, scope: int, name: str) -> Iterable[tuple[str, int]]:
        return ()
