"""Sketches of vectors, to tell from little memory which few records deserve an exact look.

Codes: each number as one byte, with the length of what rounding took away. By Cauchy and Schwarz no
cosine is further than that length from its estimate, so what codes rule out is ruled out for certain.

Bits: the vector is turned at random (signs flipped, then a Hadamard transform) and each coordinate's sign
kept. For a pair at angle a, a bit differs with probability a / pi whatever the data looks like, so records
nearer than a known cosine lie within a known Hamming radius; five standard deviations are allowed for.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b

import numpy as np
import numpy.typing as npt

BITS = 1024
WORDS = BITS // 64
SIGMAS = 5.0
_FEW = 4

Words = npt.NDArray[np.uint64]
Codes = npt.NDArray[np.int8]
Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Sketches:
    """One row per vector."""

    words: Words
    codes: Codes
    scales: Floats
    errors: Floats


def sketch(vectors: Floats) -> Sketches:
    """The sketches of vectors as they are stored, that is after rounding to half precision."""
    scales = np.maximum(np.abs(vectors).max(axis=1), 1e-12) / np.float32(127.0)
    codes = np.rint(vectors / scales[:, None]).astype(np.int8)
    errors = np.linalg.norm(vectors - codes * scales[:, None], axis=1)
    # A little more than measured, for the rounding of the sums themselves.
    return Sketches(signatures(vectors), codes, scales, (errors + 1e-5).astype(np.float32))


def signatures(vectors: Floats) -> Words:
    """The bits of each vector, sixty-four to a word."""
    turn = _turn(vectors.shape[1])
    if len(vectors) <= _FEW:
        # Row by row: waking BLAS's threads would cost more than the products.
        bits = np.stack([np.vecdot(turn, vector) for vector in vectors]) > 0
    else:
        bits = (vectors @ turn.T) > 0
    return np.packbits(bits, axis=1).view(np.uint64)


def radius(cosine: float, bits: int = BITS) -> int:
    """The Hamming distance within which a vector at least this close lies, almost surely."""
    share = math.acos(min(1.0, max(-1.0, cosine))) / math.pi
    spread = math.sqrt(share * (1.0 - share) / bits)
    return math.ceil(bits * (share + SIGMAS * spread)) + 1


@lru_cache(maxsize=4)
def _turn(dimensions: int) -> Floats:
    """The turn as a matrix, one row per bit: what it does to each unit vector, until the bits are full."""
    width = max(64, 1 << (dimensions - 1).bit_length())
    parts = [_turned(np.eye(dimensions, width, dtype=np.float32), part) for part in range(-(-BITS // width))]
    return np.ascontiguousarray(np.concatenate(parts, axis=1)[:, :BITS].T)


def _turned(values: Floats, part: int) -> Floats:
    """Two rounds of flipping signs and mixing, so that a lopsided vector is spread evenly."""
    for turn in range(2):
        values = _mixed(values * _flips(values.shape[1], part, turn))
    return values


def _mixed(values: Floats) -> Floats:
    count, width = values.shape
    half = 1
    while half < width:
        pairs = values.reshape(count, width // (2 * half), 2, half)
        first, second = pairs[:, :, :1], pairs[:, :, 1:]
        values = np.concatenate((first + second, first - second), axis=2).reshape(count, width)
        half *= 2
    # Keep the length as it was, lest it overflow.
    return values * np.float32(1.0 / math.sqrt(width))


def _flips(width: int, part: int, turn: int) -> Floats:
    """Signs from a hash, so that every machine and every release turns alike."""
    blocks = range(-(-width // 512))
    stream = b"".join(blake2b(f"{part}/{turn}/{block}".encode()).digest() for block in blocks)
    bits = np.unpackbits(np.frombuffer(stream, dtype=np.uint8))[:width]
    return (bits.astype(np.float32) * 2.0 - 1.0).astype(np.float32)
