"""Python that somebody is still typing, rewritten to the same length with all closed.

The grammar looks for the end of an open bracket or text through the rest of the file. Indentation tells where
it was meant to be: a line that is no deeper than the one on which a bracket is opened stands behind it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

_TOKEN: Final = re.compile(
    rb"""\#[^\n]*|(?P<long>"{3}|'{3})|"(?:[^"\\\n]|\\.)*+"|'(?:[^'\\\n]|\\.)*+'|(?P<text>["'][^\n]*)"""
    rb"""|(?P<bracket>[\[\](){}])|(?P<comma>,)|(?P<line>\n[ \t]*(?![ \t\r\n\#]))"""
    rb"""|(?P<code>[^\s"'\#\[\](){},]+)""",
    re.DOTALL,
)
_LONG: Final = {quote: re.compile(rb"(?:[^\\]|\\.)*?" + quote, re.DOTALL) for quote in (b'"' * 3, b"'" * 3)}
# Words that begin a line only where every bracket is closed.
_STATEMENT: Final = re.compile(
    rb"@[A-Za-z_]|from[ \t]+[\w.]+[ \t]+import\b|(?:(?:async[ \t]+)?def|class|import|with|while|try|except"
    rb"|finally|elif|return|raise|assert|del|global|nonlocal|pass|break|continue)\b"
)
# What prose hardly has: lines of code inside a text that ends nowhere.
_CODE: Final = re.compile(
    rb"""^[ \t]*(?=@\w|(?:async[ ]+)?def[ ]\w+\(|class[ ]\w+[(:]|import[ ][\w., ]+$"""
    rb"""|from[ ][\w.]+[ ]import[ ]|return$"""
    rb"""|(?:if|elif|for|while|with|except)\b[^\n]*:[ \t]*$|(?:try|else|finally):[ \t]*$"""
    rb"""|[A-Za-z_][\w.]*(?:\[[^\]\n]*\])?[ ](?:[-+*/|&]?=)[ ]|[A-Za-z_][\w.]*\([^\n]*\)[ \t]*$"""
    rb"""|return[ ][^\n]*[\w\])"'][ \t]*$)""",
    re.MULTILINE,
)
_COMMENT: Final = re.compile(rb"#")
_NO_PROSE: Final = (b":", b")", b"]", b"}", b'"', b"'")
_PROSE: Final = re.compile(rb"[A-Za-z][\w'-]*[,.]?[ ][A-Za-z]")
_HEAD: Final = re.compile(
    rb"(?P<word>(?:async[ \t]+)?(?:def|for|with)|class|if|elif|else|while|try|except|finally)\b(?![ \t]*=)"
)
_DEFINING: Final = re.compile(rb"(?:async[ \t]+)?(?:def|class)[ \t]+\w+\s?")
_OPERAND: Final = re.compile(rb"[\w\])}'\"][ \t]*\Z")
_WAITING: Final = re.compile(
    rb"(?:(?<![=<>!:])(?:[-+*/%&|^@]|//|\*\*|<<|>>)?=|(?<![\d.])\.|(?<=[ \t])(?:and|or|not|in|is|as))[ \t]*\Z"
    rb"|\A@\Z|\A(?:from[ \t]+[\w.]+[ \t]+)?import[ \t]*\Z"
)
_KEPT: Final = re.compile(rb"[^\r\n]")
_CLOSER: Final = {b"(": b")", b"[": b"]", b"{": b"}"}
_CLOSERS: Final = frozenset(_CLOSER.values())
_TAB: Final = 8
# What is larger, or open in more places, nobody types.
_LONGEST: Final = 256 * 1024
_MOST: Final = 16
_CANDIDATES: Final = 8
_DEEPEST: Final = 400
_LINES: Final = 50


def closed(source: bytes) -> bytes:
    """The source with every text and bracket closed before the first line that cannot be inside it."""
    if len(source) > _LONGEST:
        return source
    return _with_heads_ended(_Brackets(_with_texts_closed(source)).run())


# -- texts


def _with_texts_closed(source: bytes) -> bytes:
    """The source without texts that end nowhere."""
    text = bytearray(source)
    torn = _torn(source)
    if torn is not None:
        end = torn.code if torn.code >= 0 else source.find(b"\n", torn.start)
        _cut(text, _prose_above(source, torn.start), end if end >= 0 else len(text), b'""')
    for match in _outside_texts(bytes(text)):
        if match["text"] is not None:
            _cut(text, match.start(), match.end(), b'""')
    return bytes(text)


