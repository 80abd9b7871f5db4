"""Texts and a host's embedder in, segmentations out, sync or async: calibrated once, nothing on the event loop.

Not loaded by `import caesura`.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar, cast
from weakref import WeakKeyDictionary

from caesura.background import Background, calibration
from caesura.segmentation import Segmentation
from caesura.splitter import Batch, Splitter
from caesura.types import Embed, Limits
from caesura.vectors import Requests, drive, requests

T = TypeVar("T")


class Memory:
    """What one host splitter remembers between calls: the background of the embedder that it used last.

    Calls that come at the same time wait for the one that calibrates.
    """

    def __init__(self, known: tuple[object, Background] | None = None) -> None:
        self.known = known
        self.lock = threading.Lock()
        self.locks: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = WeakKeyDictionary()

    def __reduce__(self) -> tuple[type[Memory], tuple[tuple[object, Background] | None]]:
        return Memory, (self.known,)

    def recalled(self, embedder: object) -> Background | None:
        """The embedder's background, if it is known."""
        return self.known[1] if self.known is not None and self.known[0] is embedder else None

    def calibrated(self, splitter: Splitter, embedder: object, batch_size: int | None) -> Requests[Splitter]:
        """A splitter without a background -> the same with the embedder's, which is asked for if it is not known."""
        background = self.recalled(embedder)
        if background is None:
            background = yield from calibration(batch_size)
            self.known = embedder, background
        return replace(splitter, background=background)


@dataclass(frozen=True, slots=True)
class Work:
    """Texts to cut with a host's embedder: `run` and `arun` return one segmentation per text.

    prepare: makes the splitter, the texts and their limits; it is called where it cannot block an event loop.
    embedder: what the memory knows the background by. calibrated: whether a splitter without a background gets the
    embedder's.
    """

    prepare: Callable[[], tuple[Splitter, Sequence[str], Sequence[Limits] | None]]
    embedder: object
    memory: Memory
    calibrated: bool
    batch_size: int | None = None

    def run(self, embed: Embed) -> list[Segmentation]:
        """Calls `embed` for one list of texts after another."""
        splitter, batch = self._prepared()
        if self._wants_calibration(splitter, batch):
            with self.memory.lock:
                splitter = drive(self._calibration(splitter), embed)
        return splitter.finish(batch, drive(requests(batch.texts, self.batch_size), embed))

    async def arun(self, aembed: Callable[[list[str]], Awaitable[Any]]) -> list[Segmentation]:
        """Awaits `aembed` for one list of texts after another. All else runs in a thread, beside the event loop."""
        splitter, batch = await asyncio.to_thread(self._prepared)
        if self._wants_calibration(splitter, batch):
            async with self.memory.locks.setdefault(asyncio.get_running_loop(), asyncio.Lock()):
                splitter = await adrive(self._calibration(splitter), aembed)
        rows = await adrive(requests(batch.texts, self.batch_size), aembed)
        return await asyncio.to_thread(splitter.finish, batch, rows)

    def _prepared(self) -> tuple[Splitter, Batch]:
        splitter, texts, limits = self.prepare()
        return splitter, splitter.prepare(texts, limits)

    def _wants_calibration(self, splitter: Splitter, batch: Batch) -> bool:
        return self.calibrated and splitter.background is None and len(batch.texts) > 0

    def _calibration(self, splitter: Splitter) -> Requests[Splitter]:
        return self.memory.calibrated(splitter, self.embedder, self.batch_size)


async def adrive(steps: Requests[T], aembed: Callable[[list[str]], Awaitable[Any]]) -> T:
    """`drive`, by awaiting `aembed`; the steps between run in a thread."""

    def resume(action: Callable[..., list[str]], value: object) -> tuple[bool, Any]:
        try:
            return False, action(value)
        except StopIteration as end:
            return True, end.value

    done, wanted = await asyncio.to_thread(resume, steps.send, None)
    while not done:
        try:
            returned = await aembed(wanted)
        except Exception as error:
            done, wanted = await asyncio.to_thread(resume, steps.throw, error)
        else:
            done, wanted = await asyncio.to_thread(resume, steps.send, returned)
    return cast(T, wanted)
