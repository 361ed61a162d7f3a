"""Go: packages, modules and methods declared away from their type."""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import ClassVar, Final

from cuedeck.code.facts import OP_MASK, Import, Links, Op, ScopeKind
from cuedeck.code.resolution.embedding import names_sought
from cuedeck.code.resolution.rules import Rules, file_module
from cuedeck.code.resolution.values import PACKAGE, Symbol, Targets, Value

_MODULE: Final = re.compile(r"^[ \t]*module[ \t]+\"?([^\s\"]+)", re.MULTILINE)
_PACKAGE: Final = "go:"
_IMPORTS: Final = "go-imports:"
# How the walk marks a file's package clause among its imports.
PACKAGE_CLAUSE: Final = 1
# Interfaces of the standard library, which Go promises never to change.
_STANDARD: Final = {
    "any": (),
    "error": ("Error",),
    "fmt.Stringer": ("String",),
    "io.Reader": ("Read",),
    "io.Writer": ("Write",),
    "io.Closer": ("Close",),
    "io.Seeker": ("Seek",),
    "io.ReadWriter": ("Read", "Write"),
    "io.ReadCloser": ("Read", "Close"),
    "io.WriteCloser": ("Write", "Close"),
    "io.ReadWriteCloser": ("Read", "Write", "Close"),
    "io.ReaderAt": ("ReadAt",),
    "io.WriterTo": ("WriteTo",),
    "io.ReaderFrom": ("ReadFrom",),
    "net/http.Handler": ("ServeHTTP",),
    "net/http.RoundTripper": ("RoundTrip",),
    "net/http.ResponseWriter": ("Header", "Write", "WriteHeader"),
    "net/http.Flusher": ("Flush",),
    "sort.Interface": ("Len", "Less", "Swap"),
    "sync.Locker": ("Lock", "Unlock"),
    "fmt.GoStringer": ("GoString",),
    "fmt.Formatter": ("Format",),
    "fmt.State": ("Write", "Width", "Precision", "Flag"),
    "fmt.Scanner": ("Scan",),
    "io.ReadSeeker": ("Read", "Seek"),
    "io.ReadSeekCloser": ("Read", "Seek", "Close"),
    "io.WriteSeeker": ("Write", "Seek"),
    "io.ReadWriteSeeker": ("Read", "Write", "Seek"),
    "io.WriterAt": ("WriteAt",),
    "io.StringWriter": ("WriteString",),
    "io.ByteReader": ("ReadByte",),
    "io.ByteScanner": ("ReadByte", "UnreadByte"),
    "io.ByteWriter": ("WriteByte",),
    "io.RuneReader": ("ReadRune",),
    "io.RuneScanner": ("ReadRune", "UnreadRune"),
    "io/fs.FS": ("Open",),
    "io/fs.File": ("Stat", "Read", "Close"),
    "io/fs.FileInfo": ("Name", "Size", "Mode", "ModTime", "IsDir", "Sys"),
    "io/fs.DirEntry": ("Name", "IsDir", "Type", "Info"),
    "os.FileInfo": ("Name", "Size", "Mode", "ModTime", "IsDir", "Sys"),
    "os.Signal": ("String", "Signal"),
    "context.Context": ("Deadline", "Done", "Err", "Value"),
    "net.Addr": ("Network", "String"),
    "net.Conn": (
        *("Read", "Write", "Close", "LocalAddr", "RemoteAddr"),
        *("SetDeadline", "SetReadDeadline", "SetWriteDeadline"),
    ),
    "net.Error": ("Error", "Timeout", "Temporary"),
    "net.Listener": ("Accept", "Close", "Addr"),
    "net/http.CookieJar": ("SetCookies", "Cookies"),
    "net/http.FileSystem": ("Open",),
    "net/http.Hijacker": ("Hijack",),
    "net/http.Pusher": ("Push",),
    "hash.Hash": ("Write", "Sum", "Reset", "Size", "BlockSize"),
    "hash.Hash32": ("Write", "Sum", "Reset", "Size", "BlockSize", "Sum32"),
    "hash.Hash64": ("Write", "Sum", "Reset", "Size", "BlockSize", "Sum64"),
    "container/heap.Interface": ("Len", "Less", "Swap", "Push", "Pop"),
    "database/sql.Scanner": ("Scan",),
    "database/sql.Result": ("LastInsertId", "RowsAffected"),
    "database/sql/driver.Valuer": ("Value",),
    "encoding/gob.GobDecoder": ("GobDecode",),
    "encoding/gob.GobEncoder": ("GobEncode",),
    "encoding/xml.Marshaler": ("MarshalXML",),
    "encoding/xml.Unmarshaler": ("UnmarshalXML",),
    "log/slog.Handler": ("Enabled", "Handle", "WithAttrs", "WithGroup"),
    "log/slog.LogValuer": ("LogValue",),
    "image.Image": ("ColorModel", "Bounds", "At"),
    "flag.Value": ("String", "Set"),
    "flag.Getter": ("String", "Set", "Get"),
    "encoding.TextMarshaler": ("MarshalText",),
    "encoding.TextUnmarshaler": ("UnmarshalText",),
    "encoding.BinaryMarshaler": ("MarshalBinary",),
    "encoding.BinaryUnmarshaler": ("UnmarshalBinary",),
    "encoding/json.Marshaler": ("MarshalJSON",),
    "encoding/json.Unmarshaler": ("UnmarshalJSON",),
}

