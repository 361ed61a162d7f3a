"""A resource is a data record too: a URI or template, and one function that reads it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from cuedeck.model.deck import Deck
from cuedeck.model.principal import Principal

if TYPE_CHECKING:
    from cuedeck.workspace import Workspace


@dataclass(frozen=True, slots=True)
class ResourceRequest:
    """One read: where, who, and the values the URI gave to the template."""

    workspace: Workspace
    principal: Principal
    uri: str
    parameters: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Resource:
    """Everything the server knows about one resource or family of resources."""

    uri: str
    name: str
    title: str
    description: str
    mime_type: str
    deck: Deck
    read: Callable[[ResourceRequest], str | bytes]

    @property
    def is_template(self) -> bool:
        """Whether the URI has variables."""
        return "{" in self.uri
