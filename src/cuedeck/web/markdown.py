"""Markdown as safe HTML: raw HTML stays text, and links lead into the dashboard or to the web."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from html import escape
from typing import Any
from urllib.parse import unquote, urlsplit

from cuedeck.documents.markdown import LinkKind, split_target
from cuedeck.documents.sections import slug, slugs_of
from cuedeck.web.html import Html, url

# Where a link of this kind and target leads: a path of the workspace, or nothing.
Resolve = Callable[[LinkKind, str], str | None]
_WEB = frozenset({"http", "https", "mailto"})
_TAGS = {
    "Paragraph": "p",
    "Emphasis": "em",
    "Strong": "strong",
    "Strikethrough": "del",
    "Item": "li",
    "BlockQuote": "blockquote",
    "TableRow": "tr",
    "HtmlBlock": "pre",
    "FootnoteDefinition": "aside",
}


def render(text: str, resolve: Resolve) -> Html:
    """A document's body."""
    import pyromark

    options = pyromark.Options
    chosen = (
        options.ENABLE_WIKILINKS
        | options.ENABLE_TASKLISTS
        | options.ENABLE_TABLES
        | options.ENABLE_FOOTNOTES
        | options.ENABLE_STRIKETHROUGH
    )
    return _Writer(resolve).write(pyromark.events(text, options=chosen))


class _Writer:
    def __init__(self, resolve: Resolve) -> None:
        self._resolve = resolve
        self._out: list[str] = []
        self._closing: list[str] = []
        self._head = False
        # Where headings began and the words they have, for their ids.
        self._headings: dict[int, str] = {}
        self._heading = 0
        self._words: list[str] = []

    def write(self, events: Iterator[Any]) -> Html:
        for event in events:
            if isinstance(event, str):
                self._out.append({"HardBreak": "<br>", "Rule": "<hr>"}.get(event, "\n"))
                continue
            ((name, value),) = event.items()
            if name == "Start":
                kind, inner = (value, None) if isinstance(value, str) else next(iter(value.items()))
                self._start(kind, inner)
            elif name == "End":
                self._end(value if isinstance(value, str) else next(iter(value)))
            else:
                self._leaf(name, value)
        for at, name in zip(self._headings, slugs_of(list(self._headings.values())), strict=True):
            self._out[at] = f'{self._out[at][:-1]} id="{escape(name)}">'
        return Html("".join(self._out))

    def _leaf(self, name: str, value: Any) -> None:
        match name:
            case "Code" | "InlineMath" | "DisplayMath":
                self._out.append(f"<code>{escape(value)}</code>")
                self._words.append(value)
            case "TaskListMarker":
                self._out.append(f'<input type="checkbox" disabled{" checked" if value else ""}> ')
            case "FootnoteReference":
                self._out.append(f"<sup>{escape(value)}</sup>")
            case _:
                self._out.append(escape(str(value)))
                self._words.append(str(value))

    def _start(self, kind: str, inner: Any) -> None:
        opening, closing = self._around(kind, inner)
        self._out.append(opening)
        self._closing.append(closing)

    def _around(self, kind: str, inner: Any) -> tuple[str, str]:
        match kind:
            case "Heading":
                self._heading = len(self._out)
                self._words = []
                level = inner["level"].lower()
                return f"<{level}>", f"</{level}>"
            case "Link":
                href = self._href(inner)
                if href is None:
                    return '<span class="dead" title="Leads nowhere in this workspace">', "</span>"
                outside = ' rel="noopener noreferrer" class="outside"' if ":" in href.split("/")[0] else ""
                return f'<a href="{escape(href)}"{outside}>', "</a>"
            case "Image":
                return '<span class="image">', f" ({escape(inner['dest_url'])})</span>"
            case "CodeBlock":
                return "<pre><code>", "</code></pre>"
            case "List":
                return ("<ul>", "</ul>") if inner is None else (f'<ol start="{int(inner)}">', "</ol>")
            case "Table":
                return '<div class="scroll"><table>', "</table></div>"
            case "TableHead":
                self._head = True
                return "<thead><tr>", "</tr></thead>"
            case "TableCell":
                return ("<th>", "</th>") if self._head else ("<td>", "</td>")
            case _:
                tag = _TAGS.get(kind, "div")
                return f"<{tag}>", f"</{tag}>"

    def _end(self, kind: str) -> None:
        self._out.append(self._closing.pop())
        if kind == "TableHead":
            self._head = False
        elif kind == "Heading":
            self._headings[self._heading] = "".join(self._words)

    def _href(self, link: dict[str, Any]) -> str | None:
        written: str = link["dest_url"]
        if isinstance(link["link_type"], dict):
            return self._local(LinkKind.WIKI, *split_target(written))
        if link["link_type"] == "Email":
            return f"mailto:{written}"
        try:
            scheme = urlsplit(written).scheme.lower()
        except ValueError:
            return None
        if scheme or written.startswith("//"):
            return written if scheme in _WEB else None
        return self._local(LinkKind.MARKDOWN, *split_target(unquote(written, errors="replace")))

    def _local(self, kind: LinkKind, target: str, anchor: str | None) -> str | None:
        place = f"#{slug(anchor)}" if anchor else ""
        if not target:
            return place or None
        path = self._resolve(kind, target)
        return None if path is None else url("/document", path=path) + place