def _torn(source: bytes) -> _Text | None:
    """The text with quotes on one side only: that without which others hold least that looks like code."""
    spans = list(_texts(source, 0))
    best, least = None, _codes(source, spans)
    for span in [span for span in spans if span.code >= 0][:_CANDIDATES]:
        held = _codes(source, spans, span.start) + _codes(source, _texts(source, span.code))
        if held < least or (best is not None and held == least):
            best, least = span, held
    return best or (spans[-1] if spans and spans[-1].end < 0 else None)


@dataclass(frozen=True)
class _Text:
    """A text over several lines; -1 where it ends nowhere, or holds nothing that looks like code."""

    start: int
    end: int
    code: int  # the first line that looks like code and is no deeper than the one it begins on


def _texts(source: bytes, at: int) -> Iterator[_Text]:
    """The texts in three quotes from some place on, the last of which may not end."""
    while True:
        match = next((m for m in _TOKEN.finditer(source, at) if m["long"]), None)
        if match is None:
            return
        found = _LONG[match["long"]].match(source, match.end())
        at = found.end() if found else len(source)
        line = source.rfind(b"\n", 0, match.start()) + 1
        indent = _indent(source, line)
        codes = (m.start() for m in _CODE.finditer(source, match.end(), at) if m.start() > match.end())
        code = next((start for start in codes if _indent(source, start) <= indent), -1)
        yield _Text(match.start(), at if found else -1, code)
        if not found:
            return


def _codes(source: bytes, spans: Iterable[_Text], before: int | None = None) -> int:
    """How many lines inside texts look like code, of those that begin before some place."""
    count = 0
    for span in spans:
        if before is None or span.start < before:
            end = span.end if span.end >= 0 else len(source)
            count += sum(1 for _ in _CODE.finditer(source, span.start, end)) + (span.end < 0)
    return count


def _prose_above(source: bytes, quotes: int) -> int:
    """Where a text began whose last quotes stand alone on a line, and its first ones nowhere."""
    line, found = source.rfind(b"\n", 0, quotes) + 1, quotes
    if source[line:quotes].strip():
        return quotes
    for _ in range(_LINES):
        above = source.rfind(b"\n", 0, max(0, line - 1)) + 1
        text = source[above : max(0, line - 1)].strip()
        if not line or text.endswith(_NO_PROSE) or any(p.match(text) for p in (_CODE, _STATEMENT, _COMMENT)):
            break
        found = above + len(_leading(source, above)) if _PROSE.match(text) else found
        line = above
    return found


def _outside_texts(source: bytes, at: int = 0) -> Iterator[re.Match[bytes]]:
    """The tokens of a source, without what texts in three quotes hold."""
    while True:
        for match in _TOKEN.finditer(source, at):
            yield match
            if match["long"]:
                found = _LONG[match["long"]].match(source, match.end())
                at = found.end() if found else len(source)
                break
        else:
            return


# -- brackets


@dataclass
class _Open:
    kind: bytes
    at: int
    indent: int
    comma: int = -1  # the last one that it holds


