"""Code beside universal-ctags, ripgrep, jedi, basedpyright and scip-python, on this repository's own source.

References are scored against basedpyright, by (path, line). CPU seconds, children included. No peer gets
more than a few minutes: what it has not answered by then is left out, and said.
"""

from __future__ import annotations

import json
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from tests.code.memory_project import MemoryProject

from benchmarks._peers import ABSENT, NODE, PYTHON, Row, cpu_of, cpu_so_far, table
from benchmarks.code_refs import Asking
from benchmarks.code_refs_languages import Score
from cuedeck.code.engine import Code
from cuedeck.code.finding import find
from cuedeck.store import open_store

ROOT = Path(__file__).parents[1]
SYMBOLS = 60
# It reads the project again for every question.
SYMBOLS_FOR_JEDI = 5
PEER_SECONDS = 180.0
Place = tuple[str, int]
Question = tuple[str, str, int, int]  # name, path, line from 1, column
_JEDI = """
import json, sys, time, jedi
root, questions = sys.argv[1], json.load(sys.stdin)
project = jedi.Project(root)
started = time.process_time()
answers = []
for name, path, line, column in questions:
    try:
        found = jedi.Script(path=f"{root}/{path}", project=project).get_references(line, column)
    except Exception as error:
        found = []
    answers.append([[str(each.module_path), each.line] for each in found if not each.is_definition()])
print(json.dumps([time.process_time() - started, answers]))
"""


