"""Documents: the list, and one of them rendered without a byte of its own HTML."""

from __future__ import annotations

from cuedeck.documents.frontmatter import locate_frontmatter
from cuedeck.documents.index import StoredNames
from cuedeck.documents.kinds import Kind, kind_of
from cuedeck.documents.links import resolve
from cuedeck.documents.markdown import LinkKind
from cuedeck.model.errors import invalid
from cuedeck.paths import confine_file, missing_file, read_file
from cuedeck.store import documents as rows
from cuedeck.store.vault import VaultFilter
from cuedeck.web.asked import Asked, Page
from cuedeck.web.html import Html, el, join
from cuedeck.web.layout import badge, facts, link, moment, pages, table
from cuedeck.web.markdown import render

PER_PAGE = 100
LARGEST = 1024 * 1024


def documents(asked: Asked) -> Page:
    """The notes of the vault by path."""
    folder, tag, number = asked.given("folder"), asked.given("tag"), asked.page_number()
    vault, _ = asked.workspace.documents.current_vault()
    page = vault.files(VaultFilter(folder, None, None, tag), limit=PER_PAGE, offset=(number - 1) * PER_PAGE)
    listed = [
        (
            link(file.path, "/document", path=file.path),
            ", ".join(file.tags[:6]),
            badge(file.status) if file.status else None,
            moment(file.modified),
            f"{file.size:,} B",
        )
        for file in page.files
    ]
    body = [
        el(
            "form",
            el("label", "Folder ", el("input", name="folder", value=folder or "")),
            el("label", "Tag ", el("input", name="tag", value=tag or "")),
            el("button", "Filter", type="submit"),
            class_="filters",
        ),
        table(("Document", "Tags", "Status", "Changed", "Size"), listed, "No documents here."),
        pages("/documents", number, more=number * PER_PAGE < page.total, folder=folder, tag=tag),
    ]
    return Page(f"Documents ({page.total})", "documents", join(body))


def document(asked: Asked) -> Page:
    """One file: markdown rendered; source as it is, where it belongs to the index."""
    path = confine_file(asked.workspace.root, asked.query.get("path", ""))
    kind = kind_of(path.relative)
    with asked.workspace.store.index.read() as session:
        known = rows.existing(session, [path.relative])
    if kind is not Kind.MARKDOWN and (not known or kind is Kind.ASSET):
        raise missing_file(path.relative)
    found = read_file(path, at_most=LARGEST + 1)
    if len(found.data) > LARGEST:
        raise invalid("path", f"a file of at most {LARGEST:,} bytes", path.relative)
    text = found.data.decode("utf-8", "replace").removeprefix("\ufeff")
    shown = facts(
        [
            ("Path", el("code", path.relative)),
            ("Changed", moment(found.status.st_mtime_ns // 1_000_000)),
            ("Index", badge("fresh" if asked.workspace.documents.index.is_fresh(path.relative) else "stale")),
            (
                "Symbols",
                link("outline and references", "/code/file", path=path.relative)
                if kind is not Kind.MARKDOWN
                else None,
            ),
        ]
    )
    body = _markdown(asked, path.relative, text) if kind is Kind.MARKDOWN else _source(asked, text)
    return Page(path.relative.rpartition("/")[2], "documents", join([shown, body]))


def rendered(asked: Asked, path: str, text: str) -> Html:
    """Markdown of a file in the workspace, masked, its links resolved from there."""
    with asked.workspace.store.index.read() as session:
        names = StoredNames(session)

        def find(kind: LinkKind, target: str) -> str | None:
            return resolve(kind, target, path, names)

        return render(asked.masked(text), find)


def _markdown(asked: Asked, path: str, text: str) -> Html:
    place = locate_frontmatter(text)
    head = text[: place[2]] if place else ""
    shown = el("details", el("summary", "Frontmatter"), el("pre", asked.masked(head))) if head else None
    return join([shown, el("article", rendered(asked, path, text[len(head) :]))])


def _source(asked: Asked, text: str) -> Html:
    lines = asked.masked(text).splitlines()
    shown = [el("span", line + "\n", id=f"L{number}") for number, line in enumerate(lines, 1)]
    return el("pre", shown, class_="source")
