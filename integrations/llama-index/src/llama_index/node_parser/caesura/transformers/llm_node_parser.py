"""Base of the parsers that ask a language model: what is asked, by whom, at which pace, for what price."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, nullcontext
from dataclasses import replace
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Annotated, Any, ClassVar, Self, TypeVar

from llama_index.core import Settings
from llama_index.core.bridge.pydantic import BeforeValidator, Field, PrivateAttr, SerializeAsAny
from llama_index.core.llms import LLM
from llama_index.core.llms.loading import RECOGNIZED_LLMS, load_llm
from llama_index.core.llms.structured_llm import StructuredLLM
from llama_index.core.node_parser import NodeParser
from llama_index.core.schema import BaseNode, Document

from caesura.checks import OnFailure
from caesura.errors import SettingError
from caesura.sansio import Calls
from caesura_documents.caller_warning import warn_caller
from caesura_llm.agentic import Converse
from caesura_llm.conversation import Conversation
from caesura_llm.driver import Driver, Options, bar
from caesura_llm.journal import Journal, Memory
from caesura_llm.prompts import check_prompt
from caesura_llm.report import Prices, Report, as_prices
from caesura_llm.retries import Pace
from caesura_store.setting_keys import canonical, import_path
from llama_index.node_parser.caesura.serialization import SerializableParser, check_pickles
from llama_index.node_parser.caesura.splitters import OptimalSemanticSplitter, splitter_from_dict
from llama_index.node_parser.caesura.transformers.capture import client_copy
from llama_index.node_parser.caesura.transformers.client import LLMClient, reply_settings
from llama_index.node_parser.caesura.transformers.passage_nodes import whole_node

R = TypeVar("R")
RUN = ("journal", "max_concurrency", "pace", "prices", "show_progress")
"""Settings of a run that do not change its results."""
logger: logging.Logger = logging.getLogger(__name__)


def _check_llm(value: Any) -> Any:
    """Returns an llm that is allowed. Raises `SettingError`, which pydantic passes on as its own."""
    if value is None or (isinstance(value, LLM) and not isinstance(value, StructuredLLM)):
        return value
    remedy = ": pass the LLM that is inside" if isinstance(value, StructuredLLM) else ""
    raise SettingError(f"llm must be an LLM of LlamaIndex, or None for Settings.llm; got {value!r:.80}{remedy}")


class LLMNodeParser(SerializableParser):
    """What parsers that ask a language model share. Each reply is kept as it arrives, and a run that was stopped, or
    failed, goes on where it was when it is called again: with a `journal` in any process, without in this object.

    `report` says what the last run has cost and what it could not do.
    """

    llm: Annotated[SerializeAsAny[LLM] | None, BeforeValidator(_check_llm)] = Field(
        default=None,
        repr=False,  # which would show its key
        description="Any LLM; None: Settings.llm. Its own retries are switched off: ours take their place.",
    )
    structured: bool | None = Field(
        default=None, description="Whether the LLM is asked by structured_predict; None: where it takes forms itself."
    )
    on_failure: OnFailure = Field(
        default="raise", description="'raise', or 'keep': where a passage fails, its own text stands in, marked."
    )
    budget: int = Field(default=1500, description="Size of the passages of a request, a token taken as 4 characters.")
    splitter: SerializeAsAny[NodeParser] | None = Field(
        default_factory=lambda: OptimalSemanticSplitter(target_size=None),
        description="What makes passages of documents; None: a document is one. Nodes are passages as they are.",
    )
    title_key: str | None = Field(default="title", description="The metadata that is shown as a passage's title.")
    journal: str | Path | None = Field(
        default=None, exclude=True, description="The path of a file that replies are kept in."
    )
    max_concurrency: int = Field(default=8, exclude=True, description="Requests in flight at once.")
    pace: Pace | None = Field(
        default=None, exclude=True, description="How often, and after how long, a call is made again; None: as `Pace`."
    )
    prices: Prices | None = Field(
        default=None, exclude=True, description="Of a million tokens, in, out, and in from a cache."
    )
    show_progress: bool = Field(default=False, exclude=True, description="Whether a bar shows passages that are done.")

    doing: ClassVar[str] = "Asking"
    _report: Report | None = PrivateAttr(default=None)
    _left: Memory = PrivateAttr(default_factory=Memory)

    @classmethod
    def from_defaults(cls, llm: LLM | None = None, **settings: Any) -> Self:
        """The constructor, under the name that LlamaIndex uses. None means the default, save for `splitter`."""
        settings = {name: value for name, value in settings.items() if value is not None or name == "splitter"}
        return cls(llm=llm, **settings)

    @classmethod
    def class_name(cls) -> str:
        """The name under which `to_dict` files it."""
        return cls.__name__

    def __init__(self, llm: LLM | None = None, **settings: Any) -> None:
        for name, value in settings.items():
            own = type(self).model_fields.get(name)
            if name.endswith("prompt") and own and value is not own.default and not isinstance(value, dict):
                check_prompt(name, value)
        super().__init__(llm=llm, **settings)  # type: ignore[call-arg]

    @property
    def report(self) -> Report | None:
        """The report of the last run of this object so far; None before the first."""
        return self._report

    def forget_failures(self) -> int:
        """Deletes the replies that led to the last run's failures, so that the next run asks again -> how many there
        were. Raises `SettingError` without a journal, where nothing is kept of a run that has ended."""
        if self.journal is None:
            raise SettingError("replies are forgotten of a journal: give one, as journal='replies.db'")
        if self._report is None or not self._report.failures:
            return 0
        with Journal(self.journal) as journal:
            return journal.forget(LLMClient.of(self._llm(), self.structured).name, self._report.failures)

    # -- what subclasses say -------------------------------------------------------------------------------------------

    def _check(self) -> None:
        self._pace()
        as_prices(self.prices)
        if self.journal is not None and not str(self.journal).strip():
            raise SettingError(f"journal must be the path of a file, got {self.journal!r}")

    async def _make(self, calls: Calls, passages: Sequence[BaseNode], converse: Converse) -> list[BaseNode]:
        """Passages, and other nodes between them, -> nodes. converse: awaits all results of a conversation."""
        raise NotImplementedError

    def _describe(self, conversation: Conversation[Any]) -> str:
        """The name of a conversation on a progress bar."""
        return self.doing

    # -- the work ---------------------------------------------------------------------------------------------------

    async def _parse(self, calls: Calls, nodes: Sequence[BaseNode], show_progress: bool) -> list[BaseNode]:
        passages = await self._passages(calls, nodes)
        self._report = Report(self.prices)
        llm = self._llm()
        client = None if llm is None else LLMClient.of(llm, self.structured)
        shown = show_progress or self.show_progress
        result = await self._make(calls, passages, partial(self._converse, calls, client, self._report, shown))
        self._left.clear()
        logger.info("%s: %s", type(self).__name__, self._report)
        return result

    async def _passages(self, calls: Calls, nodes: Sequence[BaseNode]) -> list[BaseNode]:
        """Documents and nodes -> the passages that are asked about, in order."""
        passages: list[BaseNode] = []
        for is_document, group in groupby(nodes, lambda node: isinstance(node, Document)):
            part: Sequence[BaseNode] = list(group)
            if is_document and self.splitter is not None:
                part = await calls.call(self.splitter, self.splitter.acall, part)
            for node in part:
                passages += whole_node(node) if isinstance(node, Document) else [node]
        return passages

    async def _converse(
        self, calls: Calls, client: LLMClient | None, report: Report, shown: bool, conversation: Conversation[R]
    ) -> list[R]:
        """Returns all results of a conversation with the LLM, and adds its cost to the report."""
        assert client is not None  # noqa: S101 - without an LLM there is no conversation
        shown_bar = bar(self._describe(conversation)) if shown else nullcontext()
        async with self._open_journal(calls) as journal:
            pace = self._pace()
            async with client_copy(calls, client.llm) as copy:
                with shown_bar as progress:
                    driver, asked = Driver(pace, progress=progress), replace(client, llm=copy)
                    options: Options = {"journal": journal, "report": report, "name": client.name}
                    results, _ = await calls.call(
                        partial(driver.run, conversation, asked.ask, **options),
                        partial(driver.arun, conversation, asked.aask, **options),
                    )
                    return results

    def _llm(self) -> Any:
        return Settings.llm if self.llm is None else self.llm

    def _pace(self) -> Pace:
        if self.pace is None:
            return Pace(max_concurrency=self.max_concurrency)
        return replace(self.pace, max_concurrency=self.max_concurrency)

    @asynccontextmanager
    async def _open_journal(self, calls: Calls) -> AsyncIterator[Journal]:
        if self.journal is None:
            yield self._left
            return
        journal = await calls.compute(Journal, self.journal)
        try:
            yield journal
        finally:
            await calls.compute(journal.close)

    # -- what a cache, a file and another process see -----------------------------------------------------------------

    def to_dict(self, **kwargs: Any) -> dict[str, Any]:
        """As `SerializableParser`. What a run costs, how fast it is and where its replies are kept is not in it, and so
        changes no cache key: `from_dict` warns that it is lost, where none of it is passed."""
        data = super().to_dict(**kwargs)
        llm = self._llm()
        data["llm"] = None if self.llm is None else reply_settings(self.llm)
        data["resolved"]["llm"] = llm and [import_path(type(llm)), reply_settings(llm) if self.llm is None else None]
        data["splitter"] = None if self.splitter is None else self.splitter.to_dict()
        return {name: canonical(value) for name, value in data.items()}

    @classmethod
    def _revive(cls, settings: dict[str, Any], resolved: dict[str, Any], trusted: bool) -> None:
        super()._revive(settings, resolved, trusted)
        if not any(name in settings for name in RUN):
            warn_caller(
                f"{cls.__name__}.from_dict() has {', '.join(RUN)} at their defaults, for to_dict() does not keep them: "
                f"pass those that you set, as from_dict(data, journal='replies.db'), or journal=None if you set none"
            )
        data = settings.get("llm")
        if isinstance(data, dict):
            known = RECOGNIZED_LLMS.get(str(data.get("class_name")))
            wanted = (resolved.get("llm") or [None])[0]
            if known is None or wanted != import_path(known):
                raise SettingError(f"from_dict() cannot make an LLM of class {wanted}: pass it, from_dict(data, llm=…)")
            settings["llm"] = load_llm(data)
        if isinstance(settings.get("splitter"), dict):
            settings["splitter"] = splitter_from_dict(settings["splitter"], trusted)

    def __getstate__(self) -> dict[str, Any]:
        llm = self.llm if self.llm is not None else self._llm()  # another process has other Settings
        check_pickles("llm", llm)
        check_pickles("splitter", self.splitter)
        state = super().__getstate__()
        return {**state, "__dict__": {**state["__dict__"], "llm": llm}}
