"""What one failure says: its kind, type, message, place, frames, test and compared values."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

# What a failure says of its tool when no reader knew it.
NO_TOOL = "unknown"


class FailureKind(StrEnum):
    """The contract's ``feedback_type`` words, completed."""

    TEST = "test_failure"
    BUILD = "build_error"
    TYPE = "type_error"
    LINT = "lint_error"
    RUNTIME = "runtime_error"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Location:
    """A place in a source file, as the tool printed it."""

    path: str
    line: int | None = None
    column: int | None = None

    def __str__(self) -> str:
        return self.path if self.line is None else f"{self.path}:{self.line}"


@dataclass(frozen=True, slots=True)
class Frame:
    """One entry of a stack, outermost first in a failure's ``frames``."""

    path: str
    line: int | None
    function: str | None = None


@dataclass(frozen=True, slots=True)
class Compared:
    """What an assertion wanted and what it got."""

    expected: str
    actual: str


@dataclass(frozen=True, slots=True)
class Failure:
    """One failure read from a tool's output."""

    tool: str
    kind: FailureKind
    type: str
    message: str
    location: Location | None = None
    frames: tuple[Frame, ...] = ()
    test: str | None = None
    compared: Compared | None = None
