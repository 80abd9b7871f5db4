"""Embeddings for LangChain: the built-in model, and the vectors that splitting has cost already."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, cast

import numpy as np
from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import VectorStore

from caesura.background import Background, background_of
from caesura.checks import check_int, require_embedder
from caesura.errors import EmbeddingError
from caesura.sansio import Awaiting, Blocking, Calls
from caesura.types import CalibratedEmbedder, Embed
from caesura_documents.caller_warning import warn_caller
from caesura_retrieval.document_embedders import (
    ContextualModel,
    DocumentEmbedder,
    aembed_alone,
    check_document_embedder,
    embed_alone,
    embed_question,
    embeds_documents,
)
from caesura_retrieval.row_plan import KEPT_BYTES, RowMemory
from caesura_static import LoadedEmbedder, StaticEmbedder

MAX_BYTES = 512 * 2**20
"""What the chunks that a `ChunkEmbeddings` knows may take in memory."""

_PREPARED: ContextVar[Mapping[str, list[list[float]]]] = ContextVar("caesura_prepared_rows", default={})  # noqa: B039
"""Texts that are about to be stored, and the rows of each in their order."""
ASKED: ContextVar[dict[str, list[float]] | None] = ContextVar("caesura_asked_rows", default=None)
"""Within a search: the rows of questions that were embedded, so that searching for more embeds none again."""


class StaticEmbeddings(Embeddings):
    """Embeds texts with the built-in model: offline, deterministic, and quick on any processor.

    >>> len(StaticEmbeddings().embed_query("Where does the ferry leave?"))
    192

    embedder: another static model, `StaticEmbedder.load(path)`; by default the built-in model.
    """

    embedder: StaticEmbedder | LoadedEmbedder = StaticEmbedder()

    def __init__(self, embedder: StaticEmbedder | LoadedEmbedder | None = None) -> None:
        if embedder is not None:
            require_embedder("embedder", "be StaticEmbedder.load(path), or None for the one that ships", embedder)
            self.embedder = embedder

    def __repr__(self) -> str:
        return f"{type(self).__name__}({'' if isinstance(self.embedder, StaticEmbedder) else repr(self.embedder)})"

    @property
    def background(self) -> Background | None:
        """The model's own background, which ships with it; None for one that was loaded."""
        return background_of(self.embedder)

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Texts -> one row per text."""
        rows: list[list[float]] = self.embedder(texts).tolist()
        return rows

    def embed_query(self, text: str) -> list[float]:
        """A question -> its row; questions are embedded as documents are."""
        return self.embed_documents([text])[0]


class ContextualEmbeddings(ContextualModel, Embeddings):
    """Wraps a model that embeds a document's chunks together, such as `caesura_llm.document_vectors.voyage_vectors`.

    Splitters with ``embed_chunks=True`` and `ParentDocumentRetriever` give it a document's chunks at once. A text that
    comes alone, such as a sentence, or a text that a vector store embeds by itself, counts as a document of its own.
    You need no such wrapper for embeddings of your own that have `embed_document`.

    model: a `caesura_retrieval.document_embedders.DocumentEmbedder`.
    """

    def __init__(self, model: DocumentEmbedder) -> None:
        self._model = check_document_embedder(model)

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Texts -> one row per text, each being a document by itself."""
        rows: list[list[float]] = embed_alone(self._model, texts).tolist()
        return rows

    async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
        """`embed_documents`, through the model's async calls."""
        rows: list[list[float]] = (await aembed_alone(self._model, texts)).tolist()
        return rows

    def embed_query(self, text: str) -> list[float]:
        """A question -> its row, by the model's `embed_query` where it has one."""
        return embed_question(self._model, text)


def check_embeddings(embeddings: Embeddings | Embed) -> Embeddings | Embed:
    """What was given as embeddings, if it can be used as such. Raises `SettingError`."""
    if not callable(getattr(embeddings, "embed_documents", None)) or isinstance(embeddings, type):
        require_embedder("embeddings", "have embed_documents(texts), as LangChain's Embeddings do", embeddings)
    return embeddings


