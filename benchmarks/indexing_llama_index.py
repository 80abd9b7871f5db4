"""What indexing and edits cost a `HierarchyIndex`: processor time of all threads, by what it was spent on.

    python benchmarks/indexing_llama_index.py [--mb 11] [--store memory|sqlite] [--rounds 3]

The texts are those of `indexing_costs.py`. The embedder is the static one, vectors are in LlamaIndex's store in memory,
nodes in its document store in memory or in SQLite. What is not named is at its default.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from clock import Clock
from indexing_costs import EACH, SMALL, edited, parts, prose, spent
from llama_index.core import Document
from llama_index.core.bridge.pydantic import PrivateAttr
from llama_index.core.vector_stores import SimpleVectorStore
from tables import Table

from caesura.hierarchy import Hierarchy
from caesura_retrieval.word_index import WordIndex
from caesura_static import StaticEmbedder
from llama_index.node_parser.caesura import (
    HierarchyIndex,
    SemanticHierarchyParser,
    SQLiteDocumentStore,
    StaticEmbedding,
)
from llama_index.node_parser.caesura.retrieval import docstore, writer


class Counted(StaticEmbedding):
    """The static model, and how many texts it was given."""

    _texts: int = PrivateAttr(default=0)

    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        self._texts += len(texts)
        return super()._get_text_embeddings(texts)


def index_in(folder: str, store: str, model: StaticEmbedding) -> HierarchyIndex:
    """Vectors in memory; nodes and words there too, or on the disk."""
    if store == "memory":
        return HierarchyIndex(embed_model=model)
    nodes = SQLiteDocumentStore(f"{folder}/nodes.db")
    return HierarchyIndex(vector_store=SimpleVectorStore(), docstore=nodes, embed_model=model)


def clock_of() -> Clock:
    """Tells apart what writing is made of."""
    clock = Clock(time.process_time)
    clock.around(Hierarchy, "prepare", "cutting")
    clock.around(Hierarchy, "finish", "cutting")
    clock.around(StaticEmbedder, "__call__", "embedding")
    clock.around(SemanticHierarchyParser, "_build_nodes", "nodes")
    clock.around(writer, "plan_edit", "plan")
    clock.around(docstore.Versions, "encode_entries", "nodes as JSON")
    clock.around(docstore.SQLiteKVStore, "commit", "SQLite")
    clock.around(SimpleVectorStore, "add", "vector store")
    clock.around(WordIndex, "put", "words")
    return clock


def indexed(clock: Clock, store: str, texts: Sequence[str]) -> dict[str, Any]:
    """Texts are indexed -> a row of a table: MB/s, and the seconds of each part."""
    size = sum(len(each.encode()) for each in texts) / 1e6
    documents = [Document(text=text, id_=f"{at}") for at, text in enumerate(texts)]
    with tempfile.TemporaryDirectory() as folder:
        index = index_in(folder, store, StaticEmbedding())
        took = spent(clock, lambda: index.upsert(documents))
        index.as_retriever().retrieve("What is said?")  # before which the search engine has all words
        if isinstance(index.docstore, SQLiteDocumentStore):
            index.docstore.close()  # what it wrote last goes into its file
        files = sum(each.stat().st_size for each in Path(folder).rglob("*") if each.is_file())
    row = {"MB": size, "MB/s": f"{size / sum(took.values()):.2f}", **parts(took)}
    if files:
        row["nodes and words on disk, bytes a character"] = f"{files / sum(map(len, texts)):.1f}"
    return row


def edited_by_index(clock: Clock, store: str, content: str, rounds: int) -> list[dict[str, Any]]:
    """`edited`, through an index in a folder of its own."""
    with tempfile.TemporaryDirectory() as folder:
        index = index_in(folder, store, model := Counted())
        return edited(
            clock,
            lambda text: index.upsert([Document(text=text, id_="long")]),
            lambda: model._texts,
            content,
            rounds,
        )


def main() -> None:
    """Reads the command line, measures and prints the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mb", type=float, default=11.0, help="the large document of the edits; 0: no edits")
    parser.add_argument("--index", type=float, default=3.0, help="MB that are indexed, in documents of 30 kB")
    parser.add_argument("--store", choices=("memory", "sqlite"), default="memory")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    clock = clock_of()
    content = prose(int(1e6 * max(options.mb, options.index)))
    some = content[: int(1e6 * options.index)]
    texts = [some[at : at + EACH] for at in range(0, len(some), EACH)]
    indexed(clock, options.store, texts[:1])  # what is loaded once
    table = Table(f"Indexing documents of 30 kB, {options.store}")
    table.rows += [indexed(clock, options.store, texts) for _ in range(options.rounds if texts else 0)]
    print(table.markdown())
    for size in (SMALL, int(1e6 * options.mb)) if options.mb else ():
        table = Table(f"One sentence more in a document of {size / 1e6:g} MB, {options.store}")
        table.rows += edited_by_index(clock, options.store, content[:size], options.rounds)
        print(table.markdown())


if __name__ == "__main__":
    main()
