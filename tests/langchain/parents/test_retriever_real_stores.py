"""Chroma on disk, Qdrant in local mode, FAISS and LangChain's own store in memory: one answer, with every feature."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fakes.langchain.passages import document, lines, spans
from fakes.langchain.retrievers import edited
from langchain_core.documents import Document
from langchain_core.indexing import InMemoryRecordManager, index
from langchain_core.stores import InMemoryStore
from langchain_core.vectorstores import InMemoryVectorStore

from caesura_documents.chunk_metadata import NAMES
from caesura_documents.layout import LAYOUT
from langchain_caesura import DoublePassSemanticSplitter, ParentDocumentRetriever, SQLiteDocumentStore, StaticEmbeddings

SERIAL = "the part has the number XK-4471 on it"
DOCUMENTS = [document(f"{number}", lines(16, f"f{number} "), page=number) for number in range(5)]
DOCUMENTS += [document("with", [*lines(20, "g"), SERIAL, *lines(20, "h")], page=9)]
TEXTS = {str(one.id): one.page_content for one in DOCUMENTS}
QUESTION = "Which sailor has the rope and the anchor?"


@contextmanager
def memory(folder: Path) -> Iterator[Any]:
    yield InMemoryVectorStore(StaticEmbeddings())


@contextmanager
def chroma(folder: Path) -> Iterator[Any]:
    chromadb = pytest.importorskip("chromadb")
    from langchain_chroma import Chroma

    client = chromadb.PersistentClient(str(folder / "chroma"), chromadb.Settings(anonymized_telemetry=False))
    yield Chroma("children", StaticEmbeddings(), client=client, collection_configuration={"hnsw": {"space": "cosine"}})


@contextmanager
def qdrant(folder: Path) -> Iterator[Any]:
    qdrant_client = pytest.importorskip("qdrant_client")
    from langchain_qdrant import QdrantVectorStore

    client = qdrant_client.QdrantClient(path=str(folder / "qdrant"))
    size = qdrant_client.models.VectorParams(size=StaticEmbeddings.embedder.dimension, distance="Cosine")
    client.create_collection("children", vectors_config=size)
    yield QdrantVectorStore(client=client, collection_name="children", embedding=StaticEmbeddings())
    client.close()


@contextmanager
def faiss(folder: Path) -> Iterator[Any]:
    library = pytest.importorskip("faiss")
    from langchain_community.docstore.in_memory import InMemoryDocstore
    from langchain_community.vectorstores import FAISS

    flat = library.IndexFlatL2(StaticEmbeddings.embedder.dimension)
    yield FAISS(StaticEmbeddings(), flat, InMemoryDocstore(), {})


def qdrant_filter(source: str) -> Any:
    from qdrant_client import models

    return models.Filter(must=[models.FieldCondition(key="metadata.source", match=models.MatchValue(value=source))])


STORES: dict[str, tuple[Any, Callable[[str], Any]]] = {
    "memory": (memory, lambda source: lambda row: row.metadata["source"] == source),
    "chroma": (chroma, lambda source: {"source": source}),
    "qdrant": (qdrant, qdrant_filter),
    "faiss": (faiss, lambda source: {"source": source}),
}
every_store = pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.thorough) if name == "qdrant" else name for name in STORES]
)
pytestmark = [
    pytest.mark.filterwarnings("ignore:.*langchain-community.*:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:Using SHA-1:UserWarning"),
]


@contextmanager
def filled(name: str, folder: Path, **settings: Any) -> Iterator[ParentDocumentRetriever]:
    folder.mkdir(exist_ok=True)
    with STORES[name][0](folder) as vectors, SQLiteDocumentStore(folder / "d.db") as docstore:
        settings = {"child_splitter": DoublePassSemanticSplitter(target_size=120), **settings}
        made = ParentDocumentRetriever(vectorstore=vectors, docstore=docstore, **settings)
        made.add_documents(DOCUMENTS)
        yield made


def answers(made: ParentDocumentRetriever, budget: int = 900) -> list[tuple[str | None, float | None]]:
    found = [one for question in (QUESTION, "XK-4471") for one in made.invoke(question, budget=budget)]
    spans(found, TEXTS)
    return [(one.id, one.score) for one in found]  # type: ignore[attr-defined]


@pytest.mark.thorough
@every_store
async def test_every_store_gives_the_same_answer_and_filters_with_words(name: str, tmp_path: Path) -> None:
    with filled("memory", tmp_path / "exact") as exact, filled(name, tmp_path / "store") as made:
        wanted, found = answers(exact), answers(made)
        if name != "faiss":  # its scores are of distances
            assert [one for one, _ in found] == [one for one, _ in wanted]
            np.testing.assert_allclose([s for _, s in found], [s for _, s in wanted], atol=1e-3)
        assert SERIAL in made.invoke("XK-4471")[0].page_content
        only = made.invoke("XK-4471", filter=STORES[name][1]("2"))
        assert {one.metadata["source"] for one in only} == {"2"}
        assert SERIAL in made.invoke("XK-4471", filter=STORES[name][1]("with"))[0].page_content
        assert await made.ainvoke(QUESTION) == made.invoke(QUESTION)


@pytest.mark.thorough
@every_store
def test_every_store_is_edited_in_step(name: str, tmp_path: Path) -> None:
    new = [edited(DOCUMENTS[0], "The parrot number QQ-9 spoke.", 0.02), *DOCUMENTS[1:5]]
    with filled(name, tmp_path / "one") as made, filled(name, tmp_path / "two") as fresh:
        fresh.delete(["0"])
        fresh.mirror(new)
        assert made.mirror(new) == (0, 1, 4, len(DOCUMENTS) - 5)
        assert "QQ-9" in made.invoke("QQ-9")[0].page_content
        assert "XK-4471" not in str(made.invoke("XK-4471", budget=10**6))
        for question in (QUESTION, "QQ-9", "f1 3 tide"):
            assert made.invoke(question) == fresh.invoke(question)
        made.delete([str(one.id) for one in new])
        assert made.invoke(QUESTION) == []
        assert list(made.docstore.yield_keys()) == []


@pytest.mark.thorough
@every_store
def test_every_store_is_filled_again_where_the_documents_were_lost(name: str, tmp_path: Path) -> None:
    """The older rows are near to a question too, so that how far each stands out differs a little."""
    with filled(name, tmp_path) as made:
        again = made.model_copy(update={"docstore": InMemoryStore()})
        assert again.invoke(QUESTION) == []
        again.add_documents(DOCUMENTS)
        assert len(answers(again)) > 2
        for question in (QUESTION, "XK-4471"):
            assert again.invoke(question)[0].id == made.invoke(question)[0].id


@every_store
@pytest.mark.parametrize(
    "encoder", ["sha256", *(pytest.param(name, marks=pytest.mark.thorough) for name in ("sha1", "blake2b"))]
)
def test_the_indexing_api_fills_every_store_under_its_own_keys(name: str, encoder: Any, tmp_path: Path) -> None:
    records = InMemoryRecordManager("records")
    options: dict[str, Any] = {"cleanup": "full", "source_id_key": "source", "key_encoder": encoder}
    with filled(name, tmp_path) as made:
        made.delete([str(one.id) for one in DOCUMENTS])
        plain = [Document(one.page_content, metadata=one.metadata) for one in DOCUMENTS]
        assert index(plain, records, made, **options)["num_added"] == 6
        assert SERIAL in made.invoke("XK-4471")[0].page_content
        assert index(plain[:5], records, made, **options)["num_deleted"] == 1
        assert "XK-4471" not in str(made.invoke("XK-4471", budget=10**6))
        assert index([], records, made, **options)["num_deleted"] == 5
        assert made.invoke(QUESTION) == []


@pytest.mark.parametrize("name", ["chroma", "qdrant"])
def test_a_store_takes_all_that_chunks_say_of_their_place(name: str, tmp_path: Path) -> None:
    pages = [
        {"start": at, "page": at // 300, "offset": 0, "type": "text", "box": [0, 1.5, 2, 3]} for at in (0, 300, 600)
    ]
    text = f"# Ferries\n\n## Fares\n\n{TEXTS['with']}"
    document = Document(text, metadata={"source": "a", LAYOUT: pages})
    chunks = DoublePassSemanticSplitter(target_size=120, metadata=NAMES).split_documents([document])
    by_text = {chunk.page_content: chunk for chunk in chunks}
    assert all(isinstance(chunk.metadata[key], list) for chunk in chunks for key in ("headings", "types", "boxes"))
    with STORES[name][0](tmp_path) as store:
        store.add_documents(chunks, ids=[str(chunk.id) for chunk in chunks])
        for found in store.similarity_search(QUESTION, k=5):
            own = {key: value for key, value in found.metadata.items() if not key.startswith("_")}
            assert own == by_text[found.page_content].metadata


@pytest.mark.thorough
@every_store
def test_every_store_has_the_vectors_of_headings_and_says_where_passages_moved(name: str, tmp_path: Path) -> None:
    texts = [f"# Ferries\n\n{TEXTS['with']}", f"A line.\n\n# Boats\n\n{TEXTS['with']}"]
    settings: dict[str, Any] = {"embed_headings": True, "passage_metadata": ["headings", "line_start"]}
    with filled(name, tmp_path / "one", **settings) as made, filled("memory", tmp_path / "two", **settings) as exact:
        for text in texts:
            made.add_documents([Document(text, id="with", metadata={"source": "with"})])
            found = made.invoke("XK-4471", budget=300)[0]
            start = found.metadata["start_index"]
            assert found.metadata["line_start"] == text.count("\n", 0, start) + 1
            assert found.metadata["headings"] == [text.partition("# ")[2].partition("\n")[0]]
        exact.add_documents([Document(texts[-1], id="with", metadata={"source": "with"})])
        if name != "faiss":
            assert [one.id for one in made.invoke(QUESTION)] == [one.id for one in exact.invoke(QUESTION)]
