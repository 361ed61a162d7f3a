"""`make bench` with whatever is installed: everything has something to run on or a sentence why not."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NAMES = sorted(path.stem for path in (ROOT / "benchmarks").glob("*_*.py") if not path.stem.startswith("_"))


@pytest.fixture(autouse=True)
def without_corpora(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT))
    monkeypatch.delenv("CUEDECK_BENCH_CORPORA", raising=False)


@pytest.mark.parametrize("name", NAMES)
def test_a_benchmark_is_given_something_or_a_reason(name: str) -> None:
    from benchmarks.corpora import given

    with given(name) as on:
        assert not (on.skipped and on.arguments)
        assert "\n" not in on.skipped
        folders = [each for each in on.arguments if each.startswith("/")]
        assert all(Path(folder).is_dir() for folder in folders)


def test_a_shortened_benchmark_says_so_and_full_is_not_shortened() -> None:
    from benchmarks.corpora import SHORTER, given

    assert set(SHORTER) <= set(NAMES)
    with given("store_kill") as on:
        assert on.arguments == SHORTER["store_kill"]
        assert "--full" in on.note
    with given("store_kill", full=True) as on:
        assert on.arguments == ()
        assert not on.note


def test_a_folder_without_history_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from benchmarks.corpora import given

    (tmp_path / "django").mkdir()
    monkeypatch.setenv("CUEDECK_BENCH_CORPORA", str(tmp_path))
    with given("code_bench") as on:
        assert on.skipped == "django is no git repository, so there is no history to compare with"


def test_a_benchmark_that_hangs_is_ended_with_what_it_started() -> None:
    from benchmarks.__main__ import _said

    code = "import subprocess; print('so far', flush=True); subprocess.run(['sleep', '600'])"
    said, outcome = _said([sys.executable, "-c", code], {"PATH": os.environ["PATH"]}, 1.5)
    assert said == "so far"
    assert outcome.strip() == "Not finished after 1.5 s."


def test_a_benchmark_that_fails_is_told_with_its_words() -> None:
    from benchmarks.__main__ import _said

    code = "import sys; print('half'); sys.exit('no such luck')"
    said, outcome = _said([sys.executable, "-c", code], {}, 60)
    assert said == "half"
    assert outcome.split() == ["Ended", "with", "code", "1:", "no", "such", "luck"]
