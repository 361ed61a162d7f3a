"""Which ref a question is about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

LIVE: Final = "live"


@dataclass(frozen=True, slots=True)
class Wanted:
    """The ref a question is about."""

    name: str
    kind: str
    commit: str | None
    checked_out: bool
    asked: str = ""
    # What was switched to and is no more, so that this is asked about.
    gone: str = ""

    @property
    def shown(self) -> str:
        """The name the caller used."""
        return self.asked or self.name

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a caller is told who meant another ref."""
        return (f"{self.gone}, which was switched to, is gone; this is {self.shown}",) if self.gone else ()

    @property
    def head(self) -> tuple[str | None, str | None]:
        """The branch and commit that git says are checked out where this is."""
        return (None if self.kind == "commit" else self.name), self.commit
