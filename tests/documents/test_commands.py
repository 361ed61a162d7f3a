"""``cue search`` and ``cue watch`` as a person runs them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cuedeck.cli import main

CUE = [sys.executable, "-c", "import sys; from cuedeck.cli import main; sys.exit(main())"]
ENVIRON = {
    **{key: value for key, value in os.environ.items() if key not in ("DISPLAY", "WAYLAND_DISPLAY")},
    "CUEDECK_SEARCH__ENABLED": "false",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / ".cuedeck" / "cards").mkdir(parents=True)
    (tmp_path / "guide.md").write_text("# Guide\n\n## Signing in\n\nUse the password form.\n")
    (tmp_path / "other.md").write_text("# Other\n\nNothing of interest.\n")
    return tmp_path


def cue(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*CUE, *arguments], cwd=root, env=ENVIRON, capture_output=True, text=True, timeout=60, check=False
    )


def test_search_is_readable(root: Path) -> None:
    done = cue(root, "search", "password form", "--explain")
    lines = done.stdout.splitlines()
    assert done.returncode == 0
    assert lines[0].startswith("guide.md:3  1.000")
    assert lines[1].strip() == "Signing in · Guide"
    assert [line.split()[1] for line in lines[2:5]] == ["keyword", "password", "form"]
    assert done.stderr.splitlines() == ["Searched by keyword: Vectors are switched off by search.enabled."]


def test_search_does_not_wait_for_many_vectors(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(root)
    monkeypatch.setenv("CUEDECK_SEARCH__ENABLED", "true")
    monkeypatch.setattr("cuedeck.cli.commands.search._FEW", 0)
    assert main(["search", "password form"]) == 0
    shown = capsys.readouterr()
    assert shown.out.startswith("guide.md:3")
    assert "passages, found by their words only" in shown.err
    monkeypatch.undo()
    monkeypatch.chdir(root)
    assert main(["search", "password form"]) == 0
    assert capsys.readouterr().err == ""


def test_search_for_programs(root: Path) -> None:
    value = json.loads(cue(root, "search", "password", "--json", "--mode", "keyword").stdout)
    assert value["mode_used"] == "keyword"
    assert [hit["path"] for hit in value["results"]] == ["guide.md"]
    assert set(value["results"][0]) == {"path", "hash", "tokens", "anchors", "line", "score"}


def test_search_that_finds_nothing_says_so(root: Path) -> None:
    done = cue(root, "search", "xylophone")
    assert (done.returncode, done.stdout) == (0, "Nothing found.\n")
    assert cue(root, "search").returncode == 2
    assert cue(root, "search", " ").returncode == 2
    assert cue(root, "search", "x", "--limit", "51").returncode == 2


def test_watch_keeps_the_scene_current_and_stops_cleanly(root: Path) -> None:
    process = subprocess.Popen(
        [*CUE, "watch", "--no-clipboard"], cwd=root, env=ENVIRON, stderr=subprocess.PIPE, text=True
    )
    scene = root / ".cuedeck" / "SCENE.md"
    try:
        assert _until(scene.exists)
        card = "---\ntitle: New\nstatus: active\n---\nsee [[guide]]\n"
        (root / ".cuedeck" / "cards" / "abc123.md").write_text(card)
        assert _until(lambda: "Use the password form" in scene.read_text())
    finally:
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=30)
    assert process.returncode == 0
    assert "added .cuedeck/cards/abc123.md" in said
    assert said.rstrip().endswith("Stopped.")


def _until(condition: object, seconds: float = 40.0) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():  # type: ignore[operator]
            return True
        time.sleep(0.05)
    return False
