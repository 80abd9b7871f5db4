"""Async doors of both plugins: what takes time is done in other threads than the event loop's, in the caller's context.

`benchmarks/heartbeat.py` measures how late an event loop is meanwhile.
"""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import pytest
from fakes.embedders.document_embedders import Together
from fakes.langchain.llms import Plain as PlainChat
from fakes.llama_index.llms import Plain as PlainLLM
from fakes.texts.articles import article
from langchain_community.vectorstores import FAISS
from langchain_core.documents import Document
from langchain_core.vectorstores import InMemoryVectorStore
from llama_index.core import Document as LlamaDocument
from llama_index.core.ingestion import IngestionPipeline
from llama_index.core.schema import TextNode
from llama_index.core.vector_stores import SimpleVectorStore

import langchain_caesura as lc
import llama_index.node_parser.caesura as li
from caesura import OptimalCut
from caesura.hierarchy import Hierarchy
from caesura.splitter import Splitter
from caesura_llm.contexts import Contexts
from caesura_llm.propositions import Propositions
from caesura_llm.representations import Representations
from caesura_retrieval.word_index import WordIndex
from caesura_static import StaticEmbedder
from caesura_store.sqlite_store import Store

TEXTS = [f"# Ships\n\n{article(9, seed)}\n\n# Bread\n\n{article(9, seed + 9)}" for seed in range(3)]
CALLER: ContextVar[str] = ContextVar("caller", default="")
HEAVY: list[tuple[Any, str]] = [
    *((kind, name) for kind in (Splitter, Hierarchy) for name in ("prepare", "finish")),
    (StaticEmbedder, "__call__"),
    (Together, "embed_document"),
    (Store, "run"),
    *((WordIndex, name) for name in ("put", "delete", "search", "explain")),
    *((kind, "__init__") for kind in (Propositions, Representations, Contexts)),
    *((SimpleVectorStore, name) for name in ("add", "query", "delete_nodes")),
    (InMemoryVectorStore, "_similarity_search_with_score_by_vector"),
    (FAISS, "_FAISS__add"),
]
"""What takes time, of ours and of stores in memory."""


def documents() -> list[Document]:
    return [Document(text, id=f"d{at}", metadata={"source": f"{at}.md"}) for at, text in enumerate(TEXTS)]


def llama_documents() -> list[LlamaDocument]:
    return [LlamaDocument(text=text, id_=f"d{at}") for at, text in enumerate(TEXTS)]


def made_of(package: Any, name: str) -> Any:
    """A splitter or parser by its name."""
    return getattr(package, name)(**({"cut": OptimalCut()} if name == "SemanticSplitter" else {}))


async def drain(given: AsyncIterator[Any]) -> list[Any]:
    return [each async for each in given]


# -- LangChain -------------------------------------------------------------------------------------------------------


def splitter() -> dict[str, Callable[[Any], Awaitable[Any]]]:
    """The doors of a splitter of LangChain's."""
    return {
        "asplit_text": lambda made: made.asplit_text(TEXTS[0]),
        "acreate_documents": lambda made: made.acreate_documents(TEXTS),
        "asplit_documents": lambda made: made.asplit_documents(documents()),
        "atransform_documents": lambda made: made.atransform_documents(documents()),
    }


def transformer() -> dict[str, Callable[[Any], Awaitable[Any]]]:
    return {
        "atransform_documents": lambda made: made.atransform_documents(documents()),
        "alazy_transform_documents": lambda made: drain(made.alazy_transform_documents(documents())),
    }


def retriever(folder: Path, store: Any = None) -> Any:
    made = lc.ParentDocumentRetriever(
        vectorstore=store or InMemoryVectorStore(lc.StaticEmbeddings()),
        docstore=lc.SQLiteDocumentStore(folder / "parents.db"),
    )
    made.add_documents(documents())
    return made


def words(folder: Path) -> Any:
    made = lc.BM25Retriever(docstore=lc.SQLiteDocumentStore(folder / "words.db"))
    made.add_documents(documents())
    return made


def faiss(folder: Path) -> Any:
    return retriever(folder, FAISS.from_texts(["none"], lc.StaticEmbeddings()))


def index(folder: Path) -> Any:
    stores = {"vector_store": SimpleVectorStore(), "docstore": li.SQLiteDocumentStore(folder / "nodes.db")}
    made = li.HierarchyIndex(embed_model=li.StaticEmbedding(), **stores)
    made.upsert(llama_documents())
    return made


