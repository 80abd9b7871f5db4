"""Texts -> one float32 row per text: the mean of the vectors of its tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from caesura_static.foreign import warn_once
from caesura_static.model import load


@dataclass(frozen=True, slots=True)
class StaticEmbedder:
    """The embedded model: a static word-piece model, distilled from all-MiniLM-L6-v2 (see MODEL_CARD.md).

    It has no settings, needs no network, and holds no weights itself: the first use in a process reads them from the
    package, and a pickled embedder is a few bytes. All instances are equal, and threads may share them.

    >>> embed = StaticEmbedder()
    >>> cat, kitten, bond = embed(["The cat sleeps.", "A kitten naps.", "Bond yields rose."]) - embed.background
    >>> bool(cat @ kitten > cat @ bond)
    True
    """

    def __call__(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Texts -> float32 rows (n, d).

        Returns one row per text, in order, such that row i is the mean of the vectors of text i's tokens, whatever else
        is in the call (within 1e-6), and zero where the text has no token that the vocabulary knows. The vectors
        carry the weight of their token (a rare word moves the mean more than a common one); `[UNK]` is not counted.
        Rows are not of unit length: the length tells how much the tokens agree.

        Raises TypeError where `texts` is a str, no sequence, or holds anything but str.
        """
        checked = _check_texts(texts)
        model = load()
        sums, tally = model.pool(checked)
        warn_once(tally)
        sums *= (model.scale / np.maximum(tally[:, 0], 1)).astype(np.float32)[:, None]
        return sums

    @property
    def dimension(self) -> int:
        """How many numbers a row has."""
        return len(load().background)

    @property
    def background(self) -> NDArray[np.float32]:
        """float32 (d,), read-only: the mean of the unit rows of many unrelated sentences; ships with the model."""
        return load().background

    @property
    def version(self) -> str:
        """Names the token vectors: two equal versions give equal rows, so that stored vectors can be told apart."""
        return load().version


def _check_texts(texts: Sequence[str]) -> Sequence[str]:
    if isinstance(texts, (str, bytes)) or not isinstance(texts, Sequence):
        raise TypeError(
            f"embed(texts) needs a sequence of str: got {type(texts).__name__}; "
            "for one text pass [text], for an iterator list(texts)"
        )
    for place, text in enumerate(texts):
        if not isinstance(text, str):
            raise TypeError(
                f"embed(texts) needs str only: texts[{place}] is {type(text).__name__}; convert or drop it first"
            )
    return texts
