"""Passages for a question fit the budget, leave out nothing that would fit beside them, and are exact slices."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
from fakes.laws import law
from fakes.llama_index.embeddings import Words
from fakes.llama_index.indexes import documents, index, parser, spans
from hypothesis import given
from hypothesis import strategies as st
from llama_index.core import Document
from llama_index.core.schema import BaseNode, MetadataMode, NodeWithScore, QueryBundle, TextNode
from llama_index.core.utils import get_tokenizer

from caesura.sansio import Blocking, run
from llama_index.node_parser.caesura import HierarchyIndex
from llama_index.node_parser.caesura.retrieval.leaf_words import open_leaf_words
from llama_index.node_parser.caesura.retrieval.node_tree import NodeTree
from llama_index.node_parser.caesura.retrieval.passage_retriever import IN_A_ROW

WORDS = "tide mill bees honey ferry island lamp fog bread dough tax vote 北京 市場 ตลาด".split()  # noqa: SIM905
sentences = st.lists(st.sampled_from(WORDS), min_size=1, max_size=12).map(
    lambda words: " ".join(words).capitalize() + "."
)
paragraphs = st.lists(sentences, min_size=1, max_size=9).map(" ".join)
texts = st.lists(paragraphs, min_size=1, max_size=6).map("\n\n".join)
metadata = st.sampled_from([{}, {"title": "About the island"}])
collections = st.lists(st.tuples(texts, metadata), min_size=1, max_size=4)


def indexed(collection: Sequence[tuple[str, dict[str, Any]]]) -> HierarchyIndex:
    made = index(transformations=[parser(chunk_sizes=[90, 30], embed_model=Words())])
    made.upsert([Document(text=text, id_=str(n), metadata=own) for n, (text, own) in enumerate(collection)])
    return made


def size(node: BaseNode) -> int:
    return len(get_tokenizer()(node.get_content(MetadataMode.LLM)))


def seen(found: Sequence[NodeWithScore]) -> list[tuple[Any, ...]]:
    return [(each.node.node_id, each.text, each.score, each.node.metadata, each.node.relationships) for each in found]


def ranked(made: HierarchyIndex, retriever: Any, query: str) -> list[str]:
    """All leaves, the best first."""
    tree = NodeTree(made.docstore, (), Blocking())
    words = open_leaf_words(made.docstore)
    return list(run(retriever.rank(tree, QueryBundle(query, embedding=Words().row(query)), words)))


def root_of(made: HierarchyIndex, node: BaseNode) -> TextNode:
    while node.parent_node is not None:
        node = made.docstore.docs[node.parent_node.node_id]
    assert isinstance(node, TextNode)
    return node


def cost(made: HierarchyIndex, leaf: TextNode, found: Sequence[NodeWithScore]) -> int:
    """What it would take to have a leaf too: with its neighbours, if they are there, it would be one passage."""
    root = root_of(made, leaf)
    low, high, freed = leaf.start_char_idx or 0, leaf.end_char_idx or 0, 0
    base = root.start_char_idx or 0
    for each in found:
        start, end = each.node.start_char_idx, each.node.end_char_idx
        if each.node.ref_doc_id != leaf.ref_doc_id or not base <= start < (root.end_char_idx or 0):
            continue
        if (end <= low and not root.text[end - base : low - base].strip()) or (
            start >= high and not root.text[high - base : start - base].strip()
        ):
            low, high, freed = min(low, start), max(high, end), freed + size(each.node)
    text = root.text[low - base : high - base]
    return size(root.model_copy(update={"text": text})) - freed


@pytest.mark.thorough
@law(documents=8)
@given(collection=collections, query=sentences, budget=st.integers(5, 300), words=st.sampled_from([0, None]))
def test_passages_fit_leave_nothing_out_that_would_and_are_exact_slices(
    collection: list[tuple[str, dict[str, Any]]], query: str, budget: int, words: float | None
) -> None:
    made = indexed(collection)
    retriever = made.as_retriever(budget, words)
    found = retriever.retrieve(query)
    sizes = [size(each.node) for each in found]
    assert sum(sizes) <= budget
    assert len({each.node.node_id for each in found}) == len(found)
    taken: list[tuple[str | None, int, int]] = []
    for each in found:
        text, own = collection[int(each.node.ref_doc_id or 0)]
        start, end = each.node.start_char_idx, each.node.end_char_idx
        assert each.text == text[start:end]
        assert each.node.metadata == own
        assert not any(name == each.node.ref_doc_id and start < b and a < end for name, a, b in taken)
        taken.append((each.node.ref_doc_id, start, end))
    scores = [each.get_score() for each in found]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)
    order = [made.docstore.docs[name] for name in ranked(made, retriever, query)]
    assert {node.node_id for node in order} == {
        name for name, node in made.docstore.docs.items() if not node.child_nodes
    }
    inside = [
        any(name == node.ref_doc_id and a <= node.start_char_idx and node.end_char_idx <= b for name, a, b in taken)
        for node in order
    ]
    last = max((place for place, is_in in enumerate(inside) if is_in), default=-IN_A_ROW)
    for node, is_in in list(zip(order, inside, strict=True))[: (last // IN_A_ROW + 2) * IN_A_ROW]:
        if not is_in:
            assert cost(made, node, found) > budget - sum(sizes)
    assert seen(retriever.retrieve(query)) == seen(found)
    again = made.as_retriever(budget, words)
    assert seen(asyncio.run(again.aretrieve(query))) == seen(found)
    few = made.as_retriever(budget, words, similarity_top_k=2).retrieve(query)
    assert len(few) <= 2
    assert sum(size(each.node) for each in few) <= budget


def test_the_same_documents_give_the_same_passages_under_the_same_ids() -> None:
    found = []
    for _ in range(2):
        made = index()
        made.upsert(documents())
        found.append(seen(made.as_retriever(60).retrieve("Knead the dough")))
    assert found[0] == found[1]
    assert len(found[0]) > 1


def test_a_budget_under_the_smallest_node_returns_nothing_and_one_over_all_returns_all() -> None:
    made = index()
    made.upsert(documents())
    assert made.as_retriever(1).retrieve("dough") == []
    found = made.as_retriever(10_000).retrieve("dough")
    assert sorted(each.text for each in found) == sorted(
        node.text for node in made.docstore.docs.values() if node.parent_node is None
    )


def test_a_parent_takes_the_place_of_enough_of_its_leaves_if_it_fits() -> None:
    text = "The tide mill grinds. The tide mill turns. Bees make honey. Anna sells honey."
    made = index(transformations=[parser(chunk_sizes=[40, 8])])
    made.upsert([Document(text=text, id_="a")])
    root = next(node for node in made.docstore.docs.values() if node.child_nodes)
    assert len(root.child_nodes or []) == 4
    half = text[: text.index(" Bees")]
    some = sum(len(get_tokenizer()(part)) for part in (half,))
    (found,) = made.as_retriever(size(root), similarity_top_k=1, merge_ratio=0.5).retrieve("tide mill")
    assert found.node.node_id == root.node_id
    (found,) = made.as_retriever(some, merge_ratio=0.5).retrieve("tide mill")
    assert found.text == half, "the parent does not fit"
    assert found.node.source_node is not None
    assert found.node.ref_doc_id == "a"
    assert found.node.start_char_idx == 0


def test_what_no_node_holds_together_is_not_joined() -> None:
    """Of two roots, the text between them is kept nowhere."""
    made = index(transformations=[parser(chunk_sizes=[9])])
    made.upsert([Document(text="The tide mill grinds.   The tide mill turns.", id_="a")])
    found = made.as_retriever(100).retrieve("tide mill")
    assert sorted(spans(found)) == [("a", 0, 21), ("a", 24, 44)]


@pytest.mark.parametrize("score", ["max", "mean", "sum"])
def test_the_score_of_a_passage_is_of_what_was_found_in_it(score: Any) -> None:
    made = index(transformations=[parser(chunk_sizes=[40, 8])], embed_model=Words())
    made.upsert([Document(text="The tide mill grinds. The tide mill turns. Bees make honey.", id_="a")])
    apart = {each.text: each.get_score() for each in made.as_retriever(7, 0).retrieve("tide mill grinds")}
    (whole,) = made.as_retriever(100, 0, score=score).retrieve("tide mill grinds")
    assert len(apart) == 1
    assert whole.get_score() == pytest.approx({"max": 1.0}.get(score, whole.get_score()))
    assert (whole.get_score() >= 1) == (score != "mean")
