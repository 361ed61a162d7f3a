"""A ref as type checkers read it: of a module beside which a stub stands, others see the stub alone."""

from __future__ import annotations

from cuedeck.code.languages import language_named
from cuedeck.code.resolution.rules import Rules
from cuedeck.code.snapshot import Snapshot


class Checked(Snapshot):
    """The files of a snapshot, linked by the rules of those who check types."""

    def __init__(self, run: Snapshot) -> None:
        super().__init__(run.ref, run.files, run.cache, run._read, lambda: run.symbolic_links)
        self.lock = run.lock
        self._run = run

    def rules(self, path: str) -> Rules:
        language = self.files[path].language
        found = self._rules.get(language)
        if found is None:
            known = language_named(language)
            kind = known.rules if known is not None else Rules
            found = self._rules[language] = (kind.checking() or kind)(self.linker)
        return found

    def _named(self, name: str) -> tuple[list[str], list[str]]:
        return self._run._named(name)