CHANGED = Document(TEXTS[1] + " The tide turns.", id="d0", metadata={"source": "0.md"})
NEW = LlamaDocument(text=TEXTS[1] + " The tide turns.", id_="d0")
NODES = [TextNode(id_=f"n{at}", text=text) for at, text in enumerate(TEXTS)]
SPLITTERS = [name for name in lc.__all__ if name.startswith(("Semantic", "Optimal", "DoublePass", "Cluster"))]
PARSERS = [name for name in li.__all__ if name.startswith(("Semantic", "Optimal", "DoublePass", "Cluster"))]
TRANSFORMERS = ("ContextTransformer", "DescriptionTransformer", "PropositionTransformer", "QuestionTransformer")
TRANSFORMERS = (*TRANSFORMERS, "SummaryTransformer", "AgenticSplitter")
Make = Callable[[Path], Any]
Door = Callable[[Any], Awaitable[Any]]
DOORS: dict[tuple[str, str], tuple[Make, dict[str, Door]]] = {
    **{("langchain", name): (lambda _, name=name: made_of(lc, name), splitter()) for name in SPLITTERS},
    **{
        ("langchain", name): (lambda _, name=name: getattr(lc, name)(PlainChat()), transformer())
        for name in TRANSFORMERS
    },
    ("langchain", "ParentDocumentRetriever"): (
        retriever,
        {
            "ainvoke": lambda made: made.ainvoke("Where is the captain?"),
            "aadd_documents": lambda made: made.aadd_documents([CHANGED]),
            "amirror": lambda made: made.amirror([CHANGED]),
            "aupsert": lambda made: made.aupsert([CHANGED]),
            "adelete": lambda made: made.adelete(["d0"]),
            "aget": lambda made: made.aget(["d0"]),
            "alist_ids": lambda made: made.alist_ids({"source": "0.md"}),
        },
    ),
    ("langchain", "ParentDocumentRetriever over FAISS"): (
        faiss,
        {
            "ainvoke": lambda made: made.ainvoke("Where is the captain?"),
            "aadd_documents": lambda made: made.aadd_documents([CHANGED]),
        },
    ),
    ("langchain", "BM25Retriever"): (
        words,
        {
            "ainvoke": lambda made: made.ainvoke("Where is the captain?"),
            "aadd_documents": lambda made: made.aadd_documents([CHANGED]),
            "aupsert": lambda made: made.aupsert([CHANGED]),
            "adelete": lambda made: made.adelete(["d0"]),
            "aget": lambda made: made.aget(["d0"]),
            "alist_ids": lambda made: made.alist_ids({"source": "0.md"}),
        },
    ),
    ("langchain", "StaticEmbeddings"): (
        lambda _: lc.StaticEmbeddings(),
        {
            "aembed_documents": lambda made: made.aembed_documents(TEXTS),
            "aembed_query": lambda made: made.aembed_query("tide"),
        },
    ),
    ("langchain", "ChunkEmbeddings"): (
        lambda _: lc.ChunkEmbeddings(lc.StaticEmbeddings()),
        {
            "aembed_documents": lambda made: made.aembed_documents(TEXTS),
            "aembed_query": lambda made: made.aembed_query("tide"),
        },
    ),
    ("langchain", "ContextualEmbeddings"): (
        lambda _: lc.ContextualEmbeddings(Together()),
        {
            "aembed_documents": lambda made: made.aembed_documents(TEXTS),
            "aembed_document": lambda made: made.aembed_document(TEXTS),
            "aembed_document_batch": lambda made: made.aembed_document_batch([TEXTS]),
        },
    ),
    ("langchain", "SQLiteDocumentStore"): (
        lambda folder: lc.SQLiteDocumentStore(folder / "store.db"),
        {
            "amget": lambda made: made.amget(["a"]),
            "amset": lambda made: made.amset([("a", Document("b"))]),
            "amdelete": lambda made: made.amdelete(["a"]),
            "ayield_keys": lambda made: drain(made.ayield_keys()),
        },
    ),
    **{
        ("llama_index", name): (
            lambda _, name=name: made_of(li, name),
            {
                "aget_nodes_from_documents": lambda made: made.aget_nodes_from_documents(llama_documents()),
                "acall": lambda made: made.acall(llama_documents()),
                "a pipeline": lambda made: IngestionPipeline(transformations=[made]).arun(documents=llama_documents()),
            },
        )
        for name in PARSERS
    },
    **{
        ("llama_index", name): (
            lambda _, name=name: getattr(li, name)(llm=PlainLLM()),
            {"aget_nodes_from_documents": lambda made: made.aget_nodes_from_documents(llama_documents())},
        )
        for name in TRANSFORMERS
    },
    ("llama_index", "HierarchyIndex"): (
        index,
        {
            "aupsert": lambda made: made.aupsert([NEW]),
            "amirror": lambda made: made.amirror([NEW]),
            "ainsert": lambda made: made.ainsert(NEW),
            "aupdate_ref_doc": lambda made: made.aupdate_ref_doc(NEW),
            "arefresh_ref_docs": lambda made: made.arefresh_ref_docs([NEW]),
            "adelete_ref_doc": lambda made: made.adelete_ref_doc("d0"),
            "ainsert_nodes": lambda made: made.ainsert_nodes(NODES),
            "as_retriever.aretrieve": lambda made: made.as_retriever().aretrieve("Where is the captain?"),
        },
    ),
    ("llama_index", "MergingRetriever"): (
        lambda folder: index(folder).as_retriever(budget=None),
        {"aretrieve": lambda made: made.aretrieve("Where is the captain?")},
    ),
    ("llama_index", "BM25Retriever"): (
        lambda folder: li.BM25Retriever(NODES, path=folder / "words.db"),
        {
            "aretrieve": lambda made: made.aretrieve("Where is the captain?"),
            "ainsert_nodes": lambda made: made.ainsert_nodes([TextNode(id_="new", text="The tide turns.")]),
            "adelete_nodes": lambda made: made.adelete_nodes(["n0"]),
            "adelete_ref_doc": lambda made: made.adelete_ref_doc("n0"),
        },
    ),
    ("llama_index", "StaticEmbedding"): (
        lambda _: li.StaticEmbedding(),
        {
            "aget_text_embedding_batch": lambda made: made.aget_text_embedding_batch(TEXTS),
            "aget_text_embedding": lambda made: made.aget_text_embedding("tide"),
            "aget_query_embedding": lambda made: made.aget_query_embedding("tide"),
            "acall": lambda made: made.acall(NODES),
        },
    ),
    ("llama_index", "ContextualEmbedding"): (
        lambda _: li.ContextualEmbedding(Together()),
        {
            "acall": lambda made: made.acall(NODES),
            "aembed_document": lambda made: made.aembed_document(TEXTS),
            "aembed_document_batch": lambda made: made.aembed_document_batch([TEXTS]),
            "aget_text_embedding_batch": lambda made: made.aget_text_embedding_batch(TEXTS),
        },
    ),
    ("llama_index", "SQLiteDocumentStore"): (
        lambda folder: li.SQLiteDocumentStore(folder / "store.db"),
        {
            "async_add_documents": lambda made: made.async_add_documents(NODES),
            "aget_nodes": lambda made: made.aget_nodes(["n0"], raise_error=False),
            "adelete_document": lambda made: made.adelete_document("n0", raise_error=False),
            "adelete_ref_doc": lambda made: made.adelete_ref_doc("n0", raise_error=False),
        },
    ),
}
REFUSED = {("llama_index", "HierarchyIndex", "adelete_nodes")}
"""Doors that only say what to call instead."""
EVERY = [(*key, name) for key, (_, doors) in DOORS.items() for name in doors]


