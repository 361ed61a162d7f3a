"""Ranks symbols for a query, and explains every score it gives."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from cuedeck.code.facts import TYPES, Kind
from cuedeck.code.generated import is_secondary
from cuedeck.code.locating import is_test, kind_named
from cuedeck.code.snapshot import Snapshot
from cuedeck.code.symbols import SymbolRecord
from cuedeck.search.analyser import analyse, query_terms
from cuedeck.store.code import SYMBOL_BITS
from cuedeck.store.schema.code import CODE_TEXT

_IDENTIFIER: Final = re.compile(r"[^\W\d]\w*(?:(?:\.|::|#)[^\W\d]\w*)*")
_HALF: Final = 9.0
_MAX_IDENTIFIERS: Final = 60
_WIDEST: Final = 20_000
_FEW_RECORDS: Final = 400
_LEAST: Final = 0.05
_LEAST_CANDIDATES: Final = 80
_HITS: Final = 200
_MAX_PATH_TERMS: Final = 40
_KIND_WORDS: Final = {
    "class": Kind.CLASS,
    "function": Kind.FUNCTION,
    "method": Kind.METHOD,
    "struct": Kind.STRUCT,
    "interface": Kind.INTERFACE,
    "trait": Kind.TRAIT,
    "enum": Kind.ENUM,
    "module": Kind.MODULE,
    "constant": Kind.CONSTANT,
    "variable": Kind.VARIABLE,
    "macro": Kind.MACRO,
    "field": Kind.FIELD,
}
COMPONENTS: Final = (
    "bm25",
    "exact_match",
    "qualified_name",
    "path_affinity",
    "definition_boost",
    "kind_match",
)


@dataclass(frozen=True, slots=True)
class Query:
    """A question, separate from its execution."""

    text: str
    language: str | None = None
    kind: str | None = None
    path_filter: str | None = None


@dataclass(frozen=True, slots=True)
class Scored:
    """A symbol, its score, and what the score is made of."""

    record: SymbolRecord
    scoring: Mapping[str, float]
    reasons: Mapping[str, str]

    @property
    def total(self) -> float:
        return self.scoring["total"]


@lru_cache(maxsize=16384)
def _words(text: str) -> frozenset[str]:
    return frozenset(analyse(text.replace("::", " ").replace("/", " ")))


@lru_cache(maxsize=16384)
def _parts(name: str) -> frozenset[str]:
    """A name's own words, without the whole it makes up."""
    tokens = analyse(name)
    return frozenset(tokens[1:] or tokens)


