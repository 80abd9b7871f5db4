"""Code written once for sync and async hosts: an `async def` that is given its calls.

With `Blocking` it never suspends, so `run` finishes it without an event loop. With `Awaiting` it is awaited.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Sequence
from typing import Any, ParamSpec, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from caesura.checks import check_int
from caesura.errors import EmbeddingError
from caesura.vectors import stack_rows

P = ParamSpec("P")
T = TypeVar("T")


class Calls(Protocol):
    """How a function calls what belongs to its host."""

    async def call(
        self, function: Callable[P, T], afunction: Callable[P, Awaitable[T]], /, *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Calls `function`, or awaits `afunction`, its async twin."""

    async def compute(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Calls `function` here, or in a thread beside the event loop."""


class Blocking:
    """The calls of a sync host. None of them suspends."""

    async def call(
        self, function: Callable[P, T], afunction: Callable[P, Awaitable[T]], /, *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Calls `function`."""
        return function(*args, **kwargs)

    async def compute(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Calls `function`."""
        return function(*args, **kwargs)


class Awaiting:
    """The calls of an async host."""

    async def call(
        self, function: Callable[P, T], afunction: Callable[P, Awaitable[T]], /, *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Awaits `afunction`."""
        return await afunction(*args, **kwargs)

    async def compute(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Calls `function` in a thread, in a copy of the caller's context."""
        from asyncio import to_thread  # so that `import caesura` does not wait for it

        return await to_thread(function, *args, **kwargs)


def run(work: Coroutine[Any, Any, T]) -> T:
    """What an `async def` with `Blocking` calls returns. Works within a running event loop too, which it blocks."""
    try:
        work.send(None)
    except StopIteration as end:
        result: T = end.value
        return result
    work.close()
    raise RuntimeError(f"{work!r:.120} must be given Blocking() calls and await nothing else: it suspended")


async def embed_in_batches(
    calls: Calls, embed: Callable[[list[str]], Any], texts: Sequence[str], batch_size: int | None = None
) -> NDArray[np.float32]:
    """Texts -> the (n, d) rows of all of them, `batch_size` texts in a call or all in one; without texts, no call.

    embed: a function, or an async one where `calls` awaits. What it raises gets a note of the texts it was called with.
    Raises `EmbeddingError` where a call returns other than one row per text, or two calls rows of different lengths.
    """
    if batch_size is not None:
        check_int("batch_size", batch_size, 1)
    step = batch_size or max(len(texts), 1)
    parts: list[NDArray[np.float32]] = []
    for start in range(0, len(texts), step):
        part = list(texts[start : start + step])
        try:
            returned = await calls.call(embed, embed, part)
        except Exception as error:
            error.add_note(f"raised by the embedder for texts {start} to {start + len(part) - 1} of {len(texts)}")
            raise
        parts.append(await calls.compute(_own_rows, returned, len(part)))
    widths = sorted({part.shape[1] for part in parts})
    if len(widths) > 1:
        raise EmbeddingError(f"embed() must return rows of one length in every call, got {widths}")
    if len(parts) == 1:
        return parts[0]
    return np.concatenate(parts) if parts else np.zeros((0, 0), np.float32)


def _own_rows(returned: Any, count: int) -> NDArray[np.float32]:
    """As `stack_rows`, in memory that an embedder which uses its array again does not write to."""
    rows = stack_rows(returned, count)
    return rows.copy() if rows is returned or rows.base is not None else rows


# -- TRANSITIONAL: goes once both plugins are converted -----------------------------------------------------------

from collections.abc import Generator  # noqa: E402
from typing import NamedTuple, TypeAlias, cast  # noqa: E402

W = TypeVar("W")
Requests: TypeAlias = Generator[list[str], Any, T]


def requests(texts: Sequence[str], batch_size: int | None = None) -> Requests[NDArray[np.float32]]:
    """Texts -> a generator that asks for the rows of some of them at a time and returns the rows of all.

    It yields lists of texts, `batch_size` each or all at once, and is sent what the embedder returned for them, or
    thrown what it raised, to which it adds for which texts. No text, no request. Raises `EmbeddingError` as `stack_rows`
    does, and where two calls returned rows of different lengths.
    """
    if batch_size is not None:
        check_int("batch_size", batch_size, 1)
    step = batch_size or max(len(texts), 1)
    parts: list[NDArray[np.float32]] = []
    for start in range(0, len(texts), step):
        part = list(texts[start : start + step])
        try:
            returned = yield part
        except Exception as error:
            error.add_note(f"raised by the embedder for texts {start} to {start + len(part) - 1} of {len(texts)}")
            raise
        parts.append(stack_rows(returned, len(part)))
    widths = sorted({part.shape[1] for part in parts})
    if len(widths) > 1:
        raise EmbeddingError(f"embed() must return rows of one length in every call, got {widths}")
    if len(parts) == 1:
        return parts[0]
    return np.concatenate(parts) if parts else np.zeros((0, 0), np.float32)


def drive(asking: Generator[W, Any, T], answer: Callable[[W], Any]) -> T:
    """Answers each request of a generator -> what the generator returns."""
    ended, wanted = _resumed(asking.send, None)
    while not ended:
        try:
            answered = answer(wanted)
        except Exception as error:
            ended, wanted = _resumed(asking.throw, error)
        else:
            ended, wanted = _resumed(asking.send, answered)
    return cast(T, wanted)


async def adrive(asking: Generator[W, Any, T], answer: Callable[[W], Awaitable[Any]]) -> T:
    """`drive`, by awaiting the answers; what is between them runs in a thread, beside the event loop."""
    from asyncio import to_thread  # so that `import caesura` does not wait for it

    ended, wanted = await to_thread(_resumed, asking.send, None)
    while not ended:
        try:
            answered = await answer(wanted)
        except Exception as error:
            ended, wanted = await to_thread(_resumed, asking.throw, error)
        else:
            ended, wanted = await to_thread(_resumed, asking.send, answered)
    return cast(T, wanted)


def _resumed(action: Callable[..., Any], value: object) -> tuple[bool, Any]:
    """Whether the generator has ended, and its result or what it wants next."""
    try:
        return False, action(value)
    except StopIteration as end:
        return True, end.value


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


def run_steps(steps: Steps[T]) -> T:
    """Takes each step -> what the steps return."""
    return drive(steps, lambda step: step.run())


async def arun_steps(steps: Steps[T]) -> T:
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
