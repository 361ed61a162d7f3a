"""Full text alike on both engines: records as they come, folded into pieces of packed postings now and then.

BM25 is computed in this process, from the postings of the terms asked for. Every change draws a stamp, every
piece a name at random, so what was read once can be kept by them and is never taken for anything else.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import count, islice
from typing import TYPE_CHECKING

from cuedeck.store import bm25
from cuedeck.store.ddl import Table, table
from cuedeck.store.keys import key, scope_keys
from cuedeck.store.portable import insertion
from cuedeck.store.protocol import (
    Dialect,
    Scope,
    Session,
    TextHit,
    TextRecord,
    TextSpec,
    TextStatistics,
)
from cuedeck.store.text_cache import TextCache
from cuedeck.store.tokens import record_words, stored_text, stored_token

if TYPE_CHECKING:
    from cuedeck.store.pieces import Directory, Numbers, Part, Piece, Postings, Run, Span, State
    from cuedeck.store.vocabulary import Coded

# So many fresh records become a piece, so many small pieces one, of not more than so many records.
FOLDED = 512
SMALL = 8 * FOLDED
MOST_SMALL = 16
LARGE = 4 * SMALL
# Postings are stored in rows of so many bytes, which fit a page of either engine; a row's id is the piece's
# name and its number.
BLOCK = 1920
_NUMBER_BITS = 20


def text_tables(spec: TextSpec) -> list[Table]:
    """The tables of one index."""
    columns = {
        "stamp": ["stamp bigint not null", "fresh bigint not null", "last_id bigint not null"],
        "fresh": ["stamp bigint not null", "words text not null"],
        "pieces": [
            "first_id bigint not null",
            "last_id bigint not null",
            "documents bigint not null",
            "wide integer not null",
            "dead blob",
        ],
        "directories": [f"{name} blob not null" for name in ("ids", "lengths", "keys", "starts")],
        "postings": ["data blob not null"],
    }
    return [
        table(f"{spec.name}_{name}", ["id bigint not null", *own], key=["id"])
        for name, own in columns.items()
    ]


class PiecedText:
    """BM25 over one index, inside a session."""

    def __init__(self, session: Session, cache: TextCache, spec: TextSpec) -> None:
        self._session = session
        self._cache = cache
        self._spec = spec
        self._name = spec.name
        self._fields = len(spec.fields)

    def put(self, records: Iterable[TextRecord]) -> None:
        names = [name for name, _ in self._spec.fields]
        self.add(
            (one.id, record_words(one.scope, [stored_text(one.fields.get(name, ())) for name in names]))
            for one in records
        )

    def add(self, records: Iterable[tuple[int, str]]) -> None:
        pending = iter(records)
        while batch := dict(islice(pending, SMALL)):
            if len(batch) == 1:
                self._add_one(*batch.popitem())
                continue
            due = self._stamped(len(batch), min(batch))
            if due:
                self._bury(batch)
            if due == "fold":
                self._fold(batch)
            else:
                rows = [(number, _drawn(), words) for number, words in batch.items()]
                self._session.insert_many(f"{self._name}_fresh", ("id", "stamp", "words"), rows, key=("id",))

    def add_coded(self, ids: Sequence[int], coded: Sequence[Coded]) -> None:
        from cuedeck.store.pieces import folded_codes

        self._stamped()
        start = 0
        for some in self._together(coded):
            end = start + sum(map(self._records, some))
            self._add(folded_codes(ids[start:end], some, self._fields))
            start = end
        self._merge(all_small=False)
        self._note_last_id()

    def drop(self, ids: Collection[int]) -> None:
        if not ids:
            return
        self._session.run(f"DELETE FROM {self._name}_fresh WHERE id IN :ids", ids=list(ids))  # noqa: S608
        if self._stamped(first=min(ids)):
            self._bury(ids)

    def pack(self) -> None:
        self._fold({}, all_small=True)

    def match(
        self,
        terms: Sequence[str],
        *,
        scope: Scope = (),
        limit: int = 50,
        statistics: TextStatistics | None = None,
    ) -> list[TextHit]:
        from cuedeck.store import ranking

        state, runs = self._asked(terms, scope)
        documents, frequencies = state.documents, _frequencies(terms, runs)
        if statistics is not None:
            documents, frequencies = statistics.documents, dict(statistics.frequencies)
        chosen = bm25.chosen(terms, documents, frequencies)
        if not chosen or limit <= 0 or any(not group for group in scope):
            return []
        inside = ranking.inside(state, _groups(runs, scope))
        weighed = [(bm25.idf(documents, frequencies[one]), runs[_key(one)]) for one in chosen]
        return ranking.best(state, self._spec, weighed, inside, limit)

    def matching_ids(self, terms: Sequence[str], *, scope: Scope = ()) -> list[int]:
        from cuedeck.store import ranking

        if any(not group for group in scope):
            return []
        state, runs = self._asked(terms, scope)
        return ranking.holding(state, [[runs[_key(term)] for term in terms if term], *_groups(runs, scope)])

    def strengths(self, terms: Sequence[str], ids: Collection[int]) -> dict[str, dict[int, float]]:
        from cuedeck.store import ranking

        state, runs = self._asked(terms)
        among = ranking.among(state, ids)
        return {
            term: ranking.strengths(state, self._spec, runs[_key(term)], among)
            for term in bm25.chosen(terms, state.documents, _frequencies(terms, runs))
        }

    def statistics(self, terms: Sequence[str], *, scope: Scope = ()) -> TextStatistics:
        from cuedeck.store import ranking

        state, runs = self._asked(terms, scope)
        mean = sum(state.totals) / max(state.documents, 1)
        inside = ranking.inside(state, _groups(runs, scope))
        if inside is None:
            return TextStatistics(state.documents, _frequencies(terms, runs), mean)
        ranking_terms = bm25.chosen(terms, state.documents, _frequencies(terms, runs))
        held = {term: int(inside[runs[_key(term)].places].sum()) for term in ranking_terms}
        return TextStatistics(int(inside.sum()), held, mean)

    # -- reading

    def _asked(self, terms: Sequence[str], scope: Scope = ()) -> tuple[State, dict[int, Run]]:
        """The index as this transaction sees it, and the postings of terms and scope tokens."""
        import numpy as np

        state = self._state()
        wanted = {_key(term) for term in terms}.union(*map(scope_keys, scope))
        runs = {number: run for number in wanted if (run := state.known.get(number)) is not None}
        if len(runs) < len(wanted):
            keys = np.array(sorted(wanted - runs.keys()), dtype=np.int64)
            runs |= state.gathered(keys, self._runs(state, keys))
        return state, runs

    def _runs(self, state: State, keys: Numbers) -> dict[tuple[int, int], Postings]:
        """The postings inside each stored piece, from the cache or the store."""
        spans = {
            (part.name, span.key): (part, span)
            for part in state.parts
            if part.whole is None
            for span in part.directory.spans(keys)
        }
        found = self._cache.runs(self._name, spans)
        if missing := [span for name, span in spans.items() if name not in found]:
            read = self._read_runs(missing)
            self._cache.add(self._name, read)
            found |= read
        return found

    def _read_runs(self, spans: list[tuple[Part, Span]]) -> dict[tuple[int, int], Postings]:
        import numpy as np

        from cuedeck.store.pieces import posting

        kinds = {wide: posting(self._fields, wide=wide) for wide in (False, True)}
        bounds = []
        for part, span in spans:
            size = kinds[part.wide].itemsize
            bounds.append((span.start * size, span.stop * size))
        blocks = self._blocks(
            part.name + number
            for (part, _), (start, stop) in zip(spans, bounds, strict=True)
            for number in range(start // BLOCK, (stop - 1) // BLOCK + 1)
        )
        found = {}
        for (part, span), (start, stop) in zip(spans, bounds, strict=True):
            first, last = start // BLOCK, (stop - 1) // BLOCK
            data = b"".join([blocks[part.name + number] for number in range(first, last + 1)])
            run = data[start - first * BLOCK : stop - first * BLOCK]
            found[part.name, span.key] = np.frombuffer(run, kinds[part.wide])
        return found

    def _blocks(self, ids: Iterable[int]) -> dict[int, bytes]:
        sql = f"SELECT id, data FROM {self._name}_postings WHERE id IN :ids"  # noqa: S608
        return {row["id"]: row["data"] for row in self._session.rows(sql, ids=list(dict.fromkeys(ids)))}

    def _state(self) -> State:
        from cuedeck.store.pieces import State

        stamp = self._session.value(f"SELECT stamp FROM {self._name}_stamp") or 0  # noqa: S608
        known = self._cache.state(self._name)
        if known is None or known.stamp != stamp:
            before = known.parts if known else ()
            parts = [*self._stored_parts(before), *self._fresh_parts(before)]
            known = State(stamp, parts, self._fields)
            self._cache.keep(self._name, known)
        return known

    def _stored_parts(self, known: Sequence[Part]) -> list[Part]:
        """The pieces; of those that are known only who has gone is read again."""
        from cuedeck.store.pieces import Part, dead_read

        before = {part.name: part for part in known if part.whole is None}
        heads = self._session.rows(f"SELECT id, documents, wide, dead FROM {self._name}_pieces")  # noqa: S608
        directories = self._directories([head["id"] for head in heads])
        parts = []
        for head in sorted(heads, key=lambda head: head["id"]):
            dead = dead_read(head["dead"], head["documents"])
            old = before.get(head["id"])
            if old is None or (old.dead != dead).any():
                old = Part(directories[head["id"]], dead, head["id"], bool(head["wide"]))
            parts.append(old)
        return parts

    def _directories(self, names: Collection[int]) -> dict[int, Directory]:
        from cuedeck.store.pieces import Directory

        state = self._cache.state(self._name)
        known = {part.name: part.directory for part in state.parts} if state else {}
        found = {name: known[name] for name in names if name in known}
        if missing := [name for name in names if name not in found]:
            sql = f"SELECT * FROM {self._name}_directories WHERE id IN :missing"  # noqa: S608
            rows = self._session.rows(sql, missing=missing)
            found |= {row["id"]: Directory.read(row) for row in rows}
        return found

    def _fresh_parts(self, known: Sequence[Part]) -> list[Part]:
        """Pieces of what is not folded yet, made in memory; only new records are read."""
        import numpy as np

        from cuedeck.store.pieces import fewer, folded, kept_in_memory

        listed = self._session.rows(f"SELECT id, stamp FROM {self._name}_fresh")  # noqa: S608
        stamps = np.array([row["stamp"] for row in listed], dtype=np.int64)
        parts = []
        for part in known:
            if part.whole is not None and (there := np.isin(part.stamps, stamps)).any():
                parts.append(part if (part.dead != there).all() else replace(part, dead=~there))
        seen = np.isin(stamps, np.concatenate([stamps[:0], *(part.stamps for part in parts)]))
        if new := [row["id"] for row, old in zip(listed, seen.tolist(), strict=True) if not old]:
            sql = f"SELECT id, stamp, words FROM {self._name}_fresh WHERE id IN :new"  # noqa: S608
            rows = self._session.rows(sql, new=new)
            made = folded({row["id"]: row["words"] for row in rows}, self._fields)
            parts.append(kept_in_memory(made, np.array([row["stamp"] for row in rows], dtype=np.int64)))
        return fewer(parts)

    # -- writing

    def _together(self, coded: Iterable[Coded]) -> Iterator[list[Coded]]:
        """Neighbours that make one piece."""
        waiting: list[Coded] = []
        for each in coded:
            if waiting and sum(map(self._records, (*waiting, each))) > LARGE:
                yield waiting
                waiting = []
            waiting.append(each)
        if waiting:
            yield waiting

    def _records(self, coded: Coded) -> int:
        return len(coded.lines) // 4 // (self._fields + 1)

    def _add_one(self, number: int, words: str) -> None:
        row = {"id": number, "stamp": _drawn(), "words": words}
        if self._session.dialect is Dialect.POSTGRES:
            # A round trip costs more than either statement.
            sql = _stamping_one(self._name, FOLDED)
            due = self._session.value(sql, fresh=1, first=number, **row)
        else:
            due = self._stamped(1, number)
            self._session.upsert(f"{self._name}_fresh", row, key=("id",))
        if due:
            self._bury([number])
        if due == "fold":
            self._fold({})

    def _stamped(self, fresh: int = 0, first: int = 0) -> str:
        """Draw another stamp; what is due when so many records from that id on are put or dropped."""
        sql = _stamping(self._name, FOLDED)
        due: str = self._session.value(sql, stamp=_drawn(), fresh=fresh, first=first)
        return due

    def _bury(self, ids: Collection[int]) -> None:
        """Mark those records that pieces hold as gone."""
        import numpy as np

        from cuedeck.store.pieces import dead_read, dead_stored

        heads = self._session.rows(
            f"SELECT id, documents, dead FROM {self._name}_pieces "  # noqa: S608
            "WHERE last_id >= :low AND first_id <= :high",
            low=min(ids),
            high=max(ids),
        )
        directories = self._directories([head["id"] for head in heads])
        gone = np.fromiter(ids, np.int64, len(ids))
        for head in heads:
            dead = dead_read(head["dead"], head["documents"])
            now = dead | np.isin(directories[head["id"]].ids, gone)
            if now.all():
                self._remove([head["id"]])
            elif (now != dead).any():
                sql = f"UPDATE {self._name}_pieces SET dead = :dead WHERE id = :id"  # noqa: S608
                self._session.run(sql, id=head["id"], dead=dead_stored(now))

    def _fold(self, late: dict[int, str], *, all_small: bool = False) -> None:
        """Make a piece of what is fresh and comes now, and one of those that are many, or mostly gone."""
        from cuedeck.store.pieces import folded

        rows = self._session.rows(f"DELETE FROM {self._name}_fresh RETURNING id, words")  # noqa: S608
        pending = iter(({row["id"]: row["words"] for row in rows} | late).items())
        while batch := dict(islice(pending, LARGE)):
            self._add(folded(batch, self._fields))
        self._merge(all_small=all_small)
        self._session.run(f"UPDATE {self._name}_stamp SET stamp = :stamp, fresh = 0", stamp=_drawn())  # noqa: S608
        self._note_last_id()

    def _note_last_id(self) -> None:
        last = f"SELECT coalesce(max(last_id), 0) FROM {self._name}_pieces"  # noqa: S608
        self._session.run(f"UPDATE {self._name}_stamp SET last_id = ({last})")  # noqa: S608

    def _merge(self, *, all_small: bool) -> None:
        from cuedeck.store.pieces import dead_read, merged

        heads = self._session.rows(f"SELECT id, documents, wide, dead FROM {self._name}_pieces")  # noqa: S608
        dead = {head["id"]: dead_read(head["dead"], head["documents"]) for head in heads}
        living = {name: len(mask) - int(mask.sum()) for name, mask in dead.items()}
        small = [name for name, count in living.items() if count < SMALL]
        wanted = {name for name, count in living.items() if 2 * count < len(dead[name])}
        if len(small) >= (2 if all_small else MOST_SMALL):
            wanted.update(small)
        chosen, room = [], LARGE
        for name in sorted(wanted, key=lambda name: (living[name], name)):
            room -= living[name]
            if room >= 0:
                chosen.append(name)
        if chosen:
            wide = {head["id"]: bool(head["wide"]) for head in heads}
            made = merged([(self._whole(name, wide=wide[name]), dead[name]) for name in chosen])
            self._remove(chosen)
            self._add(made)

    def _whole(self, name: int, *, wide: bool) -> Piece:
        import numpy as np

        from cuedeck.store.pieces import Piece, posting

        rows = self._session.rows(
            f"SELECT data FROM {self._name}_postings WHERE id >= :first AND id < :beyond ORDER BY id",  # noqa: S608
            first=name,
            beyond=name + (1 << _NUMBER_BITS),
        )
        data = b"".join([row["data"] for row in rows])
        return Piece(self._directories([name])[name], np.frombuffer(data, posting(self._fields, wide=wide)))

    def _add(self, piece: Piece) -> None:
        name = secrets.randbits(62 - _NUMBER_BITS) << _NUMBER_BITS
        ids, data = piece.directory.ids, piece.postings.tobytes()
        head = {"documents": len(ids), "first_id": int(ids.min()), "last_id": int(ids.max())}
        self._session.insert(f"{self._name}_pieces", {"id": name, "wide": piece.wide, **head})
        self._session.insert(f"{self._name}_directories", {"id": name, **piece.directory.columns()})
        blocks = ((name + at // BLOCK, data[at : at + BLOCK]) for at in range(0, len(data), BLOCK))
        self._session.insert_many(f"{self._name}_postings", ("id", "data"), blocks)

    def _remove(self, names: Sequence[int]) -> None:
        for name in names:
            beyond = name + (1 << _NUMBER_BITS)
            sql = f"DELETE FROM {self._name}_postings WHERE id >= :name AND id < :beyond"  # noqa: S608
            self._session.run(sql, name=name, beyond=beyond)
        for table_name in ("pieces", "directories"):
            self._session.run(f"DELETE FROM {self._name}_{table_name} WHERE id IN :names", names=names)  # noqa: S608


@cache
def _stamping(name: str, most: int) -> str:
    return (
        f"INSERT INTO {name}_stamp(id, stamp, fresh, last_id) VALUES(1, :stamp, :fresh, 0) "
        "ON CONFLICT (id) DO UPDATE SET stamp = excluded.stamp, "
        f"fresh = {name}_stamp.fresh + excluded.fresh RETURNING CASE "
        f"WHEN fresh >= {most} THEN 'fold' WHEN last_id >= :first THEN 'bury' ELSE '' END AS due"
    )


@cache
def _stamping_one(name: str, most: int) -> str:
    kept = insertion(f"{name}_fresh", ("id", "stamp", "words"), ("id",), ":{}")
    return f"WITH stamped AS ({_stamping(name, most)}), kept AS ({kept}) SELECT due FROM stamped"  # noqa: S608


def _groups(runs: Mapping[int, Run], scope: Scope) -> list[list[Run]]:
    """The postings of the scope tokens, group by group."""
    return [[runs[number] for number in scope_keys(group)] for group in scope]


def _frequencies(terms: Iterable[str], runs: Mapping[int, Run]) -> dict[str, int]:
    return {term: len(runs[_key(term)].places) for term in terms}


def _key(term: str) -> int:
    return key(stored_token(term))


def _drawn() -> int:
    """A number nobody has drawn before, not even in a transaction that was undone, whatever is seeded."""
    return next(_numbers)


def _start_anywhere() -> None:
    global _numbers
    _numbers = count(secrets.randbits(62))


_numbers: Iterator[int]
_start_anywhere()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_start_anywhere)
