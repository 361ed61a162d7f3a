"""The same failure has the same signature, wherever and whenever it happens."""

from __future__ import annotations

import hashlib
import re
from functools import lru_cache

from .java import own_frames
from .model import Failure
from .text import own_function

_REPLACED: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?)?(?:Z|[+-]\d\d:?\d\d)?"), "<time>"),
    (re.compile(r"\b\d\d:\d\d:\d\d(?:[.,]\d+)?\b"), "<time>"),
    (re.compile(r"\b0x[0-9a-fA-F]+\b"), "<address>"),
    (re.compile(r"\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b"), "<id>"),
    (re.compile(r"\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}\b"), "<id>"),
    (re.compile(r"\b\d+(?:\.\d+)?\s?(?:ns|µs|us|ms|s|sec|secs|seconds|minutes|min)\b"), "<duration>"),
    (re.compile(r"(?:/tmp|/var/tmp|/private/var|[A-Za-z]:\\Temp)[/\\][^\s'\"`:;,)]*[/\\]"), ""),
    (re.compile(r"(?:/tmp|/var/tmp)/[^\s'\"`:;,)]+"), "<tmp>"),
    (re.compile(r"(?:file://)?(?:[A-Za-z]:)?(?:\.{0,2}[/\\])?(?:[\w.@+~-]+[/\\])+(?=[\w.@+-]+\.\w)"), ""),
    (re.compile(r"(?<![\w<])(?:[A-Za-z]:)?[/\\](?:[\w.@+~-]+[/\\])+"), ""),
    (re.compile(r"(\.\w{1,5}):\d+(?::\d+)?"), r"\1"),
    (
        re.compile(
            r"\b(line|lines|col|column|char|character|position|pos|offset|pid|thread|port|goroutine|index|len|length|"
            r"size|byte|bytes|row|address)(\s+(?:is |of )?|=|: ?|\[)\d+",
            re.I,
        ),
        r"\1 <n>",
    ),
    (re.compile(r"\[\d+\] with length \d+"), "<n>"),
    (re.compile(r"\(\d+:\d+\)"), ""),
    (re.compile(r"(?<![\w.])\d{5,}(?![\w.])"), "<n>"),
    (re.compile(r"\s+"), " "),
)


@lru_cache(maxsize=64)
def normalise(text: str) -> str:
    """A message without what changes from run to run: directories, positions, addresses, times, ids."""
    text = text[:600]
    for pattern, replacement in _REPLACED:
        text = pattern.sub(replacement, text)
    return text.strip().lower()


def test_name(test: str) -> str:
    """A test without the folder and the file it is in."""
    name = test.rsplit("::", test.count("::"))
    return "::".join(name[1:]) if len(name) > 1 else test.replace("\\", "/").rsplit("/", 1)[-1]


def shape(failure: Failure) -> str:
    """The coarse identity: what is wrong, without where it was wrong."""
    return _digest(failure.kind, failure.type, normalise(failure.message.partition("\n")[0]))


def signature(failure: Failure) -> str:
    """The fine identity: kind, type, message, and the function or test it happened in."""
    frames = own_frames(failure.frames) if failure.tool in ("java", "junit") else failure.frames
    function = own_function(frames) or ""
    test = test_name(failure.test) if failure.test else ""
    return _digest(failure.kind, failure.type, normalise(failure.message.partition("\n")[0]), function, test)


def _digest(*parts: str) -> str:
    return hashlib.blake2b("\x1f".join(parts).encode("utf-8", "replace"), digest_size=8).hexdigest()
