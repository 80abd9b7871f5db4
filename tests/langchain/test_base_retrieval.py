"""What splitters cut is found by a retriever, and by langchain-classic's ParentDocumentRetriever."""

from __future__ import annotations

from typing import Any

from fakes.langchain.splitters import contents, every_splitter
from fakes.texts.articles import article
from langchain_classic.retrievers import ParentDocumentRetriever
from langchain_core.documents import Document
from langchain_core.stores import InMemoryStore
from langchain_core.vectorstores import InMemoryVectorStore

from langchain_caesura import StaticEmbeddings

DOCUMENTS = [Document(article(20, seed), metadata={"source": f"{seed}.md"}, id=f"doc-{seed}") for seed in range(3)]
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
