"""Source becomes a syntax tree, in bounded time."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final

from cuedeck.code.extraction.grammars import native_parser_of, parser_of

if TYPE_CHECKING:
    from tree_sitter import Node

    from cuedeck.code.languages.language import Language

# Source that makes no sense can take a parser minutes; sound source takes it a second for several megabytes.
MAX_SECONDS: Final = 10.0
_LEAST_SECONDS: Final = 2.0
_SECONDS_PER_BYTE: Final = (MAX_SECONDS - _LEAST_SECONDS) / (4 * 1024 * 1024)
_CHUNK: Final = 4096


def seconds_for(source: bytes) -> float:
    """How long a source may take."""
    return _LEAST_SECONDS + _SECONDS_PER_BYTE * len(source)


def parse(source: bytes, language: Language) -> tuple[Node, bool]:
    """The root of a source's tree, and whether there was time for all of it."""
    native = native_parser_of(language)
    if native is not None:
        found: tuple[Node, bool] = native.parse(source, seconds_for(source))
        return found
    parser = parser_of(language)
    if len(source) <= _CHUNK:
        # Whatever stands in so few bytes, parsing it ends long before the deadline.
        return parser.parse(source).root_node, True
    # The thread's own time: on a busy machine nothing is cut short that would have been read.
    deadline = time.thread_time() + seconds_for(source)
    late = False

    # The binding's progress callback crashes the interpreter; a reader that ends early stops the parser too.
    def read(offset: int, _point: Any) -> bytes:
        nonlocal late
        late = late or time.thread_time() > deadline
        return b"" if late else source[offset : offset + _CHUNK]

    return parser.parse(read).root_node, not late
