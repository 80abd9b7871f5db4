"""Texts and a host's embedder in, segmentations out, sync or async: calibrated once, nothing on the event loop.

Not loaded by `import caesura`.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, Protocol, TypeVar, cast
from weakref import WeakKeyDictionary

from caesura.background import Background, background_of, calibration
from caesura.sansio import Requests, adrive, drive, requests
from caesura.splitter import Batch
from caesura.types import Embed, Limits

T = TypeVar("T")


class Stages(Protocol[T]):
    """A `Splitter` or a `Hierarchy`: a frozen dataclass that prepares texts and finishes them with their vectors."""

    @property
    def background(self) -> Background | None: ...
    def prepare(self, texts: Sequence[str], limits: Sequence[Limits] | None = None) -> Batch: ...
    def finish(self, batch: Batch, vectors: Any) -> list[T]: ...


class BackgroundCache:
    """What one host splitter remembers between calls: the background of the embedder that it used last.

    Calls that come at the same time wait for the one that calibrates.
    """

    def __init__(self, known: tuple[object, Background] | None = None) -> None:
        self.known: tuple[object, Background] | None = known
        self.lock: threading.Lock = threading.Lock()
        self.locks: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = WeakKeyDictionary()

    def __reduce__(self) -> tuple[type[BackgroundCache], tuple[tuple[object, Background] | None]]:
        return BackgroundCache, (self.known,)

    def recalled(self, embedder: object) -> Background | None:
        """The embedder's background, if it brings one or is known already."""
        return self.known[1] if self.known is not None and self.known[0] is embedder else background_of(embedder)

    def calibrated(self, stages: Stages[T], embedder: object, batch_size: int | None) -> Requests[Stages[T]]:
        """Stages without a background -> the same with the embedder's, which is asked for if it is not known."""
        background = self.recalled(embedder)
        if background is None:
            background = yield from calibration(batch_size)
            self.known = embedder, background
        return _centring(stages, background)


@dataclass(frozen=True, slots=True)
class EmbeddingSession(Generic[T]):
    """Texts to cut with a host's embedder: `run` and `arun` return one segmentation per text, or `Nested` levels.

    prepare: makes the splitter or hierarchy, the texts and their limits, where that cannot block an event loop.
    embedder: what the memory knows the background by. calibrated: whether one without a background gets the embedder's.
    """

    prepare: Callable[[], tuple[Stages[T], Sequence[str], Sequence[Limits] | None]]
    embedder: object
    memory: BackgroundCache
    calibrated: bool
    batch_size: int | None = None

    def run(self, embed: Embed) -> list[T]:
        """Calls `embed` for one list of texts after another."""
        stages, batch = self._prepared()
        if self._wants_calibration(stages, batch):
            with self.memory.lock:
                stages = drive(self._calibration(stages), embed)
        return stages.finish(batch, drive(requests(batch.texts, self.batch_size), embed))

    async def arun(self, aembed: Callable[[list[str]], Awaitable[Any]]) -> list[T]:
        """Awaits `aembed` for one list of texts after another. All else runs in a thread, beside the event loop."""
        stages, batch = await asyncio.to_thread(self._prepared)
        if self._wants_calibration(stages, batch):
            async with self.memory.locks.setdefault(asyncio.get_running_loop(), asyncio.Lock()):
                stages = await adrive(self._calibration(stages), aembed)
        rows = await adrive(requests(batch.texts, self.batch_size), aembed)
        return await asyncio.to_thread(stages.finish, batch, rows)

    def _prepared(self) -> tuple[Stages[T], Batch]:
        stages, texts, limits = self.prepare()
        known = self.memory.recalled(self.embedder) if self.calibrated and stages.background is None else None
        return stages if known is None else _centring(stages, known), stages.prepare(texts, limits)

    def _wants_calibration(self, stages: Stages[T], batch: Batch) -> bool:
        return self.calibrated and stages.background is None and len(batch.texts) > 0

    def _calibration(self, stages: Stages[T]) -> Requests[Stages[T]]:
        return self.memory.calibrated(stages, self.embedder, self.batch_size)


def _centring(stages: Stages[T], background: Background) -> Stages[T]:
    return cast(Stages[T], replace(cast(Any, stages), background=background))
