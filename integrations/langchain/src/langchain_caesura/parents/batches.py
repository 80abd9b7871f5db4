"""Batches of names and of rows, as many as stores take in a call."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

T = TypeVar("T")

DOCUMENTS = 200
"""Names whose documents are best cut and written together."""


def batches(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Items -> lists of at most `size` of them."""
    rest = iter(items)
    while some := list(islice(rest, size)):
        yield some
