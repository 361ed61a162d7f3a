"""C#: how its files see each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar, Final

from cuedeck.code.facts import Bind
from cuedeck.code.languages.open_rules import OpenRules, folders_shared
from cuedeck.code.resolution.values import Symbol, Targets, Value

# Under this name, which no source can use, a file says what it makes every file see.
GLOBAL_USING: Final = "global using"


class CSharpRules(OpenRules):
    """How files of CSharp see each other."""

    types_beside_members: ClassVar[bool] = True

    transparent: ClassVar[frozenset[str]] = frozenset({"Task", "ValueTask", "Nullable", "Expression"})
    sequences: ClassVar[frozenset[str]] = frozenset(
        {
            "List",
            "IList",
            "IEnumerable",
            "IAsyncEnumerable",
            "ICollection",
            "IReadOnlyList",
            "IReadOnlyCollection",
            "HashSet",
            "ISet",
            "Queue",
            "Stack",
        }
    )
    mappings: ClassVar[frozenset[str]] = frozenset(
        {"Dictionary", "IDictionary", "IReadOnlyDictionary", "ConcurrentDictionary"}
    )
    element_methods: ClassVar[frozenset[str]] = frozenset(
        {
            "First",
            "FirstOrDefault",
            "Single",
            "SingleOrDefault",
            "Last",
            "LastOrDefault",
            "ElementAt",
            "Dequeue",
            "Pop",
            "Peek",
            "Find",
            "FindLast",
            "MinBy",
            "MaxBy",
            "FirstAsync",
            "FirstOrDefaultAsync",
            "SingleAsync",
            "SingleOrDefaultAsync",
        }
    )
    container_methods: ClassVar[frozenset[str]] = frozenset(
        {
            "ToList",
            "ToArray",
            "Where",
            "OrderBy",
            "OrderByDescending",
            "ThenBy",
            "ThenByDescending",
            "AsEnumerable",
            "AsQueryable",
            "ToHashSet",
            "ToListAsync",
            "ToArrayAsync",
            "TakeWhile",
            "SkipWhile",
            "DistinctBy",
            "FindAll",
            "Append",
            "Prepend",
            "Union",
            "Except",
            "Intersect",
            "AsNoTracking",
            "Include",
            "Skip",
            "Take",
            "Distinct",
            "Concat",
            "Reverse",
        }
    )
    same_methods: ClassVar[frozenset[str]] = frozenset({"ConfigureAwait"})
    callback_methods: ClassVar[frozenset[str]] = frozenset(
        {
            "Where",
            "Select",
            "SelectMany",
            "Any",
            "All",
            "First",
            "FirstOrDefault",
            "Single",
            "SingleOrDefault",
            "Last",
            "LastOrDefault",
            "AnyAsync",
            "AllAsync",
            "FirstAsync",
            "FirstOrDefaultAsync",
            "SingleAsync",
            "SingleOrDefaultAsync",
            "OrderBy",
            "OrderByDescending",
            "ThenBy",
            "ThenByDescending",
            "GroupBy",
            "ToDictionary",
            "ToLookup",
            "Sum",
            "Min",
            "Max",
            "MinBy",
            "MaxBy",
            "Average",
            "Count",
            "TakeWhile",
            "SkipWhile",
            "DistinctBy",
            "ForEach",
            "Find",
            "FindAll",
            "FindIndex",
            "FindLast",
            "Exists",
            "RemoveAll",
            "RemoveWhere",
            "TrueForAll",
            "ConvertAll",
            "Include",
            "Sort",
        }
    )
    library_methods: ClassVar[frozenset[str]] = (
        element_methods
        | container_methods
        | callback_methods
        | {
            "Add",
            "AddRange",
            "Append",
            "AppendLine",
            "Clear",
            "CompareTo",
            "Contains",
            "CopyTo",
            "Dispose",
            "EndsWith",
            "Equals",
            "GetEnumerator",
            "GetHashCode",
            "GetType",
            "IndexOf",
            "Insert",
            "Join",
            "Remove",
            "Replace",
            "Split",
            "StartsWith",
            "Substring",
            "ToString",
            "Trim",
            "TryGetValue",
        }
    )
    comparing_methods: ClassVar[frozenset[str]] = frozenset({"Sort"})
    mapping_methods: ClassVar[frozenset[str]] = frozenset({"Select", "ConvertAll"})
    function_forms: ClassVar[Mapping[str, str]] = {
        "Func": "gives",
        "Converter": "gives",
        "Action": "takes",
        "Predicate": "takes",
        "Comparison": "compares",
    }
    class_constructors: ClassVar[bool] = True
    extension_methods: ClassVar[bool] = True
    reopened: ClassVar[bool] = True
    overloads: ClassVar[bool] = True
    text_type: ClassVar[str] = "string"
    any_types: ClassVar[frozenset[str]] = frozenset({"object"})
    language: ClassVar[str] = "csharp"
    endings: ClassVar[tuple[str, ...]] = (".cs",)
    bare_members: ClassVar[bool] = True
    bare_receivers: ClassVar[bool] = False
    open_namespaces: ClassVar[bool] = True

    def seen(self, path: str, name: str) -> Targets:
        """What a name means that neither the file nor its namespaces have: what every file sees."""
        spaces, declared = self.global_usings(), self.open_names(name)
        found = [s for s in declared if not spaces.isdisjoint(self.spaces(s.path) or ("",))]
        return self.nearest(path, found or [s for s in declared if self.is_akin(path, s.path)])

    def is_akin(self, path: str, other: str) -> bool:
        """Whether namespaces begin alike, as those of one product do: a project's file may add usings."""
        ours, theirs = ({space.split(".")[0] for space in self.spaces(file)} for file in (path, other))
        return not ours.isdisjoint(theirs)

    def lent(self, module: Value, name: str) -> Targets:
        """What other files of a file's namespaces, and of those around them, declare."""
        found = self.open_names(name)
        if not found:
            return ()
        for space in self.around(module.path):
            here = self.nearest(module.path, [s for s in found if space in self.spaces(s.path)])
            if here:
                return here
        return ()

    def inside(self, package: str, name: str) -> Targets:
        found = tuple(s for s in self.open_names(name) if package in self.spaces(s.path))[:4]
        outer, _, owner = package.rpartition(self.separator)
        return found or (self.nested(outer, owner, name) if owner != name else ())

    def nearest(self, path: str, found: list[Symbol]) -> Targets:
        """Of equal names in one namespace, which projects may have, those in the nearest folders."""
        depths = [folders_shared(path, symbol.path) for symbol in found]
        return tuple(s for s, depth in zip(found, depths, strict=True) if depth == max(depths))[:4]

    def spaces(self, path: str) -> tuple[str, ...]:
        """The namespaces that a file declares."""
        return tuple(self._noted(path, "namespace"))

    def around(self, path: str) -> list[str]:
        """A file's namespaces and those around them, the innermost first."""
        found: list[str] = []
        for space in self.spaces(path):
            parts = space.split(self.separator)
            found += [self.separator.join(parts[:count]) for count in range(len(parts), 0, -1)]
        return sorted(dict.fromkeys(found), key=len, reverse=True)

    def global_usings(self) -> frozenset[str]:
        """The namespaces that every file sees; files are not told apart by project."""
        found: frozenset[str] = self.project.solve(
            (GLOBAL_USING,),
            lambda: (
                frozenset(
                    space
                    for path in self.project.files_naming(GLOBAL_USING)
                    for space in self._noted(path, GLOBAL_USING)
                )
                | {""}
            ),
        )
        return found or frozenset({""})

    def _noted(self, path: str, name: str) -> Iterator[str]:
        links = self.project.links(path)
        for binding in links.names[0].get(links.string_numbers.get(name, -1), ()):
            if links.bindings[3][binding] == Bind.OPAQUE:
                yield links.imports[links.bindings[4][binding]].module
