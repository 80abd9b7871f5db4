"""Work that asks a host's objects for things, written once as steps: `run` takes them, `arun` awaits them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator
from typing import Any, NamedTuple, TypeAlias, TypeVar, cast

from caesura.asking import adrive, drive

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
    return drive(steps, lambda step: step.run())


async def arun(steps: Steps[T]) -> T:
    """`run`, by awaiting the twin of each step; what is between steps runs in a thread."""
    return await adrive(steps, lambda step: step.arun())


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
