"""Sources that end before all is closed, as somebody who is typing leaves them, closed over their last lines.

Some grammars give up a class whose end is missing, with all that it declares.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

_COMMENTS: Final = rb"//[^\n]*|(?P<open>/\*(?:(?!\*/).)*\Z)|/\*.*?\*/|"
_TEXTS: Final = rb"(?P<torn>\"\"\"(?:(?!\"\"\").)*\Z)|\"\"\".*?\"\"\"|\"(?:[^\"\\\n]|\\.)*\"?|"
_BRACKETS: Final = rb"[\[\](){}]"
_CHARACTERS: Final = re.compile(_COMMENTS + _TEXTS + rb"'(?:\\.[^'\n]*|[^'\\\n])'|" + _BRACKETS, re.DOTALL)
_QUOTES: Final = re.compile(
    _COMMENTS
    + rb"\#(?!\[)[^\n]*|(?P<torn>\"(?:[^\"\\]|\\.)*\Z|'(?:[^'\\]|\\.)*\Z)"
    + rb"|\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|"
    + _BRACKETS,
    re.DOTALL,
)
_CLOSER: Final = {b"(": b")", b"[": b"]", b"{": b"}"}
_OPENER: Final = {closer: opener for opener, closer in _CLOSER.items()}
_LUA: Final = re.compile(
    rb"--\[(?P<of>=*)\[.*?(?:\](?P=of)\]|\Z)|--[^\n]*|\[(?P<long>=*)\[.*?(?:\](?P=long)\]|\Z)"
    rb"|\"(?:[^\"\\\n]|\\.)*\"?|'(?:[^'\\\n]|\\.)*'?"
    rb"|(?<![\w.:])(?:function|do|then|repeat|elseif|end|until)\b|[\[\](){}]",
    re.DOTALL,
)
_CLOSED_BY: Final = {
    **_CLOSER,
    b"function": b"end",
    b"do": b"end",
    b"then": b"end",
    b"repeat": b"until nil",
}
_ENDED: Final = {b"elseif": b"end", b"until": b"until nil"}
# What is larger, or has more open at its end, nobody types.
_LONGEST: Final = 256 * 1024
_DEEPEST: Final = 400
_MOST_CLOSERS: Final = 400
_MOST_LINES: Final = 8
_LONGEST_LINE: Final = 400
# So many brackets inside may have been left open by mistake.
_MISPLACED: Final = 50
_TAB: Final = 4

_VALUE: Final = rb"(?:\w[\w.@, ]*[ \t]*(?:\|\||&&|[-+*])?=[ \t]*)?"
_WORDS: Final = rb"(?:class|module|def|begin|case|if|unless|while|until|for)\b"
_HANDED: Final = rb"[^#\n]*\bdo[ \t]*(?:\|[^|\n]*\|)?[ \t]*(?:#[^\n]*)?\Z"
_BLOCK: Final = re.compile(
    _VALUE + rb"(?:(?:private|protected|public|module_function)[ \t]+)?" + _WORDS + rb"|" + _HANDED
)
_TYPE: Final = re.compile(rb"(?:class|module)\b")
_ARM: Final = re.compile(rb"(?:else|elsif|when|in|rescue|ensure)\b")
_HANGING: Final = re.compile(rb"([\[({])[ \t]*(?:\|[^|\n]*\|)?[ \t]*\Z")
_ENDING: Final = re.compile(rb"end\b|[\])}]")
_HEREDOC: Final = re.compile(rb"<<[~-]?(['\"]?)([A-Z]\w*)\1(?![\w(])")
# A method in one line, and what ends on the line where it begins.
_WHOLE: Final = re.compile(rb"def\b[^\n=]*\)?[ \t]+=[ \t]|[^\n]*[;\s]end\b")


def closed(source: bytes) -> bytes:
    """The source with its brackets closed, where one quotation mark is for characters."""
    return _closed(source, _CHARACTERS)


def closed_lines(source: bytes) -> bytes:
    """The same with each of them on a line of its own (Kotlin)."""
    return _closed(source, _CHARACTERS, b"\n")


def closed_quotes(source: bytes) -> bytes:
    """The same where both marks are for texts of any length."""
    return _closed(source, _QUOTES)


def closed_blocks(source: bytes) -> bytes:
    """The source with its blocks ended (Ruby): those whose lines the last one is indented deeper than."""
    return _written(source, len(source), _blocks)


def closed_words(source: bytes) -> bytes:
    """The source with its brackets and blocks ended, where words begin and end blocks (Lua)."""
    return _written(source, len(source), _worded)


def _closed(source: bytes, token: re.Pattern[bytes], apart: bytes = b"") -> bytes:
    places = (found.start() for found in token.finditer(source) if found["open"] or found["torn"])
    end = next(places, len(source))
    return _written(source, end, lambda begun: _brackets(begun, token, apart))


def _written(source: bytes, end: int, opened: Callable[[bytes], list[bytes]]) -> bytes:
    """The source with what closes all that is open in the place of as few last lines as have room for it."""
    start = end
    for _ in range(_MOST_LINES if len(source) <= _LONGEST else 0):
        start = source.rfind(b"\n", 0, start) + 1
        needed = b";".join(opened(source[:start]))
        if not needed or len(needed) > len(source) - start > _MOST_CLOSERS:
            break
        if len(source) - start >= len(needed):
            return source[:start] + needed.ljust(len(source) - start)
        start = max(0, start - 1)
    return source


def _brackets(source: bytes, token: re.Pattern[bytes], apart: bytes) -> list[bytes]:
    """What closes the brackets that are open where a source ends, the innermost first."""
    opened: list[bytes] = []
    for found in token.finditer(source):
        kind = found[0]
        if kind in _CLOSER:
            opened.append(kind)
            if len(opened) > _DEEPEST:
                return []
        elif kind in _OPENER:
            for n in range(len(opened) - 1, max(-1, len(opened) - _MISPLACED), -1):
                if opened[n] == _OPENER[kind]:
                    del opened[n:]
                    break
    return [apart.join(_CLOSER[opener] for opener in reversed(opened))] if opened else []


def _worded(source: bytes) -> list[bytes]:
    """What closes the brackets and blocks that are open where a source ends, the innermost first."""
    closers: list[bytes] = []
    for found in _LUA.finditer(source):
        word = found[0]
        if word in _CLOSED_BY:
            closers.append(_CLOSED_BY[word])
            if len(closers) > _DEEPEST:
                return []
        elif (ended := _ENDED.get(word, word)) in closers[-_MISPLACED:]:
            del closers[len(closers) - 1 - closers[::-1].index(ended) :]
    return [b" ".join(reversed(closers))] if closers else []


def _blocks(source: bytes) -> list[bytes]:
    """What ends the blocks that are open where a source ends, by the indentation of their lines."""
    found: list[bytes] = []
    least, beside = _LONGEST_LINE, False
    below: set[bytes] = set()
    for line in reversed(source.splitlines()):
        text = line.strip()
        if not text or text.startswith(b"#"):
            continue
        below.add(text)
        width = len(line.expandtabs(_TAB)) - len(line.expandtabs(_TAB).lstrip())
        if width == least and beside:
            # ``module A`` above ``class B`` need not be indented less.
            is_open = _TYPE.match(text) and len(text) <= _LONGEST_LINE and not _WHOLE.match(text)
            found += [b"end"] if is_open else []
            beside = not text.startswith(b"end")
        if width >= least:
            continue
        if len(text) > _LONGEST_LINE:
            continue
        heredoc, hanging = _HEREDOC.search(text), _HANGING.search(text)
        if heredoc is not None and heredoc[2] not in below:
            found.append(b"\n" + heredoc[2] + b"\n")
        if _ARM.match(text):
            least, beside = width + 1, False
        elif hanging is not None:
            found.append(_CLOSER[hanging[1]])
            least, beside = width, False
        elif _BLOCK.match(text) and not _WHOLE.match(text):
            found.append(b"end")
            least, beside = width, _TYPE.match(text) is not None
        elif _ENDING.match(text):
            least, beside = width, False
        # Other lines that are indented less are parts of texts.
        if not least and not beside:
            break
    return found
