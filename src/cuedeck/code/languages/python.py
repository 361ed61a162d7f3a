"""Python: how its syntax becomes facts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Final

from cuedeck.code.facts import INSTANCE, Bind, Kind, Op, Role, ScopeKind
from cuedeck.code.languages.grouped import assigned
from cuedeck.code.languages.language import Language
from cuedeck.code.languages.python_patterns import PythonPatterns
from cuedeck.code.languages.python_repair import closed
from cuedeck.code.languages.python_rules import PythonRules

if TYPE_CHECKING:
    from tree_sitter import Node

_SPLATS: Final = ("list_splat_pattern", "list_splat")
# Annotations that say nothing of a value by themselves.
_BARE: Final = (b"TypeAlias", b"Final", b"ClassVar")
_CLASS_METHODS: Final = frozenset({b"__new__", b"__init_subclass__", b"__class_getitem__"})


class PythonWalk(PythonPatterns):
    """Visits Python; ``role`` TYPE marks annotations, in which strings are read as expressions."""

    handlers: ClassVar[dict[str, str]] = {
        "identifier": "identifier",
        "attribute": "attribute",
        "call": "call",
        "subscript": "subscript",
        "slice": "sliced",
        "generic_type": "generic_type",
        "type": "type",
        "member_type": "member_type",
        "union_type": "union",
        "string": "string",
        "concatenated_string": "children",
        "parenthesized_expression": "only",
        "binary_operator": "binary",
        "boolean_operator": "boolean",
        "conditional_expression": "conditional",
        "await": "awaited",
        "named_expression": "named",
        "lambda": "anonymous",
        "list_comprehension": "comprehension",
        "set_comprehension": "comprehension",
        "generator_expression": "comprehension",
        "dictionary_comprehension": "comprehension",
        "list": "sequence",
        "tuple": "sequence",
        "set": "sequence",
        "expression_list": "sequence",
        "dictionary": "mapping",
        "list_splat": "splat",
        "keyword_argument": "stray_keyword",
        "assignment": "assignment",
        "augmented_assignment": "augmented",
        "function_definition": "function",
        "class_definition": "class_",
        "decorated_definition": "decorated",
        "import_statement": "import_",
        "import_from_statement": "import_from",
        "future_import_statement": "nothing",
        "global_statement": "global_",
        "nonlocal_statement": "children",
        "if_statement": "if_",
        "elif_clause": "elif_",
        "return_statement": "return_",
        "yield": "yield_",
        "for_statement": "for_",
        "while_statement": "loop",
        "assert_statement": "assert_",
        "with_item": "with_item",
        "with_statement": "surely",
        "finally_clause": "surely",
        "try_statement": "try_",
        "block": "block",
        "not_operator": "not_",
        "unary_operator": "unary",
        "comparison_operator": "comparison",
        "except_clause": "except_",
        "except_group_clause": "except_",
        "as_pattern": "as_pattern",
        "match_statement": "match",
        "case_clause": "case",
        "case_pattern": "case_pattern",
        "class_pattern": "class_pattern",
        "union_pattern": "union_pattern",
        "splat_pattern": "splat_pattern",
        "type_alias_statement": "type_alias",
        "comment": "nothing",
        "integer": "nothing",
        "float": "nothing",
        "true": "nothing",
        "false": "nothing",
        "none": "nothing",
        "ellipsis": "nothing",
        "pass_statement": "nothing",
        "break_statement": "nothing",
        "continue_statement": "nothing",
        "format_specifier": "children",
        "type_conversion": "nothing",
    }

    def __init__(self, source: bytes, table: Any) -> None:
        super().__init__(source, table)
        self.globals: dict[int, set[int]] = {}
        # By scope and name: -1, or one more than the number of what a function defines elsewhere.
        self.defined: dict[tuple[int, int], int] = {}
        self.whole: tuple[int, int] | None = None
        self.giving: Node | None = None  # the assignment whose targets are bound
        self.substitutes: list[int] = []  # where a module catches exceptions, as its scope keeps it
        self.remarks = b"# type:" in source  # comments may say what things are

    def language(self) -> Language:
        return PYTHON

    # -- assignment

    def assign(self, target: Node, scope: int, annotation: int, value: int) -> None:
        kind = target.type
        if kind == "identifier":
            name = self.name(target)
            if self.owners:
                self.outdate(self.source[target.start_byte : target.end_byte])
            place = self.home(name, scope)
            if self.checked and (place, name) in self.checked:
                annotation = value = 0
            self.bind(place, name, target.start_byte, Bind.VARIABLE, annotation, value)
            if self.settled:
                self.settle(name, place, target.start_byte)
            if self.whole is not None:
                self.define_variable(target, place, name, lent=place != scope)
        elif kind == "attribute":
            self.assign_attribute(target, scope, annotation, value)
        elif kind in ("pattern_list", "tuple_pattern", "list_pattern", "tuple", "list", "expression_list"):
            rest = False
            for position, child in enumerate(target.named_children):
                rest = rest or child.type in _SPLATS
                part = 0
                if value:
                    part = self.row(Op.ELEMENT, value) if rest else self.row(Op.ITEM, value, position)
                self.assign(child, scope, 0, self.row(Op.SEQUENCE, part) if child.type in _SPLATS else part)
        elif kind in ("parenthesized_expression", "as_pattern_target", *_SPLATS):
            for child in target.named_children:
                self.assign(child, scope, annotation, value)
        else:
            self.visit(target, scope)
            if kind == "subscript":
                self.keep(self.source[target.start_byte : target.end_byte], value)

    def home(self, name: int, scope: int) -> int:
        """Where a name is bound that a scope gives a value: the module, if it is declared global."""
        return 0 if name in self.globals.get(scope, ()) else scope

    def assign_attribute(self, target: Node, scope: int, annotation: int, value: int) -> None:
        parts = target.named_children
        owner, name_node = parts[0], parts[-1]
        receiver = self.visit(owner, scope)
        self.keep(self.source[target.start_byte : target.end_byte], value)
        name = self.name(name_node)
        self.row(Op.ATTR, receiver, name, name_node.start_byte, Role.WRITE)
        if owner.type == "identifier":
            holder = self.receiver_class(self.name(owner), scope)
            if holder >= 0:
                known = name in self.names[holder]
                self.bind(holder, name, name_node.start_byte, Bind.VARIABLE | INSTANCE, annotation, value)
                if not known:
                    self.define(Kind.FIELD, name_node, self.whole or target, holder)

    def receiver_class(self, name: int, scope: int) -> int:
        while scope >= 0:
            around = self.scopes[scope]
            if around.kind == ScopeKind.FUNCTION and around.receiver == name:
                return around.owner
            if name in self.names[scope] or around.kind == ScopeKind.CLASS:
                return -1
            scope = around.parent
        return -1

    def define_variable(self, target: Node, scope: int, name: int, *, lent: bool) -> None:
        """Define what is assigned; where a function does so first that says ``global``, the module's own."""
        kind = self.scopes[scope].kind
        known = self.defined.get((scope, name))
        if known == -1 or (known and lent) or kind not in (ScopeKind.MODULE, ScopeKind.CLASS) or self.base:
            return
        plain = Kind.CONSTANT if self.text(target).isupper() else Kind.VARIABLE
        label = Kind.FIELD if kind == ScopeKind.CLASS else plain
        parts = assigned(self.giving, target.start_byte) if label != Kind.FIELD else ()
        made = self.define(label, target, self.whole or target, scope, parts=parts)
        if known:
            self.definitions[known - 1] = self.definitions.pop()
        self.defined[scope, name] = made + 1 if lent else -1

    def assignment(self, node: Node, scope: int, role: int = 0) -> int:
        parts = node.children
        left: Node | None
        right: Node | None
        begun = len(self.rows)
        if len(parts) == 3 and parts[1].type == "=":
            left, right = parts[0], parts[2]
            annotation = self.remark_behind(node.end_byte, scope) if self.remarks else 0
        else:
            left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
            hint = node.child_by_field_name("type")
            annotation = self.visit(hint, scope, Role.TYPE) if hint is not None else 0
        outer = self.whole
        self.whole = outer or (node.start_byte, node.end_byte)
        value = 0
        if right is not None:
            if left is not None and left.type == "identifier":
                self.listed(self.source[left.start_byte : left.end_byte], right, scope)
            word = self.last_name(annotation) if annotation else b""
            some = b"lambda" in self.source[right.start_byte : right.end_byte] if annotation else False
            if some and word not in _BARE:
                value = self.wanted(right, scope, self.row(Op.TYPED, annotation))
            else:
                aliased = word == b"TypeAlias"
                value = self.table[right.kind_id](self, right, scope, Role.TYPE if aliased else 0)
            self.settled = node.end_byte
        if left is not None:
            if left.type == "identifier":
                self.see_own(self.name(left), scope, begun, known=self.name(left) in self.names[scope])
            self.giving = node
            self.assign(left, scope, annotation, value)
        self.settled, self.renewed = 0, False
        self.whole = outer
        return value

    def augmented(self, node: Node, scope: int, role: int = 0) -> int:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if right is not None:
            if left is not None and left.type == "identifier" and self.text(left) == "__all__":
                self.exports(right, scope)
            self.visit(right, scope)
        if left is not None:
            self.outdate(self.source[left.start_byte : left.end_byte])
            self.visit(left, scope, Role.WRITE)
        return 0

    def type_alias(self, node: Node, scope: int, role: int = 0) -> int:
        parts = node.named_children
        value = 0
        for child in parts[1:]:
            value = self.visit(child, scope, Role.TYPE)
        name = parts[0]
        while name.named_child_count and name.type != "identifier":
            name = name.named_children[0]
        self.bind(scope, self.name(name), name.start_byte, Bind.ALIAS, value)
        self.define(Kind.TYPE, name, node, scope)
        return 0

    # -- definitions

    def decorated(self, node: Node, scope: int, role: int = 0) -> int:
        decorators = []
        for child in node.named_children:
            if child.type == "decorator":
                decorators.append(self.only(child, scope))
        inner = node.child_by_field_name("definition")
        if inner is not None:
            if inner.type == "function_definition":
                self.function(inner, scope, 0, decorators, node)
            else:
                self.class_(inner, scope, 0, decorators, node)
        return 0

    def function(
        self,
        node: Node,
        scope: int,
        role: int = 0,
        decorators: list[int] | None = None,
        whole: Node | None = None,
    ) -> int:
        name = node.child_by_field_name("name")
        body = node.child_by_field_name("body")
        if name is None:
            return self.children(node, scope)
        outer, self.whole = self.whole, None
        in_class = self.scopes[scope].kind == ScopeKind.CLASS
        inner = self.scope(ScopeKind.FUNCTION, scope, owner=scope if in_class else self.scopes[scope].owner)
        number = self.name(name)
        home, known, head = self.home(number, scope), number in self.names[scope], len(self.rows)
        self.bind(home, number, name.start_byte, Bind.FUNCTION, inner)
        begun = len(self.bound)
        self.define(
            Kind.METHOD if in_class else Kind.FUNCTION,
            name,
            whole or node,
            home,
            own=inner,
            head=(node.start_byte, self.head_end(node, body)),
            doc=_docstring(body),
        )
        labels = {self.decorator_name(d) for d in decorators or ()}
        receiver = None
        if in_class and b"staticmethod" not in labels:
            receiver = (
                b"classmethod" in labels or self.source[name.start_byte : name.end_byte] in _CLASS_METHODS
            )
        generics = node.child_by_field_name("type_parameters")
        if generics is not None:
            self.type_parameters(generics, inner)
        parameters = node.child_by_field_name("parameters")
        if parameters is not None:
            outside = inner if generics is not None else scope
            self.parameters(parameters, outside, inner, receiver, promised=b"overload" in labels)
        self.scopes[inner].decorators = self.items(decorators or ())
        hint = node.child_by_field_name("return_type")
        if hint is not None:
            self.scopes[inner].result = self.visit(hint, inner if generics is not None else scope, Role.TYPE)
        elif self.remarks and body is not None and parameters is not None:
            self.remark_below(parameters.end_byte, body.start_byte, scope, inner)
        if in_class:
            self.see_own(number, scope, head, known=known)
        saved, self.results, self.tested = (self.results, self.tested, self.written), [], {}
        self.written = set()
        if body is not None:
            self.function_body(body, inner, begun)
        self.scopes[inner].returns = self.items(self.results[:8])
        self.results, self.tested, self.written = saved
        self.whole = outer
        return 0

    def head_end(self, node: Node, body: Node | None) -> int:
        """Where a definition's head ends: remarks between its colon and its body are not of it."""
        if body is None:
            return node.end_byte
        if b"#" not in self.source[node.start_byte : body.start_byte]:
            return body.start_byte
        colons = [child.start_byte for child in node.children if child.type == ":"]
        return colons[-1] if colons else body.start_byte

    def decorator_name(self, decorator: int) -> bytes:
        base = decorator << 2
        return self.last_name(self.rows[base + 1] if self.rows[base] & 31 == Op.CALL else decorator)

    def type_parameters(self, node: Node, scope: int) -> None:
        for child in node.named_children:
            name, limit = child, 0
            while name.named_child_count and name.type != "identifier":
                if name.type == "constrained_type":
                    limit = self.visit(name.named_children[-1], scope, Role.TYPE)
                name = name.named_children[0]
            typed = self.row(Op.TYPED, limit) if limit else 0
            self.bind(scope, self.name(name), name.start_byte, Bind.OPAQUE, typed)

    def class_(
        self,
        node: Node,
        scope: int,
        role: int = 0,
        decorators: list[int] | None = None,
        whole: Node | None = None,
    ) -> int:
        name = node.child_by_field_name("name")
        body = node.child_by_field_name("body")
        if name is None:
            return self.children(node, scope)
        outer, self.whole = self.whole, None
        inner = self.scope(ScopeKind.CLASS, scope)
        self.scopes[inner].owner = inner
        number = self.name(name)
        home, known, head = self.home(number, scope), number in self.names[scope], len(self.rows)
        self.bind(home, number, name.start_byte, Bind.CLASS, inner)
        self.define(
            Kind.CLASS,
            name,
            whole or node,
            home,
            own=inner,
            head=(node.start_byte, self.head_end(node, body)),
            doc=_docstring(body),
        )
        generics = node.child_by_field_name("type_parameters")
        if generics is not None:
            self.type_parameters(generics, inner)
        parents = node.child_by_field_name("superclasses")
        bases = []
        for child in parents.named_children if parents is not None else ():
            if child.type == "keyword_argument":
                value = self.visit(child, scope)
                if self.text(child.named_children[0]) == "metaclass":
                    self.scopes[inner].result = value
            elif child.type != "comment":
                bases.append(self.visit(child, inner if generics is not None else scope, Role.EXTENDS))
        if self.scopes[scope].kind == ScopeKind.CLASS:
            self.see_own(number, scope, head, known=known)
        self.scopes[inner].bases = self.items(bases)
        self.scopes[inner].decorators = self.items(decorators or ())
        if body is not None:
            self.children(body, inner)
        self.whole = outer
        return 0

    # -- statements

    def import_(self, node: Node, scope: int, role: int = 0) -> int:
        for child in node.named_children:
            path = child.child_by_field_name("name") if child.type == "aliased_import" else child
            if path is None or path.type != "dotted_name":
                continue
            alias = child.child_by_field_name("alias")
            segments = path.named_children
            for count in range(1, len(segments) + 1):
                end = segments[count - 1]
                part = self.source[path.start_byte : end.end_byte].decode("utf-8", "replace")
                number = self.imported(part)
                self.row(Op.MODULE, number, self.name(end), end.start_byte, Role.IMPORT)
                if count == 1 and alias is None:
                    self.bind(scope, self.name(end), end.start_byte, Bind.MODULE, number)
            if alias is not None:
                self.bind(scope, self.name(alias), alias.start_byte, Bind.MODULE, number, 1)
        return 0

    def import_from(self, node: Node, scope: int, role: int = 0) -> int:
        path = node.child_by_field_name("module_name")
        if path is None:
            return 0
        level, dotted = 0, path
        if path.type == "relative_import":
            level = self.text(path.named_children[0]).count(".")
            dotted = path.named_children[-1]
        module = ""
        if dotted.type == "dotted_name":
            for end in dotted.named_children:
                module = self.source[dotted.start_byte : end.end_byte].decode("utf-8", "replace")
                self.row(Op.MODULE, self.imported(module, level), self.name(end), end.start_byte, Role.IMPORT)
        number = self.imported(module, level)
        for child in node.children_by_field_name("name"):
            alias = child.child_by_field_name("alias") if child.type == "aliased_import" else None
            original = child if alias is None else child.child_by_field_name("name")
            if original is None:
                continue
            name, at = self.name(original), original.start_byte
            self.row(Op.IMPORTED, number, name, at, Role.IMPORT)
            if alias is None:
                self.bind(scope, name, at, Bind.IMPORT, number, name)
            else:
                self.bind(scope, self.name(alias), alias.start_byte, Bind.IMPORT, number, name)
        if b"*" in self.source[path.end_byte : node.end_byte] and any(
            child.type == "wildcard_import" for child in node.named_children
        ):
            self.bind(scope, self.intern(b"*"), node.start_byte, Bind.STAR, number)
        return 0

    def global_(self, node: Node, scope: int, role: int = 0) -> int:
        for child in node.named_children:
            self.globals.setdefault(scope, set()).add(self.name(child))
            self.visit(child, 0)
        self.scopes[scope].globals = self.items(sorted(self.globals[scope])) if scope in self.globals else 0
        return 0

    def return_(self, node: Node, scope: int, role: int = 0) -> int:
        for child in node.named_children:
            result = self.scopes[scope].result if child.kind_id == self.lambda_kind else 0
            demanded = self.row(Op.TYPED, result) if result else 0
            value = self.wanted(child, scope, demanded) if result else self.visit(child, scope)
            if value:
                self.results.append(value)
        return 0

    def for_(self, node: Node, scope: int, role: int = 0) -> int:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        source = self.visit(right, scope) if right is not None else 0
        body = node.child_by_field_name("body")
        self.again(node)
        if left is not None:
            self.within(left, scope, self.row(Op.ELEMENT, source), body)
        for part in (body, node.child_by_field_name("alternative")):
            if part is not None:
                self.visit(part, scope)
        return 0

    def within(self, target: Node, scope: int, value: int, body: Node | None) -> None:
        """Give a target a value that it has in a block."""
        until, given = self.until, self.given
        if body is not None:
            self.settled, self.until, self.given = body.start_byte, body.end_byte, set()
        self.name_target(target, scope, value)
        self.settled, self.until, self.given = 0, until, given

    def name_target(self, target: Node, scope: int, value: int) -> None:
        """Give a value to the target of a statement with a block, or of ``:=``; it is the definition."""
        outer, self.whole, self.giving = self.whole, (target.start_byte, target.end_byte), None
        self.assign(target, scope, 0, value)
        self.whole = outer

    def with_item(self, node: Node, scope: int, role: int = 0) -> int:
        value = node.named_children[0]
        if value.type == "as_pattern":
            entered = self.row(Op.ENTERED, self.visit(value.named_children[0], scope))
            alias = value.child_by_field_name("alias")
            if alias is not None:
                self.settled = node.end_byte
                self.name_target(alias, scope, entered)
                self.settled = 0
        else:
            self.visit(value, scope)
        return 0

    def except_(self, node: Node, scope: int, role: int = 0) -> int:
        if not scope:
            self.substitutes += (0, node.start_byte, node.end_byte, node.end_byte, node.end_byte)
            self.scopes[0].ended = self.items(self.substitutes)
        for child in node.named_children:
            if child.type == "as_pattern":
                caught = self.row(Op.CAUGHT, self.visit(child.named_children[0], scope))
                alias = child.child_by_field_name("alias")
                if alias is not None:
                    self.within(alias, scope, caught, node.named_children[-1])
                    names = [(self.name(name), name.start_byte) for name in alias.named_children]
                    self.forget(names, node.end_byte, self.last)
            else:
                self.visit(child, scope)
        return 0

    def as_pattern(self, node: Node, scope: int, role: int = 0) -> int:
        value = self.visit(node.named_children[0], scope)
        alias = node.child_by_field_name("alias")
        if alias is None and node.named_children[0].type == "case_pattern":
            alias = node.named_children[-1]
        if alias is not None:
            self.assign(alias, scope, 0, value)
        return value


def _docstring(body: Node | None) -> Node | None:
    if body is None or not body.named_child_count:
        return None
    first = body.named_children[0]
    if first.type == "expression_statement" and first.named_child_count == 1:
        text = first.named_children[0]
        return text if text.type == "string" else None
    return None


def _grammar() -> Any:
    import tree_sitter_python

    return tree_sitter_python.language()


PYTHON: Final = Language(
    name="python",
    grammar=_grammar,
    walk=PythonWalk,
    rules=PythonRules,
    folder_stems=("__init__",),
    comment="#",
    visitor="cuedeck_native.expressions",
    close=closed,
)
