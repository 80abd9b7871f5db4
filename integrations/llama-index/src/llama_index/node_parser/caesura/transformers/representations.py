"""Summaries, questions and descriptions: nodes in, the same out, each followed by references to it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from llama_index.core.bridge.pydantic import Field
from llama_index.core.schema import BaseNode, IndexNode

from caesura.sansio import Calls
from caesura_llm.agentic import Converse
from caesura_llm.combined import Combined
from caesura_llm.conversation import Conversation
from caesura_llm.prompts import DESCRIPTION, IMAGE, QUESTIONS, SUMMARY, Prompt
from caesura_llm.representations import ChunkResult, Representations, needs_description, questions
from llama_index.node_parser.caesura.transformers.llm_node_parser import LLMNodeParser
from llama_index.node_parser.caesura.transformers.passage_nodes import (
    DerivedText,
    PassageNode,
    derived_fields,
    has_image,
    passages_of,
    passages_with_images,
    read_nodes,
)


class ReferenceTransformer(LLMNodeParser):
    """The base of these transformers: after each node come `IndexNode`s whose `index_id` is the node's id.

    A `RecursiveRetriever` follows them, and so do `MergingRetriever` and `HierarchyIndex`. A reference has the node's
    metadata, place and SOURCE; ``view`` in its metadata says what it is, ``kept`` whether it is the node's own text, in
    place of what failed. Ids are made of document id, place and text. References among the input go through.
    """

    budget: int = Field(default=3000, description="Size of the passages of a request, a token taken as 4 characters.")
    prompt: Prompt = Field(default=SUMMARY, description="What the model is told.")

    view: ClassVar[str]
    """The kind of reference, as its metadata say it."""

    def _check(self) -> None:
        super()._check()
        self._conversation([])

    def _wanted(self, node: PassageNode) -> bool:
        return bool(node.text.strip())

    def _conversation(self, nodes: Sequence[PassageNode]) -> Conversation[Any]:
        return Representations(passages_of(nodes, self.title_key), prompt=self.prompt, **self._settings())

    def _in_order(self, nodes: Sequence[PassageNode], results: list[Any]) -> list[ChunkResult]:
        return results

    def _settings(self) -> dict[str, Any]:
        return {"budget": self.budget, "on_failure": self.on_failure}

    async def _make(self, calls: Calls, passages: Sequence[BaseNode], converse: Converse) -> list[BaseNode]:
        read = read_nodes([node for node in passages if not isinstance(node, IndexNode)])
        asked = [one for one in read if self._wanted(one)]
        results = await converse(await calls.compute(self._conversation, asked))
        return await calls.compute(self._wrap, passages, asked, self._in_order(asked, results))

    def _wrap(
        self, passages: Sequence[BaseNode], asked: Sequence[PassageNode], results: Sequence[ChunkResult]
    ) -> list[BaseNode]:
        derived = [
            DerivedText(one, text, one.place and [one.place], {"kept": result.is_fallback}, number)
            for one, result in zip(asked, results, strict=True)
            for number, text in enumerate(result.texts)
        ]
        fields = iter(derived_fields(self.view, derived, self.id_func, self.include_metadata))
        references = {
            id(one.node): [IndexNode(**next(fields), index_id=one.node.node_id) for _ in result.texts]
            for one, result in zip(asked, results, strict=True)
        }
        return [each for node in passages for each in (node, *references.get(id(node), ()))]


class SummaryTransformer(ReferenceTransformer):
    """Gives each node a summary, as a reference to it."""

    doing = "Summaries"
    view = "summary"


class QuestionTransformer(ReferenceTransformer):
    """Gives each node up to `n` questions that it answers, as references to it."""

    n: int = Field(default=3, description="How many questions.")
    prompt: Prompt = Field(default=QUESTIONS, description="What the model is told; {n} stands for their number.")

    doing = "Questions"
    view = "question"

    def _conversation(self, nodes: Sequence[PassageNode]) -> Conversation[Any]:
        asked = passages_of(nodes, self.title_key)
        return questions(asked, self.n, self.prompt, **self._settings())


class DescriptionTransformer(ReferenceTransformer):
    """Gives a description, as a reference to it, to each node that holds a table, code or a formula, and to each with a
    picture, which the LLM must be able to see. The other nodes go through."""

    prompt: Prompt = Field(default=DESCRIPTION, description="What the model is told of tables, code and formulas.")
    image_prompt: Prompt = Field(default=IMAGE, description="What the model is told of pictures.")

    doing = "Descriptions"
    view = "description"

    def _wanted(self, node: PassageNode) -> bool:
        return has_image(node.node) or needs_description(node.text)

    def _conversation(self, nodes: Sequence[PassageNode]) -> Conversation[Any]:
        texts = passages_of([one for one in nodes if not has_image(one.node)], self.title_key)
        pictures = passages_with_images([one for one in nodes if has_image(one.node)], self.title_key)
        ahead = 2 * self.max_concurrency  # pictures are read as they are needed
        return Combined(
            [
                Representations(texts, prompt=self.prompt, **self._settings()),
                Representations(pictures, prompt=self.image_prompt, window=ahead, **self._settings()),
            ]
        )

    def _in_order(self, nodes: Sequence[PassageNode], results: list[Any]) -> list[ChunkResult]:
        parts = [[one for index, one in results if index == which] for which in (0, 1)]
        waiting = [iter(part) for part in parts]
        return [next(waiting[has_image(one.node)]) for one in nodes]
