"""What is fuzzed with coverage: each target takes bytes and raises only when a promise is broken."""

from __future__ import annotations

import contextlib
import functools
import json
import tempfile
from collections.abc import Callable
from pathlib import Path

from cuedeck.model.errors import CueError

MAX_BYTES = 1 << 20


def markdown(data: bytes) -> None:
    """Every note is read; what it holds can be sliced out again and written as JSON."""
    from cuedeck.documents.extract import extract
    from cuedeck.documents.markdown import parse_markdown
    from cuedeck.documents.sections import slice_at

    found = extract("notes/a.md", data, max_bytes=MAX_BYTES)
    json.dumps(found.frontmatter, allow_nan=False)
    if found.skipped:
        return
    parsed = parse_markdown(data.decode())
    for anchor in found.anchors[:5]:
        assert slice_at(parsed, anchor.text, len(data)) is not None or not anchor.text.strip()


def frontmatter(data: bytes) -> None:
    """Frontmatter is read or refused; an edit keeps the body and is read back as written."""
    from cuedeck.documents.frontmatter import locate_frontmatter, read_frontmatter
    from cuedeck.documents.frontmatter_edit import edit_frontmatter
    from cuedeck.tasks.card import read_card

    read_card("abcdef", data)
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return
    before = read_frontmatter(text)
    try:
        edited = edit_frontmatter(data, {"status": "it's: done", "tags": ["a", "b c"]})
    except CueError:
        return
    after = read_frontmatter(edited.decode())
    assert after.data is not None, "an edit made the header unreadable"
    assert after.data["status"] == "it's: done"
    kept = {key: value for key, value in (before.data or {}).items() if key not in ("status", "tags")}
    assert {key: after.data[key] for key in kept} == kept, "an edit changed another field"
    if (place := locate_frontmatter(text)) is not None:
        assert edited.decode().endswith(text[place[2] :]), "an edit changed the body"


def notes(data: bytes) -> None:
    """A note is appended to any card without losing a byte of it."""
    from datetime import date

    from cuedeck.tasks.notes import append_note

    try:
        data.decode()
    except UnicodeDecodeError:
        return
    longer = append_note(data, "said", day=date(2026, 1, 1))
    assert b"said" in longer
    assert len(longer) > len(data)


def archive(data: bytes) -> None:
    """An archive is refused with a sentence, and leaves nothing outside its folder."""
    import zstandard

    from cuedeck.store import archive as archives

    with tempfile.TemporaryDirectory(prefix="cuedeck-fuzz-") as name:
        folder = Path(name)
        (folder / "inside").mkdir()
        # Half of the inputs are the tar inside, so that the fuzzer need not invent compression.
        packed = data[1:] if data[:1] < b"\x80" else zstandard.compress(data[1:], 1)
        (folder / "a.tar.zst").write_bytes(packed)
        with contextlib.suppress(CueError):
            archives._unpack(folder / "a.tar.zst", folder / "inside")
        assert sorted(path.name for path in folder.iterdir()) == ["a.tar.zst", "inside"]


def code(data: bytes) -> None:
    """Facts of any source in any language, which survive being packed and unpacked."""
    from cuedeck.code.extraction.extract import UNREAD, extract
    from cuedeck.code.extraction.packing import pack, unpack_links, unpack_outline

    known = languages()
    language = known[data[0] % len(known)] if data else known[0]
    packed = pack(extract(data[1:], language))
    assert not (unpack_outline(packed).problem or "").startswith(UNREAD)
    unpack_links(packed)


@functools.cache
def languages() -> list[object]:
    """All of them, loaded."""
    from cuedeck.code.languages import NAMES, language_named

    return [language_named(name) for name in NAMES]


TARGETS: dict[str, Callable[[bytes], None]] = {
    "markdown": markdown,
    "frontmatter": frontmatter,
    "notes": notes,
    "archive": archive,
    "code": code,
}
