"""Documents or nodes in, nodes out that a language model had a part in: what is asked, by whom, at which pace, for what
price."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Annotated, Any, ClassVar, Self, TypeVar

from llama_index.core import Settings
from llama_index.core.bridge.pydantic import BeforeValidator, Field, PrivateAttr, SerializeAsAny
from llama_index.core.instrumentation import get_dispatcher
from llama_index.core.llms import LLM
from llama_index.core.llms.loading import RECOGNIZED_LLMS, load_llm
from llama_index.core.llms.structured_llm import StructuredLLM
from llama_index.core.node_parser import NodeParser
from llama_index.core.schema import BaseNode, Document

from caesura.checks import OnFailure
from caesura.errors import SettingError
from caesura.identity import canonical, import_path
from caesura.sansio import Step, Steps
from caesura.sansio import arun_steps as arun
from caesura.sansio import run_steps as run
from caesura_llm.conversation import Conversation
from caesura_llm.driver import HostRun
from caesura_llm.journal import Journal, Memory
from caesura_llm.report import Prices, Report
from caesura_llm.retries import Pace
from llama_index.node_parser.caesura.serialization import Filed, must_pickle
from llama_index.node_parser.caesura.splitters import OptimalSemanticSplitter, revived
from llama_index.node_parser.caesura.transformers.capture import aclient_copy, client_copy
from llama_index.node_parser.caesura.transformers.client import (
    AsyncChat,
    Chat,
    reply_settings,
    journal_name,
    uses_structured_output,
)
from llama_index.node_parser.caesura.transformers.nodes import whole_node

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Call:
    """One run's way to the language model. structured: as `uses_structured_output` takes it. journalled: gives the journal."""

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
            client_copy(self.llm) as copy,
            self.journalled() as journal,
            self.host_run.of(journal, known[1], doing) as (driver, report),
        ):
            return list(driver.stream(conversation, Chat(copy, *known), report))

    async def _arun(self, conversation: Conversation[R], doing: str) -> list[R]:
        known = self._known()
        async with aclient_copy(self.llm) as copy:
            with self.journalled() as journal, self.host_run.of(journal, known[1], doing) as (driver, report):
                return [one async for one in driver.astream(conversation, AsyncChat(copy, *known), report)]

    def _known(self) -> tuple[bool, str, str | None]:
        """What the LLM's client is told: whether by forms, its name, its system prompt."""
        structured = uses_structured_output(self.llm, self.structured)
        return structured, journal_name(self.llm, structured), self.llm.system_prompt


logger: logging.Logger = logging.getLogger(__name__)
_dispatcher = get_dispatcher(__name__)


def _llm(value: Any) -> Any:
    """What may be given as llm -> the same. Raises `SettingError`, which pydantic passes on as its own."""
    if value is None or (isinstance(value, LLM) and not isinstance(value, StructuredLLM)):
        return value
    remedy = ": pass the LLM that is inside" if isinstance(value, StructuredLLM) else ""
    raise SettingError(f"llm must be an LLM of LlamaIndex, or None for Settings.llm; got {value!r:.80}{remedy}")


