"""Ranking: one order of what is near by vectors, what has the words of a question, and whose documents do."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import repeat
from math import hypot, inf, isfinite
from typing import TypeVar

import numpy as np

T = TypeVar("T", bound="str | None")

WORDS = 1.2
"""What the words of a question weigh beside its vector, which weighs 1."""
FETCHED = 200
"""How many of the nearest small texts are ranked, with as many that have most of the question's words."""
MOST_TIMES = 2.0
"""So many times what the nearest counts is the most that the best by words counts, before its weight."""
DOCUMENT = 0.05
"""What the document that most of the best are of counts, where the best text counts 1."""
VOTES = 50
"""How many of the best say which documents these are."""
TINY = 1e-9
"""Shares that differ by less are alike."""
NOISE = 1e-6
"""Scores by vectors that differ by less, as a share of the higher, are alike: a vector store may add up equal rows in
another order."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """Why a text was found: its score from 0 to 1, and what it is made of, each from 0 to 1.

    vectors: 1 for the nearest text, 0 for the last of the texts that the vector store found, and for all others. words:
    its score by words as a share of the best. document: how many of the best texts are from its document, by their
    ranks, as a share of the document that has most of them. found: which of the question's words it has, as they are
    written there: in its ``text``, in the ``headings`` above it and in the ``title`` of its document. Only what a
    retriever returns says this.
    """

    score: float
    vectors: float
    words: float
    document: float
    found: Mapping[str, Sequence[str]] = field(default_factory=dict)


class RankedTexts(Mapping[str, Evidence]):
    """Names of texts, the best first, and why each was found: said for those that are asked for."""

    def __init__(
        self,
        scores: dict[str, float],
        vectors: Mapping[str, float],
        words: Mapping[str, float],
        documents: Mapping[str | None, float],
        owners: Mapping[str, str],
    ) -> None:
        """scores: by name, the best first. vectors, words: shares by name, of those that have some. documents: shares
        by the document's name. owners: the document of each."""
        self.scores: dict[str, float] = scores
        self._vectors, self._words, self._documents, self._owners = vectors, words, documents, owners

    def __getitem__(self, name: str) -> Evidence:
        document = self._documents.get(self._owners.get(name), 0.0)
        return Evidence(self.scores[name], self._vectors.get(name, 0.0), self._words.get(name, 0.0), document)

    def of(self, names: Iterable[str]) -> dict[str, Evidence]:
        """Returns why some of the texts were found."""
        return {name: self[name] for name in names}

    def __iter__(self) -> Iterator[str]:
        return iter(self.scores)

    def __len__(self) -> int:
        return len(self.scores)


def rank(
    near: Sequence[tuple[str, float | None]],
    words: Mapping[str, float],
    documents: Mapping[str, str],
    weight: float = 1.0,
) -> RankedTexts:
    """Names and scores by vectors, the nearest first, and by words -> why each was found, the best first.

    How much either counts follows the question: a score by vectors is how far a text is over the last of what is near,
    and one by words what its words weigh, both in standard deviations of the `FETCHED` best, those that lack counted as
    0. So the side counts more whose best stand out. Where the `FETCHED` nearest are alike, the deviation is that of all
    that is near. The two are added as the legs of a right triangle make its longest side. What only one side found has
    0 on the other. `VOTES` of the best then speak for their documents.

    near: scores that are None, not finite, or do not fall, count as evenly spaced; if all are alike, in the order of
    the names. documents: the document of each name; one without has 0 there. weight: so many times `WORDS` is what
    words weigh; 0: nothing. Ties stand in the order of the names, so that it does not matter in which order stores have
    them.

    >>> found = rank([("a", 0.9), ("b", 0.8), ("c", 0.5)], {"b": 7.5, "d": 2.5}, {})
    >>> [(name, round(own.score, 2), round(own.vectors, 2), round(own.words, 2)) for name, own in found.items()]
    [('b', 0.92, 0.75, 1.0), ('a', 0.58, 1.0, 0.0), ('d', 0.27, 0.0, 0.33), ('c', 0.0, 0.0, 0.0)]
    """
    by_vectors = _as_shares(_spaced(near))
    by_words = _as_shares(words) if weight else {}
    far = _deviations(by_vectors.values())
    if far == inf:  # the `FETCHED` nearest are alike
        far = _deviations(by_vectors.values(), len(by_vectors))
    leg = min(_deviations(by_words.values()), MOST_TIMES * (far or 1.0)) * WORDS * min(weight, 1e9)
    longest = hypot(far, leg)
    names = sorted(by_vectors | by_words)  # each sort keeps this order where scores are equal
    nothing = repeat(0.0)
    legs = zip(map(by_vectors.get, names, nothing), map(by_words.get, names, nothing), strict=True)
    scores = [hypot(far * own, leg * other) / longest for own, other in legs]
    owners = [*map(documents.get, names)]
    votes: dict[str | None, float] = {}
    for at in _best_first(scores)[:VOTES]:
        votes[owners[at]] = votes.get(owners[at], 0.0) + scores[at]
    votes.pop(None, None)
    of_documents = _as_shares(votes)
    most = 1 + (DOCUMENT if of_documents else 0.0)
    shares = map(of_documents.get, owners, nothing)
    totals = [(score + DOCUMENT * share) / most for score, share in zip(scores, shares, strict=True)]
    ranked = {names[at]: totals[at] for at in _best_first(totals)}
    return RankedTexts(ranked, by_vectors, by_words, of_documents, documents)


def _best_first(scores: Sequence[float]) -> list[int]:
    """The places of scores, the highest first; of equal ones, the first."""
    return sorted(range(len(scores)), key=scores.__getitem__, reverse=True)


def _spaced(near: Sequence[tuple[str, float | None]]) -> dict[str, float]:
    """Names and scores, the nearest first -> how far each is over the last; by ranks where scores do not tell."""
    known: list[float] = []
    for _, score in near:
        if score is not None and isfinite(score):
            is_alike = known and abs(known[-1] - score) <= NOISE * abs(known[-1])
            known.append(known[-1] if is_alike else score)
    falling = len(known) == len(near) and len(near) > 1 and known[0] > known[-1]
    if len(known) == len(near) and len({*known}) == 1:
        near = sorted(near)
    values = [score - known[-1] for score in known] if falling else range(len(near), 0, -1)
    over = [value if value > 0 else 0.0 for value in map(float, values)]
    return {name: value for (name, _), value in zip(reversed(near), reversed(over), strict=True)}  # the first counts


def _as_shares(values: Mapping[T, float]) -> dict[T, float]:
    """Values -> them as shares of the highest."""
    best = max(values.values(), default=0.0)
    return {name: value / best for name, value in values.items()} if best > 0 else {}


def _deviations(shares: Collection[float], most: int = FETCHED) -> float:
    """How many standard deviations of the `most` highest the highest is, which is 1; those that lack count as 0."""
    if not shares:
        return 0.0
    best = sorted(shares, reverse=True)[:most]
    deviation = float(np.std([*best, *[0.0] * (most - len(best))]))
    return 1 / deviation if deviation > TINY else inf
