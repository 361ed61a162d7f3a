"""Remove the cache; nothing precious is in it."""

from __future__ import annotations

from cuedeck.cli.frame import Here
from cuedeck.cli.frame import command as define


@define("clean", json=True)
def command(here: Here) -> int:
    """Remove .cuedeck/.cache/ (index, logs, temporary files); everything in it is made again when needed."""
    from cuedeck.daemon.answers import cleaned

    return here.answer(cleaned)
