"""Many files are read on several processes, and none is lost when one dies."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from cuedeck.documents import workers
from cuedeck.documents.entries import Reading
from cuedeck.documents.reading import Batch, read_batch
from cuedeck.documents.scan import Scanner
from cuedeck.documents.workers import Crew
from cuedeck.store.document_values import coded_words
from cuedeck.store.pieces import folded_codes
from cuedeck.store.vocabulary import Vocabulary


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(workers, "WORTH_WHILE", 10)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})
    for n in range(300):
        text = f"# Note {n}\n\ntext [[{n + 1}]] #t{n} readDocs it's 東京{n} o\u2019clock \u2028 -- a_b-c\n"
        (tmp_path / f"{n}.md").write_text(text * 20)
    return tmp_path


def paths(root: Path) -> list[str]:
    return sorted(path.name for path in root.glob("*.md"))


def read_many(root: Path, *, fold: bool = False) -> Iterator[Batch]:
    with Crew() as crew:
        yield from crew.read(root, paths(root), max_bytes=10**6, fold=fold)


def files(batches: Iterable[Batch]) -> list[tuple[str, Reading | None]]:
    return [file for batch in batches for file in batch.files]


def test_every_file_comes_back_once(root: Path) -> None:
    found = files(read_many(root))
    assert [path for path, _ in found] == paths(root)
    assert all(reading is not None and reading.path == path for path, reading in found)


def test_words_that_are_folded_elsewhere_are_those_of_the_files(root: Path) -> None:
    batches = list(read_many(root, fold=True))
    assert len(files(batches)) == 300
    for batch in batches:
        plain = read_batch(root, [path for path, _ in batch.files], max_bytes=10**6)
        entries = [reading.entry for _, reading in plain.files if reading is not None]
        words = list(coded_words(entries, Vocabulary(lambda token: [token])))
        ids = range(sum(len(entry.chunks) for entry in entries))
        here, there = folded_codes(ids, words, 4), folded_codes(ids, batch.words, 4)
        assert there.directory.columns() == here.directory.columns()
        assert there.postings.tobytes() == here.postings.tobytes()


def test_nothing_of_the_current_folder_is_imported(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (root / "dataclasses.py").write_text("open('planted', 'w').close()\n")
    monkeypatch.chdir(root)
    assert len(files(read_many(root))) == 300
    assert not (root / "planted").exists()


def test_a_worker_that_is_killed_costs_nothing(root: Path) -> None:
    with Crew() as crew:
        reading = crew.read(root, paths(root), max_bytes=10**6)
        first = next(reading)
        crew._workers[0].process.kill()
        assert sorted(path for path, _ in files([first, *reading])) == paths(root)


def test_workers_end_when_nobody_reads_on(root: Path) -> None:
    with Crew() as crew:
        reading = crew.read(root, paths(root), max_bytes=10**6)
        next(reading)
        assert [worker.process.poll() for worker in crew._workers] == [None]
    assert [worker.process.returncode for worker in crew._workers] == [-signal.SIGKILL]


def test_workers_start_while_files_are_still_looked_for(root: Path) -> None:
    with Crew() as crew:
        Scanner(root).scan(crew.expect)
        started = list(crew._workers)
        assert len(started) == 1
        assert len(files(crew.read(root, paths(root), max_bytes=10**6))) == 300
        assert crew._workers == started


def test_paths_longer_than_a_pipe_holds_keep_nobody_waiting(root: Path) -> None:
    folder = Path(*(letter * 200 for letter in "abcd"))
    (root / folder).mkdir(parents=True)
    notes = [(folder / f"{n}.md").as_posix() for n in range(1500)]
    for note in notes:
        (root / note).write_text("# Note\n\nsome words of it\n" * 20)
    with Crew() as crew:
        assert [path for path, _ in files(crew.read(root, notes, max_bytes=10**6))] == notes


def test_few_files_start_nobody(root: Path) -> None:
    with Crew() as crew:
        assert len(files(crew.read(root, paths(root)[:9], max_bytes=10**6))) == 9
        assert not crew._workers


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_an_answer_that_cannot_be_read_costs_nothing(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_worker: object) -> bytes:
        raise MemoryError

    monkeypatch.setattr(workers.Worker, "receive", fail)
    assert len(files(read_many(root))) == 300
