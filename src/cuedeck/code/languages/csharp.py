"""C#: how its syntax becomes facts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Final

from cuedeck.code.facts import REST, Bind, Kind, Op, Role, ScopeKind
from cuedeck.code.languages.language import Language
from cuedeck.code.languages.open_rules import OpenRules
from cuedeck.code.languages.table import Declares, TableWalk

if TYPE_CHECKING:
    from tree_sitter import Node

_BASES: Final = ("base_list",)

_TYPES_OF_MANY: Final = ("array_type", "nullable_type", "generic_name")


class CSharpWalk(TableWalk):
    """Visits C#."""

    declarations: ClassVar[dict[str, Declares]] = {
        "class_declaration": Declares(Kind.CLASS, ScopeKind.CLASS, extends=_BASES),
        "struct_declaration": Declares(Kind.STRUCT, ScopeKind.CLASS, extends=_BASES),
        "record_declaration": Declares(Kind.CLASS, ScopeKind.CLASS, extends=_BASES),
        "interface_declaration": Declares(Kind.INTERFACE, ScopeKind.CLASS, extends=_BASES),
        "enum_declaration": Declares(Kind.ENUM, ScopeKind.CLASS),
        "delegate_declaration": Declares(Kind.TYPE, ScopeKind.FUNCTION, result="type"),
        "method_declaration": Declares(Kind.METHOD, result="returns"),
        "constructor_declaration": Declares(Kind.METHOD),
        "destructor_declaration": Declares(Kind.METHOD),
        "local_function_statement": Declares(Kind.FUNCTION, result="type"),
    }
    names_of: ClassVar[tuple[str, ...]] = ("identifier",)
    members: ClassVar[dict[str, tuple[str, str]]] = {
        "qualified_name": ("qualifier", "name"),
        "alias_qualified_name": ("alias", "name"),
    }
    calls: ClassVar[dict[str, tuple[str, str]]] = {"invocation_expression": ("function", "argument_list")}
    news: ClassVar[dict[str, str]] = {"object_creation_expression": "type"}
    blocks: ClassVar[tuple[str, ...]] = (
        "block",
        "for_statement",
        "using_statement",
        "switch_section",
        "catch_clause",
    )
    silent: ClassVar[tuple[str, ...]] = (
        "comment",
        "predefined_type",
        "modifier",
        "integer_literal",
        "implicit_type",
        "character_literal",
    )
    type_wrappers: ClassVar[tuple[str, ...]] = (
        "nullable_type",
        "parenthesized_expression",
        "argument",
        "ref_type",
        "pointer_type",
    )
    generic_types: ClassVar[tuple[str, ...]] = ("generic_name",)
    lambdas: ClassVar[tuple[str, ...]] = ("lambda_expression", "anonymous_method_expression")
    special: ClassVar[dict[str, str]] = {
        "string_literal": "text_literal",
        "interpolated_string_expression": "text_literal",
        "return_statement": "given_back",
        "arrow_expression_clause": "given_back",
        "element_access_expression": "index",
        "await_expression": "awaited",
        "member_access_expression": "access",
        "conditional_access_expression": "conditional_access",
        "member_binding_expression": "bound_member",
        "namespace_declaration": "namespace",
        "file_scoped_namespace_declaration": "namespace",
        "variable_declaration": "variables_",
        "field_declaration": "field",
        "event_field_declaration": "field",
        "property_declaration": "property_",
        "enum_member_declaration": "constant",
        "using_directive": "using",
        "lambda_expression": "closure",
        "anonymous_method_expression": "closure",
        "query_expression": "block",
        "from_clause": "from_",
        "join_clause": "from_",
        "let_clause": "let",
        "foreach_statement": "for_each",
        "array_type": "array_type",
        "cast_expression": "cast",
        "as_expression": "as_",
        "declaration_pattern": "pattern",
        "catch_declaration": "pattern",
        "implicit_object_creation_expression": "implicit_new",
        "initializer_expression": "initializer",
        "type_parameter_constraints_clause": "where",
    }

    receiver = 0  # what a conditional access is made on
    made = 0  # the new object whose members an initializer sets
    every = 0  # the type of a parameter that takes all further arguments
    declared = 0  # the type of the variable that is being given a value

    def generics_of(self, node: Node, spec: Declares) -> Node | None:
        listed = (child for child in node.named_children if child.type == "type_parameter_list")
        return super().generics_of(node, spec) or next(listed, None)

    def where(self, node: Node, scope: int, role: int = 0) -> int:
        """``where T : Bound``"""
        name, *constraints = node.named_children
        self.reference(name, scope, Role.TYPE)
        limits = [self.visit(of, scope, Role.TYPE) for part in constraints for of in part.named_children]
        self.limited(scope, self.name(name), [limit for limit in limits if limit])
        return 0

    def new(self, node: Node, scope: int, role: int = 0) -> int:
        target = node.child_by_field_name("type")
        made = self.visit(target, scope, Role.CALL) if target is not None else 0
        return self.filled(node, target, scope, self.row(Op.NEW, made), made)

    def implicit_new(self, node: Node, scope: int, role: int = 0) -> int:
        """``new() { … }`` of a variable with a type."""
        value = self.row(Op.TYPED, self.declared) if self.declared else 0
        return self.filled(node, None, scope, value, self.declared)

    def body(self, node: Node, scope: int) -> None:
        if node.type == "arrow_expression_clause":
            self.given_back(node, scope)
        else:
            super().body(node, scope)

    def given_back(self, node: Node, scope: int, role: int = 0) -> int:
        """What follows ``=>`` or ``return`` has the type that the function around says."""
        around = scope
        while around >= 0 and self.scopes[around].kind == ScopeKind.BLOCK:
            around = self.scopes[around].parent
        saved, self.declared = self.declared, self.scopes[around].result if around >= 0 else 0
        value = self.only(node, scope)
        self.declared = saved
        if value:
            self.returned.append(value)
        return 0

    def filled(self, node: Node, target: Node | None, scope: int, value: int, callee: int = 0) -> int:
        saved = self.made, self.declared
        self.made, self.declared = value, 0
        for child in node.named_children:
            if child.type == "argument_list" and callee:
                for at, given in enumerate(child.named_children):
                    self.argument(given, scope, callee, at)
            elif child != target:
                self.visit(child, scope)
        self.made, self.declared = saved
        return value

    def initializer(self, node: Node, scope: int, role: int = 0) -> int:
        made = self.made
        for child in node.named_children:
            left, right = child.child_by_field_name("left"), child.child_by_field_name("right")
            if not made or left is None or right is None or left.type != "identifier":
                self.visit(child, scope)
                continue
            self.row(Op.ATTR, made, self.name(left), left.start_byte, Role.WRITE)
            self.made = 0
            self.visit(right, scope)
            self.made = made
        return 0

    def access(self, node: Node, scope: int, role: int = 0) -> int:
        owner, name = node.child_by_field_name("expression"), node.child_by_field_name("name")
        word = node.children[0].type
        if word in ("this", "base"):
            value = self.this(node, scope) if word == "this" else self.parent(node, scope)
        else:
            value = self.visit(owner, scope) if owner is not None else 0
        return self.taken(value, name, scope, role) if name is not None else value

    def only(self, node: Node, scope: int, role: int = 0) -> int:
        # The word has no named node, so no handler.
        if not node.named_child_count and any(child.type == "this" for child in node.children):
            return self.this(node, scope)
        return super().only(node, scope, role)

    def taken(self, value: int, name: Node, scope: int, role: int) -> int:
        """A member, with the types that it is told."""
        leaf, *told = name.named_children or [name]
        member = self.row(Op.ATTR, value, self.name(leaf), leaf.start_byte, role)
        types = [self.visit(c, scope, Role.TYPE) for arguments in told for c in arguments.named_children]
        return self.row(Op.INDEX, member, self.items(types)) if types else member

    def conditional_access(self, node: Node, scope: int, role: int = 0) -> int:
        parts = node.named_children
        saved = self.receiver
        self.receiver = self.visit(parts[0], scope) if parts else 0
        value = 0
        for child in parts[1:]:
            value = self.visit(child, scope, role)
        self.receiver = saved
        return value

    def bound_member(self, node: Node, scope: int, role: int = 0) -> int:
        name = node.child_by_field_name("name")
        return self.taken(self.receiver, name, scope, role) if name is not None else 0

    def parameter(self, node: Node, scope: int) -> None:
        if node.type in _TYPES_OF_MANY:
            # ``params Type[] name`` has no node of its own.
            self.every = self.visit(node, scope, Role.TYPE)
            return
        if self.every and node.type == "identifier":
            self.bind(scope, self.name(node), node.start_byte, Bind.VARIABLE, self.every)
            self.bind(scope, self.intern(REST.encode()), node.start_byte, Bind.PARAMETER, self.every)
            self.every = 0
            return
        super().parameter(node, scope)
        name = node.child_by_field_name("name")
        if name is not None and any(c.type == "modifier" and self.text(c) == "this" for c in node.children):
            self.scopes[scope].receiver = self.name(name)

    def namespace(self, node: Node, scope: int, role: int = 0) -> int:
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        label = "".join(self.text(name).split()) if name is not None else ""
        inner = scope
        if label:
            # The file's own namespace is where its top-level names live for every other file.
            self.bind(0, self.intern(b"namespace"), node.start_byte, Bind.OPAQUE, self.imported(label))
            inner = self.scope(ScopeKind.NAMESPACE, scope)
        outer = self.space
        self.space = "::".join(part for part in (outer, label.replace(".", "::")) if part)
        if body is not None:
            self.children(body, inner)
            self.space = outer
            return 0
        for child in node.named_children:
            if child != name:
                self.visit(child, inner)
        return 0

    def field(self, node: Node, scope: int, role: int = 0) -> int:
        for child in node.named_children:
            if child.type == "variable_declaration":
                self.declarators(child, scope, Kind.FIELD, node)
            else:
                self.visit(child, scope)
        return 0

    def variables_(self, node: Node, scope: int, role: int = 0) -> int:
        return self.declarators(node, scope, "", node)

    def declarators(self, node: Node, scope: int, kind: str, whole: Node) -> int:
        of = node.child_by_field_name("type")
        annotation = self.visit(of, scope, Role.TYPE) if of is not None else 0
        listed = [c for c in node.named_children if c.type == "variable_declarator"]
        for declarator in listed:
            name, value = declarator.child_by_field_name("name"), 0
            saved, self.declared = self.declared, annotation
            for child in declarator.named_children:
                if child != name:
                    value = self.visit(child, scope) or value
            self.declared = saved
            if name is not None:
                self.assign(name, scope, annotation, value, kind, whole if len(listed) == 1 else declarator)
        return 0

    def property_(self, node: Node, scope: int, role: int = 0) -> int:
        name, of = node.child_by_field_name("name"), node.child_by_field_name("type")
        annotation = self.visit(of, scope, Role.TYPE) if of is not None else 0
        if name is not None:
            self.assign(name, scope, annotation, 0, Kind.PROPERTY, node)
        inner = self.scope(ScopeKind.FUNCTION, scope, owner=self.scopes[scope].owner)
        self.scopes[inner].result = annotation
        for child in node.named_children:
            if child not in (name, of):
                self.visit(child, inner)
        return 0

    def constant(self, node: Node, scope: int, role: int = 0) -> int:
        name = node.child_by_field_name("name")
        if name is not None:
            self.assign(name, scope, 0, 0, Kind.MEMBER, node)
        return 0

    def using(self, node: Node, scope: int, role: int = 0) -> int:
        alias = node.child_by_field_name("name")
        path = next((c for c in node.named_children if c != alias), None)
        if path is None:
            return 0
        number = self.imported("".join(self.text(path).split()))
        if alias is not None:
            value = self.visit(path, scope)
            self.bind(scope, self.name(alias), alias.start_byte, Bind.LINK, value)
        else:
            self.bind(scope, self.intern(b"*"), node.start_byte, Bind.STAR, number)
        return 0

    def for_each(self, node: Node, scope: int, role: int = 0) -> int:
        inner = self.scope(ScopeKind.BLOCK, scope, owner=self.scopes[scope].owner)
        of, name = node.child_by_field_name("type"), node.child_by_field_name("left")
        source, body = node.child_by_field_name("right"), node.child_by_field_name("body")
        value = self.row(Op.ELEMENT, self.visit(source, scope)) if source is not None else 0
        annotation = self.visit(of, inner, Role.TYPE) if of is not None else 0
        for leaf in self.binding_names(name) if name is not None else ():
            self.bind(inner, self.name(leaf), leaf.start_byte, Bind.VARIABLE, annotation, value)
        return self.visit(body, inner) if body is not None else 0

    def from_(self, node: Node, scope: int, role: int = 0) -> int:
        """``from x in many`` and ``join x in many on …``: a name for each of many."""
        of = node.child_by_field_name("type")
        annotation = self.visit(of, scope, Role.TYPE) if of is not None else 0
        name, *rest = [child for child in node.named_children if child != of]
        value = self.row(Op.ELEMENT, self.visit(rest[0], scope)) if rest else 0
        self.bind(scope, self.name(name), name.start_byte, Bind.VARIABLE, annotation, value)
        for child in rest[1:]:
            self.visit(child, scope)
        return 0

    def let(self, node: Node, scope: int, role: int = 0) -> int:
        name, *rest = node.named_children
        value = self.visit(rest[-1], scope) if rest else 0
        self.bind(scope, self.name(name), name.start_byte, Bind.VARIABLE, 0, value)
        return 0

    def as_(self, node: Node, scope: int, role: int = 0) -> int:
        values = [self.visit(c, scope, Role.TYPE if n else 0) for n, c in enumerate(node.named_children)]
        return self.row(Op.TYPED, values[-1]) if values else 0

    def pattern(self, node: Node, scope: int, role: int = 0) -> int:
        of, name = node.child_by_field_name("type"), node.child_by_field_name("name")
        annotation = self.visit(of, scope, Role.TYPE) if of is not None else 0
        if name is not None:
            self.bind(scope, self.name(name), name.start_byte, Bind.VARIABLE, annotation)
        return 0


