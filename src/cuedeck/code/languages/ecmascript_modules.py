"""JavaScript and TypeScript: imports, exports and CommonJS as facts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from cuedeck.code.facts import NAMING, OP_MASK, Bind, Facts, Kind, Op, Role, ScopeKind
from cuedeck.code.languages.table import TableWalk, first_of

if TYPE_CHECKING:
    from tree_sitter import Node

# What a CommonJS module is as a whole: ``module.exports = …`` and ``export = …`` bind it.
WHOLE: Final = b"="
_DEFAULT: Final = b"default"
# What a module is as a whole is also what others import as its default.
_AS_A_WHOLE: Final = (WHOLE, _DEFAULT)
_EXPORTS: Final = (b"exports", b"module.exports")
# Marks the blocks of ``declare module "x"``.
AUGMENTS: Final = "declare module"
MODULE_MARK: Final = "export"


class ModuleWalk(TableWalk):
    """The statements that tie a file to others."""

    is_module = False
    exporting: tuple[str, ...] = ("exports", "module.exports")  # what the file's exports are called in it

    def __init__(self, source: bytes, table: Any) -> None:
        super().__init__(source, table)
        self.reads_exports = b"exports." in source
        # Names that namespaces export, with the expressions that say so.
        self.listed: list[tuple[int, int]] = []

    def finish(self, language: str, *, broken: bool) -> Facts:
        self.pass_on()
        return super().finish(language, broken=broken)

    def member(self, node: Node, scope: int, role: int = 0) -> int:
        """``exports.x`` is what the file exports as x; any other member is one."""
        name = self.exported_name(node) if self.reads_exports and role != Role.WRITE else None
        if name is None:
            return super().member(node, scope, role)
        return self.row(Op.NAME, 0, self.name(name), name.start_byte, role)

    def mark_module(self, node: Node, scope: int) -> None:
        """A file that imports or exports is a module: its names are not global."""
        if not scope and not self.is_module:
            self.is_module = True
            self.bind(0, self.intern(MODULE_MARK.encode()), node.start_byte, Bind.OPAQUE)

    def import_(self, node: Node, scope: int, role: int = 0) -> int:
        self.mark_module(node, scope)
        for clause in node.named_children:
            if clause.type == "import_require_clause":
                return self.required(clause, scope)
        fragment = self.fragment(node)
        if fragment is None:
            return 0
        number = self.imported(self.text(fragment))
        self.row(Op.MODULE, number, self.intern(self.stem(fragment)), fragment.start_byte, Role.IMPORT)
        for clause in node.named_children:
            for child in clause.named_children if clause.type == "import_clause" else ():
                if child.type == "identifier":
                    self.taken(child, scope, number, _DEFAULT)
                elif child.type == "namespace_import" and child.named_child_count:
                    name = child.named_children[0]
                    self.bind(scope, self.name(name), name.start_byte, Bind.MODULE, number, 1)
                elif child.type == "named_imports":
                    self.specifiers(child, scope, number)
        return 0

    def taken(self, name: Node, scope: int, number: int, original: bytes) -> None:
        # The name stands for what is imported under another: it is a reference by itself.
        self.row(Op.IMPORTED, number, self.intern(original), name.start_byte, Role.IMPORT)
        self.bind(scope, self.name(name), name.start_byte, Bind.IMPORT, number, self.intern(original))

    def required(self, clause: Node, scope: int) -> int:
        """``import x = require("y")``."""
        fragment = self.fragment(clause)
        name = clause.named_children[0]
        if fragment is not None and name.type == "identifier":
            self.loaded(name, scope, self.imported(self.text(fragment)))
        return 0

    def import_alias(self, node: Node, scope: int, role: int = 0) -> int:
        """``import x = a.b.c``: a second name for a member of a namespace."""
        parts = [child for child in node.named_children if child.type != "comment"]
        if len(parts) == 2:
            target = self.visit(parts[1], scope, Role.IMPORT)
            self.bind(scope, self.name(parts[0]), parts[0].start_byte, Bind.LINK, target)
        return 0

    def loaded(self, name: Node, scope: int, number: int) -> None:
        """A name for a CommonJS module: for what it exports as a whole, and for its members."""
        self.taken(name, scope, number, WHOLE)
        self.bind(scope, self.name(name), name.start_byte, Bind.MODULE, number, 1)

    def fragment(self, node: Node) -> Node | None:
        source = node.child_by_field_name("source")
        parts = source.named_children if source is not None else ()
        return next((c for c in parts if c.type == "string_fragment"), None)

    def unquoted(self, name: Node) -> Node:
        """A name without the quotation marks that it may stand in."""
        if name.type == "computed_property_name" and name.named_child_count == 1:
            name = name.named_children[0] if name.named_children[0].type == "string" else name
        inside = name.named_children if name.type == "string" else ()
        return next((c for c in inside if c.type == "string_fragment"), name)

    def key_in(self, name: Node) -> int:
        """What a member is called whose key is the symbol that a variable holds, and the type of that."""
        return self.intern(b"[" + self.source[name.start_byte : name.end_byte] + b"]")

    def bind_key(self, key: Node, scope: int, annotation: int, value: int) -> None:
        """``[key]: …``: what is held under the key that a variable holds."""
        held = key.named_children[0] if key.named_child_count == 1 else None
        if held is not None and held.type == "identifier":
            self.bind(scope, self.key_in(held), key.start_byte, Bind.VARIABLE, annotation, value)

    def stem(self, fragment: Node) -> bytes:
        """The name by which a module's file is known."""
        last = self.source[fragment.start_byte : fragment.end_byte].rstrip(b"/").rsplit(b"/", 1)[-1]
        return last.split(b".")[0] or last

    def specifiers(self, node: Node, scope: int, number: int) -> None:
        for child in node.named_children:
            name = child.child_by_field_name("name")
            if name is None:
                continue
            local = child.child_by_field_name("alias") or name
            self.row(Op.IMPORTED, number, self.name(name), name.start_byte, Role.IMPORT)
            self.bind(scope, self.name(local), local.start_byte, Bind.IMPORT, number, self.name(name))

    def export(self, node: Node, scope: int, role: int = 0) -> int:
        fragment = self.fragment(node)
        number = self.imported(self.text(fragment)) if fragment is not None else -1
        if fragment is not None:
            self.row(Op.MODULE, number, self.intern(self.stem(fragment)), fragment.start_byte, Role.IMPORT)
        words = {c.type for c in node.children if not c.is_named}
        self.mark_module(node, scope)
        clause = False
        for child in node.named_children:
            if child.type == "export_clause":
                clause = True
                if number >= 0:
                    self.specifiers(child, scope, number)
                else:
                    self.local_exports(child, scope)
            elif child.type == "namespace_export" and number >= 0 and child.named_child_count:
                clause = True
                name = child.named_children[0]
                self.bind(scope, self.name(name), name.start_byte, Bind.MODULE, number, 1)
            elif child.type != "string":
                value = self.exported_value(child, scope)
                labels = (_DEFAULT,) if "default" in words else _AS_A_WHOLE if "=" in words else ()
                for label in labels if child.type not in ("decorator", "comment") else ():
                    self.exported(label, scope, child.start_byte, value)
        if number >= 0 and not clause:
            self.bind(scope, self.intern(b"*"), node.start_byte, Bind.STAR, number)
        return 0

    def exported(self, label: bytes, scope: int, at: int, value: int) -> None:
        """Bind what a module exports under no name of its own: something that has one, or a mere value."""
        if self.rows[4 * value] & OP_MASK in NAMING:
            self.bind(scope, self.intern(label), at, Bind.LINK, value)
        else:
            self.bind(scope, self.intern(label), at, Bind.VARIABLE, 0, value)

    def exported_value(self, node: Node, scope: int) -> int:
        value = self.visit(node, scope)
        declared = first_of(node) if node.type == "ambient_declaration" else node
        label = declared.child_by_field_name("name") if declared is not None else None
        if label is not None and label.type in ("identifier", "type_identifier"):
            return self.row(Op.NAME, scope, self.name(label), label.start_byte, Role.EXPORT)
        return value

    def local_exports(self, node: Node, scope: int) -> None:
        for child in node.named_children:
            name, alias = child.child_by_field_name("name"), child.child_by_field_name("alias")
            if name is None:
                continue
            value = self.row(Op.NAME, scope, self.name(name), name.start_byte, Role.EXPORT)
            if alias is not None and self.name(alias) != self.name(name):
                self.bind(scope, self.name(alias), alias.start_byte, Bind.LINK, value)
            elif self.scopes[scope].kind == ScopeKind.NAMESPACE:
                self.listed.append((scope, value))

    def pass_on(self) -> None:
        """What a namespace exports but does not declare is what the name means around it."""
        for scope, value in self.listed:
            _, _, number, at = self.rows[4 * value : 4 * value + 4]
            if number not in self.names[scope]:
                self.rows[4 * value + 1] = self.scopes[scope].parent
                self.bind(scope, number, at - self.base, Bind.LINK, value)

    def augment(self, name: Node, inner: int) -> None:
        """``declare module "x"`` adds to what a module declares."""
        fragment = next((c for c in name.named_children if c.type == "string_fragment"), None)
        if fragment is not None:
            number = self.imported(self.text(fragment))
            marker = self.intern(AUGMENTS.encode())
            self.bind(0, marker, fragment.start_byte, Bind.NAMESPACE, inner, number)

    # -- CommonJS

    def require_source(self, node: Node | None) -> Node | None:
        """The module that ``require("…")`` or ``import("…")`` names."""
        while node is not None and node.type in ("await_expression", "parenthesized_expression"):
            node = first_of(node)
        if node is None or node.type != "call_expression":
            return None
        callee, given = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        if callee is None or self.text(callee) not in ("require", "import"):
            return None
        first = first_of(given) if given is not None else None
        if first is None or first.type != "string":
            return None
        return next((c for c in first.named_children if c.type == "string_fragment"), None)

    def load(self, name: Node, value: Node | None, scope: int) -> bool:
        """``const x = require("…")``, ``… .y`` and ``const {a, b: c} = require("…")``; whether it was one."""
        part = None
        if not scope and value is not None and self.source[value.start_byte : value.end_byte] in _EXPORTS:
            # ``const x = exports``: another name for what the file exports.
            self.exporting = (*self.exporting, self.text(name))
        if value is not None and value.type == "member_expression" and name.type == "identifier":
            part, value = value.child_by_field_name("property"), value.child_by_field_name("object")
            if value is None or value.type != "call_expression":
                # What is awaited is a value like others.
                return False
        fragment = self.require_source(value)
        if fragment is None or name.type not in ("identifier", "object_pattern") or _is_exported(name):
            return False
        if name.type == "object_pattern" and value is not None and value.type == "await_expression":
            # What is taken out of ``await import("…")`` are variables of their own.
            return False
        number = self.imported(self.text(fragment))
        self.row(Op.MODULE, number, self.intern(self.stem(fragment)), fragment.start_byte, Role.IMPORT)
        if part is not None:
            self.row(Op.IMPORTED, number, self.name(part), part.start_byte, Role.IMPORT)
            self.bind(scope, self.name(name), name.start_byte, Bind.IMPORT, number, self.name(part))
            return True
        if name.type == "identifier":
            self.loaded(name, scope, number)
            return True
        for child in name.named_children:
            key, local = child.child_by_field_name("key"), child.child_by_field_name("value")
            if child.type == "shorthand_property_identifier_pattern":
                key = local = child
            if key is not None and local is not None and not local.named_child_count:
                self.row(Op.IMPORTED, number, self.name(key), key.start_byte, Role.IMPORT)
                self.bind(scope, self.name(local), local.start_byte, Bind.IMPORT, number, self.name(key))
        return True

    def exported_name(self, left: Node) -> Node | None:
        """The name that ``exports.x = …`` exports."""
        if left.type != "member_expression":
            return None
        owner, name = left.child_by_field_name("object"), left.child_by_field_name("property")
        if owner is not None and self.text(owner) in self.exporting:
            return name
        return None

    def export_common(self, name: Node, right: Node, node: Node, value: int, *, function: bool) -> None:
        """``exports.x = …``: the same name when it exports a declaration, else a new symbol."""
        number = self.name(name)
        if right.type == "identifier" and self.name(right) != number:
            self.bind(0, number, name.start_byte, Bind.LINK, value)
            return
        if right.type == "identifier" and number in self.names[0]:
            return
        self.bind(0, number, name.start_byte, Bind.VARIABLE, 0, value)
        if not function and right.type != "identifier" and (0, number) not in self.defined:
            self.defined.add((0, number))
            self.define(Kind.VARIABLE, name, node, 0)

    def export_whole(self, right: Node, value: int) -> None:
        """``module.exports = …``: as a whole, as the default, and member by member."""
        for label in _AS_A_WHOLE:
            self.exported(label, 0, right.start_byte, value)
        for child in right.named_children if right.type == "object" else ():
            key, given = child.child_by_field_name("key"), child.child_by_field_name("value")
            if child.type != "pair" or key is None or given is None or given.type != "identifier":
                continue
            if self.name(key) != self.name(given):
                target = self.row(Op.NAME, 0, self.name(given), given.start_byte, Role.EXPORT)
                self.bind(0, self.name(key), key.start_byte, Bind.LINK, target)


def _is_exported(name: Node) -> bool:
    """Whether a variable is exported where it is declared, which makes it one of this file."""
    declaration = name.parent.parent if name.parent is not None else None
    whole = declaration.parent if declaration is not None else None
    return whole is not None and whole.type == "export_statement"
