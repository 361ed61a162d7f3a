"""Index code, on any branch."""

from __future__ import annotations

import click

from cuedeck.cli.frame import Here
from cuedeck.cli.frame import command as define


@define("index", json=True)
@click.option("--ref", help="Branch, tag or commit; the checked-out one when left out.")
@click.option("--force", is_flag=True, help="Read everything anew.")
def command(here: Here, ref: str | None, force: bool) -> None:
    """Index code, on any branch; what is already known is not read again, so it resumes where it stopped."""
    with here.open() as workspace:
        code = workspace.code
        wanted = code.wanted(ref)
        with here.output.progress(f"Indexing {wanted.shown}") as progress:
            done = code.index(wanted, force=force, progress=lambda part, note: progress(part, 1.0, note))
        skipped = code.problems(wanted)
    value = {
        "ref": wanted.shown,
        "mode": done.mode,
        "file_count": done.files,
        "symbol_count": done.symbols,
        "changed_files": done.changed,
        "duration_ms": done.milliseconds,
        "skipped": [{"path": path, "reason": reason} for path, reason in skipped],
    }

    def human() -> str:
        lines = [f"{wanted.shown}: {done.files} files, {done.symbols} symbols, {done.changed} newly read."]
        lines += [f"  skipped {path}: {reason}" for path, reason in skipped[:20]]
        if len(skipped) > 20:
            lines.append(f"  … and {len(skipped) - 20} more")
        return "\n".join(lines)

    here.output.show(value, human)
