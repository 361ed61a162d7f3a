"""One box over documents, symbols, memories and cards; each result can say why it stands where it does."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from cuedeck.memory.query import Query as MemoryQuery
from cuedeck.model.errors import CueError
from cuedeck.search.snippets import snippet
from cuedeck.tasks.card import FOLDER, Card
from cuedeck.web.asked import Asked, Page
from cuedeck.web.html import Child, Html, el, join
from cuedeck.web.layout import badge, link, note, panel
from cuedeck.web.pages.code import require_ready

SHOWN = 8
LONGEST = 1000
SCORED = 1e-9
CARDS = f"{FOLDER}/"


def search(asked: Asked) -> Page:
    """Results by kind; a part that fails says so and leaves the others alone."""
    text = (asked.given("q") or "")[:LONGEST]
    if not text:
        return Page("Search", "search", note("Words, a name, or a whole question."), live=False)
    parts: dict[str, Callable[[Asked, str, bool], list[Html]]] = {
        "Documents": _documents,
        "Code": _code,
        "Memories": _memories,
        "Cards": _cards,
    }
    explain = asked.given("explain") is not None
    toggle = (
        link("Hide why", "/search", q=text)
        if explain
        else link("Why this order?", "/search", q=text, explain=1)
    )
    panels = [panel(name, _part(asked, find, text, explain)) for name, find in parts.items()]
    return Page(f"“{text}”", "search", join([el("p", toggle), el("div", panels, class_="grid")]), live=False)


def _part(asked: Asked, find: Callable[[Asked, str, bool], list[Html]], text: str, explain: bool) -> Html:
    try:
        found = find(asked, text, explain)
    except CueError as error:
        return note(asked.masked(error.message))
    return el("ol", found, class_="results") if found else note("Nothing found.")


def _documents(asked: Asked, text: str, explain: bool) -> list[Html]:
    from cuedeck.documents.query import Query

    query = Query(text, limit=2 * SHOWN)
    documents = asked.workspace.documents
    found = documents.search(query, budget=1.0)
    results = replace(found, hits=tuple(hit for hit in found.hits if not _is_card(hit.path))[:SHOWN])
    reasons = documents.explain(query, results) if explain else [None] * len(results.hits)
    return [
        _result(
            link(hit.path, "/document", path=hit.path),
            asked.masked(" · ".join(hit.anchors)),
            hit.score,
            None if reason is None else _reason(reason),
        )
        for hit, reason in zip(results.hits, reasons, strict=True)
    ]


def _code(asked: Asked, text: str, explain: bool) -> list[Html]:
    from cuedeck.code.search.ranking import Query, Ranking
    from cuedeck.code.search.searching import search as search_code

    code = asked.workspace.code
    require_ready(code)
    view = code.view()
    found = search_code(view, Query(text), limit=SHOWN)
    ranking = Ranking(view.snapshot, Query(text)) if explain else None
    results = []
    for hit in found.hits:
        record = hit.scored.record
        title = [
            link(
                record.qualified_name,
                "/code/symbol",
                name=record.name,
                path=record.path,
                line=record.line_start,
            ),
            " ",
            badge(record.kind),
            el("small", f" {record.path}:{record.line_start}"),
        ]
        told = ranking.explained(ranking.candidate(record.path, record.number)) if ranking else None
        why = _scores(told.scoring, told.reasons) if told else None
        results.append(_result(title, el("pre", asked.masked(hit.snippet)), hit.scored.total, why))
    return results


def _memories(asked: Asked, text: str, explain: bool) -> list[Html]:
    found = asked.workspace.memory.search(MemoryQuery(text, max_results=SHOWN, explain=explain))
    return [
        _result(
            [
                link(asked.masked(hit.memory.shown_title), f"/memory/{hit.memory.id}"),
                " ",
                badge(hit.memory.type),
            ],
            snippet(asked.masked(hit.memory.content), list(found.terms)),
            hit.score,
            _reason(hit.explanation.to_json()) if hit.explanation else None,
        )
        for hit in found.hits
    ]


def _cards(asked: Asked, text: str, explain: bool) -> list[Html]:
    """Cards that name every word, then those whose text holds some of them."""
    words = text.casefold().split()
    cards = {card.id: card for card in asked.workspace.cards.list()}
    named = {id: "Names every word." for id, card in cards.items() if _names(card, words)}
    inside = {id: "Holds words in its text." for id in _holding(asked, text) if id in cards}
    found = named | {id: why for id, why in inside.items() if id not in named}
    return [
        _result(
            [link(asked.masked(cards[id].title), f"/cards/{id}"), " ", badge(cards[id].status)],
            None,
            None,
            el("p", why, class_="why") if explain else None,
        )
        for id, why in list(found.items())[:SHOWN]
    ]


def _names(card: Card, words: list[str]) -> bool:
    held = f"{card.id} {card.title} {' '.join(card.tags)} {card.assignee or ''}".casefold()
    return all(word in held for word in words)


def _holding(asked: Asked, text: str) -> list[str]:
    from cuedeck.documents.query import Mode, Query

    found = asked.workspace.documents.search(Query(text, Mode.KEYWORD, limit=50))
    return [hit.path.removeprefix(CARDS).removesuffix(".md") for hit in found.hits if _is_card(hit.path)]


def _is_card(path: str) -> bool:
    return path.startswith(CARDS)


def _result(title: Child, text: Child, score: float | None, why: Html | None) -> Html:
    shown = el("small", f"{score:.3f}", class_="score", title="Score") if score is not None else None
    return el("li", el("div", title, " ", shown), el("div", text, class_="snippet") if text else None, why)


def _reason(part: Mapping[str, Any]) -> Html:
    """A score as a tree of what it is made of."""
    below = [_reason(inner) for inner in part.get("parts", ()) if abs(inner["value"]) > SCORED]
    line = el("span", f"{part['value']:.4f} {part['name']}")
    return el("ul", el("li", line, below), class_="why")


def _scores(scoring: Mapping[str, float], reasons: Mapping[str, str]) -> Html:
    lines = [
        el("li", f"{value:.4f} {name}", f": {reasons[name]}" if name in reasons else None)
        for name, value in scoring.items()
    ]
    return el("ul", lines, class_="why")
