"""Vue and Svelte: a component's scripts as TypeScript, with what its markup names."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Final

from cuedeck.code.facts import OP_MASK, Bind, Op
from cuedeck.code.languages.ecmascript_repair import repaired, rewritten
from cuedeck.code.languages.ecmascript_rules import EcmaRules
from cuedeck.code.languages.ecmascript_torn import closed
from cuedeck.code.languages.language import Language
from cuedeck.code.languages.markup import attributes, scripts, svelte, vue
from cuedeck.code.languages.typescript import TypeScriptWalk
from cuedeck.code.resolution.rules import file_module
from cuedeck.code.resolution.values import Value

if TYPE_CHECKING:
    from tree_sitter import Node

# A name that nobody can write, for what a component takes.
_PROPERTIES: Final = b"<properties>"


class ComponentWalk(TypeScriptWalk):
    """Visits what ``markup`` makes of a component."""

    special: ClassVar[dict[str, str]] = {**TypeScriptWalk.special, "with_statement": "each"}

    properties = 0  # what ``defineProps`` gives

    def __init__(self, source: bytes, table: Any) -> None:
        super().__init__(source, table)
        self.named: dict[int, int] = {}  # the expression of each name, by its place

    def run(self, root: Node) -> bool:
        complete = super().run(root)
        for tag, place, name in attributes(self.source):
            self.give_property(tag, place, name)
        if self.properties:
            self.bind(0, self.intern(_PROPERTIES), 0, Bind.VARIABLE, 0, self.properties)
            self.take_properties()
        return complete

    def give_property(self, tag: int, place: int, name: bytes) -> None:
        """``<Part size="1" />`` names the property that the component declares."""
        if component := self.named.get(tag):
            properties = self.row(Op.ATTR, component, self.intern(_PROPERTIES), tag)
            first, *others = name.split(b"-")
            self.row(Op.ATTR, properties, self.intern(first + _pascal(others)), place)

    def call(self, node: Node, scope: int, role: int = 0, *, expected: int = 0) -> int:
        made = super().call(node, scope, role, expected=expected)
        if self.source.startswith(b"defineProps", node.start_byte):
            self.properties = made
        return made

    def take_properties(self) -> None:
        """A template sees the component's properties by their bare names."""
        written = scripts(self.source)
        rows = self.rows
        for at in range(0, len(rows), 4):
            op, scope, name, place = rows[at : at + 4]
            if op & OP_MASK != Op.NAME or any(start <= place < end for start, end in written):
                continue
            while scope >= 0 and name not in self.names[scope]:
                scope = self.scopes[scope].parent
            if scope < 0 and not self.numbers.texts[name][:1].isupper():
                rows[at : at + 2] = op & ~OP_MASK | Op.ATTR, self.properties

    def reference(self, node: Node, scope: int, role: int = 0) -> int:
        """``<my-part>`` names ``MyPart``."""
        name = self.source[node.start_byte : node.end_byte]
        number = self.intern(_pascal(name.split(b"-")) if b"-" in name else name)
        self.named[node.start_byte] = made = self.row(Op.NAME, scope, number, node.start_byte, role)
        return made

    def for_in(self, node: Node, scope: int, role: int = 0) -> int:
        """A loop of a script, or ``v-for``, which has another word there."""
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if self.source.startswith(b"for", node.start_byte) or left is None or right is None:
            return super().for_in(node, scope, role)
        names = _sequence(left.named_children[0] if left.type == "parenthesized_expression" else left)
        return self.loop(node, scope, right, names)

    def each(self, node: Node, scope: int, role: int = 0) -> int:
        """``{#each}``: the source, its names, and behind the last of them the key like an argument."""
        source, *names = _sequence(node.named_children[0].named_children[0])
        if names and names[-1].type == "call_expression":
            name, *key = names[-1].named_children
            names[-1:] = [name]
            for child in key:
                self.visit(child, scope)
        return self.loop(node, scope, source, names)

    def loop(self, node: Node, scope: int, source: Node, names: list[Node]) -> int:
        """Bind in the block around it the elements of what a loop goes through, and their place."""
        value = self.visit(source, self.scopes[scope].parent)
        for position, name in enumerate(names):
            self.pattern(name, scope, self.row(Op.ELEMENT, value) if value and not position else 0, "", node)
        body = node.child_by_field_name("body")
        return self.visit(body, scope) if body is not None else 0


def _pascal(parts: list[bytes]) -> bytes:
    return b"".join(part[:1].upper() + part[1:] for part in parts)


def _sequence(node: Node) -> list[Node]:
    """The parts of an expression between commas."""
    if node.type != "sequence_expression":
        return [node]
    return [part for child in node.named_children for part in _sequence(child)]


class ComponentRules(EcmaRules):
    """What a component exports without saying so is the component, which is its file."""

    bare_owner: ClassVar[str] = _PROPERTIES.decode()

    def submodule(self, module: Value, name: str) -> Value | None:
        is_component = name in ("default", _stem(module.path))
        return module if is_component else super().submodule(module, name)

    def ambient(self, path: str, name: str) -> Iterable[Value]:
        """Frameworks import the components of a project by the names of their files."""
        return (*super().ambient(path, name), *map(file_module, self._components.get(name, ())))

    @cached_property
    def _components(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for path in self.project.paths:
            if path.endswith((".vue", ".svelte")):
                found.setdefault(_stem(path), []).append(path)
        return {name: paths for name, paths in found.items() if len(paths) == 1}


def _stem(path: str) -> str:
    return posixpath.basename(path).split(".")[0]


def _grammar() -> Any:
    import tree_sitter_typescript

    return tree_sitter_typescript.language_typescript()


VUE: Final = Language(
    "vue",
    _grammar,
    ComponentWalk,
    ComponentRules,
    repair=lambda source: repaired(vue(source)),
    close=closed,
    rewrite=lambda source: rewritten(vue(source)),
)
SVELTE: Final = Language(
    "svelte",
    _grammar,
    ComponentWalk,
    ComponentRules,
    repair=lambda source: repaired(svelte(source)),
    close=closed,
    rewrite=lambda source: rewritten(svelte(source)),
)
