"""Learning from failure: reflect on one, prepare the next attempt, compare models."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from cuedeck.memory import checks, effectiveness, guidance, reflection
from cuedeck.memory.drafts import checked
from cuedeck.memory.episodes import Outcome, known_failures, similar_episodes, task_key
from cuedeck.memory.failures import FailureKind, signature
from cuedeck.memory.masking import Masking
from cuedeck.memory.model import Draft, MemoryType, first_line
from cuedeck.memory.query import Filters, Fusion, Query
from cuedeck.memory.reflection import Attempt
from cuedeck.model.text import storable
from cuedeck.store import memories as table

if TYPE_CHECKING:
    from cuedeck.memory.memories import Memories, Stored
    from cuedeck.memory.reflection import Reflection

_TASK_CHARACTERS = 8_000
_MOST_EPISODES = 200


def reflect(memories: Memories, attempt: Attempt, *, actor: str) -> tuple[Stored, Reflection, dict[str, Any]]:
    """Understand a failure, remember it as an episode, and say what is like it."""
    masking = Masking(memories.section.secrets)
    attempt = _masked(_checked(attempt), masking)
    failures = known_failures(attempt.feedback, attempt.output)
    if attempt.outcome is Outcome.SUCCESS:
        failures = [one for one in failures if one.kind is not FailureKind.UNKNOWN]
    question = _question(attempt.task, failures[0].message if failures else attempt.feedback)
    vector = memories.vector(question)
    with memories.state.read() as session:
        similar = similar_episodes(session, failures, question, vector, model=memories.model)
        key = task_key({"task": attempt.task})
        number = 1 + (table.count_episodes(session, key) if key else 0)
    made = reflection.reflect(attempt, failures, similar)
    draft = checked(
        Draft(
            MemoryType.EPISODE,
            reflection.episode_content(attempt, made),
            title=first_line(attempt.task or made.what_went_wrong, 120),
            metadata=reflection.episode_metadata(attempt, made, failures, number),
        )
    )
    stored = memories.store_episode(draft, actor=actor)
    more = {
        "signature": signature(failures[0]) if failures else None,
        "failure": reflection.failure_json(failures[0]) if failures else None,
        "similar": [one.to_json() for one in similar[: guidance.MOST_SHOWN]],
    }
    return replace(stored, masked=masking.count), made, more


def _checked(attempt: Attempt) -> Attempt:
    storable("output", attempt.output)
    checks.content(attempt.feedback, "feedback")
    for field in ("feedback_type", "task", "approach", "model_used", "code_context", "file_path"):
        value = getattr(attempt, field)
        if value is not None:
            storable(field, value)
    return replace(
        attempt,
        task=_short(attempt.task, _TASK_CHARACTERS),
        approach=_short(attempt.approach, _TASK_CHARACTERS),
        feedback_type=_short(attempt.feedback_type, 100),
        model_used=_short(attempt.model_used, 100),
        file_path=_short(attempt.file_path, 1000),
    )


def _short(value: str | None, longest: int) -> str | None:
    return value.strip()[:longest] or None if value is not None else None


def _masked(attempt: Attempt, masking: Masking) -> Attempt:
    return replace(
        attempt,
        output=masking.text(attempt.output),
        feedback=masking.text(attempt.feedback),
        task=masking.optional(attempt.task),
        approach=masking.optional(attempt.approach),
        code_context=masking.optional(attempt.code_context),
    )


def _question(task: str | None, error: str) -> str:
    return "\n".join(part for part in ((task or "")[:2000], error[:1000]) if part.strip())


def improved_attempt(
    memories: Memories, task: str, original_output: str, error_pattern: str | None
) -> dict[str, Any]:
    """What similar episodes say about doing it better."""
    checks.content(task, "task")
    storable("original_output", original_output)
    storable("error_pattern", error_pattern or "")
    failures = known_failures(error_pattern or original_output, original_output)
    question = _question(task, error_pattern or (failures[0].message if failures else ""))
    vector = memories.vector(question)
    with memories.state.read() as session:
        similar = similar_episodes(session, failures, question, vector, model=memories.model)
    return guidance.guidance(task, failures, similar)


def model_effectiveness(memories: Memories, pattern: str, feedback_type: str | None) -> dict[str, Any]:
    """The model that did best at tasks like these."""
    checks.query(pattern, "task_pattern")
    query = Query(pattern, Filters(type=MemoryType.EPISODE), max_results=_MOST_EPISODES, fusion=Fusion.BLEND)
    found = memories.search(query)
    episodes = effectiveness.matching((hit.memory for hit in found.hits), feedback_type)
    return effectiveness.recommendation(pattern, feedback_type, episodes)
