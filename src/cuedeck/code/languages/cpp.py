"""C++: what its syntax has beyond C's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Final

from cuedeck.code.facts import REST, Bind, Op, Role, ScopeKind
from cuedeck.code.languages.c import CWalk
from cuedeck.code.languages.c_repair import repaired, undecorated
from cuedeck.code.languages.c_rules import CppRules
from cuedeck.code.languages.language import Language

if TYPE_CHECKING:
    from tree_sitter import Node

_PLAIN: Final = ("primitive_type", "sized_type_specifier")
_POINTING: Final = ("pointer_declarator", "abstract_pointer_declarator", "array_declarator")
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
            return super().typed(of, scope, declarator)
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

    def made(self, function: Node, scope: int) -> bool:
        """``Type name(argument);`` inside a function is no declaration of another one."""
        if self.scopes[scope].kind not in (ScopeKind.FUNCTION, ScopeKind.BLOCK):
            return False
        inner, listed = function.child_by_field_name("declarator"), function.child_by_field_name("parameters")
        taken = listed.named_children if listed is not None else []
        plain = inner is not None and inner.type == "identifier"
        if not plain or not taken or not all(child.named_child_count == 1 for child in taken):
            return False
        for child in taken:
            self.visit(child.named_children[0], scope)
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
        """``::name`` is one that no namespace is around."""
        if node.type != "qualified_identifier" or node.child_by_field_name("scope") is not None:
            return super().member(node, scope, role)
        name = node.child_by_field_name("name")
        return self.visit(name, 0, role) if name is not None else 0

    def range_loop(self, node: Node, scope: int, role: int = 0) -> int:
        """``for (Type name : many)``; ``auto`` is what walking over them gives."""
        inner = self.scope(ScopeKind.BLOCK, scope, owner=self.scopes[scope].owner)
        of, many = node.child_by_field_name("type"), node.child_by_field_name("right")
        annotation = self.visit(of, inner, Role.TYPE) if of is not None else 0
        walked = self.visit(many, inner) if many is not None else 0
        name = self.declared_name(node.child_by_field_name("declarator"))[0]
        if name is not None:
            element = self.row(Op.ELEMENT, walked) if walked else 0
            self.bind(inner, self.name(name), name.start_byte, Bind.VARIABLE, annotation, element)
        body = node.child_by_field_name("body")
        return self.visit(body, inner) if body is not None else 0

    def subscript(self, node: Node, scope: int, role: int = 0) -> int:
        value = super().subscript(node, scope, role)
        return self.row(Op.UNION, 0, self.items([value, self.row(Op.ELEMENT, value)])) if value else 0


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
    repair=repaired,
    rewrite=undecorated,
)
