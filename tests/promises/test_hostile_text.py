"""Ids, titles and texts that would be SQL elsewhere are what they are, in every store."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from fakes.embedders.rows_of_words import embed
from langchain_core.documents import Document
from langchain_core.vectorstores import InMemoryVectorStore
from llama_index.core.schema import TextNode

from caesura import SettingError
from caesura_llm.conversation import Message, Reply, Request
from caesura_llm.journal import Journal
from caesura_store.embedding_cache import cached
from caesura_store.sqlite_store import Store
from langchain_caesura import DoublePassSemanticSplitter, ParentDocumentRetriever, SQLiteDocumentStore, StaticEmbeddings
from llama_index.node_parser.caesura import SQLiteDocumentStore as NodeStore

HOSTILE = [
    "'; DROP TABLE entries; --",
    '"; DROP TABLE "entries"; --',
    "' OR '1'='1",
    "%",
    "_",
    "a*",
    "x' UNION SELECT key, value FROM replies --",
    "\0",
    "{0.__class__}",
    "<script>alert(1)</script>",
]
hostile = pytest.mark.parametrize("text", HOSTILE)


def tables(path: Path) -> set[str]:
    with sqlite3.connect(path) as connection:
        return {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}


@hostile
def test_a_key_is_a_key(text: str, tmp_path: Path) -> None:
    with Store(tmp_path / "s.db") as store:
        store.put([(text, b"its own"), ("a", b"another"), (f"{text}/1", b"below")])
        assert store.get([text, "a", f"{text}?"]) == [b"its own", b"another", None]
        assert list(store.keys(text)) == [text, f"{text}/1"]
        assert store.delete([text]) == 1
        assert store.delete([f"{text}/1"]) == 1
        assert list(store.keys()) == ["a"]
    assert tables(tmp_path / "s.db") == {"entries"}


@pytest.mark.parametrize("text", [text for text in HOSTILE if not text.isidentifier()])
def test_what_is_no_name_is_no_tables_name(text: str, tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="table must be a name"):
        Store(tmp_path / "s.db", table=text)
    assert not (tmp_path / "s.db").exists()


@hostile
def test_a_model_and_a_reply_are_journalled_as_they_are(text: str, tmp_path: Path) -> None:
    request, reply = Request((Message("user", text),)), Reply(text)
    with Journal(tmp_path / "j.db") as journal:
        journal.put(text, request, reply)
        assert journal.get(text, request) == reply
        assert journal.get("another", request) is None
    with cached(embed, tmp_path / "j.db", text) as kept:
        assert kept([text, "a"]).shape == kept([text, "a"]).shape
        assert kept.found == 2
    assert tables(tmp_path / "j.db") == {"replies", "embeddings"}


@pytest.mark.thorough
@hostile
def test_a_document_of_langchain_comes_back_by_its_id(text: str, tmp_path: Path) -> None:
    store = SQLiteDocumentStore(tmp_path / "d.db")
    retriever = ParentDocumentRetriever(
        vectorstore=InMemoryVectorStore(StaticEmbeddings()),
        docstore=store,
        child_splitter=DoublePassSemanticSplitter(chunk_size=60),
    )
    told = f"Yeast makes bread rise. {text}"
    retriever.add_documents([Document(told, metadata={"title": text}), Document("The moon.")], ids=[text, "other"])
    found = retriever.invoke("yeast", k=1)[0]
    assert (found.page_content, found.metadata["title"]) == (told, text)
    retriever.delete([text])
    assert [document.page_content for document in retriever.invoke("yeast")] == ["The moon."]
    store.close()


@hostile
def test_a_node_of_llama_index_comes_back_by_its_id(text: str, tmp_path: Path) -> None:
    store = NodeStore(tmp_path / "n.db", namespace=text)
    node = TextNode(id_=text, text=text, metadata={text: text})
    store.add_documents([node, TextNode(id_="other", text="other")])
    assert store.get_document(text) == node
    store.delete_document(text)
    assert set(store.docs) == {"other"}
    store.close()
