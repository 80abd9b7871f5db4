"""A real store: Chroma on disk beside the SQLite document store, opened again in new processes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import chromadb
import pytest
from fakes.texts.articles import article
from langchain_chroma import Chroma
from langchain_core.documents import Document
from langchain_core.stores import InMemoryStore

from langchain_caesura import ParentDocumentRetriever, StaticEmbeddings

STEPS = """
import json, sys
import chromadb
from langchain_chroma import Chroma
from langchain_core.documents import Document
from langchain_caesura import ParentDocumentRetriever, SemanticHierarchySplitter, SQLiteDocumentStore, StaticEmbeddings

def run(folder, steps):
    client = chromadb.PersistentClient(f"{folder}/chroma", settings=chromadb.Settings(anonymized_telemetry=False))
    cosine = {"hnsw": {"space": "cosine"}}
    vectors = Chroma("children", StaticEmbeddings(), client=client, collection_configuration=cosine)
    with SQLiteDocumentStore(f"{folder}/parents.db") as parents:
        splitter = SemanticHierarchySplitter(chunk_sizes=(500, 120))
        retriever = ParentDocumentRetriever(vectorstore=vectors, docstore=parents, child_splitter=splitter)
        for step, value in steps:
            if step == "add":
                texts = value.items()
                retriever.add_documents([Document(text, id=name, metadata={"source": name}) for name, text in texts])
            if step == "delete":
                retriever.delete(value)
            if step == "ask":
                found = retriever.invoke(value, budget=900, filter={"source": {"$ne": "none such"}})
                print(json.dumps([[one.page_content, one.metadata, one.score, one.matches] for one in found]))
            if step == "rows":
                rows = [vectors._collection.count(), sorted(parents.yield_keys()), vectors.get()["metadatas"]]
                print(json.dumps(rows))

for folder, steps in json.loads(sys.argv[1]):
    run(folder, steps)
"""
TEXTS = {f"doc-{seed}": article(16, seed) for seed in range(12)}
QUESTION = "Does the captain steer the ship by the compass?"


def process(*runs: tuple[Path, list[tuple[str, Any]]]) -> list[Any]:
    """Takes the steps in each folder in a new interpreter -> what they printed."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry)}
    command = [sys.executable, "-c", STEPS, json.dumps([(str(folder), steps) for folder, steps in runs])]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.thorough
def test_index_ask_close_open_ask_change_delete_ask(tmp_path: Path) -> None:
    store, fresh = tmp_path / "store", tmp_path / "fresh"
    first, (count, keys, metadata) = process((store, [("add", TEXTS), ("ask", QUESTION), ("rows", None)]))
    assert 300 < sum(len(text) for text, *_ in first) <= 900
    for text, found, score, matches in first:
        source, start, end = (found[key] for key in ("source", "start_index", "end_index"))
        assert TEXTS[source][start:end] == text
        assert all(TEXTS[source][m["start_index"] : m["end_index"]] == m["text"] for m in matches)
        assert 0 < score <= 1
    assert count == len(metadata) > 12
    assert all(type(value) in (str, int, float, bool) for row in metadata for value in row.values())

    changed = {**TEXTS, "doc-0": "The parrot spoke to the pirates."}
    steps = [("ask", QUESTION), ("add", TEXTS), ("rows", None), ("add", changed), ("delete", ["doc-1", "none"])]
    asked, rows = process((store, steps))
    assert asked == first
    assert rows[:2] == [count, keys]

    left = {name: text for name, text in changed.items() if name != "doc-1"}
    steps = [("ask", "What did the parrot say to the pirates?"), ("ask", QUESTION), ("rows", None)]
    steps += [("delete", list(TEXTS)), ("rows", None), ("ask", QUESTION)]
    parrot, asked, rows, *empty, expected = process((store, steps), (fresh, [("add", left), ("rows", None)]))
    assert parrot[0][0] == changed["doc-0"]
    assert all(left[found["source"]].startswith(text, found["start_index"]) for text, found, *_ in asked)
    assert rows[:2] == expected[:2]
    assert sorted(row["source"] for row in rows[2]) == sorted(row["source"] for row in expected[2])
    assert empty == [[0, [], []], []]


@pytest.mark.thorough
def test_the_squared_distance_finds_the_same_where_all_vectors_have_one_length(tmp_path: Path) -> None:
    client = chromadb.PersistentClient(str(tmp_path), settings=chromadb.Settings(anonymized_telemetry=False))
    found: list[list[str]] = []
    for space in ("l2", "cosine"):
        vectors = Chroma(
            f"by-{space}", StaticEmbeddings(), client=client, collection_configuration={"hnsw": {"space": space}}
        )
        retriever = ParentDocumentRetriever(vectorstore=vectors, docstore=InMemoryStore())
        retriever.add_documents([Document(text, id=name) for name, text in TEXTS.items()])
        found.append([one.page_content for one in retriever.invoke(QUESTION, budget=900)])
    assert found[0] == found[1] != []
