from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from cuedeck import Workspace
from cuedeck.model.finding import Status
from cuedeck.tasks.doctor import check


def card(root: Path, name: str, *lines: str) -> None:
    folder = root / ".cuedeck/cards"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.md").write_text("\n".join(["---", f"id: {name}", "title: T", *lines, "---", ""]))


def test_what_is_wrong_with_cards_is_named_with_its_file(tmp_path: Path) -> None:
    long_ago = (datetime.now(UTC) - timedelta(days=30)).isoformat()
    card(tmp_path, "aaaaaa", "status: active", "assignee: me", f"updated: {long_ago}")
    card(tmp_path, "bbbbbb", "status: active", f"updated: {datetime.now(UTC).isoformat()}")
    card(tmp_path, "cccccc", "status: todo", "depends_on: [dddddd, zzzzzz]", f"updated: {long_ago}")
    card(tmp_path, "dddddd", "status: todo", "depends_on: [cccccc]")
    with Workspace.open(tmp_path) as workspace:
        found = {
            (finding.check, (finding.file or "").removeprefix(".cuedeck/cards/"), finding.status)
            for finding in check(workspace)
        }
    assert found == {
        ("stale card", "aaaaaa.md", Status.WARN),
        ("orphan card", "bbbbbb.md", Status.WARN),
        ("card cycle", "cccccc.md", Status.FAIL),
        ("card dependency", "cccccc.md", Status.FAIL),
    }


def test_each_unusable_file_is_told_how_it_is_mended_and_many_are_counted(tmp_path: Path) -> None:
    folder = tmp_path / ".cuedeck/cards"
    folder.mkdir(parents=True)
    (folder / "readme.md").write_text("# No card\n")
    (folder / "linked.md").symlink_to(folder / "readme.md")
    (folder / "latin1.md").write_bytes(b"---\ntitle: caf\xe9\n---\n")
    (folder / "merged.md").write_text("---\n<<<<<<< HEAD\ntitle: a\n>>>>>>> b\n---\n")
    (folder / "broken.md").write_text("---\ntitle: [\n---\n")
    with Workspace.open(tmp_path) as workspace:
        fixes = {(finding.file or "")[-9:]: (finding.status, finding.fix) for finding in check(workspace)}
        assert fixes == {
            "linked.md": (Status.FAIL, "Put the file itself there."),
            "latin1.md": (Status.FAIL, "Save it as UTF-8."),
            "merged.md": (Status.FAIL, "Resolve the conflict."),
            "broken.md": (Status.FAIL, "Correct the frontmatter by hand."),
            "readme.md": (Status.FAIL, "Correct the frontmatter by hand."),
        }
        for number in range(100):
            (folder / f"note {number}.md").write_text("")
        found = list(check(workspace))
    assert len(found) == 51
    assert found[-1].message == "55 more like these"
