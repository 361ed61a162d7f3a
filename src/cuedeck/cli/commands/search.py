"""Search documents and code."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import click

from cuedeck.cli.frame import Here, words
from cuedeck.cli.frame import command as define
from cuedeck.cli.output import coloured

if TYPE_CHECKING:
    from cuedeck.documents.engine import Documents
    from cuedeck.documents.query import Query, Results

# So many vectors are made within some seconds.
_FEW: Final = 2000
_COUNTING_SECONDS: Final = 1.0


@define("search", json=True)
@words("query")
@click.option(
    "--mode", type=click.Choice(["keyword", "semantic", "hybrid"]), default="hybrid", show_default=True
)
@click.option("--limit", type=click.IntRange(1, 50), default=5, show_default=True, help="How many results.")
@click.option("--tag", "tags", multiple=True, help="Only documents with any of these tags.")
@click.option("--priority", help="Only cards of this priority.")
@click.option("--assignee", help="Only cards of this assignee.")
@click.option("--explain", is_flag=True, help="Show what each score is made of.")
def command(
    here: Here,
    query: str,
    mode: str,
    limit: int,
    tags: tuple[str, ...],
    priority: str | None,
    assignee: str | None,
    explain: bool,
) -> None:
    """Search documents and code by keywords or meaning."""
    from cuedeck.documents.query import Filters, Mode, Query

    if not query.strip():
        raise click.BadParameter("it is blank", param_hint="QUERY")
    asked = Query(query, Mode(mode), Filters(tags, priority, assignee), limit)
    with here.open() as workspace:
        documents = workspace.documents
        _prepare(here, documents, asked)
        results = documents.search(asked, budget=5.0)
        reasons = documents.explain(asked, results) if explain else []
        documents.token_counts.complete(_COUNTING_SECONDS)
        missing = results.pending if workspace.embedder.unavailable is None else 0
    here.output.show(_as_json(results, reasons), lambda: _as_text(results, reasons))
    if results.why is not None:
        by_keyword = results.mode_used is not asked.mode
        here.output.note(f"Searched by keyword: {results.why}" if by_keyword else results.why)
    if asked.mode is not Mode.KEYWORD and missing:
        here.output.note(
            f"Without a vector so far: {missing} passages, found by their words only. "
            "Vectors are made while `cue mcp`, `cue serve` or `cue watch` runs."
        )


def _prepare(here: Here, documents: Documents, asked: Query) -> None:
    """Index what is new, and make the vectors that a search by meaning needs, where they are few."""
    from cuedeck.documents.query import Mode

    with here.output.progress("Indexing") as progress:
        documents.refresh(lambda done, total: progress(done, total))
    if asked.mode is not Mode.KEYWORD and documents.pending() <= _FEW:
        with here.output.progress("Making vectors"):
            documents.embed_pending(5.0)


def _as_json(results: Results, reasons: list[dict[str, Any]]) -> dict[str, Any]:
    value: dict[str, Any] = {
        "mode_used": results.mode_used.value,
        "pending": results.pending,
        "results": [
            {
                "path": hit.path,
                "hash": hit.hash,
                "tokens": hit.tokens,
                "anchors": list(hit.anchors),
                "line": hit.line,
                "score": hit.score,
            }
            for hit in results.hits
        ],
    }
    if results.why is not None:
        value["why"] = results.why
    if reasons:
        value["explanations"] = reasons
    return value


def _as_text(results: Results, reasons: list[dict[str, Any]]) -> str:
    if not results.hits:
        return "Nothing found."
    bold, dim, plain = ("\x1b[1m", "\x1b[2m", "\x1b[0m") if coloured() else ("", "", "")
    lines = []
    for number, hit in enumerate(results.hits):
        anchors = " · ".join(hit.anchors)
        lines.append(f"{bold}{hit.path}{plain}{dim}:{hit.line}  {hit.score:.3f}  {hit.tokens} tokens{plain}")
        if anchors:
            lines.append(f"    {anchors}")
        for part in reasons[number]["parts"] if reasons else ():
            lines += _part(part, 4)
    return "\n".join(lines)


def _part(part: dict[str, Any], indent: int) -> list[str]:
    lines = [f"{' ' * indent}{part['value']:.4f} {part['name']}"]
    for below in part.get("parts", ()):
        lines += _part(below, indent + 2)
    return lines
