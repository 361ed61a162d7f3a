"""A folder of wheels that installs without a network: what is installed here, packed again."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Sequence
from importlib.metadata import Distribution, distribution
from pathlib import Path

from components import runtime


def fill(folder: Path) -> list[Path]:
    """Pack everything CueDeck needs, but not CueDeck itself, which is built."""
    folder.mkdir(parents=True, exist_ok=True)
    return [pack(distribution(one.name), folder) for one in runtime() if one.name != "cuedeck"]


def pack(found: Distribution, folder: Path) -> Path:
    """The wheel an installed distribution came from, not compressed: it is read once, on this machine."""
    target = folder / _file_name(found)
    inside = [
        path
        for path in found.files or []
        # Scripts and byte code are made by the installer, which also writes its own notes.
        if ".." not in path.parts and "__pycache__" not in path.parts and path.name not in _INSTALLERS
    ]
    with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as wheel:
        for path in inside:
            if path.name != "RECORD":
                wheel.write(str(path.locate()), str(path))
        wheel.writestr(_record_path(inside), _record(inside))
    return target


_INSTALLERS = {"INSTALLER", "REQUESTED", "direct_url.json", "uv_cache.json", "uv_build.json"}


def _file_name(found: Distribution) -> str:
    tags = re.findall(r"^Tag: (\S+)$", found.read_text("WHEEL") or "", re.MULTILINE)
    parts = [tag.split("-") for tag in tags]
    joined = [".".join(dict.fromkeys(part[at] for part in parts)) for at in range(3)]
    name = re.sub(r"[-_.]+", "_", found.metadata["Name"]).lower()
    return f"{name}-{found.version}-{'-'.join(joined)}.whl"


def _record_path(inside: Sequence[object]) -> str:
    return next(str(path) for path in inside if str(path).endswith(".dist-info/RECORD"))


def _record(inside: Sequence[object]) -> str:
    # Hashes may be left out of a local wheel; the names may not.
    return "".join(f'"{path}",,\n' for path in inside)
