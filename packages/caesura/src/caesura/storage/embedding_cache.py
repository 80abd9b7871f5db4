"""A cache of embeddings on the disk: no text is embedded twice.

Not loaded by `import caesura`.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Sequence
from hashlib import sha256
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from caesura.errors import EmbeddingError, SettingError
from caesura.storage.sqlite_store import Store
from caesura.types import Embed
from caesura.vectors import as_rows, stack_rows


class _Cached:
    """What `cached` and `async_cached` share: the file, what it has of some texts, and what is put there."""

    embed: Callable[..., Any]
    name: str
    store: Store
    asked: int
    """How many texts the embedder was asked for since this was made."""
    found: int
    """How many it was not asked for."""

    def __init__(self, embed: Callable[..., Any], path: str | os.PathLike[str], name: str) -> None:
        if not isinstance(name, str) or not name:
            raise SettingError(f"name must name the model and its version, as 'all-MiniLM-L6-v2', got {name!r}")
        self.embed, self.name, self.store = embed, name, Store(path, "embeddings")
        self.asked = self.found = 0
        self._width: int | None = None

    def __reduce__(self) -> tuple[type[Self], tuple[Callable[..., Any], str, str]]:
        return type(self), (self.embed, str(self.store.path), self.name)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Lets go of the file."""
        self.store.close()

    @property
    def background(self) -> NDArray[np.float32] | None:
        """What the embedder brings as its background, if anything: a cache changes no result."""
        found: NDArray[np.float32] | None = getattr(self.embed, "background", None)
        return found

    def _known(self, texts: Sequence[str]) -> tuple[dict[str, NDArray[np.float32] | None], list[str], list[str]]:
        """Texts -> their rows by key as far as the file has them, their keys, and the texts that it has not."""
        head = f"{len(self.name)}:{self.name}:"
        keys = [head + sha256(text.encode("utf-8", "surrogatepass")).hexdigest() for text in texts]
        wanted = dict(zip(keys, texts, strict=True))
        stored = zip(wanted, self.store.get(wanted), strict=True)
        rows = {key: None if row is None else np.frombuffer(row, np.float32) for key, row in stored}
        missing = [text for key, text in wanted.items() if rows[key] is None]
        self.asked, self.found = self.asked + len(missing), self.found + len(texts) - len(missing)
        return rows, keys, missing

    def _joined(
        self, rows: dict[str, NDArray[np.float32] | None], keys: list[str], returned: Any
    ) -> NDArray[np.float32]:
        """What the embedder returned for the missing texts is kept, and put among the rows that are known."""
        missing = [key for key, row in rows.items() if row is None]
        raw = stack_rows(returned, len(missing))
        new = as_rows(raw, len(missing))
        self._check_width(
            [*(len(row) for row in rows.values() if row is not None), *({new.shape[1]} if missing else ())]
        )
        finite = np.isfinite(raw)  # a row that is not is asked for again the next time
        stored = zip(missing, new, finite, strict=True)
        self.store.put((key, row.tobytes()) for key, row, sound in stored if sound.all())
        rows.update(zip(missing, new, strict=True))
        every = [row for key in keys if (row := rows[key]) is not None]
        return np.stack(every) if every else np.zeros((0, 0), np.float32)

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

    Returns float32 (n, d), one row per text, such that each text is embedded once and then never again. A call that
    fails loses no row that was there. Raises `SettingError` for a file that is no store of ours.

    >>> import tempfile
    >>> def lengths(texts):
    ...     return [[float(len(text))] for text in texts]
    >>> with tempfile.TemporaryDirectory() as folder, cached(lengths, f"{folder}/rows.db", "lengths") as embed:
    ...     embed(["a", "bcd", "a"]).tolist(), embed(["bcd", "ef"]).tolist(), embed.asked
    ([[1.0], [3.0], [1.0]], [[3.0], [2.0]], 3)
    """

    embed: Embed

    def __call__(self, texts: Sequence[str]) -> NDArray[np.float32]:
        rows, keys, missing = self._known(texts)
        return self._joined(rows, keys, self.embed(missing) if missing else ())


class async_cached(_Cached):  # noqa: N801 - used as a function
    """`cached` for an embedder that is awaited: list of texts -> an awaitable of rows."""

    embed: Callable[[list[str]], Awaitable[Any]]

    async def __call__(self, texts: Sequence[str]) -> NDArray[np.float32]:
        rows, keys, missing = self._known(texts)
        return self._joined(rows, keys, await self.embed(missing) if missing else ())
