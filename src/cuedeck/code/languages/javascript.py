"""JavaScript: its files and grammar; the walk is shared with TypeScript."""

from __future__ import annotations

from typing import Any, Final

from cuedeck.code.languages.ecmascript_docs import DocWalk
from cuedeck.code.languages.ecmascript_repair import declared
from cuedeck.code.languages.ecmascript_rules import EcmaRules
from cuedeck.code.languages.ecmascript_torn import closed
from cuedeck.code.languages.language import Language


class JavaScriptWalk(DocWalk):
    """Visits JavaScript and JSX."""


def _grammar() -> Any:
    import tree_sitter_javascript

    return tree_sitter_javascript.language()


JAVASCRIPT: Final = Language(
    "javascript",
    _grammar,
    JavaScriptWalk,
    EcmaRules,
    folder_stems=("index",),
    close=closed,
    rewrite=declared,
)