_SAME: Final = (
    *("sync.OnceFunc", "sync.OnceValue", "sync.OnceValues"),
    *("maps.All", "maps.Clone", "maps.Collect"),
)
# What functions of the standard library give of their arguments: see ``Library.library_call``.
_GIVING: Final = {
    **dict.fromkeys(_SAME, "same"),
    **{
        f"slices.{name}": "same"
        for name in (
            *("Clip", "Clone", "Compact", "CompactFunc", "Delete", "DeleteFunc"),
            *("Grow", "Insert", "Repeat", "Replace"),
        )
    },
    **{f"slices.{name}": "elements" for name in ("Collect", "Sorted", "SortedFunc", "SortedStableFunc")},
    **dict.fromkeys(("slices.Values", "maps.Keys"), "keyed"),
    **dict.fromkeys(("slices.All", "slices.Backward"), "counted"),
    "maps.Values": "held",
    **{f"slices.{name}": "element" for name in ("Max", "MaxFunc", "Min", "MinFunc")},
    "slices.Concat": "all",
}


class GoRules(Rules):
    """A package is the files of a folder that name it; tests may be a package of their own."""

    keeps_results: ClassVar[bool] = True
    body_names: ClassVar[bool] = False
    reads_in_order: ClassVar[bool] = True
    function_types: ClassVar[bool] = True
    receivers_name_parameters: ClassVar[bool] = True
    declared_first: ClassVar[bool] = True
    walks_functions: ClassVar[bool] = True
    results_fill_parameters: ClassVar[bool] = True
    literal_keys: ClassVar[bool] = True
    implicit_interfaces: ClassVar[bool] = True
    # What the standard library walks over: values, or keys with values.
    mappings: ClassVar[frozenset[str]] = frozenset({"Seq", "Seq2"})
    # What ``atomic.Pointer`` holds.
    element_methods: ClassVar[frozenset[str]] = frozenset({"Load", "Swap"})
    library: ClassVar[Mapping[str, str]] = _GIVING
    foreign_interfaces: ClassVar[Mapping[str, tuple[str, ...]]] = _STANDARD

    @staticmethod
    def names_sought(links: Links) -> Iterable[str]:
        return names_sought(links)

    @cached_property
    def _folders(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = defaultdict(list)
        for path in self.project.paths:
            if path.endswith(".go"):
                found[posixpath.dirname(path)].append(path)
        return dict(found)

    @cached_property
    def _modules(self) -> dict[str, list[str]]:
        """The folders of every module, by the path that ``go.mod`` gives it."""
        folders = {""}
        for folder in self._folders:
            while folder and folder not in folders:
                folders.add(folder)
                folder = posixpath.dirname(folder)
        found: dict[str, list[str]] = defaultdict(list)
        for folder in sorted(folders):
            match = _MODULE.search(self.project.text(posixpath.join(folder, "go.mod")) or "")
            if match:
                found[match[1]].append(folder)
        return dict(found)

    def _clause(self, path: str) -> str:
        """The package that a file says it belongs to."""
        imports = self.project.links(path).imports
        return next((i.module for i in imports if i.level == PACKAGE_CLAUSE), "")

    def _key(self, path: str) -> str:
        outside = path.endswith("_test.go") and self._clause(path).endswith("_test")
        return f"{_PACKAGE}{posixpath.dirname(path)}{':test' if outside else ''}"

    def _files(self, key: str) -> list[str]:
        folder, _, test = key.removeprefix(_PACKAGE).partition(":")
        files = self._folders.get(folder, [])
        if test:
            return [f for f in files if f.endswith("_test.go") and self._key(f) == key]
        return [f for f in files if not f.endswith("_test.go") or self._key(f) == key]

    def module(self, path: str, imported: Import) -> Value | None:
        if imported.level == PACKAGE_CLAUSE:
            return None
        name, rest = imported.module, ""
        while True:
            if name in self._modules:
                folder = posixpath.join(self._module_seen(path, name), rest).rstrip("/")
                return Value(PACKAGE, _PACKAGE + folder) if folder in self._folders else None
            if "/" not in name:
                break
            name, last = name.rsplit("/", 1)
            rest = f"{last}/{rest}" if rest else last
        vendored = posixpath.join("vendor", imported.module)
        return Value(PACKAGE, _PACKAGE + vendored) if vendored in self._folders else None

    def _module_seen(self, path: str, name: str) -> str:
        """Of modules of one name (``module main`` in every example) the one around a file."""
        folders = self._modules[name]
        around = [folder for folder in folders if path.startswith(f"{folder}/")]
        return max(around, key=len, default=folders[0])

    def package_member(self, key: str, name: str) -> Targets:
        if key.startswith(_IMPORTS):
            return self._imported_as(key.removeprefix(_IMPORTS), name)
        if not key.startswith(_PACKAGE):
            return ()
        naming = set(self.project.files_naming(name))
        found: list[Symbol] = []
        for path in self._files(key):
            if path in naming:
                members = self.project.module_member(file_module(path), name)
                # What a file imports is its own affair.
                found += [m for m in members if isinstance(m, Symbol) and m.path == path]
        return tuple(found)

    def _imported_as(self, path: str, name: str) -> Targets:
        """A package that is called differently from the last part of its path."""
        for imported in self.project.links(path).imports:
            package = self.module(path, imported)
            files = self._files(package.path) if package is not None else []
            if package is not None and files and self._clause(files[0]) == name:
                return (package,)
        return ()

    def is_copy(self, path: str) -> bool:
        return "/vendor/" in f"/{path}"

    def ambient(self, path: str, name: str) -> Iterable[Value]:
        return (Value(PACKAGE, self._key(path)), Value(PACKAGE, _IMPORTS + path))

    def extensions(self, path: str, scope: int, name: str) -> Iterable[tuple[str, int]]:
        if self.project.links(path).scopes[scope].parent != 0:
            return ()
        key = self._key(path)
        methods = self.project.solve(("go", key), self._methods, key)
        return methods.get(name, ()) if methods else ()

    def variants(self, member: Symbol) -> Iterable[Symbol]:
        # A package declares a method twice only for builds that leave one of them out.
        links = self.project.links(member.path)
        row = links.scopes[member.scope]
        if row.kind != ScopeKind.EXTENSION or not row.result:
            return ()
        key = self._key(member.path)
        again = self.project.solve(("go-again", key), self._declared_again, key)
        declared = again.get((_receiver(links, row.result), member.name), ()) if again else ()
        return (other for other in declared if other != member)

    def _declared_again(self, key: str) -> dict[tuple[str, str], list[Symbol]]:
        """Methods that a package declares in several files, by the name of their type and their own."""
        found: dict[tuple[str, str], list[Symbol]] = defaultdict(list)
        for receiver, places in (self.project.solve(("go", key), self._methods, key) or {}).items():
            for path, scope in places:
                links = self.project.links(path)
                for number in links.names[scope]:
                    name = links.strings[number]
                    found[receiver, name].append(Symbol(path, scope, name))
        return {method: symbols for method, symbols in found.items() if len(symbols) > 1}

    def _methods(self, key: str) -> dict[str, list[tuple[str, int]]]:
        """Where a package declares methods, by the name of their type."""
        found: dict[str, list[tuple[str, int]]] = defaultdict(list)
        for file in self._files(key):
            links = self.project.links(file)
            for number, row in enumerate(links.scope_rows()):
                if row.kind == ScopeKind.EXTENSION and row.result:
                    found[_receiver(links, row.result)].append((file, number))
        return found


def _receiver(links: Links, number: int) -> str:
    """The name of a receiver's type, without its type arguments."""
    while links.ops[number] & OP_MASK == Op.INDEX:
        number = links.a[number]
    return links.strings[links.b[number]] if links.ops[number] & OP_MASK == Op.NAME else ""
