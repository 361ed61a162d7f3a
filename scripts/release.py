"""Builds what a release consists of into dist/: its wheels, checked, with the bill of materials.

python scripts/release.py            wheels, checks, SBOM, licence report
python scripts/release.py --install  and prove that `uv tool install` needs nothing but a folder of wheels
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from email.parser import Parser
from pathlib import Path

import sbom
import wheelhouse
from components import runtime
from licences import forbidden

ROOT = Path(__file__).parents[1]
MODEL = ROOT / "packages" / "cuedeck-minilm"
NATIVE = ROOT / "packages" / "cuedeck-native"
NAMES = {MODEL: "cuedeck_minilm", NATIVE: "cuedeck_native"}


def uv() -> str:
    """The environment's own uv, or the one on the path."""
    beside = Path(sys.executable).with_name("uv")
    found = str(beside) if beside.exists() else shutil.which("uv")
    if found is None:
        raise SystemExit("uv is not installed: python -m pip install uv")
    return found


def build(project: Path, out: Path, *, isolated: bool = True) -> Path:
    """Build one wheel; without isolation this environment's hatchling does it, and no network is needed."""
    options = [] if isolated else ["--no-build-isolation", "--offline"]
    command = [uv(), "build", "--wheel", "--quiet", "--python", sys.executable, *options]
    before = set(out.glob("*.whl")) if out.exists() else set()
    subprocess.run([*command, "--out-dir", str(out), str(project)], check=True)
    name = NAMES.get(project, "cuedeck")
    made = set(out.glob(f"{name}-*.whl"))
    return max(made - before or made, key=lambda path: path.stat().st_mtime)


def check_package(wheel: Path) -> list[str]:
    """What is wrong with the package's wheel."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        metadata = _metadata(archive)
        points = next(
            (archive.read(name).decode() for name in names if name.endswith("entry_points.txt")), ""
        )
        said = re.search(r'__version__ = "([^"]+)"', archive.read("cuedeck/__init__.py").decode())
    problems = [f"no command {name}" for name in ("cue", "cuedeck", "cruxe") if f"{name} =" not in points]
    if said is None or said[1] != metadata["Version"]:
        problems.append(f"cuedeck.__version__ is not {metadata['Version']}")
    if not any(name.endswith("licenses/LICENSE") for name in names):
        problems.append("no LICENSE")
    strange = [
        name for name in names if not name.startswith(("cuedeck/", "cuedeck-")) or "__pycache__" in name
    ]
    return problems + [f"{name} does not belong here" for name in strange]


def check_model(wheel: Path) -> list[str]:
    """What is wrong with the model's wheel."""
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        wanted = {f"cuedeck_minilm/{name}" for name in ("__init__.py", "model.onnx", "tokenizer.json")}
        if missing := wanted - names:
            return [f"{name} is missing" for name in sorted(missing)]
        digest = hashlib.sha256(archive.read("cuedeck_minilm/model.onnx")).hexdigest()
        promised = archive.read("cuedeck_minilm/__init__.py").decode()
        notices = [name for name in names if name.endswith(("licenses/LICENSE", "licenses/NOTICE"))]
    problems = [] if digest in promised else [f"model.onnx is {digest}, not what the package promises"]
    return problems if len(notices) == 2 else [*problems, "LICENSE or NOTICE is missing"]


def check_native(wheel: Path) -> list[str]:
    """What is wrong with the accelerator's wheel, which is for this platform and this very source."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        sources = archive.read("cuedeck_native/sources.py").decode()
    problems = [
        f"the compiled {name} is missing"
        for name in ("tree", "words", "columns", "expressions", "extraction/draft", "languages/python")
        if not any(
            path.startswith(f"cuedeck_native/{name}.") and path.endswith((".so", ".pyd")) for path in names
        )
    ]
    for found in re.finditer(r"'((?:code|search)/[\w/]+\.py)': '(\w{64})'", sources):
        if hashlib.sha256((ROOT / "src" / "cuedeck" / found[1]).read_bytes()).hexdigest() != found[2]:
            problems.append(f"{found[1]} has changed since it was compiled")
    licences = {"cuedeck_native/LICENSE.tree-sitter", "cuedeck_native/LICENSE.unicode"}
    return problems + [f"{name} is missing" for name in sorted(licences - set(names))]


def prove_install(wheels: list[Path], scratch: Path) -> str:
    """Install as a user would, from a folder of wheels, without network or cache, and ask for the version."""
    house = scratch / "wheelhouse"
    wheelhouse.fill(house)
    for wheel in wheels:
        shutil.copy(wheel, house)
    environment = {
        **os.environ,
        "UV_TOOL_DIR": str(scratch / "tools"),
        "UV_TOOL_BIN_DIR": str(scratch / "bin"),
        "UV_CACHE_DIR": str(scratch / "cache"),
        "UV_LINK_MODE": "hardlink",
    }
    command = [uv(), "tool", "install", "--quiet", "--offline", "--no-index", "--find-links", str(house)]
    optional = [
        option
        for name in NAMES.values()
        if any(wheel.name.startswith(name) for wheel in wheels)
        for option in ("--with", name.replace("_", "-"))
    ]
    subprocess.run(
        [*command, "--python", sys.executable, *optional, "cuedeck"],
        env=environment,
        check=True,
        timeout=300,
    )
    cue = [str(scratch / "bin" / "cue"), "--version"]
    return subprocess.run(
        cue, capture_output=True, text=True, check=True, timeout=60, cwd=scratch
    ).stdout.strip()


def _metadata(archive: zipfile.ZipFile) -> dict[str, str]:
    name = next(name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
    return dict(Parser().parsestr(archive.read(name).decode()).items())


def main() -> None:
    """Build, check, describe; stop at the first thing that is wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "dist")
    parser.add_argument("--install", action="store_true", help="prove the installation from a wheelhouse")
    parser.add_argument("--offline", action="store_true", help="build with this environment's hatchling")
    chosen = parser.parse_args()
    # As in the Makefile: else uv fails behind a company's proxy where pip does not.
    if Path("/etc/ssl/certs/ca-certificates.crt").exists():
        os.environ.setdefault("UV_SYSTEM_CERTS", "1")
    package = build(ROOT, chosen.out, isolated=not chosen.offline)
    model = build(MODEL, chosen.out, isolated=not chosen.offline)
    native = build(NATIVE, chosen.out, isolated=not chosen.offline)
    problems = check_package(package) + check_model(model) + check_native(native)
    problems += [f"{one.name} is under {one.licence}" for one in forbidden(runtime())]
    if problems:
        raise SystemExit("\n".join(problems))
    sbom.write(chosen.out / "cuedeck.cdx.json")
    for path in (package, model, native, chosen.out / "cuedeck.cdx.json"):
        sys.stdout.write(f"{path.stat().st_size / 2**20:8.2f} MB  {path.name}\n")
    if chosen.install:
        with tempfile.TemporaryDirectory(prefix="cuedeck-release-") as scratch:
            version = prove_install([package, model, native], Path(scratch))
        sys.stdout.write(f"installed from a wheelhouse: {version}\n")


if __name__ == "__main__":
    main()
