"""Several vector stores beside one document store: each is filled, and none breaks the search of another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from fakes.llama_index.embeddings import Words
from fakes.llama_index.indexes import BREAD, documents, index, parser, texts, whole
from llama_index.core import Document
from llama_index.core.schema import BaseNode
from llama_index.core.storage.docstore import SimpleDocumentStore
from llama_index.core.vector_stores import SimpleVectorStore
from llama_index.core.vector_stores.types import BasePydanticVectorStore

from llama_index.node_parser.caesura import HierarchyIndex


def shared(**settings: Any) -> Callable[[], HierarchyIndex]:
    """Makes indexes with vector stores of their own over one document store."""
    store = SimpleDocumentStore()
    return lambda: index(**{"vector_store": SimpleVectorStore(), "docstore": store, **settings})


async def test_a_second_index_on_the_document_store_is_filled_too() -> None:
    make = shared()
    first, second, third = make(), make(), make()
    first.upsert(documents())
    second.upsert(documents())
    await third.aupsert(documents())
    for made in (first, second, third):
        whole(made, documents())
        assert "dough" in texts(made, BREAD)[0]
        assert made.upsert(documents()) == (0, 0, 3, 0)


def test_a_vector_store_that_was_emptied_is_filled_again_and_what_it_has_costs_nothing() -> None:
    model = Words()
    made = index(embed_model=model)
    made.upsert(documents())
    store = made.vector_index.vector_store
    store.delete("a")
    asked = len(model.all_calls)
    assert made.upsert(documents()) == (0, 1, 2, 0)
    whole(made, documents())
    assert len(model.all_calls) > asked
    store.clear()
    assert made.upsert(documents()) == (0, 2, 1, 0)
    whole(made, documents())
    asked = len(model.all_calls)
    assert made.upsert(documents()) == (0, 0, 3, 0)
    assert len(model.all_calls) == asked


def test_another_index_with_other_settings_breaks_no_search_and_the_next_upsert_makes_the_first_whole() -> None:
    make = shared()
    first, other = make(), make()
    first.upsert(documents())
    other.transformations = [parser(chunk_sizes=[100, 30])]
    other.upsert(documents())
    texts(first, BREAD, similarity_top_k=99)
    first.upsert(documents())
    assert any("dough" in text for text in texts(first, BREAD, similarity_top_k=99))
    whole(first, documents())


def test_an_index_follows_what_another_wrote_and_keeps_no_row_of_before() -> None:
    make = shared()
    first, second = make(), make()
    edited = [Document(text="Snow falls on the sea. The keeper sleeps.", id_="a"), *documents()[1:]]
    for made in (first, second):
        made.upsert(documents())
    first.upsert(edited)
    second.upsert(edited)
    whole(second, edited)
    first.delete("a")
    assert not any("Snow" in text for text in texts(second, "Snow", similarity_top_k=99))
    second.upsert(edited)
    whole(second, edited)


@pytest.mark.parametrize(("answer", "updated"), [("nodes", 2), ("nothing", 0), ("other ids", 0)])
def test_a_vector_store_of_another_kind_is_asked_and_trusted_where_it_cannot_say(answer: str, updated: int) -> None:
    class Served(BasePydanticVectorStore):
        """Keeps nodes."""

        stores_text: bool = True
        kept: dict[str, BaseNode] = {}  # noqa: RUF012 - pydantic copies it

        @property
        def client(self) -> None:
            return None

        def add(self, nodes: Sequence[BaseNode], **kwargs: Any) -> list[str]:
            self.kept.update({node.node_id: node for node in nodes})
            return [node.node_id for node in nodes]

        def delete(self, ref_doc_id: str, **kwargs: Any) -> None:
            self.delete_nodes([name for name, node in self.kept.items() if node.ref_doc_id == ref_doc_id])

        def delete_nodes(self, node_ids: Any = None, filters: Any = None, **kwargs: Any) -> None:
            for name in node_ids:
                self.kept.pop(name, None)

        def get_nodes(self, node_ids: Any = None, filters: Any = None) -> list[BaseNode]:
            assert node_ids
            if answer == "nothing":
                raise NotImplementedError
            if answer == "other ids":
                return [node.model_copy(update={"id_": "other"}) for node in list(full.values())[:1]]
            return [self.kept[name] for name in node_ids if name in self.kept]

        def query(self, query: Any, **kwargs: Any) -> Any:
            raise NotImplementedError

    store = Served()
    made = index(vector_store=store, docstore=SimpleDocumentStore())
    made.upsert(documents())
    full = dict(store.kept)
    assert made.upsert(documents()) == (0, 0, 3, 0)
    store.kept.clear()
    assert made.upsert(documents()).updated == updated
    assert store.kept.keys() == (full.keys() if updated else set())
