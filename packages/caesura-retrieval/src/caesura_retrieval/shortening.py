"""Shortening: the sentences of a span that fit a room and have the words of a question."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise
from math import inf
from typing import NamedTuple, Protocol

from caesura.text.sentences import sentences
from caesura_retrieval.passages import PassageSpan
from caesura_retrieval.words import HEAD, PAIRED, language_of, question_terms, terms

LEAST = 2
"""What the words of a shortened text must weigh together: a word of four letters does, or two of three letters."""
TRIES = 6
"""How many runs of sentences are measured at most, beside each sentence by itself."""
SAMPLE = "A."
"""The sentence with which the size of a joint between two sentences is measured."""
_PAIR = re.compile(f"[{PAIRED}]{{2}}")


class _Run(NamedTuple):
    """Neighbouring sentences: what their words weigh, their characters, what they should measure, and their offsets."""

    weight: float
    length: int
    size: float
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Sentence:
    """A sentence: its offsets, the words of the question in it, its size, and what it adds to that of a longer run."""

    start: int
    end: int
    words: Set[str]
    size: int
    share: int


class SlicedText(Protocol):
    """A text, or what reads as much of one as is asked for."""

    def __getitem__(self, part: slice, /) -> str:
        """Returns the characters in a range."""
        ...


def shorten_span(
    text: SlicedText,
    span: PassageSpan,
    room: int,
    size: Callable[[str], int],
    question: str,
    language: str | None = None,
    least: Callable[[str], int] | None = None,
) -> PassageSpan | None:
    """Returns the run of sentences in a span that measures at most `room` and says most of what the question asks.

    Of several such runs it takes the longest; None if no sentence fits, or none has words of the question.
    text: the document's. size: what a text measures. Words are compared by their stems in the language of the text, and
    a long word counts more than a short one. language: its code; None: that of the beginning of the text. least: what a
    text surely measures at least, where that is known sooner than its size.

    Each sentence is measured once, and `TRIES` runs. Where the sizes of sentences add up to those of their runs, no run
    is better than what is returned; with any other `size` it fits too.
    """
    own = text[span.start : span.end]
    places = _find_sentences(own)
    if least is not None and min([least(own[start:end]) for start, end in places], default=0) > room:
        return None
    sizes = [size(own[start:end]) for start, end in places]
    if min(sizes, default=room + 1) > room:  # as mostly: so little room is left
        return None
    language = _language_of(text[:HEAD]) if language is None else language
    asked, wanted, enough = _ask(question, language)
    words: list[Set[str]] = []
    for (start, end), measured in zip(places, sizes, strict=True):
        there = terms(own[start:end], language) if measured <= room else ()  # else no run that fits has it
        words.append({word for term in there for word in asked.get(term, ())})
    if sum(wanted[word] for word in set[str]().union(*words)) < enough:
        return None
    line = _join_sentences(own, places, words, sizes, size)
    found: list[_Run] = []
    low, high, target = 0.0, inf, float(room)
    for _ in range(TRIES):
        run = _find_best(line, wanted, enough, target)
        if run is None:
            break
        measured = size(own[run.start : run.end])
        if measured <= room:
            found.append(run)
        if measured == room or (measured == run.size and high == inf):  # nothing that is larger fits
            break
        low, high = (target, high) if measured <= room else (low, target)
        guess = target * room / measured if measured > 0 else inf
        target = guess if low < guess < high else (low + min(high, 2 * low)) / 2
    if not found:
        alone = [_find_best([each], wanted, enough, float(room)) for each in line if each.size <= room]
        found = [run for run in alone if run is not None]
    best = max(found, key=lambda run: run[:2], default=None)
    return None if best is None else span._replace(start=span.start + best.start, end=span.start + best.end)


_language_of = lru_cache(maxsize=256)(language_of)
"""Several spans of a document are shortened for a question, and for the next one."""


@lru_cache(maxsize=16)
def _ask(question: str, language: str) -> tuple[Mapping[str, Sequence[str]], Mapping[str, float], float]:
    """Returns the terms that a question's words have in texts of a language, with the words of each; what each word
    weighs; and what the words of a shortened text must weigh together."""
    asked: dict[str, list[str]] = {}
    wanted: dict[str, float] = {}
    for each in question_terms(question, (language,)):
        wanted[each.word] = _weight(each.word)
        for term in each.terms:
            asked.setdefault(term, []).append(each.word)
    least = min(LEAST, sum(wanted.values())) if max(wanted.values(), default=0) >= 1 else LEAST
    return asked, wanted, least


def _find_sentences(text: str) -> list[tuple[int, int]]:
    """Returns where the sentences of a text begin and end, without the blanks around them."""
    bare = [(end, text[start:end].lstrip()) for start, end in pairwise(sentences(text).tolist())]
    return [(end - len(piece), end - len(piece) + len(piece.rstrip())) for end, piece in bare if piece]


def _join_sentences(
    text: str,
    places: Sequence[tuple[int, int]],
    words: Sequence[Set[str]],
    sizes: Sequence[int],
    size: Callable[[str], int],
) -> list[_Sentence]:
    """Returns sentences with their sizes, and what each adds to a run that goes on."""

    @cache
    def joint(space: str) -> int:
        """What a space takes from the sizes of the two sentences beside it: what every text has, as metadata."""
        return 2 * size(SAMPLE) - size(f"{SAMPLE}{space}{SAMPLE}")

    joints = [joint(text[end:start]) for (_, end), (start, _) in pairwise(places)] + [0]
    return [
        _Sentence(start, end, own, each, each - taken)
        for (start, end), own, each, taken in zip(places, words, sizes, joints, strict=True)
    ]


def _find_best(line: Sequence[_Sentence], wanted: Mapping[str, float], least: float, room: float) -> _Run | None:
    """Returns the run that fits, weighs at least `least` and most of all, the longest of several, the first of these.

    Of the runs that begin at a sentence the longest that fits weighs most, and where the next one's ends is not before.
    """
    best: _Run | None = None
    held, weight, size, stop = Counter[str](), 0.0, 0, 0
    for first, sentence in enumerate(line):
        while stop < len(line) and size + line[stop].size <= room:
            weight += sum(wanted[word] for word in line[stop].words if not held[word])
            held.update(line[stop].words)
            size += line[stop].share
            stop += 1
        if stop == first:  # it does not fit by itself
            stop += 1
            continue
        last = line[stop - 1]
        run = _Run(weight, last.end - sentence.start, size - last.share + last.size, sentence.start, last.end)
        if weight >= least and (best is None or run[:2] > best[:2]):
            best = run
        held.subtract(sentence.words)
        weight -= sum(wanted[word] for word in sentence.words if not held[word])
        size -= sentence.share
    return best


def _weight(word: str) -> float:
    """The weight of a word of the question: a long word has more, a pair of a script without spaces 1, a code 2."""
    if _PAIR.match(word):
        return 1
    return max(len(word), 4 if len(word) > 1 and any(map(str.isdigit, word)) else 2.5) - 2
