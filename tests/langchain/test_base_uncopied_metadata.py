"""Metadata that cannot be copied for each chunk is refused before anything is asked for, with its key and document."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest
from fakes.documents.metadata import CYCLIC, DEEP
from fakes.langchain.splitters import Bag, contents, every_splitter
from fakes.texts.articles import article
from langchain_core.documents import Document
from langchain_core.language_models import FakeListChatModel
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_text_splitters import RecursiveCharacterTextSplitter

from caesura import SettingError
from langchain_caesura import (
    OptimalSemanticSplitter,
    ParentDocumentRetriever,
    SemanticHierarchySplitter,
    SQLiteDocumentStore,
    SummaryTransformer,
)

TEXT = article()
LOCKED = Document(TEXT, id="log", metadata={"source": "a", "guard": {"by": threading.Lock()}})
TOLD = r"metadata 'guard' of the document 'log' must be something that can be copied, .*\{'by': <unlocked _thread.lock"


@every_splitter
async def test_a_splitter_refuses_it_and_embeds_nothing(cls: Any) -> None:
    embeddings = Bag()
    splitter = cls(embeddings)
    for call in (splitter.split_documents, splitter.transform_documents):
        with pytest.raises(SettingError, match=TOLD):
            call([Document("Fine."), LOCKED])
    with pytest.raises(SettingError, match=TOLD):
        await splitter.asplit_documents([LOCKED])
    with pytest.raises(SettingError, match=r"metadata 'rows' of the document '[^']{40}' must be .*generator"):
        splitter.create_documents([TEXT], [{"rows": (number for number in range(3))}])
    assert not embeddings.calls


@pytest.mark.parametrize("child_splitter", [RecursiveCharacterTextSplitter(chunk_size=60, chunk_overlap=0), None])
def test_a_retriever_refuses_it_and_stores_nothing(child_splitter: Any, tmp_path: Any) -> None:
    vectors = InMemoryVectorStore(Bag())
    with SQLiteDocumentStore(tmp_path / "parents.db") as store:
        made = ParentDocumentRetriever(vectorstore=vectors, docstore=store, child_splitter=child_splitter)
        with pytest.raises(SettingError, match=TOLD):
            made.add_documents([LOCKED], views=[] if child_splitter else [Document("x", metadata={"parent_id": "log"})])
        assert not list(store.yield_keys())
    assert not vectors.store


def test_what_asks_a_model_refuses_it_and_asks_nothing() -> None:
    with pytest.raises(SettingError, match=TOLD):
        SummaryTransformer(FakeListChatModel(responses=[])).transform_documents([LOCKED])


@pytest.mark.parametrize("name", [None, "log"])
@pytest.mark.parametrize("value", [*CYCLIC.values(), *DEEP.values()], ids=[*CYCLIC, *DEEP])
async def test_what_holds_itself_or_is_too_deep_is_refused_with_its_key_by_all(
    value: Callable[[], Any], name: str | None, tmp_path: Any
) -> None:
    given = [Document("Fine."), Document(TEXT, id=name, metadata={"page": 7, "bad": value()})]
    told = pytest.raises(
        SettingError, match=r"metadata 'bad' of the document '.*' must not hold itself or .*: leave it"
    )
    embeddings = Bag()
    for cls in (OptimalSemanticSplitter, SemanticHierarchySplitter):
        with told:
            cls(embeddings).split_documents(given)
        with told:
            await cls(embeddings).asplit_documents(given)
    with told:
        SummaryTransformer(FakeListChatModel(responses=[])).transform_documents(given)
    with SQLiteDocumentStore(tmp_path / "parents.db") as store:
        with told:
            ParentDocumentRetriever(vectorstore=InMemoryVectorStore(embeddings), docstore=store).add_documents(given)
        assert not list(store.yield_keys())
    assert not embeddings.calls


@every_splitter
def test_all_else_is_copied_for_each_chunk(cls: Any) -> None:
    kept = [1, {"a": {2}}]
    made = cls(chunk_size=200).split_documents([Document(TEXT, metadata={"kept": kept})])
    assert len(contents(made)) > 1
    made[0].metadata["kept"][1]["a"].clear()
    assert made[1].metadata["kept"] == kept == [1, {"a": {2}}]
