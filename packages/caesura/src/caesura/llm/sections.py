"""A topic's propositions in, texts of a size with their places out; and places as a store keeps them: in one string."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from caesura.edges import spans as slices
from caesura.errors import SettingError
from caesura.llm.grouping import Topic
from caesura.llm.propositions import Proposition
from caesura.text.refine import refine
from caesura.types import Sizer, Span


@dataclass(frozen=True, slots=True)
class Section:
    """Propositions of one topic, in their order, as one text.

    spans: what they rest on, in the document, rising, without gaps or overlaps between them. kept: whether one of them
    stands in for what failed.
    """

    text: str
    spans: tuple[Span, ...]
    kept: bool = False


def sections(topic: Topic, propositions: Sequence[Proposition], size: Sizer, max_size: int | None) -> list[Section]:
    """A topic, and the propositions that its members are indices of -> its texts.

    Returns sections such that each measures at most `max_size` (None: any size, one section), in the topic's order;
    a proposition that is larger by itself is cut where `refine` cuts.
    """
    made: list[Section] = []
    run: list[Proposition] = []

    def close() -> None:
        if run:
            made.append(
                Section(_text(run), union(span for one in run for span in one.spans), any(one.kept for one in run))
            )
            run.clear()

    for member in topic.members:
        one = propositions[member]
        if run and max_size is not None and size(_text([*run, one])) > max_size:
            close()
        if max_size is not None and size(one.text) > max_size:
            close()
            edges = refine(one.text, np.array([0, len(one.text)]), size, max_size)
            pieces = (one.text[a:b].strip() for a, b in slices(edges))
            made += [Section(piece, one.spans, one.kept) for piece in pieces if piece]
            continue
        run.append(one)
    close()
    return made


def _text(propositions: Iterable[Proposition]) -> str:
    return " ".join(one.text for one in propositions)


def union(spans: Iterable[Span]) -> tuple[Span, ...]:
    """Spans in any order -> those that cover the same, rising, apart from each other.

    >>> union([Span(8, 9), Span(0, 4), Span(2, 6)])
    (Span(start=0, end=6), Span(start=8, end=9))
    """
    found: list[Span] = []
    for span in sorted(spans):
        if found and span.start <= found[-1].end:
            found[-1] = Span(found[-1].start, max(found[-1].end, span.end))
        else:
            found.append(span)
    return tuple(found)


def outside(spans: Iterable[Span], covered: Iterable[Span]) -> list[Span]:
    """Spans, and others -> those that lie in none of the others' union as a whole, each once, rising.

    >>> outside([Span(0, 4), Span(5, 9)], [Span(0, 2), Span(2, 6)])
    [Span(start=5, end=9)]
    """
    held = union(covered)
    starts = [span.start for span in held]
    found = []
    for span in sorted(set(spans)):
        at = bisect_right(starts, span.start) - 1
        if at < 0 or held[at].end < span.end:
            found.append(span)
    return found


def hull(spans: Iterable[Span]) -> Span:
    """Spans, at least one -> from the first start to the last end."""
    held = list(spans)
    return Span(min(span.start for span in held), max(span.end for span in held))


def as_text(spans: Iterable[Span]) -> str:
    """Spans -> one string, which every vector store takes as metadata.

    >>> as_text([Span(0, 6), Span(8, 9)])
    '0-6 8-9'
    """
    return " ".join(f"{start}-{end}" for start, end in spans)


def from_text(text: str) -> tuple[Span, ...]:
    """What `as_text` returned -> the spans. Raises `SettingError` for another string.

    >>> from_text("0-6 8-9")
    (Span(start=0, end=6), Span(start=8, end=9))
    """
    if not isinstance(text, str) or not re.fullmatch(r"(?:\d+-\d+(?: |\Z))*", text):
        raise SettingError(f"spans must be written as '0-6 8-9', got {text!r:.80}")
    return tuple(Span(*map(int, one.split("-"))) for one in text.split())