class CSharpRules(OpenRules):
    """How files of CSharp see each other."""

    types_beside_members: ClassVar[bool] = True

    transparent: ClassVar[frozenset[str]] = frozenset({"Task", "ValueTask", "Nullable", "Expression"})
    sequences: ClassVar[frozenset[str]] = frozenset(
        {
            "List",
            "IList",
            "IEnumerable",
            "IAsyncEnumerable",
            "ICollection",
            "IReadOnlyList",
            "IReadOnlyCollection",
            "HashSet",
            "ISet",
            "Queue",
            "Stack",
        }
    )
    mappings: ClassVar[frozenset[str]] = frozenset(
        {"Dictionary", "IDictionary", "IReadOnlyDictionary", "ConcurrentDictionary"}
    )
    element_methods: ClassVar[frozenset[str]] = frozenset(
        {
            "First",
            "FirstOrDefault",
            "Single",
            "SingleOrDefault",
            "Last",
            "LastOrDefault",
            "ElementAt",
            "Dequeue",
            "Pop",
            "Peek",
            "Find",
            "FindLast",
            "MinBy",
            "MaxBy",
            "FirstAsync",
            "FirstOrDefaultAsync",
            "SingleAsync",
            "SingleOrDefaultAsync",
        }
    )
    container_methods: ClassVar[frozenset[str]] = frozenset(
        {
            "ToList",
            "ToArray",
            "Where",
            "OrderBy",
            "OrderByDescending",
            "ThenBy",
            "ThenByDescending",
            "AsEnumerable",
            "AsQueryable",
            "ToHashSet",
            "ToListAsync",
            "ToArrayAsync",
            "TakeWhile",
            "SkipWhile",
            "DistinctBy",
            "FindAll",
            "Append",
            "Prepend",
            "Union",
            "Except",
            "Intersect",
            "AsNoTracking",
            "Include",
            "Skip",
            "Take",
            "Distinct",
            "Concat",
            "Reverse",
        }
    )
    same_methods: ClassVar[frozenset[str]] = frozenset({"ConfigureAwait"})
    callback_methods: ClassVar[frozenset[str]] = frozenset(
        {
            "Where",
            "Select",
            "SelectMany",
            "Any",
            "All",
            "First",
            "FirstOrDefault",
            "Single",
            "SingleOrDefault",
            "Last",
            "LastOrDefault",
            "AnyAsync",
            "AllAsync",
            "FirstAsync",
            "FirstOrDefaultAsync",
            "SingleAsync",
            "SingleOrDefaultAsync",
            "OrderBy",
            "OrderByDescending",
            "ThenBy",
            "ThenByDescending",
            "GroupBy",
            "ToDictionary",
            "ToLookup",
            "Sum",
            "Min",
            "Max",
            "MinBy",
            "MaxBy",
            "Average",
            "Count",
            "TakeWhile",
            "SkipWhile",
            "DistinctBy",
            "ForEach",
            "Find",
            "FindAll",
            "FindIndex",
            "FindLast",
            "Exists",
            "RemoveAll",
            "RemoveWhere",
            "TrueForAll",
            "ConvertAll",
            "Include",
            "Sort",
        }
    )
    comparing_methods: ClassVar[frozenset[str]] = frozenset({"Sort"})
    mapping_methods: ClassVar[frozenset[str]] = frozenset({"Select", "ConvertAll"})
    function_forms: ClassVar[Mapping[str, str]] = {
        "Func": "gives",
        "Converter": "gives",
        "Action": "takes",
        "Predicate": "takes",
        "Comparison": "compares",
    }
    class_constructors: ClassVar[bool] = True
    extension_methods: ClassVar[bool] = True
    reopened: ClassVar[bool] = True
    overloads: ClassVar[bool] = True
    text_type: ClassVar[str] = "string"
    any_types: ClassVar[frozenset[str]] = frozenset({"object"})
    language: ClassVar[str] = "csharp"
    endings: ClassVar[tuple[str, ...]] = (".cs",)
    bare_members: ClassVar[bool] = True


def _grammar() -> Any:
    import tree_sitter_c_sharp

    return tree_sitter_c_sharp.language()


CSHARP: Final = Language("csharp", _grammar, CSharpWalk, CSharpRules, namespaces=True)
