"""Clients of the package `openai`: chat for a `Driver`, and an embedder. (``pip install "caesura-llm[openai]"``)"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from caesura.checks import check_int
from caesura.errors import EmbeddingError, SettingError
from caesura.sansio import Awaiting, Blocking, Calls, run
from caesura.sizers import utf8_bytes, without_surrogates
from caesura_llm.clients import get_field, message_dict, read_completion, refuse_page
from caesura_llm.conversation import Message, Reply, Request, Tally
from caesura_llm.driver import Driver
from caesura_llm.repair_ladder import PendingRequests
from caesura_llm.report import Prices, Report
from caesura_llm.retries import Pace

if TYPE_CHECKING:
    from openai import AsyncOpenAI, OpenAI  # type: ignore[import-not-found, unused-ignore]

Keep = Callable[[list[int], NDArray[np.float32]], None]
"""Is told of each request's rows as they come: of which texts, by their indexes, and the rows."""
INPUTS, TOKENS, TOKENS_OF_ONE = 2048, 300_000, 8191
"""The API's limits of embedding: texts of one request, tokens of one request, tokens of one text."""


def check_client(client: Any, asynchronous: bool) -> Any:
    """The client without retries of its own. `ImportError` without the package, `SettingError` for another object."""
    try:
        import openai  # type: ignore[import-not-found, unused-ignore]
    except ImportError as error:
        raise ImportError(f'this needs the package openai, {error}: pip install "caesura-llm[openai]"') from error
    kind = openai.AsyncOpenAI if asynchronous else openai.OpenAI
    if not isinstance(client, kind):
        raise SettingError(f"client must be an openai.{kind.__name__}, got {client!r:.80}")
    return client.with_options(max_retries=0)


@dataclass(frozen=True, slots=True)
class _Chat:
    """client: its retries are switched off, the `Driver` retries. model: its name. options: further arguments of every
    call, as ``{"temperature": 0}``. structured: whether the server takes ``response_format`` with a JSON schema. limit:
    how it calls the reply's maximum of tokens; older servers say "max_tokens"."""

    client: Any
    model: str
    options: Mapping[str, Any] = field(default_factory=dict, repr=False)
    structured: bool = True
    limit: str = "max_completion_tokens"

    def __post_init__(self) -> None:
        object.__setattr__(self, "client", check_client(self.client, isinstance(self, async_openai_chat)))
        if not isinstance(self.model, str) or not self.model:
            raise SettingError(f'model must be the name of a model, as "gpt-4.1-mini", got {self.model!r}')

    @property
    def name(self) -> str:
        """What replies are journalled under."""
        options = {name: value for name, value in self.options.items() if name != "extra_headers"}  # keys, no settings
        return json.dumps([self.model, options, self.structured], sort_keys=True, default=repr)

    def _arguments(self, request: Request) -> dict[str, Any]:
        arguments: dict[str, Any] = {"model": self.model, "messages": [message_dict(one) for one in request.messages]}
        if request.max_tokens is not None:
            arguments[self.limit] = request.max_tokens
        if request.schema is not None and self.structured:
            described = {"name": request.schema.name, "schema": request.schema.value, "strict": True}
            arguments["response_format"] = {"type": "json_schema", "json_schema": described}
        return {**arguments, **self.options}


@dataclass(frozen=True, slots=True)
class openai_chat(_Chat):  # noqa: N801 - used as a function: openai_chat(client, model)
    """An ``openai.OpenAI`` and a model's name -> a `Chat`, Request -> Reply.

    Raises `SettingError` for another client or no name, `ImportError` if the package is not installed. A call raises
    what the package raises, and `ReplyError` for an answer that is no chat completion.
    """

    client: OpenAI

    def __call__(self, request: Request) -> Reply:
        return read_completion(self.client.chat.completions.create(**self._arguments(request)), self.client)


@dataclass(frozen=True, slots=True)
class async_openai_chat(_Chat):  # noqa: N801 - used as a function
    """An ``openai.AsyncOpenAI`` and a model's name -> an `AsyncChat`. Raises as `openai_chat` does."""

    client: AsyncOpenAI

    async def __call__(self, request: Request) -> Reply:
        return read_completion(await self.client.chat.completions.create(**self._arguments(request)), self.client)


