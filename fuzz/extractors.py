"""Coverage-guided fuzzing: ``pip install atheris && python fuzz/extractors.py code -max_total_time=600``.

Further arguments are libFuzzer's. Starting inputs and what it finds worth keeping are in ``.fuzz/<target>``
of the folder it is run in, so that a second run goes on.
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
        seeds = importlib.import_module("seeds")
        for name in FUZZED:
            importlib.import_module(name)
        targets.languages()
    if len(sys.argv) < 2 or sys.argv[1] not in targets.TARGETS:
        raise SystemExit(f"Name a target: {', '.join(targets.TARGETS)}")
    name = sys.argv.pop(1)
    corpus = Path(".fuzz") / name
    seeds.write(name, corpus)
    atheris.Setup([*sys.argv, str(corpus)], targets.TARGETS[name])
    atheris.Fuzz()


if __name__ == "__main__":
    main()
