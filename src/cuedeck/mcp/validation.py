"""From a client's raw arguments to a tool's model, or to one error that says what to change."""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator, Mapping
from typing import Any, TypeVar, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from cuedeck.mcp.tool import Arguments
from cuedeck.model.errors import CueError, ErrorCode, invalid
from cuedeck.model.text import is_unicode

MAX_DEPTH = 64
MAX_REPORTED = 5

A = TypeVar("A", bound=Arguments)

_EXPECTED = {
    "missing": "a value; this argument is required",
    "string_type": "a string",
    "string_unicode": "a string of valid Unicode",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "int_parsing_size": "a smaller whole number",
    "float_type": "a number",
    "finite_number": "a finite number",
    "bool_type": "true or false",
    "list_type": "an array",
    "tuple_type": "an array",
    "dict_type": "an object",
    "model_type": "an object",
    "model_attributes_type": "an object",
    "none_required": "null",
    "string_too_short": "at least {min_length} characters",
    "string_too_long": "at most {max_length} characters",
    "too_short": "at least {min_length} items",
    "too_long": "at most {max_length} items",
    "string_pattern_mismatch": "a string matching {pattern}",
    "greater_than_equal": "{ge} or more",
    "greater_than": "more than {gt}",
    "less_than_equal": "{le} or less",
    "less_than": "less than {lt}",
    "literal_error": "{expected}",
    "enum": "{expected}",
}


def validated(model: type[A], raw: Any) -> A:
    """The arguments as the tool's model, or a validation error that names the field."""
    if raw is None:
        raw = {}
    if not isinstance(raw, Mapping):
        raise invalid("arguments", "an object", raw)
    for problem in _json_problems(raw):
        raise problem
    try:
        return model.model_validate(raw)
    except ValidationError as error:
        meant = _as_meant(model, raw, error)
        if meant is None:
            raise _explained(model, raw, error) from None
    return validated(model, meant)


def _as_meant(model: type[Arguments], raw: Mapping[str, Any], error: ValidationError) -> Any:
    """The arguments with 5.0 as 5 where a whole number belongs, and without null for what has a default."""
    details = error.errors()
    places = [detail["loc"] for detail in details if _is_whole(detail)]
    refused = {detail["loc"][0] for detail in details if detail["loc"]}
    optional = {info.alias or name for name, info in model.model_fields.items() if not info.is_required()}
    absent = [name for name in raw if name in refused & optional and raw[name] is None]
    if not places and not absent:
        return None
    changed = copy.deepcopy({name: value for name, value in raw.items() if name not in absent})
    for *path, last in places:
        holder: Any = changed
        for step in path:
            holder = holder[step]
        holder[last] = int(holder[last])
    return changed


def _is_whole(detail: ErrorDetails) -> bool:
    given = detail["input"]
    return detail["type"] == "int_type" and isinstance(given, float) and given.is_integer()


def _explained(model: type[Arguments], raw: Any, error: ValidationError) -> CueError:
    told = _distinct(error.errors())[:MAX_REPORTED]
    first, *others = (_mistake(model, raw, detail) for detail in told)
    if others:
        first.data["errors"] = [mistake.data.copy() for mistake in (first, *others)]
    return first


def _distinct(details: list[ErrorDetails]) -> list[ErrorDetails]:
    """One mistake for each argument: a union reports every branch that did not fit."""
    seen: dict[str, ErrorDetails] = {}
    for detail in details:
        seen.setdefault(str(detail["loc"][:1]), detail)
    return list(seen.values())


def _mistake(model: type[Arguments], raw: Any, detail: ErrorDetails) -> CueError:
    field = _dotted(raw, detail)
    if detail["type"] == "extra_forbidden":
        return _unknown_argument(model, detail, field)
    if detail["type"] == "missing":
        return CueError(
            ErrorCode.VALIDATION,
            f"Missing {field}: this argument is required",
            data={"field": field, "expected": _EXPECTED["missing"], "actual": None},
        )
    mistake = invalid(field, _expected(detail), detail["input"])
    if detail["loc"]:
        mistake.message += f", got {_shown(detail['input'])}"
    return mistake


