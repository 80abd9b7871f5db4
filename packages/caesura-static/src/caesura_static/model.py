"""The shipped file -> Model: token vectors, vocabulary, background; read once per process, when first needed."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from caesura_static.letters import Letters
from caesura_static.pooling import LOCK, Pool, widen
from caesura_static.wordpiece import UNKNOWN, WordPiece

FILE = "model.npz"


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """What the file holds, ready for use.

    steps: int8 (v, d), the token vectors as whole numbers; step * scale is the vector.
    scale: what one step is worth.
    silent: the number of the token that counts for nothing, `[UNK]`: its row is zero and no mean counts it.
    pool: adds them up.
    """

    steps: NDArray[np.int8]
    scale: float
    background: NDArray[np.float32]
    words: WordPiece
    silent: int
    pool: Pool
    version: str


def read() -> Model:
    """Returns a fresh Model from the package's file."""
    with files("caesura_static").joinpath(FILE).open("rb") as stream, np.load(stream, allow_pickle=False) as stored:
        vocabulary = bytes(stored["vocabulary"]).decode().split("\n")
        background = stored["background"].astype(np.float32)
        background.setflags(write=False)
        steps, words, silent = stored["steps"], WordPiece(vocabulary), vocabulary.index(UNKNOWN)
        wide = widen(steps)
        return Model(
            steps=steps,
            scale=float(stored["scale"]),
            background=background,
            words=words,
            silent=silent,
            pool=Pool(wide, words, Letters(wide, words)),
            version=str(stored["version"]),
        )


loaded: Model | None = None


def load() -> Model:
    """Returns the process's one Model, such that threads that ask at the same time read the file once."""
    global loaded
    if loaded is None:
        with LOCK:
            if loaded is None:
                loaded = read()
    return loaded
