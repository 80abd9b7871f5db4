"""A row of zeros, or one that is not finite, is named and kept out of the vector store; words find its text."""

from __future__ import annotations

import math
import warnings
from pathlib import Path
from typing import Any

import pytest
from fakes.llama_index.embeddings import Words
from fakes.llama_index.indexes import index, parser, whole
from llama_index.core import Document
from llama_index.core.bridge.pydantic import PrivateAttr
from llama_index.core.schema import BaseNode
from llama_index.core.storage.docstore import SimpleDocumentStore
from llama_index.core.vector_stores import SimpleVectorStore

from llama_index.node_parser.caesura import SQLiteDocumentStore

TEXT = "Bees make honey in the garden. The zebra stands apart. A tide mill grinds the grain of the island."


class Odd(Words):
    """Has no row for what says zebra."""

    number: float = 0.0

    def rows(self, texts: list[str]) -> Any:
        made = super().rows(texts)
        return [[self.number] * len(row) if "zebra" in text else row for text, row in zip(texts, made, strict=True)]


@pytest.mark.parametrize("number", [0.0, math.nan, math.inf])
@pytest.mark.parametrize("context", [0, 0.4])
def test_a_row_that_no_store_may_be_given_is_named_once_and_its_text_found_by_words(
    number: float, context: float, tmp_path: Path
) -> None:
    store = SimpleVectorStore()
    made = index(
        vector_store=store,
        docstore=SQLiteDocumentStore(tmp_path / "nodes.db"),
        embed_model=Odd(number=number),
        context=context,
        transformations=[parser(chunk_sizes=[14])],
    )
    with pytest.warns(UserWarning, match="zeros or not finite, the first for the text 'The zebra"):
        made.upsert([Document(text=TEXT, id_="a"), Document(text="A zebra.", id_="z")])
    rows = store.data.embedding_dict
    assert len(rows) == len(made.docstore.docs) - 2
    assert all(math.isfinite(sum(row)) and any(row) for row in rows.values())
    assert {each.node.ref_doc_id for each in made.as_retriever().retrieve("Where is a zebra?")} == {"a", "z"}
    assert "honey" in made.as_retriever(12).retrieve("Bees make honey")[0].text
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert made.upsert([Document(text=TEXT, id_="a"), Document(text="A zebra.", id_="z")]).unchanged == 2


def test_a_row_that_cannot_be_used_any_more_goes() -> None:
    model = Odd()
    made = index(embed_model=Words(), transformations=[parser(chunk_sizes=[14])])
    made.upsert([Document(text=TEXT, id_="a")])
    made.embed_model = model
    with pytest.warns(UserWarning, match="zeros"):
        made.upsert([Document(text=TEXT, id_="a")])
    store = made.vector_store
    assert isinstance(store, SimpleVectorStore)
    assert len(store.data.embedding_dict) == len(made.docstore.docs) - 1


class Down(Words):
    """Fails at its third batch. Keeps the texts of those that it answered."""

    _answered: list[str] = PrivateAttr(default_factory=list)

    def rows(self, texts: list[str]) -> Any:
        if len(self.batches) == 3:
            raise ConnectionError("the line is down")
        self._answered += texts
        return super().rows(texts)


@pytest.mark.parametrize(("is_async", "num_workers"), [(False, 1), (True, 1), (True, None)])
async def test_rows_that_came_before_a_failing_batch_are_not_asked_for_again(
    is_async: bool, num_workers: int | None, capsys: pytest.CaptureFixture[str]
) -> None:
    model = Down(embed_batch_size=2, num_workers=num_workers)
    made = index(embed_model=model, transformations=[parser(chunk_sizes=[14])])
    documents = [Document(text=TEXT.replace("tide", name), id_=name) for name in ("tide", "wind", "horse", "steam")]

    async def write() -> None:
        if is_async:
            await made.aupsert(documents, show_progress=True)
        else:
            made.upsert(documents, show_progress=True)

    with pytest.raises(ConnectionError, match="down"):
        await write()
    assert len(model._answered) == 4
    await write()
    assert len(model._answered) == len({*model._answered}) == 6
    whole(made, documents, embed_model=Words(), transformations=[parser(chunk_sizes=[14])])
    assert "Generating embeddings: 100%" in capsys.readouterr().err


def test_rows_of_a_store_without_texts_name_their_document_alone() -> None:
    class Given(SimpleVectorStore):
        def add(self, nodes: Any, **more: Any) -> list[str]:
            given.extend(nodes)
            return super().add(nodes, **more)

    given = list[BaseNode]()
    stores = {"vector_store": Given(), "docstore": SimpleDocumentStore()}
    made = index(**stores, embed_model=Words(), transformations=[parser(chunk_sizes=[14])])
    made.upsert([Document(text=TEXT, id_=name, metadata={"long": "v" * 9}) for name in "ab"])
    sources = {node.node_id: node.source_node for node in given}
    assert {info.node_id for info in sources.values() if info} == {"a", "b"}
    assert [info.metadata for info in sources.values() if info] == [{}] * len(sources)
    assert {made.docstore.docs[name].ref_doc_id == info.node_id for name, info in sources.items() if info} == {True}
