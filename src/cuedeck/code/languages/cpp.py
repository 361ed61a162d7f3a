"""C++: what its syntax has beyond C's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Final

from cuedeck.code.facts import HELD, OP_MASK, REST, Bind, Op, Role, ScopeKind
from cuedeck.code.languages.c import CWalk
from cuedeck.code.languages.c_repair import repaired, undecorated
from cuedeck.code.languages.c_rules import CppRules
from cuedeck.code.languages.cpp_words import plain, untyped_cases
from cuedeck.code.languages.language import Language
from cuedeck.code.languages.torn import closed

if TYPE_CHECKING:
    from tree_sitter import Node

_PLAIN: Final = ("primitive_type", "sized_type_specifier")
_POINTING: Final = ("pointer_declarator", "abstract_pointer_declarator", "array_declarator")
_TOLD: Final = ("template_type", "template_function", "template_method", "dependent_name")
_ITERATORS: Final = ("::iterator", "::const_iterator", "::reverse_iterator", "::const_reverse_iterator")
_PAIR: Final = {"first": 0, "second": 1}
_TOLD_CALLS: Final = frozenset(
    [
        "static_cast",
        "dynamic_cast",
        "reinterpret_cast",
        "const_cast",
        "qobject_cast",
        "make_unique",
        "make_shared",
        "make_optional",
        "static_pointer_cast",
        "dynamic_pointer_cast",
        "const_pointer_cast",
        "bit_cast",
        "any_cast",
        "declval",
    ]
)
_PASSING_CALLS: Final = frozenset(["move", "forward", "as_const", "ref", "cref", "exchange", "addressof"])
_GIVEN: Final = ("argument_list", "initializer_list")
_LITERALS: Final = ("string_literal", "number_literal", "char_literal", "true", "false")
_RESTS: Final = ("...", "variadic_parameter", "variadic_parameter_declaration")


class CppWalk(CWalk):
    """Visits C++."""

    names_of: ClassVar[tuple[str, ...]] = ("identifier", "namespace_identifier")
    special: ClassVar[dict[str, str]] = {
        **CWalk.special,
        "for_range_loop": "range_loop",
        "number_literal": "number",
        "char_literal": "character",
        "true": "truth",
        "false": "truth",
    }

    # -- what tells overloads apart

    def typed(self, of: Node | None, scope: int, declarator: Node | None) -> int:
        """The type of something; plain ones and pointers to them are kept by their words."""
        if of is None or of.type not in _PLAIN:
            value = super().typed(of, scope, declarator)
            # What the value tells is told by no type of the project.
            return 0 if of is not None and self.text(of).endswith(_ITERATORS) else value
        return self.row(Op.LITERAL, 0, self.intern(_plain(self.text(of)) + b"*" * _pointers(declarator)))

    def number(self, node: Node, scope: int, role: int = 0) -> int:
        text = self.text(node).lower()
        fraction = "." in text or ("e" in text and not text.startswith("0x"))
        kind = b"float" if fraction and text.endswith("f") else b"double" if fraction else b"int"
        return self.row(Op.LITERAL, 0, self.intern(kind))

    def character(self, node: Node, scope: int, role: int = 0) -> int:
        return self.row(Op.LITERAL, 0, self.intern(b"char"))

    def truth(self, node: Node, scope: int, role: int = 0) -> int:
        return self.row(Op.LITERAL, 0, self.intern(b"bool"))

    def parameters(self, signature: Node | None, scope: int) -> None:
        super().parameters(signature, scope)
        listed = signature.child_by_field_name("parameters") if signature is not None else None
        for child in listed.children if listed is not None else ():
            if child.type in _RESTS:
                self.bind(scope, self.intern(REST.encode()), child.start_byte, Bind.PARAMETER)

    def default(self, node: Node | None, scope: int) -> int:
        return super().default(node, scope) or (self.row(Op.LITERAL, 0) if node is not None else 0)

    def unnamed(self, node: Node, scope: int, annotation: int, default: int) -> None:
        """It counts all the same: functions are told apart by what they take."""
        if node.type not in _RESTS and self.text(node) != "void":
            name = self.intern(b"#%d" % len(self.names[scope]))
            self.bind(scope, name, node.start_byte, Bind.PARAMETER, annotation, default)

    # -- what C does not have

    def function(self, node: Node, scope: int, role: int = 0) -> int:
        name, _, around = self.declared_name(node.child_by_field_name("declarator"))
        if name is not None and not around:
            self.named_like_class(name, scope)
        return super().function(node, scope, role)

    def prototype(self, node: Node, scope: int, name: Node, function: Node, result: int) -> None:
        self.named_like_class(name, scope)
        super().prototype(node, scope, name, function, result)

    def new(self, node: Node, scope: int, role: int = 0) -> int:
        of = node.child_by_field_name("type")
        made = self.visit(of, scope, Role.CALL) if of is not None else 0
        given: list[int] = []
        for child in node.named_children:
            if child.type in _GIVEN:
                given += [self.visit(c, scope) for c in child.named_children]
            elif child != of:
                self.visit(child, scope)
        return self.row(Op.NEW, made, self.items(given))

    def given(self, node: Node | None, scope: int, of: int) -> int:
        """``Type name(1)``: the type's constructor is called."""
        if node is None or node.type != "argument_list":
            return super().given(node, scope, of)
        return self.making(of, [self.visit(child, scope) for child in node.named_children])

    def begun_as(self, declarator: Node, scope: int, of: int) -> None:
        """``Type name;`` and ``Type name{1, 2}`` where the variable begins to be."""
        value = declarator.child_by_field_name("value")
        inner = declarator.child_by_field_name("declarator") or declarator
        if inner.type != "identifier" or self.scopes[scope].kind in (ScopeKind.CLASS, ScopeKind.EXTENSION):
            return
        if value is None or value.type == "initializer_list":
            listed = value.named_children if value is not None else []
            self.making(of, [self.visit(c, scope) if c.type in _LITERALS else 0 for c in listed])

    def making(self, of: int, given: list[int]) -> int:
        """What a type makes of what its constructor is given."""
        named = of and self.rows[4 * of] & OP_MASK in (Op.NAME, Op.ATTR, Op.INDEX)
        return self.row(Op.NEW, of, self.items(given)) if named else 0

    def made(self, function: Node, scope: int, of: int) -> bool:
        """``Type name(argument);`` inside a function is no declaration of another one."""
        if self.scopes[scope].kind not in (ScopeKind.FUNCTION, ScopeKind.BLOCK):
            return False
        inner, listed = function.child_by_field_name("declarator"), function.child_by_field_name("parameters")
        taken = listed.named_children if listed is not None else []
        plain = inner is not None and inner.type == "identifier"
        if not plain or not taken or not all(child.named_child_count == 1 for child in taken):
            return False
        self.making(of, [self.visit(child.named_children[0], scope) for child in taken])
        return True

    def named_like_class(self, name: Node, scope: int) -> None:
        """A constructor or destructor says its class's name."""
        leaf = name.named_children[-1] if name.type == "destructor_name" and name.named_child_count else name
        if scope in self.classes and self.name(leaf) == self.classes[scope]:
            self.row(Op.NAME, self.scopes[scope].parent, self.name(leaf), leaf.start_byte, Role.TYPE)

    def fixture(self, name: Node, signature: Node | None, scope: int) -> int:
        """``MACRO(Type, name) {…}`` makes a method of a heir of the type, as libraries for tests write it."""
        listed = signature.child_by_field_name("parameters") if signature is not None else None
        taken = listed.named_children if listed is not None else []
        of = taken[0].child_by_field_name("type") if len(taken) > 1 else None
        if of is None or of.type != "type_identifier" or not self.text(name).isupper():
            return scope
        return self.heir_of(of, scope)

    def block(self, node: Node, scope: int, role: int = 0) -> int:
        """Behind ``MACRO(Type, "text")`` outside of functions it is the body of such a method, too."""
        outside = self.scopes[scope].kind in (ScopeKind.MODULE, ScopeKind.NAMESPACE)
        return super().block(node, self.fixture_before(node, scope) if outside else scope, role)

    def fixture_before(self, node: Node, scope: int) -> int:
        before = node.prev_named_sibling
        call = before.named_children[0] if before is not None and before.named_child_count else None
        target = call.child_by_field_name("function") if call is not None else None
        listed = call.child_by_field_name("arguments") if call is not None else None
        if target is None or listed is None or not self.text(target).isupper():
            return scope
        of, *others = listed.named_children or [target]
        if of.type != "identifier" or not any(other.type == "string_literal" for other in others):
            return scope
        return self.heir_of(of, scope)

    def heir_of(self, of: Node, scope: int) -> int:
        """A scope that sees the members of a type."""
        inner = self.scope(ScopeKind.EXTENSION, scope)
        self.scopes[inner].owner = inner
        self.scopes[inner].result = self.row(Op.NAME, scope, self.name(of), of.start_byte, Role.TYPE)
        return inner

    def tags_of(self, scope: int) -> int:
        """Structures are classes, named like anything else."""
        return scope

    def enumerators_of(self, scope: int) -> int:
        return self.scopes[scope].parent

    def member(self, node: Node, scope: int, role: int = 0) -> int:
        """``::name`` is one that no namespace is around; a pair has two members."""
        if node.type == "qualified_identifier":
            return self.qualified(node, scope, role)
        owner, name = node.child_by_field_name("argument"), node.child_by_field_name("field")
        value = self.visit(owner, scope) if owner is not None else 0
        found = self.part(name, scope, role, value) if name is not None else value
        place = _PAIR.get(self.text(name)) if name is not None else None
        if place is None or not value:
            return found
        return self.row(Op.UNION, 0, self.items([found, self.row(Op.ITEM, value, place)]))

    def qualified(self, node: Node | None, scope: int, role: int) -> int:
        value, outer = 0, True
        while node is not None and node.type == "qualified_identifier":
            around = node.child_by_field_name("scope")
            if around is not None:
                value, outer = self.part(around, scope, 0, value, outer), False
            elif outer:
                scope = 0
            node = node.child_by_field_name("name")
        return self.part(node, scope, role, value, outer) if node is not None else value

    def part(self, node: Node, scope: int, role: int, owner: int, outer: bool = False) -> int:
        """One name of several that follow each other, with what it is told."""
        if node.type == "qualified_identifier":
            node = node.child_by_field_name("name") or node
        leaf, told = node, None
        while leaf.type in _TOLD:
            told = leaf.child_by_field_name("arguments") or told
            leaf = leaf.child_by_field_name("name") or leaf.named_children[0]
        if outer:
            return self.visit(node, scope, role)
        if leaf.named_child_count:
            return self.visit(leaf, scope, role)
        value = self.row(Op.ATTR, owner, self.name(leaf), leaf.start_byte, role)
        return value if told is None else self.told(value, told, scope)

    def told(self, value: int, arguments: Node, scope: int) -> int:
        given = [c for c in arguments.named_children if c.type != "comment"]
        return self.row(Op.INDEX, value, self.items([self.visit(c, scope, Role.TYPE) for c in given]))

    def call(self, node: Node, scope: int, role: int = 0) -> int:
        """Casts and makers give what they are told, functions that only pass something on that."""
        value = super().call(node, scope, role)
        target = node.child_by_field_name("function")
        text = self.text(target) if target is not None else ""
        name = text.partition("<")[0].removeprefix("std::")
        row, given = self.rows[4 * value : 4 * value + 4], self.lists[self.rows[4 * value + 2]]
        if name in _TOLD_CALLS and text.endswith(">"):
            callee = self.rows[4 * row[1] : 4 * row[1] + 4]
            told = self.lists[callee[2]]
            return self.row(Op.TYPED, told[0]) if told and told[0] else value
        return given[0] if name in _PASSING_CALLS and text.startswith("std::") and given else value

    def range_loop(self, node: Node, scope: int, role: int = 0) -> int:
        """``for (Type name : many)``; ``auto`` is what walking over them gives."""
        inner = self.scope(ScopeKind.BLOCK, scope, owner=self.scopes[scope].owner)
        of, many = node.child_by_field_name("type"), node.child_by_field_name("right")
        annotation = self.visit(of, inner, Role.TYPE) if of is not None else 0
        walked = self.visit(many, inner) if many is not None else 0
        declarator = node.child_by_field_name("declarator")
        element = self.row(Op.ELEMENT, walked) if walked else 0
        name = self.declared_name(declarator)[0]
        if not self.taken_apart(declarator, inner, element) and name is not None:
            self.bind(inner, self.name(name), name.start_byte, Bind.VARIABLE, annotation, element)
        body = node.child_by_field_name("body")
        return self.visit(body, inner) if body is not None else 0

    def subscript(self, node: Node, scope: int, role: int = 0) -> int:
        value = super().subscript(node, scope, role)
        return self.row(Op.UNION, 0, self.items([value, self.row(Op.ELEMENT, value, HELD)])) if value else 0

    def taken_apart(self, declarator: Node | None, scope: int, value: int) -> bool:
        """``auto [a, b]`` binds the parts of a value."""
        while declarator is not None and declarator.type != "structured_binding_declarator":
            inner = declarator.child_by_field_name("declarator")
            declarator = inner if inner is not None else _only_declarator(declarator)
        for place, name in enumerate(declarator.named_children if declarator is not None else ()):
            part = self.row(Op.ITEM, value, place) if value else 0
            self.bind(scope, self.name(name), name.start_byte, Bind.VARIABLE, 0, part)
        return declarator is not None


def _only_declarator(node: Node) -> Node | None:
    return next((child for child in node.named_children if "declarator" in child.type), None)


def _plain(text: str) -> bytes:
    """A plain type's words in one order: ``unsigned int`` is ``unsigned``."""
    words = text.split()
    return " ".join(word for word in words if word != "int" or len(words) == 1).encode()


def _pointers(declarator: Node | None) -> int:
    """How often a declarator points."""
    count = 0
    while declarator is not None:
        count += declarator.type in _POINTING
        declarator = declarator.child_by_field_name("declarator")
    return count


def _cpp() -> Any:
    import tree_sitter_cpp

    return tree_sitter_cpp.language()


CPP: Final = Language(
    "cpp",
    _cpp,
    CppWalk,
    CppRules,
    source_roots=("src", "include"),
    repair=lambda source: repaired(untyped_cases(plain(source))),
    rewrite=lambda source: undecorated(plain(source)),
    close=closed,
)
