"""Makes a retrieval set of a folder of documentation: headings, taken out of the text, become questions.

documents_headings.py FOLDER OUT [--each N]: writes corpus.jsonl, queries.jsonl and gold.jsonl for
documents_retrieval.py. A heading is a question when it is long enough to mean something and no other
document has it; the document it was taken from is the one to find. File names are not kept.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from cuedeck.documents.markdown import Heading, Markdown, parse_markdown

SMALLEST = 400
_LOGOGRAPHS = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_WORD = re.compile(rf"[^\W_{_LOGOGRAPHS}]{{2,}}")
_LOGOGRAPHIC = re.compile(f"[{_LOGOGRAPHS}]")


def asks(text: str) -> bool:
    """Whether a heading says enough to be a question."""
    return len(_WORD.findall(text)) + len(_LOGOGRAPHIC.findall(text)) / 2 >= 3


def without(text: str, parsed: Markdown, taken: Iterable[Heading]) -> str:
    """A document without some of its heading lines and without its frontmatter."""
    lines = text.encode().decode().splitlines(keepends=True)
    gone = {heading.line for heading in taken}
    first = parsed.line_at(parsed.body)
    return "".join(line for number, line in enumerate(lines, 1) if number >= first and number not in gone)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--each", type=int, default=2, help="Questions of one document at most.")
    options = parser.parse_args()
    documents: list[tuple[str, Markdown]] = []
    for path in sorted(options.folder.rglob("*.md")):
        text = path.read_text(encoding="utf-8", errors="replace").replace("\r\n", "\n")
        if len(text.encode()) >= SMALLEST:
            documents.append((text, parse_markdown(text)))
    seen = Counter(name for _, parsed in documents for name in {each.text for each in parsed.headings})
    rows: dict[str, list[dict[str, Any]]] = {"corpus": [], "queries": [], "gold": []}
    for number, (text, parsed) in enumerate(documents):
        taken = [
            each for each in parsed.headings if each.level > 1 and seen[each.text] == 1 and asks(each.text)
        ]
        taken = taken[:: max(1, len(taken) // options.each)][: options.each]
        rows["corpus"].append({"id": str(number), "text": without(text, parsed, taken)})
        for place, heading in enumerate(taken):
            query = f"{number}-{place}"
            rows["queries"].append({"id": query, "text": re.sub(r"\s*\{(?:#|/).*\}$", "", heading.text)})
            rows["gold"].append({"query_id": query, "relevant": {str(number): 1}})
    options.out.mkdir(parents=True, exist_ok=True)
    for name, found in rows.items():
        lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in found)
        (options.out / f"{name}.jsonl").write_text("".join(lines), encoding="utf-8")
    print(f"{len(rows['corpus'])} documents, {len(rows['queries'])} questions")


if __name__ == "__main__":
    main()
