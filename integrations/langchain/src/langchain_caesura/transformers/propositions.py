"""Propositions: documents in, statements that stand alone out, each with the sentences that it rests on."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Unpack

from langchain_core.documents import Document
from langchain_text_splitters import TextSplitter

from caesura.sansio import Calls
from caesura.text.align import SentenceSplitter, segmenter
from caesura.text.sentences import sentences
from caesura.types import Span
from caesura_llm.passages import Passage
from caesura_llm.prompts import PROPOSITIONS, Prompt
from caesura_llm.propositions import PassageResult, Propositions
from caesura_llm.report import Report
from caesura_llm.spans import outside
from langchain_caesura.transformers.chat_models import Model
from langchain_caesura.transformers.llm_transformer import LLMSettings, LLMTransformer
from langchain_caesura.transformers.passages import (
    DerivedDocument,
    SourceDocument,
    check_splitter,
    derive_documents,
    split_sources,
)


class PropositionTransformer(LLMTransformer):
    """Documents -> their propositions: short statements, one fact each, that can be understood alone.

    splitter: what cuts documents into passages; None: those over 2,000 characters, where their meaning turns. prompt:
    what the model is told. sentence_splitter: str -> list of str, or edges: what is numbered; None: our sentence rules.
    budget: how much of the documents goes into one request, in about a model's tokens. The other settings:
    `LLMTransformer`.

    A proposition has the metadata of its document, and ``parent_id``, the document's id, so that it can be given to
    `ParentDocumentRetriever` among its ``views``; ``start_index`` and ``end_index``, from the first to the last
    sentence that it rests on, in the document; ``spans``, each run of these sentences, as "0-41 80-112"; ``kept``,
    whether it is no statement of the model but a sentence of a passage that failed.

    Its id is made of the document's, its place and text, the prompt and the model. Every passage has propositions, but
    one that is blank, or of which the model says that it states nothing.
    """

    uncovered: dict[str, list[Span]]
    """By document id, the sentences that no proposition of the last call rests on: their places, in order."""

    work = "Propositions"

    def __init__(
        self,
        llm: Model,
        *,
        splitter: TextSplitter | None = None,
        prompt: Prompt = PROPOSITIONS,
        sentence_splitter: SentenceSplitter | None = None,
        budget: int = 1500,
        **common: Unpack[LLMSettings],
    ) -> None:
        super().__init__(llm, **common)
        self.splitter: TextSplitter | None = check_splitter(splitter)
        self.prompt: Prompt = prompt
        self.uncovered = {}
        self._budget, self._segment = budget, segmenter(sentence_splitter, sentences)
        self._uncovered_of = self._report  # the call that it is about
        self._covered: dict[str, list[Span]] = {}
        self._conversation(())  # which checks them

    async def _make(self, report: Report, calls: Calls, documents: list[Document]) -> list[Document]:
        sources = await split_sources(calls, documents, self.splitter, self._title_key)
        passages = [passage for source in sources for passage in source.passages]
        results = await self._converse(report, calls, await calls.compute(self._conversation, passages))
        if report is not self._uncovered_of:  # and not a further window of the same call
            self._uncovered_of, self._covered, self.uncovered = report, {}, {}
        return await calls.compute(self._documents, sources, results)

    def _documents(self, sources: list[SourceDocument], results: list[PassageResult]) -> list[Document]:
        placed = [(source, is_placed) for source in sources for is_placed in source.placed]
        derived = [
            DerivedDocument(source, one.text, one.spans if is_placed else (), one.is_fallback)
            for (source, is_placed), result in zip(placed, results, strict=True)
            for one in result.propositions
        ]
        for (source, is_placed), result in zip(placed, results, strict=True):
            if is_placed:
                self._note_uncovered(source.name, result)
        return derive_documents("proposition", derived, self._made_by(self.prompt))

    def _note_uncovered(self, name: str, result: PassageResult) -> None:
        """What lies in several passages is covered where a proposition of one of them rests on it."""
        covered = self._covered.setdefault(name, [])
        covered += [span for one in result.propositions for span in one.spans]
        if uncovered := outside([*self.uncovered.pop(name, ()), *result.uncovered], covered):
            self.uncovered[name] = uncovered

    def _conversation(self, passages: Iterable[Passage]) -> Propositions:
        prompt, budget, segment = self.prompt, self._budget, self._segment
        return Propositions(passages, prompt=prompt, budget=budget, segment=segment, on_failure=self._on_failure)
