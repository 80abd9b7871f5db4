"""A function of texts -> the same function, which keeps count of what it is asked, or asks for no text twice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.types import Embed, Sizer
from caesura.vectors import own_rows
from caesura_lab.embedders.embedder import Embedder, embedder


@dataclass(slots=True)
class Counting:
    """An embedder that keeps count of what it is asked: calls, and how many tokens and characters."""

    embed: Embed
    size: Sizer
    calls: int = 0
    tokens: int = 0
    characters: int = 0
    uncounted: float = 0.0
    """Seconds that counting took."""

    def __call__(self, texts: list[str]) -> Any:
        began = perf_counter()
        self.calls += 1
        self.characters += sum(map(len, texts))
        self.tokens += sum(map(self.size, texts))
        self.uncounted += perf_counter() - began
        return self.embed(texts)


@dataclass(slots=True)
class Remembering:
    """An embedder that asks for no text twice."""

    embed: Embed
    rows: dict[str, NDArray[np.float32]] = field(default_factory=dict)

    def __call__(self, texts: Sequence[str]) -> NDArray[np.float32]:
        new = list(dict.fromkeys(text for text in texts if text not in self.rows))
        if new:
            self.rows.update(zip(new, own_rows(self.embed(new), len(new)), strict=True))
        return np.array([self.rows[text] for text in texts], np.float32)


def remembering(given: str | Embed | Embedder) -> Embedder:
    """What `embedder` takes -> an embedder that asks for no text twice."""
    made = embedder(given)
    return Embedder(made.name, Remembering(made.embed), made.background)
