"""The runtime set: CueDeck and every distribution it brings, as this environment has them installed."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.metadata import Distribution, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

PROJECT = Path(__file__).parents[1] / "pyproject.toml"
# Classifiers and free text of older packages, said as SPDX does.
SPDX = {
    "3-clause bsd license": "BSD-3-Clause",
    "any-osi": "any OSI-approved",
    "apache 2.0": "Apache-2.0",
    "apache software license": "Apache-2.0",
    "bsd license": "BSD",
    "gplv2 with linking exception": "GPL-2.0-only WITH GCC-exception-2.0",
    "mit license": "MIT",
    "mit, bsd": "MIT AND BSD-3-Clause",
    "mozilla public license 2.0 (mpl 2.0)": "MPL-2.0",
}


@dataclass(frozen=True)
class Component:
    """One distribution and what it says about itself."""

    name: str
    version: str
    licence: str
    summary: str
    requires: tuple[str, ...]

    @property
    def purl(self) -> str:
        """Its package URL."""
        return f"pkg:pypi/{self.name}@{self.version}"


def runtime() -> list[Component]:
    """CueDeck and everything it needs on this platform, by name."""
    project = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]
    direct = _applying(project["dependencies"], ())
    ours = Component(
        project["name"], project["version"], project["license"], project["description"], _names(direct)
    )
    extras: dict[str, set[str]] = {}
    waiting = list(direct)
    while waiting:
        wanted = waiting.pop()
        name = canonicalize_name(wanted.name)
        if name in extras and wanted.extras <= extras[name]:
            continue
        extras[name] = extras.get(name, set()) | wanted.extras
        waiting += _applying(distribution(name).requires or [], extras[name])
    found = [_component(distribution(name), extras[name]) for name in extras]
    return sorted([ours, *found], key=lambda one: one.name)


def licence_of(found: Distribution) -> str:
    """What the package says: SPDX expression, free text, classifiers, or its licence file's first line."""
    if expression := _said(found, "License-Expression"):
        return expression
    text = _said(found, "License").strip()
    if text and "\n" not in text and len(text) <= 60:
        return SPDX.get(text.lower(), text)
    kinds = [
        line.rpartition(" :: ")[2]
        for line in found.metadata.get_all("Classifier") or []
        if line.startswith("License :: ")
    ]
    return " AND ".join(SPDX.get(kind.lower(), kind) for kind in kinds) or _headline(found)


def _said(found: Distribution, field: str) -> str:
    said = found.metadata.get_all(field)
    return said[0] if said else ""


def _headline(found: Distribution) -> str:
    for path in found.files or []:
        if path.name in ("LICENSE", "LICENSE.txt", "LICENSE.md") and ".dist-info" in path.parts[0]:
            first = path.read_text().strip().partition("\n")[0].strip()
            return SPDX.get(first.lower(), "unknown")
    return "unknown"


def _applying(lines: Sequence[str], extras: Iterable[str]) -> list[Requirement]:
    parsed = [Requirement(line) for line in lines]
    return [
        needed
        for needed in parsed
        if needed.marker is None or any(needed.marker.evaluate({"extra": extra}) for extra in ("", *extras))
    ]


def _names(needed: Iterable[Requirement]) -> tuple[str, ...]:
    return tuple(sorted({canonicalize_name(one.name) for one in needed}))


def _component(found: Distribution, extras: Iterable[str]) -> Component:
    return Component(
        name=canonicalize_name(found.metadata["Name"]),
        version=found.version,
        licence=licence_of(found),
        summary=_said(found, "Summary"),
        requires=_names(_applying(found.requires or [], extras)),
    )
