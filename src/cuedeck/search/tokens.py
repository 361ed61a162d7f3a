"""How many tokens a text costs a language model, and where to cut it."""

from __future__ import annotations

from typing import Final

ENCODING: Final = "o200k_base"
BYTES_PER_TOKEN: Final = 4.25


def count_tokens(text: str) -> int:
    """Tokens of the text in o200k; an estimate for models whose tokeniser is not public."""
    return _count(_encodable(text))


def truncate_to_tokens(text: str, limit: int) -> str:
    """The longest prefix, on a character boundary, that costs at most that many tokens."""
    if limit <= 0:
        return ""
    text = _encodable(text)
    kept = _cut(text, limit)
    # A cut inside a word can make its remainder dearer than it was as part of the whole.
    target = limit
    while target > 0 and _count(kept) > limit:
        target -= 1
        kept = _cut(text, target)
    return kept


def _encodable(text: str) -> str:
    if text.isascii():
        return text
    return text.encode("utf-8", "replace").decode("utf-8")


def _count(text: str) -> int:
    from toktok import batch_count

    return int(batch_count([text], ENCODING, 1)[0])


def _cut(text: str, limit: int) -> str:
    from toktok import truncate

    return str(truncate(text, limit, ENCODING)[0])
