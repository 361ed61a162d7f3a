"""Values passed from step to step: ``{{ dotted.path }}`` and plain comparisons; no code is evaluated."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from cuedeck.model.errors import CueError, ErrorCode, invalid
from cuedeck.workflows.model import JSON

_PLACE = re.compile(r"\{\{\s*([A-Za-z0-9_][A-Za-z0-9_.\-]*)\s*\}\}")


def fill(value: JSON, scope: Mapping[str, Any]) -> JSON:
    """A value with every placeholder replaced; a string that is one placeholder keeps the value's type."""
    if isinstance(value, str):
        whole = _PLACE.fullmatch(value.strip())
        if whole:
            return look_up(whole[1], scope)
        return _PLACE.sub(lambda match: _text(look_up(match[1], scope)), value)
    if isinstance(value, dict):
        return {key: fill(item, scope) for key, item in value.items()}
    if isinstance(value, list):
        return [fill(item, scope) for item in value]
    return value


def look_up(path: str, scope: Mapping[str, Any]) -> JSON:
    """What a dotted path names; numbers index lists."""
    found: Any = scope
    for part in path.split("."):
        if isinstance(found, Mapping) and part in found:
            found = found[part]
        elif isinstance(found, list) and part.isdigit() and int(part) < len(found):
            found = found[int(part)]
        else:
            raise CueError(
                ErrorCode.VALIDATION,
                f"Nothing is called '{path}' here",
                data={"path": path, "missing": part},
                hint="Known at the top: " + ", ".join(sorted(scope)) + ".",
            )
    return found


def names_in(value: JSON) -> set[str]:
    """Every dotted path that a value mentions."""
    if isinstance(value, str):
        return set(_PLACE.findall(value))
    if isinstance(value, dict):
        return {name for item in value.values() for name in names_in(item)}
    if isinstance(value, list):
        return {name for item in value for name in names_in(item)}
    return set()


COMPARISONS = ("equals", "not_equals", "above", "below", "contains", "empty")


def holds(condition: Mapping[str, JSON], scope: Mapping[str, Any]) -> bool:
    """Whether ``{value = …, equals|not_equals|above|below|contains|empty = …}`` is true."""
    value = fill(condition["value"], scope)
    for name in COMPARISONS:
        if name in condition and not _compare(name, value, fill(condition[name], scope)):
            return False
    return True


def _compare(name: str, value: Any, other: Any) -> bool:
    match name:
        case "equals":
            return bool(value == other)
        case "not_equals":
            return bool(value != other)
        case "empty":
            return (not value) == bool(other)
        case "contains":
            return isinstance(value, (str, list, dict)) and other in value
        case _:
            if not isinstance(value, (int, float)) or not isinstance(other, (int, float)):
                raise invalid(f"when.{name}", "two numbers", value)
            return value > other if name == "above" else value < other


def _text(value: JSON) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
