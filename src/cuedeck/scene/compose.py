"""Fills a scene: whole documents while they fit, then whole sections, and a note of what did not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from cuedeck.documents.kinds import Kind, kind_of
from cuedeck.documents.sections import sections_of, slice_at
from cuedeck.model.errors import CueError, ErrorCode
from cuedeck.scene.sources import Source, Sources
from cuedeck.search.tokens import count_tokens
from cuedeck.secrets import mask

_NOTE_TOKENS = 120


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A document or a section that did not fit, and what it would have cost."""

    name: str
    tokens: int


@dataclass(frozen=True, slots=True)
class Scene:
    """The finished text and what went into it."""

    text: str
    tokens: int
    limit: int
    cards: int
    documents: int
    left_out: tuple[LeftOut, ...]
    masked: int


@dataclass(slots=True)
class _Draft:
    limit: int
    patterns: Sequence[str]
    blocks: list[str] = field(default_factory=list)
    used: int = 0
    masked: int = 0
    documents: int = 0
    left_out: list[LeftOut] = field(default_factory=list)

    def cleaned(self, text: str) -> str:
        result = mask(text, self.patterns)
        self.masked += result.count
        return result.text

    def add(self, block: str, tokens: int) -> None:
        self.blocks.append(block)
        self.used += tokens


def compose(sources: Sources, *, limit: int, patterns: Sequence[str] = ()) -> Scene:
    """Put the active cards in, then as much of the rest as fits."""
    draft = _Draft(limit - _NOTE_TOKENS, patterns)
    header = f"# Scene\n\n{_count(len(sources.active), 'active card')}.\n"
    draft.add(header, count_tokens(header))
    for source in sources.active:
        block = _block(source.path, None, draft.cleaned(_text(source)))
        draft.add(block, count_tokens(block))
    if draft.used > limit:
        raise _too_small(draft.used, limit)
    for source in sources.others:
        _fit(draft, source)
    if sources.missing:
        missing = f"\nReferenced but not found: {', '.join(sorted(set(sources.missing)))}\n"
        draft.add(missing, count_tokens(missing))
    return _finished(draft, limit, len(sources.active))


def _fit(draft: _Draft, source: Source) -> None:
    masked = draft.masked
    block = _block(source.path, source.anchor, draft.cleaned(_text(source)))
    tokens = count_tokens(block)
    if draft.used + tokens <= draft.limit:
        draft.add(block, tokens)
        draft.documents += 1
        return
    draft.masked = masked
    if source.anchor is not None or kind_of(source.path) is not Kind.MARKDOWN or not source.markdown.headings:
        draft.left_out.append(LeftOut(_name(source), tokens))
        return
    _fit_sections(draft, source, tokens)


def _fit_sections(draft: _Draft, source: Source, whole: int) -> None:
    kept: list[str] = []
    left: list[LeftOut] = []
    room = draft.limit - draft.used - count_tokens(_block(source.path, None, ""))
    masked = draft.masked
    for section in sections_of(source.markdown, len(source.data)):
        text = source.data[section.start : section.end].decode("utf-8").strip("\r\n")
        before = draft.masked
        text = draft.cleaned(text)
        tokens = count_tokens(text) + 2
        if tokens <= room:
            kept.append(text)
            room -= tokens
        elif text.strip():
            draft.masked = before
            left.append(LeftOut(f"{source.path}#{section.heading or 'beginning'}", tokens))
    if not any(text.strip() for text in kept):
        draft.masked = masked
        draft.left_out.append(LeftOut(source.path, whole))
        return
    block = _block(source.path, None, "\n\n".join(kept))
    draft.add(block, count_tokens(block))
    draft.documents += 1
    draft.left_out += left


def _finished(draft: _Draft, limit: int, cards: int) -> Scene:
    """Add the note, naming as many as there is room for; give up the last document if there is none."""
    while True:
        for named in (20, 8, 3, 1, 0):
            text = "".join(draft.blocks) + _note(draft.left_out, limit, named)
            tokens = count_tokens(text)
            if tokens <= limit:
                return Scene(text, tokens, limit, cards, draft.documents, tuple(draft.left_out), draft.masked)
        if draft.documents == 0:
            raise _too_small(tokens, limit)
        draft.left_out.insert(0, LeftOut("the last document", count_tokens(draft.blocks.pop())))
        draft.documents -= 1


def _note(left_out: Sequence[LeftOut], limit: int, named: int) -> str:
    if not left_out:
        return ""
    shown = [f"{each.name} ({each.tokens} tokens)" for each in left_out[:named]]
    if len(left_out) > named:
        shown.append(f"{len(left_out) - named} more")
    if not named:
        return f"\n({len(left_out)} left out)\n"
    return f"\nLeft out to stay within {limit} tokens: {', '.join(shown)}.\n"


def _text(source: Source) -> str:
    if source.anchor is not None:
        part = slice_at(source.markdown, source.anchor, len(source.data))
        if part is not None:
            return source.data[part.start : part.end].decode("utf-8").strip()
    return source.data.decode("utf-8").removeprefix("\ufeff").strip()


def _block(path: str, anchor: str | None, text: str) -> str:
    place = f"{path}#{anchor}" if anchor else path
    quoted = place.replace("&", "&amp;").replace('"', "&quot;")
    return f'\n<document path="{quoted}">\n{text}\n</document>\n'


def _name(source: Source) -> str:
    return f"{source.path}#{source.anchor}" if source.anchor else source.path


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _too_small(size: int, limit: int) -> CueError:
    return CueError(
        ErrorCode.TOKEN_LIMIT,
        f"Token Limit Exceeded: the active cards need {size} tokens, the limit is {limit}",
        data={"current_size": size, "limit": limit, "action": "Nothing was written."},
        hint="Raise --token-limit or core.token_limit, or close some active cards.",
    )
