"""What is to be asked of stores and splitters, one step after another: the same steps serve sync and async callers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator
from typing import Any, NamedTuple, TypeVar, cast

T = TypeVar("T")


class Step(NamedTuple):
    """A call that a host's object is to answer; its async twin has the same name with an ``a`` before it."""

    target: Any
    method: str
    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = {}  # noqa: RUF012 - never changed


Steps = Generator[Step, Any, T]
"""Yields steps, is sent what each returned or thrown what it raised, and returns the result."""


def run(steps: Steps[T]) -> T:
    """Takes each step -> what the steps return."""
    done, step = _resumed(steps.send, None)
    while not done:
        try:
            returned = getattr(step.target, step.method)(*step.args, **step.kwargs)
        except Exception as error:
            done, step = _resumed(steps.throw, error)
        else:
            done, step = _resumed(steps.send, returned)
    return cast(T, step)


async def arun(steps: Steps[T]) -> T:
    """`run`, by awaiting the async twin of each step; what is between steps runs in a thread."""
    done, step = await asyncio.to_thread(_resumed, steps.send, None)
    while not done:
        try:
            returned = await getattr(step.target, f"a{step.method}")(*step.args, **step.kwargs)
        except Exception as error:
            done, step = await asyncio.to_thread(_resumed, steps.throw, error)
        else:
            done, step = await asyncio.to_thread(_resumed, steps.send, returned)
    return cast(T, step)


def _resumed(action: Callable[..., Step], value: object) -> tuple[bool, Any]:
    """Whether the steps have ended, and the next step or the result."""
    try:
        return False, action(value)
    except StopIteration as end:
        return True, end.value
