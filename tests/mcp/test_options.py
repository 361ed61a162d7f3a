from __future__ import annotations

import json
import subprocess
import sys

import pytest

from cuedeck.mcp.options import ConnectionOptions, names
from cuedeck.model.errors import CueError

FULL = ConnectionOptions(
    decks=("todo", "code"),
    tools=("add_task",),
    read_only=True,
    errors="result",
    user="u",
    workspace="/w",
    environment=(("CUEDECK_USER", "u"),),
)


def test_options_survive_json() -> None:
    for options in (FULL, ConnectionOptions()):
        assert ConnectionOptions.from_json(json.loads(json.dumps(options.to_json()))) == options


def test_an_unknown_error_style_is_refused() -> None:
    with pytest.raises(CueError, match="error style"):
        ConnectionOptions(errors="loud")


def test_names_of_a_flag() -> None:
    assert names(" a, b,,a ,c") == ("a", "b", "c")


def test_the_shim_can_import_options_cheaply() -> None:
    heavy = "import sys, cuedeck.mcp.options; print({'pydantic', 'mcp_types', 'anyio'} & set(sys.modules))"
    shown = subprocess.run([sys.executable, "-c", heavy], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "set()"
