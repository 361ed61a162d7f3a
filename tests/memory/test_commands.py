"""``cue memory`` as a person uses it: real processes in a folder of its own."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from clean_environ import clean_environ

from cuedeck.memory.model import Draft, MemoryType
from cuedeck.workspace import Workspace

CUE = str(Path(sys.executable).with_name("cue"))


class Folder:
    """A workspace, and the command line in it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        (root / ".cuedeck").mkdir(parents=True)
        kept = clean_environ()
        self.environ = {**kept, "HOME": str(root), "CUEDECK_SEARCH__ENABLED": "false"}

    def cue(self, *arguments: str, **more: Any) -> subprocess.CompletedProcess[str]:
        usual: dict[str, Any] = {"cwd": self.root, "env": self.environ, "capture_output": True, "text": True}
        return subprocess.run([CUE, "memory", *arguments], timeout=60, **{**usual, **more})

    def value(self, *arguments: str) -> Any:
        done = self.cue(*arguments, "--json")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def store(self, *contents: str) -> list[str]:
        with Workspace.open(self.root, environ=self.environ) as workspace:
            return [
                workspace.memory.store(Draft(MemoryType.KNOWLEDGE, text, project="p"), actor="test").memory.id
                for text in contents
            ]


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path / "work")


def test_list_show_search_and_stats(folder: Folder) -> None:
    heron, _ = folder.store("The heron nests by the weir", "Bananas ripen next to apples")
    assert "heron" in folder.cue("list").stdout
    assert [one["id"] for one in folder.value("search", "heron")["index"]] == [heron]
    assert folder.value("show", heron)["content"] == "The heron nests by the weir"
    assert "heron nests" in folder.cue("show", heron).stdout
    assert folder.value("stats")["total"] == 2
    assert folder.value("list", "--project", "other") == []


def test_add_says_what_became_of_it(folder: Folder) -> None:
    made = folder.value(
        "add", "The weir is closed on Sundays", "--tag", "weir", "--project", "p", "--title", "Weir"
    )
    assert (made["title"], made["tags"], made["project"], made["duplicate"]) == ("Weir", ["weir"], "p", False)
    again = folder.cue(
        "add", "The weir is closed on Sundays", "--tag", "weir", "--project", "p", "--title", "Weir"
    )
    assert again.stdout.startswith(f"Already known as {made['id']}")
    read = folder.cue("add", "-", "--type", "decision", input="We keep\nthe weir")
    assert read.stdout.startswith("Remembered as memory:")
    assert folder.value("list", "--type", "decision")[0]["content"] == "We keep\nthe weir"


def test_add_refuses_nothing_and_masks_secrets(folder: Folder) -> None:
    empty = folder.cue("add", "  ")
    assert empty.returncode != 0 and "content" in empty.stderr
    masked = folder.cue("add", "the key is AKIAIOSFODNN7EXAMPLE")
    assert "masked: 1 secret" in masked.stdout
    assert "AKIAIOSFODNN7EXAMPLE" not in folder.cue("list").stdout


def test_what_is_not_there_is_said_before_asking_whether_to_forget_it(folder: Folder) -> None:
    (id,) = folder.store("walrus")
    unknown = folder.cue("forget", id[:-1] + ("0" if id[-1] != "0" else "1"), stdin=subprocess.DEVNULL)
    assert unknown.returncode == 1 and "There is no memory" in unknown.stderr
    assert "Forget" not in unknown.stdout
    asked = folder.cue("forget", id, input="y\n")
    assert asked.returncode == 0 and "Forget " in asked.stdout


def test_delete_restore_and_forget(folder: Folder) -> None:
    (one,) = folder.store("Something private")
    with Workspace.open(folder.root, environ=folder.environ) as workspace:
        workspace.memory.delete(one, actor="test")
    assert [gone["id"] for gone in folder.value("list", "--deleted")] == [one]
    assert folder.value("restore", one)["id"] == one
    assert folder.cue("forget", one, input="n\n").returncode != 0
    assert folder.value("forget", one, "--yes") == {"id": one, "forgotten": True}
    assert folder.value("log") == []
    missing = folder.cue("show", one)
    assert missing.returncode == 1 and one in missing.stderr


def test_export_and_import_into_another_workspace(folder: Folder, tmp_path: Path) -> None:
    ids = folder.store("piano", "granite", "tax")
    with Workspace.open(folder.root, environ=folder.environ) as workspace:
        workspace.memory.link(ids[0], ids[1], reason="both heavy", strength=0.9, actor="test")
    target = tmp_path / "memories.jsonl"
    assert folder.cue("export", str(target)).returncode == 0
    other = Folder(tmp_path / "other")
    assert other.value("import", str(target)) == {"memories": 3, "links": 1, "known": 0, "masked": 0}
    assert other.value("import", str(target)) == {"memories": 0, "links": 0, "known": 3, "masked": 0}
    piped = Folder(tmp_path / "piped")
    assert piped.cue("import", "-", input=folder.cue("export", "-").stdout).returncode == 0
    assert folder.value("list") == other.value("list") == piped.value("list")
    assert other.value("show", ids[1])["links"][0]["reason"] == "both heavy"


@pytest.mark.parametrize(
    "line", ["not json", "[]", '{"type": "knowledge"}', '{"type": "x", "content": "y"}', '{"kind": "link"}']
)
def test_a_bad_line_is_named_and_nothing_is_imported(folder: Folder, tmp_path: Path, line: str) -> None:
    bad = tmp_path / "bad.jsonl"
    bad.write_text('{"type": "knowledge", "content": "fine"}\n' + line + "\n")
    done = folder.cue("import", str(bad))
    assert done.returncode == 1 and "line 2" in done.stderr
    assert folder.value("list") == []


def test_following_the_log_prints_lines_as_they_come(folder: Folder) -> None:
    folder.store("before")
    follower = subprocess.Popen(
        [CUE, "memory", "log", "--follow", "--json"],
        cwd=folder.root,
        env=folder.environ,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert follower.stdout
        assert json.loads(follower.stdout.readline())["after"]["content"] == "before"
        started = time.monotonic()
        folder.store("while watching")
        assert json.loads(follower.stdout.readline())["after"]["content"] == "while watching"
        assert time.monotonic() - started < 10
    finally:
        follower.kill()
        follower.wait()
