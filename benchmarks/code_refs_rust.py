"""References as rustc resolves them: ``python -m benchmarks.code_refs_rust CRATE TRUTH.jsonl``.

rustdoc can link every name in its source pages to what it names; those links are read back. The crate must
build without foreign crates. Fields are not linked, and only symbols with at least one link are listed. Of a
name without a link (inside a macro's call, before ``::``) rustdoc says nothing: such lines are neither right
nor wrong. Rows are scored by ``benchmarks.code_refs_languages``.
"""

from __future__ import annotations

import argparse
import html
import json
import os
import posixpath
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

_LINE = re.compile(r"<a href=#(\d+) id=\1 data-nosnippet>\1</a>")
_LINK = re.compile(
    r'(?:(\w+)::)?<a (?:class="[^"]*" )?href="((?:[\w./-]+\.html)?)#(\d+)(?:-(\d+))?"[^>]*>(.*?)</a>'
)
_TAG = re.compile(r"<[^>]*>")
_ENDING = re.compile(r"[;}]\s*(?://.*)?$")
_SILENT = re.compile(r'<a .*?</a>|<span class="(?:string|comment|doccomment)">.*?</span>')

# A file, the lines of its item, and the name.
Target = tuple[str, int, int, str]


def pages(crate: Path, out: Path) -> Path:
    name = crate.name.replace("-", "_")
    command = ["rustdoc", "--edition", "2021", "src/lib.rs", "--crate-name", name, "-o", str(out)]
    command += ["--cfg", 'feature="std"', "--cfg", 'feature="alloc"', "--cap-lints", "allow"]
    command += ["-Z", "unstable-options", "--generate-link-to-definition", "--document-private-items"]
    subprocess.run(command, cwd=crate, env={**os.environ, "RUSTC_BOOTSTRAP": "1"}, check=True)
    return out / "src" / name


def links(root: Path) -> dict[Target, set[tuple[str, int]]]:
    """What each item is linked from; in ``Enum::Variant`` only the variant is, which says the enum too."""
    found: dict[Target, set[tuple[str, int]]] = defaultdict(set)
    qualified: list[tuple[str, int, str, tuple[str, int]]] = []
    for page in sorted(root.rglob("*.rs.html")):
        path = page.relative_to(root).as_posix()
        parts = _LINE.split(page.read_text("utf-8"))
        for number, text in zip(parts[1::2], parts[2::2], strict=True):
            for before, target, first, last, inner in _LINK.findall(text):
                file = posixpath.normpath(posixpath.join(posixpath.dirname(path), target)) if target else path
                if file.startswith(".."):
                    continue
                name = html.unescape(_TAG.sub("", inner)).strip().rsplit("::", 1)[-1]
                found[file, int(first), int(last or first), name].add((path, int(number)))
                if before:
                    qualified.append((file, int(first), before, (path, int(number))))
    for file, line, name, place in qualified:
        for key in [k for k in found if k[0] == file and k[3] == name and k[1] <= line <= k[2]]:
            found[key].add(place)
    return found


def unlinked(root: Path) -> dict[str, set[tuple[str, int]]]:
    """Where each name stands in code without a link."""
    found: dict[str, set[tuple[str, int]]] = defaultdict(set)
    for page in sorted(root.rglob("*.rs.html")):
        path = page.relative_to(root).as_posix()
        parts = _LINE.split(page.read_text("utf-8"))
        for number, text in zip(parts[1::2], parts[2::2], strict=True):
            for word in re.findall(r"\w+", html.unescape(_TAG.sub(" ", _SILENT.sub(" ", text)))):
                found[word].add((path, int(number)))
    return found


def places(found: set[tuple[str, int]]) -> list[dict[str, str | int]]:
    return [{"path": "src/" + path.removesuffix(".html"), "line": line} for path, line in sorted(found)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("crate", type=Path)
    parser.add_argument("truth", type=Path)
    options = parser.parse_args()
    crate = options.crate.resolve()
    with tempfile.TemporaryDirectory() as folder:
        root = pages(crate, Path(folder))
        found, silent = links(root), unlinked(root)
    count = 0
    written: set[tuple[str, int, str]] = set()
    with options.truth.open("w", encoding="utf-8") as rows:
        # Of an item and its parameter of the same name on one line the item is longer.
        longest_first = sorted(found.items(), key=lambda item: (*item[0][:2], -item[0][2], item[0][3]))
        for (file, first, last, name), uses in longest_first:
            source = "src/" + file.removesuffix(".html")
            lines = (crate / source).read_text("utf-8").split("\n")
            declared = re.compile(
                rf"\b(?:fn|struct|enum|trait|type|const|static|mod|union)\s+{re.escape(name)}\b"
            )
            line = next((n for n in range(first, last + 1) if declared.search(lines[n - 1])), None)
            # ``fn fmt(&self, fmt: …) {`` is the place of a parameter: an item would end where its link does.
            whole = _ENDING.search(lines[last - 1]) is not None
            if line is None or not whole or (source, line, name) in written:
                continue
            written.add((source, line, name))
            match = declared.search(lines[line - 1])
            column = lines[line - 1].index(name, match.start() if match else 0)
            row = {
                "name": name,
                "kind": "item",
                "def": {"path": source, "line": line, "col": column},
                "refs": places(uses),
                "either": places(silent[name]),
            }
            rows.write(json.dumps(row) + "\n")
            count += 1
    print(f"{crate.name}: {count} symbols")
    return 0


if __name__ == "__main__":
    sys.exit(main())
