"""Ranking: one order of what is near by vectors and what has the words of a question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

WORDS = 3.0
"""What the best by words counts, where the best by vectors counts 1."""
FETCHED = 200
"""How many of the nearest small texts are ranked, with the 500 that have most of the question's words."""


def fuse(
    near: Sequence[tuple[str, float | None]], words: Mapping[str, float], weight: float = WORDS
) -> dict[str, float]:
    """Names and scores by vectors, the nearest first, and by words -> names and scores from 0 to 1, the best first.

    Values count, not ranks: by vectors the nearest has 1 and the last 0, by words the best has 1, times `weight`. What
    only the words found has 0 by vectors. Scores that are None, or do not fall, count as evenly spaced. Ties stand in
    the order in which they were given.

    >>> fuse([("a", 0.9), ("b", 0.8), ("c", 0.5)], {"b": 7.5, "d": 2.5}, weight=1)
    {'b': 0.875, 'a': 0.5, 'd': 0.1666..., 'c': 0.0}
    """
    known = [score for _, score in near if score is not None]
    falling = len(known) == len(near) and len(near) > 1 and known[0] > known[-1]
    high, low = (known[0], known[-1]) if falling else (float(len(near)), 0.0)
    best = max(words.values(), default=0.0) or 1.0
    scores: dict[str, float] = {}
    for rank, (name, score) in enumerate(near):
        value = score if falling and score is not None else len(near) - rank
        scores.setdefault(name, (value - low) / (high - low))
    for name, score in words.items():
        scores[name] = scores.get(name, 0.0) + weight * (score / best)
    top = 1 + (weight if words else 0.0)
    return {name: scores[name] / top for name in sorted(scores, key=lambda name: -scores[name])}
