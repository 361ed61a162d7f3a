"""Memories: the list, one with its links as a graph, and the change feed."""

from __future__ import annotations

from cuedeck.memory import feed, graph
from cuedeck.memory.checks import memory_id
from cuedeck.memory.model import Memory, MemoryType, Neighbour
from cuedeck.model.errors import invalid
from cuedeck.store import changes as change_rows
from cuedeck.store.protocol import Change
from cuedeck.web.asked import Asked, Page
from cuedeck.web.drawing import Node, fan
from cuedeck.web.html import Html, el, join, url
from cuedeck.web.layout import badge, choice, facts, link, moment, note, pages, panel, pretty, table

PER_PAGE = 50
MOST_DRAWN = 24
FEED = 100


def memories(asked: Asked) -> Page:
    """Newest first, by type and project."""
    kind, project, number = asked.given("type"), asked.given("project"), asked.page_number()
    if kind is not None and kind not in set(MemoryType):
        raise invalid("type", ", ".join(MemoryType), kind)
    found = asked.workspace.memory.newest(
        type=MemoryType(kind) if kind else None,
        project=project,
        limit=PER_PAGE + 1,
        offset=(number - 1) * PER_PAGE,
    )
    body = [
        el(
            "form",
            choice("type", "Type", ("", *MemoryType), kind),
            el("label", "Project ", el("input", name="project", value=project or "", maxlength=200)),
            el("button", "Filter", type="submit"),
            link("What changed", "/memory/changes"),
            class_="filters",
        ),
        _listing(asked, found[:PER_PAGE]),
        pages("/memory", number, more=len(found) > PER_PAGE, type=kind, project=project),
    ]
    return Page("Memory", "memory", join(body))


def memory(asked: Asked) -> Page:
    """One memory, looked at without counting as an access."""
    found, access, _links = asked.workspace.memory.peek(asked.names["id"])
    with asked.workspace.store.state.read() as session:
        near = graph.neighbourhood(session, memory_id("id", found.id), 1)
    shown = facts(
        [
            ("Id", el("code", found.id)),
            ("Type", badge(found.type)),
            ("Deleted", moment(found.deleted_at)),
            ("Project", found.project),
            ("Tags", asked.masked(", ".join(found.tags))),
            ("Confidence", f"{found.confidence:.2f}"),
            ("Task", found.source_task),
            ("Created", moment(found.created_at)),
            ("Changed", moment(found.updated_at)),
            ("Read", f"{access.count} times"),
        ]
    )
    metadata = pretty(asked.masked_value(dict(found.metadata))) if found.metadata else None
    body = [
        shown,
        el("pre", asked.masked(found.content), class_="prose"),
        panel("Metadata", metadata) if metadata else None,
        panel(f"Links ({len(near)})", _drawn(asked, found, near), _neighbours(asked, near)),
    ]
    return Page(asked.masked(found.shown_title), "memory", join(body))


def changes(asked: Asked) -> Page:
    """The newest changes of memories and their links."""
    with asked.workspace.store.state.read() as session:
        found = change_rows.newest(session, limit=FEED, tables=feed.TABLES)
    rows = [
        (
            moment(one.at),
            one.actor,
            badge(one.op),
            one.table.replace("_", " "),
            _subject(asked, one),
            feed.changed_fields(one),
        )
        for one in found
    ]
    heads = ("When", "By", "What", "Of", "Which", "Fields")
    return Page("What changed", "memory", table(heads, rows, "Nothing has changed in ninety days."))


def _listing(asked: Asked, found: list[Memory]) -> Html:
    rows = [
        (
            link(asked.masked(one.shown_title), f"/memory/{one.id}"),
            badge(one.type),
            one.project,
            asked.masked(", ".join(one.tags)),
            f"{one.confidence:.2f}",
            moment(one.updated_at),
        )
        for one in found
    ]
    return table(("Memory", "Type", "Project", "Tags", "Confidence", "Changed"), rows, "No memories here.")


def _drawn(asked: Asked, found: Memory, near: list[Neighbour]) -> Html | None:
    if not near:
        return note("Nothing is linked to this memory.")
    return fan(
        _node(asked, found),
        [(_node(asked, one.memory), one.strength) for one in near[:MOST_DRAWN]],
        "Linked memories",
    )


def _node(asked: Asked, memory: Memory) -> Node:
    return Node(asked.masked(memory.shown_title), memory.type, url(f"/memory/{memory.id}"))


def _neighbours(asked: Asked, near: list[Neighbour]) -> Html | None:
    rows = [
        (
            link(asked.masked(one.memory.shown_title), f"/memory/{one.memory.id}"),
            badge(one.memory.type),
            f"{one.strength:.2f}",
            asked.masked(one.reason),
        )
        for one in near
    ]
    return table(("Memory", "Type", "Strength", "Reason"), rows, "") if rows else None


def _subject(asked: Asked, change: Change) -> Html:
    if change.table != "memories":
        return el("code", change.id)
    values = change.after or change.before or {}
    title = str(values.get("title") or values.get("content") or change.id).strip()
    return link(asked.masked(title)[:100], f"/memory/{change.id}")
