"""Kotlin: how its syntax becomes facts."""

from __future__ import annotations

import re
from itertools import takewhile
from typing import TYPE_CHECKING, Any, ClassVar, Final

from cuedeck.code.extraction.parsing import parse
from cuedeck.code.facts import REST, Bind, Kind, Op, Role, ScopeKind
from cuedeck.code.languages.kotlin_annotations import annotations_alone, without_annotations
from cuedeck.code.languages.kotlin_rules import PLATFORM, KotlinRules
from cuedeck.code.languages.kotlin_values import COMPANION, THIS, KotlinValues
from cuedeck.code.languages.language import Language
from cuedeck.code.languages.table import Declares, doc_above, first_of
from cuedeck.code.languages.torn import closed_lines
from cuedeck.code.resolution.receivers import EXTENSION

if TYPE_CHECKING:
    from tree_sitter import Node

_TYPES: Final = ("user_type", "nullable_type", "function_type")
_CLASS: Final = Declares(Kind.CLASS, ScopeKind.CLASS, extends=("delegation_specifiers",))


class KotlinWalk(KotlinValues):
    """Visits Kotlin, whose grammar names few fields."""

    declarations: ClassVar[dict[str, Declares]] = {
        "class_declaration": _CLASS,
        "object_declaration": _CLASS,
        "companion_object": _CLASS,
        "function_declaration": Declares(Kind.FUNCTION),
    }
    names_of: ClassVar[tuple[str, ...]] = ("identifier",)
    members: ClassVar[dict[str, tuple[str, str]]] = {"navigation_expression": ("", "")}
    calls: ClassVar[dict[str, tuple[str, str]]] = {"call_expression": ("", "value_arguments")}
    lambdas: ClassVar[tuple[str, ...]] = ("lambda_literal",)
    silent: ClassVar[tuple[str, ...]] = ("line_comment", "block_comment")
    type_wrappers: ClassVar[tuple[str, ...]] = (
        "nullable_type",
        "parenthesized_expression",
        "value_argument",
        "type_projection",
    )
    special: ClassVar[dict[str, str]] = {
        "this_expression": "this",
        "super_expression": "parent",
        "string_literal": "text_literal",
        "multiline_string_literal": "text_literal",
        "constructor_invocation": "invocation",
        "user_type": "user_type",
        "property_declaration": "property_",
        "class_parameter": "class_parameter",
        "return_expression": "return_",
        "enum_entry": "entry",
        "type_alias": "type_alias",
        "import": "import_",
        "package_header": "package",
        "object_literal": "made_object",
        "anonymous_function": "nameless",
        "secondary_constructor": "constructor",
        "getter": "accessor",
        "setter": "accessor",
        "catch_block": "caught",
        "type_constraint": "constraint",
        "block": "lines",
        "function_type": "function_type",
        "lambda_literal": "closure",
        "for_statement": "for_",
        "if_expression": "if_",
        "when_expression": "when",
        "binary_expression": "binary",
        "unary_expression": "unary",
        "as_expression": "as_",
        "index_expression": "index",
        "infix_expression": "infix",
        "is_expression": "is_",
        "number_literal": "number",
        "float_literal": "number",
        "character_literal": "number",
        "identifier": "bare",
        "property_delegate": "delegate",
    }

    def run(self, root: Node) -> bool:
        complete = super().run(root)
        if alone := annotations_alone(self.source):
            for declared in parse(alone, KOTLIN)[0].named_children:
                is_expression = declared.type == "annotated_expression"
                for part in (declared,) if is_expression else declared.named_children:
                    if is_expression or part.type == "modifiers":
                        self.visit(part, 0)
        return complete

    def name_node(self, node: Node, spec: Declares) -> Node | None:
        found = node.child_by_field_name("name")
        return found or next((c for c in node.named_children if c.type == "identifier"), None)

    def kind_of(self, node: Node, spec: Declares, scope: int) -> str:
        words = {c.type for c in node.children}
        if node.type == "class_declaration" and "interface" in words:
            return Kind.INTERFACE
        modifiers = next((c for c in node.named_children if c.type == "modifiers"), None)
        if modifiers is not None and "enum" in self.text(modifiers).split():
            return Kind.ENUM
        return super().kind_of(node, spec, scope)

    def declare(self, node: Node, scope: int, spec: Declares, name: Node, kind: str, whole: Node) -> int:
        body = next((c for c in node.named_children if c.type.endswith("body")), None)
        inner = self.open(spec, scope)
        self.bind(
            scope,
            self.name(name),
            name.start_byte,
            Bind.CLASS if spec.scope == ScopeKind.CLASS else Bind.FUNCTION,
            inner,
            int(spec.scope == ScopeKind.FUNCTION and self.is_private(node)),
        )
        self.platform(node, scope, name)
        owner = self.receiver(node, name)
        self.define(
            kind,
            name,
            whole,
            scope,
            own=inner,
            doc=doc_above(whole),
            within=owner,
            head=(whole.start_byte, body.start_byte if body is not None else whole.end_byte),
        )
        saved, self.returned = self.returned, []
        bases: list[int] = []
        for child in node.named_children:
            if child == name:
                continue
            if child.type == "function_value_parameters":
                self.taking(child, inner)
            elif child.type == "delegation_specifiers":
                for part in child.named_children:
                    bases += self.parents(part, inner, Role.EXTENDS)
            elif child.type in _TYPES and spec.scope == ScopeKind.FUNCTION:
                value = self.visit(child, inner, Role.TYPE)
                if child.start_byte > name.start_byte:
                    self.scopes[inner].result = value
                else:
                    self.scopes[inner].receiver = self.intern(THIS)
                    self.bind(inner, self.intern(THIS), child.start_byte, Bind.PARAMETER, value)
            elif child.type == "type_parameters":
                self.type_parameters(child, inner)
            elif child == body and child.named_child_count == 1 and child.named_children[0].type != "block":
                self.returned.append(self.visit(child.named_children[0], inner))
            else:
                self.children(child, inner)
        if spec.scope == ScopeKind.CLASS:
            # What a class's companion has, the class has.
            bases += self.companions.pop(inner, ())
            if node.type == "companion_object":
                self.companions.setdefault(scope, []).append(self.row(Op.NAME, scope, self.name(name)))
            self.scopes[inner].bases = self.items([base for base in bases if base])
        else:
            self.scopes[inner].returns = self.items(self.returned[:8])
        self.returned = saved
        return 0

    def is_private(self, node: Node) -> bool:
        modifiers = next((c for c in node.named_children if c.type == "modifiers"), None)
        return modifiers is not None and any(
            c.type == "visibility_modifier" and self.text(c) == "private" for c in modifiers.named_children
        )

    def platform(self, node: Node, scope: int, name: Node) -> None:
        """Note what is declared once for all platforms (``expect``) and again for each (``actual``)."""
        modifiers = next((c for c in node.named_children if c.type == "modifiers"), None)
        if modifiers is not None and any(c.type == "platform_modifier" for c in modifiers.named_children):
            noted = self.intern(f"{PLATFORM} {self.text(name)}".encode())
            self.bind(scope, noted, name.start_byte, Bind.OPAQUE)

    def undeclared(self, node: Node, scope: int) -> int:
        """A companion without a name: what it has is its class's own."""
        for child in node.named_children:
            if child.type == "delegation_specifiers":
                bases = [b for part in child.named_children for b in self.parents(part, scope, Role.EXTENDS)]
                self.companions.setdefault(scope, []).extend(bases)
            else:
                self.visit(child, scope)
        return 0

    def made_object(self, node: Node, scope: int, role: int = 0) -> int:
        """``object : T { }``: the instance of a class without a name."""
        inner = self.scope(ScopeKind.CLASS, scope)
        self.scopes[inner].owner = inner
        bases: list[int] = []
        saved, self.returned = self.returned, []
        for child in node.named_children:
            if child.type == "delegation_specifiers":
                for part in child.named_children:
                    bases += self.parents(part, scope, Role.EXTENDS)
            else:
                self.scopes[inner].bases = self.items([base for base in bases if base])
                self.children(child, inner)
        self.returned = saved
        return self.row(Op.SELF, inner)

    def nameless(self, node: Node, scope: int, role: int = 0) -> int:
        """``fun(a: A): B { }``"""
        inner = self.scope(ScopeKind.FUNCTION, scope, owner=self.scopes[scope].owner)
        saved, self.returned = self.returned, []
        for child in node.named_children:
            if child.type == "function_value_parameters":
                self.taking(child, inner)
            elif child.type in _TYPES:
                self.scopes[inner].result = self.visit(child, inner, Role.TYPE)
            else:
                self.children(child, inner)
        self.scopes[inner].returns = self.items(self.returned[:8])
        self.returned = saved
        return self.row(Op.FUNCTION, inner)

    def constructor(self, node: Node, scope: int, role: int = 0) -> int:
        inner = self.scope(ScopeKind.FUNCTION, scope, owner=self.scopes[scope].owner)
        for child in node.named_children:
            if child.type == "function_value_parameters":
                self.taking(child, inner)
            else:
                self.visit(child, inner)
        return 0

    def accessor(self, node: Node, scope: int, role: int = 0) -> int:
        """What reads or writes a property: in it the property's value is ``field``."""
        inner = self.scope(ScopeKind.FUNCTION, scope, owner=self.scopes[scope].owner)
        self.bind(inner, self.intern(b"field"), node.start_byte, Bind.OPAQUE)
        value = 0
        saved, self.returned = self.returned, []
        for child in node.named_children:
            if child.type == "identifier":
                self.bind(inner, self.name(child), child.start_byte, Bind.PARAMETER)
            elif child.type == "parameter":
                self.one_parameter(child, inner, 0, rest=False)
            else:
                value = self.visit(child, inner, Role.TYPE if child.type in _TYPES else 0) or value
        value = self.either([*self.returned[:8], value])
        self.returned = saved
        return value if node.type == "getter" else 0

    def caught(self, node: Node, scope: int, role: int = 0) -> int:
        """``catch (e: T) { }``"""
        inner = self.scope(ScopeKind.BLOCK, scope, owner=self.scopes[scope].owner)
        name, value = first_of(node), 0
        for child in node.named_children:
            if child.type in _TYPES:
                of = self.visit(child, scope, Role.TYPE)
                if name is not None:
                    self.bind(inner, self.name(name), name.start_byte, Bind.PARAMETER, of)
            elif child != name:
                value = self.visit(child, inner)
        return value

    def receiver(self, node: Node, name: Node) -> str:
        for child in node.named_children:
            if child.start_byte >= name.start_byte:
                break
            if child.type in ("user_type", "nullable_type"):
                return self.text(child).split("<")[0].rstrip("?")
        return ""

    def parents(self, node: Node, scope: int, role: int) -> list[int]:
        if node.type == "user_type":
            return [self.visit(node, scope, role)]
        if node.type == "constructor_invocation":
            return [self.invocation(node, scope, role)]
        if node.type == "value_arguments":
            self.children(node, scope)
            return []
        return [found for child in node.named_children for found in self.parents(child, scope, role)]

    def invocation(self, node: Node, scope: int, role: int = 0) -> int:
        """A type with what its constructor is given: a parent, an annotation."""
        made = 0
        for child in node.named_children:
            if child.type == "value_arguments":
                for at, argument in enumerate(child.named_children):
                    self.argument(argument, scope, made, at)
            else:
                made = self.visit(child, scope, role or Role.CALL) or made
        return made

    def user_type(self, node: Node, scope: int, role: int = 0) -> int:
        names = [child for child in node.named_children if child.type == "identifier"]
        package = list(takewhile(lambda child: self.text(child)[:1].islower(), names[:-1]))
        value, arguments = 0, []
        for child in node.named_children[len(package) :]:
            if child.type == "identifier":
                if package and not value:
                    number = self.imported(".".join(map(self.text, package)))
                    value = self.row(
                        Op.IMPORTED, number, self.name(child), child.start_byte, role or Role.TYPE
                    )
                elif value:
                    value = self.row(Op.ATTR, value, self.name(child), child.start_byte, role or Role.TYPE)
                else:
                    value = self.type_reference(child, scope, role)
            else:
                arguments += [self.visit(c, scope, Role.TYPE) for c in child.named_children]
        return self.row(Op.INDEX, value, self.items(arguments)) if arguments else value

    def type_parameters(self, node: Node, scope: int) -> None:
        """``<reified T : Bound, out R>``"""
        for child in node.named_children:
            name = next((part for part in child.named_children if part.type == "identifier"), None)
            limits = [self.visit(part, scope, Role.TYPE) for part in child.named_children if part != name]
            if name is not None:
                self.bind(scope, self.name(name), name.start_byte, Bind.OPAQUE)
                self.limited(scope, self.name(name), [limit for limit in limits if limit])

    def constraint(self, node: Node, scope: int, role: int = 0) -> int:
        """``where T : Bound``"""
        name = first_of(node)
        limits = [self.visit(part, scope, Role.TYPE) for part in node.named_children[1:]]
        if name is not None:
            self.type_reference(name, scope)
            self.limited(scope, self.name(name), [limit for limit in limits if limit])
        return 0

    def taking(self, node: Node, scope: int) -> None:
        """The parameters of a function, each followed by its default."""
        parts = [part for part in node.named_children if "comment" not in part.type]
        for at, part in enumerate(parts):
            if part.type == "parameter":
                given = parts[at + 1] if at + 1 < len(parts) else None
                value = 0
                if given is not None and given.type not in ("parameter", "parameter_modifiers"):
                    # Anything will do to tell that there is a default.
                    value = self.visit(given, scope) or self.row(Op.UNKNOWN, 0)
                before = parts[at - 1] if at and parts[at - 1].type == "parameter_modifiers" else None
                rest = before is not None and self.text(before).split()[-1:] == ["vararg"]
                self.one_parameter(part, scope, value, rest=rest)
            elif part.type == "parameter_modifiers":
                self.children(part, scope)

    def one_parameter(self, node: Node, scope: int, value: int, *, rest: bool) -> None:
        name, of = first_of(node), 0
        for child in node.named_children[1:]:
            of = of or self.visit(child, scope, Role.TYPE)
        if name is None or name.type != "identifier":
            return
        if not rest:
            self.bind(scope, self.name(name), name.start_byte, Bind.PARAMETER, of, value)
            return
        every = self.row(Op.SEQUENCE, self.row(Op.TYPED, of))
        self.bind(scope, self.intern(REST.encode()), name.start_byte, Bind.PARAMETER, every)
        self.bind(scope, self.name(name), name.start_byte, Bind.VARIABLE, every)

    def class_parameter(self, node: Node, scope: int, role: int = 0) -> int:
        name = next((c for c in node.named_children if c.type == "identifier"), None)
        of = 0
        for child in node.named_children:
            if child != name:
                value = self.visit(child, scope, Role.TYPE)
                of = of or value
        if name is not None:
            if any(c.type in ("val", "var") for c in node.children):
                self.assign(name, scope, of, 0, Kind.FIELD, node)
            else:
                # Seen where the class is made, and no member of it.
                self.bind(scope, self.name(name), name.start_byte, Bind.PARAMETER, of)
        return 0

    def property_(self, node: Node, scope: int, role: int = 0) -> int:
        target = next((c for c in node.named_children if c.type == "variable_declaration"), None)
        of = value = 0
        inner = self.extending(node, target, scope)
        for child in node.named_children:
            if child != target and child.type not in ("modifiers", *_TYPES):
                value = self.visit(child, inner) or value
        if target is not None:
            name = first_of(target)
            for child in target.named_children[1:]:
                of = self.visit(child, scope, Role.TYPE)
            if name is not None:
                self.forget({self.name(name)})
                self.assign(name, scope, of, value, Kind.VARIABLE, node)
                self.platform(node, scope, name)
                if inner != scope:
                    self.extended(name, inner)
        for apart in node.named_children:
            if apart.type == "multi_variable_declaration":
                self.taken(apart, scope, value)
        return 0

    def extended(self, name: Node, inner: int) -> None:
        """Note that a property is one of values of a type, in the scope that knows the type."""
        self.bind(inner, self.intern(f"{EXTENSION} {self.text(name)}".encode()), name.start_byte, Bind.OPAQUE)

    def package(self, node: Node, scope: int, role: int = 0) -> int:
        path = first_of(node)
        if path is not None:
            whole = self.imported(self.text(path))
            self.bind(0, self.intern(b"namespace"), node.start_byte, Bind.OPAQUE, whole)
        return 0

    def extending(self, node: Node, target: Node | None, scope: int) -> int:
        """The scope of a property's accessors, which see the members of the type that it extends."""
        for child in node.named_children:
            if child.type in _TYPES and target is not None and child.start_byte < target.start_byte:
                inner = self.scope(ScopeKind.FUNCTION, scope, owner=self.scopes[scope].owner)
                self.scopes[inner].receiver = self.intern(THIS)
                of = self.visit(child, scope, Role.TYPE)
                self.bind(inner, self.intern(THIS), child.start_byte, Bind.PARAMETER, of)
                return inner
        return scope

    def entry(self, node: Node, scope: int, role: int = 0) -> int:
        name = next((c for c in node.named_children if c.type == "identifier"), None)
        if name is not None:
            self.assign(name, scope, 0, 0, Kind.MEMBER, node)
        for child in node.named_children:
            if child.type == "class_body":
                inner = self.scope(ScopeKind.CLASS, scope)
                self.scopes[inner].owner = inner
                self.scopes[inner].bases = self.items([self.row(Op.SELF, scope)])
                self.children(child, inner)
            elif child != name:
                self.visit(child, scope)
        return 0

    def type_alias(self, node: Node, scope: int, role: int = 0) -> int:
        name = next((c for c in node.named_children if c.type == "identifier"), None)
        value = 0
        for child in node.named_children:
            if child != name:
                value = self.visit(child, scope, Role.TYPE) or value
        if name is not None:
            self.bind(scope, self.name(name), name.start_byte, Bind.ALIAS, value)
            self.define(Kind.TYPE, name, node, scope)
            self.platform(node, scope, name)
        return 0

    def import_(self, node: Node, scope: int, role: int = 0) -> int:
        path = first_of(node)
        if path is None:
            return 0
        parts = [part for part in path.named_children if self.text(part) != COMPANION.decode()]
        alias = node.named_child(1) if node.named_child_count > 1 else None
        every = any(self.text(c) == "*" for c in node.children)
        self.import_owners(parts if every else parts[:-1])
        if every:
            self.bind(0, self.intern(b"*"), node.start_byte, Bind.STAR, self.imported(self.text(path)))
        elif len(parts) > 1:
            number = self.imported(".".join(self.text(p) for p in parts[:-1]))
            name = parts[-1]
            self.row(Op.IMPORTED, number, self.name(name), name.start_byte, Role.IMPORT)
            local = alias if alias is not None and alias.type == "identifier" else name
            self.bind(0, self.name(local), local.start_byte, Bind.IMPORT, number, self.name(name))
        return 0

    def import_owners(self, parts: list[Node]) -> None:
        """The classes that an import of something inside them names."""
        for count, name in enumerate(parts):
            if count and self.text(name)[:1].isupper():
                around = self.imported(".".join(map(self.text, parts[:count])))
                self.row(Op.IMPORTED, around, self.name(name), name.start_byte, Role.IMPORT)


