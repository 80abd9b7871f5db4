"""A host's texts and embedder -> segmentations, sync or async. The embedder is calibrated once.

Not loaded by `import caesura`.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar
from weakref import WeakKeyDictionary, WeakSet

from caesura.background import Background, background_of, measure_background
from caesura.batch import Batch
from caesura.errors import EmbeddingError
from caesura.sansio import Awaiting, Blocking, Calls, embed_in_batches, run
from caesura.splitter import Stages
from caesura.types import Embed, Limits, Segmenter

T = TypeVar("T")
_CACHES: WeakSet[BackgroundCache] = WeakSet()


class BackgroundCache:
    """The background of the embedder that one host splitter used last.

    Calls that come at the same time wait for the one that calibrates.
    """

    def __init__(self, known: tuple[object, Background] | None = None) -> None:
        self.known: tuple[object, Background] | None = known
        """The embedder that was calibrated, and its background."""
        self._brought: tuple[object, Background] | None = None
        """An embedder that brought its background, and that."""
        self.reset_locks()
        _CACHES.add(self)

    def reset_locks(self) -> None:
        """Makes new locks: in a forked child nobody calibrates."""
        self._lock: threading.Lock = threading.Lock()
        self._locks: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = WeakKeyDictionary()
        self._owner: object = None

    def __reduce__(self) -> tuple[type[BackgroundCache], tuple[tuple[object, Background] | None]]:
        return BackgroundCache, (self.known,)

    def get(self, embedder: object) -> Background | None:
        """The embedder's background, if it brings one or is known already."""
        for known in (self.known, self._brought):
            if known is not None and known[0] is embedder:
                return known[1]
        background = background_of(embedder)
        self._brought = None if background is None else (embedder, background)
        return background

    def put(self, embedder: object, background: Background) -> None:
        """Keeps an embedder's background instead of that of another embedder."""
        self.known = embedder, background

    async def in_thread(self, work: Callable[[], Awaitable[T]]) -> T:
        """Awaits `work`, for one thread at a time. It blocks, so it is for `Blocking` calls."""
        me = threading.get_ident()
        self._check_owner(me)
        with self._lock:
            self._owner = me
            try:
                return await work()
            finally:
                self._owner = None

    async def in_loop(self, work: Callable[[], Awaitable[T]]) -> T:
        """Awaits `work`, for one task of the running event loop at a time."""
        me = asyncio.current_task()
        self._check_owner(me)
        async with self._locks.setdefault(asyncio.get_running_loop(), asyncio.Lock()):
            self._owner = me
            try:
                return await work()
            finally:
                self._owner = None

    def _check_owner(self, me: object) -> None:
        if self._owner == me:
            raise EmbeddingError(
                "the embedder calls the splitter that is calibrating it, which would wait for itself: give that "
                "splitter another embedder, or its own background=…"
            )


def _reset_after_fork() -> None:
    for cache in list(_CACHES):
        cache.reset_locks()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_reset_after_fork)


@dataclass(frozen=True, slots=True)
class EmbeddingSession(Generic[T]):
    """Texts to cut with a host's embedder. `run` and `arun` return one segmentation per text, or `Nested` levels.

    stages: a splitter or a hierarchy. limits, segmenters: one per text, where they differ. embedder: the object by
    which the cache knows the background. calibrated: whether stages without a background get the embedder's.
    batch_size: the most texts in a call of the embedder; None is all in one.
    """

    stages: Stages[T]
    texts: Sequence[str]
    embedder: object
    cache: BackgroundCache
    calibrated: bool
    limits: Sequence[Limits] | None = None
    batch_size: int | None = None
    segmenters: Sequence[Segmenter] | None = None

    def run(self, embed: Embed) -> list[T]:
        """Calls `embed` for one list of texts after another."""
        return run(self.split(Blocking(), embed))

    async def arun(self, embed: Callable[[list[str]], Awaitable[Any]]) -> list[T]:
        """Awaits `embed` for one list of texts after another. All else runs in a thread, beside the event loop."""
        return await self.split(Awaiting(), embed)

    async def split(self, calls: Calls, embed: Callable[[list[str]], Any]) -> list[T]:
        """What `run` and `arun` do, by the host's own `calls`. embed: a function, or an async one where `calls`
        awaits.
        """
        batch, background = await calls.compute(self._prepare)
        if background is None and batch.texts and self.calibrated and self.stages.background is None:
            alone = self.cache.in_thread if isinstance(calls, Blocking) else self.cache.in_loop
            background = await alone(lambda: self._measure(calls, embed))
        rows = await embed_in_batches(calls, embed, batch.texts, self.batch_size)
        return await calls.compute(self.stages.finish, batch, rows, background)

    def _prepare(self) -> tuple[Batch, Background | None]:
        """Returns the batch, and the embedder's background where it is needed and known."""
        needed = self.calibrated and self.stages.background is None
        background = self.cache.get(self.embedder) if needed else None
        return self.stages.prepare(self.texts, self.limits, self.segmenters), background

    async def _measure(self, calls: Calls, embed: Callable[[list[str]], Any]) -> Background:
        """Returns the embedder's background, which another thread or task may have measured meanwhile."""
        background = await calls.compute(self.cache.get, self.embedder)
        if background is None:
            background = await measure_background(calls, embed, self.batch_size)
            self.cache.put(self.embedder, background)
        return background
