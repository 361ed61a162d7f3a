"""``cue doctor`` finds what is wrong, shows where, says what to do, and repairs what is safe."""

from __future__ import annotations

import json
import os
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from cuedeck.cli.checks import GROUPS, folder
from cuedeck.cli.checks.machine import file_system
from cuedeck.cli.checks.report import as_json, as_text
from cuedeck.model.finding import Finding, Status, passed


@pytest.fixture
def initialised(cue: Any, folder: Path) -> Path:
    (folder / ".git").rmdir()
    subprocess.run(["git", "init", "-q", "."], cwd=folder, check=True)
    cue("init")
    return folder


def report(cue: Any, *options: str) -> tuple[int, dict[str, Any]]:
    done = cue("doctor", "--json", *options)
    return done.returncode, json.loads(done.stdout)


def failing(found: dict[str, Any]) -> set[str]:
    return {item["check"] for item in found["findings"] if item["status"] == "fail"}


def test_a_healthy_workspace(cue: Any, initialised: Path) -> None:
    code, found = report(cue)
    assert (code, failing(found)) == (0, set())
    groups = {item["group"] for item in found["findings"]}
    assert groups == {group.title for group in GROUPS}


def test_a_wrong_setting_is_shown_in_its_line(cue: Any, initialised: Path) -> None:
    (initialised / ".cuedeck/config.toml").write_text("[core]\n\ntoken_limmit = 5\n")
    done = cue("doctor")
    assert done.returncode == 101
    assert ".cuedeck/config.toml:3" in done.stdout
    assert "3 │ token_limmit = 5" in done.stdout
    assert "Did you mean 'core.token_limit'?" in done.stdout


def test_a_state_that_git_tracks(cue: Any, initialised: Path) -> None:
    (initialised / ".cuedeck/state.db").write_bytes(b"planted")
    subprocess.run(["git", "add", "-f", ".cuedeck/state.db"], cwd=initialised, check=True)
    code, found = report(cue)
    assert code == 1 and "state in git" in failing(found)
    (fix,) = [item["fix"] for item in found["findings"] if item["check"] == "state in git"]
    assert fix == "git rm --cached .cuedeck/state.db"


def test_a_damaged_database(cue: Any, initialised: Path) -> None:
    (initialised / ".cuedeck/state.db").write_bytes(b"this is no database" * 500)
    code, found = report(cue)
    assert code == 1
    assert any(item["group"] == "Store" and item["status"] == "fail" for item in found["findings"])


def test_repair_does_what_is_safe_and_says_so(cue: Any, initialised: Path) -> None:
    state = initialised / ".cuedeck/state.db"
    report(cue)
    state.chmod(0o644)
    (initialised / ".cuedeck/docs").rmdir()
    (initialised / ".gitignore").write_text("")
    (initialised / ".cuedeck/.cache.removed-1").mkdir()
    for age in (0, 4000):
        (initialised / f".cuedeck/.cache/staging-{age}").mkdir(parents=True)
        os.utime(initialised / f".cuedeck/.cache/staging-{age}", (time.time() - age,) * 2)
    code, found = report(cue, "--repair")
    assert (code, failing(found)) == (0, set())
    assert "state.db is private now" in found["repaired"]
    assert state.stat().st_mode & 0o777 == 0o600
    assert (initialised / ".cuedeck/docs").is_dir()
    assert not (initialised / ".cuedeck/.cache.removed-1").exists()
    assert [path.name for path in initialised.glob(".cuedeck/.cache/staging-*")] == ["staging-0"]


def test_a_repair_that_fails_is_said_and_the_others_go_on(cue: Any, initialised: Path) -> None:
    (initialised / ".cuedeck/cards").rmdir()
    (initialised / ".cuedeck/cards").write_text("in the way")
    (initialised / ".gitignore").unlink()
    code, found = report(cue, "--repair")
    assert code == 1 and [what for what in found["repaired"] if ".gitignore" in what]
    assert "layout" in {item["check"] for item in found["findings"] if item["status"] == "warn"}
    assert "layout cannot be repaired" in cue("doctor", "--repair").stderr


