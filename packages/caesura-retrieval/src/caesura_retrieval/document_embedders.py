"""Contextual embedders: models that embed the chunks of a document together, so that each row knows what is around
it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from itertools import chain, islice
from typing import Any, Protocol, TypeGuard, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from caesura.errors import EmbeddingError, SettingError
from caesura.ids import digest
from caesura.sansio import Awaiting, Blocking, Calls, run
from caesura.types import CalibratedEmbedder
from caesura.vectors import stack_rows


class DocumentEmbedder(Protocol):
    """A model that embeds the chunks of a document together, as voyage-context does, and late chunking.

    It is also what its host takes as a model: LangChain's `Embeddings`, LlamaIndex's `BaseEmbedding`, or a function of
    texts. It may have more, which is used where it is there:

    - ``aembed_document(chunks)``: the same, awaited. Without it `embed_document` runs in a thread.
    - ``embed_document_batch(documents)`` and ``aembed_document_batch(documents)``: lists of chunks, one list for each,
      -> the rows of each. So several documents can go in one request.
    - ``runs(chunks)``: chunks -> lists of neighbouring chunks, which are all of them in order: those that fit the
      model's window together, each list being embedded by itself. Without it a document is one run. Of the chunks of
      one run it returns that run.
    - ``embed_query(text)``: a question -> its row, where it is embedded otherwise than a text.

    A row depends on nothing but the chunks of its run and its place among them.
    """

    def embed_document(self, chunks: list[str], /) -> Any:
        """The texts of a document's chunks, in order -> their rows, in this order: (n, d), all numbers finite."""
        ...


@runtime_checkable
class RunEmbedder(Protocol):
    """A `DocumentEmbedder` that says which chunks of a document go into its model's window together."""

    def runs(self, chunks: list[str], /) -> list[list[str]]:
        """A document's chunks -> lists of them, each of which is embedded by itself."""
        ...


def embeds_documents(model: object) -> TypeGuard[DocumentEmbedder]:
    """Whether a model embeds the chunks of a document together."""
    return callable(getattr(model, "embed_document", None)) and not isinstance(model, type)


def check_document_embedder(model: DocumentEmbedder) -> DocumentEmbedder:
    """What was given as a contextual embedder. Raises `SettingError` for what is none."""
    if not embeds_documents(model):
        got = f"{model!r:.80}, a class: pass an instance of it" if isinstance(model, type) else type(model).__name__
        raise SettingError(f"model must have embed_document(chunks) -> rows, got {got}")
    return model


def chunk_runs(model: DocumentEmbedder, chunks: Sequence[str]) -> list[list[str]]:
    """A document's chunks -> those that the model embeds together. Raises `EmbeddingError` where it loses some."""
    if not chunks or not isinstance(model, RunEmbedder):
        return [list(chunks)] if chunks else []
    runs = [list(run) for run in model.runs(list(chunks))]
    if [*chain.from_iterable(runs)] != list(chunks) or not all(runs):
        raise EmbeddingError(
            f"runs() must return all {len(chunks)} chunks in their order, as lists of one or more, got lists of "
            f"{[len(run) for run in runs]!r:.80}"
        )
    return runs


class RunKey(str):
    """A string for each row of a document embedder: two chunks have the same one if they have the same row.

    run: the chunks that are embedded together. key: of the run. number: the chunk's place in it.
    """

    run: list[str]
    key: str
    number: int


def run_keys(model: DocumentEmbedder, chunks: Sequence[str]) -> list[RunKey]:
    """Returns the key of each chunk of a document."""
    keys: list[RunKey] = []
    for own in chunk_runs(model, chunks):
        shared = digest(*own)
        for number in range(len(own)):
            key = RunKey(f"{shared} {number}")
            key.run, key.key, key.number = own, shared, number
            keys.append(key)
    return keys


def window_runs(chunks: Sequence[str], sizes: Sequence[int], window: int) -> list[list[str]]:
    """Chunks and their sizes -> runs of neighbours, each as long as fits the window; a chunk that does not is alone.

    >>> window_runs(["a", "b", "c", "d"], [3, 3, 3, 9], window=6)
    [['a', 'b'], ['c'], ['d']]
    """
    runs, left = list[list[str]](), 0
    for chunk, size in zip(chunks, sizes, strict=True):
        if not runs or size > left:
            runs.append([])
            left = window
        runs[-1].append(chunk)
        left -= size
    return runs


async def embed_together(
    calls: Calls, model: DocumentEmbedder, documents: Sequence[Sequence[str]], names: Sequence[object] = ()
) -> list[NDArray[np.float32]]:
    """The chunks of documents -> the (n, d) rows of each document. Without chunks, no call.

    names: what errors call each document; by default its first words. What the model raises gets a note of them. Raises
    `EmbeddingError`, with the document's name, where there is not one row per chunk, rows are ragged, have other
    lengths than those of another document, or numbers that are not finite.
    """
    runs = await calls.compute(lambda: [chunk_runs(model, chunks) for chunks in documents])
    titles = [f"document {name!r:.80}" for name in names]
    titles = titles or [f"the document that begins {' '.join(chunks[:1])[:60]!r}" for chunks in documents]
    owners = [title for title, own in zip(titles, runs, strict=True) for _ in own]
    returned = await _embed_runs(calls, model, [*chain.from_iterable(runs)], owners)
    return await calls.compute(_join_runs, runs, returned, owners)


