"""Symbol differences against Python's own parser, over real commits, tags and branches of a repository.

    python benchmarks/code_symdiff.py PATH/TO/CLONE [--commits 200] [--ranges 8] [--merges 30]

The oracle reads both sides with ``git show`` and compares functions, methods and classes by their text.
Changes that the oracle calls layout only may be reported or not.
"""

from __future__ import annotations

import argparse
import ast
import random
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from cuedeck.code.comparing import compare_refs
from cuedeck.code.engine import Code
from cuedeck.code.facts import Kind
from cuedeck.code.symbols import module_name
from cuedeck.model.errors import CueError
from cuedeck.store import open_store

Key = tuple[str, str, str]
_KINDS = (Kind.FUNCTION, Kind.METHOD, Kind.CLASS)


def git(root: Path, *arguments: str) -> bytes:
    return subprocess.run(["git", *arguments], cwd=root, capture_output=True, check=True).stdout


def symbols(source: bytes) -> dict[str, tuple[str, str]] | None:
    """Text and syntax of every function, method and class by dotted name; None when it does not parse."""
    try:
        text = source.decode()
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return None
    lines, found = text.split("\n"), {}

    def walk(node: ast.AST, names: tuple[str, ...]) -> None:
        for child in ast.iter_child_nodes(node):
            if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                walk(child, names)
                continue
            inner = (*names, child.name)
            name, count = "::".join(inner), 1
            key = name
            while key in found:
                count += 1
                key = f"{name}@{count}"
            start = min([child.lineno, *(d.lineno for d in child.decorator_list)])
            found[key] = ("\n".join(lines[start - 1 : child.end_lineno]), ast.dump(child))
            walk(child, inner)

    walk(tree, ())
    return found


def expected(root: Path, base: str, head: str) -> tuple[set[Key], set[Key], set[str]]:
    """What must be reported, what may be, and the files the oracle cannot read (old syntax)."""
    unread: set[str] = set()
    must: set[Key] = set()
    may: set[Key] = set()
    raw = git(root, "diff", "--name-status", "--no-renames", "-z", base, head).decode("utf-8", "replace")
    entries = [part for part in raw.split("\0") if part]
    for status, path in zip(entries[::2], entries[1::2], strict=True):
        if not path.endswith(".py"):
            continue
        before = symbols(git(root, "show", f"{base}:{path}")) if status != "A" else {}
        after = symbols(git(root, "show", f"{head}:{path}")) if status != "D" else {}
        if before is None or after is None:
            unread.add(path)
            continue
        for name in before.keys() | after.keys():
            old, new = before.get(name), after.get(name)
            if old and new:
                if old[0] != new[0]:
                    (must if old[1] != new[1] else may).add((path, name, "modified"))
            else:
                must.add((path, name, "deleted" if old else "added"))
    return must, may, unread


def reported(code: Code, base: str, head: str) -> set[Key]:
    found: set[Key] = set()
    for change in compare_refs(code, base, head).changes:
        record = change.shown
        if record.language == "python" and record.kind in _KINDS:
            local = record.qualified_name.removeprefix(module_name(record.path, "python") + "::")
            found.add((record.path, local, change.change))
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("repository", type=Path)
    parser.add_argument("--commits", type=int, default=200)
    parser.add_argument("--ranges", type=int, default=8)
    parser.add_argument("--merges", type=int, default=30, help="pull requests, as their merge commits")
    parser.add_argument("--show", type=int, default=0)
    options = parser.parse_args()
    root = options.repository.resolve()
    random.seed(11)
    history = git(root, "log", "--no-merges", "--format=%H", "-n", "2500", "--", "*.py").decode().split()
    chosen = random.sample(history, min(options.commits, len(history)))
    pairs = [(f"{commit}~1", commit) for commit in chosen]
    names = git(root, "tag", "--sort=-creatordate").decode().split()
    tags = [name for name in names if re.fullmatch(r"v?\d+(\.\d+)+", name)]
    pairs += list(zip(tags[1 : options.ranges + 1], tags, strict=False))
    merges = git(root, "log", "--merges", "--format=%P", "-n", "1000").decode().splitlines()
    parents = [line.split() for line in random.sample(merges, min(options.merges, len(merges)))]
    pairs += [(first, second) for first, second, *_ in parents]
    right = wrong = missed = 0
    took: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        store = open_store(None, root=Path(folder), workspace_id="benchmark")
        code = Code(root, store)
        for base, head in pairs:
            try:
                parted = git(root, "merge-base", base, head).decode().split()[0]
                must, may, unread = expected(root, parted, head)
                started = time.perf_counter()
                got = reported(code, base, head)
            except (subprocess.CalledProcessError, CueError, IndexError):
                continue
            took.append(time.perf_counter() - started)
            # The oracle reads ``.py`` files only; stubs are code to us.
            got = {key for key in got if key[0] not in unread and key[0].endswith(".py")}
            # Repeated names are counted once: which of them changed is the same text either way.
            must = {(p, n.split("@")[0], c) for p, n, c in must}
            may = {(p, n.split("@")[0], c) for p, n, c in may}
            right += len(got & must)
            extra, lost = got - must - may, must - got
            wrong += len(extra)
            missed += len(lost)
            for kind, items in (("extra", extra), ("missed", lost)):
                for item in sorted(items)[: options.show]:
                    print(kind, base[:12], head[:12], *item)
        code.close()
        store.close()
    precision, recall = right / max(1, right + wrong), right / max(1, right + missed)
    score = 2 * precision * recall / max(1e-9, precision + recall)
    took.sort()
    print(
        f"{root.name}: {len(took)} comparisons, {right + missed} changes, precision {precision:.4f}, "
        f"recall {recall:.4f}, F1 {score:.4f}; median {took[len(took) // 2] * 1e3:.0f} ms"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
