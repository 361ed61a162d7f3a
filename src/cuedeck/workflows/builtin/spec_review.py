"""proof-spec-kit-review: a specification's sections, open questions, requirement ids and tasks."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING

from cuedeck.documents.fences import without_fenced_code
from cuedeck.documents.markdown import Heading, Markdown, parse_markdown
from cuedeck.model.errors import CueError
from cuedeck.paths import confine_file, read_file
from cuedeck.workflows import inputs
from cuedeck.workflows.builtin.notes import Note, read_note, unless_gone
from cuedeck.workflows.context import RunContext
from cuedeck.workflows.model import JSON, FileTrigger, Workflow

if TYPE_CHECKING:
    from cuedeck.workspace import Workspace

# A section counts when a heading holds one of its words.
SECTIONS = {
    "user scenarios": ("scenario", "user stor", "use case", "journey"),
    "requirements": ("requirement",),
    "acceptance": ("acceptance", "success criteria", "definition of done"),
    "scope": ("scope", "non-goal", "out of scope"),
    "edge cases": ("edge case", "error", "failure"),
}
REQUIRED = ("user scenarios", "requirements", "acceptance")
_REQUIREMENT = re.compile(r"\b((?:FR|NFR|SC|REQ|US|AC|R)-?\d{1,4})\b")
_OPEN = re.compile(r"\[NEEDS CLARIFICATION[^\]\n]*\]|\bTBD\b|\bTODO\b|\bFIXME\b|\?\?\?", re.IGNORECASE)
_VAGUE = re.compile(
    r"\b(?:fast|quick(?:ly)?|easy|user-friendly|robust|scalable|intuitive|etc\.?)(?=[\s,.;)]|$)",
    re.IGNORECASE,
)
_DEFINED = re.compile(
    r"^[ \t]*+(?:(?:[-*+]|\d+[.)]|\|)[ \t]*+)?(?:\*\*|__|`)?((?:FR|NFR|SC|REQ|US|AC|R)-?\d{1,4})\b",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing a reviewer would say."""

    severity: str
    kind: str
    line: int | None
    message: str

    def to_json(self) -> dict[str, JSON]:
        return {"severity": self.severity, "kind": self.kind, "line": self.line, "message": self.message}


def review(text: str, traces: dict[str, list[str]]) -> dict[str, JSON]:
    """Everything found in a specification, given which task mentions which requirement."""
    parsed = parse_markdown(text)
    body = _without_code(text)
    present = _sections(parsed.headings)
    defined = Counter(match[1] for match in _DEFINED.finditer(body))
    mentioned = set(_REQUIREMENT.findall(body))
    findings = [*_missing_sections(present), *_empty_sections(parsed, text)]
    findings += _lines(body, _OPEN, "error", "open-question")
    findings += _lines(_requirement_lines(body), _VAGUE, "warning", "vague-wording")
    findings += [
        Finding("error", "duplicate-id", None, f"{name} is defined {count} times")
        for name, count in defined.items()
        if count > 1
    ]
    findings += [Finding("warning", "gap-in-ids", None, message) for message in _gaps(defined)]
    untraced = sorted(name for name in defined if not traces.get(name))
    findings += [Finding("warning", "untraced", None, f"No task mentions {name}") for name in untraced]
    if not defined:
        findings.append(Finding("error", "no-requirements", None, "No requirement has an id such as FR-001"))
    errors = sum(finding.severity == "error" for finding in findings)
    return {
        "ready": errors == 0,
        "sections": {name: name in present for name in SECTIONS},
        "requirements": sorted(defined),
        "mentioned_only": sorted(mentioned - set(defined)),
        "open_questions": sum(finding.kind == "open-question" for finding in findings),
        "traceability": {name: traces.get(name, []) for name in sorted(defined)},
        "errors": errors,
        "warnings": len(findings) - errors,
        "findings": [finding.to_json() for finding in findings],
    }


def _sections(headings: Iterable[Heading]) -> set[str]:
    titles = [heading.text.casefold() for heading in headings]
    return {
        name for name, words in SECTIONS.items() if any(word in title for title in titles for word in words)
    }


