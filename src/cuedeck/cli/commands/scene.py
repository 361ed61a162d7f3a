"""Write one snapshot of what an agent should know now."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from cuedeck.cli.frame import Here
from cuedeck.cli.frame import command as define

if TYPE_CHECKING:
    from cuedeck.scene.compose import Scene


@define("scene", json=True)
@click.option("-d", "--dry-run", is_flag=True, help="Print it instead of writing and copying it.")
@click.option("--token-limit", type=click.IntRange(min=1), metavar="N", help="At most so many tokens.")
def command(here: Here, dry_run: bool, token_limit: int | None) -> None:
    """Collect the active cards and what they refer to into .cuedeck/SCENE.md and the clipboard."""
    with here.open() as workspace:
        with here.output.progress("Indexing") as progress:
            workspace.documents.refresh(lambda done, total: progress(done, total))
        scene = workspace.scene.build(token_limit=token_limit)
        if dry_run:
            here.output.show(as_json(scene, None, None), scene.text.rstrip("\n"))
            here.output.note(summary(scene))
            return
        path = workspace.scene.write(scene).relative_to(workspace.root.resolve()).as_posix()
    from cuedeck.scene.clipboard import copy

    copied = copy(scene.text)
    if here.output.as_json:
        here.output.json(as_json(scene, path, copied))
    place = f"{path}, copied with {copied}" if copied else f"{path}, not copied: no clipboard"
    here.output.note(f"{summary(scene)} → {place}")


def summary(scene: Scene) -> str:
    """One line about a scene."""
    parts = [
        f"{scene.cards} active {'card' if scene.cards == 1 else 'cards'}",
        f"{scene.documents} {'document' if scene.documents == 1 else 'documents'}",
        f"{scene.tokens} of {scene.limit} tokens",
    ]
    if scene.left_out:
        parts.append(f"{len(scene.left_out)} left out")
    if scene.masked:
        parts.append(f"{scene.masked} {'secret' if scene.masked == 1 else 'secrets'} masked")
    return "Scene: " + ", ".join(parts)


def as_json(scene: Scene, path: str | None, copied: str | None) -> dict[str, object]:
    """A scene for programs; the text itself only when it was not written."""
    value: dict[str, object] = {
        "path": path,
        "copied_with": copied,
        "tokens": scene.tokens,
        "limit": scene.limit,
        "cards": scene.cards,
        "documents": scene.documents,
        "left_out": [{"name": each.name, "tokens": each.tokens} for each in scene.left_out],
        "masked": scene.masked,
    }
    if path is None:
        value["text"] = scene.text
    return value
