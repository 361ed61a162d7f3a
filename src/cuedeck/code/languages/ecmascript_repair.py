"""TypeScript that the grammar does not know, rewritten to the same length so that it does."""

from __future__ import annotations

import re
from typing import Final

# A line that begins with type parameters, and what may end the member before it.
_OPENING: Final = re.compile(rb"(?m)^[ \t]*(?=[ \t]<)")
_ENDING: Final = re.compile(rb"[\w\])}>'\"`]\Z")
_COMMENT: Final = re.compile(rb"//[^\n]*|/\*.*?\*/", re.DOTALL)
# ``export type * from``, and ``in`` and ``out`` before a type parameter.
_TYPES: Final = re.compile(rb"(?m)^([ \t]*export[ \t]+)type(?=[ \t]*\*)")
_VARIANCE: Final = re.compile(rb"(?<=[<,])([ \t\r\n]*)(in out|out|in)(?=[ \t]+[A-Za-z_$])")
# ``abstract override``, of which the grammar knows either alone.
_OVERRIDING: Final = re.compile(rb"\b(abstract[ \t\r\n]+)override(?=\s)|\boverride(?=[ \t\r\n]+abstract\s)")
# What is called ``type`` in a list of exports, and a namespace that is called like a type of the language.
# Names are read from the source itself, so any other of the same length does for the grammar.
_LISTED: Final = re.compile(rb"\bexport\s*\{[^{}]*\}")
_TYPE_LISTED: Final = re.compile(rb"(?<=[{,\s])type(?=\s*[,}]|\s+as\s+[\w$]+\s*[,}])")
_SPACE: Final = re.compile(
    rb"(?<![\w$.])(?:string|number|boolean|object|symbol|unknown|never|any)(?=\.[A-Za-z_$])"
)
# ``using x = …`` and ``await using x = …`` declare like ``const``.
_USING: Final = re.compile(
    rb"(?m)(^|[;{}(])([ \t]*)(await[ \t]+)?using(?=[ \t]+[A-Za-z_$][\w$]*[ \t]*(?::|=[^=>]|of\b))"
)
# ``accessor x = 1``, of which the grammar makes two members.
_ACCESSOR: Final = re.compile(rb"(?m)(?:^|(?<=[\s;{]))accessor(?=[ \t]+#?[A-Za-z_$][\w$]*[ \t]*[:=;!?\r\n])")
# A namespace whose brace stands on the next line, which the grammar takes for a block of its own.
_APART: Final = re.compile(
    rb"(?m)^([ \t]*(?:export[ \t]+)?(?:declare[ \t]+)?(?:namespace|module)[ \t]+"
    rb"(?:[\w$.]+|'[^'\n]*'|\"[^\"\n]*\"))([ \t]*\r?\n[ \t\r\n]*)\{"
)
# ``a && b!.c``, of which the grammar takes the ``!`` for one of the whole ``a && b``.
_SURE: Final = re.compile(rb"(?<=[\w$)\]])!(?=\??[.\[(]|\s+\.)")
_LOOK_BACK: Final = 4000


def declared(source: bytes) -> bytes:
    """The source with ``const`` for ``using``, which the grammar takes for an assignment, and so on."""
    if b"namespace " in source or b"declare module " in source:
        source = _APART.sub(rb"\1{\2", source)
    if b"accessor " in source:
        source = _ACCESSOR.sub(b" " * len(b"accessor"), source)
    if b"using " not in source:
        return source
    return _USING.sub(lambda found: found[1] + found[2] + b" " * len(found[3] or b"") + b"const", source)


def rewritten(source: bytes) -> bytes:
    """The source without what it says only to the compiler: that something is there."""
    return _SURE.sub(b" ", declared(source))


def repaired(source: bytes) -> bytes:
    """The source with a semicolon before each call signature that begins with type parameters, and so on."""
    source = _TYPES.sub(lambda found: found[1] + b"    ", rewritten(source))
    source = _VARIANCE.sub(lambda found: found[1] + b" " * len(found[2]), source)
    source = _LISTED.sub(lambda found: _TYPE_LISTED.sub(b"Type", found[0]), source)
    source = _SPACE.sub(lambda found: found[0].capitalize(), source)
    source = _OVERRIDING.sub(lambda found: (found[1] or b"") + b" " * len(b"override"), source)
    text = bytearray(source)
    for found in _OPENING.finditer(source):
        before = source[max(0, found.start() - _LOOK_BACK) : found.start()]
        blank = _COMMENT.sub(b" ", before).rstrip()
        if _ENDING.search(blank):
            text[found.end() : found.end() + 1] = b";"
    return bytes(text)