class Ranking:
    """One query against one snapshot."""

    def __init__(self, snapshot: Snapshot, query: Query) -> None:
        self.snapshot = snapshot
        self.query = query
        self.terms = query_terms(query.text)
        self.identifiers = list(dict.fromkeys(_IDENTIFIER.findall(query.text)))[:_MAX_IDENTIFIERS]
        self.names = {
            part for identifier in self.identifiers for part in re.split(r"\.|::|#", identifier)[-1:]
        }
        self.kind = kind_named(query.kind) if query.kind else None
        words = query.text.lower().split()
        self.kinds = (
            {_KIND_WORDS[word] for word in words if word in _KIND_WORDS} if len(words) <= 12 else set()
        )

    def best(self, limit: int) -> tuple[list[Scored], int]:
        """The best symbols and how many were considered."""
        found = self.candidates(max(_LEAST_CANDIDATES, limit * 4))
        scored = sorted((self.score(record, bm25) for record, bm25 in found), key=_order)
        return scored[:limit], len(found)

    def candidates(self, wanted: int) -> list[tuple[SymbolRecord, float]]:
        """Symbols that match by text, exact name or path, each with its text score."""
        hits = {(path, number): score for path, number, score in self.by_text(max(_HITS, wanted))}
        chosen = dict.fromkeys(list(hits)[:wanted])
        chosen.update(dict.fromkeys(self.by_name()))
        chosen.update(dict.fromkeys((path, -1) for path in self.by_path()))
        symbols = self.snapshot.symbols
        return [(symbols(path).record(number), hits.get((path, number), 0.0)) for path, number in chosen]

    def by_text(self, wanted: int) -> list[tuple[str, int, float]]:
        scope = [[f"l_{self.query.language}"]] if self.query.language else []
        if self.kind:
            scope.append([f"k_{self.kind}"])
        width = wanted
        while True:
            with self.snapshot.cache.store.index.read() as session:
                hits = session.text(CODE_TEXT).match(self.terms, scope=scope, limit=width)
            found = [
                (path, (hit.id & ((1 << SYMBOL_BITS) - 1)) - 1, hit.score)
                for hit in hits
                for path in self.snapshot.paths_of.get(hit.id >> SYMBOL_BITS, ())
                if self.allows(path)
            ]
            # Other refs' blobs share the index: look further while they crowd out this one's.
            if len(found) >= wanted or len(hits) < width or width >= _WIDEST:
                return self.told_apart(found[:wanted])
            width *= 4

    def told_apart(self, found: list[tuple[str, int, float]]) -> list[tuple[str, int, float]]:
        """In a small index most words are in most records, and the store's score calls them worthless."""
        with self.snapshot.cache.store.index.read() as session:
            index = session.text(CODE_TEXT)
            # Counting the records that hold a term means reading all of them: only where there are few.
            if index.statistics(()).documents > _FEW_RECORDS:
                return [(path, number, max(score, _LEAST)) for path, number, score in found]
            statistics = index.statistics(self.terms)
        return [
            (p, n, max(self.snapshot.text_score(p, n, self.terms, statistics), _LEAST)) for p, n, _ in found
        ]

    def by_name(self) -> Iterable[tuple[str, int]]:
        for name in sorted(self.names):
            for path in self.snapshot.files_defining(name):
                if not self.allows(path):
                    continue
                outline = self.snapshot.outline(path)
                if self.query.language and outline.language != self.query.language:
                    continue
                for number in outline.by_name.get(name, ())[:20]:
                    if self.kind is None or outline.definitions[number].kind == self.kind:
                        yield path, number

    def by_path(self) -> Iterable[str]:
        """Files whose path holds more than half of the query's words."""
        if self.kind not in (None, Kind.MODULE) or len(self.terms) > _MAX_PATH_TERMS:
            return
        shared: Counter[str] = Counter()
        for term in self.terms:
            shared.update(self.snapshot.paths_by_word.get(term, ()))
        for path, count in shared.items():
            spoken = self.query.language in (None, self.snapshot.files[path].language)
            if count * 2 > len(self.terms) and spoken and self.allows(path):
                yield path

    def allows(self, path: str) -> bool:
        """Whether the path filter lets a file through."""
        return not self.query.path_filter or path.startswith(self.query.path_filter.removeprefix("./"))

    # -- scoring

    def score(self, record: SymbolRecord, bm25: float) -> Scored:
        """The components of a symbol's score, inside the contract's ranges, and their sum."""
        parts = {
            "bm25": (bm25 / (bm25 + _HALF), f"code_text: raw score {bm25:.3f}" if bm25 else "no text match"),
            "exact_match": self.exact(record),
            "qualified_name": self.qualified(record),
            "path_affinity": self.affinity(record),
            "definition_boost": self.definition(record),
            "kind_match": self.kind_match(record),
        }
        scoring = {name: round(value, 6) for name, (value, _) in parts.items()}
        scoring["total"] = round(sum(scoring.values()), 6)
        reasons = {
            ("bm25_source" if name == "bm25" else f"{name}_reason"): why for name, (_, why) in parts.items()
        }
        return Scored(record, scoring, reasons)

    def exact(self, record: SymbolRecord) -> tuple[float, str]:
        if record.name in self.names:
            return 0.2, f"the query names {record.name}"
        tokens = _parts(record.name)
        if tokens and tokens == set(self.terms):
            return 0.15, f"query tokens match {record.name}"
        if tokens and tokens <= set(self.terms):
            return 0.1, f"every token of {record.name} is in the query"
        return 0.0, "the name is not in the query"

    def qualified(self, record: SymbolRecord) -> tuple[float, str]:
        dotted = [i.replace(".", "::").replace("#", "::") for i in self.identifiers]
        whole = next((i for i in dotted if "::" in i and record.qualified_name.endswith(i)), None)
        if whole:
            return 0.1, f"the query names {whole}"
        shared = sorted(_words(record.qualified_name).intersection(self.terms))
        if not shared:
            return 0.0, "no match on the qualified name"
        share = min(1.0, len(shared) / min(4, max(1, len(self.terms))))
        return 0.08 * share, f"partial match on '{record.qualified_name}': {', '.join(shared[:6])}"

    def affinity(self, record: SymbolRecord) -> tuple[float, str]:
        if record.source_layer == "overlay":
            return 0.1, "the file is changed on this ref"
        near = self.snapshot.changed_folders.get(posixpath.dirname(record.path))
        if near:
            return 0.05, f"{near} in the same folder is changed on this ref"
        return 0.0, "no path bias applied"

    def definition(self, record: SymbolRecord) -> tuple[float, str]:
        if record.kind in TYPES or record.kind == Kind.FUNCTION:
            value, why = 0.15, "a type or function"
        elif record.kind == Kind.METHOD:
            value, why = 0.13, "a method"
        elif record.kind == Kind.MODULE:
            value, why = 0.04, "a whole file"
        else:
            value, why = 0.08, "a variable or field"
        if is_secondary(record.path) or self.snapshot.outline(record.path).generated:
            return value * 0.1, f"{why}, in generated or vendored code"
        if is_test(record.path) and not {"test", "tests"}.intersection(self.terms):
            return value * 0.4, f"{why}, in a test"
        return value, f"symbol is a definition: {why}"

    def kind_match(self, record: SymbolRecord) -> tuple[float, str]:
        if self.kind is not None:
            return (0.05, f"kind filter {self.kind}") if record.kind == self.kind else (0.0, "another kind")
        if record.kind in self.kinds:
            return 0.05, f"the query asks for a {record.kind}"
        return 0.0, "no kind in the query"


def _order(scored: Scored) -> tuple[object, ...]:
    return (-scored.total, scored.record.path, scored.record.line_start, scored.record.symbol_id)
