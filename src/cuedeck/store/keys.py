"""Tokens as 64-bit keys: small, alike in every language, and free of anything to escape."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from hashlib import blake2b

from cuedeck.store.tokens import scope_token


@lru_cache(maxsize=65536)
def key(token: str) -> int:
    """The key of a stored token."""
    return int.from_bytes(digest(token), "big", signed=True)


def digest(token: str) -> bytes:
    """The same as bytes, the highest first."""
    return blake2b(token.encode(), digest_size=8).digest()


def scope_keys(scope: Iterable[str]) -> list[int]:
    """The keys of scope tokens, each once."""
    return sorted({key(scope_token(token)) for token in scope if token})
