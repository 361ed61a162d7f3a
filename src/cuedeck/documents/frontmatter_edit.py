"""Edits frontmatter in place: only the bytes of the keys concerned change, everything else survives."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

from cuedeck.documents.frontmatter import locate_frontmatter, read_frontmatter
from cuedeck.documents.yaml_value import Entry, YamlDocument, YamlProblem, read_yaml, scalar
from cuedeck.model.errors import CueError, ErrorCode, invalid


class Removal(Enum):
    """The change that takes a key away."""

    REMOVE = "remove"


REMOVE: Final = Removal.REMOVE

_TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d))?")
_FLOW_WIDTH: Final = 80


def edit_frontmatter(data: bytes, changes: Mapping[str, object]) -> bytes:
    """Set or remove top-level keys of a document's frontmatter, creating it when there is none."""
    if not changes:
        return data
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise invalid("content", "UTF-8 text", f"an undecodable byte at {error.start}") from error
    wanted = {key: _plain(key, value) for key, value in changes.items()}
    place = locate_frontmatter(text)
    if place is None:
        return _prepend(text, wanted).encode("utf-8")
    start, end, _ = place
    header = _edited(text[start:end], wanted, _line_ending(text))
    return (text[:start] + header + text[end:]).encode("utf-8")


def _prepend(text: str, wanted: Mapping[str, Any]) -> str:
    ending = _line_ending(text)
    mark, body = ("\ufeff", text[1:]) if text.startswith("\ufeff") else ("", text)
    entries = "".join(_entry(key, value, ending) for key, value in wanted.items() if value is not REMOVE)
    return f"{mark}---{ending}{entries}---{ending}{body}" if entries else text


def _edited(header: str, wanted: Mapping[str, Any], ending: str) -> str:
    try:
        document = read_yaml(header)
    except YamlProblem as problem:
        raise _unusable(problem.message, problem.line) from problem
    if document.duplicates:
        key, line = document.duplicates[0]
        raise _unusable(f"the key '{key}' occurs twice", line)
    old = document.value if document.value is not None else {}
    if not isinstance(old, dict):
        raise _unusable("the frontmatter is not a mapping of keys", 0)
    expected = {**old, **wanted}
    expected = {key: value for key, value in expected.items() if value is not REMOVE}
    for attempt in (_spliced, _rewritten):
        result = attempt(header, document, wanted, ending)
        if result is not None and _reads_as(result, expected):
            return result
    raise _unusable("the change cannot be made without touching other keys", 0)


def _reads_as(header: str, expected: Mapping[str, Any]) -> bool:
    # The document is found again by its delimiters, so an entry that forged one would show here.
    again = read_frontmatter(f"---\n{header}---\n")
    return again.problem is None and json.dumps(again.data or {}) == json.dumps(expected)


@dataclass(frozen=True, slots=True)
class _Splice:
    start: int
    end: int
    text: str


def _spliced(header: str, document: YamlDocument, wanted: Mapping[str, Any], ending: str) -> str | None:
    if document.flow:
        return None
    entries = {entry.key: entry for entry in document.entries}
    splices: list[_Splice] = []
    added = ""
    for key, value in wanted.items():
        entry = entries.get(key)
        if entry is None:
            added += "" if value is REMOVE else _entry(key, value, ending)
        elif value is REMOVE:
            splices.append(_removal(header, entry))
        elif document.value[key] != value or type(document.value[key]) is not type(value):
            splices.append(_replacement(header, entry, value, ending))
    for splice in sorted(splices, key=lambda splice: -splice.start):
        header = header[: splice.start] + splice.text + header[splice.end :]
    if added and header and not header.endswith(("\n", "\r")):
        header += ending
    return header + added


def _removal(header: str, entry: Entry) -> _Splice:
    start = max(header.rfind("\n", 0, entry.key_start), header.rfind("\r", 0, entry.key_start)) + 1
    line_end = re.compile(r"\r\n|\n|\r|\Z").search(header, max(entry.value_end, entry.key_end))
    assert line_end is not None
    return _Splice(start, line_end.end(), "")


def _replacement(header: str, entry: Entry, value: Any, ending: str) -> _Splice:
    colon = header.index(":", entry.key_end) + 1
    gap = header[colon : entry.value_start]
    text = _value_text(value, entry, ending)
    comment = re.search(r"[ \t]*#[^\r\n]*", gap)
    if text.startswith(ending):
        return _Splice(colon, entry.value_end, (gap.rstrip() if comment else "") + text)
    words = [text] if text else []
    words += [comment.group().strip()] if comment else []
    return _Splice(colon, entry.value_end, "".join(f" {word}" for word in words))


