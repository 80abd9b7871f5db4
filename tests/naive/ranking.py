"""What `caesura_retrieval.ranking` computes, as plainly as it can be said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf, sqrt


def far_out(values: Sequence[float]) -> float:
    """How many standard deviations of the 200 highest the highest is; without end where they do not differ."""
    best = (sorted(values, reverse=True) + [0.0] * 200)[:200]
    mean = sum(best) / 200
    deviation = sqrt(sum((value - mean) ** 2 for value in best) / 200)
    return best[0] / deviation if deviation > 1e-9 * best[0] else inf


def ranked(
    near: Sequence[tuple[str, float]], words: Mapping[str, float], documents: Mapping[str, str], weight: float
) -> dict[str, tuple[float, float, float, float]]:
    """Names -> score, by vectors, by words, by document. Scores of what is near fall; at least two of them differ."""
    last, first = near[-1][1], near[0][1]
    vectors = {name: (score - last) / (first - last) for name, score in near}
    shares = {name: score / max(words.values()) for name, score in words.items()}
    across = far_out(list(vectors.values()))
    up = 1.2 * weight * min(far_out(list(shares.values())), 2 * across) if words else 0.0
    names = list(dict.fromkeys([*vectors, *shares]))
    both = {
        name: sqrt((across * vectors.get(name, 0)) ** 2 + (up * shares.get(name, 0)) ** 2) / sqrt(across**2 + up**2)
        for name in names
    }
    first_50 = sorted(names, key=lambda name: (-both[name], name))[:50]
    votes = {each: sum(both[name] for name in first_50 if documents.get(name) == each) for each in documents.values()}
    most = max(votes.values(), default=0.0)
    result = {}
    for name in names:
        document = votes[documents[name]] / most if name in documents and most else 0.0
        score = (both[name] + 0.05 * document) / 1.05 if most else both[name]
        result[name] = score, vectors.get(name, 0.0), shares.get(name, 0.0), document
    return result
