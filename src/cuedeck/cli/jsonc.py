"""Changing one value of a JSON file with comments and leaving every other byte as it was."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

_SPACE = re.compile(r"(?:[ \t\r\n\ufeff]+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_PLAIN = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null")
_DEEPEST = 200


class NotJson(Exception):
    """The text is not JSON, not even with comments; says where."""

    def __init__(self, text: str, position: int, expected: str) -> None:
        self.line = text.count("\n", 0, position) + 1
        super().__init__(f"expected {expected} in line {self.line}")


@dataclass(frozen=True, slots=True)
class Node:
    """A value and where it stands in the text; ``members`` of an object by name."""

    start: int
    end: int
    value: Any
    members: dict[str, Node] | None = None


def parse(text: str) -> Node:
    """The whole text as one value."""
    node = _value(text, _skip(text, 0), 0)
    rest = _skip(text, node.end)
    if rest != len(text):
        raise NotJson(text, rest, "the end of the file")
    return node


def set_value(text: str, path: tuple[str, ...], value: Any) -> str:
    """The text with the value at that path added or replaced; objects on the way are made."""
    if not text.strip("\ufeff \t\r\n"):
        text = text + "{}\n"
    node, depth = parse(text), 0
    for key in path:
        if node.members is None:
            raise NotJson(text, node.start, "an object")
        if key not in node.members:
            return _insert(text, node, depth, key, _nested(path[depth + 1 :], value))
        node = node.members[key]
        depth += 1
    if node.value == value:
        return text
    return text[: node.start] + _written(text, value, depth) + text[node.end :]


def _nested(path: tuple[str, ...], value: Any) -> Any:
    for key in reversed(path):
        value = {key: value}
    return value


def _insert(text: str, node: Node, depth: int, key: str, value: Any) -> str:
    newline, indent = _newline(text), _indent(text)
    member = f"{json.dumps(key, ensure_ascii=False)}: {_written(text, value, depth + 1)}"
    inner, outer = newline + indent * (depth + 1), newline + indent * depth
    assert node.members is not None
    if not node.members:
        body = text[node.start + 1 : node.end - 1]
        kept = body.rstrip() if body.strip() else ""
        return text[: node.start + 1] + kept + inner + member + outer + text[node.end - 1 :]
    last = max(member.end for member in node.members.values())
    after = _SPACE.match(text, last)
    assert after is not None
    has_comma = text[after.end()] == ","
    if has_comma:
        last = after.end() + 1
    line_end = _end_of_comment(text, last)
    comma = "" if has_comma else ","
    tail = "," if has_comma else ""
    rest = text[line_end:]
    closing = "" if "\n" in text[line_end : node.end] else outer
    return text[:last] + comma + text[last:line_end] + inner + member + tail + closing + rest


def _end_of_comment(text: str, position: int) -> int:
    """Past a comment on the same line, which belongs to the member before it."""
    found = re.compile(r"[ \t]*(?://[^\r\n]*|/\*[^\r\n]*?\*/)").match(text, position)
    return found.end() if found else position


def _written(text: str, value: Any, depth: int) -> str:
    indent = _indent(text)
    lines = json.dumps(value, ensure_ascii=False, indent=indent).split("\n")
    return (_newline(text) + indent * depth).join(lines)


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _indent(text: str) -> str:
    found = re.search(r"\n([ \t]+)[\"}]", text)
    return found[1] if found else "  "


def _skip(text: str, position: int) -> int:
    found = _SPACE.match(text, position)
    return found.end() if found else position


def _value(text: str, position: int, depth: int) -> Node:
    opening = text[position : position + 1]
    if opening in ("{", "[") and depth > _DEEPEST:
        raise NotJson(text, position, "less nesting")
    if opening == "{":
        return _object(text, position, depth)
    if opening == "[":
        return _array(text, position, depth)
    if found := _STRING.match(text, position) or _PLAIN.match(text, position):
        try:
            return Node(position, found.end(), json.loads(found[0]))
        except ValueError as error:
            raise NotJson(text, position, "a valid string") from error
    raise NotJson(text, position, "a value")


def _object(text: str, start: int, depth: int) -> Node:
    members: dict[str, Node] = {}
    position = _skip(text, start + 1)
    while text[position : position + 1] != "}":
        name = _STRING.match(text, position)
        if name is None:
            raise NotJson(text, position, "a name in quotes")
        colon = _skip(text, name.end())
        if text[colon : colon + 1] != ":":
            raise NotJson(text, colon, "':'")
        key = json.loads(name[0])
        if key in members:
            raise NotJson(text, position, f"{key!r} only once")
        members[key] = _value(text, _skip(text, colon + 1), depth + 1)
        position = _after_member(text, members[key].end, "}")
    return Node(start, position + 1, {key: node.value for key, node in members.items()}, members)


def _array(text: str, start: int, depth: int) -> Node:
    items: list[Any] = []
    position = _skip(text, start + 1)
    while text[position : position + 1] != "]":
        node = _value(text, position, depth + 1)
        items.append(node.value)
        position = _after_member(text, node.end, "]")
    return Node(start, position + 1, items)


def _after_member(text: str, end: int, closing: str) -> int:
    position = _skip(text, end)
    if text[position : position + 1] == ",":
        return _skip(text, position + 1)
    if text[position : position + 1] != closing:
        raise NotJson(text, position, f"',' or '{closing}'")
    return position
