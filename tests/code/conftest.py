"""Real git repositories and real stores for the code engine's tests."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from cuedeck.code.engine import Code
from cuedeck.code.languages import python_packages
from cuedeck.mcp.decks.code import TOOLS
from cuedeck.mcp.tool import Call
from cuedeck.model.principal import Principal
from cuedeck.store import open_store
from cuedeck.workspace import Workspace

_QUIET = {
    "GIT_AUTHOR_NAME": "A",
    "GIT_AUTHOR_EMAIL": "a@example.org",
    "GIT_COMMITTER_NAME": "A",
    "GIT_COMMITTER_EMAIL": "a@example.org",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_DATE": "2026-01-01T00:00:00Z",
    "GIT_COMMITTER_DATE": "2026-01-01T00:00:00Z",
}

Ask = Callable[..., dict[str, Any]]
LIBRARY = '''"""Tokens."""


class Token:
    """A signed token."""

    def validate(self, key):
        """Check the signature."""
        return check(key)


def check(key):
    return bool(key)


def unused():
    return Token().validate(1)
'''


class Repo:
    """A git repository made by the git program."""

    def __init__(self, root: Path) -> None:
        self.root = root
        root.mkdir(parents=True, exist_ok=True)
        self.git("init", "-q", "-b", "main")

    def git(self, *arguments: str) -> str:
        done = subprocess.run(
            ["git", *arguments], cwd=self.root, env={**os.environ, **_QUIET}, capture_output=True, check=True
        )
        return done.stdout.decode().strip()

    def write(self, **files: str) -> None:
        """Files by path, with ``__`` for ``/`` and ``_dot_`` for a dot."""
        for name, text in files.items():
            self.put(name.replace("__", "/").replace("_dot_", "."), text)

    def put(self, path: str, text: str | bytes) -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text if isinstance(text, bytes) else text.encode())

    def commit(self, message: str = "change") -> str:
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD")


@pytest.fixture(autouse=True)
def nothing_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever Python the tests are run from, its packages are not the project's."""
    monkeypatch.setattr(python_packages, "packages_of_shell", tuple)


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return Repo(tmp_path / "repo")


@pytest.fixture
def open_code(tmp_path: Path) -> Iterator[Callable[[Path], Code]]:
    """Opens engines, each with a store of its own outside the repository."""
    opened: list[tuple[Code, object]] = []

    def make(root: Path, name: str = "store") -> Code:
        folder = tmp_path / f"{name}-{len(opened)}"
        folder.mkdir()
        store = open_store(None, root=folder, workspace_id="test")
        code = Code(root, store, workers=1)
        opened.append((code, store))
        return code

    yield make
    for code, store in reversed(opened):
        code.close()
        store.close()  # type: ignore[attr-defined]


@pytest.fixture
def ask(repo: Repo) -> Iterator[Ask]:
    """The code deck's tools on a small repository, each answer held against its schema."""
    repo.put("auth/token.py", LIBRARY)
    repo.put(
        "web.py",
        "from auth.token import Token, check as verify\n\ndef login():\n    return verify(Token())\n",
    )
    repo.put(
        "tests/test_token.py", "from auth.token import check\n\ndef test_check():\n    assert check(1)\n"
    )
    repo.put(".gitignore", ".cuedeck/\n")
    repo.commit()
    tools = {tool.name: tool for tool in TOOLS}
    with Workspace.open(repo.root) as workspace:

        def call(tool_name: str, **arguments: Any) -> dict[str, Any]:
            tool = tools[tool_name]
            parsed = tool.arguments.model_validate(arguments)
            value = json.loads(json.dumps(tool.handler(Call(workspace, Principal("me"), parsed)).value))
            Draft202012Validator(dict(tool.output)).validate(value)
            assert value["metadata"]["cruxe_protocol_version"] == "1.0"
            return dict(value)

        yield call
