"""Ranks symbols for a query, and explains every score it gives."""

from __future__ import annotations

import heapq
import posixpath
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice
from typing import TYPE_CHECKING, Final, NamedTuple

from cuedeck.code.extraction.generated import is_secondary
from cuedeck.code.extraction.wording import KIND_NUMBERS, name_words
from cuedeck.code.facts import KINDS, TYPES, Kind
from cuedeck.code.locating import is_test, kind_named
from cuedeck.code.snapshot import Snapshot
from cuedeck.code.symbols import FileSymbols, SymbolRecord
from cuedeck.model.adding import added
from cuedeck.search.analyser import query_terms

if TYPE_CHECKING:
    from cuedeck.code.search.lexicon import Floats, Matched

_IDENTIFIER: Final = re.compile(r"[^\W\d]\w*(?:(?:\.|::|#)[^\W\d]\w*)*")
# What people write when they mean a symbol and not a word of their language.
_MEANT: Final = re.compile(r"\w[_.:#]+\w|[a-z0-9][A-Z]")
_MAX_IDENTIFIERS: Final = 60
_MAX_PATH_TERMS: Final = 40
_MOST_MODULES: Final = 20
_MOST_HOMES: Final = 60
# So many symbols are looked at closely, those first that can have the highest score.
_WINDOW: Final = 200
_SHORTEST_BEGINNING: Final = 3
_ROUNDING: Final = 1e-5
# What is left of a definition's boost and of the words of a symbol, and where: a test has the words of what
# it tests.
Standing = tuple[float, float, str]
_OWN: Final[Standing] = (1.0, 1.0, "")
_TEST: Final[Standing] = (0.0, 0.7, "a test")
# ``mod walk;`` is nothing but its name, so it would be the best match for every word of it.
_NAMED_ONLY: Final[Standing] = (0.0, 0.5, "a line that names another file")
_TEST_MODULES: Final = ("_tests", "_test")
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


@dataclass(frozen=True, slots=True)
class Query:
    """A question, separate from its execution."""

    text: str
    language: str | None = None
    kind: str | None = None
    path_filter: str | None = None


@dataclass(frozen=True, slots=True)
class Scored:
    """A symbol and its score."""

    record: SymbolRecord
    total: float


@dataclass(frozen=True, slots=True)
class Explained:
    """A symbol, its score, and what the score is made of."""

    record: SymbolRecord
    scoring: Mapping[str, float]
    reasons: Mapping[str, str]

    @property
    def total(self) -> float:
        return self.scoring["total"]


class Candidate(NamedTuple):
    """A symbol that may be an answer; number 0 is the file itself."""

    path: str
    number: int
    text: float  # BM25


def _boost(kind: str) -> tuple[float, str]:
    if kind in TYPES or kind == Kind.FUNCTION:
        return 0.15, "a type or function"
    if kind == Kind.METHOD:
        return 0.13, "a method"
    if kind == Kind.MODULE:
        return 0.04, "a whole file"
    return 0.08, "a namespace" if kind == Kind.NAMESPACE else "a variable or field"


_BOOSTS: Final = {kind: _boost(kind) for kind in KINDS}


