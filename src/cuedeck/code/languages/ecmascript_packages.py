"""JavaScript and TypeScript: what manifests of packages say about the names of modules."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any, Final

_COMMENTS: Final = re.compile(r'("(?:\\.|[^"\\])*"?)|//[^\n]*|/\*.*?(?:\*/|\Z)', re.DOTALL)
_TRAILING: Final = re.compile(r'("(?:\\.|[^"\\])*"?)|,(?=\s*[}\]])')
_MAX_DEPTH: Final = 10
# The conditions of an entry that the compiler takes; any other (electron, browser) is for those who set it.
_MET: Final = frozenset({"types", "import", "require", "node", "default"})

# Folders of an application of Nuxt whose names all of its files see, and where it says that there are others.
_OFFERED: Final = re.compile(r"(?:(?:app|src|shared|server)/)?(?:composables|utils|stores)/")
_OFFERING: Final = re.compile(r"\bdirs\s*:\s*\[([^\]]*)\]")
_QUOTED: Final = re.compile(r"""['"](?:[.~@]*/)?([^'"]+)['"]""")


def offering(configuration: str) -> list[str]:
    """The folders and files that a configuration of Nuxt adds to those whose names all files see."""
    return [name for listed in _OFFERING.findall(configuration) for name in _QUOTED.findall(listed)]


def offers(path: str, added: Iterable[str]) -> bool:
    """Whether all files of an application of Nuxt see what one of them exports."""
    inside = path.removeprefix("app/").removeprefix("src/")
    return bool(_OFFERED.match(path)) or any(
        f"{inside}/".startswith(f"{name.rstrip('/*')}/") for name in added
    )


def read_json(text: str | None) -> dict[str, Any] | None:
    """An object of JSON, comments and trailing commas allowed; nothing when it is not one."""
    if text is None:
        return None
    bare = _COMMENTS.sub(lambda match: match[1] or " ", text)
    try:
        value = json.loads(_TRAILING.sub(lambda match: match[1] or "", bare))
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def most_specific_first(patterns: Iterable[str]) -> list[str]:
    return sorted(patterns, key=lambda pattern: ("*" in pattern, -len(pattern.split("*")[0])))


def star_of(pattern: str, name: str) -> str | None:
    """What a pattern's star stands for in a name; nothing when it does not match."""
    if "*" not in pattern:
        return "" if pattern == name else None
    before, after = pattern.split("*", 1)
    if len(name) >= len(before) + len(after) and name.startswith(before) and name.endswith(after):
        return name[len(before) : len(name) - len(after)]
    return None


def exported(exports: object, entry: str) -> object:
    """What a package's ``exports`` or ``imports`` says about an entry."""
    if isinstance(exports, (str, list)) or (isinstance(exports, dict) and not _keyed(exports)):
        return exports if entry == "." else None
    keys = exports if isinstance(exports, dict) else {}
    for pattern in most_specific_first(keys):
        filled = star_of(pattern, entry)
        if filled is not None:
            return _replaced(keys[pattern], filled)
    return None


def _keyed(exports: dict[str, Any]) -> bool:
    return any(key.startswith((".", "#")) for key in exports)


def _replaced(target: object, filled: str) -> object:
    if isinstance(target, str):
        return target.replace("*", filled)
    if isinstance(target, dict):
        return {key: _replaced(value, filled) for key, value in target.items()}
    return target


def choices(target: object, unmet: str = "", depth: int = 0) -> list[object]:
    """The files that conditions name, in order; those that the compiler does not meet come last."""
    if isinstance(target, str):
        return [target]
    inner: Iterable[object] = ()
    if isinstance(target, dict):
        inner = [target[name] for name in sorted(target, key=lambda name: name == unmet or _is_unmet(name))]
    elif isinstance(target, list):
        inner = target
    return [file for choice in inner if depth < _MAX_DEPTH for file in choices(choice, unmet, depth + 1)]


def _is_unmet(condition: str) -> bool:
    return condition.split("@")[0] not in _MET
