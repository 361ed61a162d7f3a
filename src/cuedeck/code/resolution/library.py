"""The language's own library: what its functions make of the values that they are given."""

from __future__ import annotations

from typing import Final

from cuedeck.code.facts import OP_MASK, Op
from cuedeck.code.resolution.choosing import Choosing
from cuedeck.code.resolution.values import (
    CALLABLE,
    CLASS,
    EXTERNAL,
    FUNCTION,
    INSTANCE,
    MAPPING,
    RECORD,
    SEQUENCE,
    SUPER,
    TUPLE,
    Value,
    Values,
    awaited,
    elements,
    mapping,
    sequence,
    shaped,
    unique,
)

BUILT_IN: Final = frozenset(
    {
        "super",
        "type",
        "list",
        "sorted",
        "reversed",
        "set",
        "tuple",
        "frozenset",
        "iter",
        "next",
        "enumerate",
        "anext",
        "min",
        "max",
        "sum",
        "zip",
        "map",
        "filter",
    }
)


class Library(Choosing):
    """The part of the linker that knows functions which are declared nowhere in the project."""

    def built_in(self, path: str, callee: int, label: str, arguments: tuple[int, ...]) -> Values | None:
        """Python's super, type and the functions that keep their argument's elements."""
        links = self.links(path)
        owner = links.scopes[links.a[callee]].owner
        if label == "super":
            around = (Value(CLASS, path, owner),) if owner >= 0 else ()
            said = self.evaluate(path, arguments[0]) if arguments else around
            return tuple(v._replace(tag=SUPER) for v in said if v.tag == CLASS)
        if not arguments or self.name(path, links.a[callee], label):
            return None
        if label == "zip":
            return self.zipped(path, arguments)
        if label == "map":
            return tuple(sequence(v) for f in self.evaluate(path, arguments[0]) if (v := self.outcome(f)))
        if label == "filter":
            arguments = arguments[1:] or arguments
        given = self.concrete(self.evaluate(path, arguments[0]))
        if label == "type":
            return tuple(v._replace(tag=CLASS) for v in given if v.tag == INSTANCE)
        if label in ("next", "anext"):
            return unique(
                [w for v in given for w in elements(v) or self.protocol(v, "__next__", "__anext__")]
            )
        if label in ("min", "max") and len(arguments) > 1:
            return unique([v for argument in arguments for v in self.evaluate(path, argument)])
        inside = unique([v for g in given for v in self.yielded(g)])
        if label == "enumerate":
            return (sequence((Value(TUPLE, inside=((), inside)),)),) if inside else ()
        if label in ("min", "max"):
            return inside
        if label == "sum":
            begun = [v for argument in arguments[1:] for v in self.evaluate(path, argument)]
            return unique([*inside, *begun])
        return (sequence(inside),) if inside else ()

    def zipped(self, path: str, arguments: tuple[int, ...]) -> Values:
        """What walking over several things at once gives."""
        parts = tuple(
            unique([v for g in self.concrete(self.evaluate(path, argument)) for v in self.yielded(g)])
            for argument in arguments
        )
        return (sequence((Value(TUPLE, inside=parts),)),) if any(parts) else ()

    def deed(self, path: str, callee: int, label: str) -> str:
        """What a function of the library does, if it is one."""
        links, known = self.links(path), self.rules_of(path).library
        if not known:
            return ""
        if links.ops[callee] & OP_MASK == Op.ATTR:
            written = known.get(f"{self.label(path, links.a[callee])}.{label}")
            if written:
                return written
        named = [v.path for v in self.evaluate(path, callee) if v.tag == EXTERNAL]
        method = known.get(f".{label}", "") if links.ops[callee] & OP_MASK == Op.ATTR else ""
        return next((known[name] for name in named if name in known), method)

    def library_call(self, path: str, deed: str, arguments: tuple[int, ...], *, many: bool = False) -> Values:
        """What a function of the language's own library gives: its argument, or what that holds.

        ``many`` are the arguments where some are unpacked from others.
        """
        if deed.startswith("second "):
            rest = arguments[1:]
            return self.library_call(path, deed.removeprefix("second "), rest) if rest else ()
        if deed == "all":
            return unique([v for argument in arguments for v in self.evaluate(path, argument)])
        if deed == "together":
            parts = tuple(awaited(self.evaluate(path, argument)) for argument in arguments)
            if many:
                parts = (unique([v for part in parts for v in part]),)
                return (sequence(parts[0]),) if any(parts) else ()
            return (Value(TUPLE, inside=parts),) if any(parts) else ()
        if deed == "zipped":
            return self.zipped(path, arguments)
        if deed == "texts":
            return (sequence(()),)
        given = self.concrete(self.evaluate(path, arguments[0]))
        if deed == "same":
            return given
        if deed == "paired":
            return self.paired(given)
        if deed in ("outcome", "submitted"):
            made = unique([v for value in given for v in self.outcome(value)])
            return shaped("future", made) if deed == "submitted" else made
        if deed == "future":
            return given if any(v.tag == RECORD for v in given) else shaped("future", given)
        if deed == "awaited":
            return awaited(given)
        if deed == "entered":
            return unique([v for value in given for v in self.entered(value)])
        if deed == "repeated":
            return (sequence(given),) if given else ()
        if deed == "gives":
            return (Value(CALLABLE, inside=(given,)),) if given else ()
        if deed == "made":
            made = unique([v for value in given for v in self.outcome(value)])
            return (mapping(made),) if made else ()
        if deed == "chained":
            held = unique([v for argument in arguments for v in self.walked_over(path, argument)])
        elif deed in ("elements", "element", "groups", "grouped", "keyed", "counted"):
            held = self.walked_over(path, arguments[0])
        elif deed == "inner":
            held = unique([w for v in self.walked_over(path, arguments[0]) for w in self.yielded(v)])
        else:
            held = unique([v for value in given for v in self.stored(value)])
        if not held or deed == "element":
            return held
        if deed in ("keyed", "held"):
            return (mapping((), held),)
        if deed == "counted":
            return (mapping(held),)
        if deed in ("groups", "grouped"):
            group = (sequence(held),)
            return (sequence((Value(TUPLE, inside=((), group)),) if deed == "grouped" else group),)
        return (sequence((Value(TUPLE, inside=((), held)),) if deed == "entries" else held),)

    def walked_over(self, path: str, argument: int) -> Values:
        """What iterating over an argument gives."""
        return unique(
            [v for value in self.concrete(self.evaluate(path, argument)) for v in self.yielded(value)]
        )

    def walked_by(self, owner: Value, walker: str) -> Values:
        """What a class's own method hands to a function for each element."""
        method = self.member(owner, walker) if owner.tag == INSTANCE else None
        found: list[Value] = []
        for function in self.type_of(method) if method is not None else ():
            last = len(self.parameter_names(function)) - 1 if function.tag == FUNCTION else -1
            for taking in self.parameter_type(function, last) if last >= 0 else ():
                found += self.parameter_type(taking, 0) if taking.tag == FUNCTION else ()
        return unique(found)

    def constant_owner(self, path: str, number: int) -> str:
        """The type that a constant such as ``Mode.FAST`` belongs to, and most often is of."""
        links = self.links(path)
        constant = links.ops[number] & OP_MASK == Op.ATTR and links.strings[links.b[number]].isupper()
        return self.label(path, links.a[number]) if constant else ""

    def stored(self, value: Value) -> Values:
        """What an object holds, whatever the keys."""
        if value.tag == MAPPING:
            return value.inside[0]
        return self.protocol(value, "__getitem__") or self.every_member(value)

    def named_items(self, path: str, callee: int) -> Values:
        """The mapping that a call makes of what it is given by name."""
        named = self.links(path).given(callee)[1] if self.rules_of(path).named_arguments else {}
        held = unique([v for argument in named.values() for v in self.evaluate(path, argument)])
        return (mapping(held),) if held else ()

    def paired(self, values: Values) -> Values:
        """What a mapping is that is made of these: of pairs, one from the first to the second."""
        found: list[Value] = []
        for value in values:
            held = elements(value) if value.tag in (SEQUENCE, TUPLE) else ()
            parts = [(v.inside[1], v.inside[0]) for v in held if v.tag == TUPLE and len(v.inside) == 2]
            found += [mapping(second, first) for second, first in parts] or [value]
        return unique(found)

    def completing(self, path: str, callee: int) -> Values:
        """The function that a call only gives some arguments to, to be called later."""
        known = self.rules_of(path).completing_calls
        arguments = self.links(path).arguments.get(callee, ()) if known else ()
        if not arguments or not any(v.path in known for v in self.evaluate(path, callee)):
            return ()
        return self.evaluate(path, arguments[0])
