"""Methods declared elsewhere that are called like a value's own."""

from __future__ import annotations

from collections.abc import Sequence

from cuedeck.code.facts import ROLE_SHIFT, Role, ScopeKind
from cuedeck.code.resolution.receivers import Receivers
from cuedeck.code.resolution.rules import Rules
from cuedeck.code.resolution.values import (
    CLASS,
    FUNCTION,
    INSTANCE,
    Symbol,
    Target,
    Targets,
    Value,
    Values,
    unique,
)


class Extending(Receivers):
    """The part of the linker that knows what extends types."""

    def extended(self, path: str, number: int) -> Targets:
        """The methods declared elsewhere that are called on a value which has none of that name."""
        links, rules = self.links(path), self.rules_of(path)
        if rules.bare_owner and self.is_bare(path, links.a[number], rules.bare_owner):
            return self.name(path, 0, links.strings[links.b[number]])
        called = links.ops[number] >> ROLE_SHIFT == Role.CALL
        if not rules.extension_methods or not (
            called or rules.extension_values or rules.extension_properties
        ):
            return ()
        name = links.strings[links.b[number]]
        methods: Targets = self.solve(("x", rules, name), self._extending, rules, name)
        if rules.extension_properties:
            fitting = [m for m in methods if isinstance(m, Symbol) and self.is_property(m) != called]
            methods = tuple(fitting) if fitting or called else methods
        receivers = [v for v in self.concrete(self.evaluate(path, links.a[number])) if v.tag == INSTANCE]
        seen = [m for m in methods if isinstance(m, Symbol) and rules.reaches(path, m)]
        if name in rules.library_methods:
            label = self.static_label(path, links.a[number])
            seen = [m for m in seen if self.extends_type(m, label)]
        found = tuple([m for m in seen if rules.extension_values or self.extends(m, receivers)])
        return self.by_receiver(path, number, found) if rules.tells_receivers else found

    def lent_values(self, path: str, number: int) -> Values:
        """What the members declared elsewhere give that a value has not itself."""
        found = self.extended(path, number)
        owners = self.concrete(self.evaluate(path, self.links(path).a[number])) if found else ()
        known = [v for v in owners if v.tag in (CLASS, INSTANCE)]
        return unique([v for o in known for t in found for v in self.worth(o, t)]) or self.values(found)

    def unbound(self, path: str, scope: int, name: str) -> Targets:
        """What a name means that nothing around binds: what heirs declare, or a foreign parent was given."""
        rules, links = self.rules_of(path), self.links(path)
        if rules.heirs_supply:
            return self.supplied(path, scope, name)
        owner = links.scopes[scope].owner if rules.extension_values else -1
        while owner >= 0:
            if self.is_foreign_in_part(path, owner):
                return self.solve(("x", rules, name), self._extending, rules, name)  # type: ignore[no-any-return]
            around = links.scopes[owner].parent
            owner = links.scopes[around].owner if around >= 0 else -1
        return ()

    def is_foreign_in_part(self, path: str, scope: int) -> bool:
        """Whether a class, or what an extension extends, has a parent that nobody declares."""
        own = self.links(path).scopes[scope]
        if own.kind == ScopeKind.EXTENSION and not self.evaluate(path, own.result):
            return True
        for place, inner in self.lineage(Value(CLASS, path, scope)):
            links = self.links(place)
            if any(not self.parents(place, base) for base in links.lists[links.scopes[inner].bases]):
                return True
        return False

    def is_bare(self, path: str, owner: int, name: str) -> bool:
        """Whether members of an expression stand by themselves: what it has not is a name like others."""
        links = self.links(path)
        bindings = links.names[0].get(links.string_numbers.get(name, -1), ())
        return any(links.bindings[5][binding] == owner for binding in bindings)

    def extends_type(self, method: Symbol, label: str) -> bool:
        """Whether a method is called on values of a type of the project, or of one that is called so."""
        for function in self.read_or_called(method):
            links = self.links(function.path)
            receiver = Symbol(
                function.path, function.scope, links.strings[links.scopes[function.scope].receiver]
            )
            number = links.names[function.scope][links.string_numbers[receiver.name]][0]
            named = self.type_label(function.path, links.bindings[4][number])
            if (label and named == label) or self.concrete(self.type_of(receiver)):
                return True
        return False

    def read_or_called(self, method: Symbol) -> Sequence[Value]:
        """What is run where a member is meant that is declared elsewhere."""
        return self.extending_functions(method) if self.is_property(method) else self.type_of(method)

    def _extending(self, rules: Rules, name: str) -> Targets:
        return tuple(rules.extending(name))

    def extends(self, method: Symbol, receivers: list[Value]) -> bool:
        """Whether a method may be called on values; one that takes a foreign type, on any."""
        for function in self.read_or_called(method):
            links = self.links(function.path)
            receiver = links.scopes[function.scope].receiver
            taken = self.type_of(Symbol(function.path, function.scope, links.strings[receiver]))
            wanted = {(v.path, v.scope) for v in self.concrete(taken) if v.tag == INSTANCE}
            if not wanted or any(not wanted.isdisjoint(self.lineage(v)) for v in receivers):
                return True
        return False

    def is_refused(self, path: str, found: Sequence[Target], given: tuple[int, ...] | None) -> bool:
        """Whether nothing that values have by a name can be called like that; a method elsewhere may be."""
        rules = self.rules_of(path)
        if given is None or not rules.extension_methods or rules.extension_values:
            return False
        functions = [f for t in found if isinstance(t, Symbol) for f in self.type_of(t) if f.tag == FUNCTION]
        return not any(self.takes(f, len(given)) and self.fit(path, f, given) >= 0 for f in functions)
