"""Vectors: the true nearest, inside the scope, whoever wrote them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import psycopg
import pytest
from store_sample import VECTORS, open_sample

from cuedeck.store import archive
from cuedeck.store import vectors as stored_vectors
from cuedeck.store.postgres.migrate import APP_ROLE
from cuedeck.store.postgres.vectors import create_vector_table
from cuedeck.store.protocol import Store, VectorRecord
from cuedeck.store.sketch import radius, signatures

SIZE = VECTORS.dimensions


def clustered(count: int, *, spread: float = 0.6, seed: int = 1) -> np.ndarray:
    """Unit vectors around a few centres with a common direction, as embeddings of text are."""
    chance = np.random.default_rng(seed)
    centres = chance.normal(size=(20, SIZE)) / np.sqrt(SIZE)
    found = centres[chance.integers(0, 20, count)] + spread * chance.normal(size=(count, SIZE)) / np.sqrt(
        SIZE
    )
    found += 0.5 * np.ones(SIZE) / np.sqrt(SIZE)
    return (found / np.linalg.norm(found, axis=1, keepdims=True)).astype(np.float32)


def fill(store: Store, vectors: np.ndarray, *, model: str = "m", start: int = 0) -> None:
    with store.state.write(actor="me") as session:
        session.vectors(VECTORS).put(
            VectorRecord(start + number, model, vector, [f"p_{number % 4}", f"k_{number % 3}"])
            for number, vector in enumerate(vectors)
        )


def exact(vectors: np.ndarray, query: np.ndarray, limit: int) -> list[int]:
    cosines = vectors.astype(np.float16).astype(np.float32) @ query
    return [int(at) for at in np.lexsort((np.arange(len(vectors)), -cosines))[:limit]]


def ids(store: Store, query: np.ndarray, **options: object) -> list[int]:
    with store.state.read() as session:
        return [hit.id for hit in session.vectors(VECTORS).nearest(query, model="m", **options)]  # type: ignore[arg-type]


def test_the_nearest_are_the_true_nearest(sample: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    # Choose by bits from here on, as among many.
    monkeypatch.setattr("cuedeck.store.matrix._FEW", 300)
    vectors = clustered(800)
    fill(sample, vectors)
    for query in clustered(12, seed=2):
        assert ids(sample, query, limit=10) == exact(vectors, query, 10)


def test_many_vectors_keep_full_recall_on_sqlite(tmp_path: Path) -> None:
    store = open_sample(None, tmp_path, "w")
    vectors = clustered(20_000, spread=1.0)
    fill(store, vectors)
    for query in clustered(20, spread=1.0, seed=2):
        assert ids(store, query, limit=50) == exact(vectors, query, 50)
    store.close()


@pytest.mark.parametrize("few", [300, 8192], ids=["bits", "codes"])
def test_everything_that_reaches_a_floor_is_told(
    sample: Store, monkeypatch: pytest.MonkeyPatch, few: int
) -> None:
    monkeypatch.setattr("cuedeck.store.matrix._FEW", few)
    vectors = clustered(800)
    fill(sample, vectors)
    halves = vectors.astype(np.float16).astype(np.float32)
    for query in clustered(5, seed=2):
        for floor in (0.2, 0.4, 0.7, 1.1):
            true = {number for number, half in enumerate(halves) if np.vecdot(half, query) >= floor}
            inside = {number for number in true if number % 4 == 1}
            with sample.state.read() as session:
                index = session.vectors(VECTORS)
                all_of_them = index.reaching(query, model="m", floor=floor, limit=7)
                assert all_of_them.ids == true
                assert all_of_them.nearest == index.nearest(query, model="m", floor=floor, limit=7)
                assert index.reaching(query, model="m", floor=floor, scope=[["p_1"]]).ids == inside
                assert index.reaching(query, model="m", floor=floor, scope=[[]]) == ([], set(), {})
                assert index.reaching(query, model="other", floor=floor, also=[1]) == ([], set(), {})


def test_reaching_sees_what_the_transaction_has_changed(sample: Store) -> None:
    vectors = clustered(50)
    fill(sample, vectors)
    with sample.state.write(actor="me") as session:
        index = session.vectors(VECTORS)
        index.put([VectorRecord(900, "m", vectors[7], ["p_new"])])
        index.drop([7])
        found = index.reaching(vectors[7], model="m", floor=0.99)
        assert found.ids == {hit.id for hit in found.nearest} == {900}


def test_reaching_also_tells_the_cosines_asked_for(sample: Store) -> None:
    vectors = clustered(50)
    fill(sample, vectors)
    with sample.state.write(actor="me") as session:
        index = session.vectors(VECTORS)
        everyone = {hit.id: hit.cosine for hit in index.nearest(vectors[7], model="m", limit=50)}
        index.put([VectorRecord(900, "m", vectors[7])])
        index.drop([3])
        for scope in ([], [["p_1"]], [[]]):
            found = index.reaching(vectors[7], model="m", floor=0.99, scope=scope, also=[3, 5, 7, 900, 901])
            assert found.also == {5: everyone[5], 7: everyone[7], 900: everyone[7]}
            assert 5 not in found.ids


@pytest.mark.parametrize("few", [300, 8192], ids=["bits", "codes"])
@pytest.mark.parametrize("floor", [-1.0, 0.5])
def test_many_questions_at_once_are_answered_as_one_by_one(
    sample: Store, monkeypatch: pytest.MonkeyPatch, few: int, floor: float
) -> None:
    monkeypatch.setattr("cuedeck.store.matrix._FEW", few)
    monkeypatch.setattr("cuedeck.store.matrix._BLOCK", 128)
    vectors = clustered(900)
    fill(sample, vectors)
    queries = list(clustered(6, seed=2))
    with sample.state.read() as session:
        index = session.vectors(VECTORS)
        single = [index.nearest(query, model="m", limit=8, floor=floor) for query in queries]
        assert index.nearest_each(queries, model="m", limit=8, floor=floor) == single
        hidden = {hits[0].id for hits in single if hits}
        rest = index.nearest_each(queries, model="m", limit=8 - len(hidden), floor=floor, without=hidden)
        kept = [[hit for hit in hits if hit.id not in hidden] for hits in single]
        assert rest == [hits[: 8 - len(hidden)] for hits in kept]
        assert index.nearest_each([], model="m", limit=8, floor=floor) == []


def test_many_questions_see_what_the_transaction_has_changed(sample: Store) -> None:
    vectors = clustered(50)
    fill(sample, vectors)
    with sample.state.write(actor="me") as session:
        index = session.vectors(VECTORS)
        index.put([VectorRecord(900, "m", vectors[7]), VectorRecord(901, "m", vectors[8])])
        index.drop([7])
        first, second = index.nearest_each(
            [vectors[7], vectors[8]], model="m", limit=1, floor=0.99, without=[8]
        )
        assert [hit.id for hit in first] == [900]
        assert [hit.id for hit in second] == [901]


def test_the_nearest_above_a_floor_that_leaves_few(sample: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cuedeck.store.matrix._FEW", 300)
    vectors = clustered(900)
    fill(sample, vectors)
    halves = vectors.astype(np.float16).astype(np.float32)
    for query in vectors[:10]:
        wanted = [number for number in exact(vectors, query, 20) if np.vecdot(halves[number], query) >= 0.8]
        assert ids(sample, query, limit=20, floor=0.8) == wanted


def test_a_scope_narrows_before_ranking(sample: Store) -> None:
    vectors = clustered(700)
    fill(sample, vectors)
    query = clustered(1, seed=3)[0]
    inside = [n for n in range(700) if n % 4 in (1, 2) and n % 3 == 0]
    found = ids(sample, query, scope=[["p_1", "p_2"], ["k_0"]], limit=20)
    assert found == [inside[at] for at in exact(vectors[inside], query, 20)]
    assert ids(sample, query, scope=[["p_9"]]) == ids(sample, query, scope=[[]]) == []


def test_cosines_are_alike_wherever_they_are_computed(sample: Store) -> None:
    vectors = clustered(400)
    fill(sample, vectors)
    with sample.state.read() as session:
        index = session.vectors(VECTORS)
        wide = index.nearest(vectors[5], model="m", limit=300)
        few = index.nearest(vectors[5], model="m", limit=1)
        stored = index.get([5, 6, 99999], model="m")
    assert few == wide[:1]
    assert few[0].id == 5
    assert few[0].cosine == pytest.approx(1.0, abs=1e-3)
    assert set(stored) == {5, 6}
    assert np.allclose(stored[5], vectors[5], atol=1e-3)


def test_a_floor_cuts_what_is_too_far(sample: Store) -> None:
    vectors = clustered(400)
    fill(sample, vectors)
    with sample.state.read() as session:
        index = session.vectors(VECTORS)
        everything = index.nearest(vectors[0], model="m", limit=50)
        floor = everything[20].cosine
        assert index.nearest(vectors[0], model="m", limit=50, floor=floor) == everything[:21]
        assert index.nearest(vectors[0], model="m", limit=50, floor=1.5) == []


def test_only_the_asked_model_counts(sample: Store) -> None:
    fill(sample, clustered(20))
    fill(sample, clustered(5, seed=9), model="other", start=100)
    with sample.state.read() as session:
        index = session.vectors(VECTORS)
        assert index.count(model="m") == 20
        assert {hit.id for hit in index.nearest(clustered(1)[0], model="other")} == set(range(100, 105))
        assert index.get([1], model="other") == {}


def test_another_process_is_caught_up(sample: Store, open_again: Callable[..., Store]) -> None:
    vectors = clustered(400)
    fill(sample, vectors)
    other = open_again()
    query = vectors[42]
    assert ids(other, query, limit=1) == [42]
    with sample.state.write(actor="me") as session:
        index = session.vectors(VECTORS)
        index.drop([42, 12345])
        index.put([VectorRecord(5000, "m", vectors[42]), VectorRecord(43, "m", -vectors[43])])
    assert ids(other, query, limit=1) == ids(sample, query, limit=1) == [5000]
    assert 43 not in ids(other, vectors[43], limit=5)


def test_vectors_are_found_before_and_after_their_sketches_are_stored(
    sample: Store, open_again: Callable[..., Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stored_vectors, "SKETCHED", 16)
    vectors = clustered(90)
    other, held = open_again(), f"SELECT count(*) FROM {VECTORS.name}_sketches"
    for number, vector in enumerate(vectors):
        with sample.state.write(actor="me") as session:
            index = session.vectors(VECTORS)
            index.put([VectorRecord(number, "m", vector, [f"p_{number % 5}"])])
            if number % 3 == 0:
                index.drop([number - 9])
            living = number + 1 - sum(each - 9 >= 0 for each in range(0, number + 1, 3))
            assert index.count(model="m") == living
        assert ids(other, vector, limit=1) == [number]
    fresh = open_again()
    for query in vectors[::7]:
        assert ids(fresh, query, limit=9) == ids(other, query, limit=9) == ids(sample, query, limit=9)
    with sample.state.read() as session:
        assert 0 < session.value(held) < 90


def test_tables_made_anew_under_a_process_are_noticed(
    make_database: Callable[[str], str], tmp_path: Path, workspace_id: str
) -> None:
    url, vectors = make_database("anew"), clustered(40)
    store = open_sample(url, tmp_path, workspace_id)
    fill(store, vectors)
    assert ids(store, vectors[7], limit=1) == [7]
    with psycopg.connect(url, autocommit=True) as server:
        server.execute("SET search_path TO cuedeck, public")
        for name in (VECTORS.name, f"{VECTORS.name}_sketches", f"{VECTORS.name}_log"):
            server.execute(f"DROP TABLE {name}")
        for text in create_vector_table(VECTORS):
            server.execute(text)
        server.execute(f"GRANT ALL ON ALL TABLES IN SCHEMA cuedeck TO {APP_ROLE}")
    fill(store, vectors[[0] * 40])
    # As many changes as before, so that the sequence alone tells nothing.
    assert ids(store, vectors[7], limit=1) == [0]
    store.close()


def test_an_import_under_a_running_process_is_noticed(tmp_path: Path) -> None:
    vectors = clustered(300)
    store = open_sample(None, tmp_path, "w")
    fill(store, vectors)
    with store.state.write(actor="me") as session:
        # As many changes as the import will bring, so that the sequence alone tells nothing.
        session.vectors(VECTORS).put([VectorRecord(number, "m", vectors[0]) for number in range(300)])
    assert ids(store, vectors[42], limit=1) != [42]
    (tmp_path / "other").mkdir()
    other = open_sample(None, tmp_path / "other", "w")
    fill(other, vectors)
    fill(other, vectors)
    other.close()
    archive_copy(tmp_path / "other", tmp_path)
    assert ids(store, vectors[42], limit=1) == [42]
    store.close()


def archive_copy(source: Path, target: Path) -> None:
    """What an import does to the database, without its checks of the product's schema."""
    staged = source / ".cuedeck" / "state.db"
    archive._mark_replaced(staged)
    archive._copy_database(staged, target / ".cuedeck" / "state.db")


