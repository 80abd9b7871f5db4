"""What `caesura_retrieval.word_index` computes, as plainly as it can be said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import log


def bm25(texts: Mapping[str, Sequence[str]], asked: Sequence[str], total: int, mean: float) -> dict[str, float]:
    """Terms of texts by name -> BM25 of each, k1 = 1.2 and b = 0.75. total: of how many a word is a share of."""
    scores = dict.fromkeys(texts, 0.0)
    for term in asked:
        count = sum(term in terms for terms in texts.values())
        rare = log(1 + (total - count + 0.5) / (count + 0.5))
        for name, terms in texts.items():
            often = terms.count(term)
            if often:
                scores[name] += rare * often * 2.2 / (often + 1.2 * (0.25 + 0.75 * len(terms) / mean))
    return scores


def word_scores(
    documents: Mapping[str, Sequence[tuple[str, str, str]]],
    titles: Mapping[str, str],
    asked: Sequence[str],
    around: float,
) -> dict[str, float]:
    """Keys, texts and headings of words that are their own terms, by documents of one block each -> scores over 0.

    The engine divides by all that it has: texts, blocks and a mark. Texts are given the length of their block, so that
    the average of blocks is theirs, but for the mark.
    """
    blocks = {name: [word for _, text, _ in rows for word in text.split()] for name, rows in documents.items()}
    blocks = {name: words for name, words in blocks.items() if words}
    owners = {key: name for name, rows in documents.items() for key, _, _ in rows}
    own = {key: text.split() for rows in documents.values() for key, text, _ in rows}
    above = {key: headings.split() for rows in documents.values() for key, _, headings in rows}
    title = {key: titles[name].split() for key, name in owners.items()}
    total, distinct = len(own) + len(blocks) + 1, list(dict.fromkeys(asked))
    parts = [bm25(each, distinct, total, sum(map(len, each.values())) / total) for each in (own, title, above)]
    lengths = [len(words) * (1 + len(documents[name])) for name, words in blocks.items()]
    near = bm25(blocks, distinct, len(blocks), sum(lengths) / total)
    counts = {word: sum(word in words for words in own.values()) for word in distinct}
    rare = {word: log(1 + (len(own) - count + 0.5) / (count + 0.5)) for word, count in counts.items()}
    scores = {}
    for key, words in own.items():
        score = parts[0][key] + 0.5 * parts[1][key] + 0.5 * parts[2][key] + around * near.get(owners[key], 0.0)
        pairs = {(one, other) for one, other in pairwise(asked) if one != other}
        score += 0.25 * sum(rare[one] + rare[other] for one, other in pairs if (one, other) in set(pairwise(words)))
        if score:
            scores[key] = score
    return scores
