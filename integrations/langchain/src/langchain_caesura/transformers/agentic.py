"""Agentic chunks: all that a document says about one subject, with a title and a summary."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, Literal, Unpack

from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_text_splitters import TextSplitter

from caesura.checks import check_int, check_number
from caesura.errors import SettingError
from caesura.host.session import BackgroundCache
from caesura.sansio import Blocking, Calls
from caesura.text.align import SentenceSplitter, segmenter
from caesura.text.sentences import sentences
from caesura.types import Embed, Vectors
from caesura_llm.agentic import DocumentTopics, agentic
from caesura_llm.grouping import topic_sections
from caesura_llm.passages import Passage
from caesura_llm.prompts import PROPOSITIONS, TITLES, TOPICS, Prompt, check_prompt
from caesura_llm.propositions import Propositions
from caesura_llm.report import Report
from caesura_llm.topics import Topics
from langchain_caesura.base import require_sizer
from langchain_caesura.embeddings import StaticEmbeddings, aembed_function, check_embeddings, embed_function
from langchain_caesura.transformers.chat_models import Model
from langchain_caesura.transformers.llm_transformer import LLMSettings, LLMTransformer
from langchain_caesura.transformers.passages import (
    DerivedDocument,
    SourceDocument,
    check_splitter,
    derive_documents,
    split_sources,
)


class AgenticSplitter(LLMTransformer):
    """Documents -> chunks of what they say about one thing, each with a title and a summary.

    In two passes, of many texts per request: documents become propositions, as by `PropositionTransformer`, and these
    join topics. llm: None: sentences take the place of propositions, and they join by embedding alone.

    embeddings: what topics are looked for by; None is the built-in model. grouping: "llm", or "embedding", which asks
    the model for propositions only. threshold: the cosine with a topic from which a proposition joins it by embedding;
    None: ours. chunk_size: the most a chunk may measure, in `length_function`'s units; a larger topic is several
    chunks; None: any. length_function: measures a text; `len` counts characters. budget: how much of the documents goes
    into one request, in about a model's tokens. splitter: what cuts documents into passages; None: ours.
    sentence_splitter: a function that takes a text and returns its sentences, or the places where they begin and end.
    None: our rules. prompt, topic_prompt, title_prompt: what the model is told. calibrated: whether vectors are centred
    on the embedder's background. batch_size: the most texts in one call of the embeddings. The other settings:
    `LLMTransformer`.

    A chunk has the metadata of its document, and ``parent_id``, the document's id; ``topic``, its number in there;
    ``topic_title``, ``topic_summary``; ``start_index``, ``end_index``, ``spans`` and ``kept`` as propositions have.
    """

    work = "Agentic splitting"
    _without_llm = True

    def __init__(
        self,
        llm: Model | None,
        *,
        embeddings: Embeddings | Embed | None = None,
        grouping: Literal["llm", "embedding"] | None = None,
        threshold: float | None = None,
        chunk_size: int | None = 2000,
        length_function: Callable[[str], int] = len,
        splitter: TextSplitter | None = None,
        sentence_splitter: SentenceSplitter | None = None,
        prompt: Prompt = PROPOSITIONS,
        topic_prompt: Prompt = TOPICS,
        title_prompt: Prompt = TITLES,
        budget: int = 1500,
        calibrated: bool = True,
        batch_size: int | None = None,
        **common: Unpack[LLMSettings],
    ) -> None:
        super().__init__(llm, **common)
        if grouping not in (None, "llm", "embedding"):
            raise SettingError(f"grouping must be 'llm' or 'embedding', got {grouping!r}")
        if grouping == "llm" and llm is None:
            raise SettingError("grouping='llm' needs an llm; without one, sentences are grouped by embedding")
        if threshold is not None:
            check_number("threshold", threshold, -1, 1)
        check_prompt("topic_prompt", topic_prompt)
        check_prompt("title_prompt", title_prompt)
        require_sizer("length_function", length_function)
        for name, size in (("chunk_size", chunk_size), ("batch_size", batch_size)):
            if size is not None:
                check_int(name, size, 1)
        self.embeddings: Embeddings | Embed = StaticEmbeddings() if embeddings is None else check_embeddings(embeddings)
        self.splitter: TextSplitter | None = check_splitter(splitter)
        self.prompts: tuple[Prompt, Prompt, Prompt] = (prompt, topic_prompt, title_prompt)
        self._grouping = grouping or ("embedding" if llm is None else "llm")
        self._threshold: dict[str, Any] = {} if threshold is None else {"threshold": threshold}
        self._size, self._chunk_size, self._budget = length_function, chunk_size, budget
        self._calibrated, self._batch_size, self._cache = calibrated, batch_size, BackgroundCache()
        self._segment = segmenter(sentence_splitter, sentences)
        self._propose(())  # which checks them

    async def _make(self, report: Report, calls: Calls, documents: list[Document]) -> list[Document]:
        sources = await split_sources(calls, documents, self.splitter, self._title_key)
        grouped = await agentic(
            calls,
            [source.passages for source in sources],
            partial(self._converse, report, calls),
            (embed_function if isinstance(calls, Blocking) else aembed_function)(self.embeddings),
            None if self._client is None else self._propose,
            self._group if self._grouping == "llm" else None,
            background=await calls.compute(self._cache.get, self.embeddings),
            calibrated=self._calibrated,
            batch_size=self._batch_size,
            segment=self._segment,
            keep_background=partial(self._cache.put, self.embeddings),
            **self._threshold,
        )
        return await calls.compute(self._documents, sources, grouped)

    def _propose(self, passages: Iterable[Passage]) -> Propositions:
        prompt, budget, segment = self.prompts[0], self._budget, self._segment
        return Propositions(passages, prompt=prompt, budget=budget, segment=segment, on_failure=self._on_failure)

    def _group(self, propositions: Sequence[Passage], rows: Vectors) -> Topics:
        _, prompt, titles = self.prompts
        settings = {**self._threshold, "on_failure": self._on_failure}
        return Topics(propositions, rows, prompt=prompt, titles=titles, **settings)

    def _documents(self, sources: list[SourceDocument], grouped: list[DocumentTopics]) -> list[Document]:
        derived: list[DerivedDocument] = []
        for source, topics in zip(sources, grouped, strict=True):
            placed = all(source.placed)
            for number, topic in enumerate(topics.topics):
                added = {"topic": number, "topic_title": topic.title, "topic_summary": topic.summary}
                for one in topic_sections(topic, topics.propositions, self._size, self._chunk_size):
                    spans = one.spans if placed else ()
                    derived.append(DerivedDocument(source, one.text, spans, one.is_fallback, added))
        return derive_documents("topic", derived, self._made_by(*self.prompts))
