"""What one client chose when it connected: a plain value that travels to worker processes as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from cuedeck.model.errors import CueError, ErrorCode

ERROR_STYLES = ("rpc", "result")


@dataclass(frozen=True)
class ConnectionOptions:
    """The choices of one connection; fixed until it ends."""

    decks: tuple[str, ...] = ("default",)
    tools: tuple[str, ...] = ()
    read_only: bool = False
    errors: str = "rpc"
    user: str | None = None
    workspace: str | None = None
    environment: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        if self.errors not in ERROR_STYLES:
            raise CueError(
                ErrorCode.CONFIGURATION,
                f"Unknown error style {self.errors!r}",
                data={"errors": self.errors, "allowed": list(ERROR_STYLES)},
                hint="Use --errors=rpc or --errors=result.",
            )

    def to_json(self) -> dict[str, Any]:
        """The value as JSON."""
        return asdict(self)

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> ConnectionOptions:
        """The value from its JSON, which knows no tuples."""
        lists = {"decks": tuple(raw["decks"]), "tools": tuple(raw["tools"])}
        return cls(**{**raw, **lists, "environment": tuple(map(tuple, raw["environment"]))})


def names(text: str) -> tuple[str, ...]:
    """The names in a comma-separated flag, in order, without repeats."""
    return tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
