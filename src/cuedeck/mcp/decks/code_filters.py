"""What narrows an answer of the code deck: a limit, a language, a kind, a path; odd ones are warned of."""

from __future__ import annotations

from cuedeck.model.errors import invalid


def limited(warnings: list[str], value: int, most: int) -> int:
    """The limit, at most the largest there is."""
    if value > most:
        warnings.append(f"limit {value} is above the maximum; {most} was used")
    return min(value, most)


def named_language(warnings: list[str], said: str | None) -> str | None:
    """A language by one of its names; an empty one is none."""
    from cuedeck.code.languages import NAMES, language_called

    found = language_called(said) if said else None
    if said and found is None:
        warnings.append(f"no language is called {said}; there are {', '.join(NAMES)}")
    return found or said or None


def named_kind(warnings: list[str], said: str | None) -> str | None:
    """A kind of symbol; an empty one is none."""
    from cuedeck.code.facts import KINDS
    from cuedeck.code.locating import kind_named

    if said and kind_named(said) not in KINDS:
        warnings.append(f"no kind is called {said}; there are {', '.join(KINDS)}")
    return said or None


def path_prefix(said: str | None) -> str:
    """How paths must begin; the workspace's own folder lets all through."""
    prefix = (said or "").removeprefix("./")
    if prefix.split("/")[0] == ".." or prefix.startswith("/") or "\0" in prefix:
        raise invalid("path_filter", "the beginning of a path relative to the workspace", said)
    return "" if prefix == "." else prefix
