"""Cache of document embedders: the rows of a document that has not changed are read from a file."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Self

import numpy as np
from numpy.typing import NDArray

from caesura.sansio import Awaiting, Blocking, Calls, run
from caesura_retrieval.document_embedders import (
    ContextualModel,
    DocumentEmbedder,
    RunKey,
    check_document_embedder,
    embed_alone,
    embed_question,
    embed_together,
    run_keys,
)
from caesura_store.embedding_cache import async_cached, cached

AT_ONCE = 4096
"""How many chunks a cache embeds at once, or those of a larger document: what came before a failure is kept."""


class cached_documents(ContextualModel):  # noqa: N801 - used as a function: cached_documents(model, path, name)
    """A contextual embedder whose rows are kept on the disk: a document that has not changed costs nothing again.

    model: a `DocumentEmbedder`. path, name: as those of `caesura_store.embedding_cache.cached`, and the file may be
    the same. A row is kept by all texts of its run and its place among them, so that an edit costs its whole run, and
    so does one that is interrupted. Questions are not kept. What comes before a failure is kept, in steps of `AT_ONCE`
    chunks.

    >>> import tempfile
    >>> class Lengths:
    ...     def embed_document(self, chunks):
    ...         return [[len(chunk), len("".join(chunks))] for chunk in chunks]
    >>> with tempfile.TemporaryDirectory() as folder, cached_documents(Lengths(), f"{folder}/rows.db", "x") as model:
    ...     rows = [model.embed_document(chunks).tolist() for chunks in (["a", "bcd"], ["a"], ["a", "bcd"])]
    ...     rows[0], rows[1], rows[2] == rows[0], model.asked
    ([[1.0, 4.0], [3.0, 4.0]], [[1.0, 1.0]], True, 3)
    """

    def __init__(self, model: DocumentEmbedder, path: str | os.PathLike[str], name: str) -> None:
        self._model = check_document_embedder(model)
        self._rows = cached(self._embed, path, name)
        self._arows = async_cached(self._aembed, path, name)
        self._rows.batch = self._arows.batch = sys.maxsize  # no run is torn

    def __reduce__(self) -> tuple[type[Self], tuple[DocumentEmbedder, str, str]]:
        return type(self), (self._model, str(self._rows.store.path), self._rows.name)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the file."""
        self._rows.close()
        self._arows.close()

    @property
    def asked(self) -> int:
        """For how many chunks the model was asked since this was made."""
        return self._rows.asked + self._arows.asked

    def __call__(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Texts -> (n, d) rows, each text being a document by itself."""
        return embed_alone(self, texts)

    def embed_query(self, text: str) -> list[float]:
        """A question -> its row, as the model makes it."""
        return embed_question(self._model, text)

    async def _embed_batch(self, calls: Calls, documents: Sequence[Sequence[str]]) -> list[NDArray[np.float32]]:
        keys = await calls.compute(lambda: [run_keys(self._model, chunks) for chunks in documents])
        rows, step = list[NDArray[np.float32]](), list[RunKey]()
        for number, own in enumerate(keys):
            step += own
            if step and (len(step) >= AT_ONCE or number == len(keys) - 1):
                rows.append(await calls.call(self._rows, self._arows, step))
                step = []
        table = np.concatenate(rows) if rows else np.zeros((0, 0), np.float32)
        ends = np.cumsum([len(own) for own in keys], dtype=np.intp)
        return np.split(table, ends[:-1]) if len(keys) else []

    def _embed(self, keys: Sequence[RunKey]) -> NDArray[np.float32]:
        return run(self._ask(Blocking(), keys))

    async def _aembed(self, keys: Sequence[RunKey]) -> NDArray[np.float32]:
        return await self._ask(Awaiting(), keys)

    async def _ask(self, calls: Calls, keys: Sequence[RunKey]) -> NDArray[np.float32]:
        """Returns the row of each key. Each run is embedded once."""
        runs = {key.key: key.run for key in keys}
        found = dict(zip(runs, await embed_together(calls, self._model, [*runs.values()]), strict=True))
        return np.stack([found[key.key][key.number] for key in keys])
