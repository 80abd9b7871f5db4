"""Two documents, questions whose answers span both, and your language model: how good are the answers, by splitter?

python examples/judged_answers.py --base-url http://127.0.0.1:11434/v1 --model qwen3:8b
OPENAI_API_KEY=... python examples/judged_answers.py --base-url https://api.openai.com/v1 --model gpt-4.1-mini

Any server that speaks OpenAI's chat completions will do. Each question is answered from what each splitter's chunks
give, with and without a reranker, and judged by LlamaIndex's four evaluators. docs/judged.md says how to read that.
It needs: pip install llama-index-llms-openai-like caesura-lab llama-index-node-parser-caesura
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from llama_index.core import Document, VectorStoreIndex
from llama_index.core.evaluation import (
    CorrectnessEvaluator,
    FaithfulnessEvaluator,
    RelevancyEvaluator,
    SemanticSimilarityEvaluator,
)
from llama_index.core.node_parser import NodeParser, SentenceSplitter
from llama_index.core.postprocessor import LLMRerank
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.llms.openai_like import OpenAILike

from caesura_lab import Table, paired_interval
from llama_index.node_parser.caesura import DoublePassSemanticSplitter, OptimalSemanticSplitter, StaticEmbedding

HERE = Path(__file__).parent / "judged"
TOP, CANDIDATES = 3, 6
"""Chunks that go into the prompt, and chunks among which the reranker chooses them."""


def splitters(size: int) -> dict[str, NodeParser]:
    """What is compared: chunks of at most so many characters, so that no splitter gets more to read than another."""
    return {
        "sentence": SentenceSplitter(chunk_size=size, chunk_overlap=0, tokenizer=list),
        "double-pass": DoublePassSemanticSplitter(chunk_size=size, tokenizer=list),
        "optimal": OptimalSemanticSplitter(chunk_size=size, tokenizer=list, penalty=0.9, half_weight=2),
    }


def judged(
    parser: NodeParser, rerank: bool, documents: Sequence[Document], questions: Sequence[dict[str, str]], llm: Any
) -> dict[str, list[float]]:
    """One splitter -> the four scores of each answer: correctness 1 to 5, the others 0 to 1."""
    embed = StaticEmbedding()
    index = VectorStoreIndex(parser.get_nodes_from_documents(documents), embed_model=embed)
    engine = RetrieverQueryEngine.from_args(
        index.as_retriever(similarity_top_k=CANDIDATES if rerank else TOP),
        llm=llm,
        node_postprocessors=[LLMRerank(llm=llm, top_n=TOP, choice_batch_size=CANDIDATES)] if rerank else [],
    )
    correct, faithful, relevant = (
        CorrectnessEvaluator(llm=llm),
        FaithfulnessEvaluator(llm=llm),
        RelevancyEvaluator(llm=llm),
    )
    similar = SemanticSimilarityEvaluator(embed_model=embed)
    scores: dict[str, list[float]] = {"correctness": [], "faithfulness": [], "relevancy": [], "similarity": []}
    for asked in questions:
        question, wanted = asked["question"], asked["answer"]
        response = engine.query(question)
        found = {
            "correctness": correct.evaluate(query=question, response=str(response), reference=wanted),
            "faithfulness": faithful.evaluate_response(query=question, response=response),
            "relevancy": relevant.evaluate_response(query=question, response=response),
            "similarity": similar.evaluate(response=str(response), reference=wanted),
        }
        for name, result in found.items():
            scores[name].append(float("nan") if result.score is None else float(result.score))
    return scores


def table(every: dict[str, dict[str, list[float]]]) -> Table:
    """Scores by splitter -> their means, and the lead in correctness over the first splitter, question by question."""
    first = next(iter(every.values()))["correctness"]
    rows = []
    for name, scores in every.items():
        lead = paired_interval(scores["correctness"], first)
        means = {measure: sum(values) / len(values) for measure, values in scores.items()}
        led = None if scores["correctness"] is first else f"{lead.difference:+.2f} [{lead.low:+.2f}, {lead.high:+.2f}]"
        rows.append({"splitter": name, **means, "lead_in_correctness": led})
    notes = (
        f"{len(first)} questions.",
        "The lead is over the first row, with its 95 % interval: where 0 is inside, it may be chance.",
    )
    return Table(tuple(rows), "Answers, judged by the model itself", notes)


def main() -> None:
    """Reads the command line, asks, judges, and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--base-url", required=True, help="where the model is served, with /v1 at the end")
    parser.add_argument("--model", required=True, help="its name there")
    parser.add_argument("--size", type=int, default=500, help="characters that a chunk may have")
    options = parser.parse_args()
    llm = OpenAILike(
        model=options.model,
        api_base=options.base_url,
        api_key=os.environ.get("OPENAI_API_KEY", "none"),
        is_chat_model=True,
        temperature=0,
        max_retries=2,
    )
    paths = sorted(HERE.glob("*.md"))
    documents = [Document(text=path.read_text("utf-8"), id_=path.name) for path in paths]
    questions = json.loads((HERE / "questions.json").read_text("utf-8"))
    every = {
        f"{name}{', reranked' if rerank else ''}": judged(made, rerank, documents, questions, llm)
        for name, made in splitters(options.size).items()
        for rerank in (False, True)
    }
    from rich.console import Console

    Console().print(table(every))


if __name__ == "__main__":
    main()
