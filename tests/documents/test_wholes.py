"""Documents that hold a query's words in different places."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from cuedeck.documents.query import Mode, Query
from cuedeck.documents.wholes import held_shares, whole_scores
from cuedeck.store import documents as rows
from cuedeck.workspace import Workspace

FILLING = "Nothing of note stands in this paragraph of the page, and it goes on for a while.\n\n"


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    files = {
        "spread.md": "# Page\n\n## One\n\nA walrus.\n\n## Two\n\nA tuba.\n\n## Three\n\nA comet.\n",
        "single.md": "# Page\n\n## One\n\nA walrus.\n\n## Two\n\nA house.\n\n## Three\n\nA walrus.\n",
        "long.md": "# Page\n\n" + FILLING * 200 + "A walrus, a tuba and so on.\n",
    }
    files |= {f"other{number}.md": f"# Other {number}\n\n{FILLING}" for number in range(20)}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    with Workspace.open(tmp_path, environ={"CUEDECK_SEARCH__ENABLED": "false"}) as opened:
        opened.documents.refresh()
        yield opened


def scores(workspace: Workspace, terms: list[str], names: list[str]) -> dict[str, dict[str, float]]:
    with workspace.store.index.read() as session:
        known = rows.existing(session, names)
        found = whole_scores(session, terms, [row["rid"] for row in known.values()])
    return {name: dict(found[row["rid"]]) for name, row in known.items()}


def test_words_count_wherever_in_a_document_they_stand(workspace: Workspace) -> None:
    found = scores(workspace, ["walrus", "tuba", "comet"], ["spread.md", "single.md", "other1.md"])
    assert set(found["spread.md"]) == {"walrus", "tuba", "comet"}
    assert set(found["single.md"]) == {"walrus"}
    assert found["other1.md"] == {}


def test_a_word_counts_more_in_more_parts_and_less_in_a_longer_document(workspace: Workspace) -> None:
    found = scores(workspace, ["walrus"], ["spread.md", "single.md", "long.md"])
    assert found["single.md"]["walrus"] > found["spread.md"]["walrus"] > found["long.md"]["walrus"] > 0


def test_a_chunk_holds_a_share_of_what_the_words_tell(workspace: Workspace) -> None:
    with workspace.store.index.read() as session:
        rids = {name: row["rid"] for name, row in rows.existing(session, ["single.md", "long.md"]).items()}
        chunks = {name: [chunk for chunk, *_ in rows.extents(session, [rid])] for name, rid in rids.items()}
        held = held_shares(session, ["walrus", "tuba", "unheard"], [*chunks["single.md"], *chunks["long.md"]])
        assert held_shares(session, ["unheard"], held) == dict.fromkeys(held, 0.0)
    best = {name: max(held[chunk] for chunk in found) for name, found in chunks.items()}
    assert 0.0 < best["single.md"] < 0.5
    assert best["long.md"] == pytest.approx(1.0)
    assert min(held.values()) == 0.0


def test_a_document_with_all_the_words_apart_comes_before_one_with_two_together(
    workspace: Workspace,
) -> None:
    hits = workspace.documents.search(Query("walrus tuba comet", Mode.KEYWORD)).hits
    assert hits[0].path == "spread.md"
    assert "long.md" in [hit.path for hit in hits]


def test_an_explanation_names_words_of_every_part(workspace: Workspace) -> None:
    query = Query("walrus tuba comet", Mode.KEYWORD)
    results = workspace.documents.search(query)
    explained = workspace.documents.explain(query, results)[0]
    keyword = explained["parts"][0]
    assert explained["value"] == pytest.approx(results.hits[0].score)
    assert {part["name"] for part in keyword["parts"]} == {"walrus", "tuba", "comet"}
    assert sum(part["value"] for part in keyword["parts"]) == pytest.approx(keyword["value"])


def test_nothing_is_scored_of_no_documents(workspace: Workspace) -> None:
    assert scores(workspace, ["walrus"], []) == {}


@pytest.mark.parametrize("query", ["TubaPlayer", " TubaPlayer ", "Tuba player"])
def test_what_is_called_like_the_query_comes_before_what_speaks_of_it(
    workspace: Workspace, query: str
) -> None:
    root = workspace.root
    (root / "player.py").write_text("import os\n\n\nclass TubaPlayer:\n" + "    tone = os.environ\n" * 60)
    (root / "band.py").write_text("def play():\n    return TubaPlayer(TubaPlayer, TubaPlayer)\n")
    (root / "player.md").write_text("# Music\n\n## Tuba player\n\n" + FILLING * 20)
    (root / "band.md").write_text("# Music\n\nA tuba player, a tuba player and a tuba player.\n")
    first = workspace.documents.search(Query(query, Mode.KEYWORD)).hits[0]
    assert first.path == ("player.md" if " p" in query else "player.py")
    assert first.anchors[0] == query.strip()


def test_tests_stand_behind_what_they_test_unless_they_are_asked_for(workspace: Workspace) -> None:
    (workspace.root / "tests").mkdir()
    (workspace.root / "tests" / "band.py").write_text("def play(trombone):\n    return trombone\n")
    (workspace.root / "band.py").write_text("def play(trombone):\n    return 'a loud trombone'\n")
    found = [
        [hit.path for hit in workspace.documents.search(Query(text, Mode.KEYWORD)).hits]
        for text in ("trombone", "test of the trombone")
    ]
    assert found == [["band.py", "tests/band.py"], ["tests/band.py", "band.py"]]
