"""What was found of a parent's parts in, whether the parent takes their place out, and with which score.

Not loaded by `import caesura`. The retrievers of both plugins merge by it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import fsum
from typing import Literal, TypeAlias

from caesura.checks import check_number
from caesura.errors import SettingError

Score: TypeAlias = Literal["max", "mean", "sum"]
SCORES: Mapping[str, Callable[[Sequence[float]], float]] = {
    "max": max,
    "mean": lambda scores: fsum(scores) / len(scores),
    "sum": fsum,
}
"""The score of a parent, of those of what was found in it."""


def check_merging(merge_ratio: float, score: Score) -> None:
    """Raises `SettingError` unless the ratio is a number from 0 to 1, and the score one of `SCORES`."""
    check_number("merge_ratio", merge_ratio, 0, 1)
    if score not in SCORES:
        raise SettingError(f"score must be one of {list(SCORES)}, got {score!r}")


def enough(found: int, parts: int, merge_ratio: float) -> bool:
    """Whether a parent takes the place of those of its parts that were found: at least the share, and at least one.

    >>> enough(2, 3, 2 / 3), enough(1, 3, 0.5), enough(1, 100, 0), enough(0, 100, 0)
    (True, False, True, False)
    """
    return found > 0 and found >= merge_ratio * parts - 1e-9  # thirds are thirds, whatever their rounding
