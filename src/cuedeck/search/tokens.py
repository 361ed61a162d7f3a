"""How many tokens a text costs a language model, and where to cut it."""

from __future__ import annotations

import math
from functools import cache
from typing import Final, Protocol

ENCODING: Final = "o200k_base"
BYTES_PER_TOKEN: Final = 4.25


class _Tokeniser(Protocol):
    def count(self, text: str) -> int: ...

    def cut(self, text: str, limit: int) -> str: ...


def count_tokens(text: str) -> int:
    """Tokens of the text in o200k; an estimate for models whose tokeniser is not public."""
    return _tokeniser().count(_encodable(text))


def truncate_to_tokens(text: str, limit: int) -> str:
    """The longest prefix, on a character boundary, that costs at most that many tokens."""
    if limit <= 0:
        return ""
    tokeniser, text = _tokeniser(), _encodable(text)
    kept = tokeniser.cut(text, limit)
    # A cut inside a word can make its remainder dearer than it was as part of the whole.
    target = limit
    while target > 0 and tokeniser.count(kept) > limit:
        target -= 1
        kept = tokeniser.cut(text, target)
    return kept


def _encodable(text: str) -> str:
    if text.isascii():
        return text
    return text.encode("utf-8", "replace").decode("utf-8")


class _Exact:
    def count(self, text: str) -> int:
        from toktok import batch_count

        return int(batch_count([text], ENCODING, 1)[0])

    def cut(self, text: str, limit: int) -> str:
        from toktok import truncate

        return str(truncate(text, limit, ENCODING)[0])


class _Estimate:
    def count(self, text: str) -> int:
        return math.ceil(len(text.encode()) / BYTES_PER_TOKEN)

    def cut(self, text: str, limit: int) -> str:
        return text.encode()[: int(limit * BYTES_PER_TOKEN)].decode("utf-8", "ignore")


@cache
def _tokeniser() -> _Tokeniser:
    try:
        import toktok  # noqa: F401
    except ImportError:
        return _Estimate()
    return _Exact()
