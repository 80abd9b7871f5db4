"""A wheel -> an exit code: what it holds, and whether it cuts a text. Runs in the wheel's own environment."""

from __future__ import annotations

import sys
import zipfile

ONE, OTHER = "Bread rises because yeast makes gas.", "The tide turns twice a day."
TEXT = f"{ONE} {OTHER}"
PLACES = {
    "caesura": "caesura/",
    "caesura_lab": "caesura_lab/",
    "caesura_static": "caesura_static/",
    "langchain_caesura": "langchain_caesura/",
    "llama_index_node_parser_caesura": "llama_index/node_parser/caesura/",
}


def check_contents(path: str, name: str) -> None:
    """The package alone, typed and licensed, and no `__init__.py` that would shadow a namespace."""
    names = zipfile.ZipFile(path).namelist()
    strange = [entry for entry in names if not entry.startswith(PLACES[name]) and ".dist-info/" not in entry]
    assert not strange, f"{name} holds {strange}"
    assert f"{PLACES[name]}py.typed" in names, f"{name} has no py.typed"
    assert any("licenses/LICENSE" in entry for entry in names), f"{name} has no licence"


def cut_with_caesura() -> list[str]:
    """The core alone, with vectors that say bread or tide."""
    from caesura import Splitter

    def embed(texts: list[str]) -> list[list[float]]:
        return [[float("yeast" in text), float("tide" in text)] for text in texts]

    return [chunk.text for chunk in Splitter().split(TEXT, embed)]


def cut_with_caesura_lab() -> list[str]:
    """The lab on the core: a chunk that is the answer is all that there is to find."""
    from caesura_lab import Question, compare, evaluate, pk, view

    assert pk([1], [1], 2) == 0
    question = Question("tide?", "text", ((len(ONE) + 1, len(TEXT)),))
    chunks = {"text": [(0, len(ONE)), (len(ONE) + 1, len(TEXT))]}
    scores = evaluate(chunks, {"text": [[1.0, 0.0], [0.0, 1.0]]}, [question], [[0.0, 1.0]], k=1)
    assert scores.iou.tolist() == [1.0], scores.iou
    (row,) = compare(TEXT, ["double-pass:size=40"])
    assert row["chunks"] == 2, row
    assert ONE in view(TEXT).html
    return [ONE, OTHER]


def cut_with_caesura_static() -> list[str]:
    """The embedded model alone: a row for each sentence, in the order of the sentences."""
    from caesura_static import StaticEmbedder

    rows = StaticEmbedder()([ONE, OTHER])
    assert rows.shape == (2, StaticEmbedder().dimension), rows.shape
    assert rows.any(axis=1).all()
    return [ONE, OTHER]


def cut_with_langchain_caesura() -> list[str]:
    """The LangChain plugin, on the embedded model."""
    from langchain_caesura import DoublePassSemanticSplitter

    return DoublePassSemanticSplitter(chunk_size=40).split_text(TEXT)


def cut_with_llama_index_node_parser_caesura() -> list[str]:
    """The LlamaIndex plugin, on the embedded model."""
    from llama_index.core import Document

    from llama_index.node_parser.caesura import DoublePassSemanticSplitter

    nodes = DoublePassSemanticSplitter(chunk_size=40, tokenizer=list).get_nodes_from_documents([Document(text=TEXT)])
    return [node.get_content() for node in nodes]


def main(path: str) -> None:
    """Checks one wheel."""
    name = path.replace("\\", "/").rsplit("/", 1)[-1].split("-")[0]
    check_contents(path, name)
    found = globals()[f"cut_with_{name}"]()
    assert found == [ONE, OTHER], found
    print(f"{name}: contents right, cuts a text")


if __name__ == "__main__":
    main(sys.argv[1])
