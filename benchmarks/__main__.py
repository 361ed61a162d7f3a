"""Run every benchmark in its own process and write what each printed to RESULTS.md."""

from __future__ import annotations

import datetime
import os
import platform
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent
PACKAGES = ["apsw", "mcp", "numpy", "onnxruntime", "psycopg", "pygit2", "tree-sitter", "watchfiles"]


def modules() -> list[str]:
    chosen = sys.argv[1:]
    names = sorted(path.stem for path in HERE.glob("*_*.py"))
    return [name for name in names if not name.startswith("_") and (not chosen or name in chosen)]


def processor() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    return next(
        (line.partition(":")[2].strip() for line in lines if line.startswith("model name")),
        platform.processor(),
    )


def run(name: str) -> str:
    print(f"{name} …", flush=True)
    ended = subprocess.run(
        [sys.executable, "-m", f"benchmarks.{name}"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=3600,
    )
    failure = (
        "" if ended.returncode == 0 else f"\n\nEnded with code {ended.returncode}:\n\n{ended.stderr[-2000:]}"
    )
    print(ended.stdout or failure, flush=True)
    return f"## {name}\n\n```\n{ended.stdout.strip()}{failure}\n```\n"


def main() -> None:
    head = [
        "# Results",
        "",
        "Written by `make bench`. Ratios within one run count; wall times vary with the machine's load.",
        "",
        f"- Date: {datetime.date.today().isoformat()}",
        f"- Machine: {processor()}, {os.cpu_count()} cores, {platform.system()} {platform.release()}",
        f"- Python {platform.python_version()}; " + ", ".join(f"{name} {version(name)}" for name in PACKAGES),
        "",
    ]
    sections = [run(name) for name in modules()]
    (HERE / "RESULTS.md").write_text("\n".join(head) + "\n" + "\n".join(sections), encoding="utf-8")


if __name__ == "__main__":
    main()
