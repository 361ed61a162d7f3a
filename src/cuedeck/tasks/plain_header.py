"""The frontmatter nearly every card has, read without a YAML parser; anything unusual is left to one."""

from __future__ import annotations

import re
from typing import Any

from cuedeck.documents.yaml_value import scalar

# Characters that mean nothing to YAML inside a plain scalar; a colon only when no blank follows.
_WORD = r"[A-Za-z0-9_./](?:[A-Za-z0-9_./()+=;$^-]|:(?![ \t]|$)| (?=[A-Za-z0-9_./(+=;$^-]))*"
_ITEM = r"[A-Za-z0-9_./](?:[A-Za-z0-9_./()+=;$^-]| (?=[A-Za-z0-9_./(+=;$^-]))*"
_QUOTED = r"'[^'\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff]*'"
_LINE = re.compile(
    rf"(?P<key>[a-z_]+):(?: (?:(?P<word>{_WORD})|(?P<quoted>{_QUOTED})"
    rf"|\[(?P<list>(?:(?:{_ITEM}|{_QUOTED})(?:, (?:{_ITEM}|{_QUOTED}))*)?)\]))?"
)
_ITEMS = re.compile(rf"({_QUOTED})|({_ITEM})")


def read_plain(header: str) -> dict[str, Any] | None:
    """The keys and values of a plain header, just as YAML would read them; None when it is not plain."""
    data: dict[str, Any] = {}
    for line in header.split("\n"):
        if not line:
            continue
        match = _LINE.fullmatch(line)
        if match is None or match["key"] in data:
            return None
        data[match["key"]] = _value(match)
    return data


def _value(match: re.Match[str]) -> Any:
    if (word := match["word"]) is not None:
        return scalar(word)
    if (quoted := match["quoted"]) is not None:
        return quoted[1:-1]
    if (items := match["list"]) is not None:
        return [quoted[1:-1] if quoted else scalar(plain) for quoted, plain in _ITEMS.findall(items)]
    return None
