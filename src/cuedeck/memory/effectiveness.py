"""Which model did best at tasks like this one."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from cuedeck.memory.episodes import Outcome, outcome_of
from cuedeck.memory.model import Memory


@dataclass(frozen=True, slots=True)
class Record:
    """How often a model succeeded."""

    model: str
    successes: int
    failures: int
    episodes: tuple[str, ...]

    @property
    def trials(self) -> int:
        return self.successes + self.failures

    @property
    def rate(self) -> float:
        """The success rate, smoothed: one success and one failure are assumed to begin with."""
        return (self.successes + 1) / (self.trials + 2)

    @property
    def spread(self) -> float:
        """The standard deviation of what the true rate may be."""
        good, bad = self.successes + 1, self.failures + 1
        return math.sqrt(good * bad / ((good + bad) ** 2 * (good + bad + 1)))

    def to_json(self) -> dict[str, Any]:
        return {
            "model": self.model,
            "successes": self.successes,
            "failures": self.failures,
            "success_rate": round(self.rate, 4),
            "episodes": list(self.episodes[:10]),
        }


def records(episodes: Iterable[Memory]) -> list[Record]:
    """What every model did, best first: smoothed rate, then more evidence, then name."""
    found: dict[str, list[tuple[Outcome, str]]] = defaultdict(list)
    for memory in episodes:
        model, outcome = memory.metadata.get("model_used"), outcome_of(memory.metadata)
        if isinstance(model, str) and model.strip() and outcome is not Outcome.UNKNOWN:
            found[model.strip().lower()].append((outcome, memory.id))
    made = [_record(model, seen) for model, seen in found.items()]
    return sorted(made, key=lambda one: (-one.rate, -one.trials, one.model))


def _record(model: str, seen: list[tuple[Outcome, str]]) -> Record:
    good = sum(outcome is Outcome.SUCCESS for outcome, _ in seen)
    return Record(model, good, len(seen) - good, tuple(id for _, id in seen))


def recommendation(pattern: str, feedback_type: str | None, episodes: Iterable[Memory]) -> dict[str, Any]:
    """The best model for a pattern, with how sure that is and why."""
    ranked = records(episodes)
    about = f"“{pattern}”" + (f" with {feedback_type}" if feedback_type else "")
    if not ranked:
        return {
            "recommended_model": None,
            "confidence": 0.0,
            "reasoning": f"No episode like {about} names a model and an outcome, so there is no evidence.",
            "evidence": [],
        }
    best = ranked[0]
    return {
        "recommended_model": best.model,
        "confidence": _confidence(ranked),
        "reasoning": _reasoning(about, ranked),
        "evidence": [one.to_json() for one in ranked],
    }


def _confidence(ranked: list[Record]) -> float:
    """The chance that the best really is better than the next, or than a coin where there is no next."""
    best = ranked[0]
    rival_rate, rival_spread = (ranked[1].rate, ranked[1].spread) if len(ranked) > 1 else (0.5, 0.0)
    deviation = math.sqrt(best.spread**2 + rival_spread**2)
    better = 0.5 * (1.0 + math.erf((best.rate - rival_rate) / (deviation * math.sqrt(2.0))))
    # Little evidence, little confidence, however clear it looks.
    return round(better * best.rate * best.trials / (best.trials + 1), 4)


def _reasoning(about: str, ranked: list[Record]) -> str:
    told = "; ".join(
        f"{one.model} succeeded in {one.successes} of {one.trials} (smoothed {one.rate:.2f})"
        for one in ranked[:4]
    )
    total = sum(one.trials for one in ranked)
    alone = " No other model has been tried." if len(ranked) == 1 else ""
    return f"{total} episode(s) like {about}: {told}.{alone}"


def matching(episodes: Iterable[Memory], feedback_type: str | None) -> list[Memory]:
    """Those of the asked feedback type, or all."""
    wanted = (feedback_type or "").strip().lower()
    if not wanted:
        return list(episodes)
    return [one for one in episodes if _feedback_type(one.metadata) == wanted]


def _feedback_type(metadata: Mapping[str, Any]) -> str:
    value = metadata.get("feedback_type")
    return value.strip().lower() if isinstance(value, str) else ""