class _Brackets:
    """Closes brackets, line by line."""

    def __init__(self, source: bytes) -> None:
        self.text = bytearray(source)
        self.opened: list[_Open] = []
        self.behind = -1  # the first line that cannot be inside the outermost bracket
        self.dropped = 0

    def run(self) -> bytes:
        at = 0
        for _ in range(_MOST):
            behind = self._pass(at)
            if behind is None:
                break
            at, self.behind = behind, -1
            self.opened.clear()
        return bytes(self.text)

    def _pass(self, at: int) -> int | None:
        """Read on to a bracket that has to be ended; gives where to go on, nothing at the end."""
        source = bytes(self.text)
        indent = _indent(source, source.rfind(b"\n", 0, at) + 1 if at else 0)
        for match in _outside_texts(source, at):
            if match["line"] is not None:
                indent = _indent(source, match.start() + 1)
                if self.opened and self._is_behind(source, match, indent):
                    return self._end(self.behind)
            elif match["bracket"] is not None:
                self._meet(match["bracket"], match.start(), indent)
                if len(self.opened) > _DEEPEST or self.dropped > _MOST:
                    return None
            elif match["comma"] is not None and self.opened and self.behind < 0:
                self.opened[-1].comma = match.start()
        return self._end(self.behind if self.behind >= 0 else len(source)) if self.opened else None

    def _is_behind(self, source: bytes, line: re.Match[bytes], indent: int) -> bool:
        """Whether a line shows that the outermost bracket has not been closed; remember where it began to."""
        stated = _STATEMENT.match(source, line.end()) is not None
        closing = source[line.end() : line.end() + 1] in _CLOSERS
        back = indent <= self.opened[0].indent and not closing
        if self.behind < 0 and (stated or back):
            self.behind = line.start() + 1
        return stated

    def _meet(self, bracket: bytes, at: int, indent: int) -> None:
        if bracket in _CLOSER:
            self.opened.append(_Open(bracket, at, indent))
            return
        kinds = [_CLOSER[each.kind] for each in self.opened]
        if bracket not in kinds:
            self._drop(at)
            return
        while _CLOSER[self.opened[-1].kind] != bracket:
            inner = self.opened.pop()
            self._blank(inner.at, at)
        self.opened.pop()
        if not self.opened:
            self.behind = -1

    def _drop(self, at: int) -> None:
        """Leave out a bracket that closes nothing; the parameters of a function get their first one back."""
        self.dropped += 1
        line = self.text.rfind(b"\n", 0, at) + 1
        indent = _leading(self.text, line)
        if line + len(indent) == at:
            # ``def name`` and ``):`` have lines of their own, equally deep, and the parameters one between.
            line = self.text.rfind(b"\n" + indent + b"def ", 0, line) + 1
        head = _DEFINING.match(self.text, line + len(indent))
        if not self.opened and head and self.text[head.end() - 1 : head.end()].isspace():
            self.text[head.end() - 1] = ord("(")
        else:
            self.text[at] = ord(" ")

    def _end(self, end: int) -> int:
        """Close all brackets before some line, and give the place behind."""
        self.opened = [each for each in self.opened if each.at < end]
        line = self.text.rfind(b"\n", 0, self.opened[0].at) + 1
        head = _HEAD.match(self.text, line + len(_leading(self.text, line)))
        deeper = end == len(self.text) or _indent(self.text, end) > self.opened[0].indent
        if head and head["word"].endswith((b"def", b"class")) and not deeper:
            _cut(self.text, head.start(), end, b"")
            return end
        ending = b":" if head and deeper else b""
        while self.opened:
            closers = b"".join(_CLOSER[each.kind] for each in reversed(self.opened)) + ending
            if self._write(closers, end):
                return end
            inner = self.opened.pop()
            self._blank(inner.at, end)
        self._write(ending, end)
        return end

    def _write(self, closers: bytes, end: int) -> bool:
        """Put closing brackets behind what is held, or in the place of the last item."""
        inner = self.opened[-1] if self.opened else None
        start = _last_code(self.text, inner.at if inner else self.text.rfind(b"\n", 0, end - 1), end)
        if start and self.text[start - 1 : start] == b",":
            start -= 1
        if _room(self.text, start, end) < len(closers):
            if self._shift(closers, start):
                return True
            if inner is None or inner.comma < 0:
                return False
            start = inner.comma
            if _room(self.text, start, end, start) < len(closers):
                return False
            self._blank(start, end)
        self.text[start : start + len(closers)] = closers
        return True

    def _shift(self, closers: bytes, end: int) -> bool:
        """Put closing brackets behind others that have a line to themselves; these go to the left."""
        line = self.text.rfind(b"\n", 0, end) + 1
        held = bytes(self.text[line:end]).lstrip(b" ")
        alone = bool(held) and not held.strip(b")]},")
        if not alone or end - line - len(held) < len(closers):
            return False
        self.text[end - len(held) - len(closers) : end] = (
            held.rstrip(b",") + closers + held[len(held.rstrip(b",")) :]
        )
        return True

    def _blank(self, start: int, end: int) -> None:
        """Leave out an open bracket or comma and what follows; a value stays one."""
        line = self.text.rfind(b"\n", 0, start) + 1
        plain = self.text[start] == ord(",") or _OPERAND.search(self.text[line:start])
        _cut(self.text, start, end, b"" if plain else b"0")


