"""HTML as values: text is escaped by default, and only what was built here is markup."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from urllib.parse import quote, urlencode

VOID = frozenset({"br", "hr", "img", "input", "link", "meta"})


class Html(str):
    """Markup that is safe to show; everything else is text."""

    __slots__ = ()


Child = str | int | float | None | Iterable["Child"]
Attribute = str | int | float | bool | None


def el(name: str, /, *children: Child, **attributes: Attribute) -> Html:
    """One element; ``class_`` and ``data_x`` become ``class`` and ``data-x``, False and None nothing."""
    opening = name + "".join(_attribute(key, value) for key, value in attributes.items())
    return Html(f"<{opening}>") if name in VOID else Html(f"<{opening}>{join(children)}</{name}>")


def join(children: Iterable[Child]) -> Html:
    """Some children after each other."""
    return Html("".join(_markup(child) for child in children))


def url(path: str, /, **query: str | int | None) -> str:
    """A local address with its query; what is None is left out."""
    given = {name: value for name, value in query.items() if value is not None}
    shown = quote(path, safe="/:@-._~")
    return f"{shown}?{urlencode(given)}" if given else shown


def _markup(child: Child) -> str:
    if child is None:
        return ""
    if isinstance(child, Html):
        return child
    if isinstance(child, (str, int, float)):
        return escape(str(child), quote=False)
    return join(child)


def _attribute(key: str, value: Attribute) -> str:
    if value is None or value is False:
        return ""
    name = key.rstrip("_").replace("_", "-")
    return f" {name}" if value is True else f' {name}="{escape(str(value))}"'
