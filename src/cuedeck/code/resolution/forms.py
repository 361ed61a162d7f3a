"""Types with arguments: what ``Base[A, B]`` says, of the project's types, the language's and foreign ones."""

from __future__ import annotations

from abc import abstractmethod
from typing import Final

from cuedeck.code.facts import OP_MASK, Op
from cuedeck.code.resolution.untyped import Untyped
from cuedeck.code.resolution.values import (
    CALLABLE,
    EXTERNAL,
    FUNCTION,
    HOLDER,
    INSTANCE,
    MAPPING,
    METATYPE,
    METHODS,
    OPEN,
    SEQUENCE,
    TUPLE,
    Symbol,
    Targets,
    Value,
    Values,
    classes_of,
    formed,
    mapping,
    restricted,
    sequence,
    shaped,
    unique,
)

_APPLIED: Final = (INSTANCE, FUNCTION, SEQUENCE, MAPPING, TUPLE, *OPEN)


class Forms(Untyped):
    """The part of the linker that reads types which are told others."""

    @abstractmethod
    def targets(self, path: str, number: int) -> Targets:
        """What an expression names."""

    @abstractmethod
    def utility(self, path: str, label: str, arguments: tuple[int, ...]) -> Values | None:
        """What a well-known type that is computed from others annotates."""

    @abstractmethod
    def keys(self, path: str, number: int) -> Values:
        """The texts that a type or an expression allows."""

    @abstractmethod
    def named_type(self, path: str, number: int) -> Values:
        """What a name stands for where a type is written."""

    def generic(self, path: str, number: int) -> Values:
        """What ``Base[arguments]`` annotates."""
        links = self.links(path)
        base, arguments = links.a[number], self.arguments_of(path, number)
        if links.ops[base] & OP_MASK == Op.LITERAL:
            return ()
        targets = self.targets(path, self.plain(path, base))
        # Under a second name a foreign type is what its own says: ``use std::result::Result as Either``.
        own = [target.path.rpartition(".")[2] for target in targets if not isinstance(target, Symbol)]
        label = next((n for n in own if n.isidentifier() and n != "default"), self.label(path, base))
        utility = self.utility(path, label, arguments)
        if utility is not None:
            return utility
        shape = self.rules_of(path).foreign_types.get(label)
        if shape and arguments and not self.is_own(path, base):
            told = self.annotation(path, arguments[-1])
            taken = [v for value in told for v in self.taken_first(value)] if shape == "taken" else []
            return unique(taken) or shaped(shape, told)
        known = self.named_type(path, self.plain(path, base)) if label else ()
        applied = any(value.tag in _APPLIED for value in known)
        special: Values | None = None
        if not applied or any(map(self.rules_of(path).adds_to_language, targets)):
            special = self.special_form(path, label, arguments)
        if applied:
            given = [self.annotation(path, a) or self.keys(path, a) for a in arguments]
            return unique([*(special or ()), *self.apply(known, given)])
        if special is not None:
            return special
        if any(value.tag != EXTERNAL for value in known) or not arguments or self.is_own(path, base):
            return known
        # A foreign type that is made from another keeps its methods.
        return restricted(self.foreign_type(path, arguments), "", (METHODS,)) or known

    def taken_first(self, function: Value) -> Values:
        """What a function takes first."""
        if function.tag == CALLABLE:
            return function.inside[1] if len(function.inside) > 1 else ()
        return self.parameter_type(function, 0) if function.tag == FUNCTION else ()

    def foreign_type(self, path: str, arguments: tuple[int, ...]) -> Values:
        """A foreign generic type: what comes out is what was put in; it may have its first's members."""
        inside = unique([v for item in arguments for v in self.annotation(path, item)])
        if inside and self.rules_of(path).foreign_wrappers:
            return (sequence(inside)._replace(name=HOLDER), *self.annotation(path, arguments[0]))
        return (sequence(inside),) if inside else ()

    def is_own(self, path: str, number: int) -> bool:
        """Whether a name is one of the project's."""
        return any(isinstance(target, Symbol) for target in self.targets(path, self.plain(path, number)))

    def special_form(self, path: str, label: str, arguments: tuple[int, ...]) -> Values | None:
        """What a generic type that the language itself provides annotates."""
        rules = self.rules_of(path)
        if label in rules.guards:
            return ()
        if label in rules.transparent:
            used = (
                arguments if label == "Union" else arguments[-1:] if label == "Coroutine" else arguments[:1]
            )
            return unique([v for item in used for v in self.annotation(path, item)])
        if label in ("type", "Type", METATYPE):
            return classes_of(unique([v for item in arguments for v in self.annotation(path, item)]))
        if label in rules.sequences:
            inside = self.annotation(path, arguments[0]) if arguments else ()
            return (sequence(inside),) if inside else ()
        if label in rules.mappings:
            parts = [self.annotation(path, item) or self.keys(path, item) for item in arguments]
            return (mapping(parts[1] if len(parts) > 1 else (), parts[0]),) if any(parts) else ()
        if label in ("tuple", "Tuple"):
            items = tuple(self.annotation(path, item) for item in arguments)
            return (Value(TUPLE, inside=items),) if any(items) else ()
        if label in rules.function_forms:
            return formed(rules.function_forms[label], [self.annotation(path, item) for item in arguments])
        if label == "Callable":
            return self.callable_form(path, arguments)
        return None

    def callable_form(self, path: str, arguments: tuple[int, ...]) -> Values:
        """``Callable[[A, B], R]``: what it gives, then what it takes."""
        links = self.links(path)
        if len(arguments) != 2:
            return ()
        taken = links.lists[links.b[arguments[0]]] if links.ops[arguments[0]] & OP_MASK == Op.TUPLE else ()
        parts = tuple(self.annotation(path, item) for item in (arguments[1], *taken))
        return (Value(CALLABLE, inside=parts),) if any(parts) else ()