def embed_function(embeddings: Embeddings | Embed) -> Embed:
    """What was given as embeddings -> the function that embeds."""
    if isinstance(embeddings, StaticEmbeddings) and type(embeddings) is StaticEmbeddings:
        return embeddings.embedder  # the same rows, and not by way of lists of float
    function: Embed | None = getattr(embeddings, "embed_documents", None)
    return cast(Embed, embeddings) if function is None else function


def embed_by(calls: Calls, embeddings: Embeddings | Embed) -> Callable[[list[str]], Any]:
    """What was given as embeddings -> the function that embeds, which is awaited where `calls` awaits."""
    return embed_function(embeddings) if isinstance(calls, Blocking) else aembed_function(embeddings)


def aembed_function(embeddings: Embeddings | Embed) -> Callable[[list[str]], Awaitable[Any]]:
    """What was given as embeddings -> the function that embeds and is awaited; in a thread where it has none."""
    own: Callable[[list[str]], Awaitable[Any]] | None = getattr(embeddings, "aembed_documents", None)
    if own is None or type(embeddings) is StaticEmbeddings:
        return lambda texts: Awaiting().compute(embed_function(embeddings), texts)
    return own


class ChunkEmbeddings(RowMemory, Embeddings):
    """Remembers the vectors of the chunks that a splitter made, so that a vector store does not embed them again.

    A splitter with ``embed_chunks=True`` has one as its `chunk_embeddings`: give it to the vector store that its chunks
    go into. A chunk's vector has the mean direction of its sentences' vectors, weighted by the roots of their sizes,
    and their mean length. If the model has `embed_document`, the vector is what the model returns for the chunk. The
    model embeds all other texts.

    A `ParentDocumentRetriever` puts one between its vector store and the store's model, so that the store gets vectors
    that contain a share of their context. If it cannot, give the store ``ChunkEmbeddings(model)`` instead of the model.
    Threads may share one object.

    embeddings: the model. max_bytes: the maximum memory for known chunks, in bytes; by default 512 MiB, which hold
    60,000 chunks of 2,000 characters with vectors of 1,536 numbers. If there is no room, the chunks that were used
    longest ago are forgotten; they would be embedded again.
    """

    def __init__(self, embeddings: Embeddings | Embed, max_bytes: int = MAX_BYTES) -> None:
        self.embeddings: Embeddings | Embed = embeddings
        check_int("max_bytes", max_bytes, 0)
        super().__init__(max_bytes, embeddings if isinstance(embeddings, ChunkEmbeddings) else None)

    @property
    def background(self) -> Any:
        """What the model brings as its background, or None."""
        return self.embeddings.background if isinstance(self.embeddings, CalibratedEmbedder) else None

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Texts -> one row per text; those of known chunks cost nothing."""
        rows = self._known_rows(texts)
        missing = [text for text, row in rows.items() if row is None]
        rows.update(_by_text(missing, embed_function(self.embeddings)(missing) if missing else ()))
        return _in_order(texts, rows)

    async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
        """`embed_documents`, through the model's `aembed_documents`."""
        rows = self._known_rows(texts)
        missing = [text for text, row in rows.items() if row is None]
        rows.update(_by_text(missing, await aembed_function(self.embeddings)(missing) if missing else ()))
        return _in_order(texts, rows)

    def embed_query(self, text: str) -> list[float]:
        """A question -> its row, as the model makes it; once in a search."""
        asked = {} if (found := ASKED.get()) is None else found
        if text not in asked:
            own: Callable[[str], Any] | None = getattr(self.embeddings, "embed_query", None)
            asked[text] = _as_floats(embed_function(self.embeddings)([text])[0] if own is None else own(text))
        return [*asked[text]]

    async def aembed_query(self, text: str) -> list[float]:
        """`embed_query`, through the model's `aembed_query`."""
        asked = {} if (found := ASKED.get()) is None else found
        if text in asked:
            return [*asked[text]]
        if isinstance(self.embeddings, Embeddings):
            row = await self.embeddings.aembed_query(text)
        elif callable(getattr(self.embeddings, "embed_query", None)):
            row = await Awaiting().compute(self.embed_query, text)
        else:
            row = _as_floats((await aembed_function(self.embeddings)([text]))[0])
        asked[text] = row
        return [*row]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or "embeddings" not in vars(self):
            raise AttributeError(name)
        return getattr(self.embeddings, name)

    def _known_rows(self, texts: Sequence[str]) -> dict[str, Any]:
        """Texts -> the row of each, None where it is not known. Those that are known count as just used."""
        prepared = _PREPARED.get()
        others = [text for text in texts if not prepared.get(text)]
        found = self.find(others) if others else {}
        return {text: prepared.get(text) or found.get(text) for text in texts}


