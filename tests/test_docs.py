"""Every command, tool, setting and error code is documented, and every link in the docs leads somewhere."""

from __future__ import annotations

import re
import runpy
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
# The domain that docs/store.md adds as an example.
EXAMPLE = {"store/notes.py", "store/schema/notes.py"}
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")


def test_the_reference_pages_are_what_the_code_says() -> None:
    pages = runpy.run_path(str(ROOT / "scripts" / "reference.py"))["PAGES"]
    stale = [
        name
        for name, page in pages.items()
        if not (found := ROOT / "docs" / "reference" / name).exists()
        or found.read_text(encoding="utf-8") != page()
    ]
    assert not stale, f"run `make docs`: {stale}"


def tracked_pages() -> list[str]:
    listed = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, capture_output=True, text=True, check=True)
    return [
        name
        for name in listed.stdout.splitlines()
        if not name.startswith("tests/") and (ROOT / name).exists()
    ]


@pytest.mark.parametrize("name", tracked_pages())
def test_links_lead_somewhere(name: str) -> None:
    page = ROOT / name
    text = re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    targets = [target.partition("#")[0] for target in LINK.findall(text) if "://" not in target]
    missing = [target for target in targets if target and not (page.parent / target).exists()]
    assert not missing


def test_every_engine_has_its_page() -> None:
    for name in (
        "architecture",
        "store",
        "search",
        "mcp",
        "daemon",
        "cli",
        "documents",
        "code",
        "memory",
        "tasks",
        "workflows",
        "scene",
    ):
        assert len((ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")) > 500, name


@pytest.mark.parametrize("name", [name for name in tracked_pages() if name.startswith("docs/")])
def test_modules_that_a_page_names_exist(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:[a-z_]+/)+[a-z_]+\.py)`", text)) - EXAMPLE
    places = (ROOT, ROOT / "src" / "cuedeck", ROOT / "src")
    assert not [path for path in named if not any((place / path).exists() for place in places)]
