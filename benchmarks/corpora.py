"""What each benchmark is run on: corpora of your own, or what every clone has; else one sentence why not.

`CUEDECK_BENCH_CORPORA` names a folder with any of: `django` (a clone with history), `vault` (markdown notes),
`prepared` (retrieval sets: `locomo`, `tasks`, and others, each with corpus, queries and gold), and `hostile`
(`commonmark.txt`, the specification; `yaml`, the `src` of yaml-test-suite; `strings`, lists of strings).
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from benchmarks._peers import ABSENT, NODE, PYTHON

ROOT = Path(__file__).parents[1]
_HISTORY = 60
# Without its main peer a comparison says nothing.
PEER = {
    "peers_code": ("basedpyright", PYTHON / "basedpyright-langserver"),
    "peers_memory": ("the reference memory server", NODE / "mcp-server-memory"),
    "peers_notes": ("obsidiantools", PYTHON / "python"),
}
# What only repeats until a rare event would have shown is repeated less often when all are run.
SHORTER = {
    "memory_processes": ("--seconds", "15"),
    "start_chaos": ("12",),
    "store_kill": ("--rounds", "8"),
    "store_postgres": ("--records", "10000"),
    "code_symdiff": ("--commits", "60", "--ranges", "3", "--merges", "10"),
}
_TOOLS = "a tool that prepares data for other benchmarks; it is given its folders by hand"


@dataclass(frozen=True)
class Given:
    """Arguments and surroundings of a run, and what to say about them; or why there is none."""

    arguments: tuple[str, ...] = ()
    environ: dict[str, str] = field(default_factory=dict)
    note: str = ""
    skipped: str = ""


@contextmanager
def given(name: str, *, full: bool = False) -> Iterator[Given]:
    """What a benchmark gets; copies made for it are gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="cuedeck-bench-") as folder:
        found = _given(name, Path(folder).resolve())
        if name in SHORTER and not full and not found.skipped:
            shorter = " ".join(SHORTER[name])
            note = f"{found.note} Shorter than in full ({shorter}); --full for all of it.".strip()
            found = replace(found, arguments=(*found.arguments, *SHORTER[name]), note=note)
        yield found


def _given(name: str, scratch: Path) -> Given:
    match name:
        case "code_bench" | "code_symdiff" | "code_search":
            return _repository(scratch, ranged=name == "code_bench")
        case "documents_bench":
            return _vault(scratch)
        case "documents_hostile":
            return _hostile()
        case (
            "code_refs"
            | "code_refs_languages"
            | "code_refs_python"
            | "code_refs_rust"
            | "code_refs_served"
            | "code_refs_table"
            | "code_refs_unique"
            | "code_search_commits"
            | "code_symdiff_ctags"
            | "documents_headings"
        ):
            return Given(skipped=_TOOLS)
        case "peers_code" | "peers_memory" | "peers_notes":
            peer, program = PEER[name]
            return Given() if program.exists() else Given(skipped=f"{peer} is {ABSENT}")
        case (
            "eval_retrieval" | "code_search_quality" | "documents_retrieval" | "memory_locomo" | "tasks_eval"
        ):
            return _prepared(name)
        case _:
            return Given()


def corpus(name: str) -> Path | None:
    """A corpus of the user's own."""
    folder = os.environ.get("CUEDECK_BENCH_CORPORA")
    path = Path(folder).expanduser() / name if folder else None
    return path.resolve() if path and path.exists() else None


def _repository(scratch: Path, *, ranged: bool) -> Given:
    source = corpus("django") or ROOT
    clone = scratch / source.name
    if subprocess.run(["git", "clone", "-q", source, clone], capture_output=True).returncode:
        return Given(skipped=f"{source.name} is no git repository, so there is no history to compare with")
    commits = int(
        subprocess.run(
            ["git", "rev-list", "--count", "--first-parent", "HEAD"],
            cwd=clone,
            capture_output=True,
            check=True,
        ).stdout
    )
    note = (
        "" if source is not ROOT else "On this repository; CUEDECK_BENCH_CORPORA/django gives a larger one."
    )
    if commits < 2:
        return Given(skipped="the clone has no history to compare with")
    return Given((str(clone), *(_second(commits) if ranged else ())), note=note)


def _second(commits: int) -> tuple[str, ...]:
    return ("--second", f"HEAD~{min(_HISTORY, commits - 1)}")


def _vault(scratch: Path) -> Given:
    if vault := corpus("vault"):
        return Given((str(vault),))
    made = scratch / "vault"
    made.mkdir()
    pages = sorted(ROOT.glob("docs/**/*.md"))
    for number in range(500):
        page = pages[number % len(pages)].read_text(encoding="utf-8")
        (made / f"note{number}.md").write_text(
            f"---\ntags: [t{number % 9}]\n---\n{page}\n[[note{number // 2}]]\n"
        )
    return Given((str(made),), note="On 500 notes made of docs/; CUEDECK_BENCH_CORPORA/vault gives your own.")


def _hostile() -> Given:
    folder = corpus("hostile")
    if folder is None:
        return Given(skipped="needs public suites of hostile input in CUEDECK_BENCH_CORPORA/hostile")
    suites = {"--commonmark": [folder / "commonmark.txt"], "--yaml": [folder / "yaml"]}
    suites["--strings"] = sorted((folder / "strings").glob("*"))
    return Given(
        tuple(
            str(word)
            for option, paths in suites.items()
            if paths and paths[0].exists()
            for word in (option, *paths)
        )
    )


_SETS_OF_CODE = ("cosqa", "code")


def _prepared(name: str) -> Given:
    folder = corpus("prepared")
    if folder is None:
        return Given(skipped="needs prepared retrieval sets in CUEDECK_BENCH_CORPORA/prepared")
    environ = {"EVAL_PREPARED": str(folder)}
    if name == "memory_locomo" or name == "tasks_eval":
        return Given(environ=environ)
    sets = sorted(path.name for path in folder.iterdir() if (path / "gold.jsonl").exists())
    if not sets:
        return Given(skipped=f"no set with a gold.jsonl in {folder}")
    if name == "code_search_quality":
        sets = [each for each in sets if each.startswith(_SETS_OF_CODE)]
        if not sets:
            return Given(skipped=f"no set of functions (named {' or '.join(_SETS_OF_CODE)}…) in {folder}")
    chosen = [str(folder / sets[0])] if name == "documents_retrieval" else sets
    return Given(tuple(chosen), environ)
