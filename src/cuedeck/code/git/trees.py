"""Where two trees of git differ."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cuedeck.paths import too_long


def differing(before: Any, after: Any) -> Iterator[tuple[str, Any]]:
    """The files that differ between two trees, with the entry of the second; equal folders are not opened."""
    pending = [("", before, after)]
    while pending:
        folder, old, new = pending.pop()
        if old is not None and new is not None and old.id == new.id:
            continue
        mine = {entry.raw_name: entry for entry in old} if old is not None else {}
        theirs = {entry.raw_name: entry for entry in new} if new is not None else {}
        for name in mine.keys() | theirs.keys():
            was, now = mine.get(name), theirs.get(name)
            if was is not None and now is not None and was.id == now.id and was.filemode == now.filemode:
                continue
            try:
                path = folder + name.decode("utf-8")
            except UnicodeDecodeError:
                continue
            if too_long(path):
                continue
            old_folder = was if was is not None and was.type_str == "tree" else None
            new_folder = now if now is not None and now.type_str == "tree" else None
            if old_folder is not None or new_folder is not None:
                pending.append((path + "/", old_folder, new_folder))
            if (was is not None and old_folder is None) or (now is not None and new_folder is None):
                yield path, now if new_folder is None else None
