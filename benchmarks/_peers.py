"""Where peers are, what a process of theirs costs, and how a comparison is printed."""

from __future__ import annotations

import os
import resource
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

PEERS = Path(__file__).parents[1] / ".venv" / "peers"
PYTHON = PEERS / "python" / "bin"
NODE = PEERS / "npm" / "node_modules" / ".bin"
ABSENT = "not installed: python scripts/peers.py (ctags and ripgrep: apt install universal-ctags ripgrep)"


@dataclass(frozen=True)
class Row:
    """One figure of ours beside one of theirs, in the same unit; lower is better unless said."""

    what: str
    peer: str
    ours: float
    theirs: float
    unit: str
    more_is_better: bool = False

    @property
    def verdict(self) -> str:
        """By what factor who is ahead."""
        better, worse = (self.ours, self.theirs) if not self.more_is_better else (self.theirs, self.ours)
        factor = worse / better if better else float("inf")
        if 0.95 < factor < 1.05:
            return "equal"
        return f"{factor:.1f}x ahead" if factor > 1 else f"{1 / max(factor, 1e-9):.1f}x behind"


def table(rows: Sequence[Row]) -> str:
    """The comparison, one line a figure."""
    return "\n".join(
        f"{row.what:46} ours {row.ours:9.3f} {row.unit:5} {row.peer:14} {row.theirs:9.3f}  {row.verdict}"
        for row in rows
    )


def cpu_of(
    command: Sequence[str | Path], cwd: Path, *, codes: Sequence[int] = (0,), seconds: float = 300
) -> tuple[float, bytes]:
    """CPU seconds of a process with all its children, and what it printed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, cwd=cwd, capture_output=True, check=False, timeout=seconds)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in codes:
        raise RuntimeError(f"{command[0]}: {done.stderr[-500:].decode(errors='replace')}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout


def cpu_so_far(process: int) -> float:
    """CPU seconds of a running process and its children until now."""
    fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    own = sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")
    return own + sum(cpu_so_far(int(child)) for child in children)
