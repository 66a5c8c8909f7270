"""Word vectors: how alike two plain English words or short names are, by how they are used. Knows no page and no goal.

20,000 common words, none of them a proper name, made by `python -m benchmark.training.word_vectors` from GloVe.
"""

import math
from collections.abc import Sequence
from functools import cache, lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from agent.embedded.words import stem

FILE = Path(__file__).with_name("vectors.npz")
# Two numbers share a byte, each from 0 to 15; this one means 0.
MIDDLE = 8

Floats = NDArray[np.float32]


def pack(vectors: Floats, scale: float) -> NDArray[np.uint8]:
    """Return vectors of an even length as `vectors_of` reads them: four bits a number, cut off at `scale` times 7."""
    steps = np.clip(np.round(vectors / scale), 1 - MIDDLE, MIDDLE - 1).astype(np.int8) + MIDDLE
    packed: NDArray[np.uint8] = (steps[:, ::2] * 16 + steps[:, 1::2]).astype(np.uint8)
    return packed


def unpack(packed: NDArray[np.uint8]) -> NDArray[np.int8]:
    """Return what was packed, in units of its scale."""
    parts = np.stack([packed >> 4, packed & 15], axis=2).astype(np.int8) - MIDDLE
    return parts.reshape(len(packed), -1)


@cache
def _table() -> tuple[dict[str, int], dict[str, int], Floats]:
    """Return the row of each word, the first row of each stem, and the rows, of length 1. Read once: it takes 50 ms."""
    with np.load(FILE, allow_pickle=False) as stored:
        words, rows = stored["words"].tobytes().decode().split("\n"), unpack(stored["vectors"]).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    stems: dict[str, int] = {}
    for n, word in enumerate(words):
        stems.setdefault(stem(word), n)
    return {word: n for n, word in enumerate(words)}, stems, rows


@lru_cache(maxsize=8192)
def _vector(words: tuple[str, ...]) -> Floats | None:
    by_word, by_stem, rows = _table()
    places = [by_word.get(word, by_stem.get(stem(word))) for word in words]
    known = [place for place in places if place is not None]
    if not known:
        return None
    total: Floats = rows[known].sum(axis=0)
    return total / np.float32(math.sqrt(float(total @ total)))


def likeness(one: Sequence[Sequence[str]], other: Sequence[Sequence[str]]) -> Floats:
    """Return how alike each name of the one list is to each of the other: shape (one, other), from -1 to 1.

    Args:
        one: names as lower-case words; a name of several is taken as their mean. One without a word that has a
            vector is like nothing: 0.
    """
    sides = []
    for names in (one, other):
        vectors = [_vector(tuple(name)) for name in names]
        empty = np.zeros(_table()[2].shape[1], dtype=np.float32)
        sides.append(np.stack([empty if vector is None else vector for vector in vectors]))
    alike: Floats = sides[0] @ sides[1].T
    return alike


def is_known(word: str) -> bool:
    """Tell whether a lower-case word, or another form of it, has a vector."""
    by_word, by_stem, _ = _table()
    return word in by_word or stem(word) in by_stem
