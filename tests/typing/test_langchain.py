"""What a user of the LangChain plugin writes: mypy and pyright check the types that come of it, pytest runs it."""

from __future__ import annotations

from pathlib import Path
from typing import assert_type

import numpy as np
from langchain_core.documents import BaseDocumentTransformer, Document
from langchain_core.embeddings import DeterministicFakeEmbedding, Embeddings
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnableLambda, RunnablePassthrough
from langchain_core.stores import BaseStore, InMemoryStore
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_text_splitters import TextSplitter

from caesura import Adjacent, Limits, PercentileCut
from caesura.types import Breaks, Sizes, Vectors
from caesura_retrieval.ranking import Evidence
from langchain_caesura import (
    BM25Retriever,
    ClusterSemanticSplitter,
    DoublePassSemanticSplitter,
    OptimalSemanticSplitter,
    ParentDocumentRetriever,
    ScoredDocument,
    SemanticHierarchySplitter,
    SemanticPercentileSplitter,
    SemanticSplitter,
    SQLiteDocumentStore,
    StaticEmbeddings,
)

TEXT = "Bread dough rises because yeast makes gas. A warm kitchen helps the yeast. The moon pulls at the sea."


def in_pairs(vectors: Vectors, sizes: Sizes, limits: Limits) -> Breaks:
    return np.arange(2, len(vectors), 2)


def of_lists(texts: list[str]) -> list[list[float]]:
    return [[1.0, "moon" in text] for text in texts]


def test_splitters_are_text_splitters() -> None:
    splitters: list[TextSplitter] = [
        DoublePassSemanticSplitter(chunk_size=80),
        OptimalSemanticSplitter(DeterministicFakeEmbedding(size=8), target_size=60),
        ClusterSemanticSplitter(of_lists, n_clusters=2),
        SemanticPercentileSplitter.like_semantic_chunker(StaticEmbeddings()),
        SemanticSplitter(cut=in_pairs, chunk_size=80),
        SemanticSplitter(StaticEmbeddings(), cut=PercentileCut(gaps=Adjacent(2))),
    ]
    for splitter in splitters:
        assert_type(splitter.split_text(TEXT), list[str])
        assert_type(splitter.split_documents([Document(TEXT)]), list[Document])


async def test_the_same_awaited() -> None:
    splitter = SemanticPercentileSplitter(chunk_size=80, calibrated=False)
    transformer: BaseDocumentTransformer = splitter
    assert len(await transformer.atransform_documents([Document(TEXT)])) > 1
    assert_type(await splitter.asplit_text(TEXT), list[str])
    assert_type(await splitter.asplit_documents([Document(TEXT)]), list[Document])


def test_embeddings_retrievers_and_stores_are_langchains(tmp_path: Path) -> None:
    embeddings: Embeddings = StaticEmbeddings()
    parents = SQLiteDocumentStore(tmp_path / "parents.db")
    store: BaseStore[str, Document] = parents
    retriever = ParentDocumentRetriever(
        vectorstore=InMemoryVectorStore(embeddings),
        docstore=store,
        child_splitter=SemanticHierarchySplitter(chunk_sizes=[200, 80]),
    )
    assert_type(retriever.add_documents([Document(TEXT, id="bread")]), list[str])
    passages = retriever.invoke("Why does dough rise?", budget=100)
    assert_type(passages, list[ScoredDocument])
    assert_type(passages[0].score, float | None)
    assert_type(passages[0].evidence, Evidence | None)
    runnable: BaseRetriever = retriever
    documents: list[Document] = [*runnable.invoke("Why does dough rise?")]
    assert documents
    parents.close()


async def test_what_is_awaited_has_scores_too(tmp_path: Path) -> None:
    with SQLiteDocumentStore(tmp_path / "parents.db") as parents:
        retriever = ParentDocumentRetriever(vectorstore=InMemoryVectorStore(StaticEmbeddings()), docstore=parents)
        await retriever.aadd_documents([Document(TEXT, id="bread")])
        assert_type([passage.score for passage in await retriever.ainvoke("dough")], list[float | None])


def best(found: list[ScoredDocument]) -> float | None:
    return found[0].score


def texts(found: list[Document]) -> str:
    return "".join(each.page_content for each in found)


async def test_every_door_of_a_retriever_gives_scores() -> None:
    parents = ParentDocumentRetriever(vectorstore=InMemoryVectorStore(StaticEmbeddings()), docstore=InMemoryStore())
    for retriever in (parents, BM25Retriever()):
        retriever.add_documents([Document(TEXT, id="bread")])
        assert_type(retriever.batch(["dough"])[0][0].score, float | None)
        assert_type((await retriever.abatch(["dough"]))[0][0].score, float | None)
        assert_type([found[0].score for found in retriever.stream("dough")], list[float | None])
        assert_type([found[0].score async for found in retriever.astream("dough")], list[float | None])
        assert_type((retriever | best).invoke("dough"), float | None)
        assert_type(await (retriever | best).ainvoke("dough"), float | None)
        assert_type((retriever | RunnableLambda(best)).invoke("dough"), float | None)
        assert_type((retriever | texts).invoke("dough"), str)
        assert_type((retriever | RunnableLambda(texts)).invoke("dough"), str)
        told = {"context": retriever | texts, "question": RunnablePassthrough[str]()} | RunnableLambda(str)
        assert_type(told.invoke("dough"), str)
        assert (retriever | best).invoke("dough") is not None


def test_what_is_wrong_is_an_error_before_it_runs() -> None:
    def wrong() -> None:
        DoublePassSemanticSplitter(chunk_size="80")  # type: ignore[arg-type]
        DoublePassSemanticSplitter(chunksize=80)  # type: ignore[call-arg]
        DoublePassSemanticSplitter(cut=in_pairs)  # type: ignore[call-arg]
        SemanticSplitter(cut=len)  # type: ignore[arg-type]
        SemanticSplitter()  # type: ignore[call-arg]
        SemanticPercentileSplitter(breakpoint_threshold_type="median")  # type: ignore[arg-type]

    assert callable(wrong)


async def test_a_retriever_of_words_is_langchains(tmp_path: Path) -> None:
    with SQLiteDocumentStore(tmp_path / "words.db") as store:
        words = BM25Retriever.from_texts([TEXT], [{"user": "anna"}], docstore=store, k=1)
        assert_type(words, BM25Retriever)
        assert_type(words.add_documents([Document(TEXT)], ids=["bread"]), list[str])
        assert_type(words.invoke("dough", filter={"user": "anna"}), list[ScoredDocument])
        assert_type(await words.ainvoke("dough", k=2), list[ScoredDocument])
        runnable: BaseRetriever = BM25Retriever.from_documents([Document(TEXT)], filter=lambda each: bool(each.id))
        assert runnable.invoke("dough")