def async_methods(kind: type) -> set[str]:
    """The public async methods that our packages give a class."""
    ours = [each for each in kind.__mro__ if "caesura" in each.__module__]
    return {
        name
        for each in ours
        for name, value in vars(each).items()
        if not name.startswith("_")
        and name != "split_levels"  # given its calls by the retriever
        and (inspect.iscoroutinefunction(inspect.unwrap(value)) or inspect.isasyncgenfunction(value))
    }


@pytest.mark.parametrize("package", [lc, li], ids=["langchain", "llama_index"])
def test_every_public_async_method_is_a_door_of_this_test(package: Any) -> None:
    plugin = "langchain" if package is lc else "llama_index"
    kinds = {name: value for name in package.__all__ if isinstance(value := getattr(package, name), type)}
    wanted = {(plugin, name, method) for name, kind in kinds.items() for method in async_methods(kind)}
    assert wanted - REFUSED <= {*EVERY}


@pytest.mark.parametrize(("plugin", "name", "door"), EVERY, ids=map(" ".join, EVERY))
def test_what_takes_time_is_done_beside_the_event_loop(
    plugin: str, name: str, door: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In two event loops, one after the other, by the same object: no lock is bound to the first."""
    make, doors = DOORS[plugin, name]
    made = make(tmp_path)
    seen: list[tuple[str, bool, str]] = []
    loop_thread = threading.get_ident()

    def watched(kind: Any, method: str) -> Callable[..., Any]:
        inner = getattr(kind, method)

        def noting(*args: Any, **kwargs: Any) -> Any:
            seen.append((f"{kind.__name__}.{method}", threading.get_ident() == loop_thread, CALLER.get()))
            return inner(*args, **kwargs)

        return noting

    for kind, method in HEAVY:
        monkeypatch.setattr(kind, method, watched(kind, method))

    async def call() -> None:
        CALLER.set("caller")
        await doors[door](made)

    asyncio.run(call())
    asyncio.run(call())
    monkeypatch.undo()
    assert seen
    assert {what for what, in_loop, _ in seen if in_loop} == set()
    assert {caller for *_, caller in seen} == {"caller"}