def main() -> int:
    """Index, ask, compare."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve() / "source"
        subprocess.run(["git", "clone", "-q", ROOT, root], check=True)
        # Only the package: a tree that every peer can read in a minute.
        for entry in root.iterdir():
            if entry.name not in (".git", "src"):
                shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
        author = ["-c", "user.name=b", "-c", "user.email=b@example.org"]
        subprocess.run(["git", *author, "commit", "-qam", "cut"], cwd=root, check=True)
        compare(root, Path(folder).resolve())
    return 0


def compare(root: Path, store: Path) -> None:
    code = Code(root, open_store(None, root=store, workspace_id="peers"), workers=1)
    started = time.process_time()
    done = code.index(code.wanted(None))
    index = time.process_time() - started
    print(f"{done.files} files, {done.symbols} symbols, {SYMBOLS} of them asked for")
    rows = list(indexers(root, index))
    questions = sampled(root)
    truth, asked, read = basedpyright(root, questions)
    if len(truth) < len(questions):
        print(f"basedpyright    answered {len(truth)} of {len(questions)} in {PEER_SECONDS:.0f} s")
    questions = questions[: len(truth)]
    rows.append(Row("reading the whole tree", "basedpyright", index, read, "s"))
    ours, took = cued(code, questions)
    print(f"basedpyright    is the measure                  {asked * 1e3:.2f} ms of CPU each")
    print(f"ours            {score(ours, truth)}   {took * 1e3:.2f} ms of CPU each")
    rows.append(Row("one find_references, index warm", "basedpyright", took * 1e3, asked * 1e3, "ms"))
    for name, ask in (("jedi", jedi), ("ripgrep -w", ripgrep)):
        answer = ask(root, questions)
        if answer is None:
            continue
        found, seconds = answer
        print(f"{name:15} {score(found, truth)}   {seconds * 1e3:.2f} ms of CPU each, {len(found)} asked")
        rows.append(Row("one find_references, index warm", name, took * 1e3, seconds * 1e3, "ms"))
    code.close()
    print(table(rows))


def indexers(root: Path, ours: float) -> Iterator[Row]:
    """What indexing everything costs."""
    options = ["--quiet", "--project-name", "x", "--output", "/dev/null"]
    commands: dict[str, list[str | Path]] = {
        "ctags": ["ctags", "-R", "-f", "/dev/null", "src"],
        "scip-python": [NODE / "scip-python", "index", *options],
    }
    for name, command in commands.items():
        if shutil.which(command[0]) is None:
            print(f"{name:15} {ABSENT}")
            continue
        try:
            seconds, _ = cpu_of(command, root, codes=(0, 1), seconds=PEER_SECONDS)
        except subprocess.TimeoutExpired as late:
            print(f"{name:15} not finished after {late.timeout:.0f} s")
            continue
        yield Row("reading the whole tree", name, ours, seconds, "s")


def sampled(root: Path) -> list[Question]:
    """Functions, methods and classes by chance, the same in every run of one tree."""
    project = MemoryProject(root, endings=(".py",))
    every = [
        (path, definition)
        for path in sorted(project.paths)
        for definition in project.outline(path).definitions
        if re.fullmatch(r"[A-Za-z]\w+", definition.name)
    ]
    questions = []
    for path, definition in random.Random(5).sample(every, min(SYMBOLS, len(every))):
        outline = project.outline(path)
        line = outline.line_of(definition.name_at)
        questions.append((definition.name, path, line, definition.name_at - outline.lines[line - 1]))
    return questions


def basedpyright(root: Path, questions: list[Question]) -> tuple[list[set[Place]], float, float]:
    """Its answers, what one costs, and what opening every file cost before."""
    if not (PYTHON / "basedpyright-langserver").exists():
        raise SystemExit(f"basedpyright, the measure of the others: {ABSENT}")
    project = MemoryProject(root, endings=(".py",))
    asking = Asking(f"{PYTHON / 'basedpyright-langserver'} --stdio", project, "python", 20.0)
    process = asking.server.process.pid
    try:
        asking.references((questions[0][1], questions[0][2] - 1, questions[0][3]))
        before = cpu_so_far(process)
        truth: list[set[Place]] = []
        deadline = time.monotonic() + PEER_SECONDS
        for _, path, line, column in questions:
            truth.append({(p, n + 1) for p, n, _ in asking.references((path, line - 1, column))})
            if time.monotonic() > deadline:
                break
        return truth, (cpu_so_far(process) - before) / len(truth), before
    finally:
        asking.server.process.terminate()


def cued(code: Code, questions: list[Question]) -> tuple[list[set[Place]], float]:
    find(code.view().snapshot, questions[0][0], path=questions[0][1], line=questions[0][2])
    started = time.process_time()
    found = []
    for name, path, line, _ in questions:
        snapshot = code.view().snapshot
        found.append({(s.path, s.line) for s in find(snapshot, name, path=path, line=line).references})
    return found, (time.process_time() - started) / len(questions)


def jedi(root: Path, questions: list[Question]) -> tuple[list[set[Place]], float] | None:
    if not (PYTHON / "python").exists():
        print(f"jedi            {ABSENT}")
        return None
    command = [PYTHON / "python", "-c", _JEDI, root]
    asked = json.dumps(questions[:SYMBOLS_FOR_JEDI])
    try:
        done = subprocess.run(
            command, input=asked, capture_output=True, text=True, check=True, timeout=PEER_SECONDS
        )
    except subprocess.TimeoutExpired:
        print(f"jedi            not finished after {PEER_SECONDS:.0f} s")
        return None
    seconds, answers = json.loads(done.stdout)
    inside = f"{root}/"
    found = [{(p.removeprefix(inside), n) for p, n in each if p.startswith(inside)} for each in answers]
    return found, seconds / len(found)


def ripgrep(root: Path, questions: list[Question]) -> tuple[list[set[Place]], float] | None:
    if shutil.which("rg") is None:
        print(f"ripgrep         {ABSENT}")
        return None
    found, total = [], 0.0
    for name, path, line, _ in questions:
        seconds, text = cpu_of(["rg", "-nwF", "--no-heading", "--", name, "src"], root, codes=(0, 1))
        total += seconds
        places = {(row.split(":", 2)[0], int(row.split(":", 2)[1])) for row in text.decode().splitlines()}
        found.append(places - {(path, line)})
    return found, total / len(questions)


def score(found: list[set[Place]], truth: list[set[Place]]) -> Score:
    total = Score()
    for one, other in zip(found, truth, strict=False):
        total.add(one, other)
    return total


if __name__ == "__main__":
    sys.exit(main())
