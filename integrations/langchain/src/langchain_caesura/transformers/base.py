"""What all that asks a language model shares: its settings, and the ways in of documents."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, TypedDict, TypeVar

from langchain_core.documents import BaseDocumentTransformer, Document
from langchain_core.language_models import BaseChatModel

from caesura.checks import OnFailure, check_on_failure
from caesura.errors import SettingError
from caesura.sansio import Step, Steps
from caesura.sansio import arun_steps as arun
from caesura.sansio import run_steps as run
from caesura_llm.conversation import Conversation
from caesura_llm.driver import Driver, HostRun
from caesura_llm.journal import Journal, Memory
from caesura_llm.prompts import Prompt
from caesura_llm.report import Prices, Report, as_prices
from caesura_llm.retries import Pace
from langchain_caesura.base import check_settings
from langchain_caesura.documents import each
from langchain_caesura.transformers.client import AsyncChat, Chat

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Means:
    """What every call of one transformer asks by. chats: None where it has no model. work: what a bar calls it."""

    chats: tuple[Chat, AsyncChat] | None
    journal: Journal | None
    pace: Pace
    prices: Prices | None
    work: str
    show_progress: bool

    @property
    def name(self) -> str:
        """What replies are journalled under; nothing without a model."""
        return "" if self.chats is None else self.chats[0].name


class Call:
    """One call: the conversations that it has, and its report. left: keeps its replies where there is no journal."""

    def __init__(self, means: Means, left: Memory) -> None:
        self.report: Report = Report(means.prices)
        self.left: Memory = left
        self._means = means

    def step(self, conversation: Conversation[R]) -> Step:
        """The step that has a conversation; it is sent the list of its results."""
        return Step.of(self, "converse", conversation)

    def converse(self, conversation: Conversation[R]) -> list[R]:
        """All results, asked for in threads."""
        with self._driven() as (driver, (chat, _), report):
            return list(driver.stream(conversation, chat, report))

    async def aconverse(self, conversation: Conversation[R]) -> list[R]:
        """All results, awaited."""
        with self._driven() as (driver, (_, chat), report):
            return [one async for one in driver.astream(conversation, chat, report)]

    @contextmanager
    def _driven(self) -> Iterator[tuple[Driver, tuple[Chat, AsyncChat], Report]]:
        """Gives what drives a conversation, and a report, which is added to the call's whatever happens."""
        means = self._means
        assert means.chats is not None  # noqa: S101 - without a model there is no conversation
        host_run = HostRun(self.report, means.pace, means.prices, means.show_progress)
        with host_run.of(means.journal or self.left, means.name, means.work) as (driver, own):
            yield driver, means.chats, own


WINDOW = 256
"""Documents that `lazy_transform_documents` reads at a time."""


class Common(TypedDict, total=False):
    """The settings that all that asks a language model shares."""

    journal: str | os.PathLike[str] | Journal | None
    max_concurrency: int
    on_failure: OnFailure
    prices: Prices | tuple[float, float] | None
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
    million tokens in and out, for the report's cost. show_progress: a bar on the terminal. structured: whether replies
    are asked for by `with_structured_output`, or by which ``method`` of it; None: where the model has it. title_key:
    where in a document's metadata its title is, which is shown with each passage. pace: how often and after how long a
    call is made again; `Pace` has the defaults.

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
        prices: Prices | tuple[float, float] | None = None,
        show_progress: bool = False,
        structured: bool | str | None = None,
        title_key: str | None = "title",
        pace: Pace | None = None,
        **unknown: object,
    ) -> None:
        check_settings(type(self), LLMTransformer, unknown, ("llm", *Common.__annotations__))
        self._on_failure: OnFailure = check_on_failure(on_failure)
        self._title_key = title_key
        chats = None if llm is None and self._without_llm else (Chat(llm, structured), AsyncChat(llm, structured))  # type: ignore[arg-type] # which they check
        kept = journal if journal is None or isinstance(journal, Journal) else Journal(journal)
        paced = replace(pace or Pace(), max_concurrency=max_concurrency)
        self._means = Means(chats, kept, paced, as_prices(prices), self.work, show_progress)
        self._left = Memory()
        self._last = Call(self._means, self._left)

    @property
    def report(self) -> Report:
        """What the last call took: calls, tokens, cost, and what failed."""
        return self._last.report

    # -- documents ---------------------------------------------------------------------------------------------------

    def transform_documents(self, documents: Sequence[Document], **kwargs: Any) -> Sequence[Document]:
        """Documents -> what is made of them, in their order. From a running event loop too, which it blocks."""
        call = self._begun()
        return self._ended(call, run(self._steps(list(each(documents)), call)))

    async def atransform_documents(self, documents: Sequence[Document], **kwargs: Any) -> Sequence[Document]:
        """`transform_documents`, through the async calls of the model, the splitter and the embeddings."""
        call = self._begun()
        return self._ended(call, await arun(self._steps(list(each(documents)), call)))

    def lazy_transform_documents(self, documents: Iterable[Document]) -> Iterator[Document]:
        """`transform_documents` for more documents than memory holds: reads and yields some hundreds at a time."""
        given, call = each(documents), self._begun()
        while some := list(islice(given, WINDOW)):
            yield from self._ended(call, run(self._steps(some, call)))

    async def alazy_transform_documents(self, documents: Iterable[Document]) -> AsyncIterator[Document]:
        """`lazy_transform_documents`, as `atransform_documents` does it."""
        given, call = each(documents), self._begun()
        while some := list(islice(given, WINDOW)):
            for one in self._ended(call, await arun(self._steps(some, call))):
                yield one

    def forget_failures(self) -> int:
        """Deletes the replies that led to the last call's failures from the journal, so that the next call asks again
        -> how many there were. Raises `SettingError` without a journal."""
        if self._means.journal is None or self._means.chats is None:
            raise SettingError("replies are forgotten of a journal: give one, as journal='replies.db'")
        return self._means.journal.forget(self._means.name, self.report.failures)

    # -- parts -------------------------------------------------------------------------------------------------------

    @abstractmethod
    def _steps(self, documents: list[Document], call: Call) -> Steps[list[Document]]: ...

    def _begun(self) -> Call:
        self._last = Call(self._means, self._left)
        return self._last

    def _ended(self, call: Call, made: list[Document]) -> list[Document]:
        """Lets go of the replies that were kept in case that it would not end -> what was made, each id once: passages
        that overlap, and a document that is given twice, say the same again."""
        call.left = self._left = Memory()
        first: dict[str | None, Document] = {}
        for one in made:
            first.setdefault(one.id, one)
        return list(first.values())

    def _made_by(self, *prompts: Prompt) -> str:
        """What tells texts of this model and these prompts from others."""
        return "\n".join([self._means.name, *(part for prompt in prompts for part in (prompt.id, prompt.text))])
