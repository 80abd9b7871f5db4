"""Spans of a document in, what they cover together, or do not, out; and as one string, which every store keeps."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable

from caesura.errors import SettingError
from caesura.types import Span


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
