"""Runs public suites of hostile input through the documents engine: no crash, no wrong slice, no escape.

documents_hostile.py [--commonmark SPEC.TXT] [--yaml FOLDER] [--strings FILE...]: SPEC.TXT is the CommonMark
specification, FOLDER the ``src`` of yaml-test-suite, each FILE a JSON list of strings or one string a line.
Prints what each suite came to, and every failure; ends with 1 when there was one.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import yaml

from cuedeck.documents.engine import Documents
from cuedeck.documents.extract import extract
from cuedeck.documents.frontmatter import read_frontmatter
from cuedeck.documents.frontmatter_edit import edit_frontmatter
from cuedeck.documents.markdown import parse_markdown
from cuedeck.documents.query import Filters, Mode, Query
from cuedeck.documents.sections import sections_of, slice_at
from cuedeck.model.errors import CueError, ErrorCode
from cuedeck.store.vault import VaultFilter
from cuedeck.workspace import Workspace

EXAMPLE = re.compile(r"(?ms)^`{32} example\n(.*?)^\.\n(.*?)^`{32}$")
HEADING = re.compile(r"<h([1-6])>")
NESTED = re.compile(r"<(?:blockquote|li)>")
# How yaml-test-suite writes what an editor would not show.
MARKS = {"␣": " ", "»": "\t", "—": "", "←": "\r", "⇔": "\ufeff", "↵": "", "∎": ""}
EXPECTED = (ErrorCode.NOT_FOUND, ErrorCode.PATH_REFUSED, ErrorCode.VALIDATION)
SECRET = "what lies outside of the workspace"


def commonmark(spec: Path) -> Iterator[tuple[str, Callable[[], str]]]:
    """Every example as it is, with other line ends, with a byte order mark, below frontmatter."""
    for number, (source, html) in enumerate(EXAMPLE.findall(spec.read_text(encoding="utf-8")), 1):
        text = source.replace("→", "\t")
        yield f"commonmark {number}", partial(example, text, html)


def example(text: str, html: str) -> str:
    for variant in (text, text.replace("\n", "\r\n"), f"\ufeff{text}", f"---\nt: 1\n---\n{text}"):
        data, parsed = variant.encode(), parse_markdown(variant)
        parts = [data[part.start : part.end] for part in sections_of(parsed, len(data))]
        assert b"".join(parts) == data, "sections do not add up"
        for heading in parsed.headings:
            assert parsed.line_at(heading.start) == heading.line, heading
            assert not heading.text or slice_at(parsed, heading.text, len(data)) is not None, heading
        assert extract("x.md", data, max_bytes=1 << 20).skipped in (None, "binary")
    if read_frontmatter(text).body:
        return "reads as frontmatter"
    found = [heading.level for heading in parse_markdown(text).headings]
    wanted = [int(level) for level in HEADING.findall(html)]
    if NESTED.search(html):
        assert len(found) <= len(wanted), (found, wanted)
        return "passed, headings inside of quotes and lists not counted"
    assert found == wanted, (found, wanted)
    return "passed"


def yaml_suite(folder: Path) -> Iterator[tuple[str, Callable[[], str]]]:
    """Every case as the frontmatter of a note, read and then edited."""
    for path in sorted(folder.glob("*.yaml")):
        for number, case in enumerate(yaml.safe_load(path.read_text(encoding="utf-8"))):
            source = case.get("yaml")
            if source is not None:
                for mark, meant in MARKS.items():
                    source = source.replace(mark, meant)
                yield f"yaml {path.stem}/{number}", partial(frontmatter, source)


def frontmatter(source: str) -> str:
    note = f"---\n{source}\n---\nbody\n"
    found = read_frontmatter(note)
    json.dumps(found.data, allow_nan=False)
    assert extract("x.md", note.encode(), max_bytes=1 << 20).skipped is None
    try:
        edited = edit_frontmatter(note.encode(), {"added": "x"})
    except CueError as error:
        assert error.code is ErrorCode.VALIDATION, error.code
        return "reported as broken, edit refused" if found.problem else "read, edit refused"
    again = read_frontmatter(edited.decode()).data
    assert again is not None and again.pop("added") == "x"
    assert again == {key: value for key, value in (found.data or {}).items() if key != "added"}
    return "read and edited"


def strings(files: list[Path], documents: Documents) -> Iterator[tuple[str, Callable[[], str]]]:
    """Every string as path, query, filter, anchor and frontmatter value."""
    for file in files:
        if file.suffix == ".json":
            texts = json.loads(file.read_text(encoding="utf-8"))
        else:
            texts = file.read_bytes().decode("utf-8", "replace").splitlines()
        for number, text in enumerate(texts):
            if text.strip():
                yield f"{file.name} {number}", partial(hostile, text, documents)


def hostile(text: str, documents: Documents) -> str:
    seen = set()
    for path in (text, f"{text}.md", f"x/{text}"):
        for ask in (documents.read, documents.vault.content, documents.vault.file):
            seen.add(refusal(partial(ask, path)))
    documents.search(Query(text[:200], Mode.KEYWORD, Filters((text,), text, text)))
    refusal(lambda: documents.vault.files(VaultFilter(text, text, text, text), limit=5))
    refusal(lambda: documents.read("a.md", text[:100]))
    try:
        edited = edit_frontmatter(b"---\na: 1\n---\nbody", {"title": text, "tags": [text]})
        assert read_frontmatter(edited.decode()).data == {"a": 1, "title": text, "tags": [text]}
    except CueError as error:
        assert error.code is ErrorCode.VALIDATION, error.code
    parse_markdown(re.sub("[\ud800-\udfff]", "?", text))
    return "paths: " + ", ".join(sorted(seen))


def refusal(ask: Callable[[], object]) -> str:
    """The contract's refusal, or that there was an answer, which holds nothing from outside."""
    try:
        answer = str(ask())
    except CueError as error:
        assert error.code in EXPECTED, error.code
        return error.code.value
    assert SECRET not in answer and "root:x:" not in answer, answer[:200]
    return "answered"


def run(name: str, cases: Iterator[tuple[str, Callable[[], str]]]) -> int:
    outcomes: Counter[str] = Counter()
    failures = 0
    for case, check in cases:
        try:
            outcomes[check()] += 1
        except Exception as error:  # noqa: BLE001 - a crash is what this looks for
            failures += 1
            print(f"FAILED {case}: {type(error).__name__}: {error}")
    print(f"{name}: {outcomes.total() + failures} cases, {failures} failed; {dict(outcomes)}", flush=True)
    return failures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--commonmark", type=Path)
    parser.add_argument("--yaml", type=Path)
    parser.add_argument("--strings", type=Path, nargs="*", default=[])
    options = parser.parse_args()
    failures = run("commonmark", commonmark(options.commonmark)) if options.commonmark else 0
    failures += run("yaml", yaml_suite(options.yaml)) if options.yaml else 0
    if options.strings:
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder) / "workspace"
            root.mkdir()
            (root / "a.md").write_text("# A\n")
            (Path(folder) / "secret.md").write_text(SECRET)
            with Workspace.open(root, environ={"CUEDECK_SEARCH__ENABLED": "false"}) as workspace:
                failures += run("strings", strings(options.strings, workspace.documents))
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
