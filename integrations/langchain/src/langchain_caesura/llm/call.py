"""A conversation in, the list of its results out, called or awaited; and the report, which adds up a call's several."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

from caesura.llm.conversation import Conversation
from caesura.llm.drive import Driver
from caesura.llm.host_run import HostRun
from caesura.llm.journal import Journal, Memory
from caesura.llm.report import Prices, Report
from caesura.llm.schedule import Pace
from caesura.steps import Step
from langchain_caesura.llm.chat import AsyncChat, Chat

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
