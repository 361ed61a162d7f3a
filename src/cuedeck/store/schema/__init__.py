"""Numbered migrations, one module per domain, found by being in this folder."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from hashlib import blake2b
from typing import Literal

from cuedeck.store.ddl import Step, Table
from cuedeck.store.protocol import TextSpec

DatabaseName = Literal["state", "index"]


@dataclass(frozen=True)
class Migration:
    """What one numbered change of a domain does to one database."""

    database: DatabaseName
    domain: str
    number: int
    steps: tuple[Step, ...]

    @cached_property
    def digest(self) -> str:
        """What tells two forms of a migration apart; the weights of a text index are not stored."""
        told = [
            (step.name, [name for name, _ in step.fields]) if isinstance(step, TextSpec) else repr(step)
            for step in self.steps
        ]
        return blake2b(repr(told).encode(), digest_size=8).hexdigest()


_registered: dict[tuple[str, str, int], Migration] = {}


def migration(
    database: DatabaseName, domain: str, number: int
) -> Callable[[Callable[[], Sequence[Step]]], Migration]:
    """Register the steps a function returns; a migration that has shipped is never edited."""

    def register(build: Callable[[], Sequence[Step]]) -> Migration:
        made = Migration(database, domain, number, tuple(build()))
        if database == "index" and any(isinstance(step, Table) and step.audited for step in made.steps):
            raise ValueError(f"{domain}: only the state database has a change log")
        if _registered.setdefault((database, domain, number), made) != made:
            raise ValueError(f"migration {database}/{domain}/{number} is registered twice")
        return made

    return register


@cache
def migrations(database: DatabaseName) -> tuple[Migration, ...]:
    """Every migration of a database, in the order in which they apply."""
    for module in pkgutil.iter_modules(__path__):
        importlib.import_module(f"{__name__}.{module.name}")
    chosen = [made for (name, _, _), made in _registered.items() if name == database]
    # The change log comes first: other domains' triggers write to it.
    return tuple(sorted(chosen, key=lambda m: (m.domain != "changes", m.domain, m.number)))
