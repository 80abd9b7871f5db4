"""A client of the package `openai` in, an embedder out: texts -> rows, within the API's limits, in order, counted.

Not loaded by `import caesura`. (``pip install "caesura[openai]"``)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from caesura.embed.openai_rows import rows_of
from caesura.embed.texts import Texts
from caesura.errors import SettingError, whole
from caesura.llm.conversation import Message, Reply, Request
from caesura.llm.drive import Driver
from caesura.llm.openai import checked
from caesura.llm.report import Prices, Report
from caesura.llm.schedule import Pace
from caesura.size import utf8_bytes, without_surrogates

if TYPE_CHECKING:
    from openai import AsyncOpenAI, OpenAI  # type: ignore[import-not-found, unused-ignore]

INPUTS, TOKENS, TOKENS_OF_ONE = 2048, 300_000, 8191
"""The API's limits: texts of one request, tokens of one request, tokens of one text."""


@dataclass(frozen=True, slots=True)
class _Vectors:
    """dimensions: how many of them to keep, for models that can; None: all. count: a text's tokens, as the model counts
    them (``lambda text: len(encoding.encode(text))``); None: its bytes, which are never fewer, are what requests are
    filled by, and whether a single text is too long is left to the server. prices: of a million tokens in.
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
        object.__setattr__(self, "client", checked(self.client, asynchronous=isinstance(self, async_openai_vectors)))
        object.__setattr__(self, "report", Report(self.prices))
        if not isinstance(self.model, str) or not self.model:
            raise SettingError(f'model must be the name of a model, as "text-embedding-3-small", got {self.model!r}')
        if self.dimensions is not None:
            whole("dimensions", self.dimensions, 1)
        for name in ("max_inputs", "max_tokens", "max_tokens_of_one"):
            whole(name, getattr(self, name), 1)

    def _work(self, texts: Sequence[str]) -> tuple[Texts, Driver]:
        texts = _checked(texts)
        requests = [
            (held, Request(tuple(Message("user", texts[index]) for index in held), version=self.model))
            for held in self._filled(texts)
        ]
        return Texts(requests, len(texts)), Driver(self.pace)

    def _filled(self, texts: Sequence[str]) -> Iterator[list[int]]:
        """The texts that say something, in order, by their indexes, as many together as a request takes."""
        held, filled = list[int](), 0
        for index, text in enumerate(texts):
            size = (self.count or utf8_bytes)(text)
            if self.count and size > self.max_tokens_of_one:
                raise SettingError(
                    f"text {index} has {size} tokens, over the {self.max_tokens_of_one} that the API takes: "
                    "cut it smaller, as Limits(max_size=...) does"
                )
            size = min(size, self.max_tokens_of_one)
            if held and (len(held) == self.max_inputs or filled + size > self.max_tokens):
                yield held
                held, filled = [], 0
            if text and not text.isspace():
                held.append(index)
                filled += size
        if held:
            yield held

    def _arguments(self, request: Request) -> dict[str, Any]:
        found = {"model": self.model, "input": [one.text for one in request.messages], "encoding_format": "base64"}
        return found if self.dimensions is None else {**found, "dimensions": self.dimensions}


@dataclass(frozen=True, slots=True)
class openai_vectors(_Vectors):  # noqa: N801 - used as a function: openai_vectors(client, model)
    """An ``openai.OpenAI`` and a model's name -> an embedder, texts -> (n, d) float32.

    A blank text is not sent, its row is zero. Raises `SettingError` before anything is sent where `count` says that a
    text is too long; `EmbeddingError` where the server does not return one row per text; what the package raises.
    """

    client: OpenAI

    def __call__(self, texts: Sequence[str]) -> NDArray[np.float32]:
        work, driver = self._work(texts)
        spent = driver.report()
        try:
            for _ in driver.stream(work, self._ask, spent):
                pass
        finally:
            self.report.include(spent)
        return work.rows()

    def _ask(self, request: Request) -> Reply:
        return rows_of(request, self.client.embeddings.create(**self._arguments(request)))


@dataclass(frozen=True, slots=True)
class async_openai_vectors(_Vectors):  # noqa: N801 - used as a function
    """`openai_vectors` with an ``openai.AsyncOpenAI``: its calls are awaited."""

    client: AsyncOpenAI

    async def __call__(self, texts: Sequence[str]) -> NDArray[np.float32]:
        work, driver = self._work(texts)
        spent = driver.report()
        try:
            async for _ in driver.astream(work, self._ask, spent):
                pass
        finally:
            self.report.include(spent)
        return work.rows()

    async def _ask(self, request: Request) -> Reply:
        return rows_of(request, await self.client.embeddings.create(**self._arguments(request)))


def _checked(texts: Sequence[str]) -> list[str]:
    """The texts as UTF-8 can say them. Raises `SettingError` for what is no list of str."""
    if isinstance(texts, str) or not all(isinstance(text, str) for text in texts):
        raise SettingError(f"texts must be a list of str, got {texts!r:.80}")
    return list(map(without_surrogates, texts))
