"""Reflection on a failure: composed from the output at hand and from earlier episodes like it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from cuedeck.memory.approaches import approaches, says_how, tried
from cuedeck.memory.diagnosis import diagnose
from cuedeck.memory.episodes import Match, Outcome, Similar
from cuedeck.memory.failures import NO_TOOL, Failure, FailureKind, read_failures, shape, signature
from cuedeck.memory.model import first_line
from cuedeck.model.clock import iso

_EXCERPT = 4_000


@dataclass(frozen=True, slots=True)
class Attempt:
    """What was tried and what came of it, as the caller tells it."""

    output: str
    feedback: str
    feedback_type: str | None = None
    task: str | None = None
    approach: str | None = None
    model_used: str | None = None
    code_context: str | None = None
    file_path: str | None = None
    outcome: Outcome = Outcome.FAILURE


@dataclass(frozen=True, slots=True)
class Reflection:
    """The contract's four fields."""

    what_went_wrong: str
    root_cause: str
    what_to_try_next: str
    general_lesson: str

    def to_json(self) -> dict[str, str]:
        return {
            "what_went_wrong": self.what_went_wrong,
            "root_cause": self.root_cause,
            "what_to_try_next": self.what_to_try_next,
            "general_lesson": self.general_lesson,
        }


def reflect(attempt: Attempt, failures: Sequence[Failure], similar: Sequence[Similar]) -> Reflection:
    """Four fields that name what the evidence names."""
    if not failures:
        return _without_failure(attempt, similar)
    failure = failures[0]
    diagnosis = diagnose(failure)
    return Reflection(
        what_went_wrong=_sentences(
            _happened(failure), _compared(failure), _others(failures), _tried(attempt)
        ),
        root_cause=_sentences(
            diagnosis.cause, _changed(attempt, failure), _quoted(attempt, failure), _known_cause(similar)
        ),
        what_to_try_next=_worked(attempt, similar)
        or _sentences(_solution(similar), _avoid(attempt, similar), diagnosis.step, _rerun(failure)),
        general_lesson=_sentences(diagnosis.lesson, _recurrence(similar)),
    )


def _sentences(*parts: str) -> str:
    return " ".join(part for part in parts if part)


def _happened(failure: Failure) -> str:
    place = f" at {failure.location}" if failure.location else ""
    said = failure.message.partition("\n")[0][:300].rstrip(".")
    if failure.kind is FailureKind.UNKNOWN:
        return f"The output says{place}: {said}."
    what = f"{failure.type}{place}: {said}.".replace(": .", ".")
    if failure.test:
        return f"{failure.test} failed with {what}"
    return what if failure.tool == NO_TOOL else f"{failure.tool}: {what}"


def _compared(failure: Failure) -> str:
    if failure.compared is None:
        return ""
    return f"Expected {failure.compared.expected[:200]}, got {failure.compared.actual[:200]}."


def _others(failures: Sequence[Failure]) -> str:
    if len(failures) < 2:
        return ""
    named = [str(one.test or _briefly(one)) for one in failures[1:4]]
    more = f" and {len(failures) - 4} more" if len(failures) > 4 else ""
    return f"Also: {', '.join(named)}{more}."


def _briefly(failure: Failure) -> str:
    said = first_line(failure.message, 80)
    return f"{failure.location} ({said})" if failure.location and said else str(failure.location or said)


def _worked(attempt: Attempt, similar: Sequence[Similar]) -> str:
    """What to do when this is met again, after an attempt that solved it."""
    if attempt.outcome is not Outcome.SUCCESS or not attempt.approach:
        return ""
    return _sentences(f"This solved it: {first_line(attempt.approach, 200)}.", _avoid(attempt, similar))


def _tried(attempt: Attempt) -> str:
    return f"What was tried: {first_line(attempt.approach, 200)}." if attempt.approach else ""


def _changed(attempt: Attempt, failure: Failure) -> str:
    """Where to look first when the output names no place."""
    if failure.location or not attempt.file_path:
        return ""
    return f"{first_line(attempt.file_path, 200)} was being changed."


def _quoted(attempt: Attempt, failure: Failure) -> str:
    """The line of the given code that names what the message names."""
    words = {word.strip("'\"`().,:;") for word in failure.message.split() if len(word) > 4}
    for line in (attempt.code_context or "").splitlines()[:2000]:
        if any(word in line for word in words if len(word) > 2):
            return f"In the code: `{line.strip()[:160]}`."
    return ""


def _known_cause(similar: Sequence[Similar]) -> str:
    for one in similar:
        reflection = one.memory.metadata.get("reflection")
        cause = reflection.get("root_cause") if isinstance(reflection, dict) else None
        if one.match is Match.SIGNATURE and one.outcome is Outcome.SUCCESS and isinstance(cause, str):
            return f"{one.memory.id}, which solved it, found: {first_line(cause, 240)}"
    return ""


