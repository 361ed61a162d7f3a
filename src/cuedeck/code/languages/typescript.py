"""TypeScript and TSX: their files and grammars."""

from __future__ import annotations

from typing import Any, Final

from cuedeck.code.languages.ecmascript import EcmaWalk
from cuedeck.code.languages.ecmascript_repair import repaired, rewritten
from cuedeck.code.languages.ecmascript_rules import EcmaRules
from cuedeck.code.languages.ecmascript_torn import closed
from cuedeck.code.languages.language import Language


class TypeScriptWalk(EcmaWalk):
    """Visits TypeScript."""

    open_classes = False


class TsxWalk(EcmaWalk):
    """Visits TypeScript with JSX."""

    open_classes = False


def _typescript() -> Any:
    import tree_sitter_typescript

    return tree_sitter_typescript.language_typescript()


def _tsx() -> Any:
    import tree_sitter_typescript

    return tree_sitter_typescript.language_tsx()


TYPESCRIPT: Final = Language(
    "typescript",
    _typescript,
    TypeScriptWalk,
    EcmaRules,
    folder_stems=("index",),
    repair=repaired,
    close=closed,
    rewrite=rewritten,
)
TSX: Final = Language(
    "tsx", _tsx, TsxWalk, EcmaRules, folder_stems=("index",), repair=repaired, close=closed, rewrite=rewritten
)
