"""What a search costs beside the embedder and the vector store, in documents of a page and in one long document.

    python benchmarks/search_costs.py [--chunks 27000] [--questions 100] [--only langchain] [--kept FOLDER] [--profile]

Texts and questions of 25 words are those of word_search.py. A search is one of `ParentDocumentRetriever` and one of
`HierarchyIndex` at their defaults, with SQLite and FAISS. The processor's time in FAISS and in the embedder is taken
off, and so is the turning of its rows into documents. FAISS has one thread: others would go on waiting for work, at
full speed, while we work. kept: where what is indexed stays for the next run.
"""

from __future__ import annotations

import argparse
import cProfile
import json
import pstats
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import faiss
import numpy as np
from clock import Clock
from langchain_community.docstore.in_memory import InMemoryDocstore
from langchain_community.vectorstores import FAISS
from langchain_core.documents import Document
from llama_index.core import Document as LlamaDocument
from llama_index.core.schema import BaseNode, TextNode
from llama_index.core.vector_stores import VectorStoreQuery, VectorStoreQueryResult
from llama_index.core.vector_stores.types import BasePydanticVectorStore
from tables import Table
from word_search import OF_DOCUMENT, Spliced

from langchain_caesura import ParentDocumentRetriever, SQLiteDocumentStore, StaticEmbeddings
from llama_index.node_parser.caesura import HierarchyIndex, StaticEmbedding
from llama_index.node_parser.caesura import SQLiteDocumentStore as NodeStore

DIMENSIONS, AT_ONCE, WARM = len(StaticEmbeddings().embed_query("a")), 200, 5
Ask = Callable[[str], object]


def documents(spliced: Spliced, chunks: int, many: bool) -> Iterator[tuple[str, str]]:
    """Yields names and texts of about so many chunks together: in pages, or in one document."""
    pages = chunks // OF_DOCUMENT
    texts = (
        "\n\n".join(f"## Part {at}\n\n{each.text}" for at, each in enumerate(spliced.document().texts))
        for _ in range(pages)
    )
    if many:
        yield from ((f"page-{number}", text) for number, text in enumerate(texts))
    else:
        yield "whole", "\n\n".join(f"# Page {number}\n\n{text}" for number, text in enumerate(texts))


class FlatStore(BasePydanticVectorStore):
    """Rows in FAISS, for LlamaIndex, whose own store in memory goes through lists."""

    stores_text: bool = False
    collection_name: str = "leaves"

    def __init__(self, folder: Path) -> None:
        super().__init__()
        path = folder / "rows.faiss"
        self._path, self._names = path, dict[int, str]()
        self._rows = faiss.IndexFlatIP(DIMENSIONS)
        if path.exists():
            self._rows = faiss.read_index(str(path))
            self._names = dict(enumerate(json.loads(path.with_suffix(".json").read_text())))

    @property
    def client(self) -> Any:
        return self._rows

    def add(self, nodes: Any, **_: Any) -> list[str]:
        """Adds rows."""
        self._rows.add(np.asarray([node.get_embedding() for node in nodes], np.float32))
        self._names.update(enumerate((node.node_id for node in nodes), len(self._names)))
        return [node.node_id for node in nodes]

    def delete(self, ref_doc_id: str, **_: Any) -> None:
        """Deletes nothing: each row is written once."""

    def delete_nodes(self, *_: Any, **__: Any) -> None:
        """Deletes nothing."""

    def get_nodes(self, node_ids: Any = None, filters: Any = None) -> list[BaseNode]:
        """Returns the rows that there are."""
        present = {*self._names.values()}
        return [TextNode(id_=name) for name in node_ids or () if name in present]

    def query(self, query: VectorStoreQuery, **_: Any) -> VectorStoreQueryResult:
        """Returns the ids of the nearest."""
        scores, places = self._rows.search(np.asarray([query.query_embedding], np.float32), query.similarity_top_k)
        names = [self._names[place] for place in places[0].tolist() if place >= 0]
        return VectorStoreQueryResult(ids=names, similarities=scores[0].tolist()[: len(names)])

    def save(self) -> None:
        """Writes the rows beside the nodes."""
        faiss.write_index(self._rows, str(self._path))
        self._path.with_suffix(".json").write_text(json.dumps([*self._names.values()]))


