"""A seed and a number in, a text and its settings out: always the same ones."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

import numpy as np
from fuzz_settings import Vectors, made_splitter
from fuzz_texts import made_text

from caesura import Background, Splitter


@dataclass(slots=True)
class Case:
    """One text and its settings, made from a seed and a number alone."""

    part: str
    times: int
    splitter: Splitter
    overlap: int
    embed: Vectors

    @classmethod
    def of(cls, seed: int, number: int) -> Case:
        rng = random.Random(seed * 1_000_003 + number)
        part, times = made_text(rng)
        kind = rng.choice(("plain", "plain", "odd", "lists", "float64", "zeros", "alike"))
        embed = Vectors(kind, rng.randrange(1000), rng.choice((1, 2, 8)))
        splitter, overlap = made_splitter(rng, len(part) * times)
        if rng.random() < 0.3:
            weight = rng.choice((0.5, 64.0, float("inf")))
            mean = np.random.default_rng(rng.randrange(1000)).normal(size=embed.d) / 3
            splitter = replace(splitter, background=Background(mean, weight))
        return cls(part, times, splitter, overlap, embed)

    @property
    def text(self) -> str:
        return self.part * self.times

    def __str__(self) -> str:
        text = ascii(self.part) if len(self.part) < 3000 else f"{self.part[:1500]!a} … ({len(self.part)} characters)"
        made = f"{text} * {self.times}" if self.times > 1 else text
        return f"    text = {made}\n    splitter = {self.splitter}\n    embed = {self.embed}; overlap = {self.overlap}"
