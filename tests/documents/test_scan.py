"""What is part of a workspace and what is not."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

import pytest

from cuedeck.documents.scan import Scanner


def tree(root: Path, *paths: str) -> None:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("x")


def listed(root: Path, *patterns: str) -> set[str]:
    scanner = Scanner(root, patterns)
    found = set(scanner.scan().files)
    assert found == set(scanner.scan().files)
    everything = {
        p.relative_to(root).as_posix() for p in root.rglob("*") if p.is_file() and not p.is_symlink()
    }
    assert {path for path in everything if scanner.covers(path)} == found
    return found


def test_nested_ignore_files_and_their_exceptions(tmp_path: Path) -> None:
    tree(
        tmp_path,
        "a.md",
        "b.log",
        "build/x.md",
        "sub/c.log",
        "sub/keep.log",
        "sub/only/d.md",
        "other/only/e.md",
    )
    (tmp_path / ".gitignore").write_text("*.log\n/build/\n")
    (tmp_path / "sub" / ".gitignore").write_text("!keep.log\nonly/\n")
    assert listed(tmp_path) == {"a.md", "sub/keep.log", "other/only/e.md"}


def test_lines_that_are_no_pattern_are_passed_over_as_git_does(tmp_path: Path) -> None:
    tree(tmp_path, "a.md", "bin/b.md", "out/c.md")
    (tmp_path / ".gitignore").write_text("bin\\\r\n!\n[z-a]\n\\\n[[:alpha:]]\nout/\r\n")
    assert listed(tmp_path, "!", "also\\") == {"a.md", "bin/b.md"}


def test_own_ignore_file_and_settings(tmp_path: Path) -> None:
    tree(tmp_path, "a.md", "drafts/b.md", "secret/c.md", "node_modules/x/readme.md")
    (tmp_path / ".cuedeckignore").write_text("drafts\n")
    assert listed(tmp_path, "secret/") == {"a.md"}


def test_of_dot_folders_only_cards_and_documents_count(tmp_path: Path) -> None:
    tree(tmp_path, "a.md", ".hidden.md", ".obsidian/x.md", ".git/x.md", ".cuedeck/config.toml", "sub/.x/y.md")
    tree(tmp_path, ".cuedeck/cards/abc123.md", ".cuedeck/docs/deep/x.md", ".cuedeck/.cache/x.md")
    (tmp_path / ".gitignore").write_text(".cuedeck/\n")
    assert listed(tmp_path) == {"a.md", ".cuedeck/cards/abc123.md", ".cuedeck/docs/deep/x.md"}


def test_symlinks_are_not_followed(tmp_path: Path) -> None:
    root = tmp_path / "root"
    tree(root, "docs/a.md")
    tree(tmp_path, "outside/b.md")
    (root / "link.md").symlink_to("docs/a.md")
    (root / "folder").symlink_to("docs")
    (root / "out").symlink_to(tmp_path / "outside")
    (root / "loop").symlink_to(".")
    assert listed(root) == {"docs/a.md"}


def test_a_changed_ignore_file_counts_at_the_next_look(tmp_path: Path) -> None:
    tree(tmp_path, "a.md", "sub/b.md")
    scanner = Scanner(tmp_path)
    assert set(scanner.scan().files) == {"a.md", "sub/b.md"}
    (tmp_path / "sub" / ".gitignore").write_text("b.md\n")
    assert set(scanner.scan().files) == {"a.md", "sub/.gitignore"} - {"sub/.gitignore"}
    (tmp_path / "sub" / ".gitignore").unlink()
    assert set(scanner.scan().files) == {"a.md", "sub/b.md"}


def test_what_git_alone_is_told_to_exclude_counts_at_the_next_look(tmp_path: Path) -> None:
    tree(tmp_path, "a.md", "b.md", ".git/info/exclude")
    scanner = Scanner(tmp_path)
    assert set(scanner.scan().files) == {"a.md", "b.md"}
    (tmp_path / ".git/info/exclude").write_text("b.md\n")
    assert set(scanner.scan().files) == {"a.md"}
    (tmp_path / ".git/info/exclude").unlink()
    assert set(scanner.scan().files) == {"a.md", "b.md"}


def test_files_that_are_gone_leave_nothing_behind(tmp_path: Path) -> None:
    tree(tmp_path, "a.md", "b.md")
    scanner = Scanner(tmp_path)
    scanner.scan()
    (tmp_path / "b.md").unlink()
    scanner.scan()
    assert set(scanner._decisions) == {"a.md"}


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_an_unreadable_folder_is_named(tmp_path: Path) -> None:
    tree(tmp_path, "a.md", "locked/b.md")
    (tmp_path / "locked").chmod(0)
    assert Scanner(tmp_path).scan().unreadable == ("locked/",)
    (tmp_path / "locked").chmod(0o700)


def test_names_that_cannot_be_said_are_left_out(tmp_path: Path) -> None:
    tree(tmp_path, "fine é 😀.md")
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/bad\xff.md")).write_text("x")
    (tmp_path / "line\nbreak.md").write_text("x")
    assert listed(tmp_path) == {"fine é 😀.md"}


def test_deep_nesting_ends(tmp_path: Path) -> None:
    deep = tmp_path
    for _ in range(80):
        deep = deep / "d"
        deep.mkdir()
    (deep / "x.md").write_text("x")
    edge = tmp_path.joinpath(*["d"] * 64) / "edge.md"
    edge.write_text("x")
    assert listed(tmp_path) == {edge.relative_to(tmp_path).as_posix()}


def test_an_ignore_file_that_goes_while_its_folder_is_read_stops_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree(tmp_path, "a.md", ".gitignore")
    scandir = os.scandir

    def gone_since(path: Path) -> contextlib.nullcontext[list[os.DirEntry[str]]]:
        with scandir(path) as listing:
            entries = list(listing)
        (tmp_path / ".gitignore").unlink(missing_ok=True)
        return contextlib.nullcontext(entries)

    monkeypatch.setattr(os, "scandir", gone_since)
    assert set(Scanner(tmp_path).scan().files) == {"a.md"}
