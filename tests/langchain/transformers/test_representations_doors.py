"""Questions, summaries and propositions lead through the parent retriever to their chunk."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from fakes.langchain.llms import TEA, Plain, llm, made, sync_and_async
from fakes.servers.openai_server import OpenAIServer
from langchain_core.documents import Document
from langchain_core.stores import InMemoryStore
from langchain_core.vectorstores import InMemoryVectorStore

from langchain_caesura import (
    DoublePassSemanticSplitter,
    ParentDocumentRetriever,
    PropositionTransformer,
    QuestionTransformer,
    SQLiteDocumentStore,
    StaticEmbeddings,
    SummaryTransformer,
)

TEXT = (
    "Zebras graze on the plain at dawn. Lions watch them from the shade of a tree.\n\n"
    "Copper conducts electricity well. Rubber does not, and so it covers the wire.\n\n"
    "Violins are made of spruce and maple. The varnish is a secret of the maker."
)


@pytest.mark.enable_socket
@pytest.mark.parametrize("ids", [True, False])
@sync_and_async
async def test_questions_summaries_and_propositions_are_doors_to_a_chunk(how: str, ids: bool, tmp_path: Path) -> None:
    chunks = DoublePassSemanticSplitter(chunk_size=100, add_start_index=True).split_documents(
        [Document(TEXT, id="doc", metadata={"source": "mixed.md"})]
    )
    if not ids:
        chunks = [Document(one.page_content, metadata=one.metadata) for one in chunks]
    store = InMemoryVectorStore(StaticEmbeddings())
    with OpenAIServer() as server, SQLiteDocumentStore(tmp_path / "chunks.db") as docstore:
        kinds: list[Any] = [QuestionTransformer, SummaryTransformer, PropositionTransformer]
        views = [one for kind in kinds for one in await made(kind(llm(server)), chunks, how)]
        retriever = ParentDocumentRetriever(vectorstore=store, docstore=docstore, child_splitter=None, k=1)
        if how == "sync":
            retriever.add_documents(chunks, views=views)
        else:
            await retriever.aadd_documents(chunks, views=views)
        (found,) = retriever.invoke("What about Copper?")
    assert "Copper conducts" in found.page_content
    assert found.metadata["source"] == "mixed.md"
    best = found.matches[0]
    assert best["text"] == "What about Copper?"
    assert TEXT[best["start_index"] : best["end_index"]] == found.page_content
    assert len(store.store) == len(views)


async def test_views_find_equal_chunks_and_chunks_known_by_their_source() -> None:
    equal = [Document(TEA, metadata={"source": "a.md"}), Document(TEA, metadata={"source": "a.md"})]
    for source in (None, "source"):
        store = InMemoryVectorStore(StaticEmbeddings())
        retriever = ParentDocumentRetriever(vectorstore=store, docstore=InMemoryStore(), source_id_key=source, k=1)
        retriever.add_documents(equal, views=await made(SummaryTransformer(Plain()), equal, "sync"))
        assert [one.page_content for one in retriever.invoke("hot tea")] == [TEA]
