"""What `caesura.storage.word_index` and `caesura.plugin.passages` compute, as plainly as it can be said."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import log, sqrt

from caesura.plugin.passages import Span


def word_scores(documents: Mapping[str, Sequence[tuple[str, str]]], query: str) -> dict[str, float]:
    """Texts of words that are their own stems -> BM25 of each that scores, on its own and with four on either side."""
    every = [set(text.split()) for texts in documents.values() for _, text in texts]
    scores: dict[str, float] = {}
    for texts in documents.values():
        sets = [set(text.split()) for _, text in texts]
        for place, (key, _) in enumerate(texts):
            score = 0.0
            for word in dict.fromkeys(query.split()):
                have = sum(word in words for words in every)
                rare = log(1 + (len(every) - have + 0.5) / (have + 0.5))
                around = sum(word in words for words in sets[max(place - 4, 0) : place + 5])
                score += rare * ((word in sets[place]) + around * 2.2 / (around + 1.2))
            if score:
                scores[key] = score
    return scores


def unit(row: Sequence[float]) -> list[float]:
    length = sqrt(sum(value * value for value in row))
    return [value / length if length > 1e-12 else 0.0 for value in row]


def leaning(rows: Sequence[Sequence[float]], share: float) -> list[list[float]]:
    own = [unit(row) for row in rows]
    result = []
    for place, row in enumerate(own):
        near = own[max(place - 4, 0) : place + 5]
        around = unit([sum(column) for column in zip(*near, strict=True)])
        moved = [value + share * other for value, other in zip(row, around, strict=True)]
        result.append(unit(moved) if any(row) else row)
    return result


def packed(
    ranking: Sequence[tuple[str, float]],
    spans: Mapping[str, Span],
    size: Callable[[Span], int],
    budget: int,
    most: int | None,
) -> list[Span]:
    """Of names in their order, each that fits beside all before it: the runs of small texts that they make, by document
    and place."""
    taken: list[Span] = []
    runs: list[Span] = []
    for name, _ in ranking:
        joined = _runs([*taken, spans[name]])
        larger = len(joined) > len(runs)
        if sum(map(size, joined)) <= budget and not (most is not None and larger and len(joined) > most):
            taken.append(spans[name])
            runs = joined
    return runs


def _runs(spans: Sequence[Span]) -> list[Span]:
    runs: list[Span] = []
    for span in sorted(spans, key=lambda span: (span.document, span.first, span.last)):
        last = runs[-1] if runs else None
        if last is not None and last.document == span.document and span.first <= last.last + 1:
            end, place = max(last.end, span.end), max(last.last, span.last)
            runs[-1] = Span(span.document, min(last.start, span.start), end, last.first, place)
        else:
            runs.append(span)
    return runs
