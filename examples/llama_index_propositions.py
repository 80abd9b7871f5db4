"""How do I search statements and questions, and read passages and chunks? LlamaIndex, a language model.

python examples/llama_index_propositions.py                    a stand-in for a model, on this machine: no key
python examples/llama_index_propositions.py --openai [MODEL]   gpt-4.1-mini, key in OPENAI_API_KEY: about two cents

Needs llama-index-node-parser-caesura, llama-index-llms-openai-like and caesura-lab.
"""

import sys
import tempfile
from pathlib import Path
from typing import Any

from llama_index.core import Document, Settings, VectorStoreIndex
from llama_index.core.ingestion import IngestionPipeline
from llama_index.core.llms import LLM
from llama_index.core.retrievers import RecursiveRetriever
from llama_index.core.schema import NodeWithScore
from llama_index.llms.openai_like import OpenAILike
from llama_index.node_parser import caesura

from caesura_lab.stand_in import served

QUESTION = "How are puffins counted?"
FORMS = {"is_chat_model": True, "should_use_structured_outputs": True, "context_window": 128_000}


def shown(found: NodeWithScore) -> str:
    """Where a node stands, and how it begins."""
    place = f"{found.node.start_char_idx}-{found.node.end_char_idx}"
    return f"{QUESTION} leads to {place}: {' '.join(found.node.get_content().split())[:80]}"


def main(llm: LLM, folder: Path) -> None:
    """Statements lead to passages, questions to chunks; a second run is free."""
    Settings.embed_model = caesura.StaticEmbedding()  # else LlamaIndex asks for an OpenAI key
    article = Document(text=(Path(__file__).parent / "article.md").read_text("utf-8"), id_="article.md")
    settings: dict[str, Any] = {"journal": folder / "replies.db", "prices": (0.40, 1.60), "on_failure": "keep"}

    statements = caesura.PropositionTransformer(llm, include_passages=True, **settings)
    index = caesura.HierarchyIndex.from_documents([article], transformations=[statements])
    print(f"propositions: {statements.report}")
    print(shown(index.as_retriever(budget=60).retrieve(QUESTION)[0]))

    questions = caesura.QuestionTransformer(llm, n=3, **settings)
    nodes = IngestionPipeline(transformations=[caesura.OptimalSemanticSplitter(), questions]).run(documents=[article])
    print(f"questions: {questions.report}")  # nodes: chunks, each followed by references to it
    searched = VectorStoreIndex(list(nodes)).as_retriever(similarity_top_k=3)
    follow = RecursiveRetriever("all", {"all": searched}, node_dict={node.node_id: node for node in nodes})
    print(shown(follow.retrieve(QUESTION)[0]))

    again = caesura.PropositionTransformer(llm, **settings)
    again([article])
    print(f"again: {again.report}")


if __name__ == "__main__":
    with served("gpt-4.1-mini", sys.argv[1:]) as model, tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as own:
        main(OpenAILike(model=model.model, api_base=model.url, api_key=model.key, **FORMS), Path(own))
