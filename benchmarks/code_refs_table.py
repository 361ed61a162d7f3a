"""References of many repositories in one run: one version, one way to ask, one table.

    python -m benchmarks.code_refs_table CLONES TABLE.jsonl [--sample 250] [--only NAME ...]

CLONES holds git clones, each in a folder of its own; the language is that of most of its files. The truth is
made once and kept beside them in ``.truths``: for Python what scip-python and basedpyright list (both, and
each alone), for TypeScript what scip-typescript lists, for Go what ``code_refs_go.go`` lists. The symbols are
a random sample of those that the first tool knows. Each is asked about over stdio at the place of its
definition, as ``code_refs_served`` does. A repository that TABLE already has is not measured again; the
table is printed in Markdown at the end.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

from benchmarks import scip
from benchmarks._peers import NODE, PYTHON
from benchmarks.code_refs_served import (
    Key,
    Place,
    Rows,
    Score,
    Truth,
    bare,
    combined,
    find,
    sampled,
    served,
    told,
)

ROOT = Path(__file__).parents[1]
_SECONDS = 900
_EXTENDS = re.compile(rb'(?<="extends")(\s*:\s*)(?:"[^."/][^"]*"|\[[^]]*"[^."/][^]]*\])')
# What packages offer to be extended is strict, almost without exception.
_OFFERED = b'{"compilerOptions": {"strict": true}}'
_LANGUAGES = {".py": "python", ".ts": "typescript", ".tsx": "typescript", ".go": "go"}


@dataclass(frozen=True)
class Tool:
    """What lists the references of a language, and how to have it do so."""

    name: str
    list_into: Callable[[Path, Path, Path], None]


def _run(command: list[str | Path], cwd: Path) -> bytes:
    done = subprocess.run(
        command,
        cwd=cwd,
        env={**os.environ, "NODE_OPTIONS": "--max-old-space-size=6144"},
        capture_output=True,
        timeout=_SECONDS,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"{command[0]}: {(done.stderr or done.stdout)[-300:].decode(errors='replace')}")
    return done.stdout


def _scip(command: list[str | Path], root: Path, truth: Path) -> None:
    index = truth.with_suffix(".scip")
    _run([*command, "--output", index], root)
    with truth.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in scip.rows(index))
    index.unlink()


def scip_python(root: Path, truth: Path, _: Path) -> None:
    named = ["--project-name", root.name, "--project-version", "1", "--quiet"]
    _scip([NODE / "scip-python", "index", ".", *named], root, truth)


def scip_typescript(root: Path, truth: Path, _: Path, *, apart: bool = False) -> None:
    projects = configured(root, apart=apart)
    with readable(root, projects):
        given = projects or ["--infer-tsconfig"]
        _scip([NODE / "scip-typescript", "index", *given, "--no-progress-bar"], root, truth)


@contextmanager
def readable(root: Path, projects: list[str]) -> Iterator[None]:
    """Configurations for the moment, which extend no package, as none is installed, but what these say."""
    inferred = [] if projects else [root / "tsconfig.json"]
    before = {file: file.read_bytes() for file in tracked(root, "tsconfig*.json", "**/tsconfig*.json")}
    try:
        with NamedTemporaryFile(suffix=".json") as offered:
            offered.write(_OFFERED)
            offered.flush()
            for file, text in before.items():
                file.write_bytes(_EXTENDS.sub(rb'\1"%s"' % os.fsencode(offered.name), text))
            yield
    finally:
        for file, text in before.items():
            file.write_bytes(text)
        for file in inferred:
            file.unlink(missing_ok=True)


def tracked(root: Path, *patterns: str) -> list[Path]:
    said = subprocess.run(
        ["git", "ls-files", "-z", *patterns], cwd=root, capture_output=True, text=True, check=True
    )
    return [root / path for path in said.stdout.split("\0") if path]


def configured(root: Path, *, apart: bool) -> list[str]:
    """The folders whose tsconfig.json names files: the root, or else or ``apart`` the packages below it."""
    files = tracked(root, "tsconfig.json", "**/tsconfig.json")
    folders = sorted(str(file.parent.relative_to(root)) for file in files)
    if (
        not apart
        and "." in folders
        and '"references"' not in (root / "tsconfig.json").read_text(encoding="utf-8")
    ):
        return ["."]
    return [folder for folder in folders if folder != "."] or folders


def basedpyright(root: Path, truth: Path, asked: Path) -> None:
    server = f"{PYTHON / 'basedpyright-langserver'} --stdio"
    command: list[str | Path] = [
        sys.executable,
        "-m",
        "benchmarks.code_refs",
        root,
        truth,
        "--server",
        server,
    ]
    _run([*command, "--definitions", asked, "--symbols", "100000"], ROOT)


def go_types(root: Path, truth: Path, _: Path) -> None:
    truth.write_bytes(_run(["go", "run", ROOT / "benchmarks" / "code_refs_go.go", root], ROOT))


TOOLS = {
    "python": [Tool("scip-python", scip_python), Tool("basedpyright", basedpyright)],
    "typescript": [Tool("scip-typescript", scip_typescript)],
    "go": [Tool("go-types", go_types)],
}


APART = {**TOOLS, "typescript": [Tool("scip-typescript-apart", partial(scip_typescript, apart=True))]}


def language(root: Path) -> str:
    """What most of a clone's files are written in, of what can be measured."""
    endings = Counter(_LANGUAGES.get(file.suffix, "") for file in tracked(root))
    del endings[""]
    return max(endings, key=lambda one: endings[one], default="")


