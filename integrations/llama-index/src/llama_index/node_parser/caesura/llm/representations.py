"""Nodes in; the same nodes out, each followed by its summary, or by questions that it answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llama_index.core.bridge.pydantic import Field
from llama_index.core.schema import BaseNode

from caesura.llm.conversation import Conversation
from caesura.llm.prompts import QUESTIONS, SUMMARY, Prompt
from caesura.llm.representations import questions, summaries
from llama_index.node_parser.caesura.llm.passages import passage_of
from llama_index.node_parser.caesura.llm.representing import Representing


class SummaryTransformer(Representing):
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


class QuestionTransformer(Representing):
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