def _as_floats(row: Any) -> list[float]:
    if isinstance(row, np.ndarray):
        return np.asarray(row, np.float64).tolist()  # type: ignore[no-any-return]
    return row if isinstance(row, list) else [float(value) for value in row]


def _by_text(texts: Sequence[str], rows: Any) -> dict[str, Any]:
    """Texts and their rows -> the row of each. Raises `EmbeddingError` where there is not one per text."""
    if len(rows) != len(texts):
        raise EmbeddingError(f"embed_documents() must return one row per text: expected {len(texts)}, got {len(rows)}")
    return dict(zip(texts, rows, strict=True))


def _in_order(texts: Sequence[str], rows: Mapping[str, Any]) -> list[list[float]]:
    """The row of each text; of one that is about to be stored, and of one of several chunks, the next of its rows."""
    prepared, seen = _PREPARED.get(), Counter[str]()
    found: list[list[float]] = []
    for text in texts:
        row = rows[text]
        if queue := prepared.get(text):
            found.append(queue.pop(0) if len(queue) > 1 else queue[0])
        else:
            several = isinstance(row, np.ndarray) and row.ndim > 1
            found.append(_as_floats(row[seen[text] % len(row)] if several else row))
            seen[text] += 1
    return found


@contextmanager
def prepared_rows(rows: Mapping[str, list[list[float]]]) -> Iterator[None]:
    """Within it, every `ChunkEmbeddings` has these rows for these texts, in the order in which they are asked for."""
    token = _PREPARED.set(rows)
    try:
        yield
    finally:
        _PREPARED.reset(token)


def _model_of(store: VectorStore) -> Any:
    """The embeddings of a vector store; None where the store hides them."""
    try:
        return store.embeddings
    except (AttributeError, NotImplementedError, TypeError, ValueError):
        return None


def wrap_embeddings(store: VectorStore) -> ChunkEmbeddings | None:
    """Puts a `ChunkEmbeddings` around the model of a vector store, and returns it; None where the store hides it."""
    model = _model_of(store)
    if model is None or isinstance(model, ChunkEmbeddings):
        return model
    wrapped = ChunkEmbeddings(model)
    try:
        for name in [name for name, value in vars(store).items() if value is model]:
            setattr(store, name, wrapped)
    except (AttributeError, TypeError, ValueError):  # ValueError: Pydantic's, of a fixed type
        return None
    return wrapped if _model_of(store) is wrapped else None


def cover_embeddings(
    store: VectorStore, kept: ChunkEmbeddings | None
) -> tuple[ChunkEmbeddings | None, DocumentEmbedder | None]:
    """Wraps a vector store's model, see `wrap_embeddings`, and returns what keeps the rows of texts that were embedded
    last, None where the store hides its model; and the model, if it embeds documents' chunks together.

    kept: what was returned before; it goes on if the model is the same.
    """
    covered = wrap_embeddings(store)
    if covered is None:
        return None, None
    if kept is None or kept.embeddings is not covered:
        kept = ChunkEmbeddings(covered, KEPT_BYTES)
    return kept, covered.embeddings if embeds_documents(covered.embeddings) else None


def covered_model(embeddings: Embeddings | Embed) -> Embeddings | Embed:
    """The model beneath every `ChunkEmbeddings`."""
    return covered_model(embeddings.embeddings) if isinstance(embeddings, ChunkEmbeddings) else embeddings


def check_wrapped(store: VectorStore, asked: Mapping[str, object]) -> None:
    """Warns where something is asked for that the vectors of a store cannot have. asked: by the setting without it."""
    without = [setting for setting, value in asked.items() if value]
    if without and wrap_embeddings(store) is None:
        warn_caller(
            f"{type(store).__name__} hides its embeddings, so its vectors have no context: make it with "
            f"ChunkEmbeddings(embeddings) in the place of embeddings, or set {' and '.join(without)}"
        )
