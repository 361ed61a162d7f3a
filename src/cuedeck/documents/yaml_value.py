"""One YAML document as plain JSON values, read from parser events: no recursion, no bombs, no objects."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

MAX_DEPTH = 64
MAX_NODES = 20_000
MAX_CHARACTERS = 256 * 1024

_NULL = frozenset(("", "~", "null", "Null", "NULL"))
_BOOLEAN = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_NUMBER_START = frozenset("0123456789+-.")
_INTEGER = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_CORE_TAGS = frozenset(f"tag:yaml.org,2002:{name}" for name in ("int", "float", "bool", "null"))


class YamlProblem(Exception):
    """Why a text is not usable YAML, and on which of its lines, counted from 0."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.message = message
        self.line = line


@dataclass(frozen=True, slots=True)
class Entry:
    """Where a top-level key and its value stand in the text, as character offsets."""

    key: str
    key_start: int
    key_end: int
    value_start: int
    value_end: int
    kind: str
    style: str | None
    line: int
    anchored: bool


@dataclass(slots=True)
class YamlDocument:
    """The value, where its top-level keys are, and keys that occur twice with their lines."""

    value: Any = None
    entries: list[Entry] = field(default_factory=list)
    duplicates: list[tuple[str, int]] = field(default_factory=list)
    flow: bool = False
    empty: bool = True


def read_yaml(text: str) -> YamlDocument:
    """Parse one document; raises ``YamlProblem`` for anything that is not usable."""
    if len(text) > MAX_CHARACTERS:
        raise YamlProblem("the frontmatter is too large", 0)
    return _Reader(text).read()


def scalar(text: str) -> Any:
    """A plain scalar by the YAML 1.2 core schema; what JSON cannot hold stays text, and so do dates."""
    if text in _NULL:
        return None
    if text[0] in _NUMBER_START:
        return _number(text)
    return _BOOLEAN.get(text, text)


def _number(text: str) -> Any:
    if _INTEGER.fullmatch(text):
        if len(text) > 25:
            return text
        number = int(text, 0 if text[:2] in ("0o", "0x") else 10)
        return number if -(2**63) <= number < 2**63 else text
    if _FLOAT.fullmatch(text):
        value = float(text)
        return value if math.isfinite(value) else text
    return text


