"""Install what `make bench` compares with, each in a place of its own below .venv/peers.

python scripts/peers.py          # ctags and ripgrep come from the system: apt install universal-ctags ripgrep
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

PEERS = Path(__file__).parents[1] / ".venv" / "peers"
PYTHON = ("jedi==0.20.1", "basedpyright==1.40.2", "obsidiantools==0.11.0", "dbos==3.3.0")
NODE = (
    "@sourcegraph/scip-python@0.6.6",
    "@sourcegraph/scip-typescript@0.4.0",
    "@modelcontextprotocol/server-memory@2026.8.31",
)
SYSTEM = {"ctags": "universal-ctags", "rg": "ripgrep"}


def main() -> int:
    """Install what is missing and say what only the system can give."""
    PEERS.mkdir(parents=True, exist_ok=True)
    if not (PEERS / "python").exists():
        subprocess.run([sys.executable, "-m", "venv", PEERS / "python"], check=True)
    subprocess.run([PEERS / "python" / "bin" / "python", "-m", "pip", "install", "-q", *PYTHON], check=True)
    absent = [package for command, package in SYSTEM.items() if shutil.which(command) is None]
    npm = shutil.which("npm")
    if npm is None:
        absent.append("npm")
    else:
        place = PEERS / "npm"
        place.mkdir(exist_ok=True)
        # With --prefix npm would not read the system's settings, and without a package it would look upwards.
        (place / "package.json").write_text("{}\n")
        command = [npm, "install", "--no-audit", "--no-fund", "--loglevel=error", *NODE]
        if subprocess.run(command, cwd=place).returncode:
            absent += NODE
    if absent:
        sys.stdout.write(f"Not here, and left out of the comparison: {', '.join(absent)}\n")
    return 1 if absent else 0


if __name__ == "__main__":
    raise SystemExit(main())
