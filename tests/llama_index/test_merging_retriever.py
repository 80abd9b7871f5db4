"""Children give way to their parent where enough of them are found; scores, gaps, references and faults."""

from __future__ import annotations

import logging
from itertools import permutations
from typing import Any

import pytest
from llama_index.core.llms import MockLLM
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.retrievers import QueryFusionRetriever
from llama_index.core.schema import BaseNode, IndexNode, NodeWithScore
from llama_index_retrieval_fakes import Awaited, Fixed, Raw, named, scored, stored, tree

from caesura import SettingError
from llama_index.node_parser.caesura import MergingRetriever

TWO = {"root": ["p", "q"], "p": ["a", "b", "c", "d"], "q": ["e", "f"]}
CHAINS = [["p", "q"], ["a", "b", "c", "d", "e", "f"]]


def merged(nodes: dict[str, BaseNode], found: list[NodeWithScore], **settings: Any) -> list[tuple[str, float]]:
    settings = {"fill_gaps": False, **settings}
    return named(MergingRetriever(Fixed(found), stored(nodes), **settings).retrieve("?"))


def test_the_share_that_is_asked_for_is_enough() -> None:
    nodes = tree({"p": ["a", "b", "c", "d"]})
    assert merged(nodes, scored(nodes, a=0.9)) == [("a", 0.9)]
    assert merged(nodes, scored(nodes, a=0.9, c=0.5)) == [("p", 0.9)]
    assert merged(nodes, scored(nodes, a=0.9, c=0.5), merge_ratio=0.51) == [("a", 0.9), ("c", 0.5)]
    assert merged(nodes, scored(nodes, a=0.9, b=0.1, c=0.5, d=0.2), merge_ratio=1) == [("p", 0.9)]
    assert merged(nodes, scored(nodes, a=0.9), merge_ratio=0.25) == [("p", 0.9)]


def test_at_a_share_of_nothing_one_found_child_is_enough_and_none_is_not() -> None:
    nodes = tree(TWO)
    assert merged(nodes, scored(nodes, a=0.9, f=0.1), merge_ratio=0) == [("root", 0.9)]
    nodes = tree({"p": ["a", "b"], "q": ["c", "d"]})
    assert merged(nodes, scored(nodes, d=0.9), merge_ratio=0) == [("q", 0.9)]


def test_thirds_are_thirds_whatever_their_rounding() -> None:
    nodes = tree({"p": list("abc")})
    assert merged(nodes, scored(nodes, a=0.9, c=0.5), merge_ratio=2 / 3) == [("p", 0.9)]
    nodes = tree({"p": [f"c{number}" for number in range(49)]})
    assert merged(nodes, scored(nodes, c7=0.5), merge_ratio=1 / 49) == [("p", 0.5)]


def test_a_child_found_twice_counts_once_with_its_best_score() -> None:
    nodes = tree({"p": ["a", "b", "c"]})
    twice = [*scored(nodes, a=0.2), *scored(nodes, a=0.9)]
    for found, wanted in ((twice, [("a", 0.9)]), ([*twice, *scored(nodes, b=0.3)], [("p", 1.2)])):
        assert named(MergingRetriever(Raw(found), stored(nodes), score="sum").retrieve("?")) == wanted


def test_merging_goes_up_all_levels() -> None:
    nodes = tree(TWO)
    found = scored(nodes, a=0.9, c=0.5, e=0.4)
    assert merged(nodes, found) == [("root", 0.9)]
    assert merged(nodes, found, merge_ratio=0.51) == [("a", 0.9), ("c", 0.5), ("e", 0.4)]
    assert merged(nodes, scored(nodes, a=0.9, c=0.5), merge_ratio=0.5) == [("root", 0.9)]
    assert merged(nodes, scored(nodes, a=0.9, b=0.8, c=0.5, e=0.1), merge_ratio=0.6) == [("p", 0.9), ("e", 0.1)]