def _missing_sections(present: set[str]) -> list[Finding]:
    return [
        Finding("error" if name in REQUIRED else "warning", "missing-section", None, f"No section on {name}")
        for name in SECTIONS
        if name not in present
    ]


def _empty_sections(parsed: Markdown, text: str) -> list[Finding]:
    # Not splitlines: headings are counted by line feeds alone.
    lines = text.split("\n")
    findings = []
    for here, after in zip_longest(parsed.headings, parsed.headings[1:]):
        end = len(lines) if after is None else after.line - 1
        nested = after is not None and after.level > here.level
        if not nested and not any(line.strip() for line in lines[here.line : end]):
            findings.append(Finding("warning", "empty-section", here.line, f"'{here.text}' is empty"))
    return findings


def _lines(body: str, pattern: re.Pattern[str], severity: str, kind: str) -> list[Finding]:
    return [
        Finding(severity, kind, number, line.strip()[:200])
        for number, line in enumerate(body.split("\n"), 1)
        if pattern.search(line)
    ]


def _requirement_lines(body: str) -> str:
    return "\n".join(line if _DEFINED.match(line) else "" for line in body.split("\n"))


def _gaps(defined: Iterable[str]) -> list[str]:
    numbers: dict[str, set[int]] = {}
    for name in defined:
        prefix, digits = re.match(r"([A-Z]+)-?(\d+)", name).groups()  # type: ignore[union-attr]
        numbers.setdefault(prefix, set()).add(int(digits))
    return [
        f"{prefix}: {', '.join(str(number) for number in missing[:10])} skipped"
        for prefix, found in sorted(numbers.items())
        if (missing := sorted(set(range(min(found), max(found))) - found))
    ]


def _without_code(text: str) -> str:
    """The text with fenced code and comments blanked, line for line."""
    text = without_fenced_code(text)
    pieces, at = [], 0
    while (start := text.find("<!--", at)) >= 0 and (end := text.find("-->", start)) >= 0:
        pieces += [text[at:start], "\n" * text.count("\n", start, end)]
        at = end + 3
    return "".join([*pieces, text[at:]])


def _traces(workspace: Workspace, path: str) -> dict[str, list[str]]:
    """Which cards, agent tasks and neighbouring task lists mention each requirement."""
    traces: dict[str, list[str]] = {}

    def mention(source: str, text: str) -> None:
        for name in sorted(set(_REQUIREMENT.findall(text))):
            traces.setdefault(name, []).append(source)

    for card in workspace.cards.list():
        mention(card.id, f"{card.title}\n{workspace.cards.content(card.id).body}")
    for task in workspace.agent_tasks.list():
        mention(task.id, f"{task.name}\n{task.description}")
    folder = path.rpartition("/")[0]
    for name in ("tasks.md", "plan.md"):
        neighbour = f"{folder}/{name}" if folder else name
        try:
            content = read_file(confine_file(workspace.root, neighbour)).data
        except CueError:
            continue
        mention(neighbour, content.decode("utf-8", "replace"))
    return traces


def review_note(workspace: Workspace, note: Note) -> dict[str, JSON]:
    """The review of one note against the workspace's tasks."""
    return review(note.text, _traces(workspace, note.path))


@unless_gone
def _run(context: RunContext, given: dict[str, JSON]) -> JSON:
    note = read_note(context.workspace, given["path"])
    found = context.step("review", lambda: review_note(context.workspace, note), progress=90)
    return {"path": note.path, "sha256": note.sha256, **found}


WORKFLOW = Workflow(
    id="proof-spec-kit-review",
    name="Spec Kit Review",
    description="Review a specification: sections, open questions, requirement ids, traceability to tasks",
    function=_run,
    triggers=(FileTrigger(("specs/**/spec.md", "spec.md"), frozenset({"add", "change"})),),
    check_input=inputs.fields({"path": inputs.markdown_path}, {"event": inputs.one_of("add", "change")}),
)
