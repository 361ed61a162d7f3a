"""Vue and Svelte: a component's scripts as TypeScript, with what its markup names."""

from __future__ import annotations

import re
from typing import Any, Final

from cuedeck.code.languages.ecmascript_repair import declared, repaired
from cuedeck.code.languages.ecmascript_rules import EcmaRules
from cuedeck.code.languages.language import Language
from cuedeck.code.languages.typescript import TypeScriptWalk
from cuedeck.code.resolution.values import Value

_INK: Final = re.compile(rb"[^\r\n]")
_BLOCKS: Final = rb"""<!--.*?(?:-->|\Z)
    |<script(?:[^>"']|"[^"]*"|'[^']*'){0,400}>(?P<script>.*?)(?=</script|\Z)
    |<style\b.*?(?:</style|\Z)
    |</?(?P<named>[A-Z][\w.]*)"""
_VUE: Final = re.compile(
    _BLOCKS
    + rb"""|\{\{(?P<shown>.{0,2000}?)\}\}
    |(?<=\s)(?P<directive>(?:[:@]|v-)[\w:.@\-\[\]]{0,80})=(?:"(?P<double>[^"]{0,4000})"|'(?P<single>[^']{0,4000})')""",
    re.DOTALL | re.VERBOSE,
)
_LOOPED: Final = re.compile(rb"\A.*?\s(?:in|of)\s", re.DOTALL)
_SVELTE: Final = re.compile(
    _BLOCKS + rb"|(?<=\s)(?:use|transition|in|out|animate):(?P<deed>[\w.]+)|(?P<open>\{)",
    re.DOTALL | re.VERBOSE,
)
_BRACKETS: Final = re.compile(rb"""[{}]|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`(?:\\.|[^`\\])*`""", re.DOTALL)
_KEYWORD: Final = re.compile(rb"\s*(?:[#:@](?:if|else[ ]if|each|await|key|html|render|const)\b|\.\.\.)")
_BINDS: Final = re.compile(rb"\s(?:as|then|catch)\s.*", re.DOTALL)
# ``$name`` is what the store ``name`` holds; these are the language's own.
_STORE: Final = re.compile(
    rb"(?<![\w$.])\$(?!(?:state|derived|effect|props|bindable|inspect|host)\b)(?=[A-Za-z_])"
)


def vue(source: bytes) -> bytes:
    """A Vue component as TypeScript of the same length: scripts, and expressions of the template."""
    text = bytearray(_INK.sub(b" ", source))
    for found in _VUE.finditer(source):
        group = found.lastgroup or ""
        start, end = found.span(group) if group else (0, 0)
        if group == "shown":
            text[start - 2 : end + 1] = b";(" + found[group] + b")"
        elif group in ("double", "single"):
            said = found["directive"]
            given = _LOOPED.sub(_blank, found[group]) if said == b"v-for" else found[group]
            opening, closing = (b";{", b"}") if said.startswith((b"@", b"v-on")) else (b";(", b")")
            if not said.startswith(b"v-slot"):
                text[start - 2 : end + 1] = opening + given + closing
        elif group:
            _keep(text, source, start, end)
    return bytes(text)


def svelte(source: bytes) -> bytes:
    """A Svelte component as TypeScript of the same length: scripts, and expressions of the markup."""
    source = _STORE.sub(b" ", source)
    text = bytearray(_INK.sub(b" ", source))
    at = 0
    while found := _SVELTE.search(source, at):
        group, at = found.lastgroup or "", found.end()
        if group == "open":
            at = _closing(source, found.end())
            inside = source[found.end() : at - 1]
            keyword, binds = _KEYWORD.match(inside), _BINDS.search(inside)
            start = found.end() + (keyword.end() if keyword else 0)
            if keyword or inside.lstrip()[:1] not in b"#:/@":
                _keep(text, source, start, found.end() + binds.start() if keyword and binds else at - 1)
        elif group:
            _keep(text, source, *found.span(group))
    return bytes(text)


def _keep(text: bytearray, source: bytes, start: int, end: int) -> None:
    """Take over a part of the source as a statement of its own."""
    text[start - 1 : end] = b";" + source[start:end]
    if source[end : end + 1].strip():
        text[end : end + 1] = b";"


def _blank(found: re.Match[bytes]) -> bytes:
    return _INK.sub(b" ", found[0])


def _closing(source: bytes, at: int) -> int:
    """Where the braces end that opened before a place."""
    depth = 1
    for found in _BRACKETS.finditer(source, at):
        depth += (found[0] == b"{") - (found[0] == b"}")
        if not depth:
            return found.end()
    return len(source)


class ComponentRules(EcmaRules):
    """What a component exports without saying so is the component, which is its file."""

    def submodule(self, module: Value, name: str) -> Value | None:
        return module if name == "default" else super().submodule(module, name)


def _grammar() -> Any:
    import tree_sitter_typescript

    return tree_sitter_typescript.language_typescript()


VUE: Final = Language(
    "vue",
    (".vue",),
    _grammar,
    TypeScriptWalk,
    ComponentRules,
    repair=lambda source: repaired(vue(source)),
    rewrite=lambda source: declared(vue(source)),
)
SVELTE: Final = Language(
    "svelte",
    (".svelte",),
    _grammar,
    TypeScriptWalk,
    ComponentRules,
    repair=lambda source: repaired(svelte(source)),
    rewrite=lambda source: declared(svelte(source)),
)
