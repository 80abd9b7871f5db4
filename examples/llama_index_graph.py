"""How do I make a property graph in which every name leads to the exact places that mention it? LlamaIndex.

python examples/llama_index_graph.py                    a stand-in for a model on this machine: no key, no network
python examples/llama_index_graph.py --openai [MODEL]   gpt-4.1-mini, with the key in OPENAI_API_KEY: about two cents

Needs llama-index-node-parser-caesura, llama-index-llms-openai-like and caesura-lab.
"""

import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from llama_index.core import Document, PropertyGraphIndex, Settings
from llama_index.core.graph_stores import SimplePropertyGraphStore
from llama_index.core.graph_stores.types import KG_NODES_KEY, KG_RELATIONS_KEY, EntityNode, Relation
from llama_index.core.llms import LLM
from llama_index.core.schema import BaseNode, TransformComponent
from llama_index.llms.openai_like import OpenAILike

from caesura_lab.stand_in import served
from llama_index.node_parser.caesura import PropositionTransformer, StaticEmbedding, spans_of

NAME = re.compile(r"(?<=[\w,] )(?:Dr\. )?[A-Z][a-z]+(?: [A-Z][a-z]+)*")
FORMS = {"is_chat_model": True, "should_use_structured_outputs": True, "context_window": 128_000}


class Names(TransformComponent):
    """The names that a statement mentions, as entities. By rule: no model is asked."""

    def __call__(self, nodes: Sequence[BaseNode], **kwargs: Any) -> Sequence[BaseNode]:
        for node in nodes:
            names = dict.fromkeys(NAME.findall(node.get_content()))
            edge = {"label": "MENTIONS", "source_id": node.node_id}
            node.metadata[KG_NODES_KEY] = [EntityNode(name=name, label="NAME") for name in names]
            node.metadata[KG_RELATIONS_KEY] = [Relation(target_id=name, **edge) for name in names]
        return nodes


def main(llm: LLM) -> None:
    """Statements become nodes of the graph, and know the places of the document that they rest on."""
    Settings.embed_model = StaticEmbedding()  # else LlamaIndex asks for an OpenAI key
    article = Document(text=(Path(__file__).parent / "article.md").read_text("utf-8"), id_="article.md")
    statements = PropositionTransformer(llm, on_failure="keep")([article])
    graph = SimplePropertyGraphStore()
    settings: dict[str, Any] = {"embed_kg_nodes": False, "use_async": False, "kg_extractors": [Names()]}
    PropertyGraphIndex(list(statements), property_graph_store=graph, **settings)
    edges = graph.get_triplets(relation_names=["MENTIONS"])
    print(f"{len(statements)} statements, {len(edges)} mentions of {len({name.id for _, _, name in edges})} names")
    for statement, _, name in edges:
        if "Haldorsen" in name.id:
            for start, end in spans_of(graph.get_llama_nodes([statement.id])[0]):
                print(f"{name.id}: {start}-{end}: {' '.join(article.text[start:end].split())}")


if __name__ == "__main__":
    with served("gpt-4.1-mini", sys.argv[1:]) as model:
        main(OpenAILike(model=model.model, api_base=model.url, api_key=model.key, **FORMS))