def _grammar() -> Any:
    import tree_sitter_kotlin

    return tree_sitter_kotlin.language()


# The grammar wants a constructor on the line of its class's name.
_CONSTRUCTOR: Final = re.compile(
    rb"(\bclass\s+\w+(?:<[^\n{]*>)?)(\s*\n\s*)"
    rb"(?=(?:@\w+\s+)*(?:(?:private|internal|protected|public)\s+)?constructor\b)"
)
# It wants an end of a declaration before the brace that closes what is around it on the same line.
_CLOSING: Final = re.compile(rb"(?<=[^\s{;,])(?<!->) (?=\})")
# It wants an arrow on the line of what is taken.
_ARROW: Final = re.compile(rb"(?<=\))(\s*\n\s*)(?=->)")
# It knows no comma behind the last type parameter.
_TRAILING: Final = re.compile(rb",(?=\s*>)")
# It takes a class whose constructor is hidden and takes nothing for a row of names.
_HIDDEN: Final = re.compile(
    rb"(\bclass[ \t]+\w+(?:<[^\n{(]*>)?)"
    rb"([ \t]+(?:private|internal|protected|public)[ \t]+constructor)(?=[ \t]*\()"
)
# It takes a call of ``get`` or ``set`` below a property for what reads or writes that.
_CALLED: Final = re.compile(
    rb"(?<=[\w)}\]\"'!?>])(\s*\n[ \t]*)[ \t]"
    rb"(?=get[ \t]*\([ \t]*[^)\s]|set[ \t]*\((?!\s*\w+\s*(?::[^(),]*)?,?\s*\)))"
)


def _opened(source: bytes) -> bytes:
    """The source without the words that hide a constructor, and with an end behind its last annotation."""
    # Where a source ends in an annotation, the grammar looks for the end of that for ever.
    last = source[-1:].strip() and source.rsplit(None, 1)[-1]
    ended = without_annotations(source + b"\n" if b"@" in last else source)
    if b"constructor" not in ended:
        return ended
    return _HIDDEN.sub(lambda found: found[1] + b" " * len(found[2]), ended)


def _repaired(source: bytes) -> bytes:
    """The source with constructors and arrows on their lines, and declarations ended where they end."""
    joined = _CONSTRUCTOR.sub(lambda found: found[1] + b" " * len(found[2]), _opened(source))
    joined = _ARROW.sub(lambda found: b" " * len(found[1]), joined)
    joined = _CALLED.sub(rb"\1;", joined)
    return _CLOSING.sub(b";", _TRAILING.sub(b" ", joined))


KOTLIN: Final[Language] = Language(
    "kotlin",
    _grammar,
    KotlinWalk,
    KotlinRules,
    source_roots=("kotlin", "java", "src"),
    repair=_repaired,
    rewrite=_opened,
    close=closed_lines,
)
