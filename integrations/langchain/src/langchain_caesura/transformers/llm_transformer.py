"""Base of the transformers that ask a language model: its settings, the ways in of documents, each call's run."""

from __future__ import annotations

import asyncio
import os
from abc import abstractmethod
from collections.abc import AsyncGenerator, AsyncIterator, Coroutine, Iterable, Iterator, Sequence
from contextlib import aclosing, asynccontextmanager, nullcontext
from contextvars import Context, ContextVar
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import Any, TypedDict, TypeVar, get_args

from langchain_core.documents import BaseDocumentTransformer, Document
from langchain_core.runnables import RunnableConfig, ensure_config
from langchain_core.runnables.config import (
    get_async_callback_manager_for_config,
    get_callback_manager_for_config,
    patch_config,
    set_config_context,
)

from caesura.checks import OnFailure, check_choice
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
from langchain_caesura.transformers.chat_models import Model
from langchain_caesura.transformers.client import ChatModelClient

R = TypeVar("R")
T = TypeVar("T")

WINDOW = 256
"""Documents that `lazy_transform_documents` reads at a time."""
_CLIENT: ContextVar[ChatModelClient | None] = ContextVar("client", default=None)
"""The client of the current call, which its config chooses."""


class LLMSettings(TypedDict, total=False):
    """The settings that all transformers with a language model share."""

    journal: str | os.PathLike[str] | Journal | None
    max_concurrency: int
    on_failure: OnFailure
    prices: Prices | tuple[float, ...] | None
    show_progress: bool
    structured: bool | str | None
    title_key: str | None
    pace: Pace | None