# -- vectors ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Vectors:
    """client: its retries are switched off. model: its name. pace: of retries. max_inputs, max_tokens: of one request.
    max_tokens_of_one: of one text. dimensions: how many of them to keep, for models that can; None: all. count: a
    text's tokens, as the model counts them (``lambda text: len(encoding.encode(text))``); None: its bytes, which are
    never fewer, are what requests are filled by, and whether a single text is too long is left to the server. prices:
    of a million tokens in.
    """

    client: Any
    model: str
    dimensions: int | None = None
    count: Callable[[str], int] | None = None
    pace: Pace = field(default_factory=Pace)
    prices: Prices | tuple[float, ...] | None = None
    max_inputs: int = INPUTS
    max_tokens: int = TOKENS
    max_tokens_of_one: int = TOKENS_OF_ONE
    report: Report = field(init=False, compare=False)
    """What all calls have cost so far."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "client", check_client(self.client, isinstance(self, async_openai_vectors)))
        object.__setattr__(self, "report", Report(self.prices))
        if not isinstance(self.model, str) or not self.model:
            raise SettingError(f'model must be the name of a model, as "text-embedding-3-small", got {self.model!r}')
        if self.dimensions is not None:
            check_int("dimensions", self.dimensions, 1)
        for name in ("max_inputs", "max_tokens", "max_tokens_of_one"):
            check_int(name, getattr(self, name), 1)

    def _conversation(self, texts: Sequence[str], keep: Keep) -> RowsConversation:
        texts = check_sent_texts(texts)
        requests = [
            (batch, Request(tuple(Message("user", texts[index]) for index in batch), version=self.model))
            for batch in self._batches(texts)
        ]
        return RowsConversation(requests, len(texts), keep)

    async def _ask_all(
        self, calls: Calls, ask: Callable[[Request], Any], texts: Sequence[str], keep: Keep
    ) -> NDArray[np.float32]:
        """ask: sends a request, and is awaited where `calls` awaits."""
        conversation, spent = await calls.compute(self._conversation, texts, keep), Report()
        driver = Driver(self.pace, reached=self.report.calls > 0)
        try:
            await calls.call(driver.run, driver.arun, conversation, ask, report=spent)
        finally:
            self.report.include(spent)
        return conversation.rows()

    def _batches(self, texts: Sequence[str]) -> Iterator[list[int]]:
        """The texts that say something, in order, by their indexes, as many together as a request takes."""
        batch, filled = list[int](), 0
        for index, text in enumerate(texts):
            size = (self.count or utf8_bytes)(text)
            if self.count and size > self.max_tokens_of_one:
                raise SettingError(
                    f"text {index} has {size} tokens, over the {self.max_tokens_of_one} that the API takes: "
                    "cut it smaller, as Limits(max_size=...) does"
                )
            size = min(size, self.max_tokens_of_one)
            if batch and (len(batch) == self.max_inputs or filled + size > self.max_tokens):
                yield batch
                batch, filled = [], 0
            if text and not text.isspace():
                batch.append(index)
                filled += size
        if batch:
            yield batch

    def _arguments(self, request: Request) -> dict[str, Any]:
        texts = [message.text for message in request.messages]
        arguments = {"model": self.model, "input": texts, "encoding_format": "base64"}
        return arguments if self.dimensions is None else {**arguments, "dimensions": self.dimensions}


@dataclass(frozen=True, slots=True)
class openai_vectors(_Vectors):  # noqa: N801 - used as a function: openai_vectors(client, model)
    """An ``openai.OpenAI`` and a model's name -> an embedder, texts -> (n, d) float32.

    A blank text is not sent, its row is zero. Raises `SettingError` before anything is sent where `count` says that a
    text is too long; `EmbeddingError` where the server does not return one row per text; what the package raises.
    """

    client: OpenAI

    def __call__(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self.in_parts(texts, lambda batch, rows: None)

    def in_parts(self, texts: Sequence[str], keep: Keep) -> NDArray[np.float32]:
        """All rows, of which `keep` is told by request: what it has is paid for, should a later request fail."""
        return run(self._ask_all(Blocking(), self._ask, texts, keep))

    def _ask(self, request: Request) -> Reply:
        return _read_rows(request, self.client.embeddings.create(**self._arguments(request)), self.client)


@dataclass(frozen=True, slots=True)
class async_openai_vectors(_Vectors):  # noqa: N801 - used as a function
    """`openai_vectors` with an ``openai.AsyncOpenAI``: its calls are awaited."""

    client: AsyncOpenAI

    async def __call__(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return await self.in_parts(texts, lambda batch, rows: None)

    async def in_parts(self, texts: Sequence[str], keep: Keep) -> NDArray[np.float32]:
        """All rows, of which `keep` is told by request: what it has is paid for, should a later request fail."""
        return await self._ask_all(Awaiting(), self._ask, texts, keep)

    async def _ask(self, request: Request) -> Reply:
        return _read_rows(request, await self.client.embeddings.create(**self._arguments(request)), self.client)


def check_sent_texts(texts: Sequence[str]) -> list[str]:
    """Texts -> the same without lone surrogates, which UTF-8 lacks. Raises `SettingError` unless they are str."""
    if isinstance(texts, str) or not all(isinstance(text, str) for text in texts):
        raise SettingError(f"texts must be a list of str, got {texts!r:.80}")
    return list(map(without_surrogates, texts))


@dataclass(frozen=True, slots=True)
class RowsReply(Reply):
    """A reply that is rows, one per text of its request."""

    rows: NDArray[np.float32] = field(default_factory=lambda: np.zeros((0, 0), np.float32))


class RowsConversation:
    """A `Conversation` that embeds texts. Its only result is `rows`."""

    def __init__(self, batches: list[tuple[list[int], Request]], count: int, keep: Keep | None = None) -> None:
        self.tally: Tally = Tally(items=count)
        self._requests: PendingRequests[list[int]] = PendingRequests()
        self._received: list[tuple[list[int], NDArray[np.float32]]] = []
        self._count, self._keep = count, keep
        for batch, request in batches:
            self._requests.add(request, batch)

    def pending(self) -> list[Request]:
        return self._requests.requests()

    def accept(self, request: Request, reply: Reply) -> None:
        assert isinstance(reply, RowsReply)  # noqa: S101 - our own client's
        batch = self._requests.take(request)
        self._received.append((batch, reply.rows))
        if self._keep:
            self._keep(batch, reply.rows)
        self.tally.finished += len(batch)

    def reject(self, request: Request, error: BaseException) -> None:
        batch = self._requests.take(request)
        error.add_note(f"raised for texts {batch[0]} to {batch[-1]} of {self._count}")
        raise error

    def finished(self) -> list[None]:
        return []

    def rows(self) -> NDArray[np.float32]:
        """(n, d): all that came, each in its text's place."""
        widths = sorted({rows.shape[1] for _, rows in self._received})
        if len(widths) > 1:
            raise EmbeddingError(f"the server must return rows of one length for every request, got {widths}")
        table = np.zeros((self._count, widths[0] if widths else 1), np.float32)
        for batch, rows in self._received:
            table[batch] = rows
        return table


