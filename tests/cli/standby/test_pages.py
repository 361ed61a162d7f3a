"""Pages that commands write to are copied before somebody waits for that."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

SCRIPT = """
import json, mmap, os, resource, sys
from cuedeck.cli.standby import pages

told = os.dup(1)
os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
pages.main(["search", "--help"])
known = pages.pages_of_commands()
faults = []
for ahead in ([], known):
    if os.fork() == 0:
        pages.copy_ahead(ahead)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
        pages.main(["task", "list", "--workspace", sys.argv[1]])
        after = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
        os.write(told, f"{after - before}\\n".encode())
        os._exit(0)
    os.wait()
whole = all(address % mmap.PAGESIZE == length % mmap.PAGESIZE == 0 for address, length in known)
os.write(told, json.dumps([whole, len(known)]).encode())
"""


def test_a_child_that_copied_them_ahead_meets_few_others(tmp_path: Path) -> None:
    work, scratch = tmp_path / "work", tmp_path / "scratch"
    (work / ".cuedeck").mkdir(parents=True)
    scratch.mkdir()
    environ = {**os.environ, "TMPDIR": str(scratch)}
    run = [sys.executable, "-c", SCRIPT, str(work)]
    done = subprocess.run(run, env=environ, capture_output=True, text=True, check=True, timeout=120)
    without, ahead, about = done.stdout.splitlines()
    whole, ranges = json.loads(about)
    assert whole and ranges > 20
    assert int(ahead) < int(without) * 0.7
    assert not list(scratch.iterdir())


def test_settings_of_the_user_have_no_part_in_it(tmp_path: Path) -> None:
    settings = tmp_path / "cuedeck" / "config.toml"
    settings.parent.mkdir()
    settings.write_text("this is not TOML")
    script = "from cuedeck.cli.standby import pages; print(len(pages.pages_of_commands()) > 20)"
    environ = {**os.environ, "XDG_CONFIG_HOME": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", script], env=environ, capture_output=True, text=True, check=True, timeout=120
    )
    assert done.stdout.endswith("True\n") and not done.stderr
