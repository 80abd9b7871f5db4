"""Propositions: documents or nodes in, statements that stand alone out, with the exact places that they rest on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from llama_index.core.bridge.pydantic import Field, PrivateAttr
from llama_index.core.schema import BaseNode, NodeRelationship, TextNode

from caesura.host.sentence_splitter import segmenter
from caesura.sansio import Calls
from caesura.text.sentences import sentences
from caesura.types import Span
from caesura_llm.agentic import Converse
from caesura_llm.prompts import PROPOSITIONS, Prompt
from caesura_llm.propositions import PassageResult, Propositions
from caesura_llm.spans import as_text, outside
from llama_index.node_parser.caesura.embedding_settings import Function
from llama_index.node_parser.caesura.nodes import document_id, id_reference, link, origin
from llama_index.node_parser.caesura.transformers.llm_node_parser import LLMNodeParser
from llama_index.node_parser.caesura.transformers.passage_nodes import (
    has_statements,
    node_fields,
    passage_of,
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

    @classmethod
    def class_name(cls) -> str:
        """The name under which `to_dict` files it."""
        return "PropositionTransformer"

    @property
    def uncovered(self) -> dict[str, list[Span]]:
        """By document, the sentences that no proposition of the last run rests on, in order."""
        return self._uncovered

    def _check(self) -> None:
        self._conversation([])

    def _conversation(self, passages: Sequence[BaseNode]) -> Propositions:
        segment = segmenter(self.sentence_splitter, sentences)
        asked = (passage_of(node, self.title_key) for node in passages)
        settings = {"prompt": self.prompt, "budget": self.budget, "segment": segment}
        return Propositions(asked, on_failure=self.on_failure, **settings)  # type: ignore[arg-type]

    async def _make(self, calls: Calls, passages: Sequence[BaseNode], converse: Converse) -> list[BaseNode]:
        results = await converse(self._conversation([node for node in passages if has_statements(node)]))
        return await calls.compute(self._wrap, passages, results)

    def _wrap(self, passages: Sequence[BaseNode], results: Sequence[PassageResult]) -> list[BaseNode]:
        waiting = iter(results)
        nodes: list[BaseNode] = []
        propositions: list[BaseNode] = []
        seen: set[str] = set()
        uncovered: dict[str, list[Span]] = {}
        covered: dict[str, list[Span]] = {}
        for node in passages:
            if not has_statements(node):
                nodes += [node] if passes_through(node) else []
                continue
            result = next(waiting)
            if origin(node) is not None:
                uncovered.setdefault(document_id(node), []).extend(result.uncovered)
                covered.setdefault(document_id(node), []).extend(s for one in result.propositions for s in one.spans)
            own = [one for one in self._nodes(node, result) if one.node_id not in seen]
            seen.update(one.node_id for one in own)
            propositions += own
            nodes += [_parent_of(own, node)] if self.include_passages else []
            nodes += own
        if self.include_prev_next_rel:
            link(propositions)
        left = {name: outside(spans, covered[name]) for name, spans in uncovered.items()}
        self._uncovered = {name: spans for name, spans in left.items() if spans}
        return nodes

    def _nodes(self, node: BaseNode, result: PassageResult) -> list[TextNode]:
        placed = origin(node) is not None
        nodes = []
        for number, one in enumerate(result.propositions):
            spans = one.spans if placed else None
            added = {"spans": as_text(spans) if spans else None, "kept": one.is_fallback}
            settings = self.id_func, number, self.include_metadata
            nodes.append(TextNode(**node_fields(node, "proposition", one.text, spans, added, *settings)))
        return nodes


def _parent_of(propositions: Sequence[BaseNode], passage: BaseNode) -> BaseNode:
    """A copy of a passage that is related to its propositions, as they are to it."""
    parent = passage.model_copy(update={"relationships": dict(passage.relationships)})
    for one in propositions:
        one.relationships[NodeRelationship.PARENT] = id_reference(parent)
    if propositions:
        parent.relationships[NodeRelationship.CHILD] = [id_reference(one) for one in propositions]
    return parent
