"""How do I search statements and questions, read passages, and make a graph of names, each with its exact place?
LlamaIndex, a language model.

python examples/llama_index_propositions.py             a stand-in for a model, on this machine: no key, no network
python examples/llama_index_propositions.py --openai    gpt-4.1-mini, with the key in OPENAI_API_KEY: about two cents
python examples/llama_index_propositions.py --openai MODEL

Needs llama-index-node-parser-caesura and llama-index-llms-openai-like.
"""

from __future__ import annotations

import argparse
import os
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from llama_index.core import Document, PropertyGraphIndex, Settings, VectorStoreIndex
from llama_index.core.graph_stores import SimplePropertyGraphStore
from llama_index.core.graph_stores.types import KG_NODES_KEY, KG_RELATIONS_KEY, EntityNode, Relation
from llama_index.core.indices.property_graph import ImplicitPathExtractor
from llama_index.core.ingestion import IngestionPipeline
from llama_index.core.llms import LLM
from llama_index.core.retrievers import RecursiveRetriever
from llama_index.core.schema import BaseNode, TransformComponent
from llama_index.llms.openai_like import OpenAILike
from local_model import local_model

from llama_index.node_parser.caesura import (
    HierarchyIndex,
    OptimalSemanticSplitter,
    PropositionTransformer,
    QuestionTransformer,
    StaticEmbedding,
    spans_of,
)

ARTICLE = Path(__file__).parent / "article.md"
QUESTION = "How are puffins counted?"
PRICES = (0.40, 1.60)  # of a million tokens, in and out
NAME = re.compile(r"(?<=[\w,] )(?:Dr\. )?[A-Z][a-z]+(?: [A-Z][a-z]+)*")


class Names(TransformComponent):
    """The names that a statement mentions, as entities. By rule: no model is asked."""

    def __call__(self, nodes: Sequence[BaseNode], **kwargs: Any) -> Sequence[BaseNode]:
        for node in nodes:
            for name in dict.fromkeys(NAME.findall(node.get_content())):
                edge = Relation(label="MENTIONS", source_id=node.node_id, target_id=name)
                node.metadata.setdefault(KG_NODES_KEY, []).append(EntityNode(name=name, label="NAME"))
                node.metadata.setdefault(KG_RELATIONS_KEY, []).append(edge)
        return nodes


def shown(text: str) -> str:
    """The beginning of a text, in one line."""
    return " ".join(text.split())[:80]


def main(llm: LLM, folder: Path) -> None:
    """Statements lead to passages, questions to chunks, names to statements; a second run is free."""
    Settings.embed_model = StaticEmbedding()  # else LlamaIndex asks for an OpenAI key
    article = Document(text=ARTICLE.read_text("utf-8"), id_="article.md")
    settings: dict[str, Any] = {"journal": folder / "replies.db", "prices": PRICES, "on_failure": "keep"}

    small = PropositionTransformer(llm, include_passages=True, **settings)
    index = HierarchyIndex.from_documents([article], transformations=[small])
    print(f"propositions: {small.report}")
    (found, *_) = index.as_retriever(similarity_top_k=8, merge_ratio=0.2).retrieve(QUESTION)
    print(f"\n{QUESTION}\n  {found.score:.2f}  {found.node.start_char_idx}-{found.node.end_char_idx}: "
          f"{shown(found.node.get_content())}")  # fmt: skip

    questions = QuestionTransformer(llm, n=3, **settings)
    pipeline = IngestionPipeline(transformations=[OptimalSemanticSplitter(), questions])
    nodes = pipeline.run(documents=[article])  # chunks, each followed by references to it
    print(f"\nquestions: {questions.report}")
    searched = VectorStoreIndex(list(nodes)).as_retriever(similarity_top_k=3)
    follow = RecursiveRetriever("all", {"all": searched}, node_dict={node.node_id: node for node in nodes})
    print(f"  {QUESTION} leads to the chunk: {shown(follow.retrieve(QUESTION)[0].node.get_content())}")

    statements = PropositionTransformer(llm, **settings)
    found_statements = statements.get_nodes_from_documents([article])
    print(f"\nagain: {statements.report}")

    graph = SimplePropertyGraphStore()
    PropertyGraphIndex(
        found_statements,
        property_graph_store=graph,
        kg_extractors=[Names(), ImplicitPathExtractor()],
        embed_kg_nodes=False,
        use_async=False,
    )
    edges = graph.get_triplets(relation_names=["MENTIONS"])
    print(f"\n{len(edges)} mentions of {len({name.id for _, _, name in edges})} names")
    for statement, _, name in edges:
        if "Haldorsen" in name.id:
            (node,) = graph.get_llama_nodes([statement.id])
            for start, end in spans_of(node):
                print(f"  {name.id}: {start}-{end}: {shown(article.text[start:end])}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--openai", metavar="MODEL", nargs="?", const="gpt-4.1-mini", help="ask a real model")
    options = parser.parse_args()
    forms = {"is_chat_model": True, "should_use_structured_outputs": True, "context_window": 128_000}
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as temporary:
        if options.openai:
            main(OpenAILike(model=options.openai, api_key=os.environ["OPENAI_API_KEY"], **forms), Path(temporary))
        else:
            with local_model() as url:
                main(OpenAILike(model="local", api_base=url, api_key="none", **forms), Path(temporary))
