"""Work on columns, by the compiled functions where they are installed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cuedeck.native import native

if TYPE_CHECKING or native() is None:
    from cuedeck.code.extraction.plain_columns import (
        Writer,
        across,
        columns,
        line_starts,
        ordered,
        seen_outside,
        storable,
    )
else:
    from cuedeck_native.columns import Writer, across, columns, line_starts, ordered, seen_outside, storable

__all__ = ["Writer", "across", "columns", "line_starts", "ordered", "seen_outside", "storable"]
