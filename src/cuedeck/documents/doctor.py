"""What is wrong with the documents: frontmatter, unreadable files, dead links and anchors, orphans."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

from cuedeck.documents.kinds import Kind, kind_of
from cuedeck.documents.reader import nearest
from cuedeck.documents.sections import find_heading
from cuedeck.documents.vault import UNSAYABLE
from cuedeck.model.errors import CueError
from cuedeck.model.finding import Finding, Status, passed
from cuedeck.paths import confine, confine_file, read_file
from cuedeck.store import documents as rows
from cuedeck.store.protocol import Row

if TYPE_CHECKING:
    from pathlib import Path

    from cuedeck.workspace import Workspace

MOST = 50
T = TypeVar("T")
_NOT_WORD = re.compile(r"[\W_]+")


def check(workspace: Workspace) -> Iterator[Finding]:
    """Every check of the documents."""
    documents = workspace.documents
    documents.freshness.ensure(patience=None)
    with workspace.store.index.read() as session:
        problems = rows.problems(session)
        links = rows.links(session)
        paths = rows.vault_paths(session)
        anchored = [link for link in links if link["anchor"] and link["resolved"]]
        anchored = [link for link in anchored if kind_of(link["resolved"]) is Kind.MARKDOWN]
        headings = rows.headings(session, {link["resolved"] for link in anchored})
    headers = [row for row in problems if row["problem"] is not None]
    yield from _limited("frontmatter", headers, _bad_header, f"{len(paths)} notes are well-formed")
    skipped = [row for row in problems if row["skipped"] is not None and row["kind"] == Kind.MARKDOWN]
    left_out = [*map(_skipped, skipped), *map(_unsayable, documents.index.unsayable())]
    yield from _limited("files", left_out, lambda finding: finding, "every file can be read")
    markdown = documents.index.markdown_paths()
    dead = [link for link in links if link["resolved"] is None and not _on_disk(documents.root, link)]
    yield from _limited(
        "links", dead, lambda link: _dead_link(link, markdown), f"{len(links)} links lead somewhere"
    )
    dead = _with_dead_anchor(documents.root, anchored, headings)
    yield from _limited(
        "anchors", dead, lambda link: _dead_anchor(link, headings), "every anchor that is linked to exists"
    )
    yield from _orphans(links, paths)


def _limited(name: str, found: Sequence[T], finding: Callable[[T], Finding], well: str) -> Iterator[Finding]:
    """The first findings; looking for what somebody meant takes long, so the others are only counted."""
    shown = [finding(each) for each in found[:MOST]]
    yield from shown or [passed(name, well)]
    if len(found) > MOST:
        yield Finding(name, shown[0].status, f"{len(found) - MOST} more like these")


def _bad_header(row: Row) -> Finding:
    return Finding(
        "frontmatter",
        Status.FAIL if row["frontmatter"] is None else Status.WARN,
        row["problem"],
        file=row["path"],
        line=row["problem_line"],
        fix="Correct the YAML between the two --- lines.",
    )


def _skipped(row: Row) -> Finding:
    return Finding(
        "files",
        Status.WARN,
        f"not indexed: {row['skipped']}",
        file=row["path"],
        fix="Save it as UTF-8, split it, or list it in .cuedeckignore.",
    )


def _unsayable(name: str) -> Finding:
    return Finding("files", Status.WARN, f"not indexed: '{name}': {UNSAYABLE}", fix="Rename it.")


def _dead_link(link: Row, markdown: Sequence[str]) -> Finding:
    near = nearest(link["target"], markdown)
    return Finding(
        "links",
        Status.FAIL,
        f"'{link['target']}' does not exist",
        file=link["path"],
        line=link["line"],
        fix=f"Did you mean '{near}'?" if near else "Create the file or remove the link.",
    )


def _on_disk(root: Path, link: Row) -> bool:
    """Whether a target is a folder or a file outside the index, which a link may well name."""
    folder = link["path"].rpartition("/")[0]
    for place in (f"{folder}/{link['target']}" if folder else link["target"], link["target"].lstrip("/")):
        try:
            if confine(root, place).absolute.exists():
                return True
        except CueError:
            continue
    return False


def _with_dead_anchor(root: Path, links: Sequence[Row], headings: Mapping[str, Sequence[str]]) -> list[Row]:
    """The links whose anchor is not in their target; one target's text is held at a time."""
    wanted: dict[str, set[str]] = {}
    for link in links:
        wanted.setdefault(link["resolved"], set()).add(link["anchor"])
    dead: set[tuple[str, str]] = set()
    for target, anchors in wanted.items():
        text = _text(root, target)
        dead |= {(target, one) for one in anchors if not has_anchor(text, headings.get(target, ()), one)}
    return [link for link in links if (link["resolved"], link["anchor"]) in dead]


def _dead_anchor(link: Row, headings: Mapping[str, Sequence[str]]) -> Finding:
    near = nearest(link["anchor"], headings.get(link["resolved"], ()))
    return Finding(
        "anchors",
        Status.WARN,
        f"'{link['resolved']}' has no heading '{link['anchor']}'",
        file=link["path"],
        line=link["line"],
        fix=f"Did you mean '#{near}'?" if near else "Correct the anchor or remove it.",
    )


def has_anchor(text: str, headings: Sequence[str], anchor: str) -> bool:
    """Whether a document has a heading, a block or an HTML element of that name."""
    last = anchor.rpartition("#")[2].strip()
    if last.startswith("^"):
        return re.search(rf"{re.escape(last)}\s*$", text, re.MULTILINE) is not None
    if find_heading(headings, last) is not None:
        return True
    loose = _NOT_WORD.sub(" ", last).strip().casefold()
    if any(_NOT_WORD.sub(" ", heading).strip().casefold() == loose for heading in headings):
        return True
    return re.search(rf"""(?:id|name)=["']?{re.escape(last)}["'\s>]""", text) is not None


def _text(root: Path, path: str) -> str:
    try:
        return read_file(confine_file(root, path)).data.decode("utf-8", "replace")
    except CueError:
        return ""


def _orphans(links: Sequence[Row], paths: Sequence[str]) -> Iterator[Finding]:
    """Notes without any link, in a vault that otherwise is linked."""
    linked = {link["path"] for link in links} | {link["resolved"] for link in links}
    lonely = [path for path in paths if path not in linked]
    if not lonely or len(lonely) * 2 > len(paths):
        yield passed("orphans", f"{len(paths) - len(lonely)} notes are linked")
        return
    shown = ", ".join(lonely[:5]) + (f" and {len(lonely) - 5} more" if len(lonely) > 5 else "")
    yield Finding(
        "orphans",
        Status.WARN,
        f"Without a link to or from them: {shown}",
        fix="Link them from where they matter.",
    )
