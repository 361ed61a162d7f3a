"""Which symbols hold which words: posting lists of the code index."""

from __future__ import annotations

from cuedeck.store.ddl import Step, table
from cuedeck.store.schema import migration


@migration("index", "code_words", 1)
def code_words() -> list[Step]:
    return [
        # Symbols are numbered through: a blob's are first, first + 1, … and no number is given twice.
        table(
            "code_texts",
            [
                "blob bigint not null",
                "first bigint not null",
                "lengths blob not null",
                "kinds blob not null",
                # For each symbol the key of its vector, in eight bytes of the machine's order.
                "keys blob not null",
            ],
            key=["blob"],
        ),
        # A writing batch is a segment, named by its first number; small ones are folded into one.
        table(
            "code_segments",
            ["segment bigint not null", "past bigint not null", "size bigint not null"],
            key=["segment"],
        ),
        table(
            "code_words",
            ["segment bigint not null", "word text not null", "postings blob not null"],
            key=["segment", "word"],
        ),
    ]