def test_a_merged_child_counts_for_its_parent_beside_a_leaf() -> None:
    nodes = tree({"root": ["p", "x"], "p": ["a", "b"]})
    assert merged(nodes, scored(nodes, x=0.3, a=0.5, b=0.6), merge_ratio=1) == [("root", 0.6)]
    assert merged(nodes, scored(nodes, x=0.3, a=0.5), merge_ratio=1) == [("a", 0.5), ("x", 0.3)]


@pytest.mark.parametrize(("score", "wanted"), [("max", 0.8), ("mean", 0.4), ("sum", 1.2)])
def test_scores_are_of_what_was_found_inside(score: str, wanted: float) -> None:
    nodes = tree(TWO)
    found = scored(nodes, a=0.8, b=0.1, e=0.3)
    assert merged(nodes, found, score=score) == [("root", wanted)]


def test_a_hit_keeps_its_place_when_its_parent_takes_it_over() -> None:
    nodes = tree({"p": ["a", "b"], "q": ["c", "d", "e"]})
    assert merged(nodes, scored(nodes, a=0.95, c=0.6, b=0.1)) == [("p", 0.95), ("c", 0.6)]


def test_a_node_is_not_returned_beside_its_parent_or_grandparent() -> None:
    nodes = tree(TWO)
    assert merged(nodes, scored(nodes, a=0.9, root=0.3)) == [("root", 0.9)]
    assert merged(nodes, scored(nodes, p=0.3, a=0.9, e=0.2), merge_ratio=1) == [("p", 0.9), ("e", 0.2)]


def test_results_do_not_depend_on_the_order_of_finds_and_ties_keep_it() -> None:
    nodes = tree(TWO, CHAINS)
    results = {
        str(merged(nodes, list(order), merge_ratio=0.7, fill_gaps=True))
        for order in permutations(scored(nodes, a=0.9, b=0.8, d=0.7, e=0.6))
    }
    assert results == {"[('p', 0.9), ('e', 0.6)]"}
    for order in (["f", "a"], ["a", "f"]):
        found = scored(nodes, **dict.fromkeys(order, 0.5))
        assert [name for name, _ in merged(nodes, found, merge_ratio=1)] == order


def test_a_gap_between_neighbours_of_one_parent_is_filled_with_the_lower_score() -> None:
    nodes = tree({"p": list("abcdefg")}, ["abcdefg"])
    found = scored(nodes, c=0.4, a=0.9)
    assert merged(nodes, found, fill_gaps=True) == [("a", 0.9), ("c", 0.4), ("b", 0.4)]
    assert merged(nodes, scored(nodes, a=0.9, d=0.4), fill_gaps=True) == [("a", 0.9), ("d", 0.4)]
    assert merged(nodes, found) == [("a", 0.9), ("c", 0.4)]


def test_a_gap_at_the_border_of_parents_stays() -> None:
    nodes = tree({"p": list("abcd"), "q": list("efgh")}, ["abcdefgh"])
    assert merged(nodes, scored(nodes, d=0.9, f=0.8), fill_gaps=True) == [("d", 0.9), ("f", 0.8)]


def test_what_fills_a_gap_does_not_count_as_found() -> None:
    nodes = tree({"p": list("abcde")}, ["abcde"])
    found = scored(nodes, a=0.9, c=0.8)
    assert [name for name, _ in merged(nodes, found, fill_gaps=True)] == ["a", "c", "b"]


def test_a_gap_between_merged_parents_takes_in_what_was_found_in_it() -> None:
    spec = {"root": ["p", "q", "r", "s", "t"], "p": ["a", "b"], "q": ["c", "d", "e"], "r": ["f", "g"]}
    nodes = tree(spec, [["p", "q", "r", "s", "t"], list("abcdefg")])
    found = scored(nodes, a=0.9, f=0.8, d=0.1)
    assert merged(nodes, found, fill_gaps=True) == [("p", 0.9), ("r", 0.8), ("q", 0.1)]


