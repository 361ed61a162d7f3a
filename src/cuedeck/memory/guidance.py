"""Guidance for a new attempt, from what similar episodes tried and how that ended."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cuedeck.memory.diagnosis import MORE, diagnose
from cuedeck.memory.episodes import Match, Outcome, Similar
from cuedeck.memory.failures import Failure
from cuedeck.memory.model import first_line
from cuedeck.model.adding import added

MOST_SHOWN = 10
# What one episode of each kind of match is worth as evidence.
_WEIGHT = {Match.SIGNATURE: 1.0, Match.SHAPE: 0.6, Match.TEXT: 0.35}
# However many there are of them, episodes that are only alike prove little.
_MOST = {Match.SIGNATURE: float("inf"), Match.SHAPE: 0.6, Match.TEXT: 0.25}
# Doubt that stays whatever was seen: as if this much evidence had ended badly.
_DOUBT = 1.0


def guidance(task: str, failures: Sequence[Failure], similar: Sequence[Similar]) -> dict[str, Any]:
    """The contract's guidance with the ids it rests on."""
    worked = [one for one in similar if one.outcome is Outcome.SUCCESS]
    failed = [one for one in similar if one.outcome is Outcome.FAILURE]
    return {
        "guidance": _summary(task, failures, similar, worked, failed),
        "what_worked": [_told(one) for one in worked[:MOST_SHOWN]],
        "what_did_not_work": [_told(one) for one in failed[:MOST_SHOWN]],
        "recommended_approach": _recommended(failures, worked, failed),
        "similar_episodes": [one.to_json() for one in similar[:MOST_SHOWN]],
        "confidence": confidence(similar),
    }


def confidence(similar: Sequence[Similar]) -> float:
    """The weight of what succeeded against everything seen and some doubt; 0.1 when nothing was seen."""
    good, bad = _evidence(similar, Outcome.SUCCESS), _evidence(similar, Outcome.FAILURE)
    # Failures before a solution are how solutions come about; they count less than a solution does.
    return round((good + 0.1) / (good + 0.25 * bad + _DOUBT), 4)


def _evidence(similar: Sequence[Similar], outcome: Outcome) -> float:
    return added(
        min(
            _MOST[match],
            added(_worth(one) for one in similar if (one.match, one.outcome) == (match, outcome)),
        )
        for match in Match
    )


def _worth(one: Similar) -> float:
    weight = _WEIGHT[one.match]
    return weight * one.similarity if one.match is Match.TEXT else weight


def _told(one: Similar) -> dict[str, Any]:
    approach = one.field("approach") or first_line(one.memory.content, 300)
    return {"id": one.memory.id, "approach": approach, "match": one.match.name.lower()}


def _recommended(failures: Sequence[Failure], worked: Sequence[Similar], failed: Sequence[Similar]) -> str:
    step = diagnose(failures[0]).step if failures else ""
    if worked:
        best = _told(worked[0])
        did = first_line(best["approach"], 400).rstrip(".")
        return f"Do what {best['id']} did: {did}." + (f" {step}" if step not in ("", MORE) else "")
    tried = {first_line(one.field("approach"), 120): one.memory.id for one in failed if one.field("approach")}
    avoid = "; ".join(f"{approach} ({id})" for approach, id in list(tried.items())[:3])
    if step:
        return f"{step} Not again: {avoid}." if avoid else step
    return f"Something other than: {avoid}." if avoid else ""


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
        return f"Nothing like {about} ({read}) has been recorded; what follows is from the output alone."
    same = sum(one.match is Match.SIGNATURE for one in similar)
    counted = f"{len(similar)} similar episode(s), {same} with the same failure"
    return f"For {about} ({read}): {counted}; {len(worked)} succeeded, {len(failed)} failed."
