"""markdown-analyzer: what a note holds, what is wrong with it, and how long it takes to read."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass

from cuedeck.documents.fences import without_fenced_code
from cuedeck.documents.markdown import Heading, parse_markdown
from cuedeck.model.clock import now_ms
from cuedeck.store import workflow_records as records
from cuedeck.workflows import inputs
from cuedeck.workflows.builtin.notes import Note, read_note, unless_gone
from cuedeck.workflows.context import RunContext
from cuedeck.workflows.model import JSON, NOTES, FileTrigger, Workflow

WORDS_PER_MINUTE = 220
_WORD = re.compile(r"\w+(?:['’-]\w+)*")


@dataclass(frozen=True, slots=True)
class Analysis:
    """One reading of a note."""

    path: str
    sha256: str
    words: int
    reading_minutes: float
    headings: list[dict[str, JSON]]
    tags: list[str]
    links: dict[str, list[str]]
    broken_links: list[str]
    tasks: dict[str, int]
    frontmatter: dict[str, JSON]
    problems: list[dict[str, JSON]]


def analyse(note: Note) -> Analysis:
    """Everything that can be told from the note and from what links to it."""
    parsed = parse_markdown(note.text)
    body = note.text.encode()[parsed.body :].decode("utf-8", "replace")
    words = len(_WORD.findall(without_fenced_code(body)))
    problems: list[dict[str, JSON]] = []
    front = parsed.frontmatter
    if front.problem is not None:
        problems.append({"kind": "frontmatter", "line": front.problem.line, "message": front.problem.message})
    problems += _heading_problems(parsed.headings)
    problems += [{"kind": "broken-link", "line": None, "message": target} for target in note.unresolved]
    return Analysis(
        path=note.path,
        sha256=note.sha256,
        words=words,
        reading_minutes=round(words / WORDS_PER_MINUTE, 1),
        headings=[{"text": h.text, "level": h.level, "line": h.line} for h in parsed.headings],
        tags=list(note.tags),
        links={"outgoing": list(note.outgoing), "incoming": list(note.incoming)},
        broken_links=list(note.unresolved),
        tasks={
            "done": sum(task.done for task in parsed.tasks),
            "open": sum(not task.done for task in parsed.tasks),
        },
        frontmatter={"present": front.data is not None, "keys": sorted(front.data or {})},
        problems=problems,
    )


def _heading_problems(headings: Iterable[Heading]) -> list[dict[str, JSON]]:
    problems: list[dict[str, JSON]] = []
    previous = 0
    seen: set[tuple[int, str]] = set()
    for heading in headings:
        if previous and heading.level > previous + 1:
            message = f"'{heading.text}' jumps from level {previous} to {heading.level}"
            problems.append({"kind": "heading-level", "line": heading.line, "message": message})
        if (heading.level, heading.text.casefold()) in seen:
            message = f"'{heading.text}' appears twice at level {heading.level}"
            problems.append({"kind": "duplicate-heading", "line": heading.line, "message": message})
        seen.add((heading.level, heading.text.casefold()))
        previous = heading.level
    return problems


@unless_gone
def _run(context: RunContext, given: dict[str, JSON]) -> JSON:
    analysis = context.step(
        "analyse", lambda: asdict(analyse(read_note(context.workspace, given["path"]))), progress=70
    )

    def write() -> JSON:
        with context.workspace.store.index.write(actor="workflow:markdown-analyzer") as session:
            records.put_analysis(
                session,
                analysis["path"],
                analysis["sha256"],
                json.dumps(analysis),
                now_ms(),
            )
        return {"stored": True}

    context.step("store", write, progress=90)
    return analysis


WORKFLOW = Workflow(
    id="markdown-analyzer",
    name="Markdown Analyzer",
    description="Analyze a note: headings, words, links, tags, broken links, reading time, frontmatter",
    function=_run,
    triggers=(FileTrigger(NOTES, frozenset({"add", "change"})),),
    check_input=inputs.fields(
        {"path": inputs.markdown_path}, {"event": inputs.one_of("add", "change", "unlink")}
    ),
)