@dataclass(slots=True)
class _Frame:
    """A collection that is being read: its value, the key that waits for one, and what merges into it."""

    value: Any
    anchor: str | None
    key: str | None = None
    merged: list[dict[str, Any]] = field(default_factory=list)


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._document = YamlDocument()
        self._anchors: dict[str, tuple[Any, int]] = {}
        self._stack: list[_Frame] = []
        self._nodes = 0
        self._key: Any = None
        self._value: Any = None
        self._value_end = 0

    def read(self) -> YamlDocument:
        documents = 0
        for event in self._events():
            match type(event).__name__:
                case "ScalarEvent":
                    self._track(event, event.end_mark.index)
                    self._put(self._scalar(event), event.anchor, event)
                case "MappingStartEvent" | "SequenceStartEvent":
                    self._open(event)
                case "MappingEndEvent" | "SequenceEndEvent":
                    self._close(event)
                case "AliasEvent":
                    self._track(event, event.end_mark.index)
                    self._put(self._alias(event), None, event)
                case "DocumentStartEvent":
                    documents += 1
                    if documents > 1:
                        raise YamlProblem("there is more than one document", event.start_mark.line)
        return self._document

    def _events(self) -> Iterator[Any]:
        import yaml

        # libyaml when this build of the library has it; both give the same events.
        parser_class: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        try:
            parser = parser_class(self._text)
            while (event := parser.get_event()) is not None:
                yield event
            parser.dispose()
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            raise YamlProblem(error.problem or "it is not YAML", mark.line if mark else 0) from error
        except yaml.reader.ReaderError as error:
            line = self._text.count("\n", 0, error.position)
            raise YamlProblem("it holds a character that YAML does not allow", line) from error

    def _track(self, event: Any, end: int) -> None:
        """Remember where the top-level key and value in hand begin and end."""
        if len(self._stack) == 1 and isinstance(self._stack[0].value, dict) and self._stack[0].key is None:
            self._key, self._value, self._value_end = event, None, end
            return
        if self._value is None:
            self._value = event
        self._value_end = max(self._value_end, end)

    def _open(self, event: Any) -> None:
        if len(self._stack) >= MAX_DEPTH:
            raise YamlProblem("it is nested too deeply", event.start_mark.line)
        mapping = type(event).__name__ == "MappingStartEvent"
        if not self._stack:
            self._document.flow = bool(event.flow_style)
        elif self._stack[-1].key is None and isinstance(self._stack[-1].value, dict):
            raise YamlProblem("a key is itself a list or a mapping", event.start_mark.line)
        else:
            self._track(event, event.end_mark.index)
        self._count(1, event)
        self._stack.append(_Frame({} if mapping else [], event.anchor))

    def _close(self, event: Any) -> None:
        frame = self._stack.pop()
        for merged in frame.merged:
            for key, value in merged.items():
                frame.value.setdefault(key, value)
        if event.end_mark.index > event.start_mark.index:
            self._value_end = max(self._value_end, event.end_mark.index)
        self._put(frame.value, frame.anchor, event)

    def _put(self, value: Any, anchor: str | None, event: Any) -> None:
        if anchor is not None:
            self._anchors[anchor] = (value, _size(value))
        if not self._stack:
            self._document.value, self._document.empty = value, False
            return
        frame = self._stack[-1]
        if isinstance(frame.value, list):
            frame.value.append(value)
        elif frame.key is None:
            frame.key = self._key_text(event)
        else:
            self._assign(frame, value, event)

    def _key_text(self, event: Any) -> str:
        if type(event).__name__ == "AliasEvent":
            value = self._anchors[event.anchor][0]
            if isinstance(value, (dict, list)):
                raise YamlProblem("a key is itself a list or a mapping", event.start_mark.line)
            return str(value)
        return str(event.value)

    def _assign(self, frame: _Frame, value: Any, event: Any) -> None:
        key, frame.key = frame.key, None
        assert key is not None
        if key == "<<" and self._merge(frame, value):
            return
        if len(self._stack) == 1:
            self._record(key, key in frame.value)
        frame.value[key] = value

    def _merge(self, frame: _Frame, value: Any) -> bool:
        sources = value if isinstance(value, list) else [value]
        if not sources or not all(isinstance(source, dict) for source in sources):
            return False
        frame.merged.extend(sources)
        return True

    def _record(self, key: str, again: bool) -> None:
        event, first = self._key, self._value
        line = event.start_mark.line
        if again:
            self._document.duplicates.append((key, line))
        kind = {"SequenceStartEvent": "sequence", "MappingStartEvent": "mapping"}.get(
            type(first).__name__, "scalar"
        )
        flow = bool(getattr(first, "flow_style", False))
        style = ("flow" if flow else "block") if kind != "scalar" else getattr(first, "style", None)
        start = first.start_mark.index
        end = max(start, self._value_end)
        if style in ("|", ">"):
            end = start + len(self._text[start:end].rstrip())
        anchored = type(first).__name__ == "AliasEvent" or bool(getattr(first, "anchor", None))
        self._document.entries.append(
            Entry(key, event.start_mark.index, event.end_mark.index, start, end, kind, style, line, anchored)
        )

    def _scalar(self, event: Any) -> Any:
        self._count(1, event)
        if event.tag in _CORE_TAGS or (event.implicit[0] and event.tag is None):
            return scalar(event.value)
        return event.value

    def _alias(self, event: Any) -> Any:
        if event.anchor not in self._anchors:
            raise YamlProblem(f"the alias *{event.anchor} is not defined before it", event.start_mark.line)
        value, size = self._anchors[event.anchor]
        self._count(size, event)
        return value

    def _count(self, nodes: int, event: Any) -> None:
        self._nodes += nodes
        if self._nodes > MAX_NODES:
            raise YamlProblem("it expands to too many values", event.start_mark.line)


def _size(value: Any) -> int:
    """How many values an alias to this adds when written out; bounded, because children are."""
    total, waiting = 0, [value]
    while waiting:
        total += 1
        item = waiting.pop()
        if isinstance(item, dict):
            waiting.extend(item.values())
        elif isinstance(item, list):
            waiting.extend(item)
    return total
