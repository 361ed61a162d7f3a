"""Run benchmarks, each in its own process, and write what they printed to RESULTS.md.

python -m benchmarks [NAME...]       # sections of those that are not run stay as they are
"""

from __future__ import annotations

import datetime
import os
import platform
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path

from benchmarks.corpora import given

HERE = Path(__file__).parent
ROOT = HERE.parent
RESULTS = HERE / "RESULTS.md"
PACKAGES = ["apsw", "mcp", "numpy", "onnxruntime", "psycopg", "pygit2", "tree-sitter", "watchfiles"]
SECONDS = 1800
HEARD_SECONDS = 30.0


def modules() -> list[str]:
    """The benchmarks that were named, or all of them."""
    names = sorted(path.stem for path in HERE.glob("*_*.py") if not path.stem.startswith("_"))
    unknown = set(sys.argv[1:]) - {*names, "soak"}
    if unknown:
        sys.exit(f"No such benchmark: {', '.join(sorted(unknown))}. There are: {', '.join(names)}, soak")
    return sys.argv[1:] or names


def processor() -> str:
    """What the machine calls its processor."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    return next(
        (line.partition(":")[2].strip() for line in lines if line.startswith("model name")),
        platform.processor(),
    )


def run(name: str) -> tuple[str, bool]:
    """The section of one benchmark, and whether it ended well."""
    with given(name) as chosen:
        if chosen.skipped:
            return f"Skipped: {chosen.skipped}.", True
        command = [sys.executable, "-W", "ignore", "-m", f"benchmarks.{name}", *chosen.arguments]
        environ = {**os.environ, **chosen.environ}
        try:
            with _heard_of(name):
                ended = subprocess.run(
                    command,
                    cwd=ROOT,
                    env=environ,
                    capture_output=True,
                    text=True,
                    check=False,
                    timeout=SECONDS,
                )
            said, failure = ended.stdout.strip(), ended.stderr[-2000:] if ended.returncode else ""
            outcome = f"\n\nEnded with code {ended.returncode}:\n\n{failure}" if ended.returncode else ""
        except subprocess.TimeoutExpired as late:
            said = (late.stdout or b"").decode(errors="replace").strip()
            outcome = f"\n\nNot finished after {SECONDS} s."
        note = f"{chosen.note}\n\n" if chosen.note else ""
    return f"{note}```\n{_neutral(said + outcome)}\n```", not outcome


@contextmanager
def _heard_of(name: str) -> Iterator[None]:
    """A word every half minute, so that whoever waits knows that something is going on."""
    started, over = time.monotonic(), threading.Event()

    def tell() -> None:
        while not over.wait(HEARD_SECONDS):
            print(f"  {name}: {time.monotonic() - started:.0f} s so far", flush=True)

    teller = threading.Thread(target=tell, daemon=True)
    teller.start()
    try:
        yield
    finally:
        over.set()
        teller.join()


def _neutral(text: str) -> str:
    """Without the folders of this machine."""
    return text.replace(str(ROOT), ".").replace(str(Path.home()), "~")


def sections(text: str) -> dict[str, str]:
    """What RESULTS.md holds by benchmark."""
    return {
        match[1]: match[2].strip()
        for match in re.finditer(r"^## (\w+)\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    }


def write(kept: dict[str, str]) -> None:
    """Everything known, in order."""
    head = [
        "# Results",
        "",
        "Written by `make bench`. Ratios within one run count; wall times vary with the machine's load.",
        "",
        f"- Machine: {processor()}, {os.cpu_count()} cores, {platform.system()} {platform.release()}",
        f"- Python {platform.python_version()}; " + ", ".join(f"{name} {version(name)}" for name in PACKAGES),
        "- What the benchmarks are run on: `benchmarks/corpora.py`; peers: `scripts/peers.py`",
        "",
    ]
    body = [f"## {name}\n\n{text}\n" for name, text in sorted(kept.items())]
    RESULTS.write_text("\n".join(head) + "\n" + "\n".join(body), encoding="utf-8")


def main() -> int:
    """Run, and write after each, so that nothing measured is lost."""
    kept = sections(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    failed = []
    names = modules()
    for number, name in enumerate(names, 1):
        print(f"{number} of {len(names)}: {name} …", flush=True)
        started = time.monotonic()
        section, well = run(name)
        if not well:
            failed.append(name)
        load = os.getloadavg()[0] / (os.cpu_count() or 1)
        told = f"{datetime.date.today().isoformat()}, load {load:.1f} per core"
        if not section.startswith("Skipped") or name not in kept:
            kept[name] = section if section.startswith("Skipped") else f"{told}\n\n{section}"
        print(f"{section}\n{time.monotonic() - started:.0f} s\n", flush=True)
        write(kept)
    print("All ended well." if not failed else f"Ended badly: {', '.join(failed)}")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
