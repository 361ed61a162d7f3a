"""Values no client should send, made from a tool's own input schema."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

# Each is a class of trouble: escapes, quoting, scripts, directions, joiners, separators, formats, numbers.
STRINGS = (
    "",
    " ",
    "\0",
    "a\0b",
    "\n",
    "\r\n\t\v\f",
    "\x1b[31mred\x07",
    "\u2028\u2029\u0085",
    "\ufeffbom",
    "\u202egnp.exe",
    "Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞",
    "👩‍👩‍👧‍👦🏴󠁧󠁢󠁥󠁮󠁧󠁿",
    "ﷺ" * 20,
    "İıſßΣς",
    "é\u0301 \u212b",
    "中文字 한국어 ไทย עברית",
    "\U0010ffff\ue000",
    "' OR '1'='1' --",
    '"); DROP TABLE memories; --',
    "%s%n%x {0} {{7*7}} ${7*7} #{7*7}",
    "`id` $(id) ; id | id && id",
    "<script>alert(1)</script>&amp;",
    "../../../../etc/passwd",
    "..\\..\\windows\\win.ini",
    "/etc/passwd",
    "file:///etc/passwd",
    "%2e%2e%2f%2e%2e%2fetc",
    "....//....//etc",
    "~root/.ssh/id_rsa",
    "//host/share",
    "C:\\CON",
    "nul",
    "-rf",
    "--help",
    "HEAD^{/x}",
    "main..main",
    "@{-1}",
    "refs/heads/../../x",
    ".git/config",
    ".cuedeck/state.db",
    "docs/auth.md\0.png",
    "a/" * 500,
    "." * 300,
    "a" * 300 + ".md",
    "((((((((((" * 30,
    "*" * 200,
    "[" * 200,
    "a AND b OR NOT c NEAR(d e) ^f* col:g",
    '"unbalanced',
    "NaN",
    "Infinity",
    "-0",
    "1e999",
    "0x41",
    "null",
    "true",
    "---\nkey: value\n---\n",
    "&a *a !!python/object:os.system",
    "[[" * 50,
    "```\n" * 20,
    "9999-99-99",
    "0000-00-00",
    ">99999999999999999999d",
    "-1",
    "memory:" + "z" * 300,
    "wf_exec_99999999_999999_x",
    "00000000-0000-0000-0000-000000000000",
    "x" * 5000,
)
NUMBERS = (0, -1, 1, 2, 51, 101, 501, 10**6, 2**31, 2**53, 2**63, 2**64, 10**30, -(2**63), -(10**30))
FLOATS = (0.0, -0.0, 0.5, 1.5, -1e308, 1e308, 5e-324)
WRONG = (None, True, False, 3, -2.5, "text", "", [], [None], [[[]]], {}, {"a": {"b": [1]}}, {"": None})


def deep(levels: int = 40) -> Any:
    value: Any = "bottom"
    for _ in range(levels):
        value = {"k": [value]}
    return value


class Inventor:
    """Makes arguments for a schema: mostly right, with some of them hostile."""

    def __init__(self, seed: int, known: dict[str, list[Any]] | None = None) -> None:
        self.random = random.Random(seed)
        self.known = known or {}

    def arguments(self, schema: dict[str, Any]) -> dict[str, Any]:
        required = set(schema.get("required", ()))
        given = {
            name: self.value(name, part)
            for name, part in schema.get("properties", {}).items()
            if name in required or self.random.random() < 0.5
        }
        roll = self.random.random()
        if given and roll < 0.15:
            given[self.random.choice(sorted(given))] = self.random.choice((*WRONG, deep()))
        elif given and roll < 0.2:
            given.pop(self.random.choice(sorted(given)))
        elif roll < 0.25:
            given[self.random.choice(STRINGS)[:100]] = self.random.choice(WRONG)
        return given

    def value(self, name: str, schema: dict[str, Any]) -> Any:
        chance = self.random.random
        if "anyOf" in schema:
            return self.value(name, self.random.choice(schema["anyOf"]))
        if "enum" in schema:
            return self.random.choice(schema["enum"]) if chance() < 0.9 else self.random.choice(STRINGS)
        match schema.get("type"):
            case "string":
                return self.text(name)
            case "integer":
                return self.number(schema)
            case "number":
                return self.random.choice(FLOATS) if chance() < 0.5 else self.number(schema)
            case "boolean":
                return chance() < 0.5
            case "array":
                return [self.value(name, schema.get("items", {})) for _ in range(self.random.randrange(4))]
            case "object":
                if "properties" in schema:
                    return self.arguments(schema)
                return {self.text(""): self.random.choice((*WRONG, deep(10))) for _ in range(2)}
            case "null":
                return None
        return self.random.choice(WRONG)

    def text(self, name: str) -> str:
        if name in self.known and self.random.random() < 0.6:
            return str(self.random.choice(self.known[name]))
        roll = self.random.random()
        if roll < 0.6:
            return self.random.choice(STRINGS)
        if roll < 0.8:
            return self.random.choice(STRINGS) + self.random.choice(STRINGS)
        return "".join(self._letters())

    def _letters(self) -> Iterator[str]:
        for _ in range(self.random.randrange(1, 40)):
            point = self.random.choice((0x80, 0x800, 0x3000, 0x10FFFF))
            number = self.random.randrange(point + 1)
            yield chr(number) if not 0xD800 <= number < 0xE000 else "\ufffd"

    def number(self, schema: dict[str, Any]) -> Any:
        low, high = schema.get("minimum", 0), schema.get("maximum", 50)
        if self.random.random() < 0.5:
            return self.random.randrange(int(low), int(min(high, low + 60)) + 1)
        edges = (low - 1, low, high, high + 1, 2.0, 1.5)
        return self.random.choice((*NUMBERS, *edges))


def one_by_one(schema: dict[str, Any], good: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A good call with each argument in turn replaced by each hostile string and each wrong type."""
    for name, part in schema.get("properties", {}).items():
        texts = STRINGS if "string" in str(part.get("type", part)) else ()
        for value in (*texts, *WRONG, deep(), deep(70)):
            yield {**good, name: value}
        if name in good:
            yield {other: value for other, value in good.items() if other != name}
    yield {**good, "no such argument": 1}
