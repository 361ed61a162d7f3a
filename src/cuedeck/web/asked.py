"""What a page is asked for: the workspace, the address, the form, and who is looking."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from cuedeck.secrets import mask
from cuedeck.web.html import Html

if TYPE_CHECKING:
    from cuedeck.workspace import Workspace

MOST_PAGES = 1000


@dataclass(frozen=True, slots=True)
class Page:
    """A page before its frame is put around it; a live one is fetched again when something changes."""

    title: str
    section: str
    body: Html
    live: bool = True


@dataclass(frozen=True, slots=True)
class Asked:
    """One request."""

    workspace: Workspace
    writable: bool = True
    names: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)
    form: Mapping[str, str] = field(default_factory=dict)

    def masked(self, text: str) -> str:
        """A text without its secrets."""
        return mask(text, self.workspace.config.scene.secret_patterns).text

    def masked_value(self, value: Any) -> Any:
        """A JSON value without its secrets; a key can give its value away."""
        from cuedeck.memory.masking import Masking

        return Masking("mask", self.workspace.config.scene.secret_patterns).value(value)

    def given(self, name: str) -> str | None:
        """A word of the query, or nothing when it is blank."""
        return self.query.get(name, "").strip() or None

    def page_number(self) -> int:
        """Which page of a list, counted from one."""
        text = self.query.get("page", "1")
        if not (text.isascii() and text.isdecimal()):
            return 1
        return max(1, int(text)) if len(text) < len(str(MOST_PAGES)) else MOST_PAGES
