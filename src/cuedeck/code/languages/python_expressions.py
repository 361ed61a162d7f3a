"""Python's expressions: how they become facts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from cuedeck.code.extraction.parsing import parse
from cuedeck.code.facts import ENDING, HELD, MANY, OP_MASK, ROLE_SHIFT, Bind, Op, Role, ScopeKind
from cuedeck.code.languages.python_flow import ASKING, PythonFlow
from cuedeck.code.languages.python_kinds import argument_kinds, literal_kinds

if TYPE_CHECKING:
    from tree_sitter import Node

_NAME: Final = Op.NAME
_ATTR: Final = Op.ATTR
_CALL: Final = Op.CALL
_ALTERNATIVES: Final = ("tuple", "list", "set")
_QUOTES: Final = b"\"'"
_KEYWORD: Final = Op.KEYWORD
_AROUND: Final = ("named_expression", "parenthesized_expression")
_WRITTEN: Final = Op.KEYWORD | Role.WRITE << ROLE_SHIFT
_LISTED: Final = Op.TUPLE | Role.WRITE << ROLE_SHIFT
_NAMED: Final = (Op.NAME, Op.ATTR)
# Calls that take types.
_TYPED: Final = frozenset({b"cast", b"TypeVar", b"NewType"})
# Generic types that are written as values too, with types in quotes inside.
_FORMS: Final = frozenset(
    b"Union Optional Callable List Dict Tuple Mapping Sequence Type Annotated Awaitable ClassVar Collection "
    b"Coroutine DefaultDict Deque Final FrozenSet Generator Iterable Iterator MutableMapping Set".split()
)
# Those that variables may be called too.
_BUILT_IN: Final = frozenset(b"dict frozenset list set tuple type".split())
# Functions that hand the elements of their first argument to their ``key``.
_ORDERING: Final = frozenset({b"sorted", b"min", b"max", b"groupby", b"nlargest", b"nsmallest"})
_GENERATORS: Final = (b"Generator", b"AsyncGenerator")
_MAX_ARGUMENTS: Final = 4
_MAX_ENTRIES: Final = 8
_MAX_PAIR: Final = 80
_MAX_QUOTED_ANNOTATION: Final = 400
# What a comment says of a variable, and of what a function takes and gives.
_REMARK: Final = re.compile(
    rb"[ \t]*#[ \t]*type:(?![ \t]*ignore\b)[ \t]*([^#\n]{1,400}?)[ \t]*(?:#[^\n]*)?(?=\n|\Z)"
)
_SIGNATURE: Final = re.compile(
    rb"#[ \t]*type:[ \t]*\(([^\n]{0,400})\)[ \t]*->[ \t]*([^#\n]{1,400}?)[ \t]*(?:#[^\n]*)?(?=\n|\Z)"
)
_BYTES: Final = re.compile(rb"[rR]?[bB]")
_MAX_KEY: Final = 80
_MAX_DIGITS: Final = 2


class PythonExpressions(PythonFlow):
    """Visits expressions; ``role`` TYPE marks annotations, in which strings are read as expressions."""

    def __init__(self, source: bytes, table: Any) -> None:
        super().__init__(source, table)
        kinds = argument_kinds(self.language())
        self.identifier_kind, self.keyword_kind, self.lambda_kind, self.arguments_kind = kinds[:4]
        self.list_splat_kind, self.dictionary_splat_kind = kinds[4:6]
        self.listing_kinds = kinds[6:]
        self.literal_kinds = literal_kinds(self.language())
        self.literals: dict[bytes, int] = {}
        # What the function gives that is being visited.
        self.results: list[int] = []
        # A name and its member by how both are written: their numbers, and where the member stands.
        self.pairs: dict[bytes, tuple[int, int, int]] = {}

    def name_target(self, target: Node, scope: int, value: int) -> None:
        """Bind what a target names, which alone is the definition."""
        raise NotImplementedError

    def identifier(self, node: Node, scope: int, role: int = 0) -> int:
        start = node.start_byte
        name = self.numbers[self.source[start : node.end_byte]]
        rows = self.rows
        number = len(rows) >> 2
        rows += (_NAME | role << ROLE_SHIFT, scope, name, start + self.base)
        return number

    def attribute(self, node: Node, scope: int, role: int = 0) -> int:
        start, end, rows, op = node.start_byte, node.end_byte, self.rows, _ATTR | role << ROLE_SHIFT
        made = len(rows) >> 2
        text = self.source[start:end] if end - start <= _MAX_PAIR else b""
        pair = self.pairs.get(text)
        if pair is not None:
            owner, name, offset = pair
            start += self.base
            rows += (_NAME, scope, owner, start, op, made, name, start + offset)
            return made + 1
        parts = node.children
        target, member = parts[0], parts[-1]
        value = self.table[target.kind_id](self, target, scope, 0)
        if self.tested and target.kind_id != self.identifier_kind:
            kinds = self.tested.get(self.source[start : target.end_byte], ())
            value = self.seen(value, kinds) if kinds else value
        at = member.start_byte
        name = self.numbers[self.source[at : member.end_byte]]
        if text and target.kind_id == self.identifier_kind:
            self.pairs[text] = rows[-2], name, at - start
        made = len(rows) >> 2
        rows += (op, value, name, at + self.base)
        return made

    def call(self, node: Node, scope: int, role: int = 0) -> int:
        parts = node.children
        table, rows, numbers = self.table, self.rows, self.numbers
        callee = table[parts[0].kind_id](self, parts[0], scope, Role.CALL)
        called = numbers.texts[rows[(callee << 2) + 2]] if rows[callee << 2] & 31 in _NAMED else b""
        inner = Role.TYPE if called in _TYPED else 0
        given: list[int] = []
        arguments = parts[-1]
        keyword, unpacked = self.keyword_kind, False
        if arguments.kind_id == self.arguments_kind:
            for child in arguments.named_children:
                kind = child.kind_id
                if kind == keyword:
                    pair = child.children
                    name, value = pair[0], pair[-1]
                    start = name.start_byte
                    text = self.source[start : name.end_byte]
                    number = numbers[text]
                    if value.kind_id == self.lambda_kind:
                        rows += (_KEYWORD, callee, number, start + self.base)
                        made = self.named_function(value, scope, called, callee, given)
                    else:
                        made = table[value.kind_id](self, value, scope, inner)
                        # What it is given stands right before it, if it is known.
                        known = made and made + 1 == len(rows) >> 2
                        rows += (_WRITTEN if known else _KEYWORD, callee, number, start + self.base)
                    if called == b"TypeVar" and text == b"bound":
                        given.append(made)
                elif kind != self.comment_kind:
                    # A type variable is first named in a string: that is no use of the name.
                    as_type = inner if given or called == b"cast" else 0
                    if kind == self.lambda_kind:
                        given.append(self.handed(child, scope, callee, len(given)))
                    else:
                        made = table[kind](self, child, scope, as_type)
                        given.append(made or self.literal(kind, child.start_byte))
                        if kind == self.list_splat_kind or kind == self.dictionary_splat_kind:
                            unpacked = True
        elif len(parts) > 1:
            given.append(self.visit(arguments, scope))
        if given and called[:2] in ASKING and arguments.kind_id == self.arguments_kind:
            self.asked(called, callee, arguments.named_children[0], scope, given)
        made = len(rows) >> 2
        told = MANY if unpacked else min(len(given), MANY)
        rows += (
            _CALL | told << ROLE_SHIFT,
            callee,
            self.items(given[:_MAX_ARGUMENTS]) if any(given) else 0,
            rows[-1],
        )
        return made

    def literal(self, kind: int, start: int) -> int:
        """The type of a literal, one row for all of a file; nothing for anything else."""
        name = self.literal_kinds.get(kind, b"")
        if not name:
            return 0
        if name == b"str" and _BYTES.match(self.source, start):
            name = b"bytes"
        made = self.literals.get(name, 0)
        if not made:
            made = self.literals[name] = self.row(Op.LITERAL, self.numbers[name])
        return made

    def texts(self, node: Node) -> int:
        """The text that is written somewhere, or several of which one is meant; nothing for anything else."""
        if node.type == "string":
            start, end = node.start_byte, node.end_byte
            plain = node.named_child_count == 3 and end - start <= _MAX_KEY and self.source[start] in _QUOTES
            return self.key(node, 0) if plain else 0
        if node.type not in _ALTERNATIVES:
            return 0
        parts = [self.texts(child) for child in node.named_children if child.type != "comment"]
        return self.row(Op.UNION, 0, self.items(parts)) if parts and all(parts) else 0

    def discriminate(self, member: Node, scope: int, texts: int, holds: bool) -> None:
        """``x.kind`` is one of some texts, or none of them: that tells which of several types x is of."""
        owner, name = member.named_children[0], member.named_children[-1]
        if owner.kind_id == self.identifier_kind:
            word = b"+equals " + self.source[name.start_byte : name.end_byte]
            self.tell(owner, scope, self.row(Op.TEST, texts, self.intern(word)), holds)

    def narrow(self, node: Node, scope: int, kind: int, *, of_class: bool = False) -> None:
        """After ``isinstance(x, T)`` the local ``x`` may be a T, and ``x.y`` after ``isinstance(x.y, T)``.

        After ``issubclass(x, T)`` it may be T itself.
        """
        row = kind << 2
        if self.rows[row] & 31 == Op.TUPLE:
            kind = self.row(Op.UNION, 0, self.rows[row + 2])
        while node.type in _AROUND:
            node = node.named_children[0]
        if node.type in ("attribute", "subscript"):
            text = self.source[node.start_byte : node.end_byte]
            tested = kind if of_class else self.row(Op.TYPED, kind)
            self.tested[text] = (*self.tested.get(text, ()), tested)
            return
        if node.type != "identifier":
            return
        name = self.name(node)
        while self.scopes[scope].kind == ScopeKind.BLOCK and name not in self.names[scope]:
            scope = self.scopes[scope].parent
        if self.scopes[scope].kind == ScopeKind.BLOCK:
            self.bind(scope, name, node.start_byte, Bind.VARIABLE, kind, kind)
            self.told.append((name, node.start_byte))
        elif self.scopes[scope].kind == ScopeKind.FUNCTION and name in self.names[scope]:
            # A hint that is the value too: what the variable was given still counts.
            self.bind(scope, name, node.start_byte, Bind.VARIABLE, 0 if of_class else kind, kind)
            self.told.append((name, node.start_byte))

    def subscript(self, node: Node, scope: int, role: int = 0) -> int:
        held = node.named_children[0]
        value = self.visit(held, scope, role if role == Role.EXTENDS else 0)
        named = self.last_name(value)
        if self.tested and held.kind_id != self.identifier_kind:
            kinds = self.tested.get(self.source[held.start_byte : held.end_byte], ())
            value = self.seen(value, kinds) if kinds else value
        as_type = role in (Role.TYPE, Role.EXTENDS) or named in _FORMS or (not scope and named in _BUILT_IN)
        inner = Role.TYPE if as_type and named != b"Literal" else 0
        given = [
            self.key(c, scope) if not inner else self.visit(c, scope, inner)
            for c in node.named_children[1:]
            if c.type != "comment"
        ]
        return self.row(Op.INDEX, value, self.items(given))

    def key(self, node: Node, scope: int) -> int:
        """What a value is asked for by: a short text or number as it is written."""
        parts = node.named_children
        if node.type == "type" and len(parts) == 1:
            return self.key(parts[0], scope)
        if node.type == "integer" and node.end_byte - node.start_byte <= _MAX_DIGITS:
            return self.row(Op.LITERAL, 0, self.name(node))
        if node.type != "string" or len(parts) != 3 or parts[1].type != "string_content":
            return self.visit(node, scope)
        start, end = parts[1].start_byte, parts[1].end_byte
        text = self.source[start:end]
        return self.row(Op.LITERAL, 0, self.numbers[b'"' + text]) if end - start <= _MAX_KEY else 0

    def sliced(self, node: Node, scope: int, role: int = 0) -> int:
        """An index that stands for many."""
        self.children(node, scope)
        return self.row(Op.SEQUENCE, 0)

    def generic_type(self, node: Node, scope: int, role: int = 0) -> int:
        parts = node.named_children
        value = self.visit(parts[0], scope, Role.TYPE)
        told = [d for c in parts[1:] for d in c.named_children]
        if self.last_name(value) == b"Literal":
            return self.row(Op.INDEX, value, self.items([self.key(d, scope) for d in told]))
        return self.row(Op.INDEX, value, self.items([self.visit(d, scope, Role.TYPE) for d in told]))

    def last_name(self, value: int) -> bytes:
        """The name that an expression is or ends with, if it is one."""
        base = value << 2
        return self.numbers.texts[self.rows[base + 2]] if self.rows[base] & 31 in _NAMED else b""

    def type(self, node: Node, scope: int, role: int = 0) -> int:
        value = 0
        for child in node.named_children:
            value = self.visit(child, scope, role or Role.TYPE)
        return value

    def member_type(self, node: Node, scope: int, role: int = 0) -> int:
        parts = node.named_children
        value = self.visit(parts[0], scope)
        return self.row(Op.ATTR, value, self.name(parts[-1]), parts[-1].start_byte, Role.TYPE)

    def union(self, node: Node, scope: int, role: int = 0) -> int:
        return self.row(
            Op.UNION, 0, self.items([self.visit(c, scope, Role.TYPE) for c in node.named_children])
        )

    def string(self, node: Node, scope: int, role: int = 0) -> int:
        if role == Role.TYPE:
            return self.quoted(node, scope)
        if node.named_child_count > 2:
            for child in node.named_children:
                if child.type == "interpolation":
                    self.children(child, scope)
        return 0

    def quoted(self, node: Node, scope: int) -> int:
        content = next((c for c in node.named_children if c.type == "string_content"), None)
        if content is None or content.end_byte - content.start_byte > _MAX_QUOTED_ANNOTATION:
            return 0
        return self.written_type(content.start_byte, content.end_byte, scope)

    def written_type(self, start: int, end: int, scope: int) -> int:
        """A type that is written in a text or a comment."""
        text = self.source[start:end]
        if b"\\" in text or not text.strip():
            return 0
        # Leading blanks would read as indentation; parentheses make the offset uniform.
        root, _ = parse(b"(" + text + b")", self.language())
        if root.has_error or root.named_child_count != 1:
            return 0
        kept = self.source, self.base
        self.source, self.base = b"(" + text + b")", start + self.base - 1
        value = self.only(root.named_children[0], scope, Role.TYPE)
        self.source, self.base = kept
        return value

    def remark_behind(self, end: int, scope: int) -> int:
        """The type that a comment behind an assignment says: ``x = []  # type: List[int]``."""
        found = _REMARK.match(self.source, end)
        return self.written_type(*found.span(1), scope) if found is not None else 0

    def remark_below(self, start: int, end: int, scope: int, inner: int) -> None:
        """What a comment below a function's head says that it takes and gives."""
        found = _SIGNATURE.search(self.source, start, end)
        if found is None:
            return
        self.scopes[inner].result = self.written_type(*found.span(2), scope)
        places = [at for at in range(0, len(self.bound), 6) if self.bound[at] == inner]
        taken = [at for at in places if self.bound[at + 3] in (Bind.PARAMETER, Bind.SELF)]
        said = self.written_type(found.start(1) - 1, found.end(1) + 1, scope)
        several = self.rows[4 * said] & OP_MASK == Op.TUPLE
        types = list(self.lists[self.rows[4 * said + 2]]) if several else [said]
        for at, of in zip(reversed(taken), reversed(types), strict=False):
            if self.bound[at + 3] == Bind.PARAMETER and not self.bound[at + 4]:
                self.bound[at + 4] = of

    def awaited(self, node: Node, scope: int, role: int = 0) -> int:
        return self.row(Op.AWAIT, self.only(node, scope))

    def yield_(self, node: Node, scope: int, role: int = 0) -> int:
        for child in node.named_children:
            value = self.visit(child, scope)
            if value:
                hands_on = node.children[1].type == "from"
                each = self.row(Op.ELEMENT, value) if hands_on else value
                self.results.append(self.row(Op.SEQUENCE, each))
                if hands_on:
                    return self.row(Op.ELEMENT, value, ENDING)
        return self.sent(scope)

    def sent(self, scope: int) -> int:
        """What a generator is sent, if its annotation says so."""
        while scope >= 0 and self.scopes[scope].kind != ScopeKind.FUNCTION:
            scope = self.scopes[scope].parent
        hint = (self.scopes[scope].result if scope >= 0 else 0) << 2
        if self.rows[hint] & 31 != Op.INDEX or self.last_name(self.rows[hint + 1]) not in _GENERATORS:
            return 0
        arguments = self.lists[self.rows[hint + 2]]
        return self.row(Op.TYPED, arguments[1]) if len(arguments) > 1 and arguments[1] else 0

    def named(self, node: Node, scope: int, role: int = 0) -> int:
        parts = node.named_children
        value = self.visit(parts[-1], scope)
        while self.scopes[scope].kind == ScopeKind.BLOCK:
            scope = self.scopes[scope].parent
        self.name_target(parts[0], scope, value)
        return value

    def handed(self, node: Node, scope: int, callee: int, position: int) -> int:
        """A function handed to another takes what that one's parameter says."""
        return self.anonymous(node, scope, expected=self.row(Op.ARGUMENT, callee, position))

    def wanted(self, node: Node, scope: int, kind: int) -> int:
        """A value of which a type is demanded: what functions without a name take is what that says."""
        parts = [child for child in node.named_children if child.kind_id != self.comment_kind]
        if node.type == "lambda":
            return self.anonymous(node, scope, expected=kind)
        if node.type == "dictionary":
            for pair in parts:
                if pair.type == "pair":
                    self.visit(pair.named_children[0], scope)
                    self.wanted(pair.named_children[-1], scope, self.row(Op.ELEMENT, kind, HELD))
                else:
                    self.visit(pair, scope)
        elif node.type in ("list", "tuple", "set"):
            for child in parts:
                self.wanted(child, scope, self.row(Op.ELEMENT, kind))
        else:
            return self.visit(node, scope)
        return 0

    def named_function(self, node: Node, scope: int, called: bytes, callee: int, given: list[int]) -> int:
        """A function that is handed by name, which was said last, takes what the parameter says.

        ``key=lambda x: …`` is handed each element of what is sorted, grouped or searched.
        """
        said, base, many = len(self.rows) - 4, callee << 2, 0
        if self.numbers.texts[self.rows[said + 2]] == b"key":
            many = self.rows[base + 1] if called == b"sort" and self.rows[base] & 31 == Op.ATTR else 0
            if called in (b"min", b"max") and len(given) > 1:
                return self.anonymous(node, scope, first=self.row(Op.UNION, 0, self.items(given)))
            if called in _ORDERING and given:
                many = given[0]
        if many:
            return self.anonymous(node, scope, first=self.row(Op.ELEMENT, many))
        return self.anonymous(node, scope, expected=said >> 2)

    def anonymous(self, node: Node, scope: int, role: int = 0, *, expected: int = 0, first: int = 0) -> int:
        inner = self.scope(ScopeKind.FUNCTION, scope, owner=self.scopes[scope].owner)
        parameters = node.child_by_field_name("parameters")
        if (
            parameters is not None
            and (expected or first)
            and all(c.type == "identifier" for c in parameters.named_children)
        ):
            for position, name in enumerate(parameters.named_children):
                taken = first if first else self.row(Op.ARGUMENT, expected, position)
                self.bind(inner, self.name(name), name.start_byte, Bind.PARAMETER, 0, taken)
        elif parameters is not None:
            self.parameters(parameters, scope, inner, None)
        body = node.child_by_field_name("body")
        value = self.visit(body, inner) if body is not None else 0
        self.scopes[inner].returns = self.items([value])
        return self.row(Op.FUNCTION, inner)

    def sequence(self, node: Node, scope: int, role: int = 0) -> int:
        return self.row(
            _LISTED if node.kind_id in self.listing_kinds else Op.TUPLE,
            0,
            self.items([self.visit(c, scope, role) for c in node.named_children if c.type != "comment"]),
        )

    def one_of(self, values: list[int]) -> int:
        """Any of some values."""
        return self.row(Op.UNION, 0, self.items(values)) if len(values) > 1 else sum(values)

    def splat(self, node: Node, scope: int, role: int = 0) -> int:
        """``*many`` among other things stands for what many holds."""
        value = self.only(node, scope)
        return self.row(Op.ELEMENT, value) if value else 0

    def mapping(self, node: Node, scope: int, role: int = 0) -> int:
        values: list[int] = []
        keys: list[int] = []
        for child in node.named_children:
            if child.type == "pair":
                pair = [self.visit(part, scope) for part in child.named_children] or [0]
                value = pair[-1]
                if pair[0] and len(keys) < _MAX_ENTRIES:
                    keys.append(pair[0])
            else:
                other = self.only(child, scope)
                value = self.row(Op.ELEMENT, other, HELD) if other else 0
            if value and len(values) < _MAX_ENTRIES:
                values.append(value)
        return self.row(Op.MAPPING, self.one_of(values), self.one_of(keys))

    def listed(self, name: bytes, value: Node, scope: int) -> None:
        """A list of names, if it is one that the language knows."""
        if name == b"__all__":
            self.exports(value, scope)
        elif name == b"__slots__" and self.scopes[scope].kind == ScopeKind.CLASS:
            self.slots(value, scope)

    def exports(self, node: Node, scope: int) -> None:
        for child in node.named_children:
            if child.type == "string":
                for content in child.named_children:
                    if content.type == "string_content":
                        self.row(Op.NAME, scope, self.name(content), content.start_byte, Role.EXPORT)

    def slots(self, node: Node, scope: int) -> None:
        owner = self.row(Op.SELF, scope)
        for child in [node] if node.type == "string" else node.named_children:
            content = next((c for c in child.named_children if c.type == "string_content"), None)
            if content is not None:
                self.row(Op.ATTR, owner, self.name(content), content.start_byte, Role.WRITE)

    def stray_keyword(self, node: Node, scope: int, role: int = 0) -> int:
        return self.visit(node.named_children[-1], scope, role)

    # -- parameters

    def parameters(
        self, node: Node, outer: int, inner: int, receiver: bool | None, *, promised: bool = False
    ) -> None:
        """Bind parameters; those of an overload that may be left out have a default, if an unknown one."""
        first = True
        for child in node.named_children:
            kind = child.type
            name: Node | None = None
            annotation = default = 0
            if kind == "identifier":
                name = child
            elif kind == "typed_parameter":
                name = child.named_children[0]
                hint = child.child_by_field_name("type")
                annotation = self.visit(hint, outer, Role.TYPE) if hint is not None else 0
                if name.type != "identifier":
                    wrapper = name
                    name = wrapper.named_children[0] if wrapper.named_child_count else None
                    annotation = self.rest(wrapper, annotation)
            elif kind in ("default_parameter", "typed_default_parameter"):
                name = child.child_by_field_name("name")
                value = child.child_by_field_name("value")
                hint = child.child_by_field_name("type")
                annotation = self.visit(hint, outer, Role.TYPE) if hint is not None else 0
                default = self.visit(value, outer) if value is not None else 0
                if promised and not default:
                    default = self.row(Op.UNKNOWN, 0)
            elif kind in ("list_splat_pattern", "dictionary_splat_pattern"):
                name = child.named_children[0] if child.named_child_count else None
                annotation = self.rest(child, 0) if promised else 0
            if name is None or name.type != "identifier":
                continue
            number = self.name(name)
            if first and receiver is not None and not kind.endswith("splat_pattern"):
                self.scopes[inner].receiver = number
                if not annotation:
                    self.bind(inner, number, name.start_byte, Bind.SELF, self.scopes[inner].owner, receiver)
                    first = False
                    continue
            first = False
            self.bind(inner, number, name.start_byte, Bind.PARAMETER, annotation, default)

    def rest(self, node: Node, element: int) -> int:
        """The type of what takes all further arguments, or all further keywords."""
        op = Op.SEQUENCE if node.type == "list_splat_pattern" else Op.MAPPING
        return self.row(op, self.row(Op.TYPED, element) if element else 0)
