"""What was tried against a failure, told apart by its words, and how likely each is to work again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cuedeck.memory.episodes import Match, Outcome, Similar
from cuedeck.memory.model import first_line
from cuedeck.model.adding import added
from cuedeck.search.analyser import query_terms

# What one episode of each kind of match is worth as evidence.
_WEIGHT = {Match.SIGNATURE: 1.0, Match.SHAPE: 0.6, Match.TEXT: 0.35}
# However many there are of them, episodes that are only alike prove little.
_MOST = {Match.SIGNATURE: float("inf"), Match.SHAPE: 0.6, Match.TEXT: 0.15}
# The chance of an approach before its own episodes count, by how near the nearest of them is.
_EXPECTED = {Match.SIGNATURE: 0.5, Match.SHAPE: 0.3, Match.TEXT: 0.05}
# What an episode is worth beside the next newer one of its approach: what helped once may have ceased to.
_FADING = 0.8
# Two wordings that share this much of their words are one approach.
_SHARED = 0.6


@dataclass(frozen=True, slots=True)
class Approach:
    """One way to go about a failure, with the episodes that went it, nearest first."""

    episodes: tuple[Similar, ...]

    @property
    def solved(self) -> Similar | None:
        """The nearest episode in which it worked."""
        return next((one for one in self.episodes if one.outcome is Outcome.SUCCESS), None)

    @property
    def chance(self) -> float:
        """How likely it is to work again: what it did so far, and doubt as large as one episode."""
        good, bad = self._evidence(Outcome.SUCCESS), self._evidence(Outcome.FAILURE)
        return (good + _EXPECTED[self.episodes[0].match]) / (good + bad + 1.0)

    @property
    def record(self) -> str:
        """How often it worked."""
        worked = sum(one.outcome is Outcome.SUCCESS for one in self.episodes)
        return f"it worked {worked} of {len(self.episodes)} times"

    def _evidence(self, outcome: Outcome) -> float:
        newest = sorted(self.episodes, key=lambda one: one.memory.created_at, reverse=True)
        worth: dict[Match, list[float]] = {match: [] for match in Match}
        for age, one in enumerate(newest):
            if one.outcome is outcome:
                worth[one.match].append(_worth(one) * _FADING**age)
        return added(min(_MOST[match], added(some)) for match, some in worth.items())


def tried(one: Similar) -> str:
    """What an episode did, in its own words; after a failure, what solved its task in the end."""
    solved_by = one.field("resolution") if one.outcome is Outcome.SUCCESS else ""
    return solved_by or one.field("approach") or first_line(_subject(one) or one.memory.content, 300)


def says_how(one: Similar) -> bool:
    """Whether a success tells what was done; one that was reflected on may leave it out."""
    return bool(one.field("resolution") or one.field("approach")) or not _subject(one)


def _subject(one: Similar) -> str:
    """What an episode that was reflected on met; its content begins with labels."""
    reflection = one.memory.metadata.get("reflection")
    met = reflection.get("what_went_wrong") if isinstance(reflection, dict) else None
    return met if isinstance(met, str) else ""


def approaches(similar: Sequence[Similar]) -> list[Approach]:
    """The approaches of some episodes, the most promising first."""
    groups: list[tuple[frozenset[str], list[Similar]]] = []
    for one in filter(_telling, similar):
        words = frozenset(query_terms(tried(one)))
        group = next((found for known, found in groups if _alike(words, known)), None)
        if group is None:
            groups.append((words, [one]))
        else:
            group.append(one)
    return sorted((Approach(tuple(episodes)) for _, episodes in groups), key=lambda one: -one.chance)


def _telling(one: Similar) -> bool:
    """A failure tells of an approach only where it says which."""
    return one.outcome is Outcome.SUCCESS or (one.outcome is Outcome.FAILURE and bool(one.field("approach")))


def _alike(words: frozenset[str], known: frozenset[str]) -> bool:
    return len(words & known) >= _SHARED * len(words | known)


def _worth(one: Similar) -> float:
    weight = _WEIGHT[one.match]
    return weight * one.similarity if one.match is Match.TEXT else weight
