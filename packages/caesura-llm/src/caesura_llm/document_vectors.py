"""Embedders of a document's chunks together, over HTTP: voyage-context, Jina's late chunking, and services alike.

They speak through a client of the package `openai`, which has the address and the key.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from caesura.checks import check_int
from caesura.errors import SettingError
from caesura.sizers import utf8_bytes
from caesura_llm.clients import get_field, refuse_page
from caesura_llm.conversation import Message, Reply, Request
from caesura_llm.driver import Driver
from caesura_llm.openai import RowsConversation, check_client, check_sent_texts, decode_row, read_indexed, rows_reply
from caesura_llm.report import Prices, Report
from caesura_llm.retries import Pace
from caesura_retrieval.document_embedders import embed_alone, window_runs


@dataclass(frozen=True, slots=True)
class _DocumentVectors:
    """client: an ``openai.OpenAI``; its retries are switched off. model: its name. pace: of retries. options: further
    fields of every request, as ``{"output_dimension": 512}``. count: a text's tokens, as the model counts them; None:
    its bytes, which are never fewer, are what windows and requests are filled by, so that English fills a quarter of a
    window. window: tokens of a run of chunks that are embedded together; a longer document has several. prices: of a
    million tokens in. max_documents, max_chunks, max_tokens: of one request.
    """

    client: Any
    model: str
    options: Mapping[str, Any] = field(default_factory=dict, repr=False)
    count: Callable[[str], int] | None = None
    pace: Pace = field(default_factory=Pace)
    prices: Prices | tuple[float, ...] | None = None
    window: int = 0
    max_documents: int = 1
    max_chunks: int = 1
    max_tokens: int = 1
    report: Report = field(init=False, compare=False)
    """What all calls have cost so far."""

    path: ClassVar[str]

    def __post_init__(self) -> None:
        object.__setattr__(self, "client", check_client(self.client, False))
        object.__setattr__(self, "report", Report(self.prices))
        if not isinstance(self.model, str) or not self.model:
            raise SettingError(f"model must be the name of a model, got {self.model!r}")
        for name in ("window", "max_documents", "max_chunks", "max_tokens"):
            check_int(name, getattr(self, name), 1)

    def runs(self, chunks: list[str]) -> list[list[str]]:
        """A document's chunks -> runs of neighbours that fit the window, each as long as it can be.

        Raises `SettingError` where `count` says that a chunk does not fit by itself.
        """
        return window_runs(chunks, [self._size(chunk) for chunk in chunks], self.window)

    def embed_document(self, chunks: Sequence[str]) -> NDArray[np.float32]:
        """A document's chunks -> (n, d) rows."""
        return self.embed_document_batch([chunks])[0]

    def embed_document_batch(self, documents: Sequence[Sequence[str]]) -> list[NDArray[np.float32]]:
        """The chunks of documents -> the (n, d) rows of each, by as few requests as the limits allow.

        Raises `EmbeddingError` where the server does not return one row per chunk, `SettingError` before anything is
        sent where a chunk is too long, and what the package raises.
        """
        chunks = [check_sent_texts(own) for own in documents]
        rows = self._ask_all("document", [run for own in chunks for run in self.runs(own)])
        return np.split(rows, np.cumsum([len(own) for own in chunks], dtype=np.intp)[:-1]) if chunks else []

    def __call__(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Texts -> (n, d) rows, each text being a document by itself."""
        return embed_alone(self, check_sent_texts(texts))

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """A question -> its row, (d,)."""
        row: NDArray[np.float32] = self._ask_all("query", [check_sent_texts([text])])[0]
        return row

    # -- what services differ in --------------------------------------------------------------------------------------

    def _body(self, kind: str, documents: list[list[str]]) -> dict[str, Any]:
        """What is sent, beside model and options. kind: "document" or "query"."""
        raise NotImplementedError

    def _read(self, answer: Any, documents: list[list[str]]) -> Iterator[Any]:
        """An answer -> the row of each chunk. Raises `EmbeddingError` unless there is one for each."""
        raise NotImplementedError

    # -- requests -----------------------------------------------------------------------------------------------------

    def _size(self, text: str) -> int:
        size = (self.count or utf8_bytes)(text)
        if self.count and size > self.window:
            raise SettingError(
                f"a chunk has {size} tokens, over the window of {self.window}: cut it smaller; it begins {text[:60]!r}"
            )
        return min(size, self.window)

    def _ask_all(self, kind: str, runs: Sequence[list[str]]) -> NDArray[np.float32]:
        """Runs -> the rows of all of their chunks."""
        requests, begun = list[tuple[list[int], Request]](), 0
        for some in self._batches(runs):
            texts = [*chain.from_iterable(some)]
            version = json.dumps([kind, [len(own) for own in some]])
            request = Request(tuple(Message("user", text) for text in texts), version=version)
            requests.append(([*range(begun, begun + len(texts))], request))
            begun += len(texts)
        conversation, spent = RowsConversation(requests, begun), Report()
        try:
            Driver(self.pace).run(conversation, self._ask, report=spent)
        finally:
            self.report.include(spent)
        return conversation.rows()

    def _batches(self, runs: Sequence[list[str]]) -> Iterator[list[list[str]]]:
        """Runs -> those of each request, as many as the limits allow."""
        batch, chunks, tokens = list[list[str]](), 0, 0
        for own in runs:
            size = sum(map(self._size, own))
            over = chunks + len(own) > self.max_chunks or tokens + size > self.max_tokens
            if batch and (over or len(batch) == self.max_documents):
                yield batch
                batch, chunks, tokens = [], 0, 0
            batch.append(own)
            chunks, tokens = chunks + len(own), tokens + size
        if batch:
            yield batch

    def _ask(self, request: Request) -> Reply:
        kind, lengths = json.loads(request.version)
        texts = iter(message.text for message in request.messages)
        documents = [[*islice(texts, length)] for length in lengths]
        body = {"model": self.model, **self._body(kind, documents), **self.options}
        answer = self.client.post(self.path, body=body, cast_to=object)
        refuse_page(answer, self.client)
        rows = [decode_row(row) for row in self._read(answer, documents)]
        return rows_reply(rows, get_field(get_field(answer, "usage"), "total_tokens"))


def _read_document(data: Any, chunks: list[str]) -> list[Any]:
    """The rows of one document, in the order of its chunks."""
    return read_indexed(data, "embedding", len(chunks), f"row per chunk of the document that begins {chunks[0][:60]!r}")


@dataclass(frozen=True, slots=True)
class voyage_vectors(_DocumentVectors):  # noqa: N801 - used as a function: voyage_vectors(client, model)
    """An ``openai.OpenAI`` on a service of the shape of voyage-context -> a `DocumentEmbedder`.

    ``voyage_vectors(OpenAI(base_url="https://api.voyageai.com/v1", api_key=…), "voyage-context-3")``: it posts lists of
    chunks, several documents in a request, to ``{base_url}/contextualizedembeddings``.
    """

    window: int = 32_000
    max_documents: int = 1000
    max_chunks: int = 16_000
    max_tokens: int = 32_000  # of chunks that the service does not cut itself

    path: ClassVar[str] = "/contextualizedembeddings"

    def _body(self, kind: str, documents: list[list[str]]) -> dict[str, Any]:
        return {"inputs": documents, "input_type": kind}

    def _read(self, answer: Any, documents: list[list[str]]) -> Iterator[Any]:
        data = read_indexed(get_field(answer, "data") or [], "data", len(documents), "list of rows per document")
        return chain.from_iterable(map(_read_document, data, documents))


@dataclass(frozen=True, slots=True)
class jina_vectors(_DocumentVectors):  # noqa: N801 - used as a function: jina_vectors(client, model)
    """An ``openai.OpenAI`` on a service of the shape of Jina's late chunking -> a `DocumentEmbedder`.

    ``jina_vectors(OpenAI(base_url="https://api.jina.ai/v1", api_key=…), "jina-embeddings-v3")``: it posts the chunks of
    one document in a request to ``{base_url}/embeddings``, several requests at once.
    """

    window: int = 8192
    max_documents: int = 1
    max_chunks: int = 2048
    max_tokens: int = 8192

    path: ClassVar[str] = "/embeddings"

    def _body(self, kind: str, documents: list[list[str]]) -> dict[str, Any]:
        late = (
            {"late_chunking": True, "task": "retrieval.passage"} if kind == "document" else {"task": "retrieval.query"}
        )
        return {"input": documents[0], **late}

    def _read(self, answer: Any, documents: list[list[str]]) -> Iterator[Any]:
        return iter(_read_document(get_field(answer, "data") or [], documents[0]))
