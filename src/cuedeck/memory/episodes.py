"""Episodes: what was tried, how it ended, which failures it met, and which others are like it."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum, StrEnum
from typing import TYPE_CHECKING, Any

from cuedeck.memory.failures import Failure, FailureKind, normalise, read_failures, shape, signature
from cuedeck.memory.model import Memory, MemoryType
from cuedeck.memory.query import Filters, Fusion, Query
from cuedeck.memory.records import from_row, text_record
from cuedeck.memory.searching import search
from cuedeck.search.analyser import query_terms
from cuedeck.store import memories as table
from cuedeck.store.schema.memories import MEMORY_VECTORS

if TYPE_CHECKING:
    from cuedeck.store.protocol import Session, Vector

MOST_FAILURES = 20
MOST_SIMILAR = 20
# An episode less like the question than this says nothing about it.
TEXT_FLOOR = 0.4


class Outcome(StrEnum):
    """How an episode ended."""

    SUCCESS = "success"
    FAILURE = "failure"
    UNKNOWN = "unknown"


class Match(IntEnum):
    """How an episode is like another, closest first."""

    SIGNATURE = 0
    SHAPE = 1
    TEXT = 2


@dataclass(frozen=True, slots=True)
class Similar:
    """An episode like the one at hand."""

    memory: Memory
    match: Match
    similarity: float

    @property
    def outcome(self) -> Outcome:
        return outcome_of(self.memory.metadata)

    def field(self, name: str) -> str:
        """A text of its metadata, empty when there is none."""
        value = self.memory.metadata.get(name)
        return value if isinstance(value, str) else ""

    def to_json(self) -> dict[str, Any]:
        return {
            "id": self.memory.id,
            "title": self.memory.shown_title,
            "match": self.match.name.lower(),
            "similarity": round(self.similarity, 4),
            "outcome": str(self.outcome),
            "approach": self.field("approach") or None,
        }


_SUCCESS = re.compile(r"^\W*(success\w*|succeed\w*|solved|fixed|pass(?:ed)?|resolved|done|true|ok)\b", re.I)
_FAILURE = re.compile(r"^\W*(fail\w*|error\w*|broken|wrong|rejected|false|unsuccessful|partial\w*)\b", re.I)


def outcome_of(metadata: Mapping[str, Any]) -> Outcome:
    """The outcome that an episode's metadata tells of, in whatever words."""
    value = metadata.get("outcome")
    if isinstance(value, bool):
        return Outcome.SUCCESS if value else Outcome.FAILURE
    if not isinstance(value, str):
        return Outcome.UNKNOWN
    if _FAILURE.match(value):
        return Outcome.FAILURE
    return Outcome.SUCCESS if _SUCCESS.match(value) else Outcome.UNKNOWN


def task_key(metadata: Mapping[str, Any]) -> str | None:
    """The same for the same task, whatever its spacing and case."""
    task = metadata.get("task")
    return normalise(task) or None if isinstance(task, str) else None


def known_failures(text: str, more: str = "") -> list[Failure]:
    """What failed, from the first text that a reader understands, told by the second if that says where."""
    first = read_failures(text)
    if not more or more == text or (first and first[0].location):
        return first[:MOST_FAILURES]
    second = read_failures(more)
    if all(one.kind is FailureKind.UNKNOWN for one in first):
        understood = second and second[0].kind is not FailureKind.UNKNOWN
        return (second if understood else first)[:MOST_FAILURES]
    placed = [one for one in second if one.location and _says_the_same(one, first[0])]
    return (placed or first)[:MOST_FAILURES]


def _says_the_same(one: Failure, other: Failure) -> bool:
    return one.type == other.type and normalise(one.message) == normalise(other.message)


def index_episode(session: Session, memory: Memory) -> None:
    """Remember what an episode is about; a solution that names no failure stands for its task's open ones."""
    if memory.type is not MemoryType.EPISODE:
        return
    outcome, key = outcome_of(memory.metadata), task_key(memory.metadata)
    pairs = _own_failures(memory, outcome)
    if outcome is Outcome.SUCCESS and key and not pairs:
        pairs = table.open_failures(session, key, solution=memory.id, at=memory.created_at)
    table.put_signatures(session, memory.id, pairs)
    table.put_episode(session, memory.id, key, outcome)