def test_what_keeps_every_engine_from_working_is_said_once(cue: Any, initialised: Path) -> None:
    cue("memory", "list")
    (initialised / ".cuedeck/state.db").write_bytes(b"not a database" * 1000)
    _, found = report(cue)
    assert failing(found) == {"state database"}


def test_every_card_that_cannot_be_used_is_named(cue: Any, initialised: Path) -> None:
    for name in ("aaaaaa", "bbbbbb"):
        (initialised / f".cuedeck/cards/{name}.md").write_text("no frontmatter\n")
    _, found = report(cue)
    named = {item["file"] for item in found["findings"] if item["check"] == "cards"}
    assert named == {".cuedeck/cards/aaaaaa.md", ".cuedeck/cards/bbbbbb.md"}


def test_a_file_that_goes_while_it_is_looked_at_is_no_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / ".cuedeck" / "state.db-wal"
    log.parent.mkdir()
    log.touch(0o644)
    lstat = Path.lstat

    def too_late(path: Path) -> os.stat_result:
        if path == log:
            log.unlink()
        return lstat(path)

    monkeypatch.setattr(Path, "lstat", too_late)
    assert [finding for finding in folder.check(tmp_path) if finding.status is Status.FAIL] == []


def test_the_file_system_is_the_innermost_mount(tmp_path: Path) -> None:
    mounts = tmp_path / "mountinfo"
    mounts.write_text(
        "1 0 8:1 / / rw - ext4 /dev/sda rw\n"
        "2 1 0:5 / /home/me/far\\040away rw shared:1 - nfs4 host:/x rw\n"
        "3 1 0:6 / /home rw - btrfs /dev/sdb rw\n"
        "4 1 0:7 / /mnt/文書\\040a rw - 9p host rw\n",
        encoding="utf-8",
    )
    assert file_system(Path("/home/me/far away/work"), mounts) == "nfs4"
    assert file_system(Path("/home/me"), mounts) == "btrfs"
    assert file_system(Path("/homeless"), mounts) == "ext4"
    assert file_system(Path("/mnt/文書 a/x"), mounts) == "9p"
    assert file_system(Path("/x"), tmp_path / "missing") is None


def test_the_report_as_people_read_it(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# A\n\nsee [b](b.md)\n")
    found = [
        ("Documents", Finding("links", Status.FAIL, "No file b.md", "a.md", 3, fix="Correct the link.")),
        ("Documents", Finding("tags", Status.WARN, "Odd tag", fix="Rename it.", repair=lambda: "renamed")),
        ("Cards", passed("cycles", "No cycles.")),
    ]
    text = as_text(tmp_path, found, ["made a folder"])
    marks = str.maketrans({"✗": "x", "⚠": "!", "✓": "+"})
    plain = "\n".join(line.rstrip() for line in text.translate(marks).splitlines())
    assert plain == (
        "repaired: made a folder\n"
        "\n"
        "Documents\n"
        "  x links: No file b.md\n"
        "      ╭─ a.md:3\n"
        "    3 │ see [b](b.md)\n"
        "      ╰─ fix: Correct the link.\n"
        "  ! tags: Odd tag\n"
        "      fix: Rename it. (or cue doctor --repair)\n"
        "\n"
        "Cards\n"
        "  + cycles: No cycles.\n"
        "\n"
        "1 problem, 1 warning, 1 passed."
    )
    assert as_json(found, [])["summary"] == {"pass": 1, "warn": 1, "fail": 1}


def test_a_variable_that_sets_nothing_is_named_with_the_one_that_was_meant(
    cue: Any, initialised: Path, environ: dict[str, str]
) -> None:
    environ |= {"CUEDECK_LIMITS_ENABLED": "false", "CUEDECK_COLOUR": "red"}
    found = [item for item in report(cue)[1]["findings"] if item["check"] == "environment"]
    said = {item["message"].split()[2]: (item["status"], item["fix"]) for item in found}
    assert said["CUEDECK_LIMITS_ENABLED"] == ("warn", "Name it CUEDECK_LIMITS__ENABLED.")
    assert said["CUEDECK_COLOUR"][0] == "warn"
