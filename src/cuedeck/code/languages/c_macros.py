"""The names that the body of a C macro uses: its text is no syntax of its own, so its words are looked at."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, NamedTuple

from cuedeck.code.facts import Role

if TYPE_CHECKING:
    from cuedeck.code.extraction.draft import Range

_TOKEN: Final = re.compile(
    rb"//[^\n]*|/\*.*?\*/|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'"
    rb"|[A-Za-z_]\w*|\.?\d[\w.]*|->|\#\#|::|[^\s\\]",
    re.S,
)
_TAGS: Final = frozenset({b"struct", b"union", b"enum", b"class"})
# Behind these a name begins an expression; behind any other word it is declared.
_BEFORE_VALUES: Final = frozenset({b"return", b"sizeof", b"case", b"else", b"goto", b"do", b"new", b"throw"})
_WORDS: Final = frozenset(
    b"auto break case char const constexpr continue default delete do double else enum extern float for goto "
    b"if inline int long new nullptr operator register restrict return short signed sizeof static struct "
    b"switch template this throw typedef typename union unsigned using void volatile while class namespace "
    b"static_cast const_cast reinterpret_cast dynamic_cast noexcept defined __VA_ARGS__ "
    b"__attribute__ __inline __inline__ __extension__ __func__ __FILE__ __LINE__".split()
)


class Used(NamedTuple):
    """One name in a macro's body."""

    name: bytes
    start: int
    role: int
    is_tag: bool
    is_member: bool


def names_used(source: bytes, body: Range) -> Iterator[Used]:
    """The names in a body, without those that it declares, pastes together or turns into text."""
    tokens = [(found[0], found.start()) for found in _TOKEN.finditer(source, *body)]
    texts = [b"", *(text for text, _ in tokens), b""]
    declared = {texts[at] for at in range(1, len(texts) - 1) if _is_declared(texts, at)}
    for at, (text, start) in enumerate(tokens, 1):
        before, behind = texts[at - 1], texts[at + 1]
        if not _is_name(text) or before in (b"#", b"##") or behind == b"##":
            continue
        is_tag, is_member = before in _TAGS, before in (b".", b"->")
        if text in declared and not is_member:
            continue
        role = Role.TYPE if is_tag else Role.CALL if behind == b"(" else Role.READ
        yield Used(text, start, role, is_tag, is_member)


def _is_name(text: bytes) -> bool:
    return (text[:1].isalpha() or text[:1] == b"_") and text not in _WORDS


def _is_declared(texts: list[bytes], at: int) -> bool:
    """Whether a name follows its type, with a value or the end of a statement behind it."""
    if not _is_name(texts[at]) or texts[at + 1] not in (b"=", b";", b",", b"["):
        return False
    before = at - 1
    while texts[before] == b"*":
        before -= 1
    typed = texts[before][:1].isalpha() or texts[before][:1] == b"_"
    starred = before < at - 1
    return typed and texts[before] not in _BEFORE_VALUES | _TAGS and (not starred or texts[at + 1] == b"=")
