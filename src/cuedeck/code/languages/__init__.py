"""The languages: which one a file is written in, one module for each."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from cuedeck.code.languages.language import Language

# What a path ends in, and where its language lives; modules load when a file of theirs is first seen.
_EXTENSIONS: Final = {
    "python": ("python", "PYTHON"),
    "javascript": ("javascript", "JAVASCRIPT"),
    "typescript": ("typescript", "TYPESCRIPT"),
    "tsx": ("typescript", "TSX"),
    "c": ("c", "C"),
    "cpp": ("c", "CPP"),
    "rust": ("rust", "RUST"),
    "go": ("go", "GO"),
    "csharp": ("csharp", "CSHARP"),
    "lua": ("lua", "LUA"),
    "bash": ("bash", "BASH"),
    "java": ("java", "JAVA"),
    "ruby": ("ruby", "RUBY"),
    "php": ("php", "PHP"),
    "kotlin": ("kotlin", "KOTLIN"),
    "swift": ("swift", "SWIFT"),
    "vue": ("components", "VUE"),
    "svelte": ("components", "SVELTE"),
}
NAMES: Final = tuple(_EXTENSIONS)
_SPOKEN: Final = {"c++": "cpp", "c#": "csharp", "golang": "go", "shell": "bash"}
_SHEBANG: Final = re.compile(rb"#!\s*(?:\S*/)?([\w.+-]+)(?:[ \t]+(?:-\S+[ \t]+)*([\w.+-]+))?")


def language_named(name: str) -> Language | None:
    """The language of that name."""
    place = _EXTENSIONS.get(name)
    return None if place is None else _loaded(place[0], place[1])


@cache
def _loaded(module: str, attribute: str) -> Language:
    from importlib import import_module

    found: Language = getattr(import_module(f"cuedeck.code.languages.{module}"), attribute)
    return found


@cache
def _by_extension() -> dict[str, str]:
    return {extension: name for name in NAMES for extension in _language(name).extensions}


@cache
def _by_filename() -> dict[str, str]:
    return {filename: name for name in NAMES for filename in _language(name).filenames}


@cache
def _by_interpreter() -> dict[str, str]:
    return {program: name for name in NAMES for program in _language(name).interpreters}


def _language(name: str) -> Language:
    found = language_named(name)
    if found is None:
        raise KeyError(name)
    return found


def language_of(path: str) -> str | None:
    """The language a path names, without looking inside the file."""
    name = path.rsplit("/", 1)[-1]
    dot = name.rfind(".")
    if dot > 0:
        return _by_extension().get(name[dot:]) or _by_extension().get(name[dot:].lower())
    return _by_filename().get(name)


def language_called(name: str) -> str | None:
    """The language somebody means: its name in any case, or an ending such as ``py``."""
    said = name.strip().casefold()
    return said if said in _EXTENSIONS else _SPOKEN.get(said) or _by_extension().get(f".{said}")


def language_of_source(path: str, source: bytes) -> str | None:
    """The language of a file: by its name, else by its ``#!`` line; a header may turn out to be C++."""
    found = language_of(path)
    if found == "c" and path.endswith(".h") and _is_cpp(source):
        return "cpp"
    if found is None and "." not in path.rsplit("/", 1)[-1] and source.startswith(b"#!"):
        match = _SHEBANG.match(source[:200])
        if match:
            program = (match[2] if match[1] == b"env" and match[2] else match[1]).decode()
            return _by_interpreter().get(re.sub(r"[\d.]+$", "", program)) or _by_interpreter().get(program)
    return found


_CPP: Final = re.compile(
    rb"^[ \t]*(?:class\s+\w+|namespace\s+\w|template\s*<|using\s+\w|public:|private:)", re.MULTILINE
)


def _is_cpp(source: bytes) -> bool:
    return _CPP.search(source, 0, 65536) is not None