def langchain(folder: Path, texts: Iterator[tuple[str, str]]) -> tuple[Ask, Callable[[], int]]:
    """Indexes texts if the folder has none -> what asks the retriever, and how many chunks there are."""
    embeddings, place = StaticEmbeddings(), str(folder / "rows")
    is_made = Path(place).exists()
    if is_made:
        store = FAISS.load_local(place, embeddings, allow_dangerous_deserialization=True)
    else:
        store = FAISS(embeddings, faiss.IndexFlatL2(DIMENSIONS), InMemoryDocstore(), {})
    retriever = ParentDocumentRetriever(vectorstore=store, docstore=SQLiteDocumentStore(folder / "documents.db"))
    given = [] if is_made else [Document(text, id=name) for name, text in texts]
    for start in range(0, len(given), AT_ONCE):
        retriever.add_documents(given[start : start + AT_ONCE])
    if given:
        store.save_local(place)
    return retriever.invoke, lambda: store.index.ntotal


def llama_index(folder: Path, texts: Iterator[tuple[str, str]]) -> tuple[Ask, Callable[[], int]]:
    """`langchain`, for the index."""
    store = FlatStore(folder)
    is_made = store.client.ntotal > 0
    index = HierarchyIndex(vector_store=store, docstore=NodeStore(folder / "nodes.db"), embed_model=StaticEmbedding())
    if not is_made:
        index.upsert([LlamaDocument(text=text, id_=name) for name, text in texts])
        store.save()
    return index.as_retriever().retrieve, lambda: int(store.client.ntotal)


PLUGINS = {"langchain": langchain, "llama_index": llama_index}


def clock_of_others() -> Clock:
    """The processor's time, with what is not ours apart."""
    clock = Clock(time.process_time)
    for owner, name in ((StaticEmbeddings, "embed_query"), (StaticEmbedding, "get_query_embedding")):
        clock.around(owner, name, "embedding")
    for owner, name in ((FAISS, "similarity_search_with_score"), (FAISS, "get_by_ids"), (FlatStore, "query")):
        clock.around(owner, name, "vector store")
    return clock


def measured(name: str, folder: Path, arguments: argparse.Namespace, many: bool, clock: Clock) -> dict[str, Any]:
    """A plugin and a collection -> a row of the table."""
    spliced = Spliced()
    folder.mkdir(parents=True, exist_ok=True)
    ask, count = PLUGINS[name](folder, documents(spliced, arguments.chunks, many))
    other = Spliced(2)
    asking = [other.question() for _ in range(arguments.questions + WARM)]
    for question in asking[:WARM]:
        ask(question)
    taken: list[dict[str, float]] = []
    profile = cProfile.Profile(time.process_time)
    for question in asking[WARM:]:
        clock.seconds = dict.fromkeys(clock.seconds, 0.0)
        clock.since = clock.now()
        if arguments.profile:
            profile.runcall(ask, question)
        else:
            ask(question)
        clock.switch()
        taken.append(dict(clock.seconds))
    if arguments.profile:
        pstats.Stats(profile).sort_stats("tottime").print_stats(45)
    ours = [1000 * each["rest"] for each in taken]
    return {
        "plugin": name,
        "documents": "of a page" if many else "one",
        "chunks": f"{count():,}",
        "ours, CPU ms": float(np.median(ours)),
        "90 of 100 under": float(np.quantile(ours, 0.9)),
        **{what: 1000 * float(np.median([each[what] for each in taken])) for what in ("vector store", "embedding")},
    }


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chunks", type=int, default=27_000)
    parser.add_argument("--questions", type=int, default=100)
    parser.add_argument("--only", choices=PLUGINS)
    parser.add_argument("--kept", type=Path)
    parser.add_argument("--profile", action="store_true")
    given = parser.parse_args()
    faiss.omp_set_num_threads(1)
    clock = clock_of_others()
    table = Table("A search beside the embedder and the vector store", [f"Medians of {given.questions} questions."])
    with tempfile.TemporaryDirectory() as temporary:
        for name in [given.only] if given.only else PLUGINS:
            for many in (True, False):
                folder = (given.kept or Path(temporary)) / f"{name}-{given.chunks}-{'many' if many else 'one'}"
                table.rows.append(measured(name, folder, given, many, clock))
    print(table.markdown())


if __name__ == "__main__":
    main()
