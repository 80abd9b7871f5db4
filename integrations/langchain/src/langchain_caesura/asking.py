"""What all that asks a language model shares: its settings, the run of a conversation, and what it has cost."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, TypedDict, TypeVar

from langchain_core.documents import BaseDocumentTransformer, Document
from langchain_core.language_models import BaseChatModel

from caesura.errors import SettingError
from caesura.llm.conversation import Conversation
from caesura.llm.drive import Driver
from caesura.llm.failures import OnFailure, checked
from caesura.llm.journal import Journal, Memory
from caesura.llm.progress import bar
from caesura.llm.prompts import Prompt
from caesura.llm.report import Prices, Report, priced
from caesura.llm.schedule import Pace
from caesura.steps import Step, Steps, arun, run
from langchain_caesura.chat import AsyncChat, Chat
from langchain_caesura.documents import each

R = TypeVar("R")

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


class Asking(BaseDocumentTransformer):
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

    report: Report
    """What the last call took: calls, tokens, cost, and what failed."""
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
    ) -> None:
        self._pace = replace(pace or Pace(), max_concurrency=max_concurrency)
        self._prices = priced(prices)
        self._journal = journal if journal is None or isinstance(journal, Journal) else Journal(journal)
        self._left = Memory()
        self._on_failure, self._show_progress, self._title_key = checked(on_failure), show_progress, title_key
        self._chats = None if llm is None and self._without_llm else (Chat(llm, structured), AsyncChat(llm, structured))  # type: ignore[arg-type] # which they check
        self.report = Report(self._prices)

    # -- documents ---------------------------------------------------------------------------------------------------

    def transform_documents(self, documents: Sequence[Document], **kwargs: Any) -> Sequence[Document]:
        """Documents -> what is made of them, in their order. From a running event loop too, which it blocks."""
        doing = _Run(self)
        return doing.ended(run(self._steps(list(each(documents)), doing)))

    async def atransform_documents(self, documents: Sequence[Document], **kwargs: Any) -> Sequence[Document]:
        """`transform_documents`, through the async calls of the model, the splitter and the embeddings."""
        doing = _Run(self)
        return doing.ended(await arun(self._steps(list(each(documents)), doing)))

    def lazy_transform_documents(self, documents: Iterable[Document]) -> Iterator[Document]:
        """`transform_documents` for more documents than memory holds: reads and yields some hundreds at a time."""
        given, doing = each(documents), _Run(self)
        while some := list(islice(given, WINDOW)):
            yield from doing.ended(run(self._steps(some, doing)))

    async def alazy_transform_documents(self, documents: Iterable[Document]) -> AsyncIterator[Document]:
        """`lazy_transform_documents`, as `atransform_documents` does it."""
        given, doing = each(documents), _Run(self)
        while some := list(islice(given, WINDOW)):
            for one in doing.ended(await arun(self._steps(some, doing))):
                yield one

    def forget_failures(self) -> int:
        """Deletes the replies that led to the last call's failures from the journal, so that the next call asks again
        -> how many there were. Raises `SettingError` without a journal."""
        if self._journal is None or self._chats is None:
            raise SettingError("replies are forgotten of a journal: give one, as journal='replies.db'")
        return self._journal.forget(self._chats[0].name, self.report.failures)

    # -- parts -------------------------------------------------------------------------------------------------------

    @abstractmethod
    def _steps(self, documents: list[Document], doing: _Run) -> Steps[list[Document]]: ...

    def _made_by(self, *prompts: Prompt) -> str:
        """What tells texts of this model and these prompts from others."""
        name = "" if self._chats is None else self._chats[0].name
        return "\n".join([name, *(part for prompt in prompts for part in (prompt.id, prompt.text))])


class _Run:
    """One call: the conversations that it has, and its report, which adds them up."""

    def __init__(self, asking: Asking) -> None:
        self._asking, self._journal = asking, asking._journal or asking._left
        self.report = asking.report = Report(asking._prices)

    def ended(self, made: list[Document]) -> list[Document]:
        """Lets go of the replies that were kept in case that it would not end -> what was made, each id once: passages
        that overlap, and a document that is given twice, say the same again."""
        self._asking._left = Memory()
        self._journal = self._asking._journal or self._asking._left
        each: dict[str | None, Document] = {}
        for one in made:
            each.setdefault(one.id, one)
        return list(each.values())

    def step(self, conversation: Conversation[R]) -> Step:
        """The step that has a conversation; it is sent the list of its results."""
        return Step.of(self, "converse", conversation)

    def converse(self, conversation: Conversation[R]) -> list[R]:
        """All results, asked for in threads."""
        asking, report = self._asking, Report(self._asking._prices)
        assert asking._chats is not None  # noqa: S101 - without a model there is no conversation
        try:
            with bar(asking.work, asking._show_progress) as progress:
                driver = Driver(asking._pace, self._journal, asking._prices, progress)
                return list(driver.stream(conversation, asking._chats[0], report))
        finally:
            self._add(report)

    async def aconverse(self, conversation: Conversation[R]) -> list[R]:
        """All results, awaited."""
        asking, report = self._asking, Report(self._asking._prices)
        assert asking._chats is not None  # noqa: S101
        try:
            with bar(asking.work, asking._show_progress) as progress:
                driver = Driver(asking._pace, self._journal, asking._prices, progress)
                return [one async for one in driver.astream(conversation, asking._chats[1], report)]
        finally:
            self._add(report)

    def _add(self, report: Report) -> None:
        self.report = self._asking.report = self.report + report
        if isinstance(self._journal, Memory) and self._asking._chats is not None:
            self._journal.forget(self._asking._chats[0].name, report.failures)
