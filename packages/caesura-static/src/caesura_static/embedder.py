"""Texts -> one float32 row per text: the mean of the vectors of its tokens."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from caesura_static.model import Model, load

FOREIGN_SHARE = 0.3
"""A text with so large a share of tokens that are no whole words is in a language, or a code, that the model does not
know: in English sentences 95 in 100 stay under 0.2, in German 95 in 100 are over 0.4, in Chinese and Arabic all."""
FOREIGN = ((100, 0.4), (1000, 0.1))
"""So many tokens in such texts, and so large a part of all tokens of the call, are worth a warning."""
_warned = False

BLOCK = 4096  # tokens looked up and added at a time: 3 MB, which a processor's cache can hold


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
        numbers = [list(model.words.numbers(text)) for text in checked]
        every = np.fromiter(map(len, numbers), np.intp, len(numbers))
        flat = np.fromiter(chain.from_iterable(numbers), np.intp, int(every.sum()))
        owners = np.repeat(np.arange(len(checked)), every)
        _warn_once(model, flat, owners, every)
        known = flat != model.silent
        flat, owners = flat[known], owners[known]
        counts = np.bincount(owners, minlength=len(checked))
        sums = _sums(model.steps, flat, owners, len(checked))
        sums *= (model.scale / np.maximum(counts, 1)).astype(np.float32)[:, None]
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


def _warn_once(model: Model, flat: NDArray[np.intp], owners: NDArray[np.intp], every: NDArray[np.intp]) -> None:
    """Token numbers, the text of each, tokens per text -> a warning, the first time that most of a call is foreign."""
    global _warned
    if _warned or len(flat) < FOREIGN[0][0]:
        return
    broken = np.bincount(owners[model.broken[flat]], minlength=len(every))
    foreign = broken >= FOREIGN_SHARE * np.maximum(every, 1)
    tokens = int(every[foreign].sum())
    if not any(tokens >= least and tokens >= part * len(flat) for least, part in FOREIGN):
        return
    _warned = True
    warnings.warn(
        f"the embedded model knows English: of {len(every)} texts, {int(foreign.sum())} are to it pieces of words or "
        f"unknown, and it can hardly tell their subjects apart; pass an embedder for their language, such as a "
        f"multilingual sentence-transformers model (embed_model= in LlamaIndex, embeddings= in LangChain)",
        UserWarning,
        stacklevel=3,
    )


def _sums(
    steps: NDArray[np.float32], flat: NDArray[np.intp], owners: NDArray[np.intp], count: int
) -> NDArray[np.float32]:
    """Token numbers and the text of each, rising -> float32 (count, d): the sum of each text's rows of `steps`."""
    sums = np.zeros((count, steps.shape[1]), np.float32)
    for start in range(0, len(flat), BLOCK):
        owner = owners[start : start + BLOCK]
        first = np.flatnonzero(np.r_[True, owner[1:] != owner[:-1]])
        sums[owner[first]] += np.add.reduceat(steps[flat[start : start + BLOCK]], first, axis=0)
    return sums


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