class Ranking:
    """One query against one snapshot."""

    def __init__(self, snapshot: Snapshot, query: Query) -> None:
        self.snapshot = snapshot
        self.query = query
        self.terms = query_terms(query.text)
        self.asked = frozenset(self.terms)
        found = list(dict.fromkeys(_IDENTIFIER.findall(query.text)))[:_MAX_IDENTIFIERS]
        # One word alone is a name; among others only what looks like one.
        self.alone = found[0] if found and found[0] == query.text.strip() else ""
        identifiers = [name for name in found if name == self.alone or _MEANT.search(name)]
        self.names = {re.split(r"\.|::|#", name)[-1] for name in identifiers}
        self.dotted = [
            name.replace(".", "::").replace("#", "::") for name in identifiers if re.search(r"[.:#]", name)
        ]
        self.kind = kind_named(query.kind) if query.kind else None
        words = query.text.lower().split()
        self.kinds = (
            {_KIND_WORDS[word] for word in words if word in _KIND_WORDS} if len(words) <= 12 else set()
        )
        lexicon = self.lexicon = snapshot.lexicon
        begun = self.alone if len(self.alone) >= _SHORTEST_BEGINNING and not self.dotted else ""
        self.matched = lexicon.match(self.terms, name_words(begun)[0] if name_words(begun) else "")
        self.weights = {
            term: lexicon.rarity(len(held.slots)) for term, held in lexicon.postings(self.terms).items()
        }
        self.information = added(self.weights.values()) or 1.0
        self._surroundings: dict[str, tuple[FileSymbols, frozenset[str], float, Standing]] = {}
        self._shares: dict[frozenset[str], float] = {}

    def best(self, limit: int) -> tuple[list[Scored], int]:
        """The best symbols, and how many came into question."""
        matched, count = self._within(self.matched)
        found = {(c.path, c.number): (self.total(c), c) for c in (*self._by_name(), *self._by_path())}
        count += sum(not candidate.text for _, candidate in found.values())
        leaders = heapq.nlargest(limit, (total for total, _ in found.values()))
        heapq.heapify(leaders)
        for bound, candidate in self._promising(matched, _WINDOW + 2 * limit):
            if len(leaders) == limit and bound < leaders[0]:
                break
            key = (candidate.path, candidate.number)
            if key not in found:
                total = self.total(candidate)
                found[key] = (total, candidate)
                (heapq.heappush if len(leaders) < limit else heapq.heappushpop)(leaders, total)
        least = leaders[0] if leaders else 0.0
        best = (Scored(self._record(c), total) for total, c in found.values() if total >= least)
        return sorted(best, key=in_order)[:limit], count

    def candidate(self, path: str, number: int) -> Candidate:
        """A symbol with its text score; -1 is the file itself."""
        slot = self.lexicon.slot(path, number + 1)
        at = bisect_left(self.matched.slots, slot)
        hit = slot >= 0 and at < len(self.matched.slots) and self.matched.slots[at] == slot
        return Candidate(path, number + 1, float(self.matched.score[at]) if hit else 0.0)

    def _within(self, matched: Matched) -> tuple[Matched, int]:
        """What the filters leave of the symbols that match, and how many that is with copies of files."""
        lexicon, copies = self.lexicon, self.lexicon.where.copies
        if self.kind is not None:
            matched = matched.only(lexicon.kinds[matched.slots] == KIND_NUMBERS.get(self.kind, -1))
        if self.query.language or self.query.path_filter:
            copies = lexicon.where.copies_of(path for path in self.snapshot.files if self._allows(path))
            matched = matched.only(copies[lexicon.places[matched.slots]] > 0)
        return matched, int(copies[lexicon.places[matched.slots]].sum())

    def _promising(self, matched: Matched, window: int) -> Iterator[tuple[float, Candidate]]:
        """Symbols by the score they can have at most, best first; where that is equal, by path and line."""
        import numpy as np

        bounds = self._bounds(matched)
        rows = np.arange(len(bounds))
        if len(bounds) > window:
            rows = np.flatnonzero(bounds >= np.partition(bounds, len(bounds) - window)[len(bounds) - window])
        rows = rows[np.argsort(-bounds[rows], kind="stable")][:window]
        slots = matched.slots[rows]
        places = self.lexicon.places[slots]
        columns = (bounds[rows], places, slots - self.lexicon.bases[places], matched.score[rows])
        for bound, place, number, text in zip(*(column.tolist() for column in columns), strict=True):
            for path in filter(self._allows, self.lexicon.where.paths[place]):
                yield bound, Candidate(path, number, text)

    def allows(self, slot: int) -> bool:
        """Whether the filters let the symbol in a slot through."""
        return next(self.at(slot), None) is not None

    def at(self, slot: int) -> Iterator[Candidate]:
        """The symbol in a slot at each of its paths, as far as the filters let it through."""
        lexicon = self.lexicon
        if self.kind is not None and lexicon.kinds[slot] != KIND_NUMBERS.get(self.kind, -1):
            return
        for path in lexicon.where.paths[lexicon.places[slot]]:
            if self._allows(path):
                yield Candidate(path, lexicon.number(slot), 0.0)

    def _bounds(self, matched: Matched) -> Floats:
        """The most that each symbol's score can be, from what is known without reading its file."""
        import numpy as np

        lexicon, slots = self.lexicon, matched.slots
        boosts = np.array([value for value, _ in _BOOSTS.values()])
        if self._tests_asked():
            standing = boosts[lexicon.kinds[slots]] + lexicon.affinity[lexicon.places[slots]]
        else:
            standing = lexicon.standing(boosts)[slots]
        found: Floats = np.minimum(1.0, matched.score / matched.best) + standing + _ROUNDING
        if self.kind is not None or self.kinds:
            fitting = np.array([0.05 if self.kind_fits(kind) else 0.0 for kind in KINDS])
            found += fitting[lexicon.kinds[slots]]
        exact = np.full(len(slots), 0.1 if self.alone else 0.0)
        whole = np.flatnonzero(matched.whole)
        exact[whole] = np.maximum(exact[whole], 0.15 * np.minimum(1.0, matched.named[whole]) ** 2)
        spelled = [words for words in map(name_words, self.names) if words]
        for called in map(lexicon.called, spelled):
            exact[np.searchsorted(slots, called[np.isin(called, slots, assume_unique=True)])] = 0.2
        found += exact
        if self.dotted:
            return found + 0.1
        # The whole name of an owner is in none of its members' lists.
        owner = added(self.weights.get(words[0], 0.0) for words in spelled) / self.information
        around = matched.about + self._path_shares[lexicon.places[slots]]
        around = np.minimum(1.0, around + owner * (matched.about > 0))
        return found + 0.1 * around**2

    @cached_property
    def _path_shares(self) -> Floats:
        """For each place, how much of the query its path holds."""
        import numpy as np

        shares = np.zeros(len(self.lexicon.where.paths))
        for term in self.terms[:_MAX_PATH_TERMS]:
            shares[self.lexicon.where.by_word.get(term, [])] += self.weights[term] / self.information
        return shares

    def _by_name(self) -> Iterable[Candidate]:
        """Symbols that the query names; members are found in no other way."""
        for name in sorted(self.names):
            homes = [path for path in self.snapshot.files_defining(name) if self._allows(path)]
            homes.sort(key=lambda path: (is_secondary(path), is_test(path), path))
            for path in homes[: max(3, _MOST_HOMES // len(self.names))]:
                outline = self.snapshot.outline(path)
                for number in outline.named(name)[:20]:
                    if self.kind is None or outline.definitions[number].kind == self.kind:
                        yield self.candidate(path, number)

    def _by_path(self) -> Iterable[Candidate]:
        """Files whose path holds more than half of what the query says."""
        if self.kind not in (None, Kind.MODULE) or len(self.terms) > _MAX_PATH_TERMS:
            return
        import numpy as np

        shares = self._path_shares
        places = np.flatnonzero(shares > 0.5)
        order = np.lexsort((-self.lexicon.where.worth[places], -np.round(shares[places], 6)))
        paths = (
            path
            for place in places[order].tolist()
            for path in self.lexicon.where.paths[place]
            if self._allows(path)
        )
        for path in islice(paths, _MOST_MODULES):
            yield self.candidate(path, -1)

    def _allows(self, path: str) -> bool:
        """Whether the filters let a file through."""
        if self.query.language and self.snapshot.files[path].language != self.query.language:
            return False
        return not self.query.path_filter or path.startswith(self.query.path_filter)

    # -- scoring

    def explained(self, candidate: Candidate) -> Explained:
        """The components of a symbol's score, inside the contract's ranges, and their sum."""
        parts = self._parts(candidate)
        scoring = {name: round(value, 6) for name, (value, _) in parts.items()}
        scoring["total"] = round(added(scoring.values()), 6)
        reasons = {
            ("bm25_source" if name == "bm25" else f"{name}_reason"): why for name, (_, why) in parts.items()
        }
        return Explained(self._record(candidate), scoring, reasons)

    def total(self, candidate: Candidate) -> float:
        """The sum that ``explained`` gives, without its words: most candidates are not among the best."""
        path = candidate.path
        surroundings = self._surroundings.get(path)
        if surroundings is None:
            symbols = self.snapshot.symbols(path)
            nearness, standing = self._affinity(path)[0], self._standing(path)
            surroundings = (symbols, self._asked_in(symbols.module), nearness, standing)
            self._surroundings[path] = surroundings
        symbols, module, nearness, standing = surroundings
        name, kind, local = _identity(symbols, candidate)
        scale, share, _ = self._inner(symbols, candidate, local) or standing
        if self.dotted:
            qualified = self._qualified(symbols.module, local)[0]
        else:
            qualified = 0.1 * self._share(module | self._asked_in(local)) ** 2
        text = round(min(1.0, candidate.text / self.matched.best) * share, 6)
        words = text + round(self._exact(name)[0], 6) + round(qualified, 6)
        fit = 0.05 if self.kind_fits(kind) else 0.0
        return round(words + nearness + round(_BOOSTS[kind][0] * scale, 6) + fit, 6)

    def _parts(self, candidate: Candidate) -> dict[str, tuple[float, str]]:
        path = candidate.path
        symbols = self.snapshot.symbols(path)
        name, kind, local = _identity(symbols, candidate)
        scale, share, where = self._inner(symbols, candidate, local) or self._standing(path)
        return {
            "bm25": self._text(candidate.text, share, where),
            "exact_match": self._exact(name),
            "qualified_name": self._qualified(symbols.module, local),
            "path_affinity": self._affinity(path),
            "definition_boost": _definition(kind, scale, where),
            "kind_match": self._kind_match(kind),
        }

    def _record(self, candidate: Candidate) -> SymbolRecord:
        return self.snapshot.symbols(candidate.path).record(candidate.number - 1)

    def _asked_in(self, qualified: str) -> frozenset[str]:
        """Which words of the query a qualified name holds."""
        return self.asked.intersection(chain.from_iterable(map(name_words, qualified.split("::"))))

    def _text(self, raw: float, share: float, where: str) -> tuple[float, str]:
        if not raw:
            return 0.0, "no text match"
        best = self.matched.best
        why = f"words of the symbol: raw score {raw:.3f} of at most {best:.3f}"
        return min(1.0, raw / best) * share, why if share == 1.0 else f"{why}, {share:.0%} of it in {where}"

    def _exact(self, name: str) -> tuple[float, str]:
        if name in self.names:
            return 0.2, f"the query names {name}"
        tokens = name_words(name)
        parts = tokens[1:] or tokens
        if parts and self.asked.issuperset(parts):
            share = self._share(frozenset(parts))
            return 0.15 * share**2, f"every token of {name} is in the query, {share:.0%} of what it says"
        if self.alone and name.casefold().startswith(self.alone.casefold()):
            return 0.1 * len(self.alone) / len(name), f"{name} begins with {self.alone}"
        return 0.0, "the name is not in the query"

    def _qualified(self, module: str, local: str) -> tuple[float, str]:
        qualified = "::".join(part for part in (module, local) if part)
        whole = next((name for name in self.dotted if f"::{qualified}".endswith(f"::{name}")), None)
        if whole:
            return 0.1, f"the query names {whole}"
        shared = self._asked_in(qualified)
        if not shared:
            return 0.0, "no match on the qualified name"
        shown = ", ".join(sorted(shared)[:6])
        return 0.1 * self._share(shared) ** 2, f"partial match on '{qualified}': {shown}"

    def _share(self, words: frozenset[str]) -> float:
        """How much of the query some of its words are, by what each tells; summed in one order always."""
        found = self._shares.get(words)
        if found is None:
            told = added(map(self.weights.__getitem__, sorted(words)))
            found = self._shares[words] = min(1.0, told / self.information)
        return found

    def _affinity(self, path: str) -> tuple[float, str]:
        if self.snapshot.files[path].layer == "overlay":
            return 0.1, "the file is changed on this ref"
        changed = self.snapshot.changed_folders
        near = changed.get(posixpath.dirname(path)) if changed else None
        if near:
            return 0.05, f"{near} in the same folder is changed on this ref"
        return 0.0, "no path bias applied"

    def _standing(self, path: str) -> Standing:
        """What a file's symbols are worth, and why not more."""
        if is_secondary(path) or self.snapshot.outline(path).generated:
            return 0.1, 1.0, "generated or vendored code"
        if is_test(path) and not self._tests_asked():
            return _TEST
        if self.lexicon.where.describes(path):
            return 0.0, 1.0, "a declaration of what other code defines"
        return _OWN

    def _inner(self, symbols: FileSymbols, candidate: Candidate, local: str) -> Standing | None:
        """What a symbol is worth where that is not what its file's symbols are worth."""
        owner, inside, _ = local.partition("::")
        # A module of tests inside its file, as in Rust: ``tests``, ``parser_tests``.
        if inside and f"_{owner}".endswith(_TEST_MODULES) and not self._tests_asked():
            return _TEST
        definition = symbols.outline.definitions[candidate.number - 1] if candidate.number else None
        is_pointer = definition is not None and definition.kind == Kind.NAMESPACE and definition.scope < 0
        return _NAMED_ONLY if is_pointer else None

    def _tests_asked(self) -> bool:
        return not self.asked.isdisjoint(("test", "tests"))

    def kind_fits(self, kind: str) -> bool:
        """Whether the query asks for symbols of a kind."""
        return kind == self.kind if self.kind is not None else kind in self.kinds

    def _kind_match(self, kind: str) -> tuple[float, str]:
        if not self.kind_fits(kind):
            return 0.0, "no kind in the query" if self.kind is None else "another kind"
        return 0.05, f"kind filter {kind}" if self.kind is not None else f"the query asks for a {kind}"


def _identity(symbols: FileSymbols, candidate: Candidate) -> tuple[str, str, str]:
    """Name, kind and the name inside its file."""
    if candidate.number == 0:
        return posixpath.basename(symbols.path).rsplit(".", 1)[0], Kind.MODULE, ""
    definition = symbols.outline.definitions[candidate.number - 1]
    return definition.name, definition.kind, symbols.local(candidate.number - 1)


def _definition(kind: str, scale: float, where: str) -> tuple[float, str]:
    value, why = _BOOSTS[kind]
    return value * scale, f"{why}, in {where}" if where else f"symbol is a definition: {why}"


def in_order(scored: Scored) -> tuple[object, ...]:
    """What results are sorted by: the score, then the place."""
    return (-scored.total, scored.record.path, scored.record.line_start, scored.record.symbol_id)
