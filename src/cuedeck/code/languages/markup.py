"""The markup of Vue and Svelte components as TypeScript of the same length.

Scripts stay, and of the rest what names something: expressions, and the components of tags. What loops, slots
and the like bind is bound in a block around what they hold, if that is closed anywhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

_INK: Final = re.compile(rb"[^\r\n]")
_BLOCKS: Final = rb"""<!--.*?(?:-->|\Z)
    |<script(?:[^<>"']|"[^"]*"|'[^']*'){0,400}>(?P<script>.*?)(?=</script|\Z)
    |<style\b.*?(?:</style|\Z)
    """
_VUE: Final = re.compile(
    _BLOCKS
    + rb"""|<(?P<opened>[A-Za-z][\w.\-]*)
    |</(?P<closed>[A-Za-z][\w.\-]*)
    |\{\{(?P<shown>(?:(?!\{\{).){0,2000}?)\}\}
    |(?<=\s)(?:(?P<directive>(?:[:@\#]|v-)[\w:.@\-\[\]]{0,80})|(?P<attribute>[\w\-]{1,80}))
        =(?:"(?P<double>[^"]{0,4000})"|'(?P<single>[^']{0,4000})')
    |(?P<ended>/?>)""",
    re.DOTALL | re.VERBOSE,
)
_LOOP: Final = re.compile(rb"\s*(?:[\w$]+|[(\[{].*?)\s(?P<word>in|of)\s", re.DOTALL)
# An attribute that sets a property, not one that decides, listens or fills a slot.
_GIVEN: Final = re.compile(rb"(?:v-bind:|v-model:|:|(?![@#]|v-))(?P<name>[A-Za-z][\w\-]*)\Z")
# Elements that nothing closes.
_VOID: Final = frozenset(b"area base br col embed hr img input link meta param source track wbr".split())
_SVELTE: Final = re.compile(
    _BLOCKS
    + rb"""|</?(?P<named>[A-Z][\w.]*)
    |(?<=\s)(?:use|transition|in|out|animate):(?P<deed>[\w.]+)
    |(?P<open>\{)""",
    re.DOTALL | re.VERBOSE,
)
_BRACKETS: Final = re.compile(rb"""[{}]|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`(?:\\.|[^`\\])*`""", re.DOTALL)
_KEYWORD: Final = re.compile(
    rb"\s*(?:\.\.\.|(?P<word>[#/](?:if|each|await|key|snippet)|:(?:else[ ]if|else|then|catch)|@\w+)\b)"
)
# What Svelte's words become, and the brace that ends them; no longer than with the brace before.
_WORDS: Final = {
    b"#if": (b"{;", b";"),
    b"#key": (b"{;", b";"),
    b"#await": (b"{;", b";"),
    b"#each": (b"{with(", b")"),
    b"#snippet": (b";function", b"{"),
    b":else": (b";}{;", b";"),
    b":else if": (b";}{;", b";"),
    b":then": (b";}{let", b";"),
    b":catch": (b";}{let", b";"),
    b"@const": (b";const", b";"),
}
# The last ``as`` of a loop, and what names the outcome of a promise.
_AS: Final = re.compile(rb"(.*\s)as(?=\s)", re.DOTALL)
_OUTCOME: Final = re.compile(rb"[ \t](?:then|catch)[ \t](?=\s*\S)")
# ``$name`` is what the store ``name`` holds; these are the language's own.
_STORE: Final = re.compile(
    rb"(?<![\w$.])\$(?!(?:state|derived|effect|props|bindable|inspect|host)\b)(?=[A-Za-z_])"
)

# Places, each with what is to stand there.
_Parts = list[tuple[int, bytes]]


def scripts(source: bytes) -> list[tuple[int, int]]:
    """Where the scripts of a component stand."""
    return [found.span("script") for found in _VUE.finditer(source) if found.lastgroup == "script"]


def attributes(source: bytes) -> Iterator[tuple[int, int, bytes]]:
    """The properties that a Vue template gives: where the component is named, where the property, and how."""
    tag = -1
    for found in _VUE.finditer(source):
        if found.lastgroup == "opened":
            tag = found.start("opened") if _is_component(found["opened"]) else -1
        elif found.lastgroup in ("double", "single") and tag >= 0:
            given = _GIVEN.match(found["attribute"] or found["directive"])
            at = found.start("attribute") if found["attribute"] else found.start("directive")
            if given:
                yield tag, at + given.start("name"), given["name"]


def vue(source: bytes) -> bytes:
    """A Vue component as TypeScript."""
    text = bytearray(_INK.sub(b" ", source))
    held: dict[bytes, list[_Parts]] = {}  # what the open tags of each name bind
    tag, bound = b"", _Parts()
    for found in _VUE.finditer(source):
        group = found.lastgroup or ""
        start, end = found.span(group) if group else (0, 0)
        if group == "script":
            _keep(text, source, start, end)
        elif group == "shown":
            _write(text, [(start - 2, b";(" + found[group] + b")")])
        elif group == "opened":
            tag, bound = found[group], []
            _name(text, source, start, end)
        elif group == "closed":
            _name(text, source, start, end)
            parts = held[found[group]].pop()[:2] if held.get(found[group]) else []
            _write(text, [*parts, (start - 2, b"}" * len(parts))])
        elif group == "ended" and tag:
            if found[group] == b"/>" or tag in _VOID:
                _write(text, _alone(bound, start, found[group]))
            else:
                held.setdefault(tag, []).append(bound)
                _write(text, [(start, b";")] if bound else [])
            tag = b""
        elif group and found["directive"]:
            bound += _directive(text, found["directive"], start, found[group], source[end + 1 : end + 2])
    return bytes(text)


def _alone(bound: _Parts, at: int, ending: bytes) -> _Parts:
    """A loop over an element that holds nothing: ``>`` has no room for more than the brace."""
    for place, said in bound:
        if said.startswith(b";{for") and (len(ending) > 1 or said.endswith(b";")):
            return [(place, said), (at, b";}"[-len(ending) :])]
    return []


def _directive(text: bytearray, said: bytes, start: int, given: bytes, after: bytes) -> _Parts:
    """Keep the expression of a directive; what binds its names for what the element holds."""
    if said.startswith((b"#", b"v-slot")):
        # ``#a`` and ``#ab`` leave no room for it.
        return [(start - 6, b";{let " + given + b";")] if given.strip() and len(said) > 3 else []
    opening, closing = (b";{", b"}") if said.startswith((b"@", b"v-on")) else (b";(", b")")
    loop = _LOOP.match(given) if said == b"v-for" else None
    if loop is None:
        _write(text, [(start - 2, opening + given + closing)])
        return []
    _write(text, [(start + loop.end() - 1, b";" + given[loop.end() :] + b";")])
    whole = given[: loop.start("word")] + b"of" + given[loop.end("word") :]
    return [(start - 6, b";{for(" + whole + (b");" if after in (b" ", b"\t") else b")"))]


def svelte(source: bytes) -> bytes:
    """A Svelte component as TypeScript."""
    source = _STORE.sub(b" ", source)
    text = bytearray(_INK.sub(b" ", source))
    blocks: list[_Parts] = []
    at = 0
    while found := _SVELTE.search(source, at):
        group, at = found.lastgroup or "", found.end()
        if group == "open":
            at = _closing(source, found.end())
            if not at:
                break
            _braced(text, blocks, found.start(), source[found.end() : at - 1])
        elif group:
            _keep(text, source, *found.span(group))
    return bytes(text)


def _braced(text: bytearray, blocks: list[_Parts], at: int, inside: bytes) -> None:
    """Keep what stands in braces: an expression, or a word of a block, which is written when that ends."""
    keyword = _KEYWORD.match(inside)
    if keyword is None and inside.lstrip()[:1] in b"#:/@":
        return
    word, begun = (keyword["word"] or b"", keyword.end()) if keyword else (b"", 0)
    rest = inside[begun:]
    if word == b"#each":
        rest = _AS.sub(rb"\1, ", rest, count=1)
    elif word == b"#await":
        rest = _OUTCOME.sub(lambda found: b";let".ljust(len(found[0])), rest)
    elif word in (b":then", b":catch") and not rest.strip():
        word = b":else"
    opening, closing = _WORDS.get(word, (b";", b";"))
    parts = [(at, opening), (at + 1 + begun, rest), (at + 1 + len(inside), closing)]
    if word.startswith(b"/"):
        _write(text, [*blocks.pop(), (at, b";}")] if blocks else [])
    elif word.startswith(b"#"):
        blocks.append(parts)
    elif not word.startswith(b":"):
        _write(text, parts)
    elif blocks:
        blocks[-1] += parts


def _closing(source: bytes, at: int) -> int:
    """Where the braces end that opened before a place, or 0."""
    depth = 1
    for found in _BRACKETS.finditer(source, at):
        depth += (found[0] == b"{") - (found[0] == b"}")
        if not depth:
            return found.end()
    return 0


def _name(text: bytearray, source: bytes, start: int, end: int) -> None:
    """Keep a tag's name if it is that of a component; a hyphen would be a minus."""
    name = source[start:end]
    if _is_component(name):
        _keep(text, source, start, end)
        _write(text, [(start, name.replace(b"-", b"_"))])


def _is_component(tag: bytes) -> bool:
    return tag[:1].isupper() or b"-" in tag


def _keep(text: bytearray, source: bytes, start: int, end: int) -> None:
    """Take over a part of the source as a statement of its own."""
    _write(text, [(start - 1, b";" + source[start:end])])
    if source[end : end + 1].strip():
        _write(text, [(end, b";")])


def _write(text: bytearray, parts: _Parts) -> None:
    for at, said in parts:
        text[at : at + len(said)] = said