def _solution(similar: Sequence[Similar]) -> str:
    solved = next((one.solved for one in approaches(similar) if one.solved), None)
    if solved is None:
        return ""
    alike = {Match.SIGNATURE: "the same failure", Match.SHAPE: "a similar failure"}.get(
        solved.match, "a similar task"
    )
    if not says_how(solved):
        return f"{solved.memory.id} solved {alike}, but does not say how."
    return f"{solved.memory.id} solved {alike} with: {first_line(tried(solved), 300)}."


def _avoid(attempt: Attempt, similar: Sequence[Similar]) -> str:
    near = [one for one in similar if one.match is not Match.TEXT]
    failed = [
        f"{first_line(tried(one.episodes[0]), 120)} ({one.episodes[0].memory.id})"
        for one in approaches(near)
        if not one.solved
    ]
    if attempt.approach and attempt.outcome is Outcome.FAILURE:
        failed.insert(0, first_line(attempt.approach, 120))
    chosen = list(dict.fromkeys(failed))[:3]
    return f"Already failed: {'; '.join(chosen)}." if chosen else ""


def _rerun(failure: Failure) -> str:
    if failure.test is None:
        return ""
    commands = {
        "pytest": f"pytest '{failure.test}'",
        "unittest": f"python -m unittest {failure.test}",
        "cargo test": f"cargo test {failure.test}",
        "go test": f"go test -run '^{failure.test.split('/')[0]}$' ./...",
    }
    command = commands.get(failure.tool)
    return f"Check with `{command}`." if command else f"Check by running the test “{failure.test}” alone."


def _recurrence(similar: Sequence[Similar]) -> str:
    same = [one for one in similar if one.match is Match.SIGNATURE]
    if not same:
        return ""
    solved = sum(one.outcome is Outcome.SUCCESS for one in same)
    last = max(one.memory.updated_at for one in same)
    return f"Seen {len(same)} time(s) before, last on {iso(last)[:10]}, solved {solved} time(s)."


def _without_failure(attempt: Attempt, similar: Sequence[Similar]) -> Reflection:
    read = read_failures(attempt.feedback)
    said = first_line(read[0].message if read else attempt.feedback, 300)
    subject = f"“{first_line(attempt.task, 120)}”" if attempt.task else "the task"
    return Reflection(
        what_went_wrong=_sentences(f"The feedback on {subject} was: {said}.", _tried(attempt)),
        root_cause=_sentences(
            f"No failure can be read from it; what is known is: {said}.", _known_cause(similar)
        ),
        what_to_try_next=_worked(attempt, similar)
        or _sentences(_solution(similar), _avoid(attempt, similar))
        or f"Get the complete output behind “{said}” and reflect on that.",
        general_lesson=_sentences(f"{subject[0].upper()}{subject[1:]} met: {said}.", _recurrence(similar)),
    )


def episode_content(attempt: Attempt, reflection: Reflection) -> str:
    """What the episode is found by."""
    parts = [
        f"Task: {attempt.task}" if attempt.task else "",
        f"Approach: {attempt.approach}" if attempt.approach else "",
        f"File: {attempt.file_path}" if attempt.file_path else "",
        f"Outcome: {attempt.outcome}",
        reflection.what_went_wrong,
        f"Cause: {reflection.root_cause}",
        f"Lesson: {reflection.general_lesson}",
    ]
    return "\n".join(part for part in parts if part)


def episode_metadata(
    attempt: Attempt, reflection: Reflection, failures: Sequence[Failure], number: int
) -> dict[str, Any]:
    """The documented fields of an episode, and the failures it met."""
    told = {
        "task": attempt.task,
        "approach": attempt.approach,
        "outcome": str(attempt.outcome),
        "feedback": attempt.feedback[:_EXCERPT],
        "feedback_type": attempt.feedback_type or (str(failures[0].kind) if failures else None),
        "model_used": attempt.model_used,
        "file_path": attempt.file_path,
        "attempt": number,
        "reflection": reflection.to_json(),
        "failures": [failure_json(one) for one in failures],
    }
    return {name: value for name, value in told.items() if value is not None}


def failure_json(failure: Failure) -> dict[str, Any]:
    """One failure with its identities."""
    shown: dict[str, Any] = {
        "signature": signature(failure),
        "shape": shape(failure),
        "tool": failure.tool,
        "kind": str(failure.kind),
        "type": failure.type,
        "message": failure.message[:500],
    }
    if failure.location:
        shown["location"] = {"path": failure.location.path, "line": failure.location.line}
    if failure.test:
        shown["test"] = failure.test
    if failure.compared:
        shown["expected"], shown["actual"] = failure.compared.expected[:500], failure.compared.actual[:500]
    if failure.frames:
        shown["frames"] = [
            {"path": frame.path, "line": frame.line, "function": frame.function}
            for frame in failure.frames[-10:]
        ]
    return shown
