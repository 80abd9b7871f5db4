"""Contexts: documents or nodes in, the same out, each with what it is, or where it stands, in its metadata."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llama_index.core.bridge.pydantic import Field
from llama_index.core.schema import BaseNode

from caesura.sansio import Calls
from caesura_documents.chunk_metadata import CONTEXT_KEY, check_no_context
from caesura_llm.agentic import Converse
from caesura_llm.contexts import BUDGET, ContextResult, Contexts, ContextSource, Scope, join_slices
from caesura_llm.prompts import Prompt
from llama_index.node_parser.caesura.transformers.llm_node_parser import LLMNodeParser
from llama_index.node_parser.caesura.transformers.passage_nodes import PassageNode, read_nodes


class ContextTransformer(LLMNodeParser):
    """Gives documents or nodes a ``document_context``: a line in their metadata that search finds them by.

    With scope="document" it is what the document is, of whom, when and on what, in one or two sentences: one call for
    each document, given whole or as its nodes. A parser that comes after it copies it to all nodes, where it counts in
    `chunk_size` as other metadata do. With scope="chunk" it is where a node stands in its document: one call for each
    node that has text and no children, all of a document beginning with it, so that the provider's prompt cache serves
    most of it. A document is what its nodes say, in the order given, what overlaps by their places once.

    `HierarchyIndex` gives a node's row a share of the row of its context. LlamaIndex's own indexes show embedders the
    context before the text, as all metadata. A language model that answers is not shown it. Texts, ids, places and all
    other metadata stay as they are. With on_failure="keep", what fails has no context, and is in the `report`. Raises
    `SettingError` for metadata that has a ``document_context`` already.
    """

    scope: Scope = Field(default="document", description="What gets a context of its own: a document, or a chunk.")
    prompt: Prompt | None = Field(default=None, description="What the model is told; None: ours.")
    budget: int = Field(
        default=BUDGET,
        description="Tokens of a document that a request shows, one taken as 4 characters. A larger one is shown by "
        "its beginning, for a node by that and the section which the node is in.",
    )
    splitter: None = Field(  # pyright: ignore[reportIncompatibleVariableOverride]
        default=None, exclude=True, description="None: what is given is what comes out."
    )

    doing = "Contexts"

    def _check(self) -> None:
        super()._check()
        self._conversation([])

    async def _passages(self, calls: Calls, nodes: Sequence[BaseNode]) -> list[BaseNode]:
        for node in nodes:
            check_no_context(node.node_id, node.metadata)
        return list(nodes)

    async def _make(self, calls: Calls, passages: Sequence[BaseNode], converse: Converse) -> list[BaseNode]:
        nodes = read_nodes(passages)
        groups: dict[str, list[PassageNode]] = {}
        for one in nodes:
            if one.has_statements:
                groups.setdefault(one.document_id, []).append(one)
        sources = [_source(name, group, self.title_key) for name, group in groups.items()]
        results = await converse(await calls.compute(self._conversation, sources))
        return await calls.compute(self._write, nodes, groups, results)

    def _conversation(self, sources: Sequence[ContextSource]) -> Contexts:
        return Contexts(
            sources,
            self.scope,
            prompt=self.prompt,
            budget=self.budget,
            on_failure=self.on_failure,
            ahead=2 * self.max_concurrency,
        )

    def _write(
        self, nodes: Sequence[PassageNode], groups: dict[str, list[PassageNode]], results: Sequence[ContextResult]
    ) -> list[BaseNode]:
        """Copies of the nodes, each with its context if it has one."""
        if self.scope == "document":
            texts = {name: result.text for name, result in zip(groups, results, strict=True)}
            return [_with_context(one.node, texts.get(one.document_id, "")) for one in nodes]
        asked = [id(one.node) for group in groups.values() for one in group]
        own = {node: result.text for node, result in zip(asked, results, strict=True)}
        return [_with_context(one.node, own.get(id(one.node), "")) for one in nodes]


def _source(name: str, nodes: Sequence[PassageNode], title_key: str | None) -> ContextSource:
    """Joins the texts of a document's nodes, and says where each stands in the whole."""
    text, places = join_slices((one.text, one.start) for one in nodes)
    title = nodes[0].node.metadata.get(title_key) if title_key is not None else None
    starts = tuple(one.start for one in nodes)
    return ContextSource(text, name, title if isinstance(title, str) else "", tuple(places), starts)


def _with_context(node: BaseNode, context: str) -> BaseNode:
    """Copies a node with a context that only embedders are shown."""
    update: dict[str, Any] = {"metadata": dict(node.metadata), "relationships": dict(node.relationships)}
    for name in ("excluded_embed_metadata_keys", "excluded_llm_metadata_keys"):
        update[name] = [key for key in getattr(node, name) if key != CONTEXT_KEY]
    if context:
        update["metadata"][CONTEXT_KEY] = context
        update["excluded_llm_metadata_keys"].append(CONTEXT_KEY)
    return node.model_copy(update=update)
