"""LangChain's vector store in memory: searched in parts, so that other threads go on, and rows as tuples."""

from __future__ import annotations

import asyncio
import gc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from langchain_core.documents import Document
from langchain_core.stores import InMemoryStore
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_core.vectorstores import in_memory as module

from caesura.sansio import Awaiting, Blocking, run
from langchain_caesura import ParentDocumentRetriever, StaticEmbeddings
from langchain_caesura.parents.owner import Owner
from langchain_caesura.parents.vector_search import SearchType, nearest_hits
from langchain_caesura.vector_store_quirks import NUMBERS

WIDTH = 1000
ROWS = NUMBERS // WIDTH + 50
OWNER = Owner("id", True, "", "", "")


class One(StaticEmbeddings):
    """Every question has the row of the last text."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[float]] = np.random.default_rng(0).standard_normal((ROWS, WIDTH)).tolist()

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return self.rows[: len(texts)]

    def embed_query(self, text: str) -> list[float]:
        return self.rows[-1]


@pytest.fixture(scope="module")
def store() -> InMemoryVectorStore:
    made = InMemoryVectorStore(One())
    made.add_documents([Document("x", id=f"r{at}", metadata={"kind": "ab"[at % 2]}) for at in range(ROWS)])
    return made


@pytest.mark.parametrize("search_type", ["similarity", "mmr"])
@pytest.mark.parametrize(
    "options", [{}, {"filter": lambda row: row.metadata["kind"] == "b"}], ids=["all", "with a filter"]
)
def test_a_search_in_parts_finds_what_the_store_finds_and_makes_no_larger_array(
    store: InMemoryVectorStore, search_type: SearchType, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    question = store.embedding.embed_query("")
    if search_type == "mmr":
        plain = store.max_marginal_relevance_search_by_vector(question, k=7, fetch_k=28, **options)
    else:
        plain = [row for row, _ in store.similarity_search_with_score_by_vector(question, k=7, **options)]
    sizes: list[int] = []
    inner = vars(module)["cosine_similarity"]

    def counted(one: Any, rows: Any) -> Any:
        sizes.append(len(rows) * len(rows[0]))
        return inner(one, rows)

    monkeypatch.setattr(module, "cosine_similarity", counted)
    for found in (
        run(nearest_hits(Blocking(), store, "", 7, search_type, options, OWNER)),
        asyncio.run(nearest_hits(Awaiting(), store, "", 7, search_type, options, OWNER)),
    ):
        assert [hit.document for hit in found] == plain
    assert max(sizes) <= NUMBERS


def test_a_part_whose_rows_are_near_to_nothing_hides_no_others() -> None:
    made = InMemoryVectorStore(One())
    made.add_documents([Document("x", id=f"r{at}") for at in range(ROWS)])
    for at in range(ROWS - 50):
        made.store[f"r{at}"]["vector"] = [0.0] * WIDTH
    found = run(nearest_hits(Blocking(), made, "", 3, "similarity", {}, OWNER))
    assert found[0].name == f"r{ROWS - 1}"


async def test_no_row_is_looked_through_by_the_collector_of_garbage_and_a_store_can_be_saved(tmp_path: Path) -> None:
    store = InMemoryVectorStore(StaticEmbeddings())
    retriever = ParentDocumentRetriever(vectorstore=store, docstore=InMemoryStore())
    retriever.add_documents([Document("Bees swarm in May. The mill stands in the inlet.", id="a")])
    await retriever.aadd_documents([Document("The pump is greased in June.", id="b")])
    gc.collect()
    assert len(store.store) > 1
    assert not any(gc.is_tracked(row["vector"]) for row in store.store.values())
    store.dump(str(tmp_path / "rows.json"))
    loaded = InMemoryVectorStore.load(str(tmp_path / "rows.json"), StaticEmbeddings())
    assert {name: [*row["vector"]] for name, row in store.store.items()} == {
        name: row["vector"] for name, row in loaded.store.items()
    }
