"""Spans of a document: their union, what lies outside it, and one string for them that every store keeps."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable

from caesura.errors import SettingError
from caesura.types import Span


def union(spans: Iterable[Span]) -> tuple[Span, ...]:
    """Spans in any order -> rising spans that cover the same and do not touch.

    >>> union([Span(8, 9), Span(0, 4), Span(2, 6)])
    (Span(start=0, end=6), Span(start=8, end=9))
    """
    joined: list[Span] = []
    for span in sorted(spans):
        if joined and span.start <= joined[-1].end:
            joined[-1] = Span(joined[-1].start, max(joined[-1].end, span.end))
        else:
            joined.append(span)
    return tuple(joined)


def outside(spans: Iterable[Span], covered: Iterable[Span]) -> list[Span]:
    """Returns the spans that do not lie whole in the union of `covered`, each once, rising.

    >>> outside([Span(0, 4), Span(5, 9)], [Span(0, 2), Span(2, 6)])
    [Span(start=5, end=9)]
    """
    whole = union(covered)
    starts = [span.start for span in whole]
    left = []
    for span in sorted(set(spans)):
        place = bisect_right(starts, span.start) - 1
        if place < 0 or whole[place].end < span.end:
            left.append(span)
    return left


def hull(spans: Iterable[Span]) -> Span:
    """Spans, at least one -> the span from the first start to the last end."""
    listed = list(spans)
    return Span(min(span.start for span in listed), max(span.end for span in listed))


def as_text(spans: Iterable[Span]) -> str:
    """Spans -> one string, which every vector store takes as metadata.

    >>> as_text([Span(0, 6), Span(8, 9)])
    '0-6 8-9'
    """
    return " ".join(f"{start}-{end}" for start, end in spans)


def from_text(text: str) -> tuple[Span, ...]:
    """A string that `as_text` made -> the spans. Raises `SettingError` for another string.

    >>> from_text("0-6 8-9")
    (Span(start=0, end=6), Span(start=8, end=9))
    """
    if not isinstance(text, str) or not re.fullmatch(r"(?:\d+-\d+(?: |\Z))*", text):
        raise SettingError(f"spans must be written as '0-6 8-9', got {text!r:.80}")
    return tuple(Span(*map(int, one.split("-"))) for one in text.split())
