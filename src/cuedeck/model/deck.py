"""The five decks: which tools a client sees, and how their errors are worded."""

from __future__ import annotations

from enum import StrEnum


class Deck(StrEnum):
    """One tool contract each."""

    CONTEXT = "context"
    CODE = "code"
    TODO = "todo"
    MEMORY = "memory"
    VAULT = "vault"