def _value_text(value: Any, entry: Entry, ending: str) -> str:
    if isinstance(value, str) and entry.style in ("'", '"'):
        return _styled(value, entry.style)
    flow = entry.style == "flow" if entry.kind != "scalar" else None
    return _entry("k", value, ending, flow=flow)[2:].removesuffix(ending).removeprefix(" ")


def _entry(key: str, value: Any, ending: str, *, flow: bool | None = None) -> str:
    """One ``key: value`` as the YAML library writes it, in the document's line ending."""
    if isinstance(value, str) and _TIMESTAMP.fullmatch(value):
        written = _dump({key: None}).rstrip() + f" {value}\n"
    else:
        written = _dump({key: _arranged(value, flow)})
    if not _reads_as(written, {key: value}):
        written = _dump({key if key.isidentifier() else _quoted(key): _arranged(value, flow, wrap=_quoted)})
    return written.replace("\n", ending)


def _quoted(text: str) -> str:
    from ruamel.yaml.scalarstring import DoubleQuotedScalarString

    quoted: str = DoubleQuotedScalarString(text)
    return quoted


def _quoted_when_odd(text: str) -> str:
    return text if text.isprintable() else _quoted(text)


def _styled(value: str, quote: str) -> str:
    from ruamel.yaml.scalarstring import DoubleQuotedScalarString, SingleQuotedScalarString

    plain = quote == "'" and value.isprintable()
    wrapped = SingleQuotedScalarString(value) if plain else DoubleQuotedScalarString(value)
    return _dump({"k": wrapped})[3:].rstrip("\n")


def _arranged(value: Any, flow: bool | None, wrap: Callable[[str], str] = _quoted_when_odd) -> Any:
    from ruamel.yaml.comments import CommentedMap, CommentedSeq

    if isinstance(value, str):
        return wrap(value)
    if isinstance(value, list):
        items = CommentedSeq(_arranged(item, True, wrap) for item in value)
        if flow or (flow is None and len(str(value)) <= _FLOW_WIDTH) or not value:
            items.fa.set_flow_style()
        return items
    if isinstance(value, dict):
        pairs = CommentedMap((wrap(name), _arranged(item, flow, wrap)) for name, item in value.items())
        if flow or not value:
            pairs.fa.set_flow_style()
        return pairs
    return value


def _dump(value: Any) -> str:
    from ruamel.yaml import YAML

    yaml = YAML(typ="rt")
    yaml.width = 2**31
    yaml.allow_unicode = True
    yaml.indent(mapping=2, sequence=4, offset=2)
    out = io.StringIO()
    yaml.dump(value, out)
    return out.getvalue()


def _rewritten(header: str, document: YamlDocument, wanted: Mapping[str, Any], ending: str) -> str | None:
    """The whole mapping through the round-trip library, for flow mappings and anchors in use."""
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    yaml = YAML(typ="rt")
    yaml.width = 2**31
    yaml.preserve_quotes = True
    out = io.StringIO()
    try:
        mapping = yaml.load(header)
        for key, value in wanted.items():
            if value is REMOVE:
                mapping.pop(key, None)
            else:
                mapping[key] = _arranged(value, True if document.flow else None)
        yaml.dump(mapping, out)
    except (YAMLError, ValueError, TypeError, RecursionError, AttributeError):
        return None
    return out.getvalue().replace("\r\n", "\n").replace("\n", ending)


def _plain(field: str, value: object) -> Any:
    if value is REMOVE or value is None or isinstance(value, (bool, int)):
        return value
    if isinstance(value, float):
        if not isinstance(scalar(repr(value)), float):
            raise invalid(field, "a finite number", str(value))
        return value
    if isinstance(value, str):
        if any("\ud800" <= character <= "\udfff" for character in value):
            raise invalid(field, "text without lone surrogates", "text with a lone surrogate")
        return value
    if isinstance(value, (list, tuple)):
        return [_plain(field, item) for item in value]
    if isinstance(value, Mapping):
        return {str(key): _plain(field, item) for key, item in value.items()}
    raise invalid(field, "text, a number, a boolean, null or a list", value)


def _line_ending(text: str) -> str:
    first = re.search(r"\r\n|\n|\r", text)
    return first.group() if first else "\n"


def _unusable(message: str, line: int) -> CueError:
    return CueError(
        ErrorCode.VALIDATION,
        f"Frontmatter cannot be edited: {message} (line {line + 2})",
        data={"field": "frontmatter", "expected": "valid YAML", "actual": message, "line": line + 2},
        hint="Correct the frontmatter by hand, then try again.",
    )
