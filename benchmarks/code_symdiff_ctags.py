"""Symbol differences against universal-ctags, over real commits of a repository in any language.

    python benchmarks/code_symdiff_ctags.py PATH/TO/CLONE --language rust [--commits 30] [--show 20]

The oracle reads both sides with ``git show``, takes the names of functions, methods and types with
their lines from ctags (Swift and Kotlin: from what lines begin with), and where that tells no end, from
the indentation. A name counts once in a file: as added, deleted, or modified when one of its texts is.
Changes of blanks alone may be reported or not.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from cuedeck.code.comparing import compare_refs
from cuedeck.code.engine import Code
from cuedeck.code.facts import CALLABLE, TYPES, Kind
from cuedeck.store import open_store

Key = tuple[str, str, str]
_KINDS = CALLABLE | TYPES | {Kind.NAMESPACE, Kind.MODULE}


_SWIFT = (
    r"^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|private|internal|open|fileprivate|static|class|final|override|"
    r"mutating|nonisolated|indirect|required|convenience|prefix|infix|dynamic|lazy|weak)(?:\(\w+\))?\s+)*"
    r"(?:(?:func|class|struct|enum|protocol|typealias|associatedtype|actor)\s+`?(?P<name>\w+)`?|"
    r"(?P<maker>init)[?!]?\s*[(<])"
)
_KOTLIN = (
    r"^\s*(?:@[\w.]+(?:\([^)]*\))?\s+)*(?:(?:public|private|internal|protected|open|abstract|final|override|sealed|"
    r"data|inline|inner|suspend|infix|operator|tailrec|external|expect|actual|companion|annotation|value)\s+)*"
    r"(?:(?:fun\s+)?interface|class|object|typealias|fun(?:\s*<.*?>)?)\s+(?:[\w<>?*, .]+\.)?"
    r"(?P<name>`[^`]+`|\w+)(?P<maker>)"
)


@dataclass(frozen=True)
class Oracle:
    """How ctags is asked about a language."""

    name: str
    endings: tuple[str, ...]
    kinds: tuple[str, ...]
    # Lines above a definition that belong to it.
    above: str = r"(?!)"
    # How a line declares a name, in a language that ctags does not know or misreads.
    declares: str = ""


ORACLES = {
    "java": Oracle("Java", (".java",), ("class", "interface", "enum", "method", "annotation"), r"\s*@"),
    "rust": Oracle(
        "Rust",
        (".rs",),
        ("function", "method", "struct", "enum", "interface", "macro", "typedef", "module"),
    ),
    "c": Oracle(
        "C",
        (".c", ".h"),
        ("function", "struct", "union", "enum", "typedef", "prototype", "macro"),
        r"(static|\w+ \*?)$",
    ),
    "cpp": Oracle(
        "C++",
        (".cpp", ".cc", ".h", ".hpp"),
        (
            "function",
            "class",
            "struct",
            "union",
            "enum",
            "typedef",
            "prototype",
            "alias",
            "macro",
            "namespace",
        ),
        r"\s*template|\s*\w+ \*?$",
    ),
    "csharp": Oracle("C#", (".cs",), ("class", "struct", "interface", "enum", "method"), r"\s*\[.*\]\s*$"),
    "ruby": Oracle("Ruby", (".rb",), ("class", "module", "method", "singletonMethod")),
    "php": Oracle("PHP", (".php",), ("class", "interface", "trait", "function"), r"\s*#\["),
    "kotlin": Oracle("", (".kt",), (), r"\s*@", _KOTLIN),
    "swift": Oracle("", (".swift",), (), r"\s*@", _SWIFT),
    "lua": Oracle("Lua", (".lua",), ("function",)),
    "bash": Oracle("Sh", (".sh",), ("function",)),
    "go": Oracle("Go", (".go",), ("func", "struct", "interface", "type", "talias", "methodSpec")),
}


def git(root: Path, *arguments: str) -> bytes:
    return subprocess.run(["git", *arguments], cwd=root, capture_output=True, check=True).stdout


def tags(oracle: Oracle, text: str, folder: Path) -> Iterator[tuple[str, int, int]]:
    """Names with their first line and, where it is known, their last."""
    if oracle.declares:
        for number, line in enumerate(text.split("\n"), 1):
            if (found := re.match(oracle.declares, line)) is not None:
                yield found["name"] or found["maker"], number, 0
        return
    path = folder / ("source" + oracle.endings[0])
    path.write_text(text)
    command = [
        "ctags",
        f"--language-force={oracle.name}",
        "--sort=no",
        "--output-format=json",
        "--fields=+neK",
    ]
    kinds = [f"--kinds-{oracle.name}=+{{prototype}}"] if "prototype" in oracle.kinds else []
    said = subprocess.run(
        [*command, *kinds, "-f", "-", str(path)], capture_output=True, check=True, text=True
    )
    for line in said.stdout.splitlines():
        tag = json.loads(line)
        if tag.get("kind") in oracle.kinds and not tag["name"].startswith(("__anon", "<")):
            yield tag["name"], tag["line"], tag.get("end", 0)


def indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def last_line(lines: list[str], first: int) -> int:
    """Where a definition ends by its indentation; lines count from one."""
    level, last = indent(lines[first - 1]), first
    for number in range(first + 1, len(lines) + 1):
        line = lines[number - 1]
        if not line.strip():
            continue
        if indent(line) <= level:
            closes = re.match(r"\s*(\}|\)|\]|end\b)", line)
            opens = re.match(r"\s*(\{|where\b|:|->)", line)
            if indent(line) < level or not (closes or opens):
                return last
            last = number
            if closes and not line.rstrip().endswith(("{", "(", ",")):
                return last
        last = number
    return last


def symbols(oracle: Oracle, source: bytes, folder: Path) -> dict[str, list[str]]:
    """The texts of every name."""
    text = source.decode("utf-8", "replace").replace("\r\n", "\n")
    lines, found = text.split("\n"), dict[str, list[str]]()
    for name, first, last in tags(oracle, text, folder):
        last = last or last_line(lines, first)
        while first > 1 and re.match(oracle.above, lines[first - 2]):
            first -= 1
        found.setdefault(bare(name), []).append("\n".join(lines[first - 1 : last]))
    return found


def bare(name: str) -> str:
    """A name without its owner, backticks and blanks."""
    if name.startswith("`"):
        return name.strip("`")
    return re.split(r"[.:]", name.replace(" ", ""))[-1]


def expected(oracle: Oracle, root: Path, base: str, head: str, folder: Path) -> tuple[set[Key], set[Key]]:
    """What must be reported, and what may be."""
    must, may = set[Key](), set[Key]()
    raw = git(root, "diff", "--name-status", "--no-renames", "-z", base, head).decode("utf-8", "replace")
    entries = [part for part in raw.split("\0") if part]
    for status, path in zip(entries[::2], entries[1::2], strict=True):
        if not path.endswith(oracle.endings) or status not in "AMD":
            continue
        before = symbols(oracle, git(root, "show", f"{base}:{path}"), folder) if status != "A" else {}
        after = symbols(oracle, git(root, "show", f"{head}:{path}"), folder) if status != "D" else {}
        for name in before.keys() | after.keys():
            old, new = before.get(name), after.get(name)
            if old is None or new is None:
                must.add((path, name, "deleted" if old else "added"))
            elif Counter(old) != Counter(new):
                same = Counter("".join(t.split()) for t in old) == Counter("".join(t.split()) for t in new)
                (may if same else must).add((path, name, "modified"))
    return must, may


def reported(code: Code, base: str, head: str, endings: tuple[str, ...]) -> set[Key]:
    """Each name of a file once: of several alike one may be added and another modified."""
    found: dict[tuple[str, str], set[str]] = {}
    comparison = compare_refs(code, base, head)
    for change in comparison.changes:
        record = change.shown
        if record.kind in _KINDS and record.path.endswith(endings):
            found.setdefault((record.path, bare(record.name)), set()).add(change.change)
    return {
        (path, name, said.pop() if len(said) == 1 else "modified") for (path, name), said in found.items()
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("repository", type=Path)
    parser.add_argument("--language", choices=ORACLES, required=True)
    parser.add_argument("--commits", type=int, default=30)
    parser.add_argument("--show", type=int, default=0)
    options = parser.parse_args()
    root, oracle = options.repository.resolve(), ORACLES[options.language]
    random.seed(11)
    endings = [f"*{ending}" for ending in oracle.endings]
    history = (
        git(root, "log", "--no-merges", "--min-parents=1", "--format=%H", "-n", "1500", "--", *endings)
        .decode()
        .split()
    )
    right = wrong = missed = 0
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        store = open_store(None, root=folder, workspace_id="benchmark")
        code = Code(root, store)
        chosen = random.sample(history, min(options.commits, len(history)))
        for commit in chosen:
            must, may = expected(oracle, root, f"{commit}~1", commit, folder)
            got = reported(code, f"{commit}~1", commit, oracle.endings)
            # One of several of a name may be new: the oracle calls the name modified then.
            both = {(path, name) for path, name, change in must | may if change == "modified"}
            got = {(path, name, "modified" if (path, name) in both else c) for path, name, c in got}
            right += len(got & must)
            extra, lost = got - must - may, must - got
            wrong += len(extra)
            missed += len(lost)
            for kind, items in (("extra", extra), ("missed", lost)):
                for item in sorted(items)[: options.show]:
                    print(kind, commit[:10], *item)
        code.close()
        store.close()
    precision, recall = right / max(1, right + wrong), right / max(1, right + missed)
    score = 2 * precision * recall / max(1e-9, precision + recall)
    print(
        f"{root.name}: {len(chosen)} commits, {right + missed} changes, precision {precision:.4f}, "
        f"recall {recall:.4f}, F1 {score:.4f}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