def _last_code(text: bytearray, start: int, end: int) -> int:
    """Behind what is last between two places that is neither blank nor a comment."""
    last = start + 1
    for match in _outside_texts(bytes(text[:end]), max(0, start)):
        if match["line"] is None and not match[0].startswith(b"#"):
            long = match["long"] and _LONG[match["long"]].match(text, match.end())
            last = long.end() if long else match.end()
    return last


def _room(text: bytearray, start: int, end: int, taken: int = -1) -> int:
    """How many bytes of a line are blank, a comma or a comment, or may be taken."""
    line = text.find(b"\n", start, end)
    line = line if line >= 0 else end
    return line - start - (text[line - 1 : line] == b"\r" and taken < 0)


# -- statements


def _with_heads_ended(source: bytes) -> bytes:
    """The source without operators that wait for something, and heads that nothing stands below."""
    text = bytearray(source)
    lines = list(_statements(source))
    for (start, end, colon), (below, _, _) in zip(lines, [*lines[1:], (len(source), 0, False)], strict=True):
        begin = start + len(_leading(text, start))
        head = _HEAD.match(source, begin)
        deeper = below < len(source) and _indent(source, below) > _indent(source, start)
        if head and not colon:
            _finish(text, head, end, deeper)
        elif not head:
            waiting = _WAITING.search(source[begin:end])
            if waiting and source[end - 3 : end] != b"...":
                _cut(text, begin + waiting.start(), end, b"")
    return bytes(text)


def _finish(text: bytearray, head: re.Match[bytes], end: int, deeper: bool) -> None:
    """End a head that has no colon; one that nothing stands below is as good as not written."""
    line = text.find(b"\n", end)
    word = head["word"]
    plain = word in (b"if", b"elif", b"while")
    waiting = _WAITING.search(text[head.end() : end]) if plain else None
    if waiting:
        _cut(text, head.end() + waiting.start(), end, b":" if deeper else b"")
    if not deeper:
        _cut(text, head.start(), head.end() if plain else end, b"")
    elif waiting:
        pass
    elif (line if line >= 0 else len(text)) > end:
        text[end] = ord(":")
    elif word.endswith(b"def"):
        opening = text.find(b"(", head.end(), end)
        if 0 <= opening < end - 2:
            _cut(text, opening, end, b"():")
        elif word == b"def":
            # No byte is left for the colon: what stands below is read, though not as a function.
            text[head.start() : end] = b"if" + text[head.end() : end] + b":"


def _statements(source: bytes) -> Iterator[tuple[int, int, bool]]:
    """Where statements begin and end, and whether they have a colon outside of brackets."""
    start, end, depth, colon = 0, 0, 0, False
    for match in _outside_texts(source):
        if match["line"] is not None:
            if depth <= 0 and source[end - 1 : end] != b"\\":
                if end > start:
                    yield start, end, colon
                start, end, depth, colon = match.start() + 1, 0, 0, False
        elif not match[0].startswith(b"#"):
            if match["bracket"]:
                depth += 1 if match["bracket"] in _CLOSER else -1
            colon = colon or (depth <= 0 and match["code"] is not None and b":" in match["code"])
            long = match["long"] and _LONG[match["long"]].match(source, match.end())
            end = long.end() if long else match.end()
    if end > start:
        yield start, end, colon


# -- bytes


def _leading(text: bytes | bytearray, line: int) -> bytes:
    """The blanks that a line begins with."""
    end = line
    while text[end : end + 1] in (b" ", b"\t"):
        end += 1
    return bytes(text[line:end])


def _indent(text: bytes | bytearray, line: int) -> int:
    """How deep a line stands."""
    return len(_leading(text, line).expandtabs(_TAB))


def _cut(text: bytearray, start: int, end: int, instead: bytes) -> None:
    """Put blanks in the place of some text, behind what stands for it; lines stay where they are."""
    blank = _KEPT.sub(b" ", bytes(text[start:end]))
    first = len(blank.split(b"\n", 1)[0].rstrip(b"\r"))
    text[start:end] = (instead + blank[len(instead) :]) if len(instead) <= first else blank