def test_a_write_sees_its_own_vectors_and_nobody_else_does_before_it_ends(sample: Store) -> None:
    vectors = clustered(400)
    fill(sample, vectors)
    with pytest.raises(ZeroDivisionError), sample.state.write(actor="me") as session:
        index = session.vectors(VECTORS)
        index.put([VectorRecord(900, "m", vectors[7], ["p_new"])])
        index.drop([7])
        assert [hit.id for hit in index.nearest(vectors[7], model="m", limit=1)] == [900]
        assert [hit.id for hit in index.nearest(vectors[7], model="m", scope=[["p_new"]])] == [900]
        assert ids(sample, vectors[7], limit=1) == [7]
        raise ZeroDivisionError
    assert ids(sample, vectors[7], limit=1) == [7]
    assert ids(sample, vectors[7], scope=[["p_new"]]) == []


def test_a_vector_of_another_model_takes_the_place_of_one_whose_sketch_is_stored(
    sample: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stored_vectors, "SKETCHED", 4)
    vectors = clustered(5)
    with sample.state.write(actor="me") as session:
        index = session.vectors(VECTORS)
        index.put([VectorRecord(number, "m", vectors[number]) for number in range(4)])
        index.put([VectorRecord(1, "n", vectors[1]), VectorRecord(4, "n", vectors[4])])
        assert (index.count(model="m"), index.count(model="n")) == (3, 2)
    assert sorted(ids(sample, vectors[1])) == [0, 2, 3]