def truths(root: Path, kept: Path, sample: int, tools: list[Tool]) -> Iterator[tuple[str, Path]]:
    """Files of rows, made where they are missing; of the first tool a sample, which the others are asked."""
    kept.mkdir(parents=True, exist_ok=True)
    asked = kept / f"asked-{sample}.jsonl"
    for number, tool in enumerate(tools):
        truth = kept / (f"{tool.name}.jsonl" if not number else f"{tool.name}-{sample}.jsonl").replace(
            "/", "-"
        )
        if not truth.exists():
            part = truth.with_suffix(".part")
            tool.list_into(root, part, asked)
            part.rename(truth)
        if not number:
            # Several symbols of one name may begin on one line, as a class and its constructor do.
            rows = Rows(root, truth)
            chosen = set(sampled({key for key, _ in rows}, sample))
            lines = (json.dumps(row) + "\n" for key, row in rows if key in chosen)
            asked.write_text("".join(lines), encoding="utf-8")
            yield tool.name, asked
        else:
            yield tool.name, truth


def measured(root: Path, kept: Path, sample: int, by_language: dict[str, list[Tool]]) -> dict[str, Any]:
    """A row of the table."""
    spoken = language(root)
    tools = by_language[spoken]
    files = dict(truths(root, kept, sample, tools))
    rows = {name: Rows(root, file) for name, file in files.items()}
    first = Rows(root, kept / f"{tools[0].name}.jsonl")
    named = {path for (path, _, _), _ in first} | {p for places in first.listed().values() for p, _ in places}
    judges = {name: combined([each]) for name, each in rows.items()}
    if len(rows) > 1:
        judges = {"both": combined(list(rows.values())), **judges}
    # Of the first tool everything is known, not only a sample.
    for name in judges.keys() & {"both", tools[0].name}:
        judges[name].files |= named
    strictest = next(iter(judges.values()))
    keys = sorted(strictest.must)
    words = bare(root, strictest.files, {name for _, _, name in keys})
    found: dict[Key, set[Place]] = {}
    unknown = 0
    started = time.monotonic()
    with served(root) as client:
        indexed = time.monotonic()
        for key in keys:
            said = find(client, key)
            unknown += said is None
            found[key] = said[0] if said else set()
    asking = time.monotonic() - indexed
    scores = {name: _scored(judge, found, keys) for name, judge in judges.items()}
    spelled = _scored(strictest, {key: words[key[2]] for key in keys}, keys)
    return {
        "name": root.name,
        "language": spoken,
        "commit": _said(["git", "rev-parse", "--short=10", "HEAD"], root),
        "symbols": len(keys),
        "unknown": unknown,
        "scores": {name: score.figures() for name, score in scores.items()},
        "bare": spelled.figures(),
        "seconds": {"index": round(indexed - started, 1), "questions": round(asking, 1)},
        "version": _said(["git", "describe", "--always", "--dirty"], ROOT),
    }


def _scored(judge: Truth, found: dict[Key, set[Place]], keys: list[Key]) -> Score:
    score = Score()
    for key in keys:
        score.add(told(judge, key, found[key]), judge.must[key] - {key[:2]}, judge.may[key])
    return score


def _said(command: list[str], cwd: Path) -> str:
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=True).stdout.strip()


GOALS = {"python": 0.97, "typescript": 0.95, "go": 0.95}


def printed(rows: list[dict[str, Any]]) -> str:
    """The table in Markdown, by language and score, and how many have reached the goal."""
    lines = []
    for spoken, goal in GOALS.items():
        some = [row for row in rows if row["language"] == spoken]
        if not some:
            continue
        names = list(some[0]["scores"])
        asked = sorted(
            (row for row in some if row["symbols"]), key=lambda row: (_strictest(row), row["name"])
        )
        below = sum(_strictest(row) < goal for row in asked)
        median = statistics.median(map(_strictest, asked))
        lines += [
            f"{spoken}: {len(asked)} repositories, median {median:.3f}, {below} below {goal}",
            "",
            f"| repository | commit | symbols | bare name | {' | '.join(names)} | precision, recall |",
            "|" + "---|" * (5 + len(names)),
        ]
        for row in asked:
            by = " | ".join(f"{row['scores'][name]['f1']:.3f}" for name in names)
            one = row["scores"][names[0]]
            lines.append(
                f"| {row['name']} | {row['commit']} | {row['symbols']} | {row['bare']['f1']:.3f} | {by} "
                f"| {one['precision']:.3f}, {one['recall']:.3f} |"
            )
        lines.append("")
    return "\n".join(lines)


def _strictest(row: dict[str, Any]) -> float:
    figure: float = next(iter(row["scores"].values()))["f1"]
    return figure


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("clones", type=Path)
    parser.add_argument("table", type=Path)
    parser.add_argument("--sample", type=int, default=250)
    parser.add_argument("--only", nargs="*", default=[], help="names of clones")
    parser.add_argument("--apart", action="store_true", help="index each package of TypeScript by itself")
    given = parser.parse_args()
    kept = given.table.read_text(encoding="utf-8").splitlines() if given.table.exists() else []
    rows = [json.loads(line) for line in kept]
    done = {row["name"] for row in rows}
    failed = 0
    for git in sorted(given.clones.glob("*/.git")):
        root = git.parent.resolve()
        if root.name in done or (given.only and root.name not in given.only) or not language(root):
            continue
        try:
            row = measured(
                root, given.clones / ".truths" / root.name, given.sample, APART if given.apart else TOOLS
            )
        except (RuntimeError, subprocess.TimeoutExpired) as error:
            print(f"{root.name}: {error}", flush=True)
            failed += 1
            continue
        with given.table.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
        rows.append(row)
        said = ", ".join(f"{name} {score['f1']:.3f}" for name, score in row["scores"].items())
        print(f"{root.name}: {row['symbols']} symbols, bare {row['bare']['f1']:.3f}, {said}", flush=True)
    print(f"\n{printed(rows)}")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
