"""What is outside the project, and what the project adds to it."""

from __future__ import annotations

from abc import abstractmethod
from functools import cached_property

from cuedeck.code.resolution.calls import Calls
from cuedeck.code.resolution.rules import Files
from cuedeck.code.resolution.values import EXTERNAL, MODULE, Target, Targets, Value, Values


class Foreign(Calls):
    """The part of the linker that knows foreign modules and types by name only."""

    project: Files

    @abstractmethod
    def module_member(self, module: Value, name: str) -> Targets:
        """What a module calls by that name."""

    @cached_property
    def languages(self) -> tuple[str, ...]:
        """A file of every language of the project: their rules refer back here, and are not held."""
        return tuple({self.rules_of(path): path for path in self.project.paths}.values())

    @cached_property
    def adding(self) -> str:
        """A file of a language in which a project adds members to what is foreign."""
        return next((path for path in self.project.paths if self.rules_of(path).adds_to_foreign), "")

    def foreign(self, path: str, module: str) -> Value:
        """A foreign module; its ``scope`` says whether the project may add to it."""
        return Value(EXTERNAL, module, int(self.rules_of(path).adds_to_foreign))

    def foreign_member(self, owner: Value, name: str) -> Targets:
        """What something foreign calls by that name: what the project adds to it, else something foreign."""
        found: list[Target] = []
        for place in self.added_to(owner):
            if place.tag == MODULE:
                found += self.module_member(place, name)
            elif member := self.member(place, name):
                return (member,)
        return (*found, owner._replace(path=f"{owner.path}.{name}"))

    def added_to(self, foreign: Value) -> Values:
        """The blocks and types in which the project adds members to a foreign module or type."""
        if not foreign.scope or not self.adding:
            return ()
        return tuple(self.rules_of(self.adding).additions(foreign.path))
