"""Fills a scene: whole documents while they fit, then whole sections, and a note of what did not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from cuedeck.documents.fences import with_fences_closed
from cuedeck.documents.kinds import Kind, kind_of
from cuedeck.documents.sections import sections_of, slice_at
from cuedeck.model.errors import CueError, ErrorCode
from cuedeck.scene.sources import Source, Sources
from cuedeck.search.tokens import count_tokens
from cuedeck.secrets import mask

_NOTE_TOKENS = 120
# How many names a note gives, fewer where there is less room.
_NAMED = (20, 8, 3, 1, 0)

Count = Callable[[str], int]


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


@dataclass(frozen=True)
class _Piece:
    """One document as it would stand in the scene, and what it costs there."""

    source: Source
    block: str
    masked: int
    count: Count

    @cached_property
    def tokens(self) -> int:
        return self.count(self.block)

    @property
    def name(self) -> str:
        return f"{self.source.path}#{self.source.anchor}" if self.source.anchor else self.source.path


@dataclass(slots=True)
class _Draft:
    room: int
    patterns: Sequence[str]
    count: Count
    pieces: list[_Piece] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)

    def piece(self, source: Source, text: str) -> _Piece:
        # A fence that is never closed ends with its document, not with the scene.
        cleaned = mask(with_fences_closed(text), self.patterns)
        block = _block(source.path, source.anchor, cleaned.text)
        return _Piece(source, block, cleaned.count, self.count)

    def add(self, piece: _Piece) -> None:
        self.pieces.append(piece)
        self.room -= piece.tokens


def compose(
    sources: Sources, *, limit: int, patterns: Sequence[str] = (), count: Count = count_tokens
) -> Scene:
    """Put the active cards in, then as much of the rest as fits."""
    draft = _Draft(limit - _NOTE_TOKENS, patterns, count)
    header = f"# Scene\n\n{_count(len(sources.active), 'active card')}.\n"
    missing = sorted(set(sources.missing))
    active = [draft.piece(source, _text(source)) for source in sources.active]
    others = [draft.piece(source, _text(source)) for source in sources.others]
    head = header + "".join(piece.block for piece in active)
    masked = sum(piece.masked for piece in active)
    whole = head + "".join(piece.block for piece in others) + _not_found(missing, len(missing))
    if (tokens := count(whole)) <= limit:
        masked += sum(piece.masked for piece in others)
        return Scene(whole, tokens, limit, len(active), len(others), (), masked)
    if (tokens := count(head)) > limit:
        raise _too_small(tokens, limit)
    draft.room -= tokens + count(_not_found(missing, _NAMED[0]))
    for piece in others:
        _fit(draft, piece)
    text, tokens = _finished(draft, head, missing, limit)
    masked += sum(piece.masked for piece in draft.pieces)
    return Scene(text, tokens, limit, len(active), len(draft.pieces), tuple(draft.left_out), masked)


def _fit(draft: _Draft, piece: _Piece) -> None:
    source = piece.source
    if piece.tokens <= draft.room:
        draft.add(piece)
    elif (
        source.anchor is not None or kind_of(source.path) is not Kind.MARKDOWN or not source.markdown.headings
    ):
        draft.left_out.append(LeftOut(piece.name, piece.tokens))
    else:
        _fit_sections(draft, piece)


def _fit_sections(draft: _Draft, whole: _Piece) -> None:
    source = whole.source
    kept: list[str] = []
    left: list[LeftOut] = []
    room = draft.room - draft.count(_block(source.path, None, ""))
    for section in sections_of(source.markdown, len(source.data)):
        text = source.data[section.start : section.end].decode("utf-8").removeprefix("\ufeff").strip("\r\n")
        tokens = draft.count(mask(text, draft.patterns).text) + 2
        if tokens <= room:
            kept.append(text)
            room -= tokens
        elif text.strip():
            left.append(LeftOut(f"{source.path}#{section.heading or 'beginning'}", tokens))
    piece = draft.piece(source, "\n\n".join(kept))
    # Masked together, sections may cost other than each by itself.
    if not any(text.strip() for text in kept) or piece.tokens > draft.room:
        draft.left_out.append(LeftOut(source.path, whole.tokens))
        return
    draft.add(piece)
    draft.left_out += left


def _finished(draft: _Draft, head: str, missing: Sequence[str], limit: int) -> tuple[str, int]:
    """Add the notes, naming as many as there is room for; give up the last document if there is none."""
    while True:
        for named in _NAMED:
            text = head + "".join(piece.block for piece in draft.pieces)
            text += _not_found(missing, named) + _note(draft.left_out, limit, named)
            if (tokens := draft.count(text)) <= limit:
                return text, tokens
        if not draft.pieces:
            raise _too_small(tokens, limit)
        dropped = draft.pieces.pop()
        draft.left_out.insert(0, LeftOut(dropped.name, dropped.tokens))


def _not_found(missing: Sequence[str], named: int) -> str:
    if not missing:
        return ""
    if not named:
        return f"\n({len(missing)} references not found)\n"
    shown = [*missing[:named], *([f"{len(missing) - named} more"] if len(missing) > named else [])]
    return f"\nReferenced but not found: {', '.join(shown)}\n"


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


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _too_small(size: int, limit: int) -> CueError:
    return CueError(
        ErrorCode.TOKEN_LIMIT,
        f"Token Limit Exceeded: the active cards need {size} tokens, the limit is {limit}",
        data={"current_size": size, "limit": limit, "action": "Nothing was written."},
        hint="Raise --token-limit or core.token_limit, or close some active cards.",
    )