class LLMNodeParser(Filed):
    """What parsers that ask a language model share. Each reply is kept as it arrives, and a run that was stopped, or
    failed, goes on where it was when it is called again: with a `journal` in any process, without in this object.

    `report` says what the last run has cost and what it could not do.
    """

    llm: Annotated[SerializeAsAny[LLM] | None, BeforeValidator(_llm)] = Field(
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
        default_factory=OptimalSemanticSplitter,
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
    prices: Prices | None = Field(default=None, exclude=True, description="Of a million tokens, in and out.")
    show_progress: bool = Field(default=False, exclude=True, description="Whether a bar shows passages that are done.")

    doing: ClassVar[str] = "Asking"
    _report: Report | None = PrivateAttr(default=None)
    _left: Memory | None = PrivateAttr(default=None)

    @classmethod
    def from_defaults(cls, llm: LLM | None = None, **settings: Any) -> Self:
        """The constructor, under the name that LlamaIndex uses. None means the default, save for `splitter`."""
        given = {name: value for name, value in settings.items() if value is not None or name == "splitter"}
        return cls(llm=llm, **given)

    def __init__(self, llm: LLM | None = None, **settings: Any) -> None:
        super().__init__(llm=llm, **settings)  # type: ignore[call-arg]
        self._pace()
        self._check()  # so that a bad setting is refused here

    @property
    def report(self) -> Report | None:
        """What the last run in this object has done so far; None before the first."""
        return self._report

    def forget_failures(self) -> int:
        """Deletes the replies that led to the last run's failures, so that the next run asks again -> how many there
        were. Raises `SettingError` without a journal, where nothing is kept of a run that has ended."""
        if self.journal is None:
            raise SettingError("replies are forgotten of a journal: give one, as journal='replies.db'")
        if self._report is None or not self._report.failures:
            return 0
        name = journal_name(self._asked(), uses_structured_output(self._asked(), self.structured))
        with Journal(self.journal) as journal:
            return journal.forget(name, self._report.failures)

    # -- what subclasses say -------------------------------------------------------------------------------------------

    def _check(self) -> None:
        """Raises `SettingError` for settings that cannot serve."""

    def _made(self, passages: Sequence[BaseNode], call: Call) -> Steps[list[BaseNode]]:
        """Passages, and other nodes between them, -> nodes."""
        raise NotImplementedError

    # -- the work ---------------------------------------------------------------------------------------------------

    def _parse_nodes(self, nodes: Sequence[BaseNode], show_progress: bool = False, **kwargs: Any) -> list[BaseNode]:
        return run(self._steps(nodes, show_progress))

    @_dispatcher.span
    async def _aparse_nodes(
        self, nodes: Sequence[BaseNode], show_progress: bool = False, **kwargs: Any
    ) -> list[BaseNode]:
        return await arun(self._steps(nodes, show_progress))

    def _steps(self, nodes: Sequence[BaseNode], show_progress: bool) -> Steps[list[BaseNode]]:
        passages: list[BaseNode] = []
        for document, group in groupby(nodes, lambda node: isinstance(node, Document)):
            held = list(group)
            if document and self.splitter is not None:
                held = yield from _split(self.splitter, held)
            passages += [made for node in held for made in (whole_node(node) if isinstance(node, Document) else [node])]
        self._report = Report(self.prices)
        host_run = HostRun(self._report, self._pace(), self.prices, show_progress or self.show_progress)
        call = Call(self._asked(), self.structured, host_run, self._journalled)
        made = yield from self._made(passages, call)
        self._left = None
        logger.info("%s: %s", type(self).__name__, self._report)
        return made

    def _asked(self) -> Any:
        return Settings.llm if self.llm is None else self.llm

    def _pace(self) -> Pace:
        return replace(self.pace or Pace(), max_concurrency=self.max_concurrency)

    @contextmanager
    def _journalled(self) -> Iterator[Journal]:
        if self.journal is None:
            self._left = self._left or Memory()
            yield self._left
            return
        with Journal(self.journal) as journal:
            yield journal

    # -- what a cache, a file and another process see -----------------------------------------------------------------

    def to_dict(self, **kwargs: Any) -> dict[str, Any]:
        """See `Filed`. What a run costs and how fast it is, and where its replies are kept, is not in it."""
        data = super().to_dict(**kwargs)
        llm = self._asked()
        data["llm"] = None if self.llm is None else reply_settings(self.llm)
        data["resolved"]["llm"] = llm and [import_path(type(llm)), reply_settings(llm) if self.llm is None else None]
        data["splitter"] = None if self.splitter is None else self.splitter.to_dict()
        return {name: canonical(value) for name, value in data.items()}

    @classmethod
    def _revive(cls, settings: dict[str, Any], resolved: dict[str, Any], trusted: bool) -> None:
        super()._revive(settings, resolved, trusted)
        data = settings.get("llm")
        if isinstance(data, dict):
            known = RECOGNIZED_LLMS.get(str(data.get("class_name")))
            wanted = (resolved.get("llm") or [None])[0]
            if known is None or wanted != import_path(known):
                raise SettingError(f"from_dict() cannot make an LLM of class {wanted}: pass it, from_dict(data, llm=…)")
            settings["llm"] = load_llm(data)
        if isinstance(settings.get("splitter"), dict):
            settings["splitter"] = revived(settings["splitter"], trusted)

    def __getstate__(self) -> dict[str, Any]:
        llm = self.llm if self.llm is not None else self._asked()  # another process has other Settings
        must_pickle("llm", llm)
        must_pickle("splitter", self.splitter)
        state = super().__getstate__()
        return {**state, "__dict__": {**state["__dict__"], "llm": llm}}


def _split(splitter: NodeParser, documents: list[BaseNode]) -> Steps[list[BaseNode]]:
    found: Sequence[BaseNode] = yield Step(lambda: splitter(documents), lambda: splitter.acall(documents))
    return list(found)
