"""Notes beside obsidiantools: reading a vault, its tags and backlinks, and one edit, on a vault made here."""

from __future__ import annotations

import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks._peers import ABSENT, PYTHON, Row, table
from cuedeck.workspace import Workspace

NOTES = 300
WITHOUT_MODEL = {"CUEDECK_SEARCH__ENABLED": "false"}
_THEIRS = """
import json, pathlib, sys, time, warnings
warnings.simplefilter("ignore")
import obsidiantools.api as otools
started = time.process_time()
vault = otools.Vault(pathlib.Path(sys.argv[1])).connect().gather()
read = time.process_time() - started
links = {name: sorted(vault.get_backlinks(name)) for name in vault.md_file_index}
tags = {name: sorted(vault.tags_index.get(name, [])) for name in vault.md_file_index}
print(json.dumps([read, links, tags]))
"""


def used() -> float:
    """CPU seconds of this process and of all that have ended."""
    kinds = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return sum(usage.ru_utime + usage.ru_stime for usage in map(resource.getrusage, kinds))


def make(root: Path) -> None:
    """Notes with inline tags and links, some of them to nothing."""
    chance = random.Random(11)
    for number in range(NOTES):
        words = " ".join(chance.choices(["harbour", "token", "login", "graph", "tide", "mast"], k=80))
        links = " ".join(f"[[n{chance.randrange(NOTES + 50)}]]" for _ in range(4))
        tags = f"#topic{number % 13} #part/{number % 7}"
        (root / f"n{number}.md").write_text(f"# Note {number}\n\n{words}\n\n{links}\n\n{tags}\n")


def theirs(root: Path) -> tuple[float, dict[str, list[str]], dict[str, list[str]]]:
    done = subprocess.run(
        [PYTHON / "python", "-c", _THEIRS, root], capture_output=True, text=True, check=True, timeout=600
    )
    read, links, tags = json.loads(done.stdout.splitlines()[-1])
    return read, links, tags


def main() -> int:
    """Read, compare what was understood, edit."""
    if not (PYTHON / "python").exists():
        print(f"obsidiantools {ABSENT}")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        make(root)
        read, links, tags = theirs(root)
        before = used()
        with Workspace.open(root, environ=WITHOUT_MODEL) as workspace:
            workspace.documents.refresh()
        # After closing, so that helping processes have ended and are counted.
        ours = used() - before
        with Workspace.open(root, environ=WITHOUT_MODEL) as workspace:
            workspace.documents.refresh()
            print(f"{NOTES} notes: {agreement(workspace, links, tags)}")
            started = time.process_time()
            (root / "n0.md").write_text("# Note 0\n\n[[n1]] #topic0\n")
            workspace.documents.refresh()
            edited = time.process_time() - started
        again, _, _ = theirs(root)
    rows = [
        Row(f"reading {NOTES} notes", "obsidiantools", ours, read, "s"),
        Row("knowing one edit", "obsidiantools", edited, again, "s"),
    ]
    print(table(rows))
    return 0


def agreement(workspace: Workspace, links: dict[str, list[str]], tags: dict[str, list[str]]) -> str:
    """For how many notes both name the same backlinks and tags."""
    vault = workspace.documents.vault
    same_links = same_tags = 0
    for name in links:
        file, ours = vault.file(f"{name}.md")
        same_links += {Path(path).stem for path in ours.incoming} == set(links[name])
        # It keeps only the first part of a nested tag.
        same_tags += {tag.split("/")[0] for tag in file.tags} == set(tags[name])
    return f"backlinks agree on {same_links} of {len(links)}, tags on {same_tags}"


if __name__ == "__main__":
    sys.exit(main())
