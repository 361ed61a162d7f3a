"""Sketches of vectors, to tell from little memory which few records deserve an exact look.

Codes: each number as one byte, with the length of what rounding took away. By Cauchy and Schwarz no
cosine is further than that length from its estimate, so what codes rule out is ruled out for certain.

Bits: the vector is turned at random (signs flipped, then a Hadamard transform) and each coordinate's sign
kept. For a pair at angle a, a bit differs with probability a / pi whatever the data looks like, so records
nearer than a known cosine lie within a known Hamming radius; five and a half standard deviations are allowed.
A turn keeps the product of the pair, so its bits differ less by chance than as many independent ones.
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
SIGMAS = 5.5

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
    codes, scales, lost = rounded(vectors)
    # A little more than measured, for the rounding of the sums themselves.
    errors = np.sqrt(np.vecdot(lost, lost)) + np.float32(1e-5)
    return Sketches(signatures(vectors), codes, scales, errors)


def rounded(vectors: Floats) -> tuple[Codes, Floats, Floats]:
    """Each vector as bytes, what one of them is worth, and what rounding took away."""
    scales = np.maximum(np.abs(vectors).max(axis=1), 1e-12) / np.float32(127.0)
    codes = np.rint(vectors / scales[:, None]).astype(np.int8)
    return codes, scales, vectors - codes * scales[:, None]


def signatures(vectors: Floats) -> Words:
    """The bits of each vector, sixty-four to a word; it is turned as often as it takes to fill them."""
    count, dimensions = vectors.shape
    width = _width(dimensions)
    turns = -(-BITS // width)
    turned = np.zeros((count, 1, width), dtype=np.float32)
    turned[:, 0, :dimensions] = vectors
    # Two rounds of flipping signs and mixing, so that a lopsided vector is spread evenly.
    for turn in range(2):
        turned = _mixed(turned * _flips(width, turns, turn))
    bits = turned.reshape(count, turns * width)[:, :BITS] > 0
    return np.packbits(bits, axis=1).view(np.uint64)


def radius(cosine: float, dimensions: int, bits: int = BITS) -> int:
    """The Hamming distance within which a vector at least this close lies, almost surely."""
    near = min(1.0, max(-1.0, cosine))
    share = math.acos(near) / math.pi
    spread = math.sqrt(bits * _variance(near, min(1.0, bits / _width(dimensions))))
    return math.ceil(bits * share + SIGMAS * spread) + 1


def _variance(cosine: float, turned: float) -> float:
    """Of one bit's difference, given how much of a turn the bits are.

    Over a whole turn the products of coordinates add up to the cosine; what a bit has in common with its
    product, by regression over two normal numbers of that correlation, therefore does not vary.
    """
    mean = 1.0 - 2.0 * math.acos(cosine) / math.pi
    product = 2.0 / math.pi * (math.sqrt(1.0 - cosine * cosine) + cosine * math.asin(cosine))
    common = (product - cosine * mean) ** 2 / (1.0 + cosine * cosine)
    return max(0.0, 1.0 - mean * mean - turned * common) / 4.0


def _width(dimensions: int) -> int:
    """How many coordinates a turn has."""
    return max(64, 1 << (dimensions - 1).bit_length())


def _mixed(values: Floats) -> Floats:
    """The Hadamard transform, as two small ones over rows and columns of a grid."""
    count, turns, width = values.shape
    columns = 1 << (width.bit_length() // 2)
    grid = values.reshape(count, turns, width // columns, columns)
    mixed = np.matmul(np.matmul(_hadamard(width // columns), grid), _hadamard(columns))
    # Keep the length as it was, lest it overflow.
    scaled: Floats = mixed.reshape(values.shape) * np.float32(1.0 / math.sqrt(width))
    return scaled


@lru_cache(maxsize=16)
def _hadamard(size: int) -> Floats:
    """Ones and minus ones in Sylvester's order."""
    found = np.ones((1, 1), dtype=np.float32)
    while len(found) < size:
        found = np.block([[found, found], [found, -found]]).astype(np.float32)
    return found


@lru_cache(maxsize=64)
def _flips(width: int, turns: int, turn: int) -> Floats:
    """Signs from a hash, so that every machine and every release turns alike."""
    blocks = range(-(-width // 512))
    rows = []
    for part in range(turns):
        stream = b"".join(blake2b(f"{part}/{turn}/{block}".encode()).digest() for block in blocks)
        rows.append(np.unpackbits(np.frombuffer(stream, dtype=np.uint8))[:width])
    return (np.stack(rows).astype(np.float32) * 2.0 - 1.0).astype(np.float32)
