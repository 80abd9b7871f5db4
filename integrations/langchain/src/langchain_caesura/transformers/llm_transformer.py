"""Base of the transformers that ask a language model: its settings, and the ways in of documents."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Any, TypedDict, TypeVar

from langchain_core.documents import BaseDocumentTransformer, Document
from langchain_core.language_models import BaseChatModel

from caesura.checks import OnFailure, check_on_failure
from caesura.errors import SettingError
from caesura.sansio import Awaiting, Blocking, Calls, run
from caesura_llm.conversation import Conversation
from caesura_llm.driver import Driver, bar
from caesura_llm.journal import Journal, Memory
from caesura_llm.prompts import Prompt
from caesura_llm.report import Prices, Report, as_prices
from caesura_llm.retries import Pace, check_pace
from langchain_caesura.base import check_settings
from langchain_caesura.documents import iter_documents
from langchain_caesura.transformers.client import Client

R = TypeVar("R")

WINDOW = 256
"""Documents that `lazy_transform_documents` reads at a time."""


class Common(TypedDict, total=False):
    """The settings that all that asks a language model shares."""

    journal: str | os.PathLike[str] | Journal | None
    max_concurrency: int
    on_failure: OnFailure
    prices: Prices | tuple[float, ...] | None
    show_progress: bool
    structured: bool | str | None
    title_key: str | None
    pace: Pace | None


class LLMTransformer(BaseDocumentTransformer):
    """What all that asks a language model shares.

    llm: any chat model of LangChain. journal: the path of a file where replies are kept as they come: what is in it is
    not asked or paid for again; without one, that holds for what a call of this object that was stopped has left.
    max_concurrency: requests in flight at once. on_failure: what becomes of a text whose replies cannot be used:
    "raise" raises `ReplyError`, "keep" lets its own sentences stand in, with ``kept`` in their metadata. prices: of a
    million tokens in and out, for the report's cost, and if they have their own, of those in from the provider's cache.
    show_progress: a bar on the terminal. structured: whether replies are asked for by `with_structured_output`, or by
    which ``method`` of it; None: where the model has it. title_key: where in a document's metadata its title is, which
    is shown with each passage. pace: how often and after how long a call is made again; `Pace` has the defaults.

    Raises `SettingError` (a ValueError) for a setting out of range; what the model raises where no retry helps.
    """

    work = "Asking"
    _without_llm = False

    def __init__(
        self,
        llm: BaseChatModel | None,
        *,
        journal: str | os.PathLike[str] | Journal | None = None,
        max_concurrency: int = 8,
        on_failure: OnFailure = "raise",
        prices: Prices | tuple[float, ...] | None = None,
        show_progress: bool = False,
        structured: bool | str | None = None,
        title_key: str | None = "title",
        pace: Pace | None = None,
        **unknown: object,
    ) -> None:
        check_settings(type(self), LLMTransformer, unknown, ("llm", *Common.__annotations__))
        self._on_failure: OnFailure = check_on_failure(on_failure)
        self._title_key = title_key
        without = llm is None and self._without_llm
        self._client = None if without else Client(llm, structured)  # type: ignore[arg-type] # which it checks
        self._journal = journal if journal is None or isinstance(journal, Journal) else Journal(journal)
        self._pace = replace(Pace() if pace is None else check_pace(pace), max_concurrency=max_concurrency)
        self._prices, self._show_progress = as_prices(prices), show_progress
        self._left = Memory()  # the replies of a call that was stopped, where there is no journal
        self._name, self._report = "", Report(self._prices)

    @property
    def report(self) -> Report:
        """What the last call took: calls, tokens, cost, and what failed."""
        return self._report

    # -- documents ---------------------------------------------------------------------------------------------------

    def transform_documents(self, documents: Sequence[Document], **kwargs: Any) -> Sequence[Document]:
        """Documents -> what is made of them, in their order. From a running event loop too, which it blocks."""
        return run(self._transform(self._begin(), Blocking(), list(iter_documents(documents))))

    async def atransform_documents(self, documents: Sequence[Document], **kwargs: Any) -> Sequence[Document]:
        """`transform_documents`, through the async calls of the model, the splitter and the embeddings."""
        return await self._transform(self._begin(), Awaiting(), list(iter_documents(documents)))

    def lazy_transform_documents(self, documents: Iterable[Document]) -> Iterator[Document]:
        """`transform_documents` for more documents than memory holds: reads and yields some hundreds at a time."""
        rest, report = iter_documents(documents), self._begin()
        for some in self._windows(rest):
            yield from run(self._transform(report, Blocking(), some))

    async def alazy_transform_documents(self, documents: Iterable[Document]) -> AsyncIterator[Document]:
        """`lazy_transform_documents`, as `atransform_documents` does it."""
        rest, report = iter_documents(documents), self._begin()
        for some in self._windows(rest):
            for document in await self._transform(report, Awaiting(), some):
                yield document

    def forget_failures(self) -> int:
        """Deletes the replies that led to the last call's failures from the journal, so that the next call asks again
        -> how many there were. Raises `SettingError` without a journal."""
        if self._journal is None or self._client is None:
            raise SettingError("replies are forgotten of a journal: give one, as journal='replies.db'")
        return self._journal.forget(self._client.name, self.report.failures)

    # -- parts -------------------------------------------------------------------------------------------------------

    @abstractmethod
    async def _make(self, report: Report, calls: Calls, documents: list[Document]) -> list[Document]:
        """Documents -> what is made of them; what it costs is added to the report, of which each call has its own."""

    def _begin(self) -> Report:
        """Begins a call -> its report."""
        self._name = "" if self._client is None else self._client.name  # once a call: it is made of all settings
        self._report = Report(self._prices)
        return self._report

    async def _transform(self, report: Report, calls: Calls, documents: list[Document]) -> list[Document]:
        """What is made of documents, each id once: passages that overlap, and a document that is given twice, say the
        same again."""
        results = await self._make(report, calls, documents)
        self._left = Memory()
        return self._unrepeated(results)

    def _unrepeated(self, results: list[Document]) -> list[Document]:
        first: dict[str | None, Document] = {}
        for document in results:
            first.setdefault(document.id, document)
        return list(first.values())

    def _windows(self, documents: Iterator[Document]) -> Iterator[list[Document]]:
        """Documents -> those that are worked on together."""
        while some := list(islice(documents, WINDOW)):
            yield some

    async def _converse(self, report: Report, calls: Calls, conversation: Conversation[R]) -> list[R]:
        """All results of a conversation with the model."""
        assert self._client is not None  # noqa: S101 - without a model there is no conversation
        journal = self._left if self._journal is None else self._journal
        with bar(self.work, self._show_progress) as progress:
            driver = Driver(self._pace, progress=progress)
            results, _ = await calls.call(
                partial(driver.run, conversation, self._client.ask),
                partial(driver.arun, conversation, self._client.aask),
                journal=journal,
                report=report,
                name=self._name,
            )
        return results

    def _made_by(self, *prompts: Prompt) -> str:
        """What tells texts of this model and these prompts from others."""
        return "\n".join([self._name, *(part for prompt in prompts for part in (prompt.id, prompt.text))])
