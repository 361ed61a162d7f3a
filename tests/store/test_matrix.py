"""Nobody who belongs to the nearest is ruled out by sketches, whatever the vectors look like."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest

from cuedeck.store import matrix as module
from cuedeck.store.matrix import Matrix
from cuedeck.store.sketch import sketch

Floats = npt.NDArray[np.float32]
COUNT, LENGTH = 1000, 384
CHANCE = np.random.default_rng(5)

KINDS: dict[str, Callable[[], npt.NDArray[np.float64]]] = {
    "normal": lambda: CHANCE.normal(size=(COUNT, LENGTH)),
    "nearly the same": lambda: (
        np.repeat(CHANCE.normal(size=(20, LENGTH)), COUNT // 20, axis=0)
        + 1e-3 * CHANCE.normal(size=(COUNT, LENGTH))
    ),
    "constant": lambda: np.ones((COUNT, LENGTH)) * np.sign(CHANCE.normal(size=(COUNT, 1))),
    "one number": lambda: np.eye(LENGTH)[CHANCE.integers(0, LENGTH, COUNT)],
    "two numbers": lambda: (
        np.eye(LENGTH)[CHANCE.integers(0, LENGTH, COUNT)]
        + 0.7 * np.eye(LENGTH)[CHANCE.integers(0, LENGTH, COUNT)]
    ),
    "sparse": lambda: CHANCE.normal(size=(COUNT, LENGTH)) * (CHANCE.random((COUNT, LENGTH)) < 0.02),
    "clustered": lambda: (
        CHANCE.normal(size=(30, LENGTH))[CHANCE.integers(0, 30, COUNT)]
        + 0.3 * CHANCE.normal(size=(COUNT, LENGTH))
    ),
    "half of them zero": lambda: CHANCE.normal(size=(COUNT, LENGTH)) * (CHANCE.random((COUNT, 1)) < 0.5),
    "of few dimensions": lambda: CHANCE.normal(size=(COUNT, 3)) @ CHANCE.normal(size=(3, LENGTH)),
    "lopsided": lambda: CHANCE.exponential(size=(COUNT, LENGTH)) ** 3,
}


def unit(vectors: npt.NDArray[np.float64]) -> Floats:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return (vectors / np.where(lengths > 0, lengths, 1)).astype(np.float16).astype(np.float32)


@pytest.mark.parametrize("kind", KINDS)
def test_nobody_is_missed(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # Few vectors take the way that many take.
    monkeypatch.setattr(module, "_FEW", 32)
    vectors = unit(KINDS[kind]())
    matrix = Matrix(LENGTH)
    matrix.add(range(COUNT), sketch(vectors), (["fifth"][number % 5 :] for number in range(COUNT)))
    strangers = unit(np.vstack([CHANCE.normal(size=(3, LENGTH)), np.ones(LENGTH), np.zeros(LENGTH)]))
    queries = [*vectors[:6], *strangers]
    linked = matrix.candidates_each(queries, 5, 0.5)
    for query, near in zip(queries, linked, strict=True):
        cosines = vectors @ query
        tenth, fifth = np.sort(cosines)[[-10, -5]]
        nearest = set(np.flatnonzero(cosines > tenth + 1e-6).tolist())
        assert nearest <= set(matrix.candidates(query, (), 10, -1.0))
        assert set(np.flatnonzero(cosines > max(fifth, 0.5) + 1e-6).tolist()) <= set(near)
        for scope, step in (((), 1), ([["fifth"]], 5)):
            reach = matrix.reach(query, scope, 10, 0.3)
            inside = {int(one) for one in np.flatnonzero(cosines > 0.3 + 1e-6) if one % step == 0}
            assert inside <= {*reach.certain, *reach.doubtful}
            assert all(cosines[one] >= 0.3 - 1e-6 and one % step == 0 for one in reach.certain)


def test_a_scope_grows_with_what_is_added_after_it_was_asked_for() -> None:
    vectors = unit(KINDS["normal"]())[:30]
    matrix = Matrix(LENGTH)
    for ids in (range(10), range(5, 15)):
        matrix.add(ids, sketch(vectors[list(ids)]), ([f"p_{number % 2}"] for number in ids))
        for remainder in (0, 1):
            found = matrix.candidates(vectors[0], [[f"p_{remainder}"]], 30, -1.0)
            assert sorted(found) == list(range(remainder, max(ids) + 1, 2))
    assert matrix.candidates(vectors[0], [["p_2"]], 30, -1.0) == []


def test_who_reaches_a_floor_is_told_of_each_scope_as_it_is_now(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_FEW", 4)
    vectors = unit(np.repeat(CHANCE.normal(size=(1, LENGTH)), 60, axis=0))
    matrix = Matrix(LENGTH)
    for ids in (range(30), range(30, 60)):
        matrix.add(ids, sketch(vectors[list(ids)]), ([f"p_{number % 5}"] for number in ids))
        for remainder in (0, 1, 1):
            reach = matrix.reach(vectors[0], [[f"p_{remainder}"]], 10, 0.3)
            assert reach.certain == list(range(remainder, max(ids) + 1, 5))
    matrix.remove([1, 6])
    assert matrix.reach(vectors[0], [["p_1"]], 10, 0.3).certain == list(range(11, 60, 5))
