"""Shortening: the sentences of a span that fit a room and have the words of a question."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise

from caesura.text.sentences import sentences
from caesura_retrieval.passages import PassageSpan
from caesura_retrieval.word_index import UNSPACED, terms

STEM = 5
"""How many letters of a word are compared."""
LEAST = 2
"""What the words of a shortened text must weigh together: a word of four letters does, or two of three letters."""
_PAIR = re.compile(f"[{UNSPACED}]{{2}}")


def shorten_span(
    text: str, span: PassageSpan, room: int, size: Callable[[str], int], query: Sequence[str]
) -> PassageSpan | None:
    """Returns the run of sentences in a span that measures at most `room` and says most of what the question asks.

    Of several such runs it takes the longest; None if no sentence fits, or none has words of the question.
    text: the document's. size: what a text measures. query: the question's `terms`. Words that begin alike count as the
    same word, and a long word counts more than a short one.
    """
    edges = [span.start + edge for edge in sentences(text[span.start : span.end]).tolist()]
    wanted = {_stem(word): _weight(word) for word in query}
    has = [{_stem(word) for word in terms(text[start:end])} & wanted.keys() for start, end in pairwise(edges)]
    least = min(LEAST, sum(wanted.values())) if max(wanted.values(), default=0) >= 1 else LEAST
    best: tuple[float, int, PassageSpan] | None = None
    for first, start in enumerate(edges[:-1]):
        weight, said = 0.0, set[str]()
        for last in range(first, len(has)):
            piece = text[start : edges[last + 1]].rstrip()
            if size(piece) > room:
                break
            weight += sum(map(wanted.__getitem__, has[last] - said))
            said |= has[last]
            if weight >= least and (best is None or (weight, len(piece)) > best[:2]):
                best = weight, len(piece), replace(span, start=start, end=start + len(piece))
    return None if best is None else best[2]


def _weight(word: str) -> float:
    """The weight of a word of the question: a long word has more, a pair of a script without spaces 1, a code 2."""
    if _PAIR.match(word):
        return 1
    return max(len(word), 4 if len(word) > 1 and any(map(str.isdigit, word)) else 2.5) - 2


def _stem(word: str) -> str:
    """The first letters of a word, without the s of a plural or a verb."""
    return word[:STEM].removesuffix("s") if len(word) > 3 else word
