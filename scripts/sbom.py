"""A software bill of materials of the runtime set, as CycloneDX 1.6 JSON."""

from __future__ import annotations

import json
import sys
import uuid
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from components import Component, runtime


def bill(components: list[Component], root: str = "cuedeck") -> dict[str, Any]:
    """The document for a root and what it needs."""
    by_name = {one.name: one for one in components}
    subject = by_name[root]
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid4()}",
        "version": 1,
        "metadata": {
            "timestamp": datetime.now(UTC).isoformat(timespec="seconds"),
            "component": {**_entry(subject), "type": "application"},
        },
        "components": [_entry(one) for one in components if one is not subject],
        "dependencies": [
            {"ref": one.purl, "dependsOn": [by_name[name].purl for name in one.requires]}
            for one in components
        ],
    }


def _entry(one: Component) -> dict[str, Any]:
    return {
        "type": "library",
        "bom-ref": one.purl,
        "name": one.name,
        "version": one.version,
        "description": one.summary,
        # A name, not an SPDX id: older packages say theirs in words.
        "licenses": [{"license": {"name": one.licence}}],
        "purl": one.purl,
    }


def write(path: Path) -> None:
    """Write the bill of the installed runtime set."""
    path.write_text(json.dumps(bill(runtime()), indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1] if len(sys.argv) > 1 else "dist/cuedeck.cdx.json"))
