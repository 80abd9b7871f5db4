"""Nodes in; the same nodes out, those with a table, code, a formula or a picture followed by a description."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llama_index.core.bridge.pydantic import Field
from llama_index.core.schema import BaseNode

from caesura.llm.conversation import Conversation
from caesura.llm.prompts import DESCRIPTION, IMAGE, Prompt
from caesura.llm.representations import Represented, descriptions, image_descriptions, to_describe
from caesura.llm.together import Together
from llama_index.node_parser.caesura.llm.images import has_image
from llama_index.node_parser.caesura.llm.passages import passage_of
from llama_index.node_parser.caesura.llm.representing import Representing
from llama_index.node_parser.caesura.nodes import text_of


class DescriptionTransformer(Representing):
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
        return has_image(node) or to_describe(text_of(node))

    def _conversation(self, nodes: Sequence[BaseNode]) -> Conversation[Any]:
        plain = (passage_of(node, self.title_key) for node in nodes if not has_image(node))
        seen = (passage_of(node, self.title_key, images=True) for node in nodes if has_image(node))
        ahead = 2 * self.max_concurrency  # pictures are read as they are needed
        return Together(
            [
                descriptions(plain, self.prompt, **self._settings()),
                image_descriptions(seen, self.image_prompt, window=ahead, **self._settings()),
            ]
        )

    def _in_order(self, nodes: Sequence[BaseNode], results: list[Any]) -> list[Represented]:
        parts = [[one for index, one in results if index == which] for which in (0, 1)]
        waiting = [iter(part) for part in parts]
        return [next(waiting[has_image(node)]) for node in nodes]
