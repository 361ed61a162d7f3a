"""Paths that callers give stay inside the workspace, whatever they look like."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from cuedeck.model.errors import CueError, ErrorCode
from cuedeck.paths import FileReader, confine, confine_file, make_folders, read_file, replace_file


@pytest.fixture
def root(tmp_path: Path) -> Path:
    workspace = tmp_path / "work"
    (workspace / "docs").mkdir(parents=True)
    (workspace / "docs" / "a.md").write_text("# A\n")
    (tmp_path / "outside.md").write_text("secret\n")
    return workspace


def code_of(root: Path, path: str) -> ErrorCode | None:
    try:
        read_file(confine_file(root, path))
    except CueError as error:
        return error.code
    return None


@pytest.mark.parametrize(
    "path",
    [
        "",
        "  ",
        "é/" * 700,
        "/etc/passwd",
        "../outside.md",
        "docs/../../outside.md",
        "../work/docs/a.md",
        "docs\\..\\..\\outside.md",
        "\\\\server\\share",
        "C:\\x.md",
        "c:/x.md",
        "docs/a.md\0",
        "docs/\na.md",
        "docs/\x85a.md",
        "\ud800.md",
        ".git/config",
        "sub/.GIT/config",
        ".cuedeck/.cache/index.db",
        ".cuedeck/state.db",
        ".cuedeck/config.toml",
        "x/" * 3000,
        "a" * 300 + ".md",
    ],
)
def test_refused(root: Path, path: str) -> None:
    assert code_of(root, path) is ErrorCode.PATH_REFUSED


@pytest.mark.parametrize(
    ("path", "relative"),
    [
        ("docs/a.md", "docs/a.md"),
        ("./docs//a.md", "docs/a.md"),
        ("docs/../docs/a.md", "docs/a.md"),
        ("gone/../docs/a.md", "docs/a.md"),
    ],
)
def test_normalised(root: Path, path: str, relative: str) -> None:
    confined = confine_file(root, path)
    assert (confined.relative, read_file(confined).data) == (relative, b"# A\n")


@pytest.mark.parametrize("path", ["docs/none.md", "docs", "docs/a.md/x", "..\u2215x.md", "%2e%2e%2fx.md"])
def test_missing_is_not_refused(root: Path, path: str) -> None:
    assert code_of(root, path) is ErrorCode.NOT_FOUND


def test_cards_and_documents_of_cuedeck_are_open(root: Path) -> None:
    for folder in ("cards", "docs"):
        (root / ".cuedeck" / folder).mkdir(parents=True)
        (root / ".cuedeck" / folder / "x.md").write_text("x")
        assert read_file(confine_file(root, f".cuedeck/{folder}/x.md")).data == b"x"


def test_symlink_inside_resolves_to_its_target(root: Path) -> None:
    (root / "link.md").symlink_to("docs/a.md")
    (root / "folder").symlink_to("docs")
    assert confine_file(root, "link.md").relative == "docs/a.md"
    assert confine_file(root, "folder/a.md").relative == "docs/a.md"


def test_symlink_outside_is_refused(root: Path) -> None:
    (root / "out.md").symlink_to("../outside.md")
    (root / "up").symlink_to("..")
    (root / "loop.md").symlink_to("loop.md")
    for path in ("out.md", "up/outside.md"):
        assert code_of(root, path) is ErrorCode.PATH_REFUSED
    assert code_of(root, "loop.md") in (ErrorCode.PATH_REFUSED, ErrorCode.NOT_FOUND)


def test_a_link_swapped_in_after_the_check_is_not_followed(root: Path) -> None:
    confined = confine_file(root, "docs/a.md")
    (root / "docs" / "a.md").unlink()
    (root / "docs" / "a.md").symlink_to("../../outside.md")
    with pytest.raises(CueError) as caught:
        read_file(confined)
    assert caught.value.code is ErrorCode.PATH_REFUSED


def test_a_folder_swapped_for_a_link_is_not_followed(root: Path, tmp_path: Path) -> None:
    confined = confine_file(root, "docs/a.md")
    (tmp_path / "a.md").write_text("secret")
    (root / "docs").rename(root / "old")
    (root / "docs").symlink_to(tmp_path)
    with pytest.raises(CueError):
        read_file(confined)
    with pytest.raises(OSError, match="docs"):
        replace_file(confined, b"x")
    assert (tmp_path / "a.md").read_text() == "secret"


def test_many_files_are_read_through_the_folder_they_share(root: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "one.md").write_text("stolen")
    (root / "many" / "deep").mkdir(parents=True)
    for name in ("many/one.md", "many/two.md", "many/deep/three.md"):
        (root / name).write_text(name * 50_000)
    (root / "many" / "link.md").symlink_to(outside / "one.md")
    (root / "away").symlink_to(outside)
    reader = FileReader(root)
    try:
        for name in ("many/one.md", "many/two.md", "many/deep/three.md", "many/one.md"):
            found = reader.read(name, at_most=10**7)
            assert found.data.decode() == name * 50_000
            assert found.status.st_size == len(found.data)
        assert len(reader.read("many/two.md", at_most=70_000).data) == 70_000
        for name in ("many/link.md", "away/one.md", "many/gone.md", "many/deep"):
            with pytest.raises(CueError):
                reader.read(name, at_most=100)
    finally:
        reader.close()


def test_a_pipe_is_not_read(root: Path) -> None:
    os.mkfifo(root / "docs" / "pipe.md")
    assert code_of(root, "docs/pipe.md") is ErrorCode.NOT_FOUND
    with pytest.raises(CueError):
        read_file(confine(root, "docs/pipe.md"))


def test_replacing_keeps_permissions_and_leaves_nothing_behind(root: Path) -> None:
    file = root / "docs" / "a.md"
    file.chmod(0o640)
    replace_file(confine(root, "docs/a.md"), b"new")
    replace_file(confine(root, "docs/b.md"), b"made", new_mode=0o600)
    assert (file.read_bytes(), file.stat().st_mode & 0o777) == (b"new", 0o640)
    assert (root / "docs/b.md").stat().st_mode & 0o777 == 0o600
    assert sorted(p.name for p in (root / "docs").iterdir()) == ["a.md", "b.md"]


def test_a_workspace_that_was_moved_away_is_not_made_again(root: Path) -> None:
    make_folders(root, root / "a/b")
    assert (root / "a/b").is_dir()
    root.rename(root.with_name("away"))
    with pytest.raises(CueError, match="is gone"):
        make_folders(root, root / "a/b")
    assert not root.exists()


def test_refusals_say_why_without_raw_control_characters(root: Path) -> None:
    with pytest.raises(CueError) as caught:
        confine(root, "a\0b" + "x" * 500)
    assert "\0" not in caught.value.message
    assert len(caught.value.message) < 300
    assert caught.value.data["field"] == "path"
