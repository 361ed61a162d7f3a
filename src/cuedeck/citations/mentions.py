"""What a text may be naming: code spans, paths, identifiers of several words, and ids."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

MOST: Final = 64
_LONGEST: Final = 50_000


class Kind(StrEnum):
    """What can be cited."""

    SYMBOL = "symbol"
    FILE = "file"
    MEMORY = "memory"
    TASK = "task"
    CARD = "card"
    RUN = "run"


@dataclass(frozen=True, slots=True)
class Mention:
    """A name as the text has it; a symbol may come with its file."""

    kind: Kind
    name: str
    path: str = ""


# Every quantifier is bounded or works on one short word: hostile text must not cost more than its length.
_LONGEST_WORD: Final = 200
_SPAN: Final = re.compile(r"(?<!`)(`{1,3})([^`\n]{1,200})\1(?!`)")
_ID: Final = re.compile(
    r"(?P<memory>\bmemory:[0-9a-z]{1,64}\b)|(?P<run>\bwf_exec_\d{8}_\d{6}_\w{1,40}\b)"
    r"|(?P<task>(?<![\w.-])\w[\w.-]{0,63}-(?:TASK|EPIC)-\d{3,9}\b)"
    r"|\b[Cc]ards?[/: ](?P<card>[a-z0-9]{6})\b"
)
_PATH: Final = re.compile(
    r"(?P<path>(?:\.{0,2}/)?(?:[\w@.+-]+/)*[\w@+-][\w@.+-]*\.[A-Za-z]\w{0,9})"
    r"(?:::?(?P<part>[A-Za-z_]\w*(?:(?:::|\.)\w+)*)|:\d+(?::\d+)?|#L\d+)?"
)
_NAME: Final = re.compile(r"[A-Za-z_$][\w$]*(?:(?:::|\.|#|->)[A-Za-z_$][\w$]*)*")
_CALL: Final = re.compile(r"\s*\([^()]*\)$")
# A word of prose counts only when nobody writes prose like that: snake_case, CamelCase, a call, a::b.
_WORD: Final = re.compile(
    r"[A-Za-z_]\w*(?:(?:::|\.)[A-Za-z_]\w*)+(?:\(\))?|[A-Za-z_]\w*\(\)|_*[a-z]\w*_\w+"
    r"|_*[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]*)+"
)
_BEFORE: Final = "\"'*<[{"
_AFTER: Final = "\"'*,;:!?>]}.…"


def mentions(text: str) -> list[Mention]:
    """Everything a text may be naming, each once, in reading order."""
    found: dict[Mention, None] = {}
    for mention in _all(text[:_LONGEST]):
        found.setdefault(mention)
        if len(found) == MOST:
            break
    return list(found)


def _all(text: str) -> Iterator[Mention]:
    yield from _ids(text)
    for span in _SPAN.finditer(text):
        yield from _span(span[2].strip())
    for word in _SPAN.sub(" ", text).split():
        if len(word) <= _LONGEST_WORD:
            yield from _word(word)


def _ids(text: str) -> Iterator[Mention]:
    for found in _ID.finditer(text):
        yield Mention(Kind(str(found.lastgroup)), found["card"] or found[0])


def _word(word: str) -> Iterator[Mention]:
    bare = word.lstrip(_BEFORE).removeprefix("(").rstrip(_AFTER)
    bare = bare if bare.endswith("()") else bare.rstrip(")" + _AFTER)
    path = _PATH.fullmatch(bare)
    if path is not None:
        yield _path(path)
    if _WORD.fullmatch(bare):
        yield Mention(Kind.SYMBOL, bare.removesuffix("()"))


def _span(span: str) -> Iterator[Mention]:
    path = _PATH.fullmatch(span)
    if path is not None:
        yield _path(path)
    name = _NAME.fullmatch(_CALL.sub("", span))
    if name is not None and not (path is not None and path["part"]):
        yield Mention(Kind.SYMBOL, name[0].replace("->", "."))


def _path(found: re.Match[str]) -> Mention:
    path = found["path"].removeprefix("./")
    return Mention(Kind.SYMBOL, found["part"], path) if found["part"] else Mention(Kind.FILE, path)
