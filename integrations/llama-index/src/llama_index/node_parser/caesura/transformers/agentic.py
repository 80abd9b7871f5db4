"""Agentic chunks: nodes of all that a document says about one subject."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Literal

from llama_index.core.bridge.pydantic import Field
from llama_index.core.schema import BaseNode, TextNode

from caesura.checks import check_int, check_number
from caesura.sansio import Blocking, Calls
from caesura.text.align import segmenter
from caesura.text.sentences import sentences
from caesura.types import Segmenter, Sizer, Vectors
from caesura_documents.caller_warning import warn_caller
from caesura_llm.agentic import Converse, DocumentTopics, agentic
from caesura_llm.combined import Combined
from caesura_llm.conversation import Conversation
from caesura_llm.grouping import Topic, topic_sections
from caesura_llm.passages import Passage
from caesura_llm.prompts import PROPOSITIONS, TITLES, TOPICS, Prompt
from caesura_llm.propositions import Propositions
from caesura_llm.topics import Topics
from llama_index.node_parser.caesura.embedding_settings import EmbeddingParser
from llama_index.node_parser.caesura.metadata_budget import budget_warnings, sizer_with_metadata, text_budget
from llama_index.node_parser.caesura.nodes import link
from llama_index.node_parser.caesura.transformers.llm_node_parser import LLMNodeParser
from llama_index.node_parser.caesura.transformers.passage_nodes import (
    DerivedText,
    PassageNode,
    derived_fields,
    passages_of,
    passes_through,
    read_nodes,
)


@dataclass(frozen=True, slots=True)
class TopicNodes:
    """Makes nodes of the topics of passages. The other settings: `AgenticSplitter`."""

    passages: Sequence[PassageNode]
    size: Sizer
    chunk_size: int | None
    id_func: Callable[..., str]
    include_metadata: bool

    def build(self, grouped: DocumentTopics) -> list[TextNode]:
        """A document's topics -> their nodes."""
        topics = enumerate(grouped.topics)
        return [node for number, topic in topics for node in self._topic(grouped, number, topic)]

    def _topic(self, grouped: DocumentTopics, number: int, topic: Topic) -> Iterator[TextNode]:
        """The nodes of one topic, with the metadata that all its passages have in common."""
        of = sorted({grouped.propositions[member].passage for member in topic.members})
        passages = [self.passages[index] for index in of]
        first, *others = [passage.node for passage in passages]
        common = {
            key: value
            for key, value in first.metadata.items()
            if all(key in node.metadata and node.metadata[key] == value for node in others)
        }
        base = passages[0]._replace(node=first.model_copy(update={"metadata": common}))
        placed = all(passage.start is not None for passage in passages)
        titles = {"topic": number, "topic_title": topic.title, "topic_summary": topic.summary}
        (empty,) = self._build_nodes([DerivedText(base, "", None, titles, number)])
        hidden, measure = self._shown(empty)
        derived = [
            DerivedText(
                base,
                one.text,
                one.spans if placed else None,
                {**titles, "kept": one.is_fallback, "spans": None},
                number,
            )
            for one in topic_sections(topic, grouped.propositions, measure, self.chunk_size)
        ]
        for node in self._build_nodes(derived):
            node.excluded_embed_metadata_keys += hidden
            node.excluded_llm_metadata_keys += hidden
            yield node

    def _build_nodes(self, derived: Sequence[DerivedText]) -> list[TextNode]:
        fields = derived_fields("topic", derived, self.id_func, self.include_metadata)
        return [TextNode(**own) for own in fields]

    def _shown(self, node: TextNode) -> tuple[list[str], Sizer]:
        """Chooses which titles to hide, so that metadata take at most half of the room -> these keys and a sizer."""
        keys = list(node.excluded_embed_metadata_keys), list(node.excluded_llm_metadata_keys)
        for hidden in ([], ["topic_summary"], ["topic_summary", "topic_title"]):
            node.excluded_embed_metadata_keys, node.excluded_llm_metadata_keys = keys[0] + hidden, keys[1] + hidden
            measure = sizer_with_metadata(node, self.size)
            if self.chunk_size is None or 2 * (measure("a") - self.size("a")) <= self.chunk_size:
                break
        if self.chunk_size is not None and not text_budget(node, "a", self.size, self.chunk_size).has_room(self.size):
            measure = self.size  # they do not count then, as in every splitter
        return hidden, measure


