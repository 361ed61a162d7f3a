"""Numbers for texts."""

from __future__ import annotations


class Counted(dict[str, int]):
    """Texts by the order in which they are first asked for."""

    def __missing__(self, text: str) -> int:
        number = self[text] = len(self)
        return number
