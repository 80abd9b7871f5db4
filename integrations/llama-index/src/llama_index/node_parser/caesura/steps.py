"""What is asked of stores and embedders, written once as steps: `run` takes them, `arun` awaits them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator
from typing import Any, NamedTuple, TypeAlias, TypeVar

T = TypeVar("T")


class Step(NamedTuple):
    """Something that is done to a store or an embedder, and its awaited twin."""

    run: Callable[[], Any]
    arun: Callable[[], Awaitable[Any]]


Steps: TypeAlias = Generator[Step, Any, T]


def run(steps: Steps[T]) -> T:
    """Takes one step after another."""
    found: Any = None
    while True:
        try:
            step = steps.send(found)
        except StopIteration as end:
            result: T = end.value
            return result
        found = step.run()


async def arun(steps: Steps[T]) -> T:
    """Awaits one step after another."""
    found: Any = None
    while True:
        try:
            step = steps.send(found)
        except StopIteration as end:
            result: T = end.value
            return result
        found = await step.arun()
