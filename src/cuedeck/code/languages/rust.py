"""Rust: how its syntax becomes facts."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING, Any, ClassVar, Final

from cuedeck.code.facts import Bind, Kind, Op, Role, ScopeKind
from cuedeck.code.languages.language import Language
from cuedeck.code.languages.rust_patterns import RustPatterns
from cuedeck.code.languages.rust_repair import opened
from cuedeck.code.languages.rust_rules import FILE, ITERATORS, RustRules
from cuedeck.code.languages.table import Declarator, Declares, doc_above, first_of
from cuedeck.code.languages.torn import closed

if TYPE_CHECKING:
    from tree_sitter import Node

    from cuedeck.code.facts import Facts

_FUNCTION: Final = Declares(Kind.FUNCTION, result="return_type")
# Parts of a function type that take nothing.
_UNSAID: Final = frozenset(
    {"self_parameter", "variadic_parameter", "attribute_item", "line_comment", "block_comment"}
)
_VARIABLES: Final = frozenset({Bind.VARIABLE, Bind.PARAMETER})
_NONE: Final[frozenset[int]] = frozenset()


class RustWalk(RustPatterns):
    """Visits Rust; an impl block is an extension of its type."""

    begins_after: ClassVar[bool] = True
    declarations: ClassVar[dict[str, Declares]] = {
        "function_item": _FUNCTION,
        "function_signature_item": _FUNCTION,
        "struct_item": Declares(Kind.STRUCT, ScopeKind.CLASS),
        "union_item": Declares(Kind.UNION, ScopeKind.CLASS),
        "enum_item": Declares(Kind.ENUM, ScopeKind.CLASS),
        "trait_item": Declares(Kind.TRAIT, ScopeKind.CLASS, extends=("trait_bounds",)),
        "mod_item": Declares(Kind.NAMESPACE, ScopeKind.NAMESPACE),
        "macro_definition": Declares(Kind.MACRO, ScopeKind.FUNCTION),
    }
    variables: ClassVar[dict[str, Declarator]] = {
        "let_declaration": Declarator(name="pattern"),
        "const_item": Declarator(kind=Kind.CONSTANT),
        "static_item": Declarator(kind=Kind.VARIABLE),
        "field_declaration": Declarator(kind=Kind.FIELD),
        "let_condition": Declarator(name="pattern"),
    }
    members: ClassVar[dict[str, tuple[str, str]]] = {
        "scoped_identifier": ("path", "name"),
        "scoped_type_identifier": ("path", "name"),
        "field_expression": ("value", "field"),
    }
    calls: ClassVar[dict[str, tuple[str, str]]] = {"call_expression": ("function", "arguments")}
    news: ClassVar[dict[str, str]] = {"struct_expression": "name"}
    blocks: ClassVar[tuple[str, ...]] = ("block", "while_expression")
    silent: ClassVar[tuple[str, ...]] = (
        "line_comment",
        "block_comment",
        "primitive_type",
        "integer_literal",
        "visibility_modifier",
        "lifetime",
        "inner_attribute_item",
        "boolean_literal",
        "char_literal",
        "float_literal",
    )
    type_wrappers: ClassVar[tuple[str, ...]] = (
        "reference_type",
        "pointer_type",
        "parenthesized_expression",
        "try_expression",
        "reference_expression",
        "dynamic_type",
        "abstract_type",
        "bracketed_type",
        "expression_statement",
        "else_clause",
        "unsafe_block",
    )
    lambdas: ClassVar[tuple[str, ...]] = ("closure_expression",)
    special: ClassVar[dict[str, str]] = {
        "self": "this",
        "string_literal": "text_literal",
        "raw_string_literal": "text_literal",
        "impl_item": "impl",
        "enum_variant": "variant",
        "ordered_field_declaration_list": "positions",
        "array_type": "array",
        "index_expression": "part",
        "tuple_type": "sequence",
        "tuple_expression": "sequence",
        "match_expression": "match",
        "if_expression": "if_",
        "type_item": "alias",
        "associated_type": "associated",
        "use_declaration": "use",
        "closure_expression": "closure",
        "function_type": "function_type",
        "return_expression": "return_",
        "macro_invocation": "macro",
        "token_tree": "tokens",
        "generic_function": "generic",
        "field_initializer": "initializer",
        "shorthand_field_initializer": "shorthand",
        "field_identifier": "nothing",
        "extern_crate_declaration": "nothing",
        "crate": "root",
        "super": "root",
        "await_expression": "awaited",
        "for_expression": "for_",
        "where_predicate": "where",
        "qualified_type": "qualified",
        "bounded_type": "bounded",
    }

    def __init__(self, source: bytes, table: Any) -> None:
        super().__init__(source, table)
        # The modules written inside this one that are being visited, and where paths begin with a name.
        self.inline: list[str] = []
        self.leading: list[int] = []

    def imported(self, module: str, level: int = 0) -> int:
        """An import as the file would write it: inside a module of the file ``super`` may be the file."""
        return super().imported(_outside(self.inline, module) if self.inline else module, level)

    def finish(self, language: str, *, broken: bool) -> Facts:
        """What stands before ``::`` is never a variable: one of that name is passed over."""
        if self.leading:
            kinds: dict[tuple[int, int], set[int]] = {}
            for at in range(0, len(self.bound), 6):
                kinds.setdefault((self.bound[at], self.bound[at + 1]), set()).add(self.bound[at + 3])
            for at in self.leading:
                scope, name = self.rows[at + 1], self.rows[at + 2]
                while scope > 0 and (bound := kinds.get((scope, name), _NONE)) <= _VARIABLES:
                    scope = self.scopes[scope].parent
                    if bound:
                        self.rows[at + 1] = scope
        return super().finish(language, broken=broken)

    def member(self, node: Node, scope: int, role: int = 0) -> int:
        path = node.child_by_field_name("path")
        if path is not None and path.type == "identifier":
            self.leading.append(len(self.rows))
        return super().member(node, scope, role)

    def root(self, node: Node, scope: int, role: int = 0) -> int:
        """``crate::`` and ``super::`` at the beginning of a path."""
        return self.row(Op.MODULE, self.imported(self.text(node)), self.name(node), node.start_byte)

    def body(self, node: Node, scope: int) -> None:
        if node.type == "ordered_field_declaration_list":
            self.positions(node, scope)
        elif value := self.last(node, scope):
            self.returned.append(value)

    def impl(self, node: Node, scope: int, role: int = 0) -> int:
        of, trait = node.child_by_field_name("type"), node.child_by_field_name("trait")
        inner = self.scope(ScopeKind.EXTENSION, scope)
        self.scopes[inner].owner = inner
        generics = node.child_by_field_name("type_parameters")
        if generics is not None:
            self.type_parameters(generics, inner)
        if of is not None:
            self.scopes[inner].result = self.visit(of, inner, Role.TYPE)
        bases = [self.visit(trait, inner, Role.IMPLEMENTS)] if trait is not None else []
        self.within = self.type_name(of) if of is not None else ""
        body = node.child_by_field_name("body")
        for child in node.named_children:
            if child.type == "where_clause":
                self.visit(child, inner)
        if of is not None and of.type == "type_identifier" and self.name(of) in self.names[inner]:
            # ``impl<T: Bound> Trait for T``: whatever it is, it has what its bounds have.
            limit = self.bound[self.bound_at(inner, self.name(of)) + 4]
            bases += [self.rows[4 * limit + 1]] if limit else []
        self.scopes[inner].bases = self.items(bases)
        if body is not None:
            self.children(body, inner)
        self.within = ""
        return 0

    def associated(self, node: Node, scope: int, role: int = 0) -> int:
        """``type Item: Bound;`` of a trait is whatever its bounds are."""
        name, bounds = node.child_by_field_name("name"), node.child_by_field_name("bounds")
        if name is None:
            return self.children(node, scope)
        limits = self.limit(bounds, scope) if bounds is not None else []
        known = self.row(Op.UNION, 0, self.items(limits)) if limits else 0
        self.bind(scope, self.name(name), name.start_byte, Bind.ALIAS, known)
        self.define(Kind.TYPE, name, node, scope, doc=doc_above(node))
        return 0

    def where(self, node: Node, scope: int, role: int = 0) -> int:
        """``where T: Bound`` says what ``<T: Bound>`` does."""
        left, bounds = node.child_by_field_name("left"), node.child_by_field_name("bounds")
        if left is None or bounds is None:
            return self.children(node, scope)
        self.visit(left, scope, Role.TYPE)
        self.limited(scope, self.name(left), self.limit(bounds, scope))
        return 0

    def qualified(self, node: Node, scope: int, role: int = 0) -> int:
        """``<T as Trait>::Item`` is a member of the trait, whatever T is."""
        of, trait = node.child_by_field_name("type"), node.child_by_field_name("alias")
        if of is None or trait is None:
            return self.children(node, scope)
        self.visit(of, scope, Role.TYPE)
        return self.visit(trait, scope, Role.TYPE)

    def generic(self, node: Node, scope: int, role: int = 0) -> int:
        """``Trait<T, Item = U>``: the second tells a type that the trait has itself."""
        arguments = node.child_by_field_name("type_arguments")
        bindings = [c for c in arguments.named_children if c.type == "type_binding"] if arguments else []
        if arguments is None or not bindings:
            return super().generic(node, scope, role)
        value = self.visit(node.named_children[0], scope, role or Role.TYPE)
        told = [self.visit(c, scope, Role.TYPE) for c in arguments.named_children if c not in bindings]
        walked = self.text(node.named_children[0]).rsplit("::", 1)[-1] in ITERATORS
        for binding in bindings:
            name, of = binding.child_by_field_name("name"), binding.child_by_field_name("type")
            if name is not None and value:
                self.row(Op.ATTR, value, self.name(name), name.start_byte, Role.TYPE)
            given = self.visit(of, scope, Role.TYPE) if of is not None else 0
            told += [given] if walked else []
        return self.row(Op.INDEX, value, self.items(told)) if told else value

    def bounded(self, node: Node, scope: int, role: int = 0) -> int:
        """``dyn Shape + Send`` has the members of each."""
        values = [self.visit(child, scope, Role.TYPE) for child in node.named_children]
        known = [value for value in values if value]
        return known[0] if len(known) == 1 else self.row(Op.UNION, 0, self.items(known)) if known else 0

    within = ""

    def type_name(self, node: Node) -> str:
        while node.type in ("generic_type", "reference_type", "pointer_type"):
            inner = node.child_by_field_name("type")
            if inner is None:
                break
            node = inner
        return self.text(node).replace(" ", "")[:100]

    def define(self, kind: str, name: Any, whole: Any, around: int, **options: Any) -> int:
        if self.within and self.scopes[around].kind == ScopeKind.EXTENSION:
            options["within"] = self.within
        return super().define(kind, name, whole, around, **options)

    def declaration(self, node: Node, scope: int, role: int = 0) -> int:
        if node.type == "mod_item" and node.child_by_field_name("body") is None:
            name = node.child_by_field_name("name")
            if name is not None:
                self.bind(
                    scope,
                    self.name(name),
                    name.start_byte,
                    Bind.MODULE,
                    self.imported(self.elsewhere(node) or "self::" + self.text(name)),
                    1,
                )
                self.define(Kind.NAMESPACE, name, node, scope)
            return 0
        if node.type != "mod_item" or (name := node.child_by_field_name("name")) is None:
            return super().declaration(node, scope, role)
        self.inline.append(self.text(name))
        super().declaration(node, scope, role)
        self.inline.pop()
        return 0

    def elsewhere(self, module: Node) -> str:
        """The file that is said to hold a module: ``#[path = "unix.rs"] mod system;``."""
        above = module.prev_named_sibling
        while above is not None and above.type in ("attribute_item", "line_comment", "block_comment"):
            said = first_of(above) if above.type == "attribute_item" else None
            name = first_of(said) if said is not None else None
            value = said.child_by_field_name("value") if said is not None else None
            if name is not None and value is not None and self.text(name) == "path" and not self.inline:
                return FILE + self.text(value).strip('"')
            above = above.prev_named_sibling
        return ""

    def parameter(self, node: Node, scope: int) -> None:
        if node.type == "self_parameter":
            owner = self.scopes[scope].owner
            if owner >= 0:
                self.bind(scope, self.intern(b"self"), node.start_byte, Bind.SELF, owner)
            return
        pattern, hint = node.child_by_field_name("pattern"), node.child_by_field_name("type")
        if pattern is None:
            super().parameter(node, scope)
            return
        annotation = self.visit(hint, scope, Role.TYPE) if hint is not None else 0
        self.take(pattern, scope, annotation, self.row(Op.TYPED, annotation) if annotation else 0)

    def closure(self, node: Node, scope: int, role: int = 0, *, expected: int = 0) -> int:
        inner = self.scope(ScopeKind.FUNCTION, scope, owner=self.scopes[scope].owner)
        parameters, body = node.child_by_field_name("parameters"), node.child_by_field_name("body")
        for position, child in enumerate(parameters.named_children if parameters is not None else ()):
            if child.type == "parameter":
                self.parameter(child, inner)
                continue
            self.take(child, inner, 0, self.row(Op.ARGUMENT, expected, position) if expected else 0)
        value = self.visit(body, inner) if body is not None else 0
        self.scopes[inner].returns = self.items([value])
        return self.row(Op.FUNCTION, inner)

    def function_type(self, node: Node, scope: int, role: int = 0) -> int:
        """What a function or closure takes and gives: ``fn(A) -> B``, ``FnOnce(A) -> B``."""
        trait, taken = node.child_by_field_name("trait"), node.child_by_field_name("parameters")
        result = node.child_by_field_name("return_type")
        if trait is not None:
            self.visit(trait, scope, Role.TYPE)
        inner = self.scope(ScopeKind.FUNCTION, scope, owner=self.scopes[scope].owner)
        parameters = taken.named_children if taken is not None else []
        for position, item in enumerate(c for c in parameters if c.type not in _UNSAID):
            of = item.child_by_field_name("type") if item.type == "parameter" else item
            hint = self.visit(of, scope, Role.TYPE) if of is not None else 0
            self.bind(inner, self.intern(b"%d" % position), item.start_byte, Bind.PARAMETER, hint)
        if result is not None:
            self.scopes[inner].result = self.visit(result, scope, Role.TYPE)
        return self.row(Op.FUNCTION, inner)

    def for_(self, node: Node, scope: int, role: int = 0) -> int:
        inner = self.scope(ScopeKind.BLOCK, scope, owner=self.scopes[scope].owner)
        pattern, value = node.child_by_field_name("pattern"), node.child_by_field_name("value")
        element = self.row(Op.ELEMENT, self.visit(value, scope)) if value is not None else 0
        if pattern is not None:
            self.pattern(pattern, inner, element)
        body = node.child_by_field_name("body")
        return self.visit(body, inner) if body is not None else 0

    def declare(self, node: Node, scope: int, spec: Declares, name: Node, kind: str, whole: Node) -> int:
        binding = len(self.bound)
        super().declare(node, scope, spec, name, kind, whole)
        if kind == Kind.MACRO:
            self.bound[binding + 5] = 1
        return 0

    def macro(self, node: Node, scope: int, role: int = 0) -> int:
        name = node.child_by_field_name("macro")
        if name is not None:
            self.visit(name, scope, Role.CALL)
        for child in node.named_children:
            if child.type == "token_tree":
                self.tokens(child, scope)
        return 0

    def array(self, node: Node, scope: int, role: int = 0) -> int:
        length = node.child_by_field_name("length")
        if length is not None:
            self.visit(length, scope)
        return self.array_type(node, scope, role)

    def part(self, node: Node, scope: int, role: int = 0) -> int:
        """A range of a sequence is a sequence again."""
        if node.named_children[-1].type != "range_expression":
            return self.index(node, scope)
        value = self.visit(node.named_children[0], scope)
        self.visit(node.named_children[-1], scope)
        return value

    def tokens(self, node: Node, scope: int, role: int = 0) -> int:
        """Inside a macro there is no syntax: names, and what follows a dot or ``::``, still count."""
        previous = ""
        value = 0
        children = node.children
        for child, following in zip_longest(children, children[1:]):
            kind = child.type
            if kind == "identifier":
                called = following is not None and (following.type == "!" or self._is_call(following))
                role = Role.CALL if called else Role.READ
                if previous in (".", "::") and value:
                    value = self.row(Op.ATTR, value, self.name(child), child.start_byte, role)
                else:
                    value = self.reference(child, scope, role)
            elif kind == "self":
                value = self.this(child, scope)
            elif kind == "token_tree":
                self.tokens(child, scope)
                value = self.row(Op.CALL, value) if value and self._is_call(child) else 0
            elif kind not in (".", "::"):
                value = 0
            previous = kind
        return 0

    def _is_call(self, tokens: Node) -> bool:
        start = tokens.start_byte
        return tokens.type == "token_tree" and self.source[start : start + 1] == b"("

    making = 0  # a value of the struct whose literal is being visited

    def new(self, node: Node, scope: int, role: int = 0) -> int:
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        made = self.visit(name, scope, Role.CALL) if name is not None else 0
        saved, self.making = self.making, self.row(Op.NEW, made)
        value = self.making
        if body is not None:
            self.children(body, scope)
        self.making = saved
        return value

    def initializer(self, node: Node, scope: int, role: int = 0) -> int:
        field, value = node.child_by_field_name("field"), node.child_by_field_name("value")
        if field is not None and self.making:
            self.row(Op.ATTR, self.making, self.name(field), field.start_byte)
        return self.visit(value, scope) if value is not None else 0

    def shorthand(self, node: Node, scope: int, role: int = 0) -> int:
        for name in node.named_children if self.making else ():
            self.row(Op.ATTR, self.making, self.name(name), name.start_byte)
        return self.only(node, scope)

    def use(self, node: Node, scope: int, role: int = 0) -> int:
        argument = node.child_by_field_name("argument")
        if argument is not None:
            self.use_tree(argument, scope, "")
        return 0

    def use_tree(self, node: Node, scope: int, prefix: str) -> None:
        kind = node.type
        if kind == "use_list":
            for child in node.named_children:
                self.use_tree(child, scope, prefix)
        elif kind == "scoped_use_list":
            path, inner = node.child_by_field_name("path"), node.child_by_field_name("list")
            base = self.use_path(path, scope, prefix)
            if inner is not None:
                self.use_tree(inner, scope, base)
        elif kind == "use_wildcard":
            base = self.use_path(first_of(node), scope, prefix)
            self.bind(scope, self.intern(b"*"), node.start_byte, Bind.STAR, self.imported(base))
        elif kind == "use_as_clause":
            path, alias = node.child_by_field_name("path"), node.child_by_field_name("alias")
            if path is not None and alias is not None:
                self.use_name(path, alias, scope, prefix)
        else:
            self.use_name(node, None, scope, prefix)

    def use_path(self, path: Node | None, scope: int, prefix: str) -> str:
        """What stands before the last ``::``, whose parts are names as well."""
        if path is None:
            return prefix
        around = path.child_by_field_name("path")
        name = path.child_by_field_name("name") or path
        before = self.use_path(around, scope, prefix)
        if name.type == "identifier" and before:
            self.row(Op.IMPORTED, self.imported(before), self.name(name), name.start_byte, Role.IMPORT)
        elif name.type == "identifier":
            self.leading.append(len(self.rows))
            self.reference(name, scope, Role.IMPORT)
        return _join(before, self.text(name))

    def use_name(self, node: Node, alias: Node | None, scope: int, prefix: str) -> None:
        name = node.child_by_field_name("name") or node
        base = self.use_path(node.child_by_field_name("path"), scope, prefix)
        if name.type == "self":
            label = alias or node
            number = self.imported(base)
            text = (
                base.rsplit("::", 1)[-1].encode()
                if alias is None
                else self.source[label.start_byte : label.end_byte]
            )
            self.bind(scope, self.intern(text), label.start_byte, Bind.MODULE, number, 1)
            return
        if alias is not None and not base:
            # A whole crate under another name.
            crate = self.imported(self.text(name))
            self.bind(scope, self.name(alias), alias.start_byte, Bind.MODULE, crate, 1)
            return
        number = self.imported(base)
        self.row(Op.IMPORTED, number, self.name(name), name.start_byte, Role.IMPORT)
        local = alias or name
        self.bind(scope, self.name(local), local.start_byte, Bind.IMPORT, number, self.name(name))


def _outside(inline: list[str], module: str) -> str:
    """A path that is written inside modules of a file, as seen from the file."""
    parts = module.split("::")
    ups = next((at for at, part in enumerate(parts) if part != "super"), len(parts))
    if ups > len(inline):
        return "::".join(parts[len(inline) :])
    if ups or parts[0] == "self":
        return "::".join(["self", *inline[: len(inline) - ups], *parts[max(ups, 1) :]])
    return module


def _join(prefix: str, path: str) -> str:
    path = "".join(path.split())
    return f"{prefix}::{path}" if prefix else path


def _grammar() -> Any:
    import tree_sitter_rust

    return tree_sitter_rust.language()


RUST: Final = Language(
    "rust",
    _grammar,
    RustWalk,
    RustRules,
    source_roots=("src",),
    folder_stems=("mod", "lib", "main"),
    rewrite=opened,
    close=closed,
)
