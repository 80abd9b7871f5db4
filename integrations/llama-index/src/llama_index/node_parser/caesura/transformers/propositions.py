"""Documents or nodes in; propositions out: statements that stand alone, with the exact places that they rest on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from llama_index.core.bridge.pydantic import Field, PrivateAttr
from llama_index.core.schema import BaseNode, NodeRelationship, TextNode

from caesura.plugin.sentences import segmenter
from caesura.sansio import Steps
from caesura.text.sentences import sentences
from caesura.types import Span
from caesura_llm.prompts import PROPOSITIONS, Prompt
from caesura_llm.propositions import PassageResult, Propositions
from caesura_llm.spans import as_text, outside
from llama_index.node_parser.caesura.embedding import Function
from llama_index.node_parser.caesura.nodes import document_of, link, named_only, origin
from llama_index.node_parser.caesura.transformers.base import Call, LLMNodeParser
from llama_index.node_parser.caesura.transformers.nodes import node_fields, passes_through, passage_of, has_statements


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

    def _made(self, passages: Sequence[BaseNode], call: Call) -> Steps[list[BaseNode]]:
        asked = [node for node in passages if has_statements(node)]
        found = yield from call(self._conversation(asked), self.doing)
        return self._wrapped(passages, found)

    def _wrapped(self, passages: Sequence[BaseNode], found: Sequence[PassageResult]) -> list[BaseNode]:
        waiting = iter(found)
        made: list[BaseNode] = []
        propositions: list[BaseNode] = []
        seen: set[str] = set()
        bare: dict[str, list[Span]] = {}
        covered: dict[str, list[Span]] = {}
        for node in passages:
            if not has_statements(node):
                made += [node] if passes_through(node) else []
                continue
            extracted = next(waiting)
            if origin(node) is not None:
                bare.setdefault(document_of(node), []).extend(extracted.uncovered)
                covered.setdefault(document_of(node), []).extend(s for one in extracted.propositions for s in one.spans)
            own = [one for one in self._nodes(node, extracted) if one.node_id not in seen]
            seen.update(one.node_id for one in own)
            propositions += own
            if self.include_passages:
                parent = node.model_copy(update={"relationships": dict(node.relationships)})
                for one in own:
                    one.relationships[NodeRelationship.PARENT] = named_only(parent)
                if own:
                    parent.relationships[NodeRelationship.CHILD] = [named_only(one) for one in own]
                made.append(parent)
            made += own
        if self.include_prev_next_rel:
            link(propositions)
        told = {name: outside(spans, covered[name]) for name, spans in bare.items()}
        self._uncovered = {name: spans for name, spans in told.items() if spans}
        return made

    def _nodes(self, node: BaseNode, extracted: PassageResult) -> list[TextNode]:
        placed = origin(node) is not None
        made = []
        for number, one in enumerate(extracted.propositions):
            spans = one.spans if placed else None
            added = {"spans": as_text(spans) if spans else None, "kept": one.kept}
            settings = self.id_func, number, self.include_metadata
            made.append(TextNode(**node_fields(node, "proposition", one.text, spans, added, *settings)))
        return made
