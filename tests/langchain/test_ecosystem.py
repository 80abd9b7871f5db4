"""The splitters in LangChain's own machinery: retrievers, chains, the indexing API, the parent-document retriever."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from articles import article
from langchain_classic.retrievers import ParentDocumentRetriever
from langchain_core.documents import Document
from langchain_core.indexing import InMemoryRecordManager, index
from langchain_core.runnables import RunnableLambda
from langchain_core.stores import InMemoryStore
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_fakes import SPLITTERS, AsyncBag, Bag, contents, every_splitter

from langchain_caesura import StaticEmbeddings

ARTICLES = [article(40, seed) for seed in range(3)]
DOCUMENTS = [
    Document(page_content=text, metadata={"source": f"{number}.md"}, id=f"doc-{number}")
    for number, text in enumerate(ARTICLES)
]
FERRY = (
    "The bakery opens at six. Its rye bread is dark and sour. Salt and rye flour make the dough. "
    "The ferry leaves the harbour at nine. A captain and two sailors bring the ferry to the island. "
    "The tax office wants its forms in May. A clerk of the tax office audits the returns."
)


def joined(documents: list[Document]) -> str:
    return "\n---\n".join(contents(documents))


@every_splitter
async def test_a_retriever_chain_finds_the_chunk_that_answers(cls: Any) -> None:
    store = InMemoryVectorStore(StaticEmbeddings())
    store.add_documents(cls(chunk_size=160).create_documents([FERRY]))
    chain = store.as_retriever(search_kwargs={"k": 1}) | joined
    assert "leaves the harbour at nine" in chain.invoke("When does the ferry leave the harbour?")
    assert "forms in May" in await chain.ainvoke("When does the tax office want its forms?")


@every_splitter
def test_a_store_keeps_the_ids_of_chunks_so_that_adding_again_adds_nothing(cls: Any) -> None:
    store = InMemoryVectorStore(StaticEmbeddings())
    chunks = cls(chunk_size=300).split_documents(DOCUMENTS)
    assert store.add_documents(chunks) == [chunk.id for chunk in chunks]
    store.add_documents(cls(chunk_size=300).split_documents(DOCUMENTS))
    assert len(store.store) == len(chunks)


@every_splitter
def test_a_splitters_method_is_a_step_of_a_chain(cls: Any) -> None:
    splitter = cls(chunk_size=300)
    chain = RunnableLambda(lambda _: DOCUMENTS) | splitter.split_documents | joined
    assert chain.invoke(None) == joined(splitter.split_documents(DOCUMENTS))


@every_splitter
async def test_a_step_with_both_halves_awaits_the_embeddings(cls: Any) -> None:
    embeddings = AsyncBag()
    splitter = cls(embeddings, chunk_size=300)
    step = RunnableLambda(splitter.split_documents, afunc=splitter.asplit_documents)
    assert await step.ainvoke(DOCUMENTS) == cls(Bag(), chunk_size=300).split_documents(DOCUMENTS)
    assert len(embeddings.calls) == 2


@every_splitter
async def test_a_batch_of_inputs_at_once_calibrates_once(cls: Any) -> None:
    embeddings = AsyncBag()
    splitter = cls(embeddings, chunk_size=300)
    step = RunnableLambda(splitter.split_documents, afunc=splitter.asplit_documents)
    made = await step.abatch([[document] for document in DOCUMENTS])
    assert made == [cls(Bag(), chunk_size=300).split_documents([document]) for document in DOCUMENTS]
    assert len(embeddings.calls) == 1 + len(DOCUMENTS)


@pytest.mark.filterwarnings("ignore:Using SHA-1")
@pytest.mark.parametrize("key_encoder", ["sha1", "sha256", lambda document: document.id], ids=["sha1", "sha256", "id"])
@every_splitter
def test_indexing_the_same_again_adds_nothing(cls: Any, key_encoder: Any) -> None:
    records, store = InMemoryRecordManager("test"), InMemoryVectorStore(StaticEmbeddings())
    records.create_schema()
    settings = {"cleanup": "full", "source_id_key": "source", "key_encoder": key_encoder}
    chunks = cls(chunk_size=300, add_start_index=True).split_documents(DOCUMENTS)
    first = index(chunks, records, store, **settings)
    again = index(cls(chunk_size=300, add_start_index=True).split_documents(DOCUMENTS), records, store, **settings)
    assert first["num_added"] == len(chunks) == len(store.store)
    assert (again["num_added"], again["num_skipped"], again["num_deleted"]) == (0, len(chunks), 0)


@every_splitter
def test_an_edited_document_replaces_its_rows_and_leaves_no_stale_one(cls: Any) -> None:
    records, store = InMemoryRecordManager("test"), InMemoryVectorStore(StaticEmbeddings())
    records.create_schema()
    settings: dict[str, Any] = {
        "cleanup": "full",
        "source_id_key": "source",
        "key_encoder": lambda document: document.id,
    }
    splitter = cls(chunk_size=300)
    index(splitter.split_documents(DOCUMENTS), records, store, **settings)
    edited = [DOCUMENTS[0].model_copy(update={"page_content": ARTICLES[0].replace("cat", "dog")}), *DOCUMENTS[1:]]
    done = index(splitter.split_documents(edited), records, store, **settings)
    kept = {row["text"] for row in store.store.values()}
    assert done["num_added"] > 0
    assert done["num_deleted"] > 0
    assert done["num_skipped"] > 0
    assert kept == set(contents(splitter.split_documents(edited)))


def parents(cls: Any, **settings: Any) -> ParentDocumentRetriever:
    return ParentDocumentRetriever(
        vectorstore=InMemoryVectorStore(StaticEmbeddings()),
        docstore=InMemoryStore(),
        child_splitter=cls(chunk_size=120),
        search_kwargs={"k": 2},
        **settings,
    )


@every_splitter
async def test_the_parent_document_retriever_returns_whole_documents(cls: Any) -> None:
    retriever = parents(cls)
    retriever.add_documents([*DOCUMENTS, Document(page_content=FERRY)])
    assert retriever.invoke("When does the ferry leave the harbour?")[0].page_content == FERRY
    assert (await retriever.ainvoke("Where is the captain of the ferry?"))[0].page_content == FERRY


@every_splitter
async def test_the_parent_document_retriever_returns_the_parents_that_we_cut(cls: Any) -> None:
    retriever = parents(cls, parent_splitter=cls(chunk_size=400))
    await retriever.aadd_documents([Document(page_content=FERRY), *DOCUMENTS])
    expected = contents(cls(chunk_size=400).split_documents([Document(page_content=FERRY), *DOCUMENTS]))
    found = retriever.invoke("When does the ferry leave the harbour?")
    assert "leaves the harbour" in found[0].page_content
    assert all(document.page_content in expected for document in found)


@every_splitter
def test_children_carry_their_parents_id_and_have_ids_of_their_own(cls: Any) -> None:
    retriever = parents(cls)
    retriever.add_documents([*DOCUMENTS], ids=["a", "b", "c"])
    rows = list(retriever.vectorstore.store.values())
    assert {row["metadata"]["doc_id"] for row in rows} == {"a", "b", "c"}
    assert {row["text"] for row in rows} == set(contents(cls(chunk_size=120).split_documents(DOCUMENTS)))


@every_splitter
def test_it_cuts_what_a_loader_yields(cls: Any, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(ARTICLES[0], encoding="utf-8")

    def lazy_load() -> Any:
        for path in tmp_path.iterdir():
            yield Document(page_content=path.read_text(encoding="utf-8"), metadata={"source": path})

    made = cls(chunk_size=300).split_documents(lazy_load())
    assert len(made) > 3
    assert all(chunk.metadata["source"] == tmp_path / "a.txt" for chunk in made)


def test_splitters_run_in_a_thread_pool_too() -> None:
    async def many() -> list[list[Document]]:
        splitter = SPLITTERS[0](Bag(), chunk_size=300)
        return await asyncio.gather(*(asyncio.to_thread(splitter.split_documents, [one]) for one in DOCUMENTS))

    assert asyncio.run(many()) == [SPLITTERS[0](Bag(), chunk_size=300).split_documents([one]) for one in DOCUMENTS]
