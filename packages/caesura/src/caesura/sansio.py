"""Code written once for sync and async hosts: an `async def` that makes its calls through a `Calls` object.

With `Blocking` it never suspends, so `run` finishes it without an event loop. With `Awaiting` it is awaited.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Sequence
from contextlib import suppress
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
        ...

    async def write(
        self, function: Callable[P, T], afunction: Callable[P, Awaitable[T]], /, *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """As `call`, but runs to its end also where the caller is cancelled meanwhile."""
        ...

    async def compute(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Calls `function` here, or in a thread beside the event loop."""
        ...


class Blocking:
    """The calls of a sync host. None of them suspends."""

    async def call(
        self, function: Callable[P, T], afunction: Callable[P, Awaitable[T]], /, *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Calls `function`."""
        return _call(function, *args, **kwargs)

    async def write(
        self, function: Callable[P, T], afunction: Callable[P, Awaitable[T]], /, *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Calls `function`."""
        return _call(function, *args, **kwargs)

    async def compute(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Calls `function`."""
        return _call(function, *args, **kwargs)


class Awaiting:
    """The calls of an async host."""

    async def call(
        self, function: Callable[P, T], afunction: Callable[P, Awaitable[T]], /, *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Awaits `afunction`."""
        return await _call(afunction, *args, **kwargs)

    async def write(
        self, function: Callable[P, T], afunction: Callable[P, Awaitable[T]], /, *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Awaits `afunction`, see `finish`."""
        return await finish(_call(afunction, *args, **kwargs))

    async def compute(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Calls `function` in a thread, in a copy of the caller's context, see `finish`."""
        from asyncio import to_thread  # so that `import caesura` does not wait for it

        return await finish(to_thread(_call, function, *args, **kwargs))


async def finish(work: Awaitable[T]) -> T:
    """Awaits work to its end, and is cancelled only then. A thread cannot be stopped: it would go on to write
    unlocked.
    """
    import asyncio

    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    finally:
        while not task.done():
            with suppress(asyncio.CancelledError):
                await asyncio.wait([task])


def _call(function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
    """Calls a function and renames a `StopIteration`: Python 3.11 waits for ever for a thread that raises one."""
    try:
        return function(*args, **kwargs)
    except StopIteration as error:
        raise RuntimeError(f"{function!r:.120} raised StopIteration: an iterator has run out in it") from error


def run(work: Coroutine[Any, Any, T]) -> T:
    """Returns the result of an `async def` with `Blocking` calls. It may be called within a running event loop, and
    blocks it.
    """
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
    """Returns the (n, d) rows of texts, `batch_size` texts in a call or all in one. Without texts it makes no call.

    embed: a function, or an async one where `calls` awaits. An error that it raises gets a note of the texts that it
    was called with. Raises `EmbeddingError` where a call returns other than one row per text, or two calls return rows
    of different lengths.
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
    if len(parts) == 1:
        return parts[0]
    widths = sorted({part.shape[1] for part in parts})
    if len(widths) > 1:
        raise EmbeddingError(f"embed() must return rows of one length in every call, got {widths}")
    return np.concatenate(parts) if parts else np.zeros((0, 0), np.float32)


def _own_rows(returned: Any, count: int) -> NDArray[np.float32]:
    """As `stack_rows`, but never in memory that the embedder may write to again."""
    rows = stack_rows(returned, count)
    return rows.copy() if rows is returned or rows.base is not None else rows
