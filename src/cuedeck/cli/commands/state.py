"""Export or import the state of a workspace."""

from __future__ import annotations

from pathlib import Path

import click

from cuedeck.cli.frame import Here, group, subcommand
from cuedeck.model.errors import CueError, ErrorCode

command = group("state", "Export or import the state of a workspace.")


def _roots(here: Here) -> tuple[Path, Path]:
    if here.config.store.url is not None:
        raise CueError(
            ErrorCode.CONFIGURATION,
            "State archives are for SQLite workspaces; this one is in PostgreSQL",
            hint="Use pg_dump and pg_restore, as an administrator.",
        )
    from cuedeck.discovery import main_checkout

    return here.root, main_checkout(here.root)


@subcommand(command, "export", json=True)
@click.argument("path", type=click.Path(path_type=Path, dir_okay=False))
def export(here: Here, path: Path) -> None:
    """Write state and index to one portable file (.tar.zst)."""
    from cuedeck.store.archive import export_state

    root, state_root = _roots(here)
    with here.output.progress("Exporting"):
        done = export_state(root, state_root, path)
    value = {"path": str(path), "bytes": done.size, "created_at": done.created_at, "files": dict(done.files)}
    here.output.show(value, f"Wrote {path} ({done.size / 1e6:.1f} MB): {', '.join(done.files)}.")


@subcommand(command, "import", json=True)
@click.argument("path", type=click.Path(path_type=Path, dir_okay=False))
def import_(here: Here, path: Path) -> None:
    """Replace state and index by those of an archive; the old state is kept as a backup."""
    from cuedeck.store.archive import import_state

    root, state_root = _roots(here)
    with here.output.progress("Importing"):
        done, kept = import_state(root, state_root, path, lock_timeout=here.config.core.lock_timeout)
    value = {
        "path": str(path),
        "created_at": done.created_at,
        "files": dict(done.files),
        "backup": str(kept) if kept else None,
    }
    backup = f" The old state is in {kept}." if kept else ""
    here.output.show(value, f"Imported {', '.join(done.files)} of {done.created_at}.{backup}")
