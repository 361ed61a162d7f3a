"""JavaScript and TypeScript that somebody is still typing, rewritten to the same length with all closed.

The grammar looks for the end of an open bracket or template through the rest of the file. Indentation tells
where it was meant to be: a line that is no deeper than the one on which a bracket is opened stands behind it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Final, NamedTuple

_TOKEN: Final = re.compile(
    rb"""(?P<comment>(?<!:)//[^\n]*)|(?P<remark>/\*)|"(?:[^"\\\n]|\\.)*+"|'(?:[^'\\\n]|\\.)*+'"""
    rb"""|(?P<text>["'])|(?P<template>`)|(?P<line>\n\s*)|(?P<slash>/)|(?P<bracket>[\[\](){}])""",
    re.DOTALL,
)
_TEXT: Final = re.compile(rb"(?:[^`\\$]|\\.|\$(?!\{))*(`|\$\{)", re.DOTALL)
_REGEX: Final = re.compile(
    rb"/(?:[^/\\\[\n*]|\\.|\[(?:[^\]\\\n]|\\.)*+\])(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*+\])*+/"
)
_BEFORE_REGEX: Final = re.compile(rb"(?:[=(,:;!&|?{}\[+*%~^-]|\b(?:return|typeof|case|of|in|await)|\A)\s*\Z")
_STATEMENT: Final = re.compile(
    rb"\n([ \t]*)(?:[}\])]|(?:export|import|const|let|var|function|class|interface|type|enum|return|if|for"
    rb"|while|switch|try|async|await|public|private|protected|static|describe|it|test)\b)"
)
_CONTINUES: Final = re.compile(
    rb"[.?:,&|+*%^=>{]|(?:case|default|instanceof|in|of|as|satisfies|extends|implements)\b"
)
_LISTED: Final = re.compile(rb"(?:[=(,:\[?&|]|\b(?:return|default))\s*\Z")
_FUNCTION: Final = re.compile(rb"\bfunction\b[\s*]*[\w$]*\s*(?:<[^<>()]*>)?\s*\Z")
_HEAD: Final = re.compile(
    rb"[ \t]*(?:\}[ \t]*)?(?:else[ \t]+)?(?:if|while|for|switch|catch)\b(?!.*(?:=>|\bfunction\b))"
)
_WAITING: Final = b" \t\r\n;,.+*%&|^=?:-"
_CLOSER: Final = {b"(": b")", b"[": b"]", b"{": b"}"}
_OPENER: Final = {closer: opener for opener, closer in _CLOSER.items()}
_CODE: Final = re.compile(rb"\S")
_INDENT: Final = re.compile(rb"[ \t]*")
_APOSTROPHE: Final = re.compile(rb"[A-Za-z]'")
_BRACE: Final = ord("{")
_LOOK_BACK: Final = 80
_TAB: Final = 4
_TEMPLATES: Final = 4
_DEPTH: Final = 16
# What is larger, nested deeper, or open in more places, nobody types.
_LONGEST: Final = 256 * 1024
_DEEPEST: Final = 400
_MOST_TEXTS: Final = 100
_LONGEST_REGEX: Final = 200


class _Open(NamedTuple):
    kind: bytes
    at: int
    indent: int
    line: int  # where the line begins that it stands on
    listed: bool  # what it holds is parted by commas


def closed(source: bytes) -> bytes:
    """The source with every text and bracket closed before the first line that cannot be inside it."""
    text = _with_texts_closed(source) if len(source) <= _LONGEST else None
    return source if text is None else _Closing(text).run()


# -- texts


def _with_texts_closed(source: bytes) -> bytes | None:
    """The source without texts and comments that end nowhere, and templates that end where another begins.

    Nothing where that are too many: each is looked for up to the end of its line.
    """
    for _ in range(_TEMPLATES):
        templates: list[tuple[int, int]] = []
        text = bytearray(source)
        torn = cut = -1
        opened = 0
        for kind, start, end in _tokens(source):
            opened += kind == "text"
            if opened > _MOST_TEXTS:
                return None
            if start < cut:
                continue
            if kind == "template":
                templates.append((start, end))
                torn = start if end < 0 else torn
            elif kind == "text" and not _APOSTROPHE.match(source, max(0, start - 1)):
                cut = _cut(text, start, b'""')
                # Behind a template that ends where a text has an accent the rest of the text is left.
                if torn < 0 and templates and _line_of(source, start) <= templates[-1][1]:
                    torn = templates[-1][0] if _holds_code(source, *templates[-1]) else -1
            elif kind == "remark":
                cut = _cut(text, start, b"")
        if torn < 0:
            return bytes(text)
        torn = next((at for at, end in templates if _holds_code(source, at, end)), torn)
        text = bytearray(source)
        _cut(text, torn, b'""')
        source = bytes(text)
    return source


def _holds_code(source: bytes, start: int, end: int) -> bool:
    """Whether a line of a template begins like a statement, no deeper than the template's own line."""
    indent = _width(_INDENT.match(source, _line_of(source, start))[0])  # type: ignore[index]
    text = source[start : end if end >= 0 else len(source)]
    return any(_width(found[1]) <= indent for found in _STATEMENT.finditer(text))


