"""What Python's own types are besides themselves, to compare arguments with what functions take."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_ABSTRACT: Final = "Collection Container Iterable Sized"

# By the name of a type, of the library's by its module too: the names of types that take it. Sets are not
# among them, as what is written in braces is read like a list.
LITERAL_TYPES: Final[Mapping[str, frozenset[str]]] = {
    name: frozenset(others.split())
    for name, others in {
        "None": "Hashable",
        "bool": "Hashable complex float int",
        "bytes": f"Buffer Hashable Reversible Sequence {_ABSTRACT}",
        "complex": "Hashable",
        "datetime.date": "Hashable",
        "datetime.datetime": "Hashable datetime.date",
        "datetime.time": "Hashable",
        "datetime.timedelta": "Hashable",
        "decimal.Decimal": "Hashable",
        "dict": f"Dict Mapping MutableMapping Reversible {_ABSTRACT}",
        "float": "Hashable complex",
        "int": "Hashable complex float",
        "list": f"List MutableSequence Reversible Sequence {_ABSTRACT}",
        "pathlib.Path": "Hashable pathlib.PurePath",
        "str": f"Hashable Reversible Sequence {_ABSTRACT}",
        "tuple": f"Hashable Reversible Sequence Tuple {_ABSTRACT}",
        "uuid.UUID": "Hashable",
    }.items()
}
# Types of which it is known what takes them, and what does not.
TELLING_TYPES: Final = frozenset(name for others in LITERAL_TYPES.values() for name in others) - {"Buffer"}
