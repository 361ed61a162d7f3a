"""Tokens as they are stored: one word to any tokenizer, scope tokens in a namespace of their own."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from string import ascii_uppercase

_SAFE = bytes({*range(0x20, 256)}.difference(b"\x7f#", ascii_uppercase.encode()))
_UNSAFE = re.compile(r"[\x00-\x20\x7fA-Z]|^#")


def stored_token(token: str) -> str:
    """A field token; white space, capitals and a leading ``#`` would not survive as they are."""
    return _UNSAFE.sub(lambda found: f"\\{ord(found[0]):02x}", token)


def scope_token(token: str) -> str:
    """A scope token, which no field token equals."""
    return "#" + stored_token(token)


def stored_text(tokens: Sequence[str]) -> str:
    """Field tokens as one text."""
    joined = " ".join(tokens)
    # The usual tokens need no care, which is seen of all of them together.
    whole = joined.count(" ") == len(tokens) - 1 and "  " not in f" {joined} "
    if whole and not joined.encode(errors="surrogatepass").translate(None, _SAFE):
        return joined
    return " ".join([stored_token(token) for token in tokens if token])


def record_words(scope: Collection[str], fields: Iterable[str]) -> str:
    """A record as it is kept until it is folded: a line of scope tokens, then one for each field."""
    return "\n".join((scope_line(scope), *fields))


def scope_line(scope: Collection[str]) -> str:
    """A record's scope tokens as one text."""
    return _scope_line(tuple(scope))


@lru_cache(maxsize=1024)
def _scope_line(scope: tuple[str, ...]) -> str:
    return " ".join(scope_tokens(scope))


def scope_tokens(scope: Collection[str]) -> list[str]:
    """A record's scope tokens, each once, in a fixed order."""
    return sorted({scope_token(token) for token in scope if token})
