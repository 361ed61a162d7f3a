"""What a language is to the engine: which grammar, how to walk it, how to name and link it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cuedeck.code.extraction.draft import Walk
    from cuedeck.code.resolution.rules import Rules


@dataclass(frozen=True)
class Language:
    """One language's seam; everything else in the engine is common to all of them."""

    name: str
    grammar: Callable[[], Any]  # the grammar wheel's capsule; imported when first needed
    walk: type[Walk]
    rules: type[Rules]
    # Segments of a path that are layout, not module: everything up to the last of them is dropped.
    source_roots: tuple[str, ...] = ("src", "lib")
    # File stems that stand for their folder.
    folder_stems: tuple[str, ...] = ()
    # The namespace that a file declares, not its path, is what its symbols' names begin with.
    namespaces: bool = False
    comment: str = "//"
    # What stands before a piece of source for it to be read as code.
    opening: bytes = b""
    # The compiled module that visits its commonest nodes, where the accelerator is installed.
    visitor: str | None = None
    # Rewrites a source that the grammar does not understand to one of the same length that it may.
    repair: Callable[[bytes], bytes] | None = None
    # Closes what a source leaves open, likewise, where it is still not understood.
    close: Callable[[bytes], bytes] | None = None
    # Rewrites every source, likewise, where the grammar misunderstands without noticing.
    rewrite: Callable[[bytes], bytes] | None = None
