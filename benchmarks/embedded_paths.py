"""Whether `file_path` in what is embedded helps or harms: share of the answers that 1,000 tokens of passages hold.

    python benchmarks/embedded_paths.py FOLDER

FOLDER has documents.jsonl (id, text) and questions.jsonl (question, sections: [id, start, end] each).
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from llama_index.core import Document

from llama_index.node_parser.caesura import DoublePassSemanticSplitter, HierarchyIndex, StaticEmbedding


def read(path: Path) -> list[dict[str, Any]]:
    """Reads a file of one JSON value a line."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def covered(sections: list[tuple[str, int, int]], found: list[tuple[str | None, int, int]]) -> float:
    """The share of sections' characters that passages have. Passages are disjoint."""
    total = sum(end - start for _, start, end in sections)
    held = sum(
        max(0, min(end, stop) - max(start, first))
        for name, start, end in sections
        for other, first, stop in found
        if name == other
    )
    return held / max(total, 1)


def main(folder: Path) -> None:
    """Prints the shares for both splitters, with the path embedded and without."""
    texts, questions = read(folder / "documents.jsonl"), read(folder / "questions.jsonl")
    for name, transformations in {"default": None, "double pass": [DoublePassSemanticSplitter()]}.items():
        for hidden in ([], ["file_path"]):
            documents = [
                Document(
                    text=each["text"],
                    id_=each["id"],
                    metadata={"file_path": f"/home/anna/handbook/{each['id']}.md"},
                    excluded_embed_metadata_keys=hidden,
                    excluded_llm_metadata_keys=["file_path"],
                )
                for each in texts
            ]
            index = HierarchyIndex.from_documents(
                documents, transformations=transformations, embed_model=StaticEmbedding()
            )
            shares = []
            for words in (None, 0):
                retriever = index.as_retriever(words=words)
                answers = [(each["sections"], retriever.retrieve(each["question"])) for each in questions]
                nodes = [(sections, [hit.node for hit in hits]) for sections, hits in answers]
                spans = [(s, [(n.ref_doc_id, n.start_char_idx, n.end_char_idx) for n in own]) for s, own in nodes]
                shares.append(100 * sum(covered(*each) for each in spans) / len(spans))
            kind = "hidden" if hidden else "embedded"
            print(f"{name}: path {kind}: {shares[0]:.1f} % with words, {shares[1]:.1f} % by vectors alone", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