def _cut(text: bytearray, start: int, instead: bytes) -> int:
    """Put something in the place of the rest of a line; where that ends."""
    line = text.find(b"\n", start)
    length = (line if line >= 0 else len(text)) - start
    text[start : start + length] = instead[:length].ljust(length)
    return start + length


def _template_end(source: bytes, start: int, depth: int) -> int:
    """Where a template ends, or -1."""
    at = start + 1
    while depth < _DEPTH and (found := _TEXT.match(source, at)) is not None:
        if found[1] == b"`":
            return found.end()
        at = _code_end(source, found.end(), depth + 1)
        if at < 0:
            break
    return -1


def _code_end(source: bytes, at: int, depth: int) -> int:
    """Where the code inside a template ends, or -1."""
    opened = 1
    for kind, start, end in _tokens(source, at, depth):
        if end < 0 or kind == "text":
            break
        if kind == "bracket" and source[start] in b"{}":
            opened += 1 if source[start] == _BRACE else -1
            if not opened:
                return end
    return -1


def _tokens(source: bytes, at: int = 0, depth: int = 0) -> Iterator[tuple[str, int, int]]:
    """Lines, brackets, comments, templates and texts that are not closed; up to a template that is not."""
    is_open = False
    while (found := _TOKEN.search(source, at)) is not None:
        kind, start, at = found.lastgroup, found.start(), found.end()
        if kind == "remark":
            end = -1 if is_open else source.find(b"*/", at)
            is_open = end < 0
            yield ("remark", start, at) if is_open else ("comment", start, end + 2)
            at = at if is_open else end + 2
        elif kind == "slash":
            expression = _REGEX.match(source, start, start + _LONGEST_REGEX)
            if expression is not None and _BEFORE_REGEX.search(source, max(0, start - _LOOK_BACK), start):
                at = expression.end()
        elif kind == "template":
            end = _template_end(source, start, depth)
            yield kind, start, end
            if end < 0:
                return
            at = end
        elif kind is not None:
            yield kind, start, at


def _line_of(source: bytes, at: int) -> int:
    return source.rfind(b"\n", 0, at) + 1


def _width(indent: bytes) -> int:
    return len(indent.expandtabs(_TAB))


# -- brackets


