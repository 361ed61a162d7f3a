"""What ``cue doctor`` says about documents."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from cuedeck.documents.doctor import MOST, check, has_anchor
from cuedeck.model.finding import Finding, Status
from cuedeck.workspace import Workspace


def findings(root: Path, **files: str) -> list[Finding]:
    for name, text in files.items():
        path = root / name.replace("__", "/").replace("_md", ".md")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    with Workspace.open(root) as workspace:
        return list(check(workspace))


def test_a_clean_workspace_passes(tmp_path: Path) -> None:
    found = findings(
        tmp_path,
        a_md="# A\n[[b#Head ing]] [x](b.md#head-ing) [dir](sub/) [[#A]]",
        b_md="## Head ing\n",
        sub__c_md="[[a]]",
    )
    assert {finding.status for finding in found} == {Status.PASS}
    assert [finding.check for finding in found] == ["frontmatter", "files", "links", "anchors", "orphans"]


def test_problems_have_file_line_and_fix(tmp_path: Path) -> None:
    found = findings(
        tmp_path,
        a_md="---\nx: 1\ny: 'open\n---\n",
        b_md="text\n[[c#Nope]] and [z](mising.md)\n",
        c_md="# Yes\n[[b]]\n",
        missing_md="",
    )
    shown = {(f.check, f.status.value, f.file, f.line) for f in found if f.status is not Status.PASS}
    assert shown - {("orphans", "warn", None, None)} == {
        ("frontmatter", "fail", "a.md", 4),
        ("links", "fail", "b.md", 2),
        ("anchors", "warn", "b.md", 2),
    }
    assert [f.fix for f in found if f.check == "links"] == ["Did you mean 'missing.md'?"]


def test_dead_anchors_are_named_in_the_order_of_the_files_that_link(tmp_path: Path) -> None:
    links = "[[hub#Gone]] [[hub#Here]] [[side#Gone]] [[hub#^block]]\n[[hub#Lost]]\n"
    found = findings(tmp_path, a_md=links, b_md=links, hub_md="# Here\ntext ^block\n", side_md="# Hers\n")
    dead = [(f.file, f.line, f.message, f.fix) for f in found if f.check == "anchors"]
    assert [(file, line) for file, line, _, _ in dead] == [
        *[("a.md", 1), ("a.md", 1), ("a.md", 2), ("b.md", 1), ("b.md", 1), ("b.md", 2)],
    ]
    assert dead[0][2] == "'hub.md' has no heading 'Gone'"


def test_lonely_notes_are_named_when_the_others_are_linked(tmp_path: Path) -> None:
    found = findings(tmp_path, a_md="[[b]]", b_md="[[c]]", c_md="[[a]]", lonely_md="nobody")
    orphans = [finding for finding in found if finding.check == "orphans"]
    assert (orphans[0].status, "lonely.md" in orphans[0].message) == (Status.WARN, True)


@pytest.mark.parametrize(
    ("anchor", "there"),
    [
        ("Some Heading", True),
        ("some-heading-c", False),
        ("Some: Heading!", True),
        ("Outer#Some Heading", True),
        ("^block1", True),
        ("^block2", False),
        ("html-id", True),
        ("nothing", False),
    ],
)
def test_anchors_may_be_headings_blocks_or_elements(anchor: str, there: bool) -> None:
    text = "# Some Heading\npara ^block1\n<a id='html-id'>\n"
    assert has_anchor(text, ["Some Heading"], anchor) is there


@pytest.mark.skipif(os.name == "nt", reason="such names cannot be made there")
def test_files_left_out_for_their_names_are_named(tmp_path: Path) -> None:
    for name in (b"bell\a.md", b"latin\xe9.md"):
        (Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name))).write_text("x")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "new\nline.md").write_text("x")
    found = [finding for finding in findings(tmp_path, a_md="# A") if finding.check == "files"]
    assert {finding.status for finding in found} == {Status.WARN}
    assert [finding.message.split("'")[1] for finding in found] == [
        "bell\\x07.md",
        "latin\\udce9.md",
        "sub/new\\nline.md",
    ]


def test_what_was_meant_is_looked_for_only_where_it_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    monkeypatch.setattr("cuedeck.documents.doctor.nearest", lambda wanted, _names: asked.append(wanted))
    found = findings(
        tmp_path, a_md="\n".join(f"[[nowhere {n}]] [[b#no {n}]]" for n in range(120)), b_md="# B"
    )
    counted = [f.message for f in found if f.status is not Status.PASS and f.file is None]
    assert counted[:2] == ["70 more like these", "70 more like these"]
    assert len(asked) == 2 * MOST
