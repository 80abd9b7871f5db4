"""Real vector stores: what is found, filtered, updated and deleted is the same in each, by vectors and by words."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from fakes.llama_index.indexes import BREAD, documents, index, spans
from fakes.llama_index.parsers import ARTICLE
from fakes.llama_index.stores import STORES, qdrant
from llama_index.core import Document
from llama_index.core.vector_stores import MetadataFilter, MetadataFilters, SimpleVectorStore

from llama_index.node_parser.caesura import HierarchyIndex, SQLiteDocumentStore, StaticEmbedding
from llama_index.node_parser.caesura.vector_store_quirks import ignore_missing_collection


@pytest.fixture(params=STORES, ids=lambda make: make.__name__)
def made(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[HierarchyIndex]:
    make: Callable[[Path], Iterator[Any]] = request.param
    for store in make(tmp_path):
        nodes = SQLiteDocumentStore(tmp_path / "nodes.db")
        yield index(vector_store=store, docstore=nodes, embed_model=StaticEmbedding())


def found(made: HierarchyIndex, query: str, **settings: Any) -> list[tuple[str | None, int, int]]:
    return spans(made.as_retriever(**{"budget": 60, **settings}).retrieve(query))


def by_kind(kind: str) -> MetadataFilters:
    return MetadataFilters(filters=[MetadataFilter(key="kind", value=kind)])


@pytest.mark.thorough
def test_rows_of_a_document_store_that_is_gone_are_not_found_and_nothing_is_found_twice(
    made: HierarchyIndex, tmp_path: Path
) -> None:
    made.mirror(documents())
    anew = SQLiteDocumentStore(tmp_path / "anew.db")
    again, alike = (
        index(embed_model=StaticEmbedding(), **stores)
        for stores in ({"vector_store": made.vector_store, "docstore": anew}, {})
    )
    assert found(again, BREAD) == found(again, BREAD, budget=None) == []
    edited = [Document(text=f"Snow falls. {ARTICLE}", id_="a"), *documents()[1:]]
    edited[1].metadata["kind"] = "essay"
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", UserWarning)
        assert again.mirror(edited) == alike.mirror(edited)
    is_told = ["which an index with another docstore wrote" in str(each.message) for each in told]
    assert any(is_told) != isinstance(made.vector_store, SimpleVectorStore)
    for kind in ("talk", "essay"):
        only = {"filters": by_kind(kind), "budget": None}
        assert found(again, BREAD, **only) == found(alike, BREAD, **only)
    assert found(again, BREAD, budget=None) == found(alike, BREAD, budget=None)
    assert found(again, BREAD)[0] == found(alike, BREAD)[0], "the rest by how they measure what is near"
    assert len({*found(again, BREAD, budget=1000)}) == len(found(again, BREAD, budget=1000))


@pytest.mark.thorough
def test_each_finds_what_the_store_in_memory_finds(made: HierarchyIndex) -> None:
    alike = index(embed_model=StaticEmbedding())
    serial = Document(text="Ticket XK-4711 is sold aboard.", id_="c", metadata={"kind": "talk"})
    edited = Document(text=f"Snow falls. {ARTICLE.replace('smooth', 'soft')}", id_="a", metadata={"kind": "essay"})
    for given in ([*documents(), serial], [edited, *documents()[1:], serial]):
        assert made.upsert(given) == alike.upsert(given)
        assert made.upsert(given).unchanged == 4
        for query in (BREAD, "XK-4711"):
            assert found(made, query, budget=None) == found(alike, query, budget=None)
            assert found(made, query)[0] == found(alike, query)[0], "the rest by how they measure what is near"
        assert found(made, "XK-4711")[0][0] == "c"
        for kind in ("article", "essay", "talk"):
            expected = found(alike, "XK-4711 dough", filters=by_kind(kind))
            assert found(made, "XK-4711 dough", filters=by_kind(kind))[:1] == expected[:1]
    for each in made.as_retriever(None, merge_ratio=1).retrieve(BREAD):
        if each.node.ref_doc_id == "a":  # rows that stayed know the places of before, the document store those of now
            assert edited.text[each.node.start_char_idx : each.node.end_char_idx] == each.text
    made.delete_ref_doc("c")
    assert "c" not in {name for name, *_ in found(made, "XK-4711", budget=1000)}
    assert made.mirror([edited]).deleted == 2
    assert {name for name, *_ in found(made, "XK-4711 honey", budget=1000)} == {"a"}


@pytest.mark.thorough
def test_a_store_without_a_row_finds_nothing_deletes_nothing_and_is_filled(
    made: HierarchyIndex, tmp_path: Path
) -> None:
    """Qdrant's makes its collection with the first row, and fails at every other call before."""
    assert found(made, BREAD) == []
    made.delete_ref_doc("a")
    made.upsert(documents()[2:])
    made.delete_ref_doc("empty")
    made.upsert(documents())
    for store in qdrant(tmp_path / "new"):
        other = index(vector_store=store, docstore=made.docstore, embed_model=StaticEmbedding())
        is_same = not isinstance(made.vector_store, SimpleVectorStore)  # which has no name
        assert {name for name, *_ in found(other, BREAD)} == ({"a"} if is_same else set()), "by its words"
        assert other.upsert(documents()) == ((0, 2, 1, 0) if is_same else (3, 0, 0, 0))
        assert found(other, BREAD, words=0) == found(made, BREAD, words=0)
    for store in qdrant(tmp_path / "newer"):
        newer = index(vector_store=store, docstore=made.docstore, embed_model=StaticEmbedding())
        assert newer.mirror(documents()[2:]).deleted == 2


@pytest.mark.parametrize(
    ("message", "is_empty"),
    [
        ('Unexpected Response: 404 (Not Found) {"error":"Not found: Collection `leaves` doesn\'t exist!"}', True),
        ("Collection leaves not found", True),
        ("Connection to host not found", False),
        ("Wrong input: vector of the collection has 3 dimensions", False),
    ],
)
def test_no_other_fault_of_a_store_is_passed_over(message: str, is_empty: bool) -> None:
    with (
        nullcontext() if is_empty else pytest.raises(ValueError, match=re.escape(message)),
        ignore_missing_collection(),
    ):
        raise ValueError(message)
