"""Guidance for a new attempt, from what similar episodes tried and how that ended."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cuedeck.memory.approaches import Approach, approaches, says_how, tried
from cuedeck.memory.diagnosis import MORE, diagnose
from cuedeck.memory.episodes import Match, Outcome, Similar
from cuedeck.memory.failures import Failure
from cuedeck.memory.model import first_line

MOST_SHOWN = 10
# How likely advice is to help that rests on the output alone.
_UNTRIED = 0.1


def guidance(task: str, failures: Sequence[Failure], similar: Sequence[Similar]) -> dict[str, Any]:
    """The contract's guidance with the ids it rests on."""
    known = approaches(similar)
    best = next((one for one in known if one.solved), None)
    worked = [one for approach in known for one in approach.episodes if one.outcome is Outcome.SUCCESS]
    failed = [one for one in similar if one.outcome is Outcome.FAILURE]
    return {
        "guidance": _summary(task, failures, similar, worked, failed),
        "what_worked": [_told(one) for one in worked[:MOST_SHOWN]],
        "what_did_not_work": [_told(one) for one in failed[:MOST_SHOWN]],
        "recommended_approach": _recommended(failures, best, known) or _first_try(task),
        "similar_episodes": [one.to_json() for one in similar[:MOST_SHOWN]],
        "confidence": round(best.chance if best else _UNTRIED, 4),
    }


def _told(one: Similar) -> dict[str, Any]:
    return {"id": one.memory.id, "approach": tried(one), "match": one.match.name.lower()}


def _recommended(failures: Sequence[Failure], best: Approach | None, known: Sequence[Approach]) -> str:
    step = diagnose(failures[0]).step if failures else ""
    if best and best.solved:
        often = f" ({best.record})" if len(best.episodes) > 1 else ""
        if says_how(best.solved):
            did = first_line(tried(best.solved), 400).rstrip(".")
            advice = f"Do what {best.solved.memory.id} did{often}: {did}."
        else:
            advice = f"{best.solved.memory.id} succeeded{often}, but does not say how."
        return advice if step in ("", MORE) else f"{advice} {step}"
    hopeless = [one.episodes[0] for one in sorted(known, key=lambda one: one.chance)[:3]]
    avoid = "; ".join(f"{first_line(tried(one), 120)} ({one.memory.id})" for one in hopeless)
    if step:
        return f"{step} Not again: {avoid}." if avoid else step
    return f"Something other than: {avoid}." if avoid else ""


def _first_try(task: str) -> str:
    return (
        f"Run what failed in “{first_line(task, 120)}” again, and pass all it prints as error_pattern: "
        "so far there is neither a readable failure nor an earlier episode."
    )


def _summary(
    task: str,
    failures: Sequence[Failure],
    similar: Sequence[Similar],
    worked: Sequence[Similar],
    failed: Sequence[Similar],
) -> str:
    about = f"“{first_line(task, 120)}”"
    read = (
        f"{failures[0].type}: {first_line(failures[0].message, 160)}".removesuffix(": ")
        if failures
        else "no failure that could be read"
    )
    if not similar:
        follows = "; what follows is from the output alone" if failures else ""
        return f"Nothing like {about} ({read}) has been recorded{follows}."
    same = sum(one.match is Match.SIGNATURE for one in similar)
    elsewhere = sum(one.match is Match.SHAPE for one in similar)
    counted = f"{len(similar)} similar episode(s), {same} with the same failure"
    if elsewhere:
        counted += f", {elsewhere} with the same error elsewhere"
    return f"For {about} ({read}): {counted}; {len(worked)} succeeded, {len(failed)} failed."
