"""Memories out as JSON lines and in again: nothing is lost, nothing slips past the checks."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from cuedeck.config.sections import MemorySection
from cuedeck.memory import transfer
from cuedeck.memory.files import index_file
from cuedeck.memory.memories import Memories
from cuedeck.memory.model import Draft, MemoryType
from cuedeck.memory.query import Query
from cuedeck.model.clock import now_ms
from cuedeck.model.errors import CueError
from cuedeck.search.embedder import NoEmbedder
from cuedeck.store import open_store

from .conftest import ACTOR, knowledge

SECRET = "ghp_" + "a1B2c3D4e5" * 3 + "F6g7H8"


@pytest.fixture
def elsewhere(tmp_path: Path) -> Iterator[Memories]:
    """Another workspace's memories, without a model."""
    root = tmp_path / "elsewhere"
    root.mkdir()
    store = open_store(None, root=root, workspace_id="elsewhere")
    memories = Memories(store, NoEmbedder("not needed"), MemorySection())
    yield memories
    memories.close()
    store.close()


def lines(memories: Memories) -> list[str]:
    return [json.dumps(line) for line in transfer.export(memories.state)]


def test_attempts_that_are_alike_all_arrive(without_model: Memories, elsewhere: Memories) -> None:
    episode = Draft(MemoryType.EPISODE, "tried the same again", metadata={"outcome": "failure"})
    for _ in range(3):
        without_model.store_episode(episode, actor=ACTOR)
    without_model.store(knowledge("said once"), actor=ACTOR)
    told = lines(without_model)
    assert transfer.load(elsewhere, told, actor=ACTOR).memories == 4
    assert lines(elsewhere) == told
    assert transfer.load(elsewhere, told, actor=ACTOR).to_json() == {
        "memories": 0,
        "links": 0,
        "known": 4,
        "masked": 0,
    }


def test_a_fact_that_is_known_under_another_id_is_not_added(
    without_model: Memories, elsewhere: Memories
) -> None:
    elsewhere.store(knowledge("water is wet"), actor=ACTOR)
    without_model.store(knowledge("water is wet"), actor=ACTOR)
    assert transfer.load(elsewhere, lines(without_model), actor=ACTOR).known == 1
    assert elsewhere.stats()["total"] == 1


def test_chunks_still_belong_to_their_file(
    without_model: Memories, elsewhere: Memories, tmp_path: Path
) -> None:
    source = tmp_path / "shop.py"
    source.write_text("def price():\n    return 1\n\n\ndef total():\n    return 2\n")
    made = index_file(without_model, tmp_path, "shop.py", "app", actor=ACTOR)
    assert len(made.created) >= 1
    transfer.load(elsewhere, lines(without_model), actor=ACTOR)
    source.unlink()
    gone = index_file(elsewhere, tmp_path, "shop.py", "app", actor=ACTOR)
    assert set(gone.removed) == set(made.created) and elsewhere.stats()["total"] == 0


def test_secrets_in_reasons_are_masked(without_model: Memories, elsewhere: Memories) -> None:
    ids = [without_model.store(knowledge(text), actor=ACTOR).memory.id for text in ("one", "two")]
    link = {"kind": "link", "from_id": ids[0], "to_id": ids[1], "reason": f"token {SECRET}\n" + "x" * 900}
    done = transfer.load(elsewhere, [*lines(without_model), json.dumps(link)], actor=ACTOR)
    assert (done.links, done.masked) == (1, 1)
    reason = elsewhere.peek(ids[0])[2][0].reason
    assert SECRET not in reason and "\n" not in reason and len(reason) <= 520


@pytest.mark.parametrize(
    "change",
    [{"tags": "abc"}, {"tags": {"a": 1}}, {"metadata": [["a", 1]]}, {"metadata": "x"}, {"chunk_of": 3}],
)
def test_values_of_the_wrong_kind_are_refused(elsewhere: Memories, change: dict[str, object]) -> None:
    line = json.dumps({"type": "code_chunk", "content": "x", **change})
    with pytest.raises(CueError):
        transfer.load(elsewhere, [line], actor=ACTOR)
    assert elsewhere.stats()["total"] == 0


def test_what_was_imported_later_was_not_there_before(
    elsewhere: Memories,
) -> None:
    old = {"type": "knowledge", "content": "the heron waits", "created_at": "2020-01-01T00:00:00Z"}
    line = json.dumps(old | {"updated_at": "2020-01-01T00:00:00Z"})
    before = now_ms() - 5_000
    transfer.load(elsewhere, [line], actor=ACTOR)
    assert elsewhere.search(Query("heron", as_of=before)).total == 0
    assert elsewhere.search(Query("heron", as_of=now_ms())).total == 1
