"""A parser's settings and a conversation in, its results out, counted: one run's way to the language model."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from llama_index.core.llms import LLM

from caesura.llm.conversation import Conversation
from caesura.llm.drive import Driver
from caesura.llm.journal import Journal
from caesura.llm.progress import Progress, bar
from caesura.llm.report import Report
from caesura.steps import Step, Steps
from llama_index.node_parser.caesura.llm.chat import AsyncChat, Chat
from llama_index.node_parser.caesura.llm.models import named
from llama_index.node_parser.caesura.llm.opened import aopened, opened

if TYPE_CHECKING:
    from llama_index.node_parser.caesura.llm.language import LanguageParser

R = TypeVar("R")


class Asks:
    """One run's way to the language model: conversations in, results out, counted in one report."""

    def __init__(self, parser: LanguageParser, report: Report, show_progress: bool) -> None:
        self.parser: LanguageParser = parser
        self.report: Report = report
        self.show_progress: bool = show_progress

    def __call__(self, conversation: Conversation[R], doing: str) -> Steps[list[R]]:
        """Drives a conversation to its end."""
        found: list[R] = yield Step(lambda: self._run(conversation, doing), lambda: self._arun(conversation, doing))
        return found

    def _run(self, conversation: Conversation[R], doing: str) -> list[R]:
        llm, known = self._known()
        with opened(llm) as copy, self.parser._journalled() as journal, bar(doing, self.show_progress) as progress:
            driver = self._driver(journal, progress)
            with self._counted() as report:
                return list(driver.stream(conversation, Chat(copy, *known), report))

    async def _arun(self, conversation: Conversation[R], doing: str) -> list[R]:
        llm, known = self._known()
        with self.parser._journalled() as journal, bar(doing, self.show_progress) as progress:
            async with aopened(llm) as copy:
                driver = self._driver(journal, progress)
                with self._counted() as report:
                    return [one async for one in driver.astream(conversation, AsyncChat(copy, *known), report)]

    def _known(self) -> tuple[LLM, tuple[bool, str, str | None]]:
        """The LLM, and what its client is told: whether by forms, its name, its system prompt."""
        llm, structured = self.parser._asked(), self.parser._structured()
        return llm, (structured, named(llm, structured), llm.system_prompt)

    def _driver(self, journal: Journal, progress: Progress | None) -> Driver:
        return Driver(self.parser._pace(), journal, self.parser.prices, progress)

    @contextmanager
    def _counted(self) -> Iterator[Report]:
        """Gives a report, and adds what it says to the run's, whatever happens."""
        own = Report(self.parser.prices)
        try:
            yield own
        finally:
            total = self.report + own
            for name in Report.__slots__:
                setattr(self.report, name, getattr(total, name))
