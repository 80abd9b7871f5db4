"""A real store: Chroma on the disk beside nodes in SQLite, over processes that end well or are killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

PRELUDE = """
import json, sys
from pathlib import Path
import chromadb
from chromadb.config import Settings
from llama_index.core import Document
from llama_index.core.vector_stores import MetadataFilter, MetadataFilters
from llama_index.vector_stores.chroma import ChromaVectorStore
from fakes.llama_index.parsers import ARTICLE, REPEATED
from llama_index.node_parser.caesura import (
    HierarchyIndex, SemanticHierarchyParser, SQLiteDocumentStore, StaticEmbedding,
)

folder = Path(sys.argv[1])
client = chromadb.PersistentClient(str(folder / "chroma"), Settings(anonymized_telemetry=False))
collection = client.get_or_create_collection(
    "leaves", embedding_function=None, configuration={"hnsw": {"space": "cosine"}}
)
store = SQLiteDocumentStore(folder / "nodes.db")
index = HierarchyIndex(
    vector_store=ChromaVectorStore(chroma_collection=collection),
    docstore=store,
    transformations=[SemanticHierarchyParser(chunk_sizes=[120, 40, 15])],
    embed_model=StaticEmbedding(),
    batch_size=1,
)
article = Document(text=ARTICLE, id_="article", metadata={"kind": "essay", "year": 1921, "score": 0.5})
talk = Document(text=REPEATED, id_="talk", metadata={"kind": "talk"})

def ask(query, **options):
    found = index.as_retriever(**{"similarity_top_k": 3, **options}).retrieve(query)
    return [{"id": each.node.node_id, "document": each.node.ref_doc_id, "text": each.text,
             "span": [each.node.start_char_idx, each.node.end_char_idx],
             "children": len(each.node.child_nodes or []), "metadata": each.node.metadata} for each in found]

def state():
    rows = collection.get(include=["metadatas"])
    documents = [row["document_id"] for row in rows["metadatas"]]
    flat = all(isinstance(value, (str, int, float)) for row in rows["metadatas"] for value in row.values())
    return {"rows": sorted(rows["ids"]), "documents": sorted(set(documents)), "flat": flat,
            "nodes": sorted(index.docstore.docs), "listed": sorted(index.docstore.get_all_ref_doc_info())}
"""


def start(folder: Path, script: str) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", PRELUDE + script, str(folder)]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def process(folder: Path, script: str) -> dict[str, Any]:
    running = start(folder, script)
    out, err = running.communicate()
    assert running.returncode == 0, err[-3000:]
    found: dict[str, Any] = json.loads(out.splitlines()[-1])
    return found


INDEX = """
changes = index.upsert([article, talk])
print(json.dumps({"changes": changes, "bread": ask("Knead the dough until it is smooth"), "state": state()}))
"""
REOPEN = """
found = {"before": state(), "bread": ask("Knead the dough until it is smooth")}
found["again"] = index.upsert([article, talk])
article.set_content(ARTICLE.replace("smooth", "soft"))
article.metadata["kind"] = "letter"
found["update"] = index.upsert([article, talk])
found["soft"] = ask("Knead the dough until it is smooth")
by_kind = [MetadataFilters(filters=[MetadataFilter(key="kind", value=kind)]) for kind in ("essay", "letter")]
found["filtered"] = [len(ask("dough", filters=filters)) for filters in by_kind]
found["updated"] = state()
index.delete_ref_doc("article")
found["after"] = ask("Knead the dough until it is smooth", similarity_top_k=50)
found["deleted"] = state()
print(json.dumps(found))
"""


@pytest.mark.thorough
def test_index_query_close_open_elsewhere_query_update_delete_query(tmp_path: Path) -> None:
    first = process(tmp_path, INDEX)
    assert first["changes"] == [2, 0, 0, 0]
    assert first["state"]["flat"]
    assert first["state"]["documents"] == first["state"]["listed"] == ["article", "talk"]
    best = first["bread"][0]
    assert "Knead the dough" in best["text"]
    assert best["children"] > 1, "a parent is returned"
    assert best["metadata"] == {"kind": "essay", "year": 1921, "score": 0.5}

    second = process(tmp_path, REOPEN)
    assert second["before"] == first["state"]
    assert second["bread"] == first["bread"]
    assert second["again"] == [0, 0, 2, 0]
    assert second["update"] == [0, 1, 1, 0]
    assert "soft" in second["soft"][0]["text"]
    assert not any("smooth" in each["text"] for each in second["soft"])
    assert second["filtered"][0] == 0
    assert second["filtered"][1] > 0
    assert set(second["updated"]["rows"]) <= set(second["updated"]["nodes"])
    assert {each["document"] for each in second["after"]} == {"talk"}
    assert second["deleted"]["documents"] == second["deleted"]["listed"] == ["talk"]
    assert set(second["deleted"]["nodes"]) <= set(first["state"]["nodes"])


MANY = "documents = [Document(text=ARTICLE.replace('lamp', f'lamp {n}'), id_=str(n)) for n in range(500)]\n"
WRITE = """
for document in documents:
    index.upsert([document])
    print(document.id_, flush=True)
"""
AFTER = """
found = state()
found["merged"] = len(ask("lamp", similarity_top_k=200))
known = set(found["nodes"])
found["orphans"] = [name for name in found["rows"] if name not in known]
parents = {node.parent_node.node_id for node in index.docstore.docs.values() if node.parent_node}
found["lost"] = sorted(parents - known)
index.upsert(documents[:20])
healed = state()
found["healed"] = [name for name in healed["listed"] if int(name) < 20]
found["twice"] = len(healed["rows"]) - len(set(healed["rows"]))
print(json.dumps(found))
"""


@pytest.mark.thorough
def test_after_a_kill_all_that_is_found_is_returned_and_all_that_was_acknowledged_is_there(tmp_path: Path) -> None:
    running = start(tmp_path, MANY + WRITE)
    assert running.stdout is not None
    acknowledged = [running.stdout.readline().strip() for _ in range(5)]
    running.send_signal(signal.SIGKILL)
    acknowledged += running.stdout.read().split()
    running.wait()
    assert running.stderr is not None
    assert acknowledged[0] == "0", running.stderr.read()[-2000:]
    found = process(tmp_path, MANY + AFTER)
    assert set(acknowledged) <= set(found["documents"])
    assert found["orphans"] == found["lost"] == []
    assert found["merged"] > 0
    assert found["healed"] == sorted(str(number) for number in range(20))
    assert found["twice"] == 0
