"""The options of ``cue mcp`` as the shim reads them; whatever is unusual is left to click."""

from __future__ import annotations

import pytest

from cuedeck.daemon.entry import _chosen


def test_plain_options_are_read() -> None:
    arguments = ["--decks", "todo,memory", "--read-only", "--errors=result", "--workspace", "a b"]
    assert _chosen(arguments) == {
        "decks": "todo,memory",
        "read_only": "1",
        "errors": "result",
        "workspace": "a b",
    }
    assert _chosen([]) == {}


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["-v"],
        ["--no-daemon"],
        ["extra"],
        ["--decks"],
        ["--decks", "--read-only"],
        ["--read-only=1"],
        ["--errors", "loud"],
        ["--dekcs", "todo"],
    ],
)
def test_everything_else_is_for_click(arguments: list[str]) -> None:
    assert _chosen(arguments) is None