class _Closing:
    """Goes through the brackets of a source and writes what is missing into the blanks between its lines."""

    def __init__(self, source: bytes) -> None:
        self.source = source
        self.text = bytearray(source)
        self.tokens = list(_tokens(source))
        brackets = Counter(source[start : start + 1] for kind, start, _ in self.tokens if kind == "bracket")
        # How many of each are open in the end; where more are closed than opened it is negative.
        self.missing = {opener: brackets[opener] - brackets[closer] for opener, closer in _CLOSER.items()}
        self.opened: list[_Open] = []
        self.comments: list[tuple[int, int]] = []
        self.line, self.indent = 0, 0

    def run(self) -> bytes:
        self.begin(0)
        for kind, start, end in self.tokens:
            if len(self.opened) > _DEEPEST:
                return self.source
            if kind == "comment":
                self.comments.append((start, end))
            elif kind == "line":
                self.begin(end)
            elif kind == "bracket":
                self.bracket(self.source[start : start + 1], start)
        self.close(0, len(self.source))
        return bytes(self.text)

    def begin(self, at: int) -> None:
        """A new line: what is open on lines that are indented as deep as this one should have ended."""
        self.line = at
        begun = _line_of(self.source, at)
        self.indent = _width(self.source[begun:at])
        first = self.source[at : at + 1]
        if not first or first in b")]}" or self.source[at : at + 2] in (b"//", b"/*"):
            return
        if _CONTINUES.match(self.source, at):
            return
        kept = len(self.opened)
        while kept and self.opened[kept - 1].indent >= self.indent:
            kept -= 1
        # Only what is missing somewhere: the others end in their own way.
        while kept < len(self.opened) and not self.missing[self.opened[kept].kind] > 0:
            kept += 1
        self.close(kept, at)

    def bracket(self, kind: bytes, at: int) -> None:
        if kind in _CLOSER:
            self.open(kind, at)
            return
        kind = _OPENER[kind]
        is_first = at == self.line
        matching = [n for n, opened in enumerate(self.opened) if opened.kind == kind]
        level = [n for n in matching if self.opened[n].indent == self.indent] if is_first else []
        if not matching or (self.missing[kind] < 0 and self.is_stray(kind, is_first and not level)):
            self.text[at : at + 1] = b" "
            self.missing[kind] += 1
            return
        if matching[-1] == len(self.opened) - 1 and self.missing[kind] <= 0:
            level = []
        self.close((level or matching)[-1] + 1, at)
        # What follows on the line belongs to where the bracket was opened.
        self.indent = min(self.indent, self.opened.pop().indent)

    def is_stray(self, kind: bytes, is_misplaced: bool) -> bool:
        """Whether a bracket closes nothing, where more of its kind are closed than opened."""
        last = self.opened[-1]
        return is_misplaced and last.indent < self.indent if last.kind == kind else not is_misplaced

    def open(self, kind: bytes, at: int) -> None:
        before = self.source[max(0, at - _LOOK_BACK) : at]
        listed = kind != b"{" or _LISTED.search(before) is not None
        if kind == b"{" and self.missing[b"("] > 0 and not listed:
            self.end_head(at)
        self.opened.append(_Open(kind, at, self.indent, self.line, listed))

    def end_head(self, at: int) -> None:
        """``if (a {``: the condition ends before the block that ends the line."""
        kept = len(self.opened)
        while kept and self.opened[kept - 1].line == self.line and self.opened[kept - 1].kind == b"(":
            kept -= 1
        if kept < len(self.opened) and _HEAD.match(self.source, self.line, at):
            self.close(kept, at)

    def close(self, kept: int, at: int) -> None:
        """Close all brackets but the first before a place."""
        if kept >= len(self.opened):
            return
        closing = self.opened[kept:]
        del self.opened[kept:]
        for opened in closing:
            self.missing[opened.kind] -= 1
        is_listed = self.opened[-1].listed if self.opened else False
        separator = b"," if is_listed else b";"
        if self.source[at : at + 1] in b")]}{":
            separator = b""
        self.write(closing, separator, at)

    def write(self, closing: list[_Open], separator: bytes, at: int) -> None:
        """Write what closes brackets before a place, or leave them out where there is no room."""
        gaps = self.gaps(at)
        behind, end = gaps[0]
        if self.fits(closing, separator, gaps):
            return
        is_last = closing[-1].at + 1 >= behind and not self.is_head(closing[-1])
        # Before a comment its line is taken too, if need be.
        if not is_last and self.fits(closing, separator, [(behind, end + (end < at))]):
            return
        if at == len(self.source):
            self.write_over(closing)
        else:
            self.leave_open(closing, separator, at, is_last=is_last)

    def fits(self, closing: list[_Open], separator: bytes, gaps: list[tuple[int, int]]) -> bool:
        for needed in self.closers(closing):
            ends_itself = not closing[0].listed or needed.endswith(b"{}")
            least = len(needed) + (0 if ends_itself else len(separator))
            for start, end in gaps:
                if end - start >= least:
                    wanted = (needed + separator)[: end - start]
                    rest = bytes(self.text[start + len(wanted) : end])
                    self.text[start:end] = wanted + _CODE.sub(b" ", rest)
                    return True
        return False

    def leave_open(self, closing: list[_Open], separator: bytes, at: int, *, is_last: bool) -> None:
        """Leave out the last bracket; the others may have room then."""
        *others, last = closing
        is_value = _LISTED.search(self.source, max(0, last.at - _LOOK_BACK), last.at) is not None
        behind, end = self.gaps(at)[0]
        instead = b"0" if is_value and is_last else b" " if is_value or is_last else separator or b" "
        self.text[last.at : last.at + 1] = instead
        if others:
            self.write(others, separator, at)
        elif is_last and behind < end:
            self.text[behind : behind + 1] = separator or b" "

    def write_over(self, closing: list[_Open]) -> None:
        """Close brackets at the end of a source in the place of its last lines."""
        at = len(self.text)
        while at:
            at = _line_of(self.source, at - 1)
            needed = b"".join(_CLOSER[opened.kind] for opened in reversed(closing) if opened.at < at)
            if len(self.text) - at >= len(needed):
                self.text[at:] = needed.ljust(len(self.text) - at)
                return

    def closers(self, closing: list[_Open]) -> list[bytes]:
        """What closes some brackets; a function's head is followed by a body where there is room for it."""
        closers = b"".join(_CLOSER[opened.kind] for opened in reversed(closing))
        return [closers + b"{}", closers] if self.is_head(closing[0]) else [closers]

    def is_head(self, opened: _Open) -> bool:
        before = max(0, opened.at - _LOOK_BACK)
        return opened.kind == b"(" and _FUNCTION.search(self.source, before, opened.at) is not None

    def gaps(self, at: int) -> list[tuple[int, int]]:
        """The blanks before a place, from behind the last code on; what waits for more counts as blank."""
        found: list[tuple[int, int]] = []
        end, start = at, self.blank_before(at)
        for comment, behind in reversed(self.comments):
            if behind != start:
                break
            # The line of a comment has to end.
            is_line = self.source.startswith(b"//", comment)
            found.append((start + 1 if is_line else start, end))
            end, start = comment, self.blank_before(comment)
        if end < at and self.source[end - 1 : end] == b"\n" and start < end:
            end -= 1  # the comment keeps its line
        code = self.text[max(0, start - _LOOK_BACK) : start]
        while code != (code := code.rstrip(_WAITING).removesuffix(b"=>")):
            pass
        begun = max(0, start - _LOOK_BACK) + len(code)
        found.append((min(begun, end), end))
        return found[::-1]

    def blank_before(self, at: int) -> int:
        while at and self.text[at - 1] in b" \t\r\n":
            at -= 1
        return at
