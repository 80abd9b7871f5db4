"""Summaries, questions and descriptions: nodes in, the same out, each followed by references to it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llama_index.core.bridge.pydantic import Field
from llama_index.core.schema import BaseNode, IndexNode

from caesura.sansio import Calls
from caesura_llm.agentic import Converse
from caesura_llm.conversation import Combined, Conversation
from caesura_llm.prompts import DESCRIPTION, IMAGE, QUESTIONS, SUMMARY, Prompt
from caesura_llm.representations import (
    ChunkResult,
    descriptions,
    image_descriptions,
    needs_description,
    questions,
    summaries,
)
from llama_index.node_parser.caesura.nodes import text_of
from llama_index.node_parser.caesura.transformers.llm_node_parser import LLMNodeParser
from llama_index.node_parser.caesura.transformers.passage_nodes import has_image, node_fields, passage_of, place_of


class RepresentationTransformer(LLMNodeParser):
    """What these transformers share: after each node come `IndexNode`s whose `index_id` is the node's id.

    A `RecursiveRetriever` follows them, and so do `MergingRetriever` and `HierarchyIndex`. A reference has the node's
    metadata, place and SOURCE; ``view`` in its metadata says what it is, ``kept`` whether it is the node's own text, in
    place of what failed. Ids are made of document id, place and text. References among the input go through.
    """

    budget: int = Field(default=3000, description="Size of the passages of a request, a token taken as 4 characters.")

    def _check(self) -> None:
        self._conversation([])

    def _wanted(self, node: BaseNode) -> bool:
        return bool(text_of(node).strip())

    def _view(self, node: BaseNode) -> str:
        raise NotImplementedError

    def _conversation(self, nodes: Sequence[BaseNode]) -> Conversation[Any]:
        raise NotImplementedError

    def _in_order(self, nodes: Sequence[BaseNode], results: list[Any]) -> list[ChunkResult]:
        return results

    def _settings(self) -> dict[str, Any]:
        return {"budget": self.budget, "on_failure": self.on_failure}

    async def _make(self, calls: Calls, passages: Sequence[BaseNode], converse: Converse) -> list[BaseNode]:
        asked = [node for node in passages if not isinstance(node, IndexNode) and self._wanted(node)]
        results = await converse(self._conversation(asked))
        by_node = dict(zip((id(node) for node in asked), self._in_order(asked, results), strict=True))
        return await calls.compute(self._wrap, passages, by_node)

    def _wrap(self, passages: Sequence[BaseNode], results: dict[int, ChunkResult]) -> list[BaseNode]:
        nodes: list[BaseNode] = []
        for node in passages:
            nodes.append(node)
            if id(node) not in results:
                continue
            result, place, view = results[id(node)], place_of(node), self._view(node)
            for number, text in enumerate(result.texts):
                settings = self.id_func, number, self.include_metadata
                fields = node_fields(node, view, text, place and [place], {"kept": result.is_fallback}, *settings)
                nodes.append(IndexNode(**fields, index_id=node.node_id))
        return nodes


class SummaryTransformer(RepresentationTransformer):
    """Gives each node a summary, as a reference to it."""

    prompt: Prompt = Field(default=SUMMARY, description="What the model is told.")

    doing = "Summaries"

    @classmethod
    def class_name(cls) -> str:
        """The name under which `to_dict` files it."""
        return "SummaryTransformer"

    def _view(self, node: BaseNode) -> str:
        return "summary"

    def _conversation(self, nodes: Sequence[BaseNode]) -> Conversation[Any]:
        return summaries((passage_of(node, self.title_key) for node in nodes), self.prompt, **self._settings())


class QuestionTransformer(RepresentationTransformer):
    """Gives each node up to `n` questions that it answers, as references to it."""

    n: int = Field(default=3, description="How many questions.")
    prompt: Prompt = Field(default=QUESTIONS, description="What the model is told; {n} stands for their number.")

    doing = "Questions"

    @classmethod
    def class_name(cls) -> str:
        """The name under which `to_dict` files it."""
        return "QuestionTransformer"

    def _view(self, node: BaseNode) -> str:
        return "question"

    def _conversation(self, nodes: Sequence[BaseNode]) -> Conversation[Any]:
        asked = (passage_of(node, self.title_key) for node in nodes)
        return questions(asked, self.n, self.prompt, **self._settings())


class DescriptionTransformer(RepresentationTransformer):
    """Gives a description, as a reference to it, to each node that holds a table, code or a formula, and to each with a
    picture, which the LLM must be able to see. The other nodes go through."""

    prompt: Prompt = Field(default=DESCRIPTION, description="What the model is told of tables, code and formulas.")
    image_prompt: Prompt = Field(default=IMAGE, description="What the model is told of pictures.")

    doing = "Descriptions"

    @classmethod
    def class_name(cls) -> str:
        """The name under which `to_dict` files it."""
        return "DescriptionTransformer"

    def _view(self, node: BaseNode) -> str:
        return "description"

    def _wanted(self, node: BaseNode) -> bool:
        return has_image(node) or needs_description(text_of(node))

    def _conversation(self, nodes: Sequence[BaseNode]) -> Conversation[Any]:
        texts = (passage_of(node, self.title_key) for node in nodes if not has_image(node))
        pictures = (passage_of(node, self.title_key, images=True) for node in nodes if has_image(node))
        ahead = 2 * self.max_concurrency  # pictures are read as they are needed
        return Combined(
            [
                descriptions(texts, self.prompt, **self._settings()),
                image_descriptions(pictures, self.image_prompt, window=ahead, **self._settings()),
            ]
        )

    def _in_order(self, nodes: Sequence[BaseNode], results: list[Any]) -> list[ChunkResult]:
        parts = [[one for index, one in results if index == which] for which in (0, 1)]
        waiting = [iter(part) for part in parts]
        return [next(waiting[has_image(node)]) for node in nodes]
