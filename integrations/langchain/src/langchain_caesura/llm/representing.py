"""Chunks in, texts that lead to them out: what summaries, questions and descriptions share."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Unpack

from langchain_core.documents import Document
from langchain_core.language_models import BaseChatModel

from caesura.llm.packed import Passage
from caesura.llm.prompts import Prompt
from caesura.llm.representations import Representations, Represented
from caesura.steps import Steps
from caesura.types import Span
from langchain_caesura.llm.asking import Asking, Common
from langchain_caesura.llm.call import Call
from langchain_caesura.llm.passages import uncut
from langchain_caesura.llm.source import Source


class Settings(Common, total=False):
    """The settings that these share."""

    budget: int


class Representing(Asking):
    """What summaries, questions and descriptions share: chunks in, and for each texts that lead to it.

    prompt: what the model is told. budget: how much of the chunks goes into one request, in about a model's tokens. The
    other settings: `Asking`.

    A text has the metadata of its chunk, and ``parent_id``, the chunk's id, so that it can be given to
    `ParentDocumentRetriever` among its ``views``; ``view``, what kind it is; ``start_index`` and ``end_index``, the
    chunk's; ``kept``, whether it is the chunk's own, in place of what failed. Its id is made of the chunk's, its text,
    the prompt and the model. A blank chunk has none.
    """

    work: str = "Representation"
    view: str = "Representation"
    _without = ""

    def __init__(self, llm: BaseChatModel, *, prompt: Prompt, budget: int = 3000, **common: Unpack[Common]) -> None:
        super().__init__(llm, **common)
        self.prompt: Prompt = prompt
        self._budget = budget
        self._conversation([])  # which checks them

    def _steps(self, documents: list[Document], call: Call) -> Steps[list[Document]]:
        sources = uncut(documents, self._title_key)
        asked = self._conversation(sources)
        found: list[Represented] = yield call.step(asked)
        return self._views(sources, found, asked.prompt)

    def _views(self, sources: list[Source], found: list[Represented], *prompts: Prompt) -> list[Document]:
        of, made = self._made_by(*prompts), []
        for source, one in zip(sources, found, strict=True):
            (passage,) = source.passages
            spans = [Span(passage.start, passage.start + len(passage.text))]
            made += [source.view(self.view, text, spans, one.kept, of, {}, self._without) for text in one.texts]
        return made

    def _settings(self) -> dict[str, Any]:
        return {"prompt": self.prompt, "budget": self._budget, "on_failure": self._on_failure}

    @abstractmethod
    def _conversation(self, sources: list[Source]) -> Representations: ...


def passages_of(sources: list[Source]) -> list[Passage]:
    """Sources of one passage each -> these."""
    return [source.passages[0] for source in sources]
