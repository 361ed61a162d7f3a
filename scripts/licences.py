"""Writes docs/licences.md: the licence of everything a user installs, and what may not be among them."""

from __future__ import annotations

import re
from pathlib import Path

from components import Component, runtime

PAGE = Path(__file__).parents[1] / "docs" / "licences.md"
FORBIDDEN = re.compile(r"\b(A?GPL|SSPL|BUSL|CC-BY-NC|Commons-Clause|unknown|proprietary)", re.IGNORECASE)
# Accepted although the expression names a licence of the list above, each with its reason.
EXCEPTIONS = {
    "pygit2": "its linking exception (libgit2's) permits use from works under any licence, unmodified as here"
}
HEAD = """# Licences of what is installed

CueDeck is Apache-2.0. `pip install cuedeck` also installs what is listed here; nothing of it is copied into \
our wheels. Made by `python scripts/licences.py` from the metadata of the installed packages; \
`tests/test_release.py` fails when a package under a forbidden licence joins, or a declared one is missing.

Forbidden in the runtime set: GPL, AGPL, SSPL, BUSL, non-commercial licences, and no licence at all. \
LGPL and MPL are used as separate, replaceable packages.

| package | licence |
|---|---|
"""


def forbidden(components: list[Component]) -> list[Component]:
    """Those whose licence may not be in the runtime set."""
    return [one for one in components if one.name not in EXCEPTIONS and FORBIDDEN.search(one.licence)]


def page(components: list[Component]) -> str:
    """The report, without versions: those are in the SBOM of a release."""
    rows = [f"| {one.name} | {one.licence} |" for one in components if one.name != "cuedeck"]
    exceptions = [f"- **{name}**: {reason}." for name, reason in sorted(EXCEPTIONS.items())]
    return HEAD + "\n".join(rows) + "\n\n## Exceptions\n\n" + "\n".join(exceptions) + "\n"


if __name__ == "__main__":
    found = runtime()
    if wrong := forbidden(found):
        raise SystemExit("Forbidden: " + ", ".join(f"{one.name} ({one.licence})" for one in wrong))
    PAGE.write_text(page(found), encoding="utf-8")
