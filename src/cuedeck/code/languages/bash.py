"""Bash: how its syntax becomes facts."""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING, Any, ClassVar, Final

from cuedeck.code.facts import Bind, Import, Kind, Op, Role, ScopeKind
from cuedeck.code.languages.bash_repair import repaired
from cuedeck.code.languages.language import Language
from cuedeck.code.languages.open_rules import OpenRules
from cuedeck.code.languages.table import Declares, TableWalk, first_of
from cuedeck.code.resolution.rules import file_module
from cuedeck.code.resolution.values import Symbol, Targets, Value

if TYPE_CHECKING:
    from tree_sitter import Node

_LOADING: Final = ("source", ".")
# What runs the command that it is given; bats has one more.
_RUNNING: Final = ("trap", "eval")
# A file of tests for bats, which loads others by a command of its own.
_TEST: Final = re.compile(rb"^[ \t]*@test\b|^[ \t]*setup(?:_file)?[ \t]*\(\)", re.MULTILINE)
# A variable or a command at the head of a path, which most often is the script's own folder.
_FOLDER: Final = re.compile(r"^(?:\$\{[^}]*\}|\$\w+|\$\(.*\))/")


class BashWalk(TableWalk):
    """Visits shell scripts; a command's first word may be a function."""

    declarations: ClassVar[dict[str, Declares]] = {"function_definition": Declares(Kind.FUNCTION)}
    names_of: ClassVar[tuple[str, ...]] = ("variable_name",)
    silent: ClassVar[tuple[str, ...]] = ("comment", "word", "number")
    special: ClassVar[dict[str, str]] = {
        "command": "command",
        "variable_assignment": "assignment",
        "declaration_command": "declare_",
        "heredoc_body": "children",
    }

    def __init__(self, source: bytes, table: Any) -> None:
        super().__init__(source, table)
        is_test = _TEST.search(source) is not None
        self.loading = (*_LOADING, "load") if is_test else _LOADING
        self.running = (*_RUNNING, "run") if is_test else _RUNNING

    def command(self, node: Node, scope: int, role: int = 0) -> int:
        name = node.child_by_field_name("name")
        word = first_of(name) if name is not None else None
        arguments = node.children_by_field_name("argument")
        if word is not None and word.type == "word":
            text = self.text(word)
            if text in self.loading and arguments:
                number = self.imported(self.text(arguments[0]).strip("'\""), 1)
                self.row(Op.MODULE, number, 0, arguments[0].start_byte, Role.IMPORT)
                self.bind(0, self.intern(b"*"), node.start_byte, Bind.STAR, number)
            else:
                self.row(Op.NAME, scope, self.name(word), word.start_byte, Role.CALL)
                self.handed(text, arguments, scope)
        elif name is not None:
            self.visit(name, scope)
        for child in node.named_children:
            if child != name:
                self.visit(child, scope)
        return 0

    def handed(self, command: str, arguments: list[Node], scope: int) -> None:
        """The function that a command is told to run: ``trap clean EXIT``, ``complete -F _kit kit``."""
        words = [self.text(argument) for argument in arguments]
        if command == "complete":
            at = words.index("-F") + 1 if "-F" in words else len(words)
        elif command in self.running:
            at = next((n for n, word in enumerate(words) if word[:1] not in ("-", "!")), len(words))
        else:
            return
        if at < len(words) and arguments[at].type == "word":
            self.row(Op.NAME, scope, self.name(arguments[at]), arguments[at].start_byte, Role.READ)

    def declare_(self, node: Node, scope: int, role: int = 0) -> int:
        is_local = any(c.type == "local" for c in node.children)
        for child in node.named_children:
            if child.type == "variable_assignment":
                self.assignment(child, scope, int(is_local))
            elif child.type == "variable_name":
                self.bind(scope if is_local else 0, self.name(child), child.start_byte, Bind.VARIABLE)
            else:
                self.visit(child, scope)
        return 0

    def assignment(self, node: Node, scope: int, role: int = 0) -> int:
        name, given = node.child_by_field_name("name"), node.child_by_field_name("value")
        value = self.visit(given, scope) if given is not None else 0
        if name is not None and name.type == "variable_name":
            place = scope if role == 1 else 0
            kind = Kind.VARIABLE if self.scopes[scope].kind == ScopeKind.MODULE else ""
            self.assign(name, place, 0, value, kind, node)
        return 0


class BashRules(OpenRules):
    """How files of Bash see each other."""

    language: ClassVar[str] = "bash"
    endings: ClassVar[tuple[str, ...]] = (".sh", ".bash", ".bats", ".zsh", ".ksh")
    body_names: ClassVar[bool] = False

    def seen(self, path: str, name: str) -> Targets:
        """A script's own variables are seen by what it loads; exported ones, in capitals, by what it runs."""
        found = super().seen(path, name)
        if not name.islower():
            return found
        stems = self.loaded()
        return tuple(
            t
            for t in found
            if not isinstance(t, Symbol)
            or self.is_function(t)
            or _stem(t.path) in stems
            or _stem(path) in self.loads(t.path)
        )

    def is_function(self, symbol: Symbol) -> bool:
        links = self.project.links(symbol.path)
        bindings = links.names[symbol.scope].get(links.string_numbers.get(symbol.name, -1), ())
        return any(links.bindings[3][binding] == Bind.FUNCTION for binding in bindings)

    def module(self, path: str, imported: Import) -> Value | None:
        """The file that is loaded from the script's own folder on: ``load helper``, ``. "$HERE/a.sh"``."""
        named = posixpath.join(posixpath.dirname(path), _FOLDER.sub("", imported.module))
        place = posixpath.normpath(named)
        beside = next((place + end for end in ("", ".bash") if place + end in self.project.paths), "")
        return file_module(beside) if beside else super().module(path, imported)

    def loads(self, path: str) -> frozenset[str]:
        """The names of the files that a file loads, as far as they are written."""
        return frozenset(_stem(imported.module) for imported in self.project.links(path).imports)

    def loaded(self) -> frozenset[str]:
        """The names of the files that some file loads."""
        found: frozenset[str] = self.project.solve(
            ("loaded", self.language),
            lambda: frozenset(
                stem
                for path in self.project.files_naming("*")
                if self.reads(path)
                for stem in self.loads(path)
            ),
        )
        return found or frozenset()


def _stem(path: str) -> str:
    """The name of a file, without its folders and ending."""
    return path.rpartition("/")[2].partition(".")[0]


def _grammar() -> Any:
    import tree_sitter_bash

    return tree_sitter_bash.language()


def _repaired(source: bytes) -> bytes:
    return repaired(source, BASH)


BASH: Final[Language] = Language(
    "bash",
    _grammar,
    BashWalk,
    BashRules,
    comment="#",
    repair=_repaired,
)
