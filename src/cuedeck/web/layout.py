"""The frame around every page, and the small pieces that pages share."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import Any

from cuedeck import __version__
from cuedeck.model.clock import iso_seconds
from cuedeck.web.asked import Page
from cuedeck.web.html import Child, Html, el, join, url

SECTIONS = {
    "overview": ("/", "Overview", "o"),
    "search": ("/search", "Search", "s"),
    "cards": ("/cards", "Cards", "c"),
    "tasks": ("/tasks", "Tasks", "t"),
    "memory": ("/memory", "Memory", "m"),
    "workflows": ("/workflows", "Workflows", "w"),
    "code": ("/code", "Code", "k"),
    "documents": ("/documents", "Documents", "d"),
}
_UNITS = ((86_400, "d"), (3_600, "h"), (60, "min"), (1, "s"))


def framed(page: Page, workspace: str, *, query: str = "", version: str = "") -> str:
    """A whole page; a live one carries the version it was made from, so that no change is missed."""
    header = el(
        "header",
        el("a", "CueDeck", href="/", class_="brand"),
        el("nav", [_entry(key, page.section) for key in SECTIONS], aria_label="Sections"),
        el(
            "form",
            el(
                "input",
                type="search",
                name="q",
                value=query,
                placeholder="Search everything  ( / )",
                aria_label="Search everything",
                maxlength=1000,
            ),
            action="/search",
            role="search",
        ),
    )
    letters = " ".join(letter for _, _, letter in SECTIONS.values())
    footer = el("footer", f"{workspace} · CueDeck {__version__} · keys: / to search, g and one of {letters}")
    main = el("main", el("h1", page.title), page.body, id="main", data_live=version if page.live else None)
    skip = el("a", "Skip to content", href="#main", class_="skip")
    return _document(page.title, join([skip, header, main, footer]))


def door(*, pasted: bool, problem: str | None) -> str:
    """What somebody without a session sees."""
    if pasted:
        body = el(
            "form",
            el("label", "Token", for_="token"),
            el("input", id="token", type="password", name="token", required=True, autocomplete="off"),
            el("button", "Enter", type="submit"),
            method="post",
            action="/login",
        )
    else:
        body = el(
            "p",
            "Open the dashboard with the address that ",
            el("code", "cue serve"),
            " printed in its terminal: it ends with a token that is valid until the server stops. ",
            el("a", "I have done that", href="/"),
            ".",
        )
    warning = el("p", problem, class_="problem", role="alert") if problem else None
    return _document("Dashboard", el("main", el("h1", "CueDeck"), warning, body, class_="door"))


def _document(title: str, body: Html) -> str:
    head = el(
        "head",
        el("meta", charset="utf-8"),
        el("meta", name="viewport", content="width=device-width, initial-scale=1"),
        el("meta", name="color-scheme", content="light dark"),
        el("title", f"{title} · CueDeck"),
        el("link", rel="icon", href=f"/static/icon.svg?v={__version__}", type="image/svg+xml"),
        el("link", rel="stylesheet", href=f"/static/style.css?v={__version__}"),
        el("script", src=f"/static/live.js?v={__version__}", defer=True),
    )
    return "<!doctype html>\n" + el("html", head, el("body", body), lang="en")


def _entry(key: str, current: str) -> Html:
    address, label, letter = SECTIONS[key]
    here = "page" if key == current else None
    return el("a", label, href=address, data_key=letter, title=f"g {letter}", aria_current=here)


def link(text: Child, path: str, /, **query: str | int | None) -> Html:
    """A link inside the dashboard."""
    return el("a", text, href=url(path, **query))


def badge(word: str) -> Html:
    """A status as a word in a colour of its own; the word alone tells it too."""
    tone = "".join(letter if letter.isalnum() else "-" for letter in word.lower())
    return el("span", word.replace("_", " "), class_=f"badge is-{tone}")


def table(heads: Sequence[str], rows: Iterable[Sequence[Child]], empty: str) -> Html:
    """Rows under headings, or a sentence when there are none."""
    filled = list(rows)
    if not filled:
        return note(empty)
    head = el("thead", el("tr", [el("th", name, scope="col") for name in heads]))
    body = el(
        "tbody",
        [
            el("tr", [el("td", cell, data_head=h) for h, cell in zip(heads, row, strict=True)])
            for row in filled
        ],
    )
    return el("div", el("table", head, body), class_="scroll")


def panel(title: str, *children: Child, more: str | None = None) -> Html:
    """A titled part of a page."""
    aside = el("a", "all", href=more, class_="more", aria_label=f"All: {title}") if more else None
    return el("section", el("h2", title, aside), children, class_="panel")


def facts(pairs: Iterable[tuple[str, Child]]) -> Html:
    """Names with their values; what has no value is left out."""
    shown = [(name, value) for name, value in pairs if value not in (None, "", ())]
    return el("dl", [el("div", el("dt", name), el("dd", value)) for name, value in shown], class_="facts")


def note(text: str) -> Html:
    """A quiet sentence."""
    return el("p", text, class_="note")


def figure(number: Child, label: str, href: str) -> Html:
    """A number that matters, linked to what it counts."""
    return el("a", el("strong", number), el("span", label), href=href, class_="figure")


def bar(share: float, label: str) -> Html:
    """How far something is, from 0 to 1."""
    shown = min(1.0, max(0.0, share))
    return el(
        "span", el("progress", value=round(shown, 3), max=1, aria_label=label), f" {shown:.0%}", class_="bar"
    )


def moment(at: int | None) -> Html | None:
    """A time as how long ago it is, with the exact one on hovering."""
    if at is None:
        return None
    exact = iso_seconds(at)
    return el("time", ago(at), datetime=exact, title=exact)


def ago(at: int) -> str:
    """The distance from now in one unit, either way."""
    seconds = round(time.time() - at / 1000)
    for size, unit in _UNITS:
        if abs(seconds) >= size:
            count = abs(seconds) // size
            return f"{count} {unit} ago" if seconds > 0 else f"in {count} {unit}"
    return "now"


def lasted(milliseconds: int | None) -> str:
    """How long something took."""
    if milliseconds is None:
        return ""
    return f"{milliseconds} ms" if milliseconds < 1000 else f"{milliseconds / 1000:.1f} s"


def post(action: str, label: str, /, *fields: Child, class_: str | None = None, **values: str) -> Html:
    """A form of one button; what it does is a POST."""
    hidden = [el("input", type="hidden", name=name, value=value) for name, value in values.items()]
    button = el("button", label, type="submit")
    return el(
        "form", hidden, fields, button, method="post", action=action, class_=f"inline {class_ or ''}".strip()
    )


def choice(name: str, label: str, options: Iterable[str], chosen: str | None) -> Html:
    """A drop-down list; the empty word stands for any."""
    entries = [el("option", o or "any", value=o, selected=o == (chosen or "")) for o in options]
    return el("label", f"{label} ", el("select", entries, name=name))


def pages(path: str, number: int, /, *, more: bool, **query: str | int | None) -> Html | None:
    """Links to the page before and the page after."""
    before = link("← newer", path, page=number - 1, **query) if number > 1 else None
    after = link("older →", path, page=number + 1, **query) if more else None
    return el("p", before, " ", after, class_="pages") if before or after else None


def pretty(value: Any) -> Html:
    """A JSON value, readable."""
    import json

    return el("pre", json.dumps(value, ensure_ascii=False, indent=2, default=str)[:50_000])
