"""C and C++ with macros where the grammar knows none, rewritten to the same length without them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from cuedeck.code.languages.c_branches import torn_branches

if TYPE_CHECKING:
    from cuedeck.code.extraction.draft import Range

_MACRO: Final = rb"([A-Z][A-Z0-9_]{2,})"
# ``API void f(`` and ``API Type::Type(``; before a single word it would be a type.
_BEFORE: Final = re.compile(
    rb"(?m)^[ \t]*(?:(?:static|inline|virtual|extern|constexpr)[ \t]+){0,3}"
    + _MACRO
    + rb"(?=[ \t\n]([\w:~<>,*& \t\n]{2,200})\()"
)
# A second one behind it.
_AGAIN: Final = re.compile(rb"[ \t\n]+" + _MACRO + rb"(?=[ \t\n]([\w:~<>,*& \t\n]{2,200})\()")
# ``void API f(``
_BETWEEN: Final = re.compile(
    rb"(?m)^[ \t]*(?!(?:return|else|case|throw|delete|goto|typedef|using|new)\b)"
    rb"[a-z_][\w:<>*& \t]{1,100}?[ \t*&]" + _MACRO + rb"(?=[ \t]+[\w:~]+[ \t]*\()"
)
# ``Type * API name``, and ``} API name;`` behind a structure: neither leaves room for a type.
_POINTED: Final = re.compile(rb"\*[ \t]*" + _MACRO + rb"(?=[ \t]+[A-Za-z_]\w*[ \t\n]*[,)=;\[])")
_CLOSED: Final = re.compile(rb"(?m)^\}[ \t]*" + _MACRO + rb"(?=[ \t]+[A-Za-z_]\w*[ \t]*[,;])")
# ``BEGIN_NAMESPACE`` on a line of its own, before a declaration.
_ALONE: Final = re.compile(
    rb"(?m)^[ \t]*([A-Z][A-Z0-9_]{2,}(?:\([^()\n]*\))?)[ \t]*(?://[^\n]*)?"
    rb"(?=\n(?:[ \t]*(?://[^\n]*)?\n){0,40}[ \t]*(?:namespace|class|struct|union|enum|template|typedef|extern"
    rb"|using|inline|static|constexpr|virtual|explicit|friend|public|protected|private)\b)"
)
# ``class API Type``, ``struct API DEPRECATED("since 2") Type``
_WITHIN: Final = re.compile(
    rb"\b(?:class|struct)[ \t]+((?:[A-Z][A-Z0-9_]+(?:\([^()]{0,200}\))?\s+){1,4})"
    rb"(?=[A-Za-z_]\w*\s*(?:final\s*)?[:{;])"
)
# ``DEPRECATED("since 2")`` on a line of its own, before a function.
_ABOVE: Final = re.compile(
    rb"(?m)^[ \t]*([A-Z][A-Z0-9_]{2,}\(\"[^\"\n]*\"\))[ \t]*(?=\n[ \t]*[A-Za-z_][\w:<>,*& \t]{1,100}\()"
)
# ``f() const NOEXCEPT override``
_BEHIND: Final = re.compile(
    rb"\)[ \t\n]*(?:const\b[ \t\n]*)?"
    + _MACRO
    + rb"(?=[ \t\n]*(?:override\b|final\b|=[ \t]*(?:0|default|delete)\b|[{:]))"
)
# ``int run(void) QUIET;`` outside of functions.
_LAST: Final = re.compile(rb"(?m)^[A-Za-z_][^;{}\n]*\)[ \t]*" + _MACRO + rb"(?=[ \t]*;)")
# ``API constexpr Type name{};``: no type stands before such a word.
_FIRST: Final = re.compile(
    rb"(?m)^[ \t]*" + _MACRO + rb"(?=[ \t]+(?:constexpr|static|extern|inline|virtual|explicit)\b)"
)
# ``return LITERAL(Type){1, 2};``: a value of the type, as without the macro.
_MADE: Final = re.compile(
    rb"(?:[=(,?]|\breturn\b)[ \t\n]*"
    + _MACRO
    + rb"(?=[ \t]*\([ \t]*(?:struct[ \t]+)?[A-Za-z_]\w*[ \t]*\)\s*\{)"
)
# Words of system libraries and kernels that say something about a declaration.
_RESERVED: Final = re.compile(
    rb"\b(__(?:attribute_\w+__|unused|used|packed|init|exit|initdata|user|iomem|force|rcu|percpu|must_check"
    rb"|always_inline|noinline|noreturn|dead2?|deprecated|weak|cold|hot|pure|malloc_like|result_use_check"
    rb"|printflike|aligned|section|nonnull|format_arg|declspec|stdcall|cdecl|fastcall|vectorcall)\b"
    rb"(?:[ \t]*\((?:[^()\n]|\([^()\n]*\))*\))?)"
)
# ``int total GUARDED_BY(mutex);`` and ``void run() REQUIRES(mutex);``; behind a type it would be a function.
_TOLD: Final = re.compile(
    rb"(?<=\s)([A-Z][A-Z0-9_]{2,}\((?:[^()\n;]|\([^()\n]*\))*\))(?=\s*(?:;|=[^=]|\{|[A-Z][A-Z0-9_]{2,}\())"
)
# ``#define MORE , int more``: what stands behind the last thing of a list, without a comma.
_CONTINUING: Final = re.compile(rb"(?m)^[ \t]*#[ \t]*define[ \t]+([A-Za-z_]\w*)[ \t]+,")
_DECLARED: Final = re.compile(rb"(?:[)\]]|[\w>*&][ \t*&]+([a-z_]\w*))\s*\Z")
_TYPE_WORDS: Final = frozenset(
    b"void int char bool long short float double unsigned signed auto const static inline extern return else "
    b"new delete throw case goto struct class enum union typedef define".split()
)
_MAX_NAME: Final = 100
# ``#define`` with lines that end in a backslash, and comments on one of them.
_CONTINUED: Final = re.compile(rb"(?m)^[ \t]*#[ \t]*define\b[^\n]*\\\n(?:[^\n]*\\\n)*[^\n]*")
_COMMENT: Final = re.compile(rb"/\*[^\n]*?\*/")
_BRACKET: Final = re.compile(rb"[()]")
_INITIALISERS: Final = re.compile(rb"\s*(?:noexcept\s*)?:(?!:)")
_MAX_PARAMETERS: Final = 500
# ``DEFINE_LIST(a, b)`` on lines of its own outside of functions, which no semicolon ends.
_LONE: Final = re.compile(rb"(?m)^[A-Z][A-Z0-9_]{2,}[ \t]*\(")
_LINE_END: Final = re.compile(rb"[ \t]*(?://[^\n]*|/\*[^\n]*\*/[ \t]*)?(?:\n\s*|\Z)")
_BELOW: Final = re.compile(rb"#|//|/\*|\}|\Z|[A-Za-z_]\w*[ \t*]+[\w*]|[A-Z][A-Z0-9_]{2,}[ \t]*\(")
_MAX_ABOVE: Final = 300
_WORD: Final = re.compile(rb"[\w:~]+")
_ARGUMENTS: Final = re.compile(rb"<[^<>]*>")


def uncommented(source: bytes) -> bytes:
    """The source without comments inside macros of several lines, at which the grammar ends them.

    Calls of macros between declarations end in a semicolon, so that they are not taken for parts of them.
    """
    return _ended(_left_out(source, _inside_macros(source)), _lone_calls(source))


def undecorated(source: bytes) -> bytes:
    """The same without macros that the grammar takes for the names of classes."""
    return _left_out(uncommented(source), _before_classes(source))


def repaired(source: bytes) -> bytes:
    """The source without the macros around declarations of functions, too, and those between declarations."""
    return _left_out(_left_out(uncommented(source), macros(source)), torn_branches(source))


def _lone_calls(source: bytes) -> Iterator[int]:
    """Where calls of macros end that stand alone between declarations."""
    last = -1
    for found in _LONE.finditer(source):
        end = _closed(source, found.end() - 1)
        rest = _LINE_END.match(source, end) if end else None
        if rest is None or not _BELOW.match(source, rest.end()):
            continue
        if last == found.start() or _begins_anew(source, found.start()):
            last = rest.end()
            # A directive needs the end of the line before it.
            if source[end : end + 1].isspace() and source[end + 1 : end + 2] != b"#":
                yield end


def _begins_anew(source: bytes, start: int) -> bool:
    """Whether nothing that stands above a line goes on there."""
    text = source[max(0, start - _MAX_ABOVE) : start].rstrip()
    above, _, line = text.rpartition(b"\n")
    if not text or text.endswith(b"\\"):
        return not text
    if above.rstrip(b" \t\r").endswith(b"\\") or line.lstrip().startswith((b"#", b"//")):
        return True
    return text.endswith((b";", b"}", b"*/"))


def _closed(source: bytes, opening: int) -> int:
    """Where a parenthesis is closed again, if soon."""
    depth = 0
    for found in _BRACKET.finditer(source, opening, opening + _MAX_PARAMETERS):
        depth += 1 if found[0] == b"(" else -1
        if not depth:
            return found.end()
    return 0


def macros(source: bytes) -> Iterator[Range]:
    """Where they stand."""
    yield from _before_classes(source)
    yield from _other_macros(source)


def _inside_macros(source: bytes) -> Iterator[Range]:
    for macro in _CONTINUED.finditer(source):
        if b"/*" in macro[0]:
            for comment in _COMMENT.finditer(source, *macro.span()):
                yield comment.span()


def _before_classes(source: bytes) -> Iterator[Range]:
    for found in _WITHIN.finditer(source):
        yield found.span(1)


def _other_macros(source: bytes) -> Iterator[Range]:
    for first in _BEFORE.finditer(source):
        found: re.Match[bytes] | None = first
        while found is not None and _is_decoration(source, found):
            yield found.span(1)
            found = _AGAIN.match(source, found.end())
    for pattern in (_BETWEEN, _BEHIND, _ALONE, _ABOVE, _POINTED, _CLOSED, _LAST, _FIRST, _MADE, _RESERVED):
        for found in pattern.finditer(source):
            yield found.span(1)
    for found in _TOLD.finditer(source):
        before = _DECLARED.search(source[max(0, found.start() - _MAX_NAME) : found.start()])
        if before is not None and before[1] not in _TYPE_WORDS:
            yield found.span(1)
    yield from _continuing(source)


def _continuing(source: bytes) -> Iterator[Range]:
    """``f(int a MORE)``, where the file says that the macro begins with a comma."""
    if names := set(_CONTINUING.findall(source)):
        used = re.compile(rb"[\w)\]\"'*][ \t\n]+(" + b"|".join(sorted(names)) + rb")(?=[ \t\n]*\))")
        yield from (found.span(1) for found in used.finditer(source))


def _is_decoration(source: bytes, found: re.Match[bytes]) -> bool:
    """Whether a type follows a word before a name, so that the word is none."""
    words = _WORD.findall(_ARGUMENTS.sub(b"", found[2]))
    if words and source[found.end(2) + 1 : found.end(2) + 2] == b"*":
        return True
    return len(words) > 1 or bool(words and _is_maker(words[0])) or _is_initialised(source, found.end(2))


def _left_out(source: bytes, places: Iterable[Range]) -> bytes:
    """The source without some of its parts; where lines end stays."""
    text = bytearray(source)
    for start, end in places:
        text[start:end] = re.sub(rb"[^\n]", b" ", source[start:end])
    return bytes(text)


def _ended(source: bytes, places: Iterable[int]) -> bytes:
    text = bytearray(source)
    for place in places:
        text[place : place + 1] = b";"
    return bytes(text)


def _is_maker(name: bytes) -> bool:
    """Whether a name is that of a destructor, or of a constructor outside its class."""
    parts = name.split(b"::")
    return name.startswith(b"~") or (len(parts) > 1 and parts[-1].lstrip(b"~") == parts[-2])


def _is_initialised(source: bytes, opening: int) -> bool:
    """Whether a list of initialisers follows a parameter list: that of a constructor."""
    end = _closed(source, opening)
    return end > 0 and _INITIALISERS.match(source, end) is not None
