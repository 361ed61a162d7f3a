"""Different things that one scope calls by one name, told apart by where they are seen from."""

from __future__ import annotations

from abc import abstractmethod
from typing import Final

from cuedeck.code.facts import BIND_MASK, ROLE_SHIFT, TYPE_BINDS, Bind, Role, ScopeKind
from cuedeck.code.resolution.extending import Extending
from cuedeck.code.resolution.values import CLASS, INSTANCE, SUPER, Symbol, Target, Targets, Value

_VALUES: Final = frozenset({Bind.VARIABLE, Bind.PARAMETER, Bind.FUNCTION})


class Namesakes(Extending):
    """The part of the linker that chooses between them."""

    @abstractmethod
    def linked(self, path: str, binding: int) -> Targets:
        """Where a binding that only forwards leads."""

    def renamed(self, path: str, scope: int, name: str) -> set[Target]:
        """What a scope only gives out under a name: ``export { left as Left }``."""
        links = self.links(path)
        if not self.rules_of(path).renames_exports:
            return set()
        bindings = links.names[scope].get(links.string_numbers[name], ())
        return {t for b in bindings if links.bindings[3][b] == Bind.LINK for t in self.linked(path, b)}

    def seen_inside(self, path: str, scope: int, name: str, found: Targets) -> Targets:
        """What a scope itself means by a name: its own, not what it gives out under that name."""
        own = Symbol(path, scope, name)
        others = self.renamed(path, scope, name) - {own} if own in found else set()
        return tuple(target for target in found if target not in others)

    def given_out(self, module: Value, name: str, found: Targets) -> Targets:
        """What others see under a name: not what a module keeps to itself beside what it gives out."""
        own = Symbol(module.path, module.scope, name)
        if own not in found or not self.renamed(module.path, module.scope, name) - {own}:
            return found
        links = self.links(module.path)
        sites = links.sites.get(links.string_numbers[name])
        if any(links.ops[site] >> ROLE_SHIFT == Role.EXPORT for site in sites):
            return found
        return tuple(target for target in found if target != own)

    def in_place(self, found: list[Target], is_type: bool) -> list[Target]:
        """Of members of one name those that are types where a type stands, else those that are not."""
        kinds = [self.kinds_of(target) if isinstance(target, Symbol) else set() for target in found]
        if is_type:
            kept = [t for t, k in zip(found, kinds, strict=True) if not TYPE_BINDS.isdisjoint(k)]
        else:
            kept = [t for t, k in zip(found, kinds, strict=True) if k != {Bind.ALIAS}]
        return kept or found

    def type_outside(self, path: str, name: str, found: Targets) -> Targets:
        """What a name means in a type: something further out, where all that is nearer are values."""
        nearer = min((t.scope for t in found if isinstance(t, Symbol) and t.path == path), default=0)
        if not nearer or not all(map(self.is_value, found)):
            return () if self.is_function(path, found) else found
        outside = self.name(path, self.links(path).scopes[nearer].parent, name)
        outside = self.type_outside(path, name, outside)
        return found if all(map(self.is_value, outside)) else outside

    def global_value(self, path: str, found: Targets) -> Targets:
        """What a name means as a value that a global block has as a type only: another one's variable."""
        only = found[0] if len(found) == 1 else None
        if not isinstance(only, Symbol) or self.kinds_of(only) != {Bind.CLASS}:
            return found
        rules = self.rules_of(path)
        for module in rules.ambient(path, only.name) if rules.adds_to_language(only) else ():
            for target in self.module_member(module, only.name):
                if isinstance(target, Symbol) and not self.kinds_of(target).isdisjoint(_VALUES):
                    return (target,)
        return found

    @abstractmethod
    def module_member(self, module: Value, name: str) -> Targets:
        """What a module calls by that name."""

    def is_function(self, path: str, found: Targets) -> bool:
        """Whether a name of a file is a function's only, which makes nothing and is no type."""
        if len(found) != 1 or found[0][0] != path or not self.rules_of(path).is_typed(path):
            return False
        return isinstance(found[0], Symbol) and self.kinds_of(found[0]) == {Bind.FUNCTION}

    def is_of_instances(self, owner: Value, member: Symbol) -> bool:
        """Whether a class has a member of that name itself, and only its instances what it declares."""
        if owner.tag != CLASS or member.name not in self.rules_of(owner.path).class_members:
            return False
        links = self.links(member.path)
        kinds, hints = links.bindings[3:5]
        # Members of enumerations and of objects have no types of their own.
        bindings = links.names[member.scope].get(links.string_numbers.get(member.name, -1), ())
        return all(kinds[b] & BIND_MASK == Bind.VARIABLE and hints[b] for b in bindings)

    def is_value(self, target: Target) -> bool:
        return isinstance(target, Symbol) and self.kinds_of(target) <= _VALUES

    def spread_over(self, owner: Value, member: Symbol) -> Targets:
        """``{ size: 1, ...options }``: the member of what is spread into an object behind its own."""
        links = self.links(member.path)
        bases = links.lists[links.scopes[member.scope].bases]
        if not bases or (owner.path, owner.scope) != member[:2] or member.scope in links.classes:
            return ()
        bindings = links.names[member.scope][links.string_numbers[member.name]]
        given = max(links.bindings[2][binding] for binding in bindings)
        if not self.rules_of(owner.path).structural or all(links.pos[base] < given for base in bases):
            return ()
        found = self.member(owner, member.name, skip=1)
        return (found,) if found else ()

    def kinds_of(self, symbol: Symbol) -> set[int]:
        """How a scope got a name."""
        links = self.links(symbol.path)
        bindings = links.names[symbol.scope].get(links.string_numbers.get(symbol.name, -1), ())
        return {links.bindings[3][binding] & BIND_MASK for binding in bindings}

    def structures_apart(self, path: str, number: int, found: Targets) -> Targets:
        """Of what a name means, the structures or all else; C++ names structures without ``struct``, too."""
        links, rules = self.links(path), self.rules_of(path)
        tagged = links.scopes[links.a[number]].kind == ScopeKind.TAGS
        fitting = tuple(t for t in found if not isinstance(t, Symbol) or rules.is_tag(t) == tagged)
        bare = rules.bare_tags or links.ops[number] >> ROLE_SHIFT == Role.TYPE
        return fitting or (found if bare and not tagged else ())

    def beside(self, value: Value, targets: Targets, called: bool) -> Targets:
        """Of members of one name what is called is a method, what is not is a field, if not the nearest."""
        if value.tag not in (CLASS, INSTANCE, SUPER) or len(targets) != 1:
            return targets
        nearest = targets[0]
        if not isinstance(nearest, Symbol) or self.declares(nearest, function=called):
            return targets
        for path, scope in self.lineage(value)[int(value.tag == SUPER) :]:
            other = Symbol(path, scope, nearest.name)
            if self.declares(other, function=called):
                return (other,)
        return () if called and self.is_uncalled(nearest) else targets

    def is_uncalled(self, symbol: Symbol) -> bool:
        """Whether a name is that of a field, in a language that calls no fields."""
        links = self.links(symbol.path)
        bindings = links.names[symbol.scope].get(links.string_numbers.get(symbol.name, -1), ())
        fields = all(links.bindings[3][binding] == Bind.VARIABLE for binding in bindings)
        return fields and not self.rules_of(symbol.path).calls_fields

    def declares(self, symbol: Symbol, *, function: bool) -> bool:
        """Whether a scope declares a function, or something else, of that name."""
        links = self.links(symbol.path)
        bindings = links.names[symbol.scope].get(links.string_numbers.get(symbol.name, -1), ())
        return any((links.bindings[3][binding] == Bind.FUNCTION) == function for binding in bindings)

    def method_or_field(self, path: str, scope: int, name: str, found: Targets, called: bool) -> Targets:
        """What a bare name means: where it is called a method, though a variable of that name is nearer."""
        links = self.links(path)
        owner = links.scopes[scope].owner
        local = (ScopeKind.FUNCTION, ScopeKind.BLOCK)
        if owner < 0:
            return found
        around = Value(CLASS, path, owner)
        seen = [t for t in found if isinstance(t, Symbol) and t.path == path]
        if any(links.scopes[t.scope].kind in local for t in seen):
            method = self.member(around, name) if called else None
            return (method,) if method is not None else found
        return found if called else self.beside(around, found, called)