def _own_failures(memory: Memory, outcome: Outcome) -> list[tuple[str, str]]:
    recorded = memory.metadata.get("failures")
    if isinstance(recorded, list) and recorded:
        return [(str(one["signature"]), str(one["shape"])) for one in recorded if _is_pair(one)]
    feedback = memory.metadata.get("feedback")
    text = feedback if isinstance(feedback, str) and feedback.strip() else memory.content
    found = read_failures(text)[:MOST_FAILURES]
    if outcome is Outcome.SUCCESS:
        # "All tests pass" is no failure to be found by.
        found = [one for one in found if one.kind is not FailureKind.UNKNOWN]
    return [(signature(one), shape(one)) for one in found]


def _is_pair(value: Any) -> bool:
    return isinstance(value, dict) and {"signature", "shape"} <= value.keys()


def similar_episodes(
    session: Session, failures: Sequence[Failure], text: str, vector: Vector | None, *, model: str
) -> list[Similar]:
    """Episodes with the same signature, then the same shape, then a similar text; solved ones first."""
    matches: dict[str, Match] = {}
    # The same type and message count alike in a test, a build or a bare line somebody pasted.
    shapes = {shape(replace(one, kind=kind)) for one in failures for kind in FailureKind}
    for id in _about(session, "shape", shapes):
        matches[id] = Match.SHAPE
    for id in _about(session, "signature", {signature(one) for one in failures}):
        matches[id] = Match.SIGNATURE
    query = Query(text, Filters(type=MemoryType.EPISODE), max_results=MOST_SIMILAR, fusion=Fusion.BLEND)
    for hit in search(session, query, vector, model=model, floor=TEXT_FLOOR).hits if text.strip() else ():
        matches.setdefault(hit.memory.id, Match.TEXT)
    memories = [from_row(row) for row in table.by_ids(session, matches)]
    for memory in memories:
        if matches[memory.id] is Match.TEXT and any(_names_a_failure_of(one, memory) for one in failures):
            matches[memory.id] = Match.SHAPE
    likeness = _likeness(session, memories, text, vector, model)
    found = [Similar(memory, matches[memory.id], likeness[memory.id]) for memory in memories]
    found = [one for one in found if one.match is not Match.TEXT or one.similarity >= TEXT_FLOOR]
    return sorted(found, key=_closest_first)


def _names_a_failure_of(error: Failure, episode: Memory) -> bool:
    """Whether a pasted error is one the episode met, told without its module, or by its type alone."""
    if error.location or error.test or error.kind is FailureKind.UNKNOWN:
        return False
    recorded = episode.metadata.get("failures")
    for one in recorded if isinstance(recorded, list) else ():
        if isinstance(one, dict) and _last_name(str(one.get("type"))) == _last_name(error.type):
            met = normalise(str(one.get("message", "")).partition("\n")[0])
            if not error.message or normalise(error.message.partition("\n")[0]) == met:
                return True
    return False


def _last_name(type: str) -> str:
    return type.replace("::", ".").rpartition(".")[2]


def _closest_first(one: Similar) -> tuple[int, bool, float, int, str]:
    solved = one.outcome is Outcome.SUCCESS
    return (one.match, not solved, -round(one.similarity, 6), -one.memory.updated_at, one.memory.id)


def _about(session: Session, column: str, values: Collection[str]) -> list[str]:
    return table.about_failures(session, column=column, values=values, limit=200) if values else []


def _likeness(
    session: Session, memories: Sequence[Memory], text: str, vector: Vector | None, model: str
) -> dict[str, float]:
    """From 0 to 1: the cosine, or the share of the question's words, whichever tells more."""
    terms = set(query_terms(text))
    cosines: dict[int, float] = {}
    if vector is not None:
        known = session.vectors(MEMORY_VECTORS).get([one.rid for one in memories], model=model)
        cosines = {rid: float(stored @ vector) for rid, stored in known.items()}
    likeness: dict[str, float] = {}
    for memory in memories:
        words = {token for tokens in text_record(memory).fields.values() for token in tokens}
        shared = len(terms & words) / len(terms) if terms else 0.0
        likeness[memory.id] = min(1.0, max(shared, cosines.get(memory.rid, 0.0)))
    return likeness
