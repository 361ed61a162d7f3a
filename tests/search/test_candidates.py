"""Cosines for blending, from the real vector table of either store."""

from __future__ import annotations

import numpy as np
import pytest

from cuedeck.search.candidates import candidate_cosines
from cuedeck.store.protocol import Store, VectorRecord
from cuedeck.store.schema.documents import DOCUMENT_VECTORS


def unit(angle: float) -> np.ndarray:
    vector = np.zeros(384, np.float32)
    vector[0], vector[1] = np.cos(angle), np.sin(angle)
    return vector


def test_keyword_hits_beyond_the_nearest_get_their_cosine_too(store: Store) -> None:
    with store.index.write(actor="test") as session:
        session.vectors(DOCUMENT_VECTORS).put(
            VectorRecord(number, "m", unit(number / 10)) for number in range(1, 11)
        )
        session.vectors(DOCUMENT_VECTORS).put([VectorRecord(99, "another model", unit(0))])
    with store.index.read() as session:
        found = candidate_cosines(
            session.vectors(DOCUMENT_VECTORS), unit(0), model="m", also=[2, 8, 99, 1234], limit=3
        )
    assert list(found) == [1, 2, 3, 8]
    assert found[8] == pytest.approx(np.cos(0.8), abs=2e-3)
