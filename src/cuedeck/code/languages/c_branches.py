"""Branches of ``#if`` that a grammar of whole declarations cannot read: all but one of them are left out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from cuedeck.code.extraction.draft import Range

_DIRECTIVE: Final = re.compile(
    rb"[ \t]*#[ \t]*(ifdef|ifndef|if|elifdef|elifndef|elif|else|endif)\b(.*)", re.S
)
_WORDLESS: Final = re.compile(rb"//[^\n]*|/\*.*?(?:\*/|\Z)|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'", re.S)
_BRANCH: Final = re.compile(rb"(?m)^[ \t]*#[ \t]*(?:if|ifdef|ifndef)\b")
_OTHER: Final = re.compile(rb"[^\n]")
_BRACKET: Final = re.compile(rb"[][(){}]")
# What a statement cannot end with: the one below belongs to it.
_UNENDED: Final = re.compile(
    rb"(?:\belse|\bdo|[=(?]|&&|\|\||^(?:\}?\s*else\s+)?(?:if|for|while|switch)\b.*\)"
    rb"|^(?!(?:default|public|private|protected|signals|slots)\b)[A-Za-z_]\w*\s*:)\Z"
)
_ELSE: Final = re.compile(rb"else\b")
_ENDS: Final = (b";", b"{", b"}", b":", b"")
# What the head of a function or a type ends with, before the brace of its body.
_HEAD: Final = re.compile(rb"[\w)>]\Z")


@dataclass
class _Group:
    """An ``#if`` with its branches."""

    directives: list[Range]
    torn: bool  # it begins inside an expression, or ends inside a statement
    never: bool  # its first branch is read by no compiler, and often is no code at all
    branches: list[Range] = field(default_factory=list)
    depths: list[int] = field(default_factory=lambda: [0])
    begun: int = 0
    headed: bool = False  # a branch ends with the head of what follows all of them

    @property
    def is_torn(self) -> bool:
        return self.torn or any(self.depths)

    @property
    def kept(self) -> int:
        """The branch that is read; behind the last if none is."""
        return int(self.never)


def torn_branches(source: bytes) -> Iterator[Range]:
    """What to leave out, where branches open what they do not close or stand in the middle of something."""
    if not _BRANCH.search(source):
        return
    text = _WORDLESS.sub(_spaces, source)
    groups: list[_Group] = []
    headless: _Group | None = None
    last, ending, place, inside = b"", b"", 0, False
    for line in text.splitlines(keepends=True):
        span, place = (place, place + len(line)), place + len(line)
        found = None if inside else _DIRECTIVE.match(line)
        directive = inside or line.lstrip().startswith(b"#")
        inside = directive and line.rstrip().endswith(b"\\")
        if found is not None:
            word, told = found[1], found[2]
            if word.startswith(b"if"):
                torn = last not in _ENDS and b"__cplusplus" not in told
                groups.append(_Group([span], torn, word == b"if" and told.strip() == b"0", begun=place))
                ending = b""
            elif groups:
                group = groups[-1]
                group.directives.append(span)
                group.branches.append((group.begun, span[0]))
                group.begun = place
                group.torn = group.torn or (ending != b"" and _UNENDED.search(ending) is not None)
                group.headed = group.headed or _HEAD.search(ending) is not None
                ending = b""
                if word != b"endif":
                    group.depths.append(0)
                else:
                    groups.pop()
                    if groups:
                        groups[-1].depths[-1] += sum(group.depths[group.kept : group.kept + 1])
                    yield from _left_out(group, source)
                    headless = group if group.headed and not group.is_torn else None
        elif not directive:
            stripped = line.strip()
            if headless is not None and stripped:
                headless.torn = stripped.startswith(b"{")
                yield from _left_out(headless, source)
                headless = None
            # A lone colon begins a constructor's initialisers.
            last = b"," if stripped == b":" else stripped[-1:] or last
            if groups:
                # What begins with ``else`` goes on with what is above the directive.
                groups[-1].torn = groups[-1].torn or (not ending and _ELSE.match(stripped) is not None)
                for bracket in _BRACKET.findall(stripped):
                    groups[-1].depths[-1] += 1 if bracket in b"({[" else -1
            ending = stripped or ending


def _spaces(found: re.Match[bytes]) -> bytes:
    text = found[0]
    return b" " * len(text) if b"\n" not in text else _OTHER.sub(b" ", text)


def _left_out(group: _Group, source: bytes) -> Iterator[Range]:
    if group.is_torn and b"__cplusplus" not in source[slice(*group.directives[0])]:
        yield from group.directives
        yield from (branch for number, branch in enumerate(group.branches) if number != group.kept)
    elif group.never:
        yield group.branches[0]
