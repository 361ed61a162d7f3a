"""Keeps secrets out of what is remembered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from cuedeck.memory.model import Draft
from cuedeck.model.errors import CueError, ErrorCode
from cuedeck.secrets import mask


@dataclass
class Masking:
    """One call's masking: what the setting asks for, further patterns, and how many secrets were met."""

    mode: str
    patterns: Sequence[str] = ()
    count: int = 0

    def text(self, value: str) -> str:
        """A text without its secrets, or the text itself where they are allowed."""
        if self.mode == "allow":
            return value
        masked = mask(value, self.patterns)
        self.count += masked.count
        if masked.count and self.mode == "refuse":
            raise CueError(
                ErrorCode.VALIDATION,
                f'The text holds {masked.count} secret(s), which memory.secrets = "refuse" does not allow',
                data={"field": "content", "expected": "text without secrets", "secrets": masked.count},
                hint="Remove the secret, or set memory.secrets to mask.",
            )
        return masked.text

    def optional(self, value: str | None) -> str | None:
        return None if value is None else self.text(value)

    def value(self, value: Any, key: str = "") -> Any:
        """A JSON value with every text in it masked; a key can give its value away."""
        match value:
            case str():
                return self._keyed(key, value)
            case dict():
                return {name: self.value(inner, name) for name, inner in value.items()}
            case list():
                return [self.value(inner, key) for inner in value]
            case _:
                return value

    def _keyed(self, key: str, value: str) -> str:
        masked = self.text(value)
        if masked == value and key and len(value) < 500:
            before = self.count
            shown = self.text(f'{key} = "{value}"')
            if self.count > before and self.mode == "mask":
                return shown[shown.index("[MASKED") :].rstrip('"')
        return masked

    def draft(self, draft: Draft) -> Draft:
        """A draft without its secrets."""
        return replace(
            draft,
            content=self.text(draft.content),
            title=self.optional(draft.title),
            metadata=self.value(dict(draft.metadata)),
            tags=tuple(self.text(tag) for tag in draft.tags),
            source_task=self.optional(draft.source_task),
        )
