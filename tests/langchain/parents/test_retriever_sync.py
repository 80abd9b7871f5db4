"""`sync` stores what is given and forgets what is not, of this retriever alone."""

from __future__ import annotations

from typing import Any

import pytest
from fakes.langchain.failures import FULL
from fakes.langchain.passages import LINES
from fakes.langchain.retrievers import DOCUMENTS, edited, kept, retriever, rows, stored
from langchain_core.documents import Document
from langchain_core.stores import InMemoryStore

from caesura.errors import SettingError
from langchain_caesura.parents.words import word_index

every_mode = pytest.mark.parametrize("mode", [{}, FULL], ids=["plain", "full"])


@every_mode
async def test_what_is_not_given_is_forgotten_and_async_is_the_same(mode: dict[str, Any]) -> None:
    made, waiting, fresh = (retriever(child_splitter=LINES, **mode) for _ in range(3))
    for one in (made, waiting):
        one.add_documents(DOCUMENTS)
    wanted = [edited(DOCUMENTS[0]), *DOCUMENTS[2:4]]
    names = ["doc-0", "doc-2", "doc-3"]
    assert made.sync(wanted) == await waiting.async_(wanted) == (0, 1, 2, 2)
    fresh.add_documents(wanted)
    assert rows(made) == rows(waiting) == rows(fresh)
    assert stored(made) == stored(waiting) == stored(fresh)
    written = len(made.vectorstore.clock.calls)
    assert made.sync(wanted) == (0, 0, 3, 0)
    assert len(made.vectorstore.clock.calls) == written
    with pytest.raises(SettingError, match=r"given no documents, .* all 3 that .* such as \['doc-0', "):
        made.sync([])
    with pytest.raises(SettingError, match="given no documents"):
        await made.async_([])
    assert rows(made) == rows(fresh)
    made.delete(names)
    assert made.sync([]) == await made.async_([]) == (0, 0, 0, 0)
    assert made.docstore.store == rows(made) == {}
    if mode:
        index = word_index(made.docstore)
        assert index is not None
        assert index.names() == []


def test_another_retrievers_documents_stay() -> None:
    one = retriever(child_splitter=LINES)
    other = retriever(one.vectorstore, docstore=one.docstore, child_splitter=LINES, id_key="other")
    for each in (one, other):
        each.add_documents(DOCUMENTS)
    one.sync(DOCUMENTS[:1])
    assert len(one.get([str(each.id) for each in DOCUMENTS])) == 1
    assert len(other.get([str(each.id) for each in DOCUMENTS])) == 5
    assert len(kept(one)) == 1 + 5


def test_pages_of_a_source_come_in_several_calls_and_stay() -> None:
    made = retriever(child_splitter=LINES, source_id_key="source", **FULL)
    pages = [Document(f"Page {page} of the harbour book.", metadata={"source": "a", "page": page}) for page in range(6)]
    for page in pages:
        assert made.add_documents([page]) == ["a"]
    assert len(made.get(["a"])) == len(rows(made)) == len(made.invoke("harbour book")) == 6
    alike = [Document(f"Leaf {leaf}.", metadata={"source": "b"}) for leaf in range(3)]
    made.add_documents(alike)
    assert len(made.get(["b"])) == 3
    made.add_documents([Document("Another leaf.", metadata={"source": "b"})])
    assert {one.page_content for one in made.get(["b"])} == {"Another leaf.", "Leaf 1.", "Leaf 2."}
    assert made.sync([pages[1], pages[4]]) == (0, 1, 0, 1)  # documents are counted by their ids
    assert {one.metadata["page"] for one in made.get(["a", "b"])} == {1, 4}
    assert made.delete(["a"])["num_deleted"] == 1
    assert made.docstore.store == rows(made) == {}


def test_an_empty_vector_store_beside_a_full_document_store_is_told(caplog: pytest.LogCaptureFixture) -> None:
    documents, word = InMemoryStore(), DOCUMENTS[0].page_content.split()[0]
    retriever(docstore=documents, child_splitter=LINES, **FULL).add_documents(DOCUMENTS)
    made = retriever(docstore=documents, child_splitter=LINES, **FULL)
    made.invoke(word)
    assert "the vector store found nothing, but the document store has" in caplog.text
    caplog.clear()
    made.add_documents(DOCUMENTS)
    assert made.invoke(word)
    assert not caplog.text
