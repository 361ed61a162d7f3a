"""Which symbols have vectors; the vectors themselves are the store's."""

from __future__ import annotations

from collections.abc import Sequence

from cuedeck.store.protocol import Session
from cuedeck.store.schema.code import CODE_VECTORS


def with_vector(session: Session, keys: Sequence[int], model: str) -> set[int]:
    """Those of the keys that have a vector of a model."""
    sql = "SELECT id FROM code_vectors WHERE id IN :ids AND model = :model"
    return {row["id"] for row in session.rows(sql, ids=keys, model=model)}


def drop_orphans(session: Session) -> int:
    """Forget vectors of symbols that no blob has any more; how many."""
    import numpy as np

    held = session.rows("SELECT keys FROM code_texts")
    alive = set(np.frombuffer(b"".join(bytes(row["keys"]) for row in held), dtype=np.int64).tolist())
    stored = [row["id"] for row in session.rows("SELECT id FROM code_vectors")]
    orphans = [key for key in stored if key not in alive]
    session.vectors(CODE_VECTORS).drop(orphans)
    return len(orphans)
