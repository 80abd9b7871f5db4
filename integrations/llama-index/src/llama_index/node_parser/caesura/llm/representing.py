"""Documents or nodes in; the same nodes out, each followed by references to it: texts that it is found by."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llama_index.core.bridge.pydantic import Field
from llama_index.core.schema import BaseNode, IndexNode

from caesura.llm.conversation import Conversation
from caesura.llm.representations import Represented
from caesura.steps import Steps
from llama_index.node_parser.caesura.llm.call import Call
from llama_index.node_parser.caesura.llm.derived import fields_of
from llama_index.node_parser.caesura.llm.language import LanguageParser
from llama_index.node_parser.caesura.llm.passages import place_of
from llama_index.node_parser.caesura.nodes import text_of


class Representing(LanguageParser):
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

    def _in_order(self, nodes: Sequence[BaseNode], results: list[Any]) -> list[Represented]:
        return results

    def _settings(self) -> dict[str, Any]:
        return {"budget": self.budget, "on_failure": self.on_failure}

    def _made(self, passages: Sequence[BaseNode], call: Call) -> Steps[list[BaseNode]]:
        asked = [node for node in passages if not isinstance(node, IndexNode) and self._wanted(node)]
        results = yield from call(self._conversation(asked), self.doing)
        found = dict(zip((id(node) for node in asked), self._in_order(asked, results), strict=True))
        return self._wrapped(passages, found)

    def _wrapped(self, passages: Sequence[BaseNode], found: dict[int, Represented]) -> list[BaseNode]:
        made: list[BaseNode] = []
        for node in passages:
            made.append(node)
            if id(node) not in found:
                continue
            one, place, view = found[id(node)], place_of(node), self._view(node)
            for number, text in enumerate(one.texts):
                settings = self.id_func, number, self.include_metadata
                fields = fields_of(node, view, text, place and [place], {"kept": one.kept}, *settings)
                made.append(IndexNode(**fields, index_id=node.node_id))
        return made