async def _embed_runs(calls: Calls, model: DocumentEmbedder, runs: list[list[str]], owners: Sequence[str]) -> list[Any]:
    """Runs, and the document of each -> what the model returned for each."""
    batch = getattr(model, "embed_document_batch", None)
    name, step = ("embed_document", 1) if batch is None else ("embed_document_batch", max(len(runs), 1))
    function = getattr(model, name)
    afunction: Callable[..., Awaitable[Any]] = getattr(model, f"a{name}", partial(Awaiting().compute, function))
    returned: list[Any] = []
    for at in range(0, len(runs), step):
        some = runs[at : at + step]
        try:
            found = await calls.call(function, afunction, some[0] if batch is None else some)
        except Exception as error:
            last = owners[at + len(some) - 1]
            error.add_note(f"raised by {name}() for {owners[at]}{'' if last == owners[at] else f' to {last}'}")
            raise
        returned += [found] if batch is None else found
    if len(returned) != len(runs):
        raise EmbeddingError(
            f"{name}() must return the rows of each document: expected {len(runs)} of them, got {len(returned)}"
        )
    return returned


def _join_runs(
    runs: Sequence[Sequence[Sequence[str]]], returned: Sequence[Any], owners: Sequence[str]
) -> list[NDArray[np.float32]]:
    """The runs of documents, and what was returned for each -> the rows of each document, which are checked."""
    found = zip(returned, chain.from_iterable(runs), owners, strict=True)
    rows = [_check_rows(part, len(run), owner) for part, run, owner in found]
    width = rows[0].shape[1] if rows else 0
    for part, owner in zip(rows, owners, strict=True):
        if part.shape[1] != width:
            raise EmbeddingError(
                f"embed_document() must return rows of one length for every document: expected {width}, got "
                f"{part.shape[1]} for {owner}"
            )
    parts = iter(rows)
    none = np.zeros((0, width), np.float32)
    return [np.concatenate([none, *islice(parts, len(own))]) for own in runs]


def _check_rows(returned: Any, count: int, title: str) -> NDArray[np.float32]:
    try:
        rows = stack_rows(returned, count)
    except EmbeddingError as error:
        said = str(error).removeprefix("embed()").replace("per text", "per chunk")
        raise EmbeddingError(f"embed_document(){said}, for {title}") from error
    finite = np.isfinite(rows).all(axis=1)
    if not finite.all():
        raise EmbeddingError(
            f"embed_document() must return finite numbers: expected {count} such rows for {title}, got one that is "
            f"not at chunk {int(np.argmin(finite))}"
        )
    return rows


def embed_alone(model: DocumentEmbedder, texts: Sequence[str]) -> NDArray[np.float32]:
    """Texts -> (n, d) rows, each text being a document by itself."""
    return _stack_alone(run(embed_together(Blocking(), model, [[text] for text in texts])))


async def aembed_alone(model: DocumentEmbedder, texts: Sequence[str]) -> NDArray[np.float32]:
    """`embed_alone`, awaited."""
    return _stack_alone(await embed_together(Awaiting(), model, [[text] for text in texts]))


def _stack_alone(rows: Sequence[NDArray[np.float32]]) -> NDArray[np.float32]:
    return np.concatenate(rows) if rows else np.zeros((0, 0), np.float32)


def embed_question(model: DocumentEmbedder, text: str) -> list[float]:
    """A question -> its row, by the model's `embed_query`; of a model without one, as a text by itself."""
    own = getattr(model, "embed_query", None)
    row = embed_alone(model, [text])[0] if own is None else own(text)
    return np.asarray(row, np.float64).tolist()  # type: ignore[no-any-return]


class ContextualModel:
    """What a host's embedder over a `DocumentEmbedder` has of it, beside the host's own methods."""

    _model: DocumentEmbedder

    @property
    def background(self) -> Any:
        """What the model brings as its background, if anything."""
        return self._model.background if isinstance(self._model, CalibratedEmbedder) else None

    def runs(self, chunks: list[str]) -> list[list[str]]:
        """Chunks -> those that the model embeds together."""
        return chunk_runs(self._model, chunks)

    def embed_document(self, chunks: list[str]) -> NDArray[np.float32]:
        """See `DocumentEmbedder`."""
        return self.embed_document_batch([chunks])[0]

    async def aembed_document(self, chunks: list[str]) -> NDArray[np.float32]:
        """`embed_document`, through the model's async calls, or in a thread where it has none."""
        return (await self.aembed_document_batch([chunks]))[0]

    def embed_document_batch(self, documents: list[list[str]]) -> list[NDArray[np.float32]]:
        """The chunks of documents -> the (n, d) rows of each."""
        return run(self._embed_batch(Blocking(), documents))

    async def aembed_document_batch(self, documents: list[list[str]]) -> list[NDArray[np.float32]]:
        """`embed_document_batch`, through the model's async calls."""
        return await self._embed_batch(Awaiting(), documents)

    async def _embed_batch(self, calls: Calls, documents: list[list[str]]) -> list[NDArray[np.float32]]:
        return await embed_together(calls, self._model, documents)
