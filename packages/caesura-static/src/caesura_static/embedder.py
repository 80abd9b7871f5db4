"""Texts -> one float32 row per text: the mean of the vectors of its tokens."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from caesura_static.model import load
from caesura_static.pooling import Tally

FOREIGN_SHARE = 0.3
"""A text with so large a share of tokens that are no whole words is in a language, or a code, that the model does not
know: in English sentences 95 in 100 stay under 0.2, in German 95 in 100 are over 0.4, in Chinese and Arabic all."""
FOREIGN = ((100, 0.4), (1000, 0.1))
"""So many tokens in such texts, and so large a part of all tokens of the call, are worth a warning."""
_warned = False


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
        checked = _checked(texts)
        model = load()
        sums, tally = model.pool(checked)
        _warn_once(tally)
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


def _warn_once(tally: Tally) -> None:
    """The tallies of a call's texts -> a warning, the first time that most of a call is foreign."""
    global _warned
    every = int(tally[:, 1].sum())
    if _warned or every < FOREIGN[0][0]:
        return
    foreign = tally[:, 2] >= FOREIGN_SHARE * np.maximum(tally[:, 1], 1)
    tokens = int(tally[foreign, 1].sum())
    if not any(tokens >= least and tokens >= part * every for least, part in FOREIGN):
        return
    _warned = True
    warnings.warn(
        f"the embedded model knows English: of {len(tally)} texts, {int(foreign.sum())} are to it pieces of words or "
        f"unknown, and it can hardly tell their subjects apart; pass an embedder for their language, such as a "
        f"multilingual sentence-transformers model (embed_model= in LlamaIndex, embeddings= in LangChain)",
        UserWarning,
        stacklevel=3,
    )


def _checked(texts: Sequence[str]) -> Sequence[str]:
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
