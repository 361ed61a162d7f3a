"""The one error family: a closed code, a sentence, data for programs, and a hint for what to do next."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any


class ErrorCode(StrEnum):
    """What went wrong, independent of how a deck words or numbers it."""

    VALIDATION = "validation"
    PATH_REFUSED = "path_refused"
    NOT_FOUND = "not_found"
    DEPENDENCY_NOT_FOUND = "dependency_not_found"
    CYCLE = "cycle"
    TOKEN_LIMIT = "token_limit"
    STALE_CACHE = "stale_cache"
    LOCKED = "locked"
    ORPHAN_CARD = "orphan_card"
    RATE_LIMITED = "rate_limited"
    UNAUTHORIZED = "unauthorized"
    MULTIPLE_MATCHES = "multiple_matches"
    PROJECT_NOT_FOUND = "project_not_found"
    REF_NOT_INDEXED = "ref_not_indexed"
    MERGE_BASE_FAILED = "merge_base_failed"
    SYMBOL_NOT_FOUND = "symbol_not_found"
    NO_EDGES_AVAILABLE = "no_edges_available"
    RESULT_NOT_FOUND = "result_not_found"
    OVERLAY_NOT_READY = "overlay_not_ready"
    WORKFLOW_NOT_FOUND = "workflow_not_found"
    WORKFLOW_DISABLED = "workflow_disabled"
    EXECUTION_NOT_FOUND = "execution_not_found"
    EMBEDDING = "embedding"
    DATABASE = "database"
    SCHEMA_TOO_NEW = "schema_too_new"
    CONFIGURATION = "configuration"
    UNAVAILABLE = "unavailable"
    INTERNAL = "internal"


class CueError(Exception):
    """Every failure that a user or an agent is meant to read."""

    def __init__(
        self,
        code: ErrorCode,
        message: str,
        *,
        data: Mapping[str, Any] | None = None,
        hint: str | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data: dict[str, Any] = dict(data or {})
        self.hint = hint


def exit_code(error: CueError) -> int:
    """How a command ends: 2 when an option was wrong, 101 when the configuration was, else 1."""
    if "option" in error.data:
        return 2
    return 101 if error.code is ErrorCode.CONFIGURATION else 1


def invalid(field: str, expected: str, actual: object) -> CueError:
    """A value that breaks a contract's limits, named with what was expected and what came."""
    shown = actual if isinstance(actual, (str, int, float, bool, type(None))) else _json_type(actual)
    if isinstance(shown, str):
        shown = shortened(shown)
    return CueError(
        ErrorCode.VALIDATION,
        f"Invalid {field}: expected {expected}",
        data={"field": field, "expected": expected, "actual": shown},
    )


def shortened(given: str) -> str:
    """What a caller gave, as far as it is worth repeating."""
    return given if len(given) <= 200 else given[:200] + "…"


def _json_type(value: object) -> str:
    if isinstance(value, Mapping):
        return "an object"
    return "an array" if isinstance(value, (list, tuple)) else type(value).__name__


def not_found(message: str, *, hint: str | None = None, **data: object) -> CueError:
    """A file, anchor, task, memory or run that is not there."""
    return CueError(ErrorCode.NOT_FOUND, message, data=data, hint=hint)
