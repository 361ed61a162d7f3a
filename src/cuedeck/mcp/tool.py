"""A tool is a data record: what a client sees of it, and one call into an engine."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import CoreSchema, PydanticKnownError, core_schema

from cuedeck.mcp.runtime import Activity
from cuedeck.model.deck import Deck
from cuedeck.model.principal import Principal

if TYPE_CHECKING:
    from cuedeck.workspace import Workspace


class Arguments(BaseModel):
    """Base of every tool's input: no coercion, no unknown names, nothing that JSON cannot hold."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, allow_inf_nan=False)


@dataclass(frozen=True, slots=True)
class Clamped:
    """Marks an integer argument that is moved into its range instead of refused."""

    minimum: int
    maximum: int = 2**63 - 1

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(self.clamp)

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return {"type": "number"}

    def clamp(self, value: Any) -> int:
        """The nearest whole number inside the range; anything but a finite number is refused."""
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise PydanticKnownError("float_type")
        if isinstance(value, float) and not math.isfinite(value):
            raise PydanticKnownError("finite_number")
        return min(self.maximum, max(self.minimum, math.trunc(value)))


A = TypeVar("A", bound=Arguments)


def no_progress(_done: float, _message: str) -> None:
    """For a caller that did not ask to be told."""


def _never() -> bool:
    return False


@dataclass(frozen=True, slots=True)
class Call(Generic[A]):
    """One validated request: where, who, what, and how to report back while it runs."""

    workspace: Workspace
    principal: Principal
    arguments: A
    progress: Callable[[float, str], None] = no_progress
    cancelled: Callable[[], bool] = _never
    activity: Activity = field(default_factory=Activity)


@dataclass(frozen=True, slots=True)
class Answer:
    """The contract's JSON value, what goes beside it in ``_meta``, and what a vault's metadata say of it.

    ``indexing`` while it was made of a part of the workspace: the first look is still under way.
    """

    value: Any
    meta: Mapping[str, Any] = field(default_factory=dict)
    cache_hit: bool | None = None
    indexing: bool = False


@dataclass(frozen=True, slots=True)
class Effects:
    """What calling the tool does to the world, as its annotations tell the client."""

    read_only: bool
    destructive: bool = False
    idempotent: bool = True


READS = Effects(read_only=True)
ADDS = Effects(read_only=False, idempotent=False)
CHANGES = Effects(read_only=False)
DESTROYS = Effects(read_only=False, destructive=True)


@dataclass(frozen=True, slots=True)
class Tool:
    """Everything the server knows about one tool."""

    name: str
    deck: Deck
    title: str
    description: str
    arguments: type[Arguments]
    output: Mapping[str, Any]
    effects: Effects
    handler: Callable[[Call[Any]], Answer]
    in_default_set: bool = False
    needs_folder: bool = True
    admits: Callable[[Principal], object] | None = None
