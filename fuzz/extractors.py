"""Coverage-guided fuzzing: ``pip install atheris && python fuzz/extractors.py code -max_total_time=600``.

Arguments after the target are libFuzzer's; a corpus folder may be among them.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import atheris

sys.path.append(str(Path(__file__).parent))

FUZZED = (
    "cuedeck.code.extraction.extract",
    "cuedeck.code.extraction.packing",
    "cuedeck.documents.extract",
    "cuedeck.documents.frontmatter_edit",
    "cuedeck.store.archive",
    "cuedeck.tasks.card",
    "cuedeck.tasks.notes",
)


def main() -> None:
    with atheris.instrument_imports(include=["cuedeck"]):
        targets = importlib.import_module("targets")
        for name in FUZZED:
            importlib.import_module(name)
        targets.languages()
    if len(sys.argv) < 2 or sys.argv[1] not in targets.TARGETS:
        raise SystemExit(f"Name a target: {', '.join(targets.TARGETS)}")
    target = targets.TARGETS[sys.argv.pop(1)]
    atheris.Setup(sys.argv, target)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
