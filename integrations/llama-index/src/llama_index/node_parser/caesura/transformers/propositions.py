"""Propositions: documents or nodes in, statements that stand alone out, with the exact places that they rest on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from llama_index.core.bridge.pydantic import Field, PrivateAttr
from llama_index.core.schema import BaseNode, NodeRelationship, TextNode

from caesura.sansio import Calls
from caesura.text.align import segmenter
from caesura.text.sentences import sentences
from caesura.types import Span
from caesura_llm.agentic import Converse
from caesura_llm.prompts import PROPOSITIONS, Prompt
from caesura_llm.propositions import PassageResult, Propositions
from caesura_llm.spans import outside
from llama_index.node_parser.caesura.embedding_settings import Function
from llama_index.node_parser.caesura.nodes import id_reference, link
from llama_index.node_parser.caesura.transformers.llm_node_parser import LLMNodeParser
from llama_index.node_parser.caesura.transformers.passage_nodes import (
    DerivedText,
    PassageNode,
    derived_fields,
    nodes_with_statements,
    passages_of,
    passes_through,
)


class PropositionTransformer(LLMNodeParser):
    """Breaks documents into propositions, one fact each, that can be understood alone.

    A proposition is a `TextNode`. Its metadata has ``spans``, the places in its document of the sentences that it rests
    on, as "0-41 80-112", which `spans_of` reads; `start_char_idx` and `end_char_idx` are from the first to the last.
    ``kept`` is true where a sentence of the text stands in for what failed. Its SOURCE is the document. Ids are made of
    document id, spans and text, so that passages that overlap give a proposition once.

    With `include_passages`, each passage comes before its propositions, as their PARENT: `HierarchyIndex` then searches
    propositions and returns passages. Nodes that have children, and references (of a summary, a question) go through.

    `uncovered` says which sentences of which documents no proposition of the last run rests on.
    """

    prompt: Prompt = Field(default=PROPOSITIONS, description="What the model is told.")
    include_passages: bool = Field(default=False, description="Whether passages come too, as parents.")
    sentence_splitter: Function | None = Field(
        default=None, description="str -> list of str, or edges: what is numbered; None: our sentence rules."
    )

    functions: ClassVar[tuple[str, ...]] = ("sentence_splitter", "id_func")
    doing = "Propositions"
    _uncovered: dict[str, list[Span]] = PrivateAttr(default_factory=dict)

    @property
    def uncovered(self) -> dict[str, list[Span]]:
        """By document, the sentences that no proposition of the last run rests on, in order."""
        return dict(self._uncovered)

    def _check(self) -> None:
        super()._check()
        self._conversation([])

    def _conversation(self, nodes: Sequence[PassageNode]) -> Propositions:
        asked = passages_of(nodes, self.title_key)
        settings = {"prompt": self.prompt, "budget": self.budget}
        segment = segmenter(self.sentence_splitter, sentences)
        return Propositions(asked, segment=segment, on_failure=self.on_failure, **settings)  # type: ignore[arg-type]

    async def _make(self, calls: Calls, passages: Sequence[BaseNode], converse: Converse) -> list[BaseNode]:
        asked = nodes_with_statements(passages)
        results = await converse(await calls.compute(self._conversation, asked))
        return await calls.compute(self._wrap, passages, asked, results)

    def _wrap(
        self, passages: Sequence[BaseNode], asked: Sequence[PassageNode], results: Sequence[PassageResult]
    ) -> list[BaseNode]:
        self._note_uncovered(asked, results)
        waiting = dict(zip((id(one.node) for one in asked), self._nodes(asked, results), strict=True))
        nodes: list[BaseNode] = []
        propositions: list[BaseNode] = []
        seen: set[str] = set()
        for node in passages:
            if id(node) not in waiting:
                nodes += [node] if passes_through(node) else []
                continue
            own = [one for one in waiting[id(node)] if one.node_id not in seen]
            seen.update(one.node_id for one in own)
            propositions += own
            nodes += [_parent_of(own, node)] if self.include_passages else []
            nodes += own
        if self.include_prev_next_rel:
            link(propositions)
        return nodes

    def _nodes(self, asked: Sequence[PassageNode], results: Sequence[PassageResult]) -> list[list[TextNode]]:
        """The propositions of each passage."""
        derived = [
            DerivedText(
                passage,
                one.text,
                None if passage.start is None else one.spans,
                {"spans": None, "kept": one.is_fallback},
                number,
            )
            for passage, result in zip(asked, results, strict=True)
            for number, one in enumerate(result.propositions)
        ]
        fields = iter(derived_fields("proposition", derived, self.id_func, self.include_metadata))
        return [[TextNode(**next(fields)) for _ in result.propositions] for result in results]

    def _note_uncovered(self, asked: Sequence[PassageNode], results: Sequence[PassageResult]) -> None:
        """What lies in several passages is covered where a proposition of one of them rests on it."""
        uncovered: dict[str, list[Span]] = {}
        covered: dict[str, list[Span]] = {}
        for passage, result in zip(asked, results, strict=True):
            if passage.start is not None:
                uncovered.setdefault(passage.document_id, []).extend(result.uncovered)
                resting = [span for one in result.propositions for span in one.spans]
                covered.setdefault(passage.document_id, []).extend(resting)
        self._uncovered.clear()
        for name, spans in uncovered.items():
            if left := outside(spans, covered[name]):
                self._uncovered[name] = left


def _parent_of(propositions: Sequence[BaseNode], passage: BaseNode) -> BaseNode:
    """Copies a passage as the parent of its propositions."""
    parent = passage.model_copy(update={"relationships": dict(passage.relationships)})
    for one in propositions:
        one.relationships[NodeRelationship.PARENT] = id_reference(parent)
    if propositions:
        parent.relationships[NodeRelationship.CHILD] = [id_reference(one) for one in propositions]
    return parent