@pytest.mark.parametrize(
    "bad",
    [np.zeros(SIZE - 1), np.full(SIZE, np.nan), np.full(SIZE, -np.inf)],
    ids=["short", "nan", "endless"],
)
def test_a_broken_vector_is_refused(sample: Store, bad: np.ndarray) -> None:
    with pytest.raises(ValueError, match="finite"), sample.state.write(actor="me") as session:
        session.vectors(VECTORS).put([VectorRecord(1, "m", bad.astype(np.float32))])


@pytest.mark.parametrize("bits", [512, 1024])
@pytest.mark.parametrize("dimensions", [384, 700])
def test_the_signature_radius_holds_all_that_is_nearer(bits: int, dimensions: int) -> None:
    """The share of differing bits must follow the angle for any kind of vector."""
    chance = np.random.default_rng(4)
    kinds = (chance.normal(size=(400, dimensions)), chance.exponential(size=(400, dimensions)) ** 2)
    for vectors in kinds:
        # Pairs from far apart to close together.
        share = np.linspace(0.0, 0.9, 200)[:, None]
        vectors[1::2] = share * vectors[::2] + (1 - share) * vectors[1::2]
        vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
        words = signatures(vectors)[:, : bits // 64]
        cosines = np.vecdot(vectors[:, None], vectors[None, :])
        distances = np.bitwise_count(words[:, None] ^ words[None, :]).sum(axis=2)
        for cosine, distance in zip(cosines.ravel().tolist(), distances.ravel().tolist(), strict=True):
            assert distance <= radius(cosine, dimensions, bits)


def test_the_signature_radius_is_as_narrow_as_a_turn_allows() -> None:
    """Bits of one turn vary less than independent ones; a radius that did not know would let too many in."""
    chance = np.random.default_rng(4)
    vectors = chance.normal(size=(500, 384))
    vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    words = signatures(vectors)
    expected = 1024 * np.arccos(np.clip(vectors @ vectors.T, -1, 1)) / np.pi
    distances = np.bitwise_count(words[:, None] ^ words[None, :]).sum(axis=2)
    spread = (distances - expected)[np.triu_indices(500, 1)].std()
    assert 5.2 * spread < radius(0.0, 384) - 1 - 512 < 6.0 * spread


def test_dropping_what_is_not_there_is_no_news(tmp_path: Path) -> None:
    store = open_sample(None, tmp_path, "w", busy_timeout=2.0)
    vectors = clustered(20)
    try:
        fill(store, vectors)
        assert ids(store, vectors[3], limit=1) == [3]
        logged = f"SELECT count(*) FROM {VECTORS.name}_log"
        with store.state.write(actor="me") as session:
            before = session.value(logged)
            session.vectors(VECTORS).drop(range(1_000, 2_000))
            assert session.value(logged) == before
            session.vectors(VECTORS).drop([3, 5_000])
            assert session.value(logged) == before + 1
        assert ids(store, vectors[3], limit=20)[:1] != [3]
    finally:
        store.close()