class AgenticSplitter(LLMNodeParser, EmbeddingParser):
    """Groups what documents say by what it is about: propositions, as `PropositionTransformer` makes them, join topics.

    A node is a topic of one document, or the part of a large one that `chunk_size` has room for: its propositions, in
    order. Its metadata has ``topic``, the topic's number in the document, ``topic_title``, ``topic_summary``, ``kept``,
    ``spans``, the places in the document that it rests on, which `spans_of` reads, and what the metadata of all its
    passages has in common. Its SOURCE is the document; ids are made of document id, spans and text.

    References (of a summary, a question) and pictures go through. Nodes that have children are left out: these say it.
    """

    chunk_size: int | None = Field(
        default=512, description="The most tokens a node may have, metadata counted; None: any."
    )
    grouping: Literal["llm", "embedding", "sentences"] = Field(
        default="llm",
        description="Who sorts propositions: the LLM; the embedding alone; or it, and sentences, without any LLM.",
    )
    threshold: float | None = Field(
        default=None,
        description="The cosine with a topic from which it is the same; None: 0.5, by embedding alone 0.3.",
    )
    prompt: Prompt = Field(default=PROPOSITIONS, description="What the model is told of propositions.")
    topic_prompt: Prompt = Field(default=TOPICS, description="What it is told of topics.")
    title_prompt: Prompt = Field(default=TITLES, description="What it is told of their titles, when they have grown.")

    functions: ClassVar[tuple[str, ...]] = ("sentence_splitter", "tokenizer", "id_func")
    doing = "Propositions"

    def _check(self) -> None:
        super()._check()
        if self.chunk_size is not None:
            check_int("chunk_size", self.chunk_size, 1)
        if self.threshold is not None:
            check_number("threshold", self.threshold, -1, 1)
        self._own_background()
        if self.tokenizer is not None:
            self._size()
        self._propose(())

    def _llm(self) -> Any:
        return None if self.grouping == "sentences" else super()._llm()

    def _describe(self, conversation: Conversation[Any]) -> str:
        return "Topics" if isinstance(conversation, Combined) else self.doing

    def _propose(self, passages: Iterable[Passage]) -> Propositions:
        settings = {"prompt": self.prompt, "budget": self.budget, "segment": self._segment()}
        return Propositions(passages, on_failure=self.on_failure, **settings)  # type: ignore[arg-type]

    def _segment(self) -> Segmenter:
        return segmenter(self.sentence_splitter, sentences)

    def _group(self, propositions: Sequence[Passage], rows: Vectors) -> Topics:
        return Topics(
            propositions,
            rows,
            prompt=self.topic_prompt,
            titles=self.title_prompt,
            on_failure=self.on_failure,
            **self._threshold(),
        )

    def _threshold(self) -> dict[str, Any]:
        """The threshold if one was given; each way of grouping has its own default."""
        return {} if self.threshold is None else {"threshold": self.threshold}

    # -- the work ---------------------------------------------------------------------------------------------------

    async def _make(self, calls: Calls, passages: Sequence[BaseNode], converse: Converse) -> list[BaseNode]:
        read = read_nodes(passages)
        by_document: dict[str, list[PassageNode]] = {}
        for one in read:
            if one.has_statements:
                by_document.setdefault(one.document_id, []).append(one)
        documents = list(by_document.values())
        size, every = await calls.compute(self._size), [one for document in documents for one in document]
        for message in await calls.compute(self._budget_warnings, every, size):
            warn_caller(message)
        model = self._model()
        embed, aembed = self._embed(model, False)
        grouped = await agentic(
            calls,
            [passages_of(document, self.title_key) for document in documents],
            converse,
            embed if isinstance(calls, Blocking) else aembed,
            None if self.grouping == "sentences" else self._propose,
            self._group if self.grouping == "llm" else None,
            background=self._own_background() or await calls.compute(self._cache.get, model),
            calibrated=self.calibrated,
            segment=self._segment(),
            keep_background=partial(self._cache.put, model),
            **self._threshold(),
        )
        others = [one.node for one in read if not one.has_statements]
        result = [node for node in others if not node.child_nodes and passes_through(node)]
        builder = TopicNodes(every, size, self.chunk_size, self.id_func, self.include_metadata)
        for own in await calls.compute(lambda: [builder.build(topics) for topics in grouped]):
            if self.include_prev_next_rel:
                link(own)
            result += own
        return result

    def _budget_warnings(self, passages: Sequence[PassageNode], size: Sizer) -> list[str]:
        """Returns what to warn of where metadata leave a passage little room, or none."""
        if self.chunk_size is None or not self.include_metadata:
            return []
        budgets = [text_budget(one.node, one.text, size, self.chunk_size) for one in passages]
        return budget_warnings(budgets, size)
