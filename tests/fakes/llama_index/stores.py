"""Real vector stores in a folder, and the one in memory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from llama_index.core.vector_stores import SimpleVectorStore


def chroma(folder: Path) -> Iterator[Any]:
    chromadb = pytest.importorskip("chromadb")
    stores = pytest.importorskip("llama_index.vector_stores.chroma")
    client = chromadb.PersistentClient(str(folder / "chroma"), chromadb.Settings(anonymized_telemetry=False))
    settings = {"embedding_function": None, "configuration": {"hnsw": {"space": "cosine"}}}
    yield stores.ChromaVectorStore(chroma_collection=client.get_or_create_collection("leaves", **settings))


def qdrant(folder: Path) -> Iterator[Any]:
    client = pytest.importorskip("qdrant_client").QdrantClient(path=str(folder / "qdrant"))
    yield pytest.importorskip("llama_index.vector_stores.qdrant").QdrantVectorStore("leaves", client=client)
    client.close()


def simple(folder: Path) -> Iterator[Any]:
    yield SimpleVectorStore()


STORES = [simple, chroma, qdrant]
