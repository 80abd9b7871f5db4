"""Texts -> one float32 row per text: the direction of the mean of the vectors of its words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from caesura_static.foreign import warn_once
from caesura_static.letters import sign_row
from caesura_static.loaded import LoadedEmbedder, load_folder
from caesura_static.model import load
from caesura_static.pooling import check_texts

ROWS = "letters-signs"
"""What is made of a text's token vectors; another word for other rows of the same vectors."""


@dataclass(frozen=True, slots=True)
class StaticEmbedder:
    """The built-in model: a static word-piece model, distilled from all-MiniLM-L6-v2 (see MODEL_CARD.md).

    It has no settings, needs no network, and holds no weights itself: the first use in a process reads them from the
    package, and a pickled embedder is a few bytes. All instances are equal, and threads may share them.

    >>> embed = StaticEmbedder()
    >>> cat, kitten, bond = embed(["The cat sleeps.", "A kitten naps.", "Bond yields rose."]) - embed.background
    >>> bool(cat @ kitten > cat @ bond)
    True
    """

    @staticmethod
    def load(path: str | Path) -> LoadedEmbedder:
        """A folder in model2vec's layout, such as a multilingual model that you downloaded -> its embedder.

        Needs the extra `models`. Raises FileNotFoundError, ImportError or ValueError where it cannot be read.
        """
        return load_folder(path)

    def __call__(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Texts -> float32 rows (n, d).

        Returns one row per text, in order, such that row i has the direction of the mean of the vectors of text i's
        words, whatever else is in the call, and length 1 (both within 1e-6), so that a store that measures squared
        distance ranks as one that measures cosine; zero where the text is blank. The vectors carry the weight of their
        word (a rare word moves the mean more than a common one). A word that the vocabulary does not have whole is made
        of its pieces and its letters, see `caesura_static.letters`: in any language, texts that share words are alike.
        A text without a word that counts, as "✅", is made of its signs: it is like texts of the same signs, and
        nothing else.

        Raises TypeError where `texts` is a str, no sequence, or holds anything but str.
        """
        model = load()
        checked = check_texts(texts)
        sums, share = model.pool(checked)
        warn_once(checked, share)
        lengths = np.sqrt(np.einsum("ij,ij->i", sums, sums))
        for place in np.flatnonzero(lengths == 0).tolist():
            sums[place] = sign_row(checked[place], sums.shape[1])
            lengths[place] = np.sqrt(sums[place] @ sums[place])
        sums /= np.where(lengths > 0, lengths, 1)[:, None]
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
        """Names the token vectors and what is made of them: two equal versions give equal rows, so that stored vectors
        can be told apart."""
        return f"{load().version}/{ROWS}"
