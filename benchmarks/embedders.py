"""The name of an embedder -> a callable that embeds no text twice, and the same in each peer's own interface."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from choi import minilm
from chonkie import BaseEmbeddings
from langchain_core.embeddings import Embeddings
from llama_index.core.base.embeddings.base import BaseEmbedding
from numpy.typing import NDArray
from pydantic import PrivateAttr

from caesura_static import StaticEmbedder

Rows = NDArray[np.float32]
BATCH = 2048
"""So many texts a framework hands over at once."""
KEPT = 256
"""So many new texts are embedded before they are written to disk: a run that is killed loses no more."""


class Memo:
    """Remembers the row of every text, on disk too where it is given a file.

    Texts that differ in whitespace alone share a row: both models' tokenizers do not see whitespace, and peers join
    the same sentences with different separators. New texts are embedded in the order of their length, so that a batch
    has little padding.
    """

    def __init__(self, embed: Callable[[Sequence[str]], Rows], path: Path | None = None) -> None:
        self._embed, self._path = embed, path
        self._rows: dict[bytes, NDArray[np.float32]] = {}
        self.dimension = int(embed(["dimension"]).shape[1])
        self.background = getattr(embed, "background", None)  # the built-in model carries its own
        self._record = np.dtype([("key", "V16"), ("row", "<f4", (self.dimension,))])
        if path and path.exists():
            kept = path.stat().st_size // self._record.itemsize  # a run that was killed may have left half a record
            with path.open("r+b") as file:
                file.truncate(kept * self._record.itemsize)
            for record in np.fromfile(path, self._record):
                self._rows[record["key"].tobytes()] = record["row"]

    def __call__(self, texts: Sequence[str]) -> Rows:
        words = [" ".join(text.split()) for text in texts]
        keys = [hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest() for text in words]
        new = {key: text for key, text in zip(keys, words, strict=True) if key not in self._rows}
        order = sorted(new, key=lambda key: len(new[key]))
        for start in range(0, len(order), KEPT):
            part = order[start : start + KEPT]
            self._keep(part, self._embed([new[key] for key in part]))
        return np.array([self._rows[key] for key in keys], np.float32).reshape(len(keys), self.dimension)

    def _keep(self, keys: list[bytes], rows: Rows) -> None:
        self._rows.update(zip(keys, rows, strict=True))
        if self._path:
            records = np.zeros(len(keys), self._record)
            records["key"], records["row"] = np.array(keys, "V16"), rows
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("ab") as file:
                records.tofile(file)


def embedder(name: str, cache: Path | None) -> Memo:
    """`minilm` or `static` -> the embedder; MiniLM's rows are kept in the folder `cache`."""
    if name == "static":
        return Memo(StaticEmbedder())
    if name == "minilm":
        return Memo(minilm(), cache and cache / "minilm.rows")
    raise SystemExit(f"there is no embedder {name!r}: choose from minilm and static")


class ForLangChain(Embeddings):
    """A memo as LangChain's embeddings."""

    def __init__(self, memo: Memo) -> None:
        self._memo = memo

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return self._memo(texts).tolist()  # type: ignore[no-any-return]

    def embed_query(self, text: str) -> list[float]:
        return self.embed_documents([text])[0]


class ForLlamaIndex(BaseEmbedding):
    """A memo as LlamaIndex's embedding model."""

    _memo: Memo = PrivateAttr()

    def __init__(self, memo: Memo) -> None:
        super().__init__(model_name="memo", embed_batch_size=BATCH)
        self._memo = memo

    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        return self._memo(texts).tolist()  # type: ignore[no-any-return]

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._get_text_embeddings([text])[0]

    def _get_query_embedding(self, query: str) -> list[float]:
        return self._get_text_embedding(query)

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_text_embedding(query)


class ForChonkie(BaseEmbeddings):  # type: ignore[misc, unused-ignore]
    """A memo as Chonkie's embeddings; sizes are counted in characters."""

    def __init__(self, memo: Memo) -> None:
        super().__init__()
        self._memo = memo

    def embed(self, text: str) -> Rows:
        return self.embed_batch([text])[0]

    def embed_batch(self, texts: list[str]) -> list[Rows]:
        return list(self._memo(texts))

    @property
    def dimension(self) -> int:
        return self._memo.dimension

    def get_tokenizer(self) -> Any:
        return "character"
