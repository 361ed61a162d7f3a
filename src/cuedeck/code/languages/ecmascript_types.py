"""JavaScript and TypeScript: types, patterns and loops as facts."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from cuedeck.code.facts import HELD, ROLE_SHIFT, Bind, Op, Role, ScopeKind
from cuedeck.code.languages.ecmascript_modules import ModuleWalk
from cuedeck.code.languages.table import first_of

if TYPE_CHECKING:
    from tree_sitter import Node

# Types that may name the members that a type is asked for.
_KEYS: Final = ("type_identifier", "generic_type", "union_type", "lookup_type", "nested_type_identifier")
_LABELLED: Final = ("required_parameter", "optional_parameter")
_MAX_DIGITS: Final = 5
# Of a conditional type: what is compared with what, what it is then, and otherwise.
_PARTS: Final = 4
# Types that leave out some of the keys they are told.
_CHOOSING: Final = ("Exclude", "Extract", "NonNullable")
_LEAVES: Final = (
    "identifier",
    "shorthand_property_identifier_pattern",
    "property_identifier",
    "private_property_identifier",
)


class TypeWalk(ModuleWalk):
    """What types mean, and which names a pattern binds."""

    def __init__(self, source: bytes, table: Any) -> None:
        super().__init__(source, table)
        # Where a type parameter of that name is bound: its scope, and how much was bound before it.
        self.hiding: dict[int, dict[int, int]] = {}

    def reference(self, node: Node, scope: int, role: int = 0) -> int:
        return super().reference(node, self.seen_from(node, scope) if self.hiding else scope, role)

    def seen_from(self, node: Node, scope: int) -> int:
        """The scope in which a value's name is looked for: type parameters of that name hide no value."""
        name, around = self.name(node), scope
        places = self.hiding.get(name, {})
        hidden = list[int]()
        while places and around >= 0:
            hidden += [places[around]] if around in places else []
            around = self.scopes[around].parent
        if not hidden:
            return scope
        # Scopes that bind the name to something else since the outermost of them.
        since = range(min(hidden), len(self.bound), 6)
        others = {self.bound[at] for at in since if self.bound[at + 1] == name and at not in hidden}
        found = inner = scope
        while inner >= 0 and inner not in others:
            found = self.scopes[inner].parent if inner in places else found
            inner = self.scopes[inner].parent
        return found

    def lookup_type(self, node: Node, scope: int, role: int = 0) -> int:
        parts = node.named_children
        if parts and parts[0].type == "this_type":
            owner = self.this(parts[0], scope)
        else:
            owner = self.visit(parts[0], scope, Role.TYPE) if parts else 0
        key = parts[-1] if len(parts) > 1 else None
        while key is not None and key.type in ("literal_type", "string") and key.named_child_count:
            key = first_of(key)
        if key is None or key.type != "string_fragment":
            named = self.visit(key, scope, Role.TYPE) if key is not None else 0
            if not owner or key is None:
                return 0
            if key.type in ("index_type_query", *_KEYS):
                return self.row(Op.MEMBERS, owner, named if key.type in _KEYS else 0)
            typed = self.row(Op.TYPED, owner)
            position = self.source[key.start_byte : key.end_byte]
            if position.isdigit() and len(position) < _MAX_DIGITS:
                return self.row(Op.ITEM, typed, int(position))
            return self.row(Op.ELEMENT, typed, HELD)
        return self.row(Op.ATTR, self.row(Op.TYPED, owner), self.name(key), key.start_byte)

    def tuple_type(self, node: Node, scope: int, role: int = 0) -> int:
        """``[A, name: B]``: what its names are is of no account; ``...B[]`` is one B or many."""
        parts = [c for c in node.named_children if c.type != "comment"]
        types = [c.child_by_field_name("type") if c.type in _LABELLED else c for c in parts]
        types = [_repeated(part) or type_ for part, type_ in zip(parts, types, strict=True)]
        values = [self.visit(c, scope, Role.TYPE) if c is not None else 0 for c in types]
        return self.row(Op.TUPLE, 0, self.items(values))

    def intersection(self, node: Node, scope: int, role: int = 0) -> int:
        made = self.union(node, scope, role)
        self.rows[4 * made] |= Role.EXTENDS << ROLE_SHIFT
        return made

    def meta_property(self, node: Node, scope: int, role: int = 0) -> int:
        """``import.meta``, which is there like a variable."""
        return self.row(Op.NAME, 0, self.name(node), node.start_byte)

    def type_query(self, node: Node, scope: int, role: int = 0) -> int:
        """``typeof x`` names a value."""
        return self.only(node, scope)

    def instantiated(self, node: Node, scope: int, role: int = 0) -> int:
        """``f<T>``: a function or a class that is told its types and not called."""
        parts = [c for c in node.named_children if c.type != "comment"]
        value = self.visit(parts[0], scope) if parts else 0
        told = [self.visit(c, scope, Role.TYPE) for c in parts[-1].named_children] if len(parts) > 1 else []
        return self.row(Op.INDEX, value, self.items(told)) if value else 0

    def type_reference(self, node: Node, scope: int, role: int = 0) -> int:
        # The grammar knows all other plain types.
        is_plain = self.source[node.start_byte : node.end_byte] == b"bigint"
        return self.row(Op.LITERAL, 0) if is_plain else super().type_reference(node, scope, role)

    def this_type(self, node: Node, scope: int, role: int = 0) -> int:
        """``this`` as a type: that of whatever heir a method is called on."""
        owner = self.scopes[scope].owner
        return self.row(Op.SELF, owner, 1) if owner >= 0 else 0

    def plain_type(self, node: Node, scope: int, role: int = 0) -> int:
        """A type without members of the project; still an answer, so that values do not give another."""
        parts = node.named_children if node.type == "template_literal_type" else ()
        if parts and all(part.type == "string_fragment" for part in parts):
            return self.literal(node)
        self.children(node, scope)
        return self.row(Op.LITERAL, self.name(node) if node.type == "predefined_type" else 0)

    def keys_of(self, node: Node, scope: int, role: int = 0) -> int:
        """``keyof T``: a type without members, which says whose names it is."""
        inner = first_of(node)
        of = self.visit(inner, scope, Role.TYPE) if inner is not None else 0
        return self.row(Op.INDEX, self.row(Op.LITERAL, self.intern(b"keyof")), self.items([of]))

    def literal_type(self, node: Node, scope: int, role: int = 0) -> int:
        inner = first_of(node)
        return self.literal(inner) if inner is not None else self.row(Op.LITERAL, 0)

    def literal(self, node: Node) -> int:
        """A constant as a type; texts begin with a quotation mark."""
        text = self.source[node.start_byte : node.end_byte]
        if node.type in ("string", "template_string", "template_literal_type"):
            text = b'"' + text[1:-1]
        return self.row(Op.LITERAL, 0, self.intern(text))

    conditional = -1  # the scope of the conditional type around, which has what it infers

    def conditional_type(self, node: Node, scope: int, role: int = 0) -> int:
        inner = self.scope(ScopeKind.BLOCK, scope, owner=self.scopes[scope].owner)
        begun = len(self.bound)
        saved, self.conditional = self.conditional, inner
        values = [self.visit(c, inner, Role.TYPE) for c in node.named_children[:2]]
        self.conditional = saved
        values += [self.visit(c, inner, Role.TYPE) for c in node.named_children[2:]]
        # What is inferred follows from comparing the first type with the second.
        compared = self.row(Op.TUPLE, inner, self.items(values[:2]))
        for at in range(begun, len(self.bound), 6):
            if self.bound[at] == inner:
                self.bound[at + 5] = compared
        return self.row(Op.UNION, compared if len(values) == _PARTS else 0, self.items(values[2:]))

    def infer_type(self, node: Node, scope: int, role: int = 0) -> int:
        found = 0
        for name in node.named_children[:1]:
            place = self.conditional if self.conditional >= 0 else scope
            self.bind(place, self.name(name), name.start_byte, Bind.OPAQUE)
            found = self.row(Op.NAME, place, self.name(name), name.start_byte, Role.TYPE)
        for child in node.named_children[1:]:
            self.visit(child, scope, Role.TYPE)
        return found

    def ambient(self, node: Node, scope: int, role: int = 0) -> int:
        block = next((c for c in node.named_children if c.type == "statement_block"), None)
        if block is None:
            return self.children(node, scope)
        inner = self.scope(ScopeKind.NAMESPACE, scope)
        self.bind(0, self.intern(b"global"), node.start_byte, Bind.NAMESPACE, inner)
        return self.children(block, inner)

    def nothing_but_types(self, node: Node, scope: int, role: int = 0) -> int:
        """``x is T``: both are named, and the result is neither."""
        self.children(node, scope)
        return 0

    def predicate(self, node: Node, scope: int, role: int = 0) -> int:
        """``x is T``, as what a function gives."""
        while node.type != "type_predicate" and node.named_child_count:
            node = node.named_children[0]
        name, hint = node.child_by_field_name("name"), node.child_by_field_name("type")
        if name is None or hint is None:
            return self.children(node, scope)
        self.visit(name, scope)
        return self.row(Op.PREDICATE, self.visit(hint, scope, Role.TYPE), self.name(name))

    def asserted(self, node: Node, scope: int, role: int = 0) -> int:
        """``asserts x is T`` and ``asserts x``, as what a function gives."""
        while node.type != "type_predicate" and node.named_child_count:
            node = node.named_children[0]
        if node.type == "type_predicate":
            return self.predicate(node, scope, role)
        self.visit(node, scope)
        return self.row(Op.PREDICATE, 0, self.name(node))

    def object_type(self, node: Node, scope: int, role: int = 0) -> int:
        members = [child for child in node.named_children if child.type != "comment"]
        only = members[0] if len(members) == 1 else None
        clause = first_of(only) if only is not None and only.type == "index_signature" else None
        if only is not None and clause is not None and clause.type == "mapped_type_clause":
            return self.mapped_type(only, clause, scope)
        inner = self.scope(ScopeKind.CLASS, scope)
        self.scopes[inner].owner = inner
        self.children(node, inner)
        return self.row(Op.SELF, inner)

    def mapped_type(self, node: Node, clause: Node, scope: int) -> int:
        """``{ [K in keyof T]: … }`` has the members of T, any other many of what it holds.

        So it is where ``as`` only leaves some keys out, as in ``as K extends "id" ? never : K``.
        In ``{ [T in Union as T["kind"]]: … }`` T is a type parameter, told by the key that is asked for.
        """
        inner = self.scope(ScopeKind.BLOCK, scope, owner=self.scopes[scope].owner)
        name, keys = clause.child_by_field_name("name"), clause.child_by_field_name("type")
        whose = first_of(keys) if keys is not None and keys.type == "index_type_query" else None
        limit = self.visit(whose or keys, inner, Role.TYPE) if keys is not None else 0
        renamed = clause.child_by_field_name("alias")
        keyed = whose is None and renamed is not None and renamed.type == "lookup_type"
        key = self.visit(renamed, inner, Role.TYPE) if renamed is not None else 0
        if name is not None and keyed:
            bound = self.row(Op.TYPED, limit)
            self.bind(inner, self.name(name), name.start_byte, Bind.OPAQUE, bound, key)
        elif name is not None:
            self.bind(inner, self.name(name), name.start_byte, Bind.ALIAS)
        hint = node.child_by_field_name("type")
        held = self.visit(hint, inner, Role.TYPE) if hint is not None else 0
        many = self.row(Op.MAPPING, self.row(Op.TYPED, held), key if keyed else 0) if held else 0
        if whose is not None and (renamed is None or self.keeps_names(renamed, name)):
            return self.row(Op.UNION, 0, self.items([part for part in (limit, many) if part]))
        return many

    def keeps_names(self, renamed: Node, name: Node | None) -> bool:
        """Whether what keys are renamed to is, or may be, the key itself."""
        match renamed.type:
            case "type_identifier":
                return name is not None and self.name(renamed) == self.name(name)
            case "conditional_type":
                branches = renamed.named_children[2:]
                return any(self.keeps_names(branch, name) for branch in branches)
            case "generic_type":
                label, arguments = renamed.named_children[0], renamed.named_children[-1]
                chosen = self.text(label) in _CHOOSING
                return chosen and any(self.keeps_names(each, name) for each in arguments.named_children[:1])
            case "intersection_type" | "parenthesized_type":
                return any(self.keeps_names(part, name) for part in renamed.named_children)
        return False

    def index_signature(self, node: Node, scope: int, role: int = 0) -> int:
        inner = self.scope(ScopeKind.FUNCTION, scope, owner=self.scopes[scope].owner)
        self.bind(scope, self.intern(b"__getitem__"), node.start_byte, Bind.FUNCTION, inner)
        hint = node.child_by_field_name("type")
        for child in node.named_children:
            value = self.visit(child, inner, Role.TYPE) if child.type != "identifier" else 0
            if child == hint:
                self.scopes[inner].result = value
        return 0

    def type_parameters(self, node: Node, scope: int) -> None:
        for child in node.named_children:
            name, bound = child.child_by_field_name("name"), child.child_by_field_name("constraint")
            default = child.child_by_field_name("value")
            types = [self.visit(t, scope, Role.TYPE) if t is not None else 0 for t in (bound, default)]
            if name is not None:
                limit, chosen = [self.row(Op.TYPED, made) if made else 0 for made in types]
                self.hiding.setdefault(self.name(name), {})[scope] = len(self.bound)
                self.bind(scope, self.name(name), name.start_byte, Bind.OPAQUE, limit, chosen)

    def parents(self, node: Node, scope: int, role: int) -> list[int]:
        if node.type == "implements_clause":
            role = Role.IMPLEMENTS
        if node.type in self.calls:
            return [self.visit(node, scope)]
        if node.type == "extends_clause":
            return self.extended(node, scope, role)
        return super().parents(node, scope, role)

    def extended(self, node: Node, scope: int, role: int) -> list[int]:
        """The parents after ``extends``, each with its type arguments."""
        found: list[int] = []
        for child in node.named_children:
            if child.type == "type_arguments" and found:
                inner = [self.visit(c, scope, Role.TYPE) for c in child.named_children if c.type != "comment"]
                found[-1] = self.row(Op.INDEX, found[-1], self.items(inner))
            else:
                found += self.parents(child, scope, role)
        return found

    def pattern(self, node: Node, scope: int, value: int, kind: str, whole: Node | None) -> None:
        """Give the names of a destructuring pattern the parts of a value: new ones in a declaration."""
        match node.type:
            case "identifier":
                self.part(node, scope, value, kind, whole)
            case "shorthand_property_identifier_pattern" | "shorthand_property_identifier":
                part = self.row(Op.ATTR, value, self.name(node), node.start_byte) if value else 0
                self.part(node, scope, part, kind, whole)
            case "pair_pattern" | "pair":
                key, target = node.child_by_field_name("key"), node.child_by_field_name("value")
                part = 0
                if key is not None and key.type == "property_identifier":
                    part = self.row(Op.ATTR, value, self.name(key), key.start_byte)
                elif key is not None:
                    self.visit(key, scope)
                if target is not None:
                    self.pattern(target, scope, part, kind, whole)
            case "assignment_pattern" | "object_assignment_pattern":
                left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
                default = self.visit(right, scope) if right is not None else 0
                if left is not None:
                    self.pattern(left, scope, value or default, kind, whole)
            case "array_pattern" | "array":
                position = 0
                for child in node.children:
                    if child.is_named and child.type != "comment":
                        part = self.row(Op.ITEM, value, position) if value else 0
                        self.pattern(child, scope, part, kind, whole)
                    position += child.type == ","
            case "object_pattern" | "rest_pattern" | "object" | "spread_element":
                for child in node.named_children:
                    self.pattern(child, scope, value, kind, whole)
            case _ if whole is None:
                self.fill(node, scope, value)
            case _:
                self.visit(node, scope, Role.WRITE)

    def part(self, leaf: Node, scope: int, value: int, kind: str, whole: Node | None) -> None:
        if whole is None:
            self.fill(leaf, scope, value)
        else:
            self.assign(leaf, scope, 0, value, kind, whole)

    @abstractmethod
    def fill(self, node: Node, scope: int, value: int) -> None:
        """Visit what is given a part of a value that is taken apart."""

    def binding_names(self, node: Node) -> Iterator[Node]:
        if node.type in _LEAVES:
            yield node
            return
        for child in node.named_children:
            yield from self.binding_names(child)

    def for_in(self, node: Node, scope: int, role: int = 0) -> int:
        inner = self.scope(ScopeKind.BLOCK, scope, owner=self.scopes[scope].owner)
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        of = any(c.type == "of" for c in node.children)
        source = self.visit(right, scope) if right is not None else 0
        value = self.row(Op.ELEMENT, source) if of and source else 0
        if left is not None:
            if node.child_by_field_name("kind") is None:
                self.visit(left, inner, Role.WRITE)
            else:
                self.pattern(left, inner, value, "", node)
        body = node.child_by_field_name("body")
        return self.visit(body, inner) if body is not None else 0

    def catch(self, node: Node, scope: int, role: int = 0) -> int:
        inner = self.scope(ScopeKind.BLOCK, scope, owner=self.scopes[scope].owner)
        caught = node.child_by_field_name("parameter")
        if caught is not None:
            for leaf in self.binding_names(caught):
                self.bind(inner, self.name(leaf), leaf.start_byte, Bind.OPAQUE)
        body = node.child_by_field_name("body")
        return self.visit(body, inner) if body is not None else 0


def _repeated(part: Node) -> Node | None:
    """What the array holds that the rest of a tuple is: of ``...B[]`` and ``...more: B[]`` the B."""
    named = part.child_by_field_name("name")
    rest = part if part.type == "rest_type" else None
    if named is not None and named.type == "rest_pattern":
        rest = part.child_by_field_name("type")
    many = first_of(rest) if rest is not None else None
    return first_of(many) if many is not None and many.type == "array_type" else None
