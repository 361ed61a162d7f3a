"""Callers: what a parameter without a type is given, in a language that has no types to say so."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Iterator
from typing import Final

from cuedeck.code.facts import OP_MASK, ROLE_SHIFT, Bind, Op, Role
from cuedeck.code.resolution.ancestry import Ancestry
from cuedeck.code.resolution.generics import settled
from cuedeck.code.resolution.values import CLASS, FUNCTION, SINGLETON, Symbol, Target, Targets, Value, Values

# Of what is called in more places than that, nothing is found out.
_MAX_FILES: Final = 60
_MAX_SITES: Final = 80
_MAX_HEIRS: Final = 8


class Callers(Ancestry):
    """The part of the linker that looks at the calls of a function to learn what it is given."""

    @abstractmethod
    def files_naming(self, name: str) -> Collection[str]:
        """The files in which a name occurs."""

    def told_later(self, symbol: Symbol) -> Values:
        found = super().told_later(symbol)
        if found or not self.rules_of(symbol.path).asks_callers:
            return found
        return self.given_by_calls(symbol)

    def given_by_calls(self, parameter: Symbol) -> Values:
        """What the calls of a function give one of its parameters."""
        function = self.function_of(parameter)
        names = [name for _, name in self.parameter_names(Value(FUNCTION, parameter.path, parameter.scope))]
        number = self.links(parameter.path).string_numbers[parameter.name]
        if function is None or number not in names:
            return ()
        position, found = names.index(number), list[Value]()
        for path, arguments in self.calls_of(function):
            if position < len(arguments):
                found += self.evaluate(path, arguments[position])
        return settled(found)

    def function_of(self, parameter: Symbol) -> Symbol | None:
        """The function that a parameter is of."""
        links = self.links(parameter.path)
        scopes, kinds = links.bindings[4], links.bindings[3]
        for binding, scope in enumerate(scopes):
            if scope == parameter.scope and kinds[binding] == Bind.FUNCTION:
                name = links.strings[links.bindings[1][binding]]
                return Symbol(parameter.path, links.bindings[0][binding], name)
        return None

    def calls_of(self, function: Symbol) -> Iterator[tuple[str, tuple[int, ...]]]:
        """The arguments of every call that certainly runs a function."""
        made = function.name in self.rules_of(function.path).constructors
        owner = Value(CLASS, function.path, function.scope)
        name = self.class_name(owner) if made else function.name
        paths = self.files_naming(name) if name else ()
        sites = [(p, s) for p in paths for s in self.links(p).sites.get(self.links(p).string_numbers[name])]
        if len(paths) > _MAX_FILES or len(sites) > _MAX_SITES:
            return
        for path, site in sites:
            links = self.links(path)
            if links.ops[site] >> ROLE_SHIFT != Role.CALL:
                continue
            callee = self.maker_of(path, site) if made else site
            if callee in links.arguments and self.runs(path, site, function, made=made):
                yield path, links.arguments[callee]

    def supplied(self, path: str, scope: int, name: str) -> Targets:
        """What the classes that descend from the one around a scope declare by a name that it has not."""
        links = self.links(path)
        owner = Value(CLASS, path, links.scopes[scope].owner)
        label = self.class_name(owner) if owner.scope >= 0 else ""
        paths = self.files_naming(label) if label and label != SINGLETON else ()
        found: dict[Target, None] = {}
        for other in paths if len(paths) <= _MAX_FILES else ():
            for heir in self.descending(other, label, owner):
                member = self.member(heir, name)
                found |= {member: None} if member is not None else {}
        return tuple(found) if len(found) <= _MAX_HEIRS else ()

    def descending(self, path: str, label: str, owner: Value) -> Iterator[Value]:
        """The classes of a file that name a class as their parent."""
        links = self.links(path)
        sites = links.sites.get(links.string_numbers.get(label, -1))
        parents = {s for s in sites if links.ops[s] >> ROLE_SHIFT == Role.EXTENDS}
        for scope, row in enumerate(links.scope_rows()) if parents else ():
            named = parents.intersection(links.lists[row.bases])
            if any(v[:3] == owner[:3] for site in named for v in self.evaluate(path, site)):
                yield Value(CLASS, path, scope)

    def maker_of(self, path: str, site: int) -> int:
        """The callee of ``X.new``, which follows X."""
        links = self.links(path)
        follows = site + 1 < len(links.ops) and links.ops[site + 1] & OP_MASK == Op.ATTR
        return site + 1 if follows and links.a[site + 1] == site else -1

    def runs(self, path: str, site: int, function: Symbol, *, made: bool) -> bool:
        """Whether calling what stands at a site runs a function."""
        if not made:
            return function in self.targets(path, site)
        values = [v for v in self.evaluate(path, site) if v.tag == CLASS]
        return any(self.member(value, function.name) == function for value in values)
