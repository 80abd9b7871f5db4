"""LlamaIndex's vector store in memory: searched in parts beside an event loop, rows as tuples."""

from __future__ import annotations

import asyncio
import gc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from llama_index.core import Document
from llama_index.core.schema import TextNode
from llama_index.core.vector_stores import MetadataFilter, MetadataFilters, SimpleVectorStore, VectorStoreQuery

from caesura.sansio import Awaiting, Blocking, run
from llama_index.node_parser.caesura import HierarchyIndex, StaticEmbedding
from llama_index.node_parser.caesura.vector_store_quirks import NUMBERS, query_rows

WIDTH = 1000
ROWS = NUMBERS // WIDTH + 50


@pytest.fixture(scope="module")
def store() -> SimpleVectorStore:
    rows = np.random.default_rng(0).standard_normal((ROWS, WIDTH))
    made = SimpleVectorStore()
    made.add(
        [
            TextNode(id_=f"r{at}", text="x", embedding=row, metadata={"kind": "ab"[at % 2]})
            for at, row in enumerate(rows.tolist())
        ]
    )
    return made


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"node_ids": ["r3", f"r{ROWS - 1}", f"r{ROWS - 2}"]},
        {"filters": MetadataFilters(filters=[MetadataFilter(key="kind", value="b")])},
        {"similarity_top_k": ROWS},
    ],
    ids=lambda options: next(iter(options), "all"),
)
def test_an_awaited_search_finds_in_parts_what_a_plain_one_does(
    store: SimpleVectorStore, options: dict[str, Any]
) -> None:
    question = store.data.embedding_dict[f"r{ROWS - 1}"]
    query = VectorStoreQuery(**{"query_embedding": question, "similarity_top_k": 7, **options})
    plain = run(query_rows(Blocking(), store, query, {}))
    awaited = asyncio.run(query_rows(Awaiting(), store, query, {}))
    assert plain.ids
    assert plain.ids[0] == f"r{ROWS - 1}"
    assert (awaited.ids, awaited.similarities) == (plain.ids, plain.similarities)


def test_rows_that_are_equally_near_come_in_one_order_however_they_are_searched_and_were_written() -> None:
    kinds = np.random.default_rng(1).standard_normal((3, WIDTH)).tolist()
    nodes = [TextNode(id_=f"r{at}", text="x", embedding=kinds[at % 3]) for at in range(ROWS)]
    query = VectorStoreQuery(query_embedding=kinds[0], similarity_top_k=40)
    found: list[list[str] | None] = []
    for written in (nodes, nodes[::-1], nodes[1::2] + nodes[::2]):
        store = SimpleVectorStore()
        store.add([*written])
        found.append(run(query_rows(Blocking(), store, query, {})).ids)
        found.append(asyncio.run(query_rows(Awaiting(), store, query, {})).ids)
    assert found[0] == sorted(found[0] or ())
    assert len({*found[0]}) == 40
    assert found == found[:1] * 6


def test_no_row_is_looked_through_by_the_collector_of_garbage(tmp_path: Path) -> None:
    made = HierarchyIndex(embed_model=StaticEmbedding())
    made.upsert([Document(text="Bees swarm in May. The mill stands in the inlet.", id_="a")])
    made.persist(tmp_path)
    for index in (made, HierarchyIndex.load(tmp_path, embed_model=StaticEmbedding())):
        gc.collect()
        rows = index.vector_store.data.embedding_dict.values()  # type: ignore[attr-defined]
        assert rows
        assert not any(map(gc.is_tracked, rows))
