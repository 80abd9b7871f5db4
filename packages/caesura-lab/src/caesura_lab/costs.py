"""A splitter, texts and an embedder -> its chunks, the seconds that they took, their sizes, and what was embedded."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from time import perf_counter

import numpy as np

from caesura import Background
from caesura.types import Sizer
from caesura_lab.embedders.embedder import Embedder
from caesura_lab.embedders.wrappers import Counting
from caesura_lab.splitters.cutting import Cutting, Method
from caesura_lab.tables.table import Row

NOTHING = Embedder("none", lambda texts: [[1.0]] * len(texts), Background([0.0]))


def measured(one: Method, texts: Sequence[str], embedder: Embedder, count: Sizer) -> tuple[list[Cutting], Row]:
    """A splitter's cuttings, and the row of what they took and measure. count: of tokens."""
    with suppress(Exception):
        one(["One sentence. Another one. " * (min(one.sizing.most, 20_000) // 20 + 2)], NOTHING)  # loads what it needs
    if one.make is not None:
        one.make(embedder)  # calibrates, once for all splitters
    counting = Counting(embedder.embed, count)
    began = perf_counter()
    cuttings = one(texts, Embedder(embedder.name, counting, NOTHING.ready if one.make is None else embedder.background))
    seconds = perf_counter() - began - counting.uncounted
    pieces = [piece for cutting in cuttings for piece in cutting.chunks]
    characters, tokens = [len(piece) for piece in pieces], [count(piece) for piece in pieces]
    return cuttings, {
        "seconds": seconds,
        "chunks": len(pieces),
        "mean_characters": float(np.mean(characters)) if pieces else None,
        "largest_characters": max(characters, default=None),
        "mean_tokens": float(np.mean(tokens)) if pieces else None,
        "largest_tokens": max(tokens, default=None),
        "total_tokens": sum(tokens),
        "embedded_share": counting.characters / max(sum(map(len, texts)), 1),
        "embedded_tokens": counting.tokens,
        "embedding_calls": counting.calls,
    }
