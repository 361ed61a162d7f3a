"""Whatever happens to a repository, its index equals one made from scratch."""

from __future__ import annotations

import tempfile
from contextlib import suppress
from pathlib import Path
from subprocess import CalledProcessError
from typing import Any

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from cuedeck.code.engine import Code
from cuedeck.code.finding import find
from cuedeck.model.errors import CueError
from cuedeck.store import open_store

from .conftest import Repo

PATHS = ("a.py", "pkg/b.py", "pkg/c.go", "d.ts")
TEXTS = (
    "def one(): pass\n",
    "x = 1\n",
    "function one() {}\n",
    "package p\nfunc one() {}\n",
    "def two(): one()\n",
)
BRANCHES = ("main", "feat", "side")

step = st.one_of(
    st.tuples(st.just("write"), st.sampled_from(PATHS), st.sampled_from(TEXTS)),
    st.tuples(st.just("remove"), st.sampled_from(PATHS)),
    st.tuples(st.just("commit")),
    st.tuples(st.just("amend")),
    st.tuples(st.just("checkout"), st.sampled_from(BRANCHES)),
    st.tuples(st.just("branch"), st.sampled_from(BRANCHES)),
    st.tuples(st.just("look"), st.sampled_from((None, *BRANCHES))),
    st.tuples(st.just("merge"), st.sampled_from(BRANCHES)),
    st.tuples(st.just("rename"), st.sampled_from(PATHS), st.sampled_from(PATHS)),
)


def perform(repo: Repo, code: Code, action: tuple[Any, ...]) -> None:
    match action:
        case ("write", path, text):
            repo.put(path, text)
        case ("remove", path):
            (repo.root / path).unlink(missing_ok=True)
        case ("rename", old, new):
            if (repo.root / old).exists() and old != new:
                (repo.root / new).parent.mkdir(exist_ok=True)
                (repo.root / old).rename(repo.root / new)
        case ("look", ref):
            with suppress(CueError):
                code.view(ref)
        case ("commit",):
            repo.commit()
        case _:
            with suppress(CalledProcessError):
                repo.git(*_GIT[action[0]], *action[1:])


_GIT = {
    "amend": ("commit", "-q", "--amend", "--allow-empty", "-a", "-m", "amended"),
    "checkout": ("checkout", "-q"),
    "branch": ("branch", "-q", "-f"),
    "merge": ("merge", "-q", "-m", "merged", "-X", "ours"),
}


def picture(code: Code, ref: str | None) -> Any:
    """Everything a caller could learn about a ref."""
    try:
        view = code.view(ref)
    except CueError as error:
        return error.code
    snapshot = view.snapshot
    symbols = {
        path: (entry.oid, entry.layer, [snapshot.symbols(path).record(n) for n in range(-1, count)])
        for path, entry in snapshot.files.items()
        for count in [len(snapshot.outline(path).definitions)]
    }
    references: Any = None
    with suppress(CueError):
        found = find(snapshot, "one")
        references = (found.symbol, found.references, found.possible, found.candidates)
    return view.ref, symbols, references


@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(step, min_size=3, max_size=14))
@example([("remove", "a.py"), ("branch", "feat"), ("look", "feat"), ("amend",)])
@example([("branch", "feat"), ("write", "a.py", TEXTS[1]), ("look", None), ("amend",), ("look", "feat")])
@example(
    [
        ("branch", "feat"),
        ("checkout", "feat"),
        ("write", "a.py", TEXTS[1]),
        ("commit",),
        ("look", "feat"),
        ("checkout", "main"),
        ("merge", "feat"),
        ("write", "a.py", TEXTS[4]),
        ("commit",),
    ]
)
def test_any_history_equals_a_fresh_index(actions: list[tuple[Any, ...]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder)
        repo = Repo(base / "repo")
        repo.put("a.py", "def one(): pass\n")
        repo.commit()
        for name in ("old", "new"):
            (base / name).mkdir()
        stores = [open_store(None, root=base / name, workspace_id="t") for name in ("old", "new")]
        old = Code(repo.root, stores[0], workers=1)
        try:
            for action in actions:
                perform(repo, old, action)
            new = Code(repo.root, stores[1], workers=1)
            for ref in (None, *BRANCHES):
                assert picture(old, ref) == picture(new, ref), ref
            with stores[0].index.read() as session:
                held = {
                    row["blob"]
                    for row in session.rows("SELECT blob FROM code_manifest WHERE blob IS NOT NULL")
                }
                stored = {row["rid"] for row in session.rows("SELECT rid FROM code_blobs")}
            assert held == stored
            new.close()
        finally:
            old.close()
            for store in stores:
                store.close()
