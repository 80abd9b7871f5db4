"""Random numbers in, settings out: splitters, segmenters and embedders that are not kind."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from zlib import crc32

import numpy as np
from fuzz_sizers import FakeBPE, dear_ends, dear_start, tiktoken_encode

from caesura import (
    Adjacent,
    Average,
    ClusterCut,
    Cohesion,
    Count,
    DistanceThreshold,
    DoublePassCut,
    Elbow,
    Gradient,
    Interquartile,
    Limits,
    NClusters,
    OptimalCut,
    Overlapping,
    Percentile,
    PercentileCut,
    Silhouette,
    Splitter,
    StandardDeviation,
    Ward,
    aligned,
    joined,
    sentences,
    tokens,
    utf8_bytes,
    words,
)
from caesura.types import CountedCut


@dataclass(frozen=True, slots=True)
class AtPattern:
    """A segmenter by `re`: the pieces between matches, or with the matches, stripped or not."""

    pattern: str
    stripped: bool

    def __call__(self, text: str) -> list[str]:
        found = [piece for piece in re.split(self.pattern, text) if piece]
        return [piece.strip() for piece in found] if self.stripped else found


@dataclass(frozen=True, slots=True)
class AtEvery:
    """A segmenter of edges, blank units among them: one behind every match and at random places besides."""

    pattern: str
    seed: int

    def __call__(self, text: str) -> Any:
        rng = random.Random(self.seed)
        ends = {match.end() for match in re.finditer(self.pattern, text)} | {0, len(text)}
        ends |= {rng.randrange(1, max(len(text), 2)) for _ in range(rng.choice((0, 3, 30)))}
        return np.array(sorted(end for end in ends if end <= len(text)), dtype=np.intp)


@dataclass(frozen=True, slots=True)
class Vectors:
    """An embedder: rows drawn by the text and `seed`, of one kind. Keeps what it was asked."""

    kind: str
    seed: int
    d: int
    asked: list[str] = field(default_factory=list, compare=False, repr=False)

    def __call__(self, texts: Sequence[str]) -> Any:
        self.asked.extend(texts)
        with np.errstate(all="ignore"):
            rows = np.array([self.row(text) for text in texts], np.float64).reshape(len(texts), self.d)
            rows = rows if self.kind == "float64" else rows.astype(np.float32)
        return rows.tolist() if self.kind == "lists" else rows

    def row(self, text: str) -> Any:
        draw = np.random.default_rng([self.seed, crc32(text.encode("utf-8", "surrogatepass"))])
        row = draw.normal(size=self.d) + (2 * (len(text) % 3 == 0))
        if self.kind == "zeros":
            return row * 0
        if self.kind == "alike":
            return np.ones(self.d)
        if self.kind in ("odd", "lists") and draw.random() < 0.4:
            return row * draw.choice([0.0, -0.0, 1e-45, 1e-30, 1e30, 3e38, np.nan, np.inf, -np.inf])
        if self.kind == "float64":
            return row * 10.0 ** draw.integers(-300, 300)
        return row


def made_splitter(rng: random.Random, length: int) -> tuple[Splitter, int]:
    """Settings at random, as such that suit a text of that length, and an overlap."""
    sizes: list[Any] = [len, len, utf8_bytes, words, dear_ends, dear_start, tokens(FakeBPE(rng.randrange(100)))]
    largest = rng.choice(
        (None, 1, 2, 3, 4, 5, 7, 12, 20, 40, 80, 150, 300, 512, 1000, 2000, 5000, rng.randint(1, 5000))
    )
    if length > 20_000:
        largest = None if largest is None else max(largest, 300)
    elif tiktoken_encode() and (largest is not None or length < 3000):
        sizes += [tokens(tiktoken_encode())] * 2
    smallest = rng.choice((0, 0, 0, 1, 5, 50, 500))
    segment = rng.choice(
        (
            *(sentences,) * 6,
            aligned(AtPattern(rng.choice((r"(?<=[.?!])\s+", r"\n+", r"(\W)", r"\b", "(?<=。)")), rng.random() < 0.5)),
            aligned(str.splitlines),
            aligned(str.split),
            AtEvery(rng.choice((r"\n", r"[.!?]\s*", r"\s", r"(?=\S)")), rng.randrange(1 << 20)),
        )
    )
    window = rng.choice((Adjacent(rng.randint(1, 5)), Adjacent(1), Overlapping(rng.randint(0, 3))))
    threshold = rng.choice(
        (
            Percentile(rng.choice((0, 50, 80, 95, 100))),
            StandardDeviation(rng.uniform(-2, 3)),
            Interquartile(rng.uniform(-1, 2)),
            Gradient(rng.choice((0, 50, 95, 100))),
            Count(rng.choice((1, 2, 5, 100))),
        )
    )
    three = [rng.choice((-1.0, 0.0, 0.2, 0.5, 1.0)) for _ in range(3)]
    half, few = rng.choice((0, 0.25, 5)), rng.choice((1, 2, 30))
    stop = rng.choice((None, Elbow(), Silhouette(), NClusters(few), DistanceThreshold(rng.choice((0, 0.5, 2)))))
    cut = rng.choice(
        (
            DoublePassCut(),
            DoublePassCut(*three, rng.randint(0, 4), rng.choice((None, 0.5, 0.99))),
            PercentileCut(),
            PercentileCut(window, threshold),
            OptimalCut(),
            OptimalCut(penalty=rng.choice((0, 0.5, 3)), structure=rng.choice((0, 0.3, 2)), half_weight=half),
            OptimalCut(n_chunks=few),
            ClusterCut(),
            ClusterCut(rng.choice((Average(), Cohesion(), Ward())), stop, half),
        )
    )
    target = rng.choice((None, 1, 30, 400, 9000))
    if isinstance(cut, CountedCut) and cut.chunk_count is not None:
        target = None  # the two exclude one another
    if target and largest:
        target = min(target, largest)
    limits = Limits(largest, smallest if largest is None else min(smallest, largest), target)
    view = joined(rng.randint(0, 2)) if rng.random() < 0.1 else None
    overlap = rng.choice((0, 0, 1, 10, 100))
    return Splitter(limits, rng.choice(sizes), segment, view, cut, None, rng.random() < 0.7), overlap
