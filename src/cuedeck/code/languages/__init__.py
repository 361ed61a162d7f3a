"""The languages: which one a file is written in, one module for each."""

from __future__ import annotations

import re
from functools import cache
from typing import Final, NamedTuple

from cuedeck.code.languages.language import Language
from cuedeck.native import compiled

__path__[:0] = compiled("languages")


class Place(NamedTuple):
    """Where a language lives, and which files are written in it."""

    module: str
    attribute: str
    endings: tuple[str, ...]
    filenames: tuple[str, ...] = ()
    interpreters: tuple[str, ...] = ()  # names on a #! line


# Modules load when a file of theirs is first read, not when files are told apart.
PLACES: Final = {
    "python": Place("python", "PYTHON", (".py", ".pyi", ".pyw"), interpreters=("python", "python3")),
    "javascript": Place(
        "javascript", "JAVASCRIPT", (".js", ".mjs", ".cjs", ".jsx"), interpreters=("node", "deno", "bun")
    ),
    "typescript": Place("typescript", "TYPESCRIPT", (".ts", ".mts", ".cts")),
    "tsx": Place("typescript", "TSX", (".tsx",)),
    "c": Place("c", "C", (".c", ".h")),
    "cpp": Place(
        "cpp",
        "CPP",
        (
            *(".cc", ".cpp", ".cxx", ".c++", ".cppm", ".ccm", ".cxxm", ".c++m", ".ixx"),
            *(".hpp", ".hh", ".hxx", ".h++", ".ipp", ".inl", ".cu", ".cuh"),
        ),
    ),
    "rust": Place("rust", "RUST", (".rs",)),
    "go": Place("go", "GO", (".go",)),
    "csharp": Place("csharp", "CSHARP", (".cs",)),
    "lua": Place("lua", "LUA", (".lua",), interpreters=("lua", "luajit")),
    "bash": Place(
        "bash",
        "BASH",
        (".sh", ".bash", ".bats", ".zsh", ".ksh"),
        filenames=(".bashrc", ".bash_profile", ".zshrc", ".profile"),
        interpreters=("bash", "sh", "zsh", "dash", "ksh"),
    ),
    "java": Place("java", "JAVA", (".java",)),
    "ruby": Place(
        "ruby",
        "RUBY",
        (".rb", ".rake", ".gemspec", ".ru", ".podspec"),
        filenames=("Rakefile", "Gemfile", "Capfile", "Fastfile", "Guardfile", "Podfile", "Vagrantfile"),
        interpreters=("ruby",),
    ),
    "php": Place("php", "PHP", (".php",), interpreters=("php",)),
    "kotlin": Place("kotlin", "KOTLIN", (".kt", ".kts")),
    "swift": Place("swift", "SWIFT", (".swift",)),
    "vue": Place("components", "VUE", (".vue",)),
    "svelte": Place("components", "SVELTE", (".svelte",)),
}
NAMES: Final = tuple(PLACES)
_BY_ENDING: Final = {ending: name for name, place in PLACES.items() for ending in place.endings}
_BY_FILENAME: Final = {filename: name for name, place in PLACES.items() for filename in place.filenames}
_BY_INTERPRETER: Final = {program: name for name, place in PLACES.items() for program in place.interpreters}
_SPOKEN: Final = {"c++": "cpp", "c#": "csharp", "golang": "go", "shell": "bash"}
_SHEBANG: Final = re.compile(rb"#!\s*(?:\S*/)?([\w.+-]+)(?:[ \t]+(?:-\S+[ \t]+)*([\w.+-]+))?")


def language_named(name: str) -> Language | None:
    """The language of that name."""
    place = PLACES.get(name)
    return None if place is None else _loaded(place.module, place.attribute)


@cache
def _loaded(module: str, attribute: str) -> Language:
    from importlib import import_module

    found: Language = getattr(import_module(f"cuedeck.code.languages.{module}"), attribute)
    return found


def language_of(path: str) -> str | None:
    """The language a path names, without looking inside the file."""
    name = path.rsplit("/", 1)[-1]
    dot = name.rfind(".")
    if dot > 0:
        return _BY_ENDING.get(name[dot:]) or _BY_ENDING.get(name[dot:].lower())
    return _BY_FILENAME.get(name)


def language_called(name: str) -> str | None:
    """The language somebody means: its name in any case, or an ending such as ``py``."""
    said = name.strip().casefold()
    return said if said in PLACES else _SPOKEN.get(said) or _BY_ENDING.get(f".{said}")


def language_of_source(path: str, source: bytes) -> str | None:
    """The language of a file: by its name, else by its ``#!`` line; a header may turn out to be C++."""
    found = language_of(path)
    if found == "c" and path.endswith(".h") and _is_cpp(source):
        return "cpp"
    if found is None and "." not in path.rsplit("/", 1)[-1] and source.startswith(b"#!"):
        match = _SHEBANG.match(source[:200])
        if match:
            program = (match[2] if match[1] == b"env" and match[2] else match[1]).decode()
            return _BY_INTERPRETER.get(re.sub(r"[\d.]+$", "", program)) or _BY_INTERPRETER.get(program)
    return found


_CPP: Final = re.compile(
    rb"^[ \t]*(?:class\s+\w+|enum\s+class\b|namespace\s+\w|template\s*<|using\s+\w|(?:virtual|friend)\s"
    rb"|explicit\s|(?:public|private|protected):)"
    rb"|^[^/*#\"\n]*\bstd::\w"
    rb"|^[ \t]*#[ \t]*include[ \t]*<(?:string|vector|map|set|list|memory|functional|iostream|Q[A-Z]\w+)>",
    re.MULTILINE,
)


def _is_cpp(source: bytes) -> bool:
    return _CPP.search(source, 0, 65536) is not None
