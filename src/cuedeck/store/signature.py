"""Bit signatures of vectors: the share of differing bits estimates the angle, without bias.

A vector is turned at random (signs flipped, then a Hadamard transform) and each coordinate's sign is
kept. For a pair at angle a, a bit differs with probability a / pi whatever the data looks like, so the
neighbours nearer than a known cosine lie, with any confidence wanted, within a known Hamming radius.
"""

from __future__ import annotations

import math
from functools import lru_cache
from hashlib import blake2b

import numpy as np
import numpy.typing as npt

BITS = 1024
WORDS = BITS // 64
SIGMAS = 5.0

Words = npt.NDArray[np.uint64]
Floats = npt.NDArray[np.float32]


def signatures(vectors: Floats) -> Words:
    """One row of words per vector."""
    bits = np.concatenate([_turned(vectors, part) > 0 for part in range(_parts(vectors.shape[1]))], axis=1)
    return np.packbits(bits[:, :BITS], axis=1).view(np.uint64)


def radius(cosine: float) -> int:
    """The Hamming distance within which a vector at least this close lies, almost surely."""
    share = math.acos(min(1.0, max(-1.0, cosine))) / math.pi
    spread = math.sqrt(share * (1.0 - share) / BITS)
    return math.ceil(BITS * (share + SIGMAS * spread)) + 1


def _parts(dimensions: int) -> int:
    return -(-BITS // _width(dimensions))


def _width(dimensions: int) -> int:
    return max(64, 1 << (dimensions - 1).bit_length())


def _turned(vectors: Floats, part: int) -> Floats:
    """Two rounds of flipping signs and mixing, so that a lopsided vector is spread evenly."""
    count, dimensions = vectors.shape
    width = _width(dimensions)
    turned = np.zeros((count, width), dtype=np.float32)
    turned[:, :dimensions] = vectors
    for turn in range(2):
        turned *= _flips(width, part, turn)
        turned = _mixed(turned)
    return turned


def _mixed(values: Floats) -> Floats:
    count, width = values.shape
    half = 1
    while half < width:
        pairs = values.reshape(count, width // (2 * half), 2, half)
        values = np.concatenate(
            (pairs[:, :, :1] + pairs[:, :, 1:], pairs[:, :, :1] - pairs[:, :, 1:]), axis=2
        ).reshape(count, width)
        half *= 2
    # Keep the length as it was, lest it overflow.
    return values * np.float32(1.0 / math.sqrt(width))


@lru_cache(maxsize=32)
def _flips(width: int, part: int, turn: int) -> Floats:
    """Signs from a hash, so that every machine and every release turns alike."""
    stream = b"".join(
        blake2b(f"{part}/{turn}/{block}".encode()).digest() for block in range(-(-width // 512))
    )
    bits = np.unpackbits(np.frombuffer(stream, dtype=np.uint8))[:width]
    return (bits.astype(np.float32) * 2.0 - 1.0).astype(np.float32)
