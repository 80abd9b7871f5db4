"""Work that asks a host's objects for things, written once as steps: `run` takes them, `arun` awaits them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Generator
from typing import Any, NamedTuple, TypeAlias, TypeVar, cast

T = TypeVar("T")
W = TypeVar("W")


class Step(NamedTuple):
    """Something that is asked for, and its awaited twin."""

    run: Callable[[], Any]
    arun: Callable[[], Awaitable[Any]]

    @classmethod
    def of(cls, target: Any, method: str, /, *args: Any, **kwargs: Any) -> Step:
        """A call whose awaited twin has the same name with an ``a`` before it."""
        return cls(
            lambda: getattr(target, method)(*args, **kwargs), lambda: getattr(target, f"a{method}")(*args, **kwargs)
        )


Steps: TypeAlias = Generator[Step, Any, T]
"""Yields steps, is sent what each returned or thrown what it raised, and returns the result."""


def run(steps: Steps[T]) -> T:
    """Takes each step -> what the steps return."""
    ended, step = _resumed(steps.send, None)
    while not ended:
        try:
            returned = step.run()
        except Exception as error:
            ended, step = _resumed(steps.throw, error)
        else:
            ended, step = _resumed(steps.send, returned)
    return cast(T, step)


async def arun(steps: Steps[T]) -> T:
    """`run`, by awaiting the twin of each step; what is between steps runs in a thread."""
    ended, step = await asyncio.to_thread(_resumed, steps.send, None)
    while not ended:
        try:
            returned = await step.arun()
        except Exception as error:
            ended, step = await asyncio.to_thread(_resumed, steps.throw, error)
        else:
            ended, step = await asyncio.to_thread(_resumed, steps.send, returned)
    return cast(T, step)


def answered(asking: Generator[W, Any, T], answer: Callable[[W], Steps[Any]]) -> Steps[T]:
    """A generator that asks for things of its own, and the steps that get one -> the steps of all, and its return."""
    resume: Callable[[Any], W] = asking.send
    value: Any = None
    while True:
        try:
            wanted = resume(value)
        except StopIteration as end:
            return cast(T, end.value)
        try:
            value = yield from answer(wanted)
        except Exception as error:
            resume, value = asking.throw, error
        else:
            resume = asking.send


def _resumed(action: Callable[..., Step], value: object) -> tuple[bool, Any]:
    """Whether the steps have ended, and the next step or the result."""
    try:
        return False, action(value)
    except StopIteration as end:
        return True, end.value