def test_a_missing_parent_is_a_warning_and_what_was_found_is_returned(caplog: pytest.LogCaptureFixture) -> None:
    nodes = tree(TWO, CHAINS)
    store = stored({name: node for name, node in nodes.items() if name not in ("p", "b")})
    with caplog.at_level(logging.WARNING):
        found = MergingRetriever(Fixed(scored(nodes, a=0.9, c=0.5, e=0.4)), store).retrieve("?")
    assert named(found) == [("a", 0.9), ("c", 0.5), ("root", 0.4)]
    assert len(caplog.records) == 1
    assert "p, the parent of" in caplog.text
    assert "add_documents" in caplog.text


def test_a_child_of_an_older_parent_does_not_count_for_it() -> None:
    nodes = tree({"p": ["a", "b"]})
    stray = tree({"p": ["x"]})["x"]
    assert merged(nodes, [NodeWithScore(node=stray, score=0.9)]) == [("x", 0.9)]


def test_nodes_without_parents_or_scores_pass() -> None:
    nodes = tree({"p": ["a"], "lone": []})
    assert merged(nodes, scored(nodes, lone=None)) == [("lone", 0.0)]
    assert merged(nodes, []) == []


def reference(name: str, to: str, **fields: Any) -> IndexNode:
    return IndexNode(id_=name, text=f"about {to}", index_id=to, **fields)


def test_references_are_followed_and_one_node_is_one_find() -> None:
    nodes = tree({"p": ["a", "b", "c"]})
    questions = [
        NodeWithScore(node=reference("q1", "a"), score=0.9),
        NodeWithScore(node=nodes["a"], score=0.7),
        NodeWithScore(node=reference("q2", "a"), score=0.8),
    ]
    assert merged(nodes, questions) == [("a", 0.9)]
    assert merged(nodes, questions, score="sum") == [("a", 0.9)]
    summary = NodeWithScore(node=reference("s", "p"), score=0.6)
    assert merged(nodes, [*questions, summary]) == [("p", 0.9)]


def test_references_to_references_are_followed_and_circles_end() -> None:
    nodes = tree({"p": ["a", "b", "c"]})
    nodes["q"] = reference("q", "a")
    nodes["x"], nodes["y"] = reference("x", "y"), reference("y", "x")
    first = NodeWithScore(node=reference("r", "q"), score=0.9)
    assert merged(nodes, [first]) == [("a", 0.9)]
    assert len(merged(nodes, [NodeWithScore(node=nodes["x"], score=0.5)])) == 1


def test_a_reference_to_what_is_not_there_is_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    nodes = tree({"p": ["a"]})
    with caplog.at_level(logging.WARNING):
        assert merged(nodes, [NodeWithScore(node=reference("q", "gone"), score=0.9)]) == [("q", 0.9)]
    assert "q refers to gone" in caplog.text


def test_a_reference_to_an_object_is_left_to_the_framework(caplog: pytest.LogCaptureFixture) -> None:
    nodes = tree({"p": ["a", "b", "c"]})
    inner = Fixed(scored(nodes, b=0.4))
    table = IndexNode(id_="t", text="a table", index_id="table", obj=inner)
    outer = MergingRetriever(
        Fixed([NodeWithScore(node=reference("q", "table"), score=0.9)]), stored(nodes), objects=[table]
    )
    assert named(outer.retrieve("?")) == [("b", 0.4)]
    assert caplog.text == ""


async def test_awaited_it_awaits_the_retriever_and_the_document_store() -> None:
    nodes = tree(TWO, CHAINS)
    store = stored(nodes, Awaited())
    found = [*scored(nodes, a=0.9, c=0.8), NodeWithScore(node=reference("x", "e"), score=0.7)]
    results = await MergingRetriever(Fixed(found, awaited=True), store, merge_ratio=0.6).aretrieve("?")
    assert named(results) == merged(nodes, found, merge_ratio=0.6, fill_gaps=True)
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
    ],
)
def test_bad_settings_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingError, match=message):
        MergingRetriever(Fixed([]), **{"docstore": stored({}), **settings})
