"""Facts while they are being collected, and the walk over a syntax tree that collects them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar, Final

from blake3 import blake3

from cuedeck.code.extraction.columns import across, columns, line_starts, ordered
from cuedeck.code.facts import (
    CALLABLE,
    CONTENT,
    ROLE_SHIFT,
    SHAPE,
    UNHASHED,
    Bind,
    Definition,
    Facts,
    Import,
    Links,
    Op,
    Outline,
    Scope,
    ScopeKind,
    Scopes,
)

if TYPE_CHECKING:
    from tree_sitter import Node

MAX_SIGNATURE: Final = 240
MAX_VARIABLE: Final = 80
MAX_SYMBOL_NAME: Final = 200
_ERROR_KIND: Final = 0xFFFF
_SPACE: Final = b" \t\r\n\f\v"

Handler = Callable[[Any, "Node", int, int], int]
Range = tuple[int, int]


class Strings(dict[bytes, int]):
    """The numbers of strings, each given when it is first asked for; ``texts`` has them in order."""

    def __init__(self) -> None:
        super().__init__({b"": 0})
        self.texts = [b""]

    def __missing__(self, text: bytes) -> int:
        number = self[text] = len(self.texts)
        self.texts.append(text)
        return number


@dataclass(slots=True)
class DraftScope:
    """What becomes a ``Scope`` when the walk is done."""

    kind: int
    parent: int
    owner: int
    definition: int = -1
    result: int = 0
    returns: int = 0
    bases: int = 0
    decorators: int = 0
    receiver: int = 0
    globals: int = 0
    ended: int = 0


_scope_values = attrgetter(*Scope._fields)


class Draft:
    """Collects rows in flat lists; positions are byte offsets plus ``base``."""

    def __init__(self, source: bytes) -> None:
        self.source = source
        self.base = 0
        # The namespace that the file says its symbols belong to.
        self.space = ""
        self.numbers = Strings()
        self.rows: list[int] = [Op.UNKNOWN, 0, 0, 0]
        self.lists: list[tuple[int, ...]] = [()]
        self.bound: list[int] = []
        self.scopes: list[DraftScope] = []
        self.imports: list[Import] = []
        # Definitions but for their lines, in the order of the walk.
        self.definitions: list[list[Any]] = []
        self.names: list[set[int]] = []

    def intern(self, text: bytes) -> int:
        """The number of a string."""
        return self.numbers[text]

    def name(self, node: Node) -> int:
        """The number of a node's text."""
        return self.numbers[self.source[node.start_byte : node.end_byte]]

    def text(self, node: Node) -> str:
        """A node's text."""
        return self.source[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def row(self, op: int, a: int, b: int = 0, pos: int | None = None, role: int = 0) -> int:
        """Add an expression; its number."""
        rows = self.rows
        number = len(rows) >> 2
        rows += (op | role << ROLE_SHIFT, a, b, (rows[-1] if pos is None else pos + self.base))
        return number

    def items(self, numbers: Sequence[int]) -> int:
        """Add a list of expressions; its number."""
        if not numbers:
            return 0
        self.lists.append(tuple(numbers))
        return len(self.lists) - 1

    def bind(self, scope: int, name: int, pos: int, kind: int, x: int = 0, y: int = 0) -> None:
        """Bind a name in a scope."""
        self.bound += (scope, name, pos + self.base, kind, x, y)
        self.names[scope].add(name)

    def scope(self, kind: int, parent: int, *, owner: int = -1) -> int:
        """Open a scope; its number."""
        self.scopes.append(DraftScope(kind, parent, owner))
        self.names.append(set())
        return len(self.scopes) - 1

    def imported(self, module: str, level: int = 0) -> int:
        """Add an imported module; its number."""
        self.imports.append(Import(module, level))
        return len(self.imports) - 1

    def definition_of(self, scope: int) -> int:
        """The definition a scope belongs to, or -1."""
        while scope >= 0:
            if self.scopes[scope].definition >= 0:
                return self.scopes[scope].definition
            scope = self.scopes[scope].parent
        return -1

    def define(
        self,
        kind: str,
        name: Node | tuple[int, int],
        whole: Node | tuple[int, int],
        around: int,
        *,
        own: int = -1,
        head: tuple[int, int] | None = None,
        doc: Node | None = None,
        within: str = "",
        parts: Sequence[Range] = (),
    ) -> int:
        """Record a symbol; its signature is read from ``head``, and ``parts`` tell whether it changed."""
        start, end = whole if isinstance(whole, tuple) else (whole.start_byte, whole.end_byte)
        name_start, name_end = name if isinstance(name, tuple) else (name.start_byte, name.end_byte)
        label = self.source[name_start:name_end]
        if not label or len(label) > MAX_SYMBOL_NAME:
            return -1
        content = shape = b""
        if kind not in UNHASHED:
            text = nameless = b""
            for first, last in parts or ((start, end),):
                part = self.source[first:last]
                text += part
                named = first <= name_start < last
                nameless += part[: name_start - first] + part[name_end - first :] if named else part
            content = blake3(text).digest(length=CONTENT)
            shape = blake3(nameless.translate(None, _SPACE)).digest(length=SHAPE)
        most = MAX_SIGNATURE if head or kind in CALLABLE else MAX_VARIABLE
        outer = self.definition_of(around)
        self.definitions.append(
            [
                label.decode("utf-8", "replace"),
                kind,
                outer,
                own,
                start,
                end,
                name_start,
                0,
                0,
                self.signature(head or (start, end), most),
                doc.start_byte if doc else 0,
                doc.end_byte if doc else 0,
                content,
                shape,
                within or (self.space if outer < 0 else ""),
            ]
        )
        number = len(self.definitions) - 1
        if own >= 0:
            self.scopes[own].definition = number
        return number

    def signature(self, head: Range, most: int) -> str:
        """The head of a definition on one line; of a long one the beginning, with a mark."""
        start, end = head
        looked_at = min(end, start + 2 * most)
        text = " ".join(self.heading(start, looked_at).decode("utf-8", "replace").split()).strip(" :{=;")
        if looked_at == end and len(text) <= most:
            return text
        return text[: most - 1].rstrip(" \N{REPLACEMENT CHARACTER}") + "…"

    def heading(self, start: int, end: int) -> bytes:
        """What is written there, without what belongs to no head."""
        return self.source[start:end]

    def finish(self, language: str, *, broken: bool) -> Facts:
        """The facts collected so far."""
        lines = line_starts(self.source)
        definitions, moved = ordered(self.definitions, lines, Definition)
        for scope in self.scopes:
            scope.definition = moved[scope.definition]
        ops, a, b, positions = columns(self.rows, "Biii")
        links = Links(
            _decoded(self.numbers.texts),
            ops,
            a,
            b,
            positions,
            tuple(self.lists),
            tuple(columns(self.bound, "iiiiii")),
            Scopes(across([*map(_scope_values, self.scopes)])),
            tuple(self.imports),
        )
        return Facts(Outline(language, len(self.source), lines, definitions, broken), links)


def _decoded(texts: Sequence[bytes]) -> tuple[str, ...]:
    """Texts as strings; in one go where they can be told apart afterwards."""
    joined = b"\0".join(texts)
    if joined.isascii() and joined.count(b"\0") == len(texts) - 1:
        return tuple(joined.decode().split("\0"))
    return tuple([text.decode("utf-8", "surrogateescape") for text in texts])


class Walk(Draft):
    """Visits a syntax tree; a language's subclass says what each kind of node means."""

    handlers: ClassVar[Mapping[str, str]] = {}

    def __init__(self, source: bytes, table: list[Handler]) -> None:
        super().__init__(source)
        self.table = table
        self.scope(ScopeKind.MODULE, -1)

    def visit(self, node: Node, scope: int, role: int = 0) -> int:
        """What a node evaluates to."""
        return self.table[node.kind_id](self, node, scope, role)

    def children(self, node: Node, scope: int, role: int = 0) -> int:
        """Visit everything inside a node that means nothing by itself."""
        table, nothing = self.table, Walk.nothing
        for child in node.named_children:
            handler = table[child.kind_id]
            if handler is not nothing:
                handler(self, child, scope, 0)
        return 0

    def only(self, node: Node, scope: int, role: int = 0) -> int:
        """A wrapper such as parentheses evaluates to its last part."""
        value = 0
        for child in node.named_children:
            value = self.table[child.kind_id](self, child, scope, role)
        return value

    def nothing(self, node: Node, scope: int, role: int = 0) -> int:
        """A comment or literal."""
        return 0

    def run(self, root: Node) -> bool:
        """Visit the whole tree; whether every part could be, however deep."""
        whole, complete = self.source, True
        for child in root.named_children:
            try:
                self.table[child.kind_id](self, child, 0, 0)
            except RecursionError:
                self.source, self.base, complete = whole, 0, False
        return complete


def handler_table(walk: type[Walk], grammar: Any) -> list[Handler]:
    """Which method of a walk handles each node kind of its grammar."""
    default: Handler = walk.children
    table: list[Handler] = []
    for number in range(grammar.node_kind_count):
        kind = grammar.node_kind_for_id(number)
        known = grammar.node_kind_is_named(number) and walk.handlers.get(kind)
        table.append(getattr(walk, known) if known else default)
    # The error node has the last number there is.
    return table + [default] * (_ERROR_KIND + 1 - len(table))


__all__ = ["Bind", "Draft", "Handler", "Range", "Walk", "handler_table", "line_starts"]
