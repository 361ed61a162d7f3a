"""What resolution computes with: symbols, and the values that expressions may have."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple


class Symbol(NamedTuple):
    """A name bound in a scope of a file: what a reference refers to."""

    path: str
    scope: int
    name: str


class Value(NamedTuple):
    """One possible value of an expression.

    ``tag`` says what the rest means: a MODULE, CLASS, INSTANCE, SUPER or FUNCTION is a scope of a file, and
    ``inside`` says what its type parameters stand for, each parameter followed by its values; a PARAMETER is
    such a type parameter, by its name; a PACKAGE or EXTERNAL is a key in ``path``; SEQUENCE, MAPPING (values,
    then keys) and TUPLE hold what is inside them, CALLABLE what calling it gives, TYPE_OF what it makes, and
    RECORD what its one member ``name`` holds. A SEQUENCE named HOLDER is a foreign type that holds what it is
    told, under members that nobody knows. A KEY is the type of one text, ``name``; a LOOKUP is what types
    hold under keys, where either is not known yet; a CHOICE is a conditional type, with its expression in
    ``scope`` and what its type parameters stand for. The ``name`` of an INSTANCE says which members it has
    not; METHODS in it that only those are known to be there. Any part of a TUPLE named LISTED may stand
    at any place.
    """

    tag: int
    path: str = ""
    scope: int = 0
    inside: tuple[tuple[Value, ...], ...] = ()
    name: str = ""


MODULE: Final = 1
PACKAGE: Final = 2
EXTERNAL: Final = 3
CLASS: Final = 4
INSTANCE: Final = 5
SUPER: Final = 6
FUNCTION: Final = 7
SEQUENCE: Final = 8
MAPPING: Final = 9
TUPLE: Final = 10
PARAMETER: Final = 11
CALLABLE: Final = 12
TYPE_OF: Final = 13
RECORD: Final = 14
KEY: Final = 15
LOOKUP: Final = 16
CHOICE: Final = 17

# The type of a type, as a name that no program has.
METATYPE: Final = ".Type"
# Positions of arguments that are given by a label: that much and the label's string.
LABELLED: Final = 1 << 17

# What is known only where it is used.
OPEN: Final = (PARAMETER, LOOKUP, CHOICE)

HOLDER: Final = "holder"
# What gives a part of a state, as a function says that it is given; what a store is made from.
SELECTS: Final = "selects"
CREATES: Final = "creates"
# The member of what will be there later, which gives it.
FUTURE: Final = "result"
METHODS: Final = "()"
LISTED: Final = "listed"
# The class of what a class has itself, which its instances do not have, is called so inside it.
SINGLETON: Final = "<<"
# The key of what calling something gives.
CALLED: Final = "()"
# The key of what any member holds, and of what is at any place of a list.
EVERY: Final = "*"
ANYWHERE: Final = "[]"
# Among the meanings of a function's type parameters: what calling it gives instead of what itself does.
GIVEN: Final = Value(PARAMETER, name="()")

Values = tuple[Value, ...]
# What a name or attribute leads to: a symbol of the project, or a module or external thing.
Target = Symbol | Value
Targets = tuple[Target, ...]

# The types of what ``expect`` gives, to which projects add matchers.
_MATCHERS: Final = ("vitest.Assertion", "vitest.Matchers", "jest.Matchers", "chai.Assertion")


def unique(values: list[Value]) -> Values:
    """The values in order, each once."""
    return tuple(dict.fromkeys(values)) if len(values) > 1 else tuple(values)


def restriction(known: str, sign: str, names: Iterable[str]) -> str:
    """What a restricted type's ``name`` says: members left out after ``-``, the only ones after ``+``."""
    parts = [part for part in known.split(" ") if part] + [sign + name for name in names]
    return " ".join(dict.fromkeys(parts))


def restricted(values: Values, sign: str, names: Iterable[str]) -> Values:
    """Types without some members, or with no others; without a sign with what a word says."""
    return tuple(
        v._replace(name=restriction(v.name, sign, names)) if v.tag == INSTANCE else v for v in values
    )


def has_member(restricted: str, name: str) -> bool:
    """Whether a restricted type still has a member."""
    parts = restricted.split(" ")
    return f"-{name}" not in parts and (f"+{name}" in parts or not any(p.startswith("+") for p in parts))


