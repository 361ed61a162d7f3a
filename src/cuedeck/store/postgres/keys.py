"""Tokens as 64-bit keys: small, alike in every language, and free of anything to escape."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from hashlib import blake2b

from cuedeck.store.protocol import Scope
from cuedeck.store.tokens import scope_token


@lru_cache(maxsize=65536)
def key(token: str) -> int:
    """The key of a stored token."""
    return int.from_bytes(blake2b(token.encode(), digest_size=8).digest(), "big", signed=True)


def workspace_key(workspace: str) -> int:
    """What every record of a workspace has among its scope keys, so that one index serves them all."""
    return key(f"##{workspace}")


def scope_keys(scope: Iterable[str], workspace: str) -> list[int]:
    """A record's scope keys."""
    return [workspace_key(workspace), *sorted({key(scope_token(token)) for token in scope if token})]


def scope_groups(scope: Scope, workspace: str) -> list[list[int]]:
    """A scope's groups of keys, the workspace first."""
    groups = [sorted({key(scope_token(token)) for token in group}) for group in scope]
    return [[workspace_key(workspace)], *groups]
