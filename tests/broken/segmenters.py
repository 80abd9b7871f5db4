"""Segmenters that each break a law, and what `check_segmenter` says of it."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
from fakes.texts.drawn_texts import at_stops

from caesura.types import Edges


def without_the_end(text: str) -> Edges:
    return at_stops(text)[:-1]


def without_the_start(text: str) -> Edges:
    return at_stops(text)[1:]


def with_empty_units(text: str) -> Edges:
    return np.array([0, *(match.start() for match in re.finditer(r"\s|$", text))], np.intp)


def as_a_list(text: str) -> Edges:
    return at_stops(text).tolist()  # type: ignore[return-value]


def as_floats(text: str) -> Edges:
    return at_stops(text).astype(float)  # type: ignore[return-value]


def as_pairs(text: str) -> Edges:
    return np.stack([at_stops(text)[:-1], at_stops(text)[1:]])


def by_bytes(text: str) -> Edges:
    """Positions in UTF-8, as a tokenizer in another language gives them."""
    return np.array([0, len(text.encode("utf-8", "replace"))] if text else [0], np.intp)


def by_utf8(text: str) -> Edges:
    text.encode("utf-8")
    return at_stops(text)


def not_for_empty(text: str) -> Edges:
    return np.array([0, len(text) if text[0] else 0], np.intp)


class Remembering:
    """Cuts once more for each text that it has seen."""

    seen = 0

    def __call__(self, text: str) -> Edges:
        self.seen += 1
        return np.array(sorted({0, len(text), min(self.seen, len(text))}), np.intp)


class OneBuffer:
    """Returns a part of one and the same array every time."""

    buffer = np.zeros(100_000, np.intp)

    def __call__(self, text: str) -> Edges:
        edges = at_stops(text)
        self.buffer[: len(edges)] = edges
        return self.buffer[: len(edges)]


BROKEN: list[tuple[Callable[[str], Edges], str]] = [
    (without_the_end, "must begin with 0 and end with 0"),
    (without_the_start, "must begin with 0 and end with"),
    (with_empty_units, "is followed by 0"),
    (as_a_list, "list, not an array"),
    (as_floats, "an array of float64 in 1 dimensions"),
    (as_pairs, "an array of int64 in 2 dimensions"),
    (by_bytes, "which must begin with 0 and end with"),
    (by_utf8, "takes any text(?s:.*)UnicodeEncodeError"),
    (not_for_empty, r"takes any text\n  given:  '' \(0 code points\)\n  found:  IndexError"),
    (Remembering(), "the same edges for the same text(?s:.*), then"),
    (OneBuffer(), "the same edges for the same text(?s:.*), later changed to"),
    (lambda text: at_stops(text), "can be pickled"),
]
IDS = [getattr(one, "__name__", type(one).__name__) for one, _ in BROKEN]