def sequence(values: Values) -> Value:
    """A container of these."""
    return Value(SEQUENCE, inside=(values,))


def mapping(values: Values, keys: Values = ()) -> Value:
    """A dictionary whose values and keys are these."""
    return Value(MAPPING, inside=(values, keys))


def shaped(shape: str, held: Values) -> Values:
    """What a foreign type is that is told another: a function that takes it, a holder, a state, the same."""
    if shape == "matchers":
        return tuple(Value(EXTERNAL, name, 1) for name in _MATCHERS)
    if not held or shape == "same":
        return held
    if shape == "taken":
        return ()
    if shape == "takes":
        return (Value(CALLABLE, inside=((), held)),)
    if shape == "future":
        return shaped(FUTURE, (Value(CALLABLE, inside=(held,)),))
    if shape == "changes":
        return (*held, Value(CALLABLE, inside=(held, held)))
    if shape == "state":
        return (Value(TUPLE, inside=(held, shaped("takes", shaped("changes", held)))),)
    if shape == "reference":
        # Vue's templates leave out its ``value``.
        return (*held, *shaped("value", held))
    if shape == "hook":
        return shaped("result", shaped("current", held))
    if shape == "context":
        return (*held, *shaped("Provider", shaped("takes", shaped("value", held))))
    return (Value(RECORD, inside=(held,), name=shape),)


def stored(state: Values) -> Values:
    """A store of a state: it gives all of it or what a function takes out of it."""
    gives, changes = Value(CALLABLE, inside=(state,)), shaped("takes", shaped("changes", state))
    return (
        Value(CALLABLE, inside=(state, shaped("takes", state)), name=SELECTS),
        *shaped("getState", (gives,)),
        *shaped("setState", changes),
        *shaped("subscribe", shaped("takes", (Value(CALLABLE, inside=((), state, state)),))),
    )


def creator(state: Values) -> Values:
    """What makes a state from a function that changes it and one that gives it."""
    gives = Value(CALLABLE, inside=(state,))
    return (
        Value(CALLABLE, inside=(state, shaped("takes", shaped("changes", state)), (gives,)), name=CREATES),
    )


def formed(form: str, told: list[Values]) -> Values:
    """The type of a function that is told what it takes and, last or as the same, what it gives."""
    if not any(told):
        return ()
    if form == "gives":
        return (Value(CALLABLE, inside=(told[-1], *told[:-1])),)
    if form == "compares":
        return (Value(CALLABLE, inside=((), *told, *told)),)
    return (Value(CALLABLE, inside=(told[0] if form == "same" else (), *told)),)


def awaited(values: Values) -> Values:
    """What waiting for values gives."""
    if all(value.tag != RECORD for value in values):
        return values
    return unique([v for value in values for v in (_coming(value) or (value,))])


def _coming(value: Value) -> Values:
    made = value.inside[0] if value.tag == RECORD and value.name == FUTURE else ()
    return unique([v for each in made if each.tag == CALLABLE for v in each.inside[0]])


def is_mapped(value: Value) -> bool:
    """Whether a type holds under each key what another holds: ``{ [K in keyof T]: U[K] }``."""
    return value.tag == MAPPING and any(map(is_same_key, value.inside[0]))


def is_same_key(value: Value) -> bool:
    """Whether a value is what a type holds under the key that a mapped type is asked for, or a part of it."""
    return value.tag == LOOKUP and (not value.inside[1] or any(map(is_same_key, value.inside[0])))


def elements(value: Value) -> Values:
    """What iterating over or indexing into a value may give."""
    if value.tag in (SEQUENCE, MAPPING):
        return value.inside[0]
    if value.tag == TUPLE:
        return unique([found for part in value.inside for found in part])
    return ()


def rest_part(value: Value, position: int) -> Values:
    """What one of the further arguments of a function is, by the type of all of them."""
    if value.tag == TUPLE:
        return value.inside[position] if position < len(value.inside) else ()
    return elements(value)


def classes_of(values: Values) -> Values:
    """The classes that values are instances of."""
    found = []
    for value in values:
        if value.tag == INSTANCE:
            found.append(value._replace(tag=CLASS))
        elif value.tag == PARAMETER:
            found.append(Value(TYPE_OF, inside=((value,),)))
    return unique(found)
