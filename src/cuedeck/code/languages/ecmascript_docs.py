"""JavaScript: the types in its comments: ``@type``, ``@param``, ``@returns``, ``@this``, ``@import``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from cuedeck.code.facts import INSTANCE, Bind, Kind, Op, Role, ScopeKind
from cuedeck.code.languages.ecmascript import EcmaWalk

if TYPE_CHECKING:
    from tree_sitter import Node

_TAG: Final = re.compile(rb"@(type|param|arg|argument|returns?|this)\b[ \t]*(\{)?")
_PARAMETER: Final = re.compile(rb"[\s*]*\[?[ \t]*([\w$]+)(?:\.([\w$]+))?(?![\w$.\[])")
_BRACES: Final = re.compile(rb"[{}]")
_IMPORT: Final = re.compile(
    rb"@import[ \t]{1,9}(?:([\w$]+)[ \t]{0,9}(?:,[ \t]{0,9})?)?"
    rb"(?:\*[ \t]{1,9}as[ \t]{1,9}([\w$]+)|\{([^{}]*)\})?[\s*]{0,40}from[ \t]{0,9}(['\"])([^'\"\n]+)\4"
)
_IMPORTED: Final = re.compile(rb"(?:type[ \t]+)?([\w$]+)(?:[\s*]+as[\s*]+([\w$]+))?")
_TYPEDEF: Final = re.compile(rb"@typedef[ \t]+\{")
_WORD: Final = re.compile(rb"[\s*]*([A-Za-z_$][\w$]*)")
_KEY: Final = re.compile(rb"[\s*]*['\"]?([A-Za-z_$][\w$]*)['\"]?\??[ \t]*:")
_MODULE: Final = re.compile(rb"[\s*]*import\([ \t]*(['\"])([^'\"\n]+)\1[ \t]*\)")
_BLANK: Final = re.compile(rb"[\s*]*")
_TEXT: Final = re.compile(rb"'[^'\n]*'|\"[^\"\n]*\"|-?\d[\w.]*|`[^`]*`")
_PLAIN: Final = frozenset(
    b"string number boolean bigint symbol any unknown never void null undefined object Object true false"
    b" const Function function".split()
)
_AROUND: Final = frozenset(
    {
        "variable_declarator",
        "lexical_declaration",
        "variable_declaration",
        "export_statement",
        "pair",
        "assignment_expression",
        "expression_statement",
        "parenthesized_expression",
        "return_statement",
        "field_definition",
    }
)
_MAX_DEPTH: Final = 6


def _behind_braces(source: bytes, at: int, end: int) -> int:
    """Where the braces that open at a place are closed, or the end."""
    depth = 0
    for found in _BRACES.finditer(source, at, end):
        depth += 1 if found[0] == b"{" else -1
        if not depth:
            return found.end()
    return end


class DocWalk(EcmaWalk):
    """Reads the types that comments say as if they were annotations."""

    def __init__(self, source: bytes, table: Any) -> None:
        super().__init__(source, table)
        self.parameter_types: dict[bytes, int] = {}
        self.comments_read: dict[int, dict[bytes, int]] = {}  # by where a comment begins

    def run(self, root: Node) -> bool:
        self.comment_imports()
        return super().run(root)

    # -- names that comments bring into a file

    def comment_imports(self) -> None:
        start = self.source.find(b"/**")
        while start >= 0 and (end := self.source.find(b"*/", start)) >= 0:
            for found in _IMPORT.finditer(self.source, start, end):
                self.comment_import(found)
            for found in _TYPEDEF.finditer(self.source, start, end):
                of, at = self.type_at(found.end(), end, 0)
                name = _WORD.match(self.source, at + 1, end) if self.source[at : at + 1] == b"}" else None
                if name is not None and of:
                    self.bind(0, self.intern(name[1]), name.start(1), Bind.ALIAS, of)
            start = self.source.find(b"/**", end)

    def comment_import(self, found: re.Match[bytes]) -> None:
        number = self.imported(found[5].decode("utf-8", "replace"))
        if found[1] is not None:
            self.import_name(number, b"default", found[1], found.start(1))
        if found[2] is not None:
            self.bind(0, self.intern(found[2]), found.start(2), Bind.MODULE, number, 1)
        for name in _IMPORTED.finditer(self.source, *found.span(3)) if found[3] is not None else ():
            self.import_name(number, name[1], name[2] or name[1], name.start(1))

    def import_name(self, number: int, name: bytes, local: bytes, at: int) -> None:
        self.row(Op.IMPORTED, number, self.intern(name), at, Role.IMPORT)
        self.bind(0, self.intern(local), at, Bind.IMPORT, number, self.intern(name))

    # -- comments above declarations

    def told(self, node: Node, scope: int) -> dict[bytes, int]:
        """What the comment above a node says, by tag; parameters by name behind a blank."""
        comment = self.comment_above(node)
        if comment is None or not self.source.startswith(b"/**", comment.start_byte):
            return {}
        if comment.start_byte in self.comments_read:
            return self.comments_read[comment.start_byte]
        said = self.comments_read[comment.start_byte] = {}
        places: dict[bytes, int] = {}
        members: dict[bytes, int] = {}
        for tag in _TAG.finditer(self.source, comment.start_byte, comment.end_byte):
            of, at = self.type_at(tag.end(), comment.end_byte, scope) if tag[2] else (0, tag.end())
            known = of and self.source[at : at + 1] == b"}"
            kind = tag[1]
            if kind[:1] in b"pa":
                behind = _behind_braces(self.source, tag.start(2), comment.end_byte) if tag[2] else at
                name = _PARAMETER.match(self.source, behind, comment.end_byte)
                if name is not None and name[2]:
                    self.told_member(name, scope, of if known else 0, members)
                elif name is not None:
                    place = places.setdefault(name[1], len(places))
                    if known:
                        said.setdefault(b" " + name[1], of)
                        said.setdefault(b" %d" % place, of)
            elif known:
                said.setdefault(b"returns" if kind[:1] == b"r" else kind, of)
        for owner, inner in members.items():
            if self.rows[4 * said.get(b" " + owner, 0)] in (Op.UNKNOWN, Op.LITERAL):
                said[b" " + owner] = said[b" %d" % places.get(owner, -1)] = self.row(Op.SELF, inner)
        return said

    def told_member(self, name: re.Match[bytes], scope: int, of: int, members: dict[bytes, int]) -> None:
        """``@param {X} options.name``: a member of an object whose type is only told like this."""
        if name[1] not in members:
            members[name[1]] = self.scope(ScopeKind.CLASS, scope)
        self.bind(members[name[1]], self.intern(name[2]), name.start(2), Bind.VARIABLE, of)

    def comment_above(self, node: Node) -> Node | None:
        above: Node | None = node
        while above is not None:
            before = above.prev_named_sibling
            if before is not None and before.type == "comment":
                return before
            parent = above.parent
            above = parent if parent is not None and parent.type in _AROUND else None
        return None

    def annotation(self, node: Node, scope: int) -> int:
        written = super().annotation(node, scope)
        if written or node.type not in ("variable_declarator", "field_definition"):
            return written
        return self.told(node, scope).get(b"type", 0)

    def statement(self, node: Node, scope: int, role: int = 0) -> int:
        """``/** @type {X} */ this.name;`` declares a member."""
        of, member = self.told(node, scope).get(b"type", 0), node.named_children[:1]
        name = member[0].child_by_field_name("property") if member else None
        owner, around = member[0].child_by_field_name("object") if member else None, self.scopes[scope].owner
        if not of or name is None or owner is None or owner.type != "this" or around < 0:
            return super().statement(node, scope, role)
        known = self.name(name) in self.names[around]
        self.bind(around, self.name(name), name.start_byte, Bind.VARIABLE | INSTANCE, of)
        if not known:
            self.define(Kind.FIELD, name, node, around)
        return 0

    def assigned_type(self, node: Node, scope: int) -> int:
        return self.told(node, scope).get(b"type", 0)

    def signature_of(
        self, node: Node, inner: int, body: Node | None, expected: int = 0, result_field: str = "return_type"
    ) -> None:
        said = self.told(node, inner)
        if b"this" in said:
            self.receivers[inner] = said[b"this"]
        saved, self.parameter_types = self.parameter_types, said
        super().signature_of(node, inner, body, expected, result_field)
        self.parameter_types = saved
        if b"returns" in said and not self.scopes[inner].result:
            self.scopes[inner].result = said[b"returns"]

    def expected_of(self, node: Node, inner: int, expected: int) -> int:
        of = 0 if expected else self.told(node, inner).get(b"type", 0)
        return self.row(Op.TYPED, of) if of else expected

    def parameter_annotation(self, node: Node, target: Node, scope: int) -> int:
        written = super().parameter_annotation(node, target, scope)
        if written or not self.parameter_types:
            return written
        label = self.source[target.start_byte : target.end_byte]
        if target.type == "object_pattern" and node.parent is not None:
            # What is taken apart has no name: its place among the others counts.
            label = b"%d" % [c for c in node.parent.named_children if c.type != "comment"].index(node)
        return self.parameter_types.get(b" " + label, 0)

    def only(self, node: Node, scope: int, role: int = 0) -> int:
        of = self.said_of(node, scope)
        value = super().only(node, scope, role)
        return of or value

    def given(self, node: Node, scope: int, expected: int) -> int:
        of = self.said_of(node, scope)
        value = super().given(node, scope, of or expected)
        return of or value

    def said_of(self, node: Node, scope: int) -> int:
        """What stands in parentheses behind ``/** @type {X} */`` is an X."""
        if node.type != "parenthesized_expression":
            return 0
        whole, parent = node, node.parent
        while parent is not None and parent.start_byte == node.start_byte:
            whole, parent = parent, parent.parent
        before = whole.prev_named_sibling
        if before is None or before.type != "comment":
            return 0
        of = self.told(whole, scope).get(b"type", 0)
        return self.row(Op.TYPED, of) if of else 0

    # -- types

    def type_at(self, at: int, end: int, scope: int, depth: int = 0) -> tuple[int, int]:
        """The type that is written at a place, and where it ends; 0 for one that is not known."""
        parts: list[int] = []
        while True:
            part, at = self.type_part(at, end, scope, depth)
            parts.append(part)
            at = self.behind(at, end)
            if self.source[at : at + 1] not in (b"|", b"&"):
                break
            at += 1
        at += self.source[at : at + 1] == b"="
        return self.either(parts), at

    def type_part(self, at: int, end: int, scope: int, depth: int) -> tuple[int, int]:
        at = self.behind(at, end)
        while self.source[at : at + 1] in (b"?", b"!", b"."):
            at += 1
        if depth > _MAX_DEPTH:
            return 0, at
        if self.source[at : at + 1] == b"(":
            of, at = self.type_at(at + 1, end, scope, depth + 1)
            at = self.behind(at, end)
            at += self.source[at : at + 1] == b")"
        elif self.source[at : at + 1] == b"[":
            of, at = self.told_parts(at, end, scope, depth)
        elif self.source[at : at + 1] == b"{":
            of, at = self.told_members(at, end, scope, depth)
        elif (constant := _TEXT.match(self.source, at, end)) is not None:
            of, at = self.row(Op.LITERAL, 0, self.intern(constant[0])), constant.end()
        else:
            of, at = self.type_name(at, end, scope)
            if self.source[at : at + 1] == b"<" or self.source[at : at + 2] == b".<":
                of, at = self.told_type(of, at, end, scope, depth)
        while self.source[at : at + 2] == b"[]":
            of, at = self.row(Op.SEQUENCE, self.row(Op.TYPED, of)) if of else 0, at + 2
        return of, at + (self.source[at : at + 1] in (b"?", b"!"))

    def told_parts(self, at: int, end: int, scope: int, depth: int) -> tuple[int, int]:
        """``[A, B]``."""
        parts: list[int] = []
        while self.source[at : at + 1] in (b"[", b","):
            part, at = self.type_at(at + 1, end, scope, depth + 1)
            parts.append(part)
        at += self.source[at : at + 1] == b"]"
        return self.row(Op.TUPLE, 0, self.items(parts)), at

    def told_members(self, at: int, end: int, scope: int, depth: int) -> tuple[int, int]:
        """``{ a: A, b?: B }``."""
        inner = self.scope(ScopeKind.CLASS, scope)
        self.scopes[inner].owner = inner
        while self.source[at : at + 1] in (b"{", b",", b";") and (
            key := _KEY.match(self.source, at + 1, end)
        ):
            of, at = self.type_at(key.end(), end, scope, depth + 1)
            self.bind(inner, self.intern(key[1]), key.start(1), Bind.VARIABLE, of)
        at = self.behind(at + (self.source[at : at + 1] in (b",", b";")), end)
        at += self.source[at : at + 1] == b"}"
        return self.row(Op.SELF, inner), at

    def told_type(self, of: int, at: int, end: int, scope: int, depth: int) -> tuple[int, int]:
        """``X<A, B>``."""
        told: list[int] = []
        at = self.source.index(b"<", at)
        while self.source[at : at + 1] in (b"<", b","):
            part, at = self.type_at(at + 1, end, scope, depth + 1)
            told.append(part)
        at += self.source[at : at + 1] == b">"
        return self.row(Op.INDEX, of, self.items(told)) if of else 0, at

    def type_name(self, at: int, end: int, scope: int) -> tuple[int, int]:
        module = _MODULE.match(self.source, at, end)
        of = 0
        if module is not None:
            at = module.end()
            number = self.imported(module[2].decode("utf-8", "replace"))
            name = _WORD.match(self.source, at + 1, end) if self.source[at : at + 1] == b"." else None
            if name is None:
                return 0, at
            of, at = self.row(Op.IMPORTED, number, self.intern(name[1]), name.start(1), Role.TYPE), name.end()
        else:
            name = _WORD.match(self.source, at, end)
            if name is None:
                return 0, at
            at = name.end()
            if name[1] in (b"typeof", b"readonly"):
                name = _WORD.match(self.source, at, end)
                if name is None:
                    return 0, at
                at = name.end()
            if name[1] in _PLAIN:
                return self.row(Op.LITERAL, self.intern(name[1])), at
            of = self.row(Op.NAME, scope, self.intern(name[1]), name.start(1), Role.TYPE)
        while self.source[at : at + 1] == b"." and (name := _WORD.match(self.source, at + 1, end)):
            of, at = self.row(Op.ATTR, of, self.intern(name[1]), name.start(1), Role.TYPE), name.end()
        return of, at

    def behind(self, at: int, end: int) -> int:
        """Where the next part of a type begins, behind blanks and the stars that lines begin with."""
        found = _BLANK.match(self.source, at, end)
        return found.end() if found is not None else at
