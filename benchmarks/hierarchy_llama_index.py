"""10,000 documents of 2 kB into Chroma and SQLite by HierarchyIndex: what it costs beyond embedder and stores.

    python benchmarks/hierarchy_llama_index.py [--documents 10000]

A clock stands around every call of the embedder, of both stores, of the parser and of what makes LlamaIndex's records;
where one calls another, the time is the inner one's. Embedder and texts are those of hierarchy_langchain.py.
Beside it LlamaIndex's own way: HierarchicalNodeParser, the same stores, leaves into the index, all nodes into the
document store; it can neither index again nor change nor delete.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable
from typing import Any

import chromadb
from clock import Clock
from llama_index.core import Document, StorageContext, VectorStoreIndex
from llama_index.core.node_parser import HierarchicalNodeParser, get_leaf_nodes
from llama_index.vector_stores.chroma import ChromaVectorStore
from subjects import texts
from tables import Table

import llama_index.node_parser.caesura.nodes as nodes_module
from caesura_static import StaticEmbedder
from llama_index.node_parser.caesura import (
    HierarchyIndex,
    SemanticHierarchyParser,
    SQLiteDocumentStore,
    StaticEmbedding,
)

SIZES = [512, 128]


def stores(folder: str) -> dict[str, Any]:
    """Chroma and SQLite, on disk."""
    client = chromadb.PersistentClient(f"{folder}/chroma", settings=chromadb.Settings(anonymized_telemetry=False))
    collection = client.get_or_create_collection("leaves", embedding_function=None)
    return {
        "vector_store": ChromaVectorStore(chroma_collection=collection),
        "docstore": SQLiteDocumentStore(f"{folder}/nodes.db"),
    }


def timed(clock: Clock) -> None:
    """Puts the clock around all that is not ours, and around the parser."""
    clock.around(StaticEmbedder, "__call__", "embedding")
    clock.around(StaticEmbedding, "get_text_embedding_batch", "embedding")
    for owner, names in (
        (ChromaVectorStore, ("add", "delete", "delete_nodes")),
        (SQLiteDocumentStore, ("add_documents", "delete_documents", "delete_document", "delete_ref_doc")),
        (SQLiteDocumentStore, ("get_document_hash", "get_ref_doc_info", "set_document_hashes")),
    ):
        for name in names:
            clock.around(owner, name, "stores")
    for name in ("build_nodes", "id_reference"):
        clock.around(nodes_module, name, "records")
    clock.around(SemanticHierarchyParser, "get_nodes_from_documents", "cutting")
    clock.around(HierarchicalNodeParser, "get_nodes_from_documents", "cutting")


def theirs(folder: str, given: list[Document]) -> tuple[Callable[[], object], Callable[[], int]]:
    """LlamaIndex's own way, as its documentation shows it."""
    kept = stores(folder)

    def index() -> None:
        context = StorageContext.from_defaults(**kept)
        parser = HierarchicalNodeParser.from_defaults(chunk_sizes=SIZES, chunk_overlap=0)
        nodes = parser.get_nodes_from_documents(given)
        context.docstore.add_documents(nodes)
        VectorStoreIndex(get_leaf_nodes(nodes), storage_context=context, embed_model=StaticEmbedding())

    return index, kept["vector_store"].client.count


def main() -> None:
    """Reads the command line, measures and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=10_000)
    options = parser.parse_args()
    clock = Clock()
    timed(clock)
    given = [Document(text=one.text, id_=one.id, metadata=one.metadata) for one in texts(options.documents)]
    changed = [Document(text=f"{one.text} More.", id_=one.id_, metadata=one.metadata) for one in given[:100]]
    table = Table(f"{len(given):,} documents of 2 kB, chunk_sizes={SIZES}: seconds")
    with tempfile.TemporaryDirectory() as folder:
        kept = stores(folder)
        made = HierarchyIndex(
            **kept, transformations=[SemanticHierarchyParser(chunk_sizes=SIZES)], embed_model=StaticEmbedding()
        )
        count = kept["vector_store"].client.count

        def delete() -> None:
            for one in changed:
                made.delete_ref_doc(one.id_)

        table.rows += [
            clock.measured("index", lambda: made.upsert(given), count),
            clock.measured("index again", lambda: made.upsert(given), count),
            clock.measured("change 100", lambda: made.upsert(changed), count),
            clock.measured("delete 100", delete, count),
        ]
    with tempfile.TemporaryDirectory() as folder:
        action, count = theirs(folder, given)
        table.rows.append(clock.measured("LlamaIndex's own: index", action, count))
    print(table.markdown())


if __name__ == "__main__":
    main()
