"""Things that come one by one in, lists of them out: each is taken until the window is full.

Not loaded by `import caesura`.
"""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")


def windows(things: Iterable[T], size: int, measure: Callable[[T], int]) -> Iterator[list[T]]:
    """Yields lists in order, such that all but the last measure at least `size`, and none does without its last."""
    held, filled = list[T](), 0
    for thing in things:
        held.append(thing)
        filled += measure(thing)
        if filled >= size:
            yield held
            held, filled = [], 0
    if held:
        yield held


async def awindows(things: AsyncIterable[T], size: int, measure: Callable[[T], int]) -> AsyncIterator[list[T]]:
    """`windows`, of what is awaited."""
    held, filled = list[T](), 0
    async for thing in things:
        held.append(thing)
        filled += measure(thing)
        if filled >= size:
            yield held
            held, filled = [], 0
    if held:
        yield held
