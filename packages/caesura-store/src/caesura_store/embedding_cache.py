"""A cache of embeddings on the disk: no text is embedded twice."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import Future, wait
from functools import partial
from hashlib import sha256
from typing import Any, Protocol, Self, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from caesura.errors import EmbeddingError, SettingError
from caesura.sansio import Awaiting, Blocking, Calls, run
from caesura.types import CalibratedEmbedder, Embed
from caesura.vectors import as_rows, stack_rows
from caesura_store.sqlite_store import Store

BATCH = 2000
"""How many texts an embedder without `in_parts` is given at once: a failure loses the rows of no more. Embedders that
send 32, 64, 100 or 1000 texts in a request fill their requests with it, but for a fortieth."""


@runtime_checkable
class PartsEmbedder(Protocol):
    """An embedder that hands over the rows of some texts before it has those of all, so that a failure loses few."""

    def in_parts(self, texts: list[str], keep: Callable[[list[int], Any], object]) -> Any:
        """Calls `keep` with the indexes of texts and their rows as they come; returns the rows of all."""
        ...


class _Claim(Future[None]):
    """What a call has claimed to embed. It is done when the call has embedded that, or failed.

    caller: the thread or the task. Its own call within this one, as from the handler of a signal, does not wait for it.
    """

    def __init__(self, caller: object) -> None:
        super().__init__()
        self.caller = caller


class _Cached:
    """What `cached` and `async_cached` share: the file, what it has of some texts, and what is put there."""

    embed: Callable[..., Any]
    name: str
    store: Store
    """Where rows are."""
    asked: int
    """How many texts the embedder was given since this was made."""
    found: int
    """How many it was not asked for."""
    batch: int = BATCH
    """How many it is given at once."""

    def __init__(self, embed: Callable[..., Any], path: str | os.PathLike[str], name: str) -> None:
        if not isinstance(name, str) or not name:
            raise SettingError(f"name must name the model and its version, as 'all-MiniLM-L6-v2', got {name!r}")
        self.embed, self.name, self.store = embed, name, Store(path, "embeddings")
        self._in_parts = embed.in_parts if isinstance(embed, PartsEmbedder) else None
        self.asked = self.found = 0
        self._width: int | None = None
        self._claims: dict[int, dict[str, _Claim]] = {}
        """Who embeds a key now; by process, as a forked one has none of the others' threads."""

    def __reduce__(self) -> tuple[type[Self], tuple[Callable[..., Any], str, str]]:
        return type(self), (self.embed, str(self.store.path), self.name)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the file."""
        self.store.close()

    @property
    def background(self) -> NDArray[np.float32] | None:
        """What the embedder brings as its background, if anything: a cache changes no result."""
        embed: object = self.embed
        return embed.background if isinstance(embed, CalibratedEmbedder) else None

    async def _rows(self, calls: Calls, caller: object, texts: Sequence[str]) -> NDArray[np.float32]:
        """Texts -> their rows: those of the file, of the embedder, and of other callers that embed them meanwhile.

        Nobody waits for others before what is claimed has been embedded, so that no two wait for each other. What
        others failed to embed is claimed again.
        """
        head = f"{len(self.name)}:{self.name}:"
        keys = [head + sha256(text.encode("utf-8", "surrogatepass")).hexdigest() for text in texts]
        wanted, rows, asked = dict(zip(keys, texts, strict=True)), dict[str, NDArray[np.float32]](), 0
        claims = self._claims.setdefault(os.getpid(), {})
        while missing := [key for key in wanted if key not in rows]:
            claim = _Claim(caller)
            try:
                claimed = [key for key in missing if claims.setdefault(key, claim).caller == caller]
                rows.update(await calls.compute(self._stored_rows, missing))  # others may just have put them there
                unknown = [key for key in claimed if key not in rows]
                step = len(unknown) if self._in_parts else self.batch
                for start in range(0, len(unknown), step or 1):
                    own = unknown[start : start + step]
                    self.asked, asked = self.asked + len(own), asked + len(own)
                    rows.update(await self._embed(calls, own, [wanted[key] for key in own]))
            finally:
                try:
                    _release(claims, missing, claim)
                finally:
                    _release(claims, missing, claim)  # where a signal came into the first
            others = {other for key in missing if key not in rows and (other := claims.get(key)) is not None}
            if others:
                await calls.call(_wait, _await, others)
        self.found += len(keys) - asked
        return np.stack([rows[key] for key in keys]) if keys else np.zeros((0, 0), np.float32)

    async def _embed(self, calls: Calls, keys: Sequence[str], texts: list[str]) -> dict[str, NDArray[np.float32]]:
        """What the embedder returns of these, put into the file -> the rows by key. Where it fails, and tells of parts,
        those that came are put there."""
        came = list[tuple[list[int], Any]]()
        ask: Callable[..., Any] = self.embed
        if self._in_parts is not None:
            ask = partial(self._in_parts, keep=lambda indexes, rows: came.append((indexes, rows)))
        try:
            returned = await calls.call(ask, ask, texts)
        except BaseException:
            for indexes, part in came:
                await calls.compute(self._keep, [keys[index] for index in indexes], part)
            raise
        return await calls.compute(self._keep, keys, returned)

    def _stored_rows(self, keys: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        """Those of the keys that the file has, and their rows."""
        stored = zip(keys, self.store.get(keys), strict=True)
        rows = {key: np.frombuffer(row, np.float32) for key, row in stored if row is not None}
        self._check_width([len(row) for row in rows.values()])
        return rows

    def _keep(self, keys: Sequence[str], returned: Any) -> dict[str, NDArray[np.float32]]:
        """Puts into the file what the embedder returned -> the rows by key."""
        raw = stack_rows(returned, len(keys))
        new = as_rows(raw, len(keys))
        self._check_width([new.shape[1]])
        rows = {key: row.tobytes() for key, row in zip(keys, new, strict=True)}
        finite = np.isfinite(raw)  # a row that is not is asked for again the next time
        self.store.put((key, row) for (key, row), sound in zip(rows.items(), finite, strict=True) if sound.all())
        return {key: np.frombuffer(row, np.float32) for key, row in rows.items()}

    def _check_width(self, widths: list[int]) -> None:
        """Raises `EmbeddingError` where rows have other lengths than one another, or than what the file has of them."""
        if self._width is None:
            first = next(iter(self.store.keys(f"{len(self.name)}:{self.name}:")), None)
            stored = None if first is None else self.store.get([first])[0]
            self._width = None if stored is None else len(stored) // np.dtype(np.float32).itemsize
        different = sorted({*widths, *([] if self._width is None else [self._width])})
        if len(different) > 1:
            raise EmbeddingError(
                f"{self.store.path} holds rows of other lengths under the name {self.name!r}: {different}; "
                f"another model, version or dimension must have another name"
            )


class cached(_Cached):  # noqa: N801 - used as a function: cached(embed, path, name)
    """An embedder whose rows are kept on the disk, by text and name: an edited document costs its edits.

    embed: list of texts -> (n, d) rows. path: the file; several embedders, threads and processes may share it. name:
    which model this is: rows are kept under it, so that another model, version or dimension must have another name.
    It pickles as `embed` does, and opens the file again in another process.

    Returns float32 (n, d), one row per text, such that each text is embedded once and then never again: threads that
    ask for it at once wait for the first, and where that fails, the next one embeds it. (Two processes that ask at once
    may both embed it.) A call that fails loses no row that was there, nor those of batches before it: the embedder is
    asked for 2,000 texts at once, or for all, if it has an `in_parts(texts, keep)` that tells of rows as they come, as
    `openai_vectors` has. Raises `SettingError` for a file that is no store of ours.

    >>> import tempfile
    >>> def lengths(texts):
    ...     return [[float(len(text))] for text in texts]
    >>> with tempfile.TemporaryDirectory() as folder, cached(lengths, f"{folder}/rows.db", "lengths") as embed:
    ...     embed(["a", "bcd", "a"]).tolist(), embed(["bcd", "ef"]).tolist(), embed.asked
    ([[1.0], [3.0], [1.0]], [[3.0], [2.0]], 3)
    """

    embed: Embed

    def __call__(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return run(self._rows(Blocking(), threading.get_ident(), texts))


def _release(claims: dict[str, _Claim], keys: Sequence[str], claim: _Claim) -> None:
    """Gives up what a caller has claimed of some keys."""
    for key in keys:
        if (own := claims.get(key)) is not None and own.caller == claim.caller:
            claims.pop(key, None)
    if not claim.done():
        claim.set_result(None)


def _wait(claims: set[_Claim]) -> None:
    """Waits until all claims are done."""
    wait(claims)


async def _await(claims: set[_Claim]) -> None:
    """`_wait` for a task, which may be cancelled meanwhile."""
    await asyncio.wait([asyncio.wrap_future(claim) for claim in claims])


class async_cached(_Cached):  # noqa: N801 - used as a function
    """`cached` for an embedder that is awaited: list of texts -> an awaitable of rows. Tasks wait as threads do.
    embed: the embedder. path, name: as in `cached`."""

    embed: Callable[[list[str]], Awaitable[Any]]

    async def __call__(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return await self._rows(Awaiting(), asyncio.current_task(), texts)
