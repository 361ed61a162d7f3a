"""How one setting is declared: its default, its meaning, and the values it accepts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Rule:
    """What a value must be; ``kind`` is a Python type or, for a table of tables, its section class."""

    kind: type
    doc: str
    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[str, ...] = ()
    rest: bool = False
    private: bool | tuple[str, ...] = False

    def expected(self) -> str:
        """The rule in words, for an error message."""
        names = {str: "a string", int: "a whole number", float: "a number", bool: "true or false"}
        if self.choices:
            return "one of " + ", ".join(f'"{choice}"' for choice in self.choices)
        words = names.get(self.kind, "a list of strings")
        if self.minimum is not None and self.maximum is not None:
            return f"{words} from {self.minimum:g} to {self.maximum:g}"
        if self.minimum is not None:
            return f"{words} of at least {self.minimum:g}"
        return words

    def accepts(self, value: Any) -> bool:
        """Whether a parsed TOML value fits."""
        if self.kind is tuple:
            return isinstance(value, list) and all(isinstance(item, str) for item in value)
        if self.kind is float and isinstance(value, int) and not isinstance(value, bool):
            value = float(value)
        if not isinstance(value, self.kind) or (self.kind is int and isinstance(value, bool)):
            return False
        if self.choices and value not in self.choices:
            return False
        number = value if isinstance(value, (int, float)) else 0
        if self.minimum is not None and number < self.minimum:
            return False
        return self.maximum is None or number <= self.maximum

    def is_private(self, value: Any) -> bool:
        """Whether a file that came with a clone must not say this."""
        return value in self.private if isinstance(self.private, tuple) else self.private


def setting(
    default: Any,
    doc: str,
    *,
    kind: type | None = None,
    minimum: float | None = None,
    maximum: float | None = None,
    choices: tuple[str, ...] = (),
    private: bool | tuple[str, ...] = False,
) -> Any:
    """Declare one key of a section; a private one, or those values, are not taken from a file git tracks."""
    rule = Rule(
        kind=kind or type(default),
        doc=doc,
        minimum=minimum,
        maximum=maximum,
        choices=choices,
        private=private,
    )
    return field(default=default, metadata={"rule": rule})


def subsections(section: type, doc: str) -> Any:
    """Declare that every key not named otherwise is a table of this section, by name."""
    return field(default_factory=dict, metadata={"rule": Rule(kind=section, doc=doc, rest=True)})