def _read_rows(request: Request, answer: Any, client: object) -> Reply:
    """An answer -> its rows, by the index of each. Raises `EmbeddingError` unless there is one for each text."""
    refuse_page(answer, client)
    rows = read_indexed(getattr(answer, "data", None) or [], "embedding", len(request.messages), "row per text")
    spent = get_field(getattr(answer, "usage", None), "prompt_tokens")
    return rows_reply([decode_row(row) for row in rows], spent)


def read_indexed(data: Any, name: str, wanted: int, kind: str) -> list[Any]:
    """A list of objects with an index -> what each has under a name, by the index.

    Raises `EmbeddingError` unless there is one for each. kind: what each is called.
    """
    if not isinstance(data, list):
        raise EmbeddingError(f"the server must return a list of rows, got {data!r:.80}")
    if len(data) != wanted:
        raise EmbeddingError(f"the server must return one {kind}: expected {wanted}, got {len(data)}")
    by_index = {get_field(one, "index"): get_field(one, name) for one in data}
    if by_index.keys() != set(range(wanted)):
        indexes = [get_field(one, "index") for one in data]
        raise EmbeddingError(
            f"the server must return one row for each index from 0 to {wanted - 1}, got {indexes!r:.80}"
        )
    return [by_index[index] for index in range(wanted)]


def rows_reply(rows: list[NDArray[np.float32]], spent: Any) -> Reply:
    """Rows and the tokens paid for -> a reply. Raises `EmbeddingError` where rows differ in length."""
    if len({len(row) for row in rows}) > 1:
        raise EmbeddingError("the server must return rows of one length")
    return RowsReply("", "stop", spent if isinstance(spent, int) else 0, rows=np.stack(rows))


def decode_row(embedding: Any) -> NDArray[np.float32]:
    """Base64 of float32, least byte first, or numbers: a server may know only the latter."""
    try:
        if isinstance(embedding, str):
            return np.frombuffer(base64.b64decode(embedding), "<f4").astype(np.float32)
        row = np.asarray(embedding, np.float32)
    except (ValueError, TypeError) as error:
        raise EmbeddingError(f"a row must be base64 of float32 or a list of numbers, got {embedding!r:.80}") from error
    if row.ndim != 1:
        raise EmbeddingError(f"a row must be base64 of float32 or a list of numbers, got {embedding!r:.80}")
    return row
