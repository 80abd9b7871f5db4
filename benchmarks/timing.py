"""Contestants, each a call without arguments -> seconds of each round, and ratios with their spread.

Seconds are those of the processor, on all cores together: what else the machine does does not count in them. In every
round each contestant is called once, in turn, since busy cores and caches are slower; a ratio is taken within a round.
Garbage is collected before a call and not during it.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Call = Callable[[], object]


@dataclass(frozen=True, slots=True)
class Timed:
    """(rounds,) seconds, fewer where one call takes long."""

    seconds: NDArray[np.float64]

    @property
    def median(self) -> float:
        return float(np.median(self.seconds))

    def shown(self, factor: float = 1000) -> str:
        """The median, and the middle half of the rounds, in milliseconds."""
        return _spread(factor * self.seconds)

    def over(self, other: Timed) -> str:
        """How many times as long as the other it takes, round by round: the median, and the middle half."""
        rounds = min(len(self.seconds), len(other.seconds))
        return _spread(self.seconds[:rounds] / other.seconds[:rounds])


def timed(contestants: Mapping[str, Call], rounds: int, seconds: float = 20.0) -> dict[str, Timed]:
    """Calls each once to warm up, then in turn for `rounds` rounds; one that takes over `seconds` in all gets fewer."""
    warm = {}
    for name, call in contestants.items():
        started = time.process_time()
        call()
        warm[name] = time.process_time() - started
    share = {name: max(1, min(rounds, int(seconds / max(spent, 1e-9)))) for name, spent in warm.items()}
    found: dict[str, list[float]] = {name: [] for name in contestants}
    gc.disable()
    try:
        for number in range(rounds):
            for name, call in contestants.items():
                if number >= share[name]:
                    continue
                gc.collect()
                started = time.process_time()
                call()
                found[name].append(time.process_time() - started)
    finally:
        gc.enable()
    return {name: Timed(np.array(each)) for name, each in found.items()}


def _spread(values: NDArray[np.float64]) -> str:
    low, middle, high = (digits(value) for value in np.quantile(values, (0.25, 0.5, 0.75)).tolist())
    return middle if len(values) < 3 or low == high else f"{middle} ({low}–{high})"


def digits(value: float) -> str:
    """Three digits that count."""
    return f"{value:.3g}" if value < 100 else f"{value:.0f}"
