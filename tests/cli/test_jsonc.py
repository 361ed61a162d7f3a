"""One value changes; comments, order, indentation and line endings stay."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cuedeck.cli.jsonc import NotJson, parse, set_value

PATH = ("mcpServers", "cuedeck")
ENTRY = {"command": "cue", "args": ["mcp"]}


def plain(text: str) -> object:
    return parse(text).value


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "",
            '{\n  "mcpServers": {\n    "cuedeck": {\n      "command": "cue",\n      "args": [\n'
            '        "mcp"\n      ]\n    }\n  }\n}\n',
        ),
        (
            '{"a": 1}',
            '{"a": 1,\n  "mcpServers": {\n    "cuedeck": {\n      "command": "cue",\n      "args": [\n'
            '        "mcp"\n      ]\n    }\n  }\n}',
        ),
    ],
)
def test_the_written_form(before: str, after: str) -> None:
    assert set_value(before, PATH, ENTRY) == after


@pytest.mark.parametrize(
    "before",
    [
        '{\n\t"mcpServers": {\n\t\t"other": {"command": "x"} // mine\n\t}\n}\n',
        '{\n  // first\n  "mcpServers": {\n    "other": {}, /* last */\n  },\n  "tail": [1, 2,],\n}\n',
        '{\r\n  "mcpServers": {\r\n    "other": {}\r\n  }\r\n}\r\n',
        '{"mcpServers": {}}',
        '{"mcpServers": { /* none yet */ }}',
        '{"mcpServers":{"cuedeck":{"command":"old"},"z":1},"y":"http://x//y"}',
        "\ufeff{}",
        '{"a": "// not a comment", "b": "/* nor this */"}',
    ],
)
def test_everything_else_stays(before: str) -> None:
    after = set_value(before, PATH, ENTRY)
    expected = plain(before)
    assert isinstance(expected, dict)
    expected.setdefault("mcpServers", {})["cuedeck"] = ENTRY
    assert plain(after) == expected
    for comment in re.findall(r"// (?:mine|first)|/\*.*?\*/", before):
        assert comment in after
    if "\r\n" in before:
        assert "\n" not in after.replace("\r\n", "")
    assert set_value(after, PATH, ENTRY) == after


@pytest.mark.parametrize(
    ("text", "line"),
    [("{", 1), ('{\n"a": }', 2), ("[]", 1), ('{"mcpServers": 3}', 1), ('{"a":1,"a":2}', 1), ("{} x", 1)],
)
def test_what_cannot_be_changed_safely_is_refused_with_its_line(text: str, line: int) -> None:
    with pytest.raises(NotJson) as problem:
        set_value(text, PATH, ENTRY)
    assert problem.value.line == line


def test_bottomless_nesting_is_refused() -> None:
    with pytest.raises(NotJson):
        parse("[" * 100_000)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=12,
)


@given(st.dictionaries(st.text(), json_values, max_size=4), st.sampled_from([None, 1, 2, 4, "\t"]))
def test_any_object_keeps_its_members(members: dict[str, object], indent: int | str | None) -> None:
    members.pop("mcpServers", None)
    text = json.dumps(members, indent=indent)
    assert plain(text) == members
    assert plain(set_value(text, PATH, ENTRY)) == {**members, "mcpServers": {"cuedeck": ENTRY}}