class LLMTransformer(BaseDocumentTransformer):
    """The base of all transformers that ask a language model.

    llm: any chat model of LangChain. It may have fallbacks, bound or configurable options. Retries of its own are left
    out: ours take their place. journal: the path of a file that keeps replies as they come. What is in it is not asked
    or paid for again. None: only a call of this object that was stopped goes on where it was. max_concurrency: the
    number of requests at once. on_failure: what becomes of a text whose replies cannot be used. "raise": `ReplyError`
    is raised. "keep": the text's own sentences stand in, with ``kept`` in their metadata. prices: what a million tokens
    in and out cost, for the report; a third number is the price of tokens in from the provider's cache. show_progress:
    whether a bar on the terminal shows how far it is. structured: whether replies are asked for by
    `with_structured_output`, or by which ``method`` of it. None: if the model has it. title_key: the key in a
    document's metadata that holds its title, which is shown with each passage. pace: how often a call is made again,
    and after how long. None: `Pace()`.

    Raises `SettingError` (a ValueError) for a setting out of range; what the model raises where no retry helps.
    """

    work = "Asking"
    _without_llm = False

    def __init__(
        self,
        llm: Model | None,
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
        check_settings(type(self), LLMTransformer, unknown, ("llm", *LLMSettings.__annotations__))
        check_choice("on_failure", on_failure, get_args(OnFailure))
        self._on_failure: OnFailure = on_failure
        self._title_key = title_key
        without = llm is None and self._without_llm
        self._client = None if without else ChatModelClient(llm, structured)  # type: ignore[arg-type] # which it checks
        self._journal = journal if journal is None or isinstance(journal, Journal) else Journal(journal)
        self._pace = replace(Pace() if pace is None else check_pace(pace), max_concurrency=max_concurrency)
        self._prices, self._show_progress = as_prices(prices), show_progress
        self._left = Memory()  # the replies of a call that was stopped, where there is no journal
        self._key, self._report = "", Report(self._prices)

    @property
    def report(self) -> Report:
        """The report of the last call: requests, tokens, cost and failures."""
        return self._report

    # -- documents ---------------------------------------------------------------------------------------------------

    def transform_documents(
        self, documents: Sequence[Document], *, config: RunnableConfig | None = None, **kwargs: Any
    ) -> Sequence[Document]:
        """Documents -> what is made of them, in their order. From a running event loop too, which it blocks.

        config: the callbacks, tags, metadata and name of the run that the call is in a trace, and the values of what is
        configurable in the model. Within a chain, that of the chain is added. A request is a run within it.
        """
        return run(self._call(Blocking(), config, list(iter_documents(documents))))

    async def atransform_documents(
        self, documents: Sequence[Document], *, config: RunnableConfig | None = None, **kwargs: Any
    ) -> Sequence[Document]:
        """`transform_documents`, through the async calls of the model, the splitter and the embeddings."""
        return await self._call(Awaiting(), config, list(iter_documents(documents)))

    def lazy_transform_documents(
        self, documents: Iterable[Document], *, config: RunnableConfig | None = None
    ) -> Iterator[Document]:
        """`transform_documents` for more documents than memory holds: reads and yields some hundreds at a time."""
        stream = self._stream(Blocking(), config, documents)
        try:
            while True:
                try:
                    document = run(stream.__anext__())
                except StopAsyncIteration:
                    return
                yield document
        finally:
            run(stream.aclose())

    async def alazy_transform_documents(
        self, documents: Iterable[Document], *, config: RunnableConfig | None = None
    ) -> AsyncIterator[Document]:
        """`lazy_transform_documents`, as `atransform_documents` does it."""
        async with aclosing(self._stream(Awaiting(), config, documents)) as stream:
            async for document in stream:
                yield document

    def forget_failures(self) -> int:
        """Deletes the replies that led to the last call's failures from the journal, so that the next call asks again
        -> how many there were. Raises `SettingError` without a journal."""
        if self._journal is None or self._client is None:
            raise SettingError("replies are forgotten of a journal: give one, as journal='replies.db'")
        return self._journal.forget(self._key, self.report.failures)

    # -- parts -------------------------------------------------------------------------------------------------------

    @abstractmethod
    async def _make(self, report: Report, calls: Calls, documents: list[Document]) -> list[Document]:
        """Documents -> what is made of them; what it costs is added to the report, of which each call has its own."""

    async def _call(self, calls: Calls, config: RunnableConfig | None, documents: Sequence[Document]) -> list[Document]:
        async with traced(calls, type(self).__name__, config, documents) as call:
            report = self._begin(call)
            call.outputs = made = await call.run(calls, self._transform(report, calls, list(documents)))
        return made

    async def _stream(
        self, calls: Calls, config: RunnableConfig | None, documents: Iterable[Document]
    ) -> AsyncGenerator[Document, None]:
        rest, found = iter_documents(documents), 0
        async with traced(calls, type(self).__name__, config, {}) as call:
            report = self._begin(call)
            for some in self._windows(rest):
                for document in await call.run(calls, self._transform(report, calls, some)):
                    call.outputs = {"documents": (found := found + 1)}
                    yield document

    def _begin(self, call: TracedRun) -> Report:
        """Begins a call, with the model that its config chooses -> its report."""
        chosen = call.config.get("configurable")
        client = self._client
        if client is not None and chosen:
            client = ChatModelClient(client.llm, client.structured, {"configurable": chosen})
        call.context.run(_CLIENT.set, client)
        self._key = "" if client is None else client.key
        self._report = Report(self._prices)
        return self._report

    async def _transform(self, report: Report, calls: Calls, documents: list[Document]) -> list[Document]:
        """What is made of documents, each id once: passages that overlap, and a document that is given twice, say the
        same again."""
        results = await self._make(report, calls, documents)
        self._left.clear()
        return self._unrepeated(results)

    def _unrepeated(self, results: list[Document]) -> list[Document]:
        first: dict[str | None, Document] = {}
        for document in results:
            first.setdefault(document.id, document)
        return list(first.values())

    def _windows(self, documents: Iterator[Document]) -> Iterator[list[Document]]:
        """Documents -> windows that are worked on together."""
        while some := list(islice(documents, WINDOW)):
            yield some

    async def _converse(self, report: Report, calls: Calls, conversation: Conversation[R]) -> list[R]:
        """All results of a conversation with the model."""
        client = _CLIENT.get()
        assert client is not None  # noqa: S101 - without a model there is no conversation
        journal = self._left if self._journal is None else self._journal
        with bar(self.work) if self._show_progress else nullcontext() as progress:
            driver = Driver(self._pace, progress=progress)
            results, _ = await calls.call(
                partial(driver.run, conversation, client.ask),
                partial(driver.arun, conversation, client.aask),
                journal=journal,
                report=report,
                name=client.key,
            )
        return results

    def _made_by(self, *prompts: Prompt) -> str:
        """The model's name and the prompts, which enter the ids of what is made."""
        client = _CLIENT.get()
        name = "" if client is None else client.name
        return "\n".join([name, *(part for prompt in prompts for part in (prompt.id, prompt.text))])


# -- traces ------------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class TracedRun:
    """config: what it was called with, and the chain around it. context: the one in which it works. outputs: what it
    is to be said that came of it."""

    config: RunnableConfig
    context: Context
    outputs: Any = None

    async def run(self, calls: Calls, work: Coroutine[Any, Any, T]) -> T:
        """What the work returns, whose runs are children of this one."""

        async def awork() -> T:
            return await asyncio.create_task(work, context=self.context)

        return await calls.call(lambda: self.context.run(run, work), awork)


@asynccontextmanager
async def traced(calls: Calls, name: str, config: RunnableConfig | None, inputs: Any) -> AsyncIterator[TracedRun]:
    """Begins a run of this name, or its config's, and ends it, with the error where one is raised."""
    config = ensure_config(config)
    manager: Any = (
        get_callback_manager_for_config(config)
        if isinstance(calls, Blocking)
        else get_async_callback_manager_for_config(config)
    )
    names = {"name": config.get("run_name") or name, "run_id": config.get("run_id")}
    begun = await calls.call(manager.on_chain_start, manager.on_chain_start, None, inputs, **names)
    with set_config_context(patch_config(config, callbacks=begun.get_child())) as context:
        traced_run = TracedRun(config, context)
        try:
            yield traced_run
        except GeneratorExit:  # the reader of a stream has enough
            await calls.call(begun.on_chain_end, begun.on_chain_end, traced_run.outputs)
            raise
        except BaseException as error:
            await calls.call(begun.on_chain_error, begun.on_chain_error, error)
            raise
        await calls.call(begun.on_chain_end, begun.on_chain_end, traced_run.outputs)
