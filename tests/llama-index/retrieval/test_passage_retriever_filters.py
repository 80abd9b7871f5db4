"""Whatever is returned passes the filter, by every door; and a filter that all leaves pass changes nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from fakes.laws import law
from fakes.llama_index.embeddings import Words
from fakes.llama_index.indexes import index, parser
from fakes.llama_index.stores import qdrant
from hypothesis import given
from hypothesis import strategies as st
from llama_index.core import Document, VectorStoreIndex
from llama_index.core.llms import MockLLM
from llama_index.core.node_parser import HierarchicalNodeParser, SentenceSplitter
from llama_index.core.retrievers import QueryFusionRetriever
from llama_index.core.schema import (
    BaseNode,
    IndexNode,
    MetadataMode,
    NodeRelationship,
    NodeWithScore,
    TextNode,
    TransformComponent,
)
from llama_index.core.storage.docstore import SimpleDocumentStore
from llama_index.core.vector_stores import FilterCondition, FilterOperator, MetadataFilter, MetadataFilters

from llama_index.node_parser.caesura import HierarchyIndex, MergingRetriever

VALUES = ["open", "closed", None]
SUBJECTS = "tide mill bees honey ferry island lamp fog bread dough".split()  # noqa: SIM905
Passes = Callable[[Mapping[str, Any]], bool]


class Marks(TransformComponent):
    """Gives the nodes access by the marks, in turn; adds references, some to parents, with access of their own."""

    marks: list[str | None]
    marks_parents: bool = False
    references: tuple[int, ...] = ()

    def __call__(self, nodes: Sequence[BaseNode], **kwargs: Any) -> list[BaseNode]:
        made = list(nodes)
        leaves = [node for node in made if not node.child_nodes]
        for number, node in enumerate(made if self.marks_parents else leaves):
            mark = self.marks[number % len(self.marks)]
            node.metadata |= {"turn": number % 5, **({} if mark is None else {"access": mark})}
        for number in self.references:
            target = made[number % len(made)]
            source = {NodeRelationship.SOURCE: target.source_node}
            text = f"What of {SUBJECTS[number % len(SUBJECTS)]}?"
            own = {"access": "open", "turn": number % 5}
            name = f"{number} {target.node_id}"
            made.append(IndexNode(id_=name, text=text, index_id=target.node_id, metadata=own, relationships=source))
        return made


PARSERS: dict[str, TransformComponent] = {
    "two levels": parser(chunk_sizes=[60, 15], embed_model=Words()),
    "three levels": parser(chunk_sizes=[90, 40, 12], embed_model=Words()),
    "overlapping": SentenceSplitter(chunk_size=20, chunk_overlap=8, include_metadata=False),
    "LlamaIndex's levels": HierarchicalNodeParser.from_defaults(
        node_parser_ids=["large", "small"],
        node_parser_map={
            "large": SentenceSplitter(chunk_size=60, chunk_overlap=0, include_metadata=False),
            "small": SentenceSplitter(chunk_size=15, chunk_overlap=0, include_metadata=False),
        },
    ),
}
sentences = st.lists(st.sampled_from(SUBJECTS), min_size=2, max_size=7).map(" ".join).map(lambda text: f"{text}.")
texts = st.lists(st.lists(sentences, min_size=1, max_size=5).map(" ".join), min_size=1, max_size=3).map("\n\n".join)
conditions = st.one_of(
    st.tuples(st.just("access"), st.sampled_from(["==", "!="]), st.sampled_from(VALUES[:2])),
    st.tuples(st.just("access"), st.sampled_from(["in", "nin"]), st.lists(st.sampled_from(VALUES[:2]), max_size=2)),
    st.tuples(st.just("turn"), st.sampled_from([">", "<=", "==", "!="]), st.integers(0, 4)),
    st.tuples(st.just("kind"), st.just("=="), st.sampled_from(["essay", "talk"])),
)
OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "==": lambda own, asked: own == asked,
    "!=": lambda own, asked: own != asked,
    "in": lambda own, asked: own in asked,
    "nin": lambda own, asked: own not in asked,
    ">": lambda own, asked: own > asked,
    "<=": lambda own, asked: own <= asked,
}


def passes_one(metadata: Mapping[str, Any], key: str, operator: str, asked: Any) -> bool:
    own = metadata.get(key)
    return operator in ("!=", "nin") if own is None else OPERATORS[operator](own, asked)


def filters_of(asked: Sequence[tuple[str, str, Any]], is_or: bool) -> tuple[MetadataFilters, Passes]:
    """Filters as LlamaIndex has them, and as they are meant."""
    made = [MetadataFilter(key=key, operator=FilterOperator(sign), value=value) for key, sign, value in asked]
    every = any if is_or else all
    condition = FilterCondition.OR if is_or else FilterCondition.AND
    return MetadataFilters(filters=list(made), condition=condition), (
        lambda metadata: every(passes_one(metadata, *one) for one in asked)
    )


def hidden_places(nodes: Sequence[BaseNode], passes: Callable[[BaseNode], bool]) -> dict[str | None, set[int]]:
    """The characters of each document that only nodes without children hold which do not pass."""
    shown: dict[str | None, set[int]] = {}
    held: dict[str | None, set[int]] = {}
    for node in nodes:
        if isinstance(node, TextNode) and not isinstance(node, IndexNode) and not node.child_nodes:
            assert node.start_char_idx is not None
            places = {node.start_char_idx + at for at, mark in enumerate(node.text) if not mark.isspace()}
            held.setdefault(node.ref_doc_id, set()).update(places)
            if passes(node):
                shown.setdefault(node.ref_doc_id, set()).update(places)
    return {name: places - shown.get(name, set()) for name, places in held.items()}


def hold_none(found: Sequence[NodeWithScore], hidden: Mapping[str | None, set[int]]) -> None:
    for each in found:
        assert isinstance(each.node, TextNode)
        assert each.node.start_char_idx is not None
        places = {each.node.start_char_idx + at for at, mark in enumerate(each.text) if not mark.isspace()}
        assert not places & hidden[each.node.ref_doc_id]


@st.composite
def searches(draw: st.DrawFn) -> dict[str, Any]:
    """The options of a retriever; which nodes and documents it is limited to comes by number."""
    return {
        "asked": draw(st.lists(conditions, max_size=2)),
        "is_or": draw(st.booleans()),
        "nodes": draw(st.none() | st.sets(st.integers(0, 9), max_size=6)),
        "documents": draw(st.none() | st.sets(st.sampled_from("ab"), min_size=1)),
        "query": draw(sentences),
        "options": {
            "budget": (budget := draw(st.none() | st.integers(5, 150))),
            "words": draw(st.sampled_from([None, 0, 2])) if budget else None,
            "merge_ratio": draw(st.sampled_from([0, 0.4, 1])),
            "similarity_top_k": draw(st.none() | st.integers(1, 9)),
        },
    }


@pytest.mark.parametrize("name", PARSERS)
@law(cases=4, documents=6)  # six searches each
@given(
    collection=st.lists(texts, min_size=1, max_size=2),
    marks=st.lists(st.sampled_from(VALUES), min_size=1, max_size=5),
    marks_parents=st.booleans(),
    references=st.lists(st.integers(0, 30), max_size=2),
    asked=st.lists(searches(), min_size=6, max_size=6),
)
def test_no_character_is_returned_that_the_filter_hides(
    name: str,
    collection: list[str],
    marks: list[str | None],
    marks_parents: bool,
    references: list[int],
    asked: list[dict[str, Any]],
) -> None:
    kinds = {"a": "essay", "b": "talk"}
    documents = [
        Document(text=text, id_=own, metadata={"kind": kinds[own]}, excluded_llm_metadata_keys=["kind"])
        for text, own in zip(collection, kinds, strict=False)
    ]
    marked = Marks(marks=marks, marks_parents=marks_parents, references=tuple(references))
    made = index(transformations=[PARSERS[name], marked])
    made.upsert(documents)
    nodes = list(made.docstore.docs.values())
    for search in asked:
        filters, meant = filters_of(search["asked"], search["is_or"] and bool(search["asked"]))
        chosen = search["nodes"]
        if chosen is not None:
            chosen = [node.node_id for number, node in enumerate(nodes) if number % 10 in chosen]
        wanted = search["documents"]
        options = {"filters": filters, "doc_ids": None if wanted is None else [*wanted], "node_ids": chosen}

        def passes(node: BaseNode, meant: Passes = meant, chosen: Any = chosen, wanted: Any = wanted) -> bool:
            listed = (wanted is None or node.ref_doc_id in wanted) and (chosen is None or node.node_id in chosen)
            return listed and meant(node.metadata)

        retriever = made.as_retriever(**search["options"], **options)
        found = retriever.retrieve(search["query"])
        hold_none(found, hidden_places(nodes, passes))
        assert asyncio.run(retriever.aretrieve(search["query"])) == found
        is_exact = name != "LlamaIndex's levels"  # whose places are searched for, so that leaves may not cover a parent
        if all(passes(node) for node in nodes if not (is_exact and node.child_nodes)):
            assert made.as_retriever(**search["options"]).retrieve(search["query"]) == found, "it costs nothing"


def marked(marks: list[str | None], text: str, **settings: Any) -> HierarchyIndex:
    made = index(transformations=[PARSERS["two levels"], Marks(marks=marks, **settings)])
    made.upsert([Document(text=text, id_="a")])
    return made


TEXT = "The mill grinds. The mill turns. The mill is closed. The mill stands. The mill is old. The mill burns."
OPEN = MetadataFilters(filters=[MetadataFilter(key="access", value="open")])


def seen(found: Sequence[NodeWithScore]) -> list[tuple[str, str, float]]:
    return [(each.node.node_id, each.text, each.get_score()) for each in found]


@pytest.mark.parametrize("options", [{}, {"budget": 20}, {"budget": None}, {"words": 0}, {"merge_ratio": 1}])
def test_a_filter_that_all_leaves_pass_costs_nothing(options: dict[str, Any]) -> None:
    made = marked(["open"], TEXT, references=(0, 3))
    whole = made.as_retriever(**options).retrieve("Which mill?")
    assert seen(made.as_retriever(filters=OPEN, **options).retrieve("Which mill?")) == seen(whole)
    assert whole


def test_a_passage_of_several_nodes_says_what_all_of_them_say() -> None:
    made = marked(["open", "open", "closed"], TEXT)
    found = made.as_retriever(filters=OPEN, merge_ratio=1).retrieve("The mill")
    assert any(len(each.text) > 30 for each in found), "neighbours are joined"
    assert [each.node.metadata["access"] for each in found] == ["open"] * len(found)


class Excerpts(TransformComponent):
    """Says in the metadata of every node what is in it, as extractors of summaries do."""

    def __call__(self, nodes: Sequence[BaseNode], **kwargs: Any) -> list[BaseNode]:
        for node in nodes:
            node.metadata["summary"] = node.get_content(metadata_mode=MetadataMode.NONE)
            node.excluded_llm_metadata_keys = node.excluded_embed_metadata_keys = ["summary"]
        return list(nodes)


@pytest.mark.parametrize("merge_ratio", [0, 1])
def test_a_passage_says_nothing_of_what_is_hidden_around_it(merge_ratio: float) -> None:
    made = index(transformations=[PARSERS["three levels"], Marks(marks=["open", "open", "closed"]), Excerpts()])
    made.upsert([Document(text=TEXT, id_="a")])
    leaves = [node for node in made.docstore.docs.values() if not node.child_nodes]
    hidden = [node.text for node in leaves if isinstance(node, TextNode) and node.metadata["access"] == "closed"]
    found = made.as_retriever(filters=OPEN, merge_ratio=merge_ratio).retrieve("The mill")
    assert any(each.node.parent_node is None for each in found), "neighbours are joined"
    assert hidden
    for each in found:
        assert not [text for text in hidden if text in each.node.to_json()]


def test_a_reference_that_passes_leads_to_no_text_that_does_not() -> None:
    made = marked(["closed"], TEXT, references=(0,))
    for budget in (100, None):
        assert made.as_retriever(budget, filters=OPEN).retrieve("What of tide?") == []
        assert made.as_retriever(budget).retrieve("What of tide?")


@pytest.mark.parametrize("makes", ["vector", "fusion", "own", "unfiltered", "doc_ids"])
def test_over_other_retrievers_a_parent_with_hidden_text_takes_no_place(makes: str) -> None:
    made = marked(["open", "open", "closed"], TEXT)
    nodes = list(made.docstore.docs.values())
    leaves = [node for node in nodes if not node.child_nodes]
    vectors = VectorStoreIndex(leaves, embed_model=Words())
    options: dict[str, Any] = {"doc_ids": {"doc_ids": ["b"]}, "unfiltered": {}}.get(makes, {"filters": OPEN})
    inner: Any = vectors.as_retriever(similarity_top_k=9, **options)
    if makes == "fusion":
        inner = QueryFusionRetriever([inner], llm=MockLLM(), num_queries=1, use_async=False, similarity_top_k=9)
    filters = OPEN if makes in ("own", "unfiltered") else None
    found = MergingRetriever(inner, made.docstore, merge_ratio=0, filters=filters).retrieve("The mill")
    hold_none(found, hidden_places(nodes, lambda node: makes != "doc_ids" and node.metadata.get("access") == "open"))
    assert bool(found) == (makes != "doc_ids")
    without = MergingRetriever(vectors.as_retriever(similarity_top_k=9), made.docstore, merge_ratio=0)
    assert any(each.node.child_nodes for each in without.retrieve("The mill"))


@pytest.mark.thorough
@pytest.mark.parametrize("budget", [100, None])
def test_a_filter_that_only_the_store_can_read_hides_what_the_store_does_not_find(tmp_path: Path, budget: Any) -> None:
    models = pytest.importorskip("qdrant_client").models
    match = models.FieldCondition(key="access", match=models.MatchValue(value="open"))
    options: dict[str, Any] = {"vector_store_kwargs": {"qdrant_filters": models.Filter(must=[match])}}
    for store in qdrant(tmp_path):
        marks = Marks(marks=["open", "closed", "open"])
        made = index(vector_store=store, docstore=SimpleDocumentStore(), transformations=[PARSERS["two levels"], marks])
        made.upsert([Document(text=TEXT, id_="a")])
        found = made.as_retriever(budget, merge_ratio=0, **options).retrieve("The mill is closed")
        hidden = hidden_places(list(made.docstore.docs.values()), lambda node: node.metadata.get("access") == "open")
        hold_none(found, hidden)
        assert found
