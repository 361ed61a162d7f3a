"""What is read from the files on disk."""

from __future__ import annotations

from pathlib import Path

from cuedeck.code.git.checkout import Checkout


def test_project_files_outside_the_workspace_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "inside").mkdir()
    (tmp_path / "outside.json").write_text("{}")
    (tmp_path / "inside" / "package").mkdir()
    (tmp_path / "inside" / "package" / "mine.json").write_text("{}")
    (tmp_path / "inside" / "linked").symlink_to("package")
    (tmp_path / "inside" / "away").symlink_to("..")
    checkout = Checkout(tmp_path / "inside", None)
    assert checkout.project_file("../outside.json") is None
    assert checkout.project_file("away/outside.json") is None
    assert checkout.project_file("linked/mine.json") == b"{}"
