"""Bash where its grammar knows too little: what it cannot read is left out, function by function."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from cuedeck.code.extraction.parsing import parse

if TYPE_CHECKING:
    from tree_sitter import Node

    from cuedeck.code.languages.language import Language

# ``cmd `# why` -x``: a comment between arguments.
_ASIDE: Final = re.compile(rb"`[ \t]*#[^`\n]*`")
# ``cmd > "$file" <<< text``: behind another redirection.
_HERE: Final = re.compile(rb"(?<=[^\n<])<<<(?!<)(?=[ \t]*[\w\"'$])")
# ``for each do``: over what the function is given.
_FOR_EACH: Final = re.compile(rb"(?m)^([ \t]*)for[ \t]+(\w{3,})[ \t]+do\b")
# ``${@:$index:1}``
_SLICE: Final = re.compile(rb"(?<=\$\{[@*]):\$\w+(?::\$?\w+)?(?=\})")
# Where a function or a test begins its body, and where such a body ends.
_HEAD: Final = re.compile(
    rb"(?m)^(?:(?:function[ \t]+)?[\w:.+@-]+[ \t]*\(\)|function[ \t]+[\w:.+@-]+|@test[ \t][^\n]*?)"
    rb"[ \t]*\n?\{[ \t]*(?:#[^\n]*)?\n"
)
_END: Final = re.compile(rb"(?m)^\}")
_OTHER: Final = re.compile(rb"[^\n]")
_LONGEST: Final = 512 * 1024
# So many lines of a function are left out before all of it is.
_MOST_LINES: Final = 4


def repaired(source: bytes, language: Language) -> bytes:
    """The source without what its grammar cannot read; nothing else moves."""
    text = _SLICE.sub(_blank, _HERE.sub(b"   ", _ASIDE.sub(_blank, source)))
    text = _FOR_EACH.sub(lambda found: found[1] + b"while :;do".ljust(len(found[0]) - len(found[1])), text)
    if len(text) > _LONGEST or not parse(text, language)[0].has_error:
        return text
    read = bytearray(text)
    place = 0
    while (head := _HEAD.search(text, place)) is not None:
        end = _END.search(text, head.end())
        last = end.start() if end is not None else max(head.end(), text.rstrip().rfind(b"\n") + 1)
        read[head.end() : last] = _read_in_part(head[0], text[head.end() : last], language)
        if end is None:
            # Somebody is typing: the function ends in place of the last line.
            read[last:] = b"}".ljust(len(text) - last)
            break
        place = end.end()
    return bytes(read)


def _blank(found: re.Match[bytes]) -> bytes:
    return b" " * len(found[0])


def _read_in_part(head: bytes, body: bytes, language: Language) -> bytes:
    """A function's body without the lines that cannot be read, or empty."""
    text = body
    for _ in range(_MOST_LINES):
        root, _whole = parse(head + text + b"}\n", language)
        if not root.has_error:
            return text
        at = max(0, _least_error(root).start_byte - len(head))
        start = text.rfind(b"\n", 0, at) + 1
        end = text.find(b"\n", at)
        text = text[:start] + b" " * (end - start) + text[end:] if end >= 0 else text
    return _OTHER.sub(b" ", body)


def _least_error(root: Node) -> Node:
    """The smallest of what is not understood: errors around others tell where they are no more than those."""
    least, nodes = root, [root]
    while nodes:
        node = nodes.pop()
        is_wrong = node.is_error or node.is_missing
        if is_wrong and node.end_byte - node.start_byte < least.end_byte - least.start_byte:
            least = node
        nodes += [child for child in node.children if child.has_error or child.is_missing]
    return least
