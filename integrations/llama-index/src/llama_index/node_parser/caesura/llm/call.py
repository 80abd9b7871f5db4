"""An LLM and a run's report in; conversations in, results out, counted: one run's way to the language model."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TypeVar

from llama_index.core.llms import LLM

from caesura.llm.conversation import Conversation
from caesura.llm.host_run import HostRun
from caesura.llm.journal import Journal
from caesura.steps import Step, Steps
from llama_index.node_parser.caesura.llm.chat import AsyncChat, Chat
from llama_index.node_parser.caesura.llm.models import journal_name, takes_forms
from llama_index.node_parser.caesura.llm.opened import aopened, opened

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Call:
    """One run's way to the language model. structured: as `takes_forms` takes it. journalled: gives the journal."""

    llm: LLM
    structured: bool | None
    host_run: HostRun
    journalled: Callable[[], AbstractContextManager[Journal]]

    def __call__(self, conversation: Conversation[R], doing: str) -> Steps[list[R]]:
        """Drives a conversation to its end."""
        found: list[R] = yield Step(lambda: self._run(conversation, doing), lambda: self._arun(conversation, doing))
        return found

    def _run(self, conversation: Conversation[R], doing: str) -> list[R]:
        known = self._known()
        with (
            opened(self.llm) as copy,
            self.journalled() as journal,
            self.host_run.of(journal, known[1], doing) as (driver, report),
        ):
            return list(driver.stream(conversation, Chat(copy, *known), report))

    async def _arun(self, conversation: Conversation[R], doing: str) -> list[R]:
        known = self._known()
        async with aopened(self.llm) as copy:
            with self.journalled() as journal, self.host_run.of(journal, known[1], doing) as (driver, report):
                return [one async for one in driver.astream(conversation, AsyncChat(copy, *known), report)]

    def _known(self) -> tuple[bool, str, str | None]:
        """What the LLM's client is told: whether by forms, its name, its system prompt."""
        structured = takes_forms(self.llm, self.structured)
        return structured, journal_name(self.llm, structured), self.llm.system_prompt
