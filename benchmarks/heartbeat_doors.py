"""The async doors of both plugins: what each awaits, over texts and a folder for its stores."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, TypeAlias

import chromadb
from langchain_chroma import Chroma
from langchain_core.documents import Document
from langchain_core.vectorstores import InMemoryVectorStore
from llama_index.core import Document as LlamaDocument
from llama_index.core.ingestion import IngestionPipeline
from llama_index.core.utils import get_tokenizer
from llama_index.vector_stores.chroma import ChromaVectorStore
from subjects import texts as short_texts

import langchain_caesura as lc
import llama_index.node_parser.caesura as li

Work: TypeAlias = Callable[[], Awaitable[Any]]
Door: TypeAlias = Callable[[list[str], str], Awaitable[Work]]
QUESTION = "Where does the captain of the ferry keep the compass?"
ASKED = 20
"""Questions one after another."""
DOORS: dict[str, Door] = {}


def make_texts(megabytes: float, documents: int) -> list[str]:
    """Texts of about so many bytes together, with headings."""
    pieces = [one.text for one in short_texts(int(megabytes * 500))]
    share = max(len(pieces) // documents, 1)
    return [
        "\n\n".join(f"# Part {at}\n\n{piece}" for at, piece in enumerate(pieces[start : start + share]))
        for start in range(0, len(pieces), share)
    ]


def _door(function: Door) -> Door:
    DOORS[function.__name__.removeprefix("_").replace("__", " ")] = function
    return function


async def _ask(ask: Callable[[str], Awaitable[Any]]) -> None:
    for number in range(ASKED):
        assert await ask(f"{QUESTION} {number}")


async def _ask_meanwhile(ask: Callable[[str], Awaitable[Any]], write: Work) -> None:
    """Asks again and again until all is written."""
    writing = asyncio.ensure_future(write())
    while not writing.done():
        assert await ask(QUESTION)
    await writing


def _documents(texts: list[str]) -> list[Document]:
    return [Document(text, id=f"d{at}", metadata={"source": f"{at}.md"}) for at, text in enumerate(texts)]


def _llama_documents(texts: list[str]) -> list[LlamaDocument]:
    return [LlamaDocument(text=text, id_=f"d{at}", metadata={"title": f"{at}"}) for at, text in enumerate(texts)]


# -- LangChain -------------------------------------------------------------------------------------------------------


def _splitting(cls: Any) -> Door:
    async def prepare(texts: list[str], folder: str) -> Work:
        return partial(cls().atransform_documents, _documents(texts))

    return prepare


def _parsing(cls: Any) -> Door:
    async def prepare(texts: list[str], folder: str) -> Work:
        get_tokenizer()  # which takes 60 ms to load its words
        return partial(cls().aget_nodes_from_documents, _llama_documents(texts))

    return prepare


for _name in ("OptimalSemanticSplitter", "DoublePassSemanticSplitter", "SemanticPercentileSplitter",
              "ClusterSemanticSplitter", "SemanticHierarchySplitter"):  # fmt: skip
    DOORS[f"langchain {_name} atransform_documents"] = _splitting(getattr(lc, _name))


@_door
async def langchain__embeddings__aembed_documents(texts: list[str], folder: str) -> Work:
    """The built-in model, as LangChain has it."""
    pieces = [piece for text in texts for piece in text.split("\n\n")]
    return partial(lc.StaticEmbeddings().aembed_documents, pieces)


def _lc_stores(folder: str, kind: str) -> dict[str, Any]:
    docstore = lc.SQLiteDocumentStore(f"{folder}/parents.db")
    if kind == "memory":
        return {"vectorstore": InMemoryVectorStore(lc.StaticEmbeddings()), "docstore": docstore}
    client = chromadb.PersistentClient(f"{folder}/chroma", settings=chromadb.Settings(anonymized_telemetry=False))
    return {"vectorstore": Chroma("children", lc.StaticEmbeddings(), client=client), "docstore": docstore}


def _lc_retriever(kind: str, what: str) -> Door:
    async def prepare(texts: list[str], folder: str) -> Work:
        retriever = lc.ParentDocumentRetriever(
            **_lc_stores(folder, kind), child_splitter=lc.SemanticHierarchySplitter()
        )
        documents = _documents(texts)
        if what == "aadd_documents":
            return partial(retriever.aadd_documents, documents)
        retriever.add_documents(documents)
        if what == "ainvoke":
            return partial(_ask, retriever.ainvoke)
        if what == "amirror":
            return partial(retriever.amirror, documents[: len(documents) // 2 or 1])
        if what == "aadd_documents again":
            return partial(retriever.aadd_documents, documents)
        if what == "aget":
            return partial(retriever.aget, [str(each.id) for each in documents])
        return partial(retriever.adelete, [str(each.id) for each in documents])

    return prepare


for _kind in ("memory", "chroma"):
    for _what in ("aadd_documents", "aadd_documents again", "ainvoke", "aget", "amirror", "adelete"):
        DOORS[f"langchain {_kind} {_what}"] = _lc_retriever(_kind, _what)


def _lc_bm25(what: str) -> Door:
    async def prepare(texts: list[str], folder: str) -> Work:
        pieces = [Document(piece, id=f"{at}") for at, piece in enumerate(p for t in texts for p in t.split("\n\n"))]
        retriever = lc.BM25Retriever(docstore=lc.SQLiteDocumentStore(f"{folder}/words.db"))
        if what == "aadd_documents":
            return partial(retriever.aadd_documents, pieces)
        retriever.add_documents(pieces)
        if what == "ainvoke":
            return partial(_ask, retriever.ainvoke)
        return partial(retriever.adelete, [str(each.id) for each in pieces])

    return prepare


for _what in ("aadd_documents", "ainvoke", "adelete"):
    DOORS[f"langchain bm25 {_what}"] = _lc_bm25(_what)


# -- LlamaIndex ------------------------------------------------------------------------------------------------------

for _name in ("OptimalSemanticSplitter", "DoublePassSemanticSplitter", "SemanticPercentileSplitter",
              "ClusterSemanticSplitter", "SemanticHierarchyParser"):  # fmt: skip
    DOORS[f"llama_index {_name} aget_nodes_from_documents"] = _parsing(getattr(li, _name))


@_door
async def llama_index__embedding__aget_text_embedding_batch(texts: list[str], folder: str) -> Work:
    """The built-in model, as LlamaIndex has it."""
    pieces = [piece for text in texts for piece in text.split("\n\n")]
    return partial(li.StaticEmbedding().aget_text_embedding_batch, pieces)


@_door
async def llama_index__pipeline__arun(texts: list[str], folder: str) -> Work:
    """A pipeline without a cache: LlamaIndex makes its keys in the event loop."""
    pipeline = IngestionPipeline(
        transformations=[li.OptimalSemanticSplitter(), li.StaticEmbedding()], disable_cache=True
    )
    return partial(pipeline.arun, documents=_llama_documents(texts))


def _li_stores(folder: str, kind: str) -> dict[str, Any]:
    if kind == "memory":
        return {}
    client = chromadb.PersistentClient(f"{folder}/chroma", settings=chromadb.Settings(anonymized_telemetry=False))
    collection = client.get_or_create_collection("leaves", embedding_function=None)
    return {
        "vector_store": ChromaVectorStore(chroma_collection=collection),
        "docstore": li.SQLiteDocumentStore(f"{folder}/nodes.db"),
    }


def _li_index(kind: str, what: str) -> Door:
    async def prepare(texts: list[str], folder: str) -> Work:
        index = li.HierarchyIndex(**_li_stores(folder, kind), embed_model=li.StaticEmbedding())
        documents = _llama_documents(texts)
        if what == "aupsert":
            return partial(index.aupsert, documents)
        if what == "aupsert while it is asked":
            index.upsert(documents[:1])
            return partial(_ask_meanwhile, index.as_retriever().aretrieve, partial(index.aupsert, documents))
        index.upsert(documents)
        if what == "aretrieve":
            return partial(_ask, index.as_retriever().aretrieve)
        if what == "aretrieve merging":
            return partial(_ask, index.as_retriever(budget=None).aretrieve)
        if what == "aupsert again":
            return partial(index.aupsert, documents)
        if what == "amirror":
            return partial(index.amirror, documents[: len(documents) // 2 or 1])
        return partial(_delete_all, index, [each.doc_id for each in documents])

    return prepare


async def _delete_all(index: Any, names: list[str]) -> None:
    for name in names:
        await index.adelete_ref_doc(name)


for _kind in ("memory", "chroma"):
    for _what in (
        "aupsert",
        "aupsert while it is asked",
        "aupsert again",
        "aretrieve",
        "aretrieve merging",
        "amirror",
        "adelete_ref_doc",
    ):
        DOORS[f"llama_index {_kind} {_what}"] = _li_index(_kind, _what)


def _li_bm25(what: str) -> Door:
    async def prepare(texts: list[str], folder: str) -> Work:
        nodes = li.OptimalSemanticSplitter().get_nodes_from_documents(_llama_documents(texts))
        retriever = li.BM25Retriever(nodes[:1], path=f"{folder}/words.db")
        if what == "ainsert_nodes":
            return partial(retriever.ainsert_nodes, nodes)
        retriever.insert_nodes(nodes)
        if what == "aretrieve":
            return partial(_ask, retriever.aretrieve)
        return partial(retriever.adelete_nodes, [each.node_id for each in nodes])

    return prepare


for _what in ("ainsert_nodes", "aretrieve", "adelete_nodes"):
    DOORS[f"llama_index bm25 {_what}"] = _li_bm25(_what)
