"""What is outside the project, and what the project adds to it."""

from __future__ import annotations

from abc import abstractmethod
from functools import cached_property
from typing import Final

from cuedeck.code.resolution.calls import Calls
from cuedeck.code.resolution.keyed import T
from cuedeck.code.resolution.rules import Files
from cuedeck.code.resolution.values import EXTERNAL, MODULE, PACKAGE, Target, Targets, Value, Values, unique

# Behind a package's name: any of its types.
ANY_TYPE: Final = "*"
_ANY_DEPTH: Final = 99


class Foreign(Calls):
    """The part of the linker that knows foreign modules and types by name only."""

    project: Files

    @abstractmethod
    def module_member(self, module: Value, name: str) -> Targets:
        """What a module calls by that name."""

    def knows(self, path: str, number: int) -> bool:
        """Whether anything is known of the foreign module that an import names.

        Where it is not installed, what everybody knows of it is an assumption.
        """
        absent: bool = self.solve(("absent", path, number), self._is_absent, path, number)
        return not absent

    def _is_absent(self, path: str, number: int) -> bool:
        return (
            self.rules_of(path).is_absent(path, self.links(path).imports[number].module)
            and not self.assumes()
        )

    def taken_by_dot(self, path: str, space: Value, name: str, found: tuple[T, ...]) -> tuple[T, ...]:
        """What a file takes from a module or package by a dot, which may be a module that others load."""
        if space.tag not in (MODULE, PACKAGE) or len(found) != 1 or not self.rules_of(path).loads_modules:
            return found
        module = found[0]
        if not isinstance(module, Value) or module.tag != MODULE:
            return found
        key = ("loaded", path, space, name, module)
        return found if self.solve(key, self._is_loaded, path, space, name, module) else ()

    def _is_loaded(self, path: str, space: Value, name: str, module: Value) -> bool:
        return self.rules_of(path).is_loaded(path, space, name, module) or self.assumes()

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
        members: list[Target] = []
        for place in self.added_to(owner) or self.added_to(self.exported_value(owner)):
            if place.tag == MODULE:
                found += self.module_member(place, name)
            elif member := self.member(place, name):
                members.append(member)
        if members and (
            len(set(members)) == 1 or (self.added_to(owner) and not owner.path.endswith(ANY_TYPE))
        ):
            return tuple(members[:1])
        return (*found, owner._replace(path=f"{owner.path}.{name}"))

    def handed_out(self, foreign: Values) -> Values:
        """What foreign functions hand to those that they are given: of some type of their package.

        It has the members that the project adds to one type of that package only.
        """
        return self.of_packages(foreign, f".{ANY_TYPE}")

    def taken_in(self, foreign: Values) -> Values:
        """What foreign functions are given: nothing is known of it but where it goes."""
        return self.of_packages(foreign, ".()")

    def given_back(self, foreign: Values) -> Values:
        """What functions of foreign modules give; of methods of foreign objects nothing is known."""
        return self.of_packages(foreign, f".{ANY_TYPE}", depth=1)

    def exported_value(self, foreign: Value) -> Value:
        """A value that a foreign module exports, as one of some type of its package."""
        package, rest = self.rules_of(self.adding).added_package(foreign.path) if self.adding else ("", "")
        is_value = rest.count(".") == 1 and rest[1:2].islower()
        return foreign._replace(path=f"{package}.{ANY_TYPE}") if is_value else foreign

    def of_packages(self, foreign: Values, ending: str, *, depth: int = _ANY_DEPTH) -> Values:
        """Something of the packages that foreign things are from, if the project adds to their types."""
        if not foreign or not self.adding or any(v.tag != EXTERNAL or not v.scope for v in foreign):
            return ()
        rules = self.rules_of(self.adding)
        found = [(value, *rules.added_package(value.path)) for value in foreign]
        return unique([v._replace(path=p + ending) for v, p, rest in found if p and rest.count(".") <= depth])

    def added_to(self, foreign: Value) -> Values:
        """The blocks and types in which the project adds members to a foreign module or type."""
        if not foreign.scope or not self.adding:
            return ()
        return tuple(self.rules_of(self.adding).additions(foreign.path))
