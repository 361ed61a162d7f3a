"""Run benchmarks, each in its own process, and write what they printed to RESULTS.md.

python -m benchmarks [--full] [NAME...]      # sections of those that are not run stay as they are

All of them take less than half an hour; ``--full`` does not shorten those that mainly repeat.
"""

from __future__ import annotations

import argparse
import datetime
import os
import platform
import re
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path

from benchmarks.corpora import given
from benchmarks.yardstick import lookup_nanoseconds

HERE = Path(__file__).parent
ROOT = HERE.parent
RESULTS = HERE / "RESULTS.md"
PACKAGES = ["apsw", "mcp", "numpy", "onnxruntime", "psycopg", "pygit2", "tree-sitter", "watchfiles"]
SECONDS = 600
FULL_SECONDS = 3600
HEARD_SECONDS = 30.0


def chosen() -> tuple[list[str], bool]:
    """The benchmarks that were named, or all of them; and whether in full."""
    names = sorted(path.stem for path in HERE.glob("*_*.py") if not path.stem.startswith("_"))
    parser = argparse.ArgumentParser(prog="python -m benchmarks")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(names)}, soak")
    parser.add_argument("--full", action="store_true", help="the long ones in full, which takes an hour")
    asked = parser.parse_args()
    if unknown := set(asked.names) - {*names, "soak"}:
        sys.exit(f"No such benchmark: {', '.join(sorted(unknown))}. There are: {', '.join(names)}, soak")
    return asked.names or names, asked.full


def processor() -> str:
    """What the machine calls its processor."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    return next(
        (line.partition(":")[2].strip() for line in lines if line.startswith("model name")),
        platform.processor(),
    )


def run(name: str, *, full: bool) -> tuple[str, bool]:
    """The section of one benchmark, and whether it ended well."""
    with given(name, full=full) as on:
        if on.skipped:
            return f"Skipped: {on.skipped}.", True
        command = [sys.executable, "-W", "ignore", "-m", f"benchmarks.{name}", *on.arguments]
        with _heard_of(name):
            said, outcome = _said(command, {**os.environ, **on.environ}, FULL_SECONDS if full else SECONDS)
        note = f"{on.note}\n\n" if on.note else ""
    return f"{note}```\n{_neutral(said + outcome)}\n```", not outcome


def _said(command: list[str], environ: dict[str, str], seconds: float) -> tuple[str, str]:
    """What a benchmark printed, and what to add when it did not end well."""
    with subprocess.Popen(
        command,
        cwd=ROOT,
        env=environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,
    ) as running:
        try:
            said, complaint = running.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            _end_with_its_own(running)
            said, _ = running.communicate()
            return said.strip(), f"\n\nNot finished after {seconds} s."
        except BaseException:
            _end_with_its_own(running)
            raise
    ended = running.returncode
    return said.strip(), f"\n\nEnded with code {ended}:\n\n{complaint[-2000:]}" if ended else ""


def _end_with_its_own(running: subprocess.Popen[str]) -> None:
    """What it started holds its pipes open, and would be waited for."""
    os.killpg(running.pid, signal.SIGKILL)


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


def _children_cpu() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _circumstances(before: float) -> str:
    load = os.getloadavg()[0] / (os.cpu_count() or 1)
    lookups = f"{before:.0f} and {lookup_nanoseconds():.0f} ns a look-up before and after"
    return f"{datetime.date.today().isoformat()}, load {load:.1f} per core, {lookups}"


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
        "Written by `make bench`. Ratios within one run count; times vary with the machine. How quick it was "
        "then tells a look into a large dictionary (`benchmarks/yardstick.py`) beside each benchmark.",
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
    names, full = chosen()
    for number, name in enumerate(names, 1):
        print(f"{number} of {len(names)}: {name} …", flush=True)
        before = lookup_nanoseconds()
        started, used = time.monotonic(), _children_cpu()
        section, well = run(name, full=full)
        if not well:
            failed.append(name)
        told = _circumstances(before)
        if not section.startswith("Skipped") or name not in kept:
            kept[name] = section if section.startswith("Skipped") else f"{told}\n\n{section}"
        took, cpu = time.monotonic() - started, _children_cpu() - used
        print(f"{section}\n{took:.0f} s, {cpu:.0f} s of CPU\n", flush=True)
        write(kept)
    print("All ended well." if not failed else f"Ended badly: {', '.join(failed)}")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
