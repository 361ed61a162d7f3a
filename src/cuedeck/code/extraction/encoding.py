"""Source in other encodings, as UTF-8: what the engine's offsets, names and texts refer to."""

from __future__ import annotations

import codecs
import re
from typing import Final

# What Python (PEP 263), Ruby and editors read in the first two lines of a file.
_COOKIE: Final = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_HEAD: Final = 400
_MARKS: Final = {codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
# Not encodings of files; a long text takes some of them minutes.
_REFUSED: Final = frozenset({"idna", "punycode", "undefined", "unicode-escape", "raw-unicode-escape"})
# Never fails, and is what most source that neither declares its encoding nor is UTF-8 was written in.
_USUAL: Final = "latin-1"


def as_utf8(source: bytes) -> bytes:
    """A file's bytes as UTF-8: by its mark, by what it declares, by trying. Not to be applied twice."""
    if source.isascii():
        return source
    encoding = _MARKS.get(source[:2]) or _declared(source)
    if encoding:
        read = _transcoded(source, encoding)
        if read is not None:
            return read
    return source if b"\0" in source or _is_utf8(source) else source.decode(_USUAL).encode()


def _declared(source: bytes) -> str:
    """The encoding that the first two lines name, if it is another than UTF-8."""
    for line in source[:_HEAD].split(b"\n", 2)[:2]:
        match = _COOKIE.match(line)
        if match:
            try:
                name = codecs.lookup(match[1].decode()).name
            except (LookupError, ValueError):
                return ""
            return "" if name in _REFUSED or name.startswith("utf-8") else name
    return ""


def _is_utf8(source: bytes) -> bool:
    try:
        source.decode()
    except UnicodeDecodeError:
        return False
    return True


def _transcoded(source: bytes, encoding: str) -> bytes | None:
    try:
        return source.decode(encoding).encode()
    except (LookupError, UnicodeError):
        return None
