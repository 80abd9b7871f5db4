"""A retriever that merges is one of LlamaIndex's: awaited, over any other, with references, faults and settings."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from fakes.llama_index.retrievers import CHAINS, TWO, Awaited, Fixed, merged, named, reference, scored, stored, tree
from llama_index.core.llms import MockLLM
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.retrievers import QueryFusionRetriever
from llama_index.core.schema import NodeWithScore

from caesura import SettingError
from llama_index.node_parser.caesura import MergingRetriever


def test_a_missing_parent_is_a_warning_and_what_was_found_is_returned(caplog: pytest.LogCaptureFixture) -> None:
    nodes = tree(TWO, CHAINS)
    store = stored({name: node for name, node in nodes.items() if name not in ("p", "b")})
    with caplog.at_level(logging.WARNING):
        found = MergingRetriever(Fixed(scored(nodes, a=0.9, c=0.5, e=0.4)), store).retrieve("?")
    assert named(found) == [("a", 0.9), ("c", 0.5), ("root", 0.4)]
    assert len(caplog.records) == 1
    assert "p, the parent of" in caplog.text
    assert "add_documents" in caplog.text


async def test_awaited_it_awaits_the_retriever_and_the_document_store() -> None:
    nodes = tree(TWO, CHAINS)
    store = stored(nodes, Awaited())
    found = [*scored(nodes, a=0.9, c=0.8), NodeWithScore(node=reference("x", "e"), score=0.7)]
    results = await MergingRetriever(Fixed(found, awaited=True), store, merge_ratio=0.6).aretrieve("?")
    assert named(results) == merged(nodes, found, merge_ratio=0.6)
    assert sorted(store.asked) == sorted({*store.asked}), "each node is asked for once"


def test_it_takes_any_retriever_and_serves_a_query_engine() -> None:
    nodes = tree({"p": ["a", "b"], "q": ["c", "d"]})
    parts = [Fixed(scored(nodes, a=0.9)), Fixed(scored(nodes, b=0.8, c=0.7))]
    fusion = QueryFusionRetriever(parts, llm=MockLLM(), num_queries=1, use_async=False, similarity_top_k=9)
    retriever = MergingRetriever(fusion, stored(nodes), merge_ratio=0.6)
    assert [each.node.node_id for each in retriever.retrieve("?")] == ["p", "c"]
    answer = RetrieverQueryEngine.from_args(retriever, llm=MockLLM()).query("?")
    assert [each.node.node_id for each in answer.source_nodes] == ["p", "c"]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"merge_ratio": -0.1}, "merge_ratio must be a finite number from 0 to 1, got -0.1"),
        ({"merge_ratio": 1.1}, "merge_ratio must be a finite number from 0 to 1, got 1.1"),
        ({"score": "best"}, "score must be one of"),
        ({"docstore": None}, "docstore must be"),
        ({"filters": {"kind": "talk"}}, "filters must be MetadataFilters of LlamaIndex, got {'kind': 'talk'}"),
    ],
)
def test_bad_settings_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingError, match=message):
        MergingRetriever(Fixed([]), **{"docstore": stored({}), **settings})
