"""Documents in, propositions out: statements that stand alone, each with the sentences that it rests on."""

from __future__ import annotations

from typing import Unpack

from langchain_core.documents import Document
from langchain_core.language_models import BaseChatModel
from langchain_text_splitters import TextSplitter

from caesura.llm.prompts import PROPOSITIONS, Prompt
from caesura.llm.propositions import Extracted, Propositions
from langchain_caesura.asking import Asking, Common, _Run
from langchain_caesura.passages import cut_up
from langchain_caesura.steps import Steps


class PropositionTransformer(Asking):
    """Documents -> their propositions: short statements, one fact each, that can be understood alone.

    splitter: what cuts documents into passages; None: those over 2,000 characters, where their meaning turns. prompt:
    what the model is told. budget: how much of the documents goes into one request, in about a model's tokens. The
    other settings: `Asking`.

    A proposition has the metadata of its document, and ``parent_id``, the document's id, so that it can be given to
    `ParentDocumentRetriever` among its ``views``; ``start_index`` and ``end_index``, from the first to the last
    sentence that it rests on, in the document; ``spans``, each run of these sentences, as "0-41 80-112"; ``kept``,
    whether it is no statement of the model but a sentence of a passage that failed.

    Its id is made of the document's, its place and text, the prompt and the model. Every passage has propositions, but
    one that is blank, or of which the model says that it states nothing.
    """

    work = "Propositions"

    def __init__(
        self,
        llm: BaseChatModel,
        *,
        splitter: TextSplitter | None = None,
        prompt: Prompt = PROPOSITIONS,
        budget: int = 1500,
        **common: Unpack[Common],
    ) -> None:
        super().__init__(llm, **common)
        self.splitter, self.prompt, self._budget = splitter, prompt, budget
        Propositions((), prompt=prompt, budget=budget)  # which checks them

    def _steps(self, documents: list[Document], doing: _Run) -> Steps[list[Document]]:
        sources = yield from cut_up(documents, self.splitter, self._title_key)
        passages = [passage for source in sources for passage in source.passages]
        asked = Propositions(passages, prompt=self.prompt, budget=self._budget, on_failure=self._on_failure)
        found: list[Extracted] = yield doing.step(asked)
        extracted, of = iter(found), self._made_by(self.prompt)
        return [
            source.view("proposition", one.text, one.spans if placed else (), one.kept, of, {})
            for source in sources
            for placed in source.placed
            for one in next(extracted).propositions
        ]
