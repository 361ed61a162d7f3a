"""Code: indexed refs, the symbols of a file, who refers to a symbol, and what two refs differ in."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from cuedeck.model.errors import CueError, ErrorCode, invalid
from cuedeck.web.asked import Asked, Page
from cuedeck.web.html import Child, Html, el, join
from cuedeck.web.layout import badge, facts, link, moment, note, panel, table

if TYPE_CHECKING:
    from cuedeck.code.engine import Code, View
    from cuedeck.code.finding import Found, FoundSite
    from cuedeck.code.snapshot import Snapshot
    from cuedeck.code.symbols import SymbolRecord

MOST_FILES = 500
MOST_SITES = 300
MOST_POSSIBLE = 50
MOST_CHANGES = 500


def index_state(code: Code) -> str:
    """How far the code of the checked-out ref is, in words."""
    from cuedeck.code.refs import status

    try:
        found = status(code, None, "")
    except CueError as error:
        return error.message
    if found.status == "indexing":
        return f"{found.ref}: being indexed, {found.progress:.0%}"
    counted = f"{found.files:,} files, {found.symbols:,} symbols"
    return (
        f"{found.ref}: {counted}, {found.freshness}"
        if found.status == "ready"
        else f"{found.ref}: not indexed yet"
    )


def require_ready(code: Code, ref: str | None = None) -> None:
    """Starts indexing a ref that is not indexed, and says so instead of making a person wait."""
    from cuedeck.code.refs import status

    found = status(code, ref, "")
    if found.status == "ready":
        return
    job = code.start(code.wanted(ref))
    job.thread.join(1.0)
    if job.error is not None:
        raise job.error
    if job.done is None:
        raise CueError(
            ErrorCode.REF_NOT_INDEXED,
            f"{found.ref} is being indexed ({job.progress:.0%})",
            hint="Reload this page in a moment.",
        )


def refs(asked: Asked) -> Page:
    """Indexed refs, a form to compare two, and the files of one."""
    from cuedeck.code.refs import listed

    code = asked.workspace.code
    ref, prefix = asked.given("ref"), asked.given("under")
    require_ready(code, ref)
    view = code.view(ref)
    rows = [
        (
            link(row.name, "/code", ref=row.name),
            badge(row.kind),
            el("code", (row.commit_id or "")[:12]),
            f"{row.files:,}",
            f"{row.symbols:,}",
            row.base,
            moment(row.indexed_at),
        )
        for row in listed(code)
    ]
    paths = [path for path in sorted(view.snapshot.files) if prefix is None or path.startswith(prefix)]
    body = [
        panel(
            "Indexed refs",
            table(("Ref", "Kind", "Commit", "Files", "Symbols", "Base", "Indexed"), rows, "None yet."),
        ),
        panel("Compare", _compare_form(code, None, None)) if code.is_git else None,
        panel(
            f"Files of {view.ref} ({len(paths):,})",
            _warnings(view),
            _file_form(ref, prefix),
            _files(view, paths, ref),
        ),
    ]
    return Page("Code", "code", join(body))


def file(asked: Asked) -> Page:
    """The symbols of one file."""
    from cuedeck.code.served import clean_path

    ref = asked.given("ref")
    path = clean_path(asked.query.get("path", ""))
    view = _view(asked, ref)
    _check_file(view.snapshot, path, view.ref)
    symbols = view.snapshot.symbols(path)
    depth: dict[int, int] = {}
    rows: list[tuple[Child, ...]] = []
    for number, definition in enumerate(symbols.outline.definitions):
        depth[number] = depth.get(definition.parent, -1) + 1
        record = symbols.record(number)
        indent = "\u2003" * depth[number]
        rows.append(
            (
                f"{record.line_start}",
                [indent, _symbol(record, ref)],
                badge(record.kind),
                el("code", asked.masked(record.signature[:200])),
            )
        )
    shown = facts(
        [
            ("Ref", view.ref),
            ("Language", symbols.outline.language),
            ("Layer", view.snapshot.files[path].layer),
            ("Problem", symbols.outline.problem or None),
            ("Text", link("source", "/document", path=path)),
        ]
    )
    body = [
        _warnings(view),
        shown,
        table(("Line", "Symbol", "Kind", "Signature"), rows, "No symbols in this file."),
    ]
    return Page(path, "code", join(body))


def symbol(asked: Asked) -> Page:
    """Who refers to a symbol."""
    from cuedeck.code.finding import find

    ref, line = asked.given("ref"), asked.given("line")
    name = asked.given("name")
    if name is None or (line is not None and not (line.isascii() and line.isdecimal() and len(line) < 9)):
        raise invalid("name", "the name of a symbol, and its line as a number", line if name else name)
    view = _view(asked, ref)
    found = find(view.snapshot, name, path=asked.given("path"), line=int(line) if line else None)
    record = found.symbol
    shown = facts(
        [
            ("Kind", badge(record.kind)),
            ("Defined in", _place(record.path, record.line_start, ref)),
            ("Signature", el("code", asked.masked(record.signature))),
            ("Ref", view.ref),
            ("Layer", record.source_layer),
        ]
    )
    body = [
        _warnings(view),
        shown,
        panel(
            f"References ({len(found.references)})",
            _sites(asked, list(found.sites(found.references[:MOST_SITES])), ref),
        ),
        *_possible(asked, found, ref),
        panel(
            "Others of that name",
            el(
                "ul",
                [
                    el("li", _symbol(other, ref), f" {other.path}:{other.line_start}")
                    for other in found.candidates
                ],
            ),
        )
        if found.candidates
        else None,
    ]
    return Page(record.qualified_name, "code", join(body))


def _possible(asked: Asked, found: Found, ref: str | None) -> Iterator[Html]:
    """What counts though it is no plain use, by its reason; then what only shares the name."""
    from cuedeck.code.resolution.uses import CONSTRUCTS, CONVENTION, DECLARES, KEY, MAKES, PACKAGE, STUB

    titles = {
        STUB: "Through the stub beside it",
        CONSTRUCTS: "Constructs through its class",
        MAKES: "Makes an instance by its constructor",
        PACKAGE: "Through a package of this repository",
        KEY: "Keys of objects that may be of another type",
        DECLARES: "Declared again",
        CONVENTION: "Likely by convention",
        "": "Same name, not resolved",
    }
    for why, title in titles.items():
        sites = [site for site in found.possible if site.likely == why]
        if sites:
            yield panel(
                f"{title} ({len(sites)})", _sites(asked, list(found.sites(sites[:MOST_POSSIBLE])), ref)
            )


def difference(asked: Asked) -> Page:
    """What changed from where two refs parted."""
    from cuedeck.code.comparing import compare_refs

    base, head = asked.given("base"), asked.given("head")
    code = asked.workspace.code
    on_disk = asked.given("disk") is not None
    found = compare_refs(code, base, head, working_tree=on_disk)
    files = [
        (badge(file.change), file.path, file.old_path if file.change == "renamed" else None)
        for file in found.files
    ]
    changes = [
        (
            badge(one.change),
            one.shown.qualified_name,
            badge(one.shown.kind),
            f"{one.shown.path}:{one.shown.line_start}",
            "formatting only" if one.formatting_only else None,
        )
        for one in found.changes[:MOST_CHANGES]
    ]
    more = len(found.changes) - MOST_CHANGES
    body = [
        _compare_form(code, base, head),
        facts(
            [
                ("Parted at", el("code", found.merge_base[:12])),
                ("Files", len(found.files)),
                ("Symbols", len(found.changes)),
            ]
        ),
        panel("Symbols", table(("Change", "Symbol", "Kind", "Where", ""), changes, "No symbol changed.")),
        note(f"{more} more changes are not listed.") if more > 0 else None,
        panel("Files", table(("Change", "File", "Before"), files[:MOST_FILES], "No file changed.")),
    ]
    return Page(f"{found.base} … {found.head}", "code", join(body))


def _view(asked: Asked, ref: str | None) -> View:
    require_ready(asked.workspace.code, ref)
    return asked.workspace.code.view(ref)


def _check_file(snapshot: Snapshot, path: str, ref: str) -> None:
    if path not in snapshot.files:
        raise CueError(ErrorCode.NOT_FOUND, f"There is no code file {path} on {ref}")


def _warnings(view: View) -> Html | None:
    return el("p", " ".join(view.warnings), class_="problem") if view.warnings else None


def _files(view: View, paths: list[str], ref: str | None) -> Html:
    items = [
        el("li", link(path, "/code/file", path=path, ref=ref), " ", _layer(view.snapshot.files[path].layer))
        for path in paths[:MOST_FILES]
    ]
    more = (
        note(f"{len(paths) - MOST_FILES:,} more; narrow them by folder.") if len(paths) > MOST_FILES else None
    )
    return join([el("ul", items, class_="files"), more])


def _layer(layer: str) -> Html | None:
    return badge(layer) if layer != "base" else None


def _file_form(ref: str | None, prefix: str | None) -> Html:
    return el(
        "form",
        el("input", type="hidden", name="ref", value=ref) if ref else None,
        el("label", "Under ", el("input", name="under", value=prefix or "", placeholder="src/")),
        el("button", "Filter", type="submit"),
        class_="filters",
    )


def _compare_form(code: Code, base: str | None, head: str | None) -> Html:
    return el(
        "form",
        el("label", "Base ", el("input", name="base", value=base or code.base_name() or "")),
        el("label", "Head ", el("input", name="head", value=head or "", placeholder="checked out")),
        el("button", "Compare", type="submit"),
        action="/code/diff",
        class_="filters",
    )


def _symbol(record: SymbolRecord, ref: str | None) -> Html:
    return link(
        record.name, "/code/symbol", name=record.name, path=record.path, line=record.line_start, ref=ref
    )


def _place(path: str, line: int, ref: str | None) -> Html:
    return link(f"{path}:{line}", "/code/file", path=path, ref=ref)


def _sites(asked: Asked, sites: list[FoundSite], ref: str | None) -> Html:
    rows = [
        (
            _place(site.path, site.line, ref),
            badge(site.edge),
            site.within.qualified_name,
            el("code", asked.masked(site.context)),
        )
        for site in sites
    ]
    return table(("Where", "How", "Inside", "Line"), rows, "Nothing refers to it.")
