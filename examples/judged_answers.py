"""How good are the answers that a language model gives from each splitter's chunks? LlamaIndex, judged by the model.

python examples/judged_answers.py                    a stand-in for a model on this machine: no key, no network
python examples/judged_answers.py --openai [MODEL]   gpt-4.1-mini, key in OPENAI_API_KEY: about five cents

Needs llama-index-node-parser-caesura, llama-index-llms-openai-like and caesura-lab; docs/judged.md: how to read it.
"""

import json
import sys
from pathlib import Path

import rich
from llama_index.core import Document, VectorStoreIndex, evaluation
from llama_index.core.llms import LLM
from llama_index.core.node_parser import SentenceSplitter
from llama_index.core.postprocessor import LLMRerank
from llama_index.llms.openai_like import OpenAILike

from caesura_lab import leads
from caesura_lab.stand_in import served
from llama_index.node_parser.caesura import DoublePassSemanticSplitter, OptimalSemanticSplitter, StaticEmbedding

HERE = Path(__file__).parent / "judged"
SIZE, TOP, CANDIDATES = 500, 3, 6  # characters of a chunk; chunks in the prompt; chunks that the reranker chooses from


def main(llm: LLM) -> None:
    """Each question is answered from each splitter's chunks, with and without a reranker, and judged four times."""
    embed = StaticEmbedding()
    judges = {
        "correctness": evaluation.CorrectnessEvaluator(llm=llm),  # 1 to 5; the others 0 to 1
        "faithfulness": evaluation.FaithfulnessEvaluator(llm=llm),
        "relevancy": evaluation.RelevancyEvaluator(llm=llm),
        "similarity": evaluation.SemanticSimilarityEvaluator(embed_model=embed),
    }
    splitters = {
        "sentence": SentenceSplitter(chunk_size=SIZE, chunk_overlap=0, tokenizer=list),  # all count characters
        "double-pass": DoublePassSemanticSplitter(chunk_size=SIZE, tokenizer=list),
        "optimal": OptimalSemanticSplitter(chunk_size=SIZE, tokenizer=list),
    }
    documents = [Document(text=path.read_text("utf-8"), id_=path.name) for path in sorted(HERE.glob("*.md"))]
    asked = json.loads((HERE / "questions.json").read_text("utf-8"))
    questions, answers = [one["question"] for one in asked], [one["answer"] for one in asked]
    rerank = LLMRerank(llm=llm, top_n=TOP, choice_batch_size=CANDIDATES)
    scores = {}
    for name, splitter in splitters.items():
        index = VectorStoreIndex(splitter.get_nodes_from_documents(documents), embed_model=embed)
        for kind, k, after in ((name, TOP, []), (f"{name}, reranked", CANDIDATES, [rerank])):
            engine = index.as_query_engine(llm=llm, similarity_top_k=k, node_postprocessors=after)
            found = evaluation.BatchEvalRunner(judges).evaluate_queries(engine, questions, reference=answers)
            scores[kind] = {judge: [one.score for one in results] for judge, results in found.items()}
    rich.print(leads(scores, by="correctness"))


if __name__ == "__main__":
    with served("gpt-4.1-mini", sys.argv[1:]) as model:
        main(OpenAILike(model=model.model, api_base=model.url, api_key=model.key, is_chat_model=True, temperature=0))