def _expected(detail: ErrorDetails) -> str:
    words = _EXPECTED.get(detail["type"])
    if words is not None:
        expected = words.format(**detail.get("ctx", {}))
        return expected.removesuffix("s") if " 1 " in expected else expected
    return detail["msg"].removeprefix("Value error, ").removeprefix("Assertion failed, ")


def _unknown_argument(model: type[Arguments], detail: ErrorDetails, field: str) -> CueError:
    from cuedeck.mcp.registry import nearest

    known = _names_at(model, detail["loc"][:-1])
    near = nearest(str(detail["loc"][-1]), known, limit=1)
    guess = f"; did you mean {near[0]!r}?" if near else ""
    expected = "one of " + ", ".join(known) if known else "no arguments"
    return CueError(
        ErrorCode.VALIDATION,
        f"Unknown argument {field!r}{guess}",
        data={
            "field": field,
            "expected": expected,
            "actual": field,
            **({"nearest": near[0]} if near else {}),
        },
    )


def _names_at(model: type[BaseModel], path: tuple[int | str, ...]) -> list[str]:
    """The argument names of the (nested) model that a location points into."""
    for step in path:
        info = model.model_fields.get(str(step))
        nested = [] if info is None else [kind for kind in _leaves(info.annotation) if _is_model(kind)]
        if len(nested) == 1:
            model = nested[0]
        elif info is not None:
            return []
    return [info.alias or name for name, info in model.model_fields.items()]


def _leaves(annotation: Any) -> Iterator[Any]:
    inner = get_args(annotation)
    if not inner:
        yield annotation
    for part in inner:
        yield from _leaves(part)


def _is_model(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, BaseModel)


def _dotted(raw: Any, detail: ErrorDetails) -> str:
    """Where in the arguments a mistake is; the names of union branches are no place there."""
    names = []
    for part in detail["loc"]:
        if isinstance(raw, Mapping) and (part in raw or detail["type"] == "missing"):
            names.append(str(part))
            raw = raw.get(part)
        elif isinstance(raw, list) and isinstance(part, int):
            names.append(str(part))
            raw = raw[part] if part < len(raw) else None
    return ".".join(names)[:200] or "arguments"


def _shown(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return str(value).lower()
        case str():
            return repr(value if len(value) <= 60 else value[:60] + "…")
        case int() | float():
            return str(value) if abs(value) < 10**30 else "a huge number"
        case list():
            return "an array"
        case Mapping():
            return "an object"
    return type(value).__name__


def _json_problems(raw: Mapping[str, Any]) -> Iterator[CueError]:
    """What JSON text can say but no store can hold: lone surrogates, infinities, bottomless nesting."""
    waiting: list[tuple[Any, tuple[object, ...]]] = [(raw, ())]
    while waiting:
        holder, place = waiting.pop()
        if len(place) == MAX_DEPTH and holder:
            yield invalid(_named(place), f"at most {MAX_DEPTH} levels of nesting", "deeper nesting")
            continue
        for key, value in holder.items() if isinstance(holder, Mapping) else enumerate(holder):
            if isinstance(key, str) and not is_unicode(key):
                yield invalid(_named(place), "names of valid Unicode", "a lone surrogate")
            if isinstance(value, (Mapping, list)):
                waiting.append((value, (*place, key)))
            elif isinstance(value, str) and not is_unicode(value):
                yield invalid(_named((*place, key)), "a string of valid Unicode", "a lone surrogate")
            elif isinstance(value, float) and not math.isfinite(value):
                yield invalid(_named((*place, key)), "a finite number", str(value))


def _named(place: tuple[object, ...]) -> str:
    named = ".".join(map(str, place)) or "arguments"
    return named if len(named) <= 120 else named[:120] + "…"
