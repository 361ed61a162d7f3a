"""Parameters without types: what a constructor is given without saying what, its instances keep."""

from __future__ import annotations

from cuedeck.code.facts import INSTANCE, OP_MASK, Bind, Op, ScopeKind
from cuedeck.code.resolution.generics import Generics
from cuedeck.code.resolution.values import FUNCTION, PARAMETER, Symbol, Value, Values


class Untyped(Generics):
    """The part of the linker for which a class without types is generic in what it is made from."""

    def _parameters(self, path: str, scope: int) -> Values:
        found = super()._parameters(path, scope)
        is_class = self.links(path).scopes[scope].kind == ScopeKind.CLASS
        return found or (self.kept_parameters(path, scope) if is_class else ())

    def kept_parameters(self, path: str, scope: int) -> Values:
        """What a class is told by its constructor's parameters, where none has a type, if it keeps them."""
        links, maker = self.links(path), self.rules_of(path).untyped_constructor
        made = links.names[scope].get(links.string_numbers.get(maker, -1), ()) if maker else ()
        if len(made) != 1 or links.bindings[3][made[0]] != Bind.FUNCTION:
            return ()
        inner = links.bindings[4][made[0]]
        hints, defaults = links.bindings[4:]
        taken = self.parameter_names(Value(FUNCTION, path, inner))
        if not taken or any(hints[binding] for binding, _ in taken):
            return ()
        kept = {
            links.b[y]
            for bindings in links.names[scope].values()
            for b in bindings
            if links.bindings[3][b] == Bind.VARIABLE | INSTANCE
            and links.ops[y := links.bindings[5][b]] & OP_MASK == Op.NAME
            and links.a[y] == inner
        }
        names = [name for binding, name in taken if name in kept and not defaults[binding]]
        return tuple(kept_parameter(path, scope, links.strings[name]) for name in names)

    def owner_wanted(self, path: str, given: int, wanted: int) -> Values:
        """What an expression is; of a member that stands without an owner, what is expected there."""
        links = self.links(path)
        stands_alone = links.ops[given] & OP_MASK == Op.MODULE
        expected = self.concrete(self.evaluate(path, wanted)) if stands_alone else ()
        return expected or self.evaluate(path, given)

    def told_later(self, symbol: Symbol) -> Values:
        """What a constructor's parameter without a type is: what each instance was made from."""
        links = self.links(symbol.path)
        maker = self.rules_of(symbol.path).untyped_constructor
        if not maker or links.methods.get(symbol.scope) != links.string_numbers.get(maker, -1):
            return ()
        owner = links.scopes[symbol.scope].owner
        found = kept_parameter(symbol.path, owner, symbol.name)
        return (found,) if found in self.parameters(symbol.path, owner) else ()


def kept_parameter(path: str, scope: int, name: str) -> Value:
    """The type parameter that a constructor's parameter without a type is, written as no name can be."""
    return Value(PARAMETER, path, scope, name=f"({name})")
