"""Writes what memories are found by once more, when another build kept it in another form."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cuedeck.store import memories as table
from cuedeck.store.schema.memories import MEMORY_TEXT

if TYPE_CHECKING:
    from cuedeck.store.protocol import Database

_PAGE = 1000


def reword(state: Database) -> None:
    """Give every memory its words again, where none has any."""
    with state.read() as session:
        if not session.text(MEMORY_TEXT).untouched() or not table.listed(session, after="", limit=1):
            return
    from cuedeck.memory.records import from_row, text_record

    with state.write(actor="reword") as session:
        index = session.text(MEMORY_TEXT)
        # Asked again: another process may have been faster.
        rows = table.listed(session, after="", limit=_PAGE) if index.untouched() else []
        while rows:
            index.put(text_record(from_row(row)) for row in rows)
            rows = table.listed(session, after=rows[-1]["id"], limit=_PAGE)
