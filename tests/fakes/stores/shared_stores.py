"""Indexes of both frameworks whose documents are in Redis or Postgres and whose rows in a Chroma server: opened by any
process, written to by one that is killed between two calls of its stores."""

from __future__ import annotations

import itertools
import os
import signal
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import wraps
from multiprocessing.synchronize import Barrier
from typing import Any

import chromadb
from langchain_chroma import Chroma
from langchain_classic.storage import EncoderBackedStore, create_kv_docstore
from langchain_community.storage import RedisStore, SQLStore
from langchain_core.documents import Document as LangChainDocument
from langchain_core.stores import BaseStore
from llama_index.core import Document as LlamaIndexDocument
from llama_index.core.storage.docstore.types import BaseDocumentStore
from llama_index.storage.docstore.postgres import PostgresDocumentStore
from llama_index.storage.docstore.redis import RedisDocumentStore
from llama_index.storage.kvstore.postgres import PostgresKVStore
from llama_index.storage.kvstore.redis import RedisKVStore
from llama_index.vector_stores.chroma import ChromaVectorStore

from langchain_caesura import ParentDocumentRetriever, SemanticHierarchySplitter, StaticEmbeddings
from llama_index.node_parser.caesura import HierarchyIndex, SemanticHierarchyParser, StaticEmbedding

HOST = "127.0.0.1"
ALL = 10**6
"""A budget in which everything fits."""


@dataclass(frozen=True)
class Ports:
    """Where the servers listen."""

    redis: int
    postgres: int
    chroma: int


@dataclass(frozen=True)
class Place:
    """What a process needs to open an index: framework, kind of document store, servers, and the index's name."""

    framework: str
    kind: str
    ports: Ports
    name: str

    def open(self) -> SharedIndex:
        """The index, by connections of its own."""
        return SharedLangChain(self) if self.framework == "langchain" else SharedLlamaIndex(self)

    def client(self) -> Any:
        """A client of the vector store."""
        settings = chromadb.Settings(anonymized_telemetry=False)
        return chromadb.HttpClient(HOST, self.ports.chroma, settings=settings)


class SharedIndex(ABC):
    """What both frameworks' indexes can do."""

    WRITES: tuple[tuple[type, str], ...]
    """The calls of stores that write."""
    STRAY = 0
    """Entries of documents at most that a writer which is killed leaves for good, where nothing finds them."""

    @abstractmethod
    def write(self, texts: Mapping[str, str]) -> None:
        """Puts texts in the place of those of their names."""

    @abstractmethod
    def delete(self, names: Iterable[str]) -> None: ...

    @abstractmethod
    def ask(self) -> list[str]:
        """All that can be found, sorted: whole documents, where all of each can be."""

    @abstractmethod
    def kept(self) -> tuple[int, int]:
        """How many rows and how many entries of documents there are."""


class SharedLangChain(SharedIndex):
    """A `ParentDocumentRetriever`."""

    WRITES = (
        *itertools.product((EncoderBackedStore,), ("mset", "mdelete")),
        *itertools.product((Chroma,), ("add_documents", "delete")),
    )

    def __init__(self, place: Place) -> None:
        self.vectors = Chroma(place.name, StaticEmbeddings(), client=place.client())
        self.docstore = langchain_store(place)
        self.retriever = ParentDocumentRetriever(
            vectorstore=self.vectors,
            docstore=self.docstore,
            child_splitter=SemanticHierarchySplitter(chunk_sizes=(400, 80)),
            words=0,
            budget=ALL,
        )

    def write(self, texts: Mapping[str, str]) -> None:
        self.retriever.add_documents([LangChainDocument(text, id=name) for name, text in texts.items()])

    def delete(self, names: Iterable[str]) -> None:
        self.retriever.delete(list(names))

    def ask(self) -> list[str]:
        return sorted(found.page_content for found in self.retriever.invoke("What is said?"))

    def kept(self) -> tuple[int, int]:
        return len(self.vectors.get()["ids"]), len(list(self.docstore.yield_keys()))


def langchain_store(place: Place) -> BaseStore[str, LangChainDocument]:
    """LangChain's document store on Redis or Postgres."""
    if place.kind == "redis":
        return create_kv_docstore(RedisStore(redis_url=f"redis://{HOST}:{place.ports.redis}", namespace=place.name))
    url = f"postgresql+psycopg2://postgres@{HOST}:{place.ports.postgres}/postgres"
    rows = SQLStore(namespace=place.name, db_url=url)
    rows.create_schema()
    return create_kv_docstore(rows)


class SharedLlamaIndex(SharedIndex):
    """A `HierarchyIndex`."""

    STRAY = 1  # LlamaIndex takes a node away in several calls, the list that names it first
    WRITES = (
        *itertools.product((RedisKVStore, PostgresKVStore), ("put", "put_all", "delete")),
        *itertools.product((ChromaVectorStore,), ("add", "delete", "delete_nodes")),
    )

    def __init__(self, place: Place) -> None:
        self.rows = place.client().get_or_create_collection(place.name)
        self.docstore = llama_index_store(place)
        self.index = HierarchyIndex(
            vector_store=ChromaVectorStore(self.rows),
            docstore=self.docstore,
            transformations=[PARSER],
            embed_model=StaticEmbedding(),
        )

    def write(self, texts: Mapping[str, str]) -> None:
        self.index.upsert([LlamaIndexDocument(text=text, id_=name) for name, text in texts.items()])

    def delete(self, names: Iterable[str]) -> None:
        for name in names:
            self.index.delete_ref_doc(name)

    def ask(self) -> list[str]:
        return sorted(found.text for found in self.index.as_retriever(similarity_top_k=200).retrieve("What is said?"))

    def kept(self) -> tuple[int, int]:
        return self.rows.count(), len(self.docstore.docs) + len(self.docstore.get_all_ref_doc_info() or {})


def llama_index_store(place: Place) -> BaseDocumentStore:
    """LlamaIndex's document store on Redis or Postgres."""
    if place.kind == "redis":
        return RedisDocumentStore.from_host_and_port(HOST, place.ports.redis, namespace=place.name)
    uri = f"postgresql://postgres@{HOST}:{place.ports.postgres}/postgres"
    return PostgresDocumentStore(PostgresKVStore.from_uri(uri), namespace=place.name)


PARSER = SemanticHierarchyParser(chunk_sizes=[400, 100, 20])
PARSER.get_nodes_from_documents([LlamaIndexDocument(text="What is loaded now, processes need not load each.")])


# -- what other processes do ---------------------------------------------------------------------------------------


def write_at_once(place: Place, versions: list[dict[str, str]], barrier: Barrier) -> None:
    """Writes one version after another, each when the others are at it too."""
    index = place.open()
    for texts in versions:
        barrier.wait(60)
        index.write(texts)


def write_and_die(place: Place, texts: dict[str, str], before: int) -> None:
    """Writes, and is killed before a call of a store, the first being 0."""
    index, calls = place.open(), itertools.count()

    def dying(call: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(call)
        def told(*arguments: Any, **settings: Any) -> Any:
            if next(calls) == before:
                os.kill(os.getpid(), signal.SIGKILL)
            return call(*arguments, **settings)

        return told

    for owner, name in index.WRITES:
        setattr(owner, name, dying(getattr(owner, name)))
    index.write(texts)


def tell(place: Place, told: Any) -> None:
    """Asks, and sends what is found."""
    told.send(place.open().ask())
