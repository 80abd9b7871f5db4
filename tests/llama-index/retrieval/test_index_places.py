"""An index whose nodes say where they stand: through real stores, edits, and in the passages that are made of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from fakes.llama_index.embeddings import Words
from fakes.llama_index.stores import STORES
from fakes.texts.guides import guide, of_pages, pages, scanned
from llama_index.core import Document
from llama_index.core.llms import MockLLM
from llama_index.core.schema import BaseNode, MetadataMode
from llama_index.core.utils import get_tokenizer
from llama_index.core.vector_stores import MetadataFilter, MetadataFilters, SimpleVectorStore

from caesura.sansio import Blocking
from caesura_documents.chunk_metadata import NAMES
from caesura_documents.layout import LAYOUT
from caesura_retrieval.passages import PackedPassage
from llama_index.node_parser.caesura import (
    HierarchyIndex,
    SemanticHierarchyParser,
    SQLiteDocumentStore,
    StaticEmbedding,
)
from llama_index.node_parser.caesura.base import index_metadata
from llama_index.node_parser.caesura.nodes import WHOLE_PLACE
from llama_index.node_parser.caesura.retrieval.layout import Layout
from llama_index.node_parser.caesura.retrieval.leaf_words import open_leaf_words
from llama_index.node_parser.caesura.retrieval.node_records import TreeNode
from llama_index.node_parser.caesura.retrieval.node_tree import NodeTree

GUIDE = guide(8)


def parser(**settings: Any) -> SemanticHierarchyParser:
    return SemanticHierarchyParser(**{"chunk_sizes": [300, 90], "metadata": NAMES, **settings})


def document(text: str = GUIDE, metadata: dict[str, Any] | None = None) -> Document:
    return Document(text=text, id_="d", metadata=metadata or {})


def holds(node: BaseNode, text: str) -> None:
    """Holds that a node says of its place what a scan of the document does."""
    start, end = node.start_char_idx, node.end_char_idx  # type: ignore[attr-defined]
    path, header, first, last = scanned(text, start, end)
    said = node.metadata
    assert said["headings"].split(" > ") == path
    assert said.get("table_header") == header
    assert (said["start_index"], said["end_index"], said["line_start"], said["line_end"]) == (start, end, first, last)
    if "page_start" in said:
        assert (said["page_start"], said["page_end"], said["page_offset"]) == of_pages(pages(text), start, end)
    assert LAYOUT not in node.to_json()


@pytest.fixture(params=STORES, ids=lambda make: make.__name__)
def made(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[HierarchyIndex]:
    make: Callable[[Path], Iterator[Any]] = request.param
    for store in make(tmp_path):
        nodes = SQLiteDocumentStore(tmp_path / "nodes.db")
        settings: dict[str, Any] = {"transformations": [parser()], "embed_model": StaticEmbedding()}
        yield HierarchyIndex(vector_store=store, docstore=nodes, **settings)


@pytest.mark.thorough
@pytest.mark.parametrize("budget", [40, 200, 1000, None])
def test_passages_say_their_place_in_every_store_also_after_they_moved(
    made: HierarchyIndex, budget: int | None
) -> None:
    made.upsert([document(metadata={LAYOUT: pages(GUIDE)})])
    for text in (GUIDE, f"# Guide\n\nFog came in at night.\n\n{GUIDE.removeprefix('# Guide')}"):
        made.upsert([document(text, {LAYOUT: pages(text)})])
        for query in ("guest 7 pays coins for the quarry", "the mill keeper counts visitors", "nobody pays on Mondays"):
            found = made.as_retriever(budget=budget).retrieve(query)
            assert found
            for each in found:
                holds(each.node, text)
    only = MetadataFilters(filters=[MetadataFilter(key="headings", value="Guide > Mill 1")])
    found = made.as_retriever(filters=only, words=0).retrieve("the keeper")
    assert {each.node.metadata["headings"] for each in found} == {"Guide > Mill 1"}


@pytest.mark.parametrize("budget", [60, 1000, None])
def test_passages_say_all_their_headings_also_where_few_fit_beside_what_is_embedded(budget: int | None) -> None:
    text = guide(4, "Prices of everything that there is to be seen, and to be had, today and later")
    made = HierarchyIndex(transformations=[parser(embed_headings=True)], embed_model=StaticEmbedding())
    made.upsert([document(text)])
    stored = [each.metadata for each in made.docstore.docs.values() if not each.child_nodes]
    assert not all("Guide" in each.get("headings", "") for each in stored)  # what is embedded is shortened
    found = made.as_retriever(budget=budget).retrieve("guest 7 pays coins for the quarry")
    assert any("Prices" in each.node.metadata["headings"] for each in found)
    for each in found:
        holds(each.node, text)
        assert WHOLE_PLACE not in each.node.to_json()


@pytest.mark.parametrize("budget", [1000, None])
def test_a_filter_sees_all_headings_also_where_few_fit_beside_what_is_embedded(budget: int | None) -> None:
    made = HierarchyIndex(transformations=[parser(embed_headings=True)], embed_model=StaticEmbedding())
    made.upsert([document(guide(4, "Prices of everything that there is to be seen, and to be had, today and later"))])
    stored = [each.metadata.get("headings", "") for each in made.docstore.docs.values() if not each.child_nodes]
    whole = {each.node.metadata["headings"] for each in made.as_retriever(budget=4000).retrieve("guest 7 pays coins")}
    [asked, *_] = sorted(whole.difference(stored))  # no node was embedded with all of them
    only = MetadataFilters(filters=[MetadataFilter(key="headings", value=asked)])
    found = made.as_retriever(budget=budget, filters=only).retrieve("guest 7 pays coins for the quarry")
    assert {each.node.metadata["headings"] for each in found} == {asked}


def index(text: str, **settings: Any) -> tuple[HierarchyIndex, Words]:
    model = Words()
    made = HierarchyIndex(transformations=[parser(**settings)], embed_model=model, context=0)
    made.upsert([document(text)])
    model.all_calls.clear()
    return made, model


def test_a_line_more_at_the_top_writes_places_and_embeds_what_it_touches() -> None:
    made, model = index(GUIDE)
    store = made.vector_store
    assert isinstance(store, SimpleVectorStore)
    before = set(store.data.embedding_dict)
    text = GUIDE.replace("What there", "Hello.\n\nWhat there", 1)
    made.upsert([document(text)])
    assert len(set(store.data.embedding_dict) & before) >= 0.95 * len(before)
    assert len([each for call in model.calls for each in call]) <= 2
    for node in made.docstore.docs.values():
        holds(node, text)
    fresh, _ = index(text)
    assert {name: node.metadata for name, node in made.docstore.docs.items()} == {
        name: node.metadata for name, node in fresh.docstore.docs.items()
    }
    for row in store.data.metadata_dict.values():  # what is there is never false
        assert not {"start_index", "line_start", "chunk_index", "next_id"} & set(row)
        assert row["headings"]


@pytest.mark.parametrize("embedded", [True, False])
def test_another_heading_embeds_the_leaves_under_it_where_it_is_embedded(embedded: bool) -> None:
    made, model = index(GUIDE, embed_headings=embedded)
    text = GUIDE.replace("## Quarry 2", "## Pit 2")
    under = sum("Quarry 2" in node.metadata["headings"] for node in made.docstore.docs.values() if not node.child_nodes)
    made.upsert([document(text)])
    called = [each for call in model.calls for each in call]
    assert len(called) == (under if embedded else 1), "the leaf that has the line of the heading itself"
    assert all("Pit 2" in each and ("headings: Guide > Pit 2" in each) is embedded for each in called)
    store = made.vector_store
    assert isinstance(store, SimpleVectorStore)
    assert sum("Pit 2" in row["headings"] for row in store.data.metadata_dict.values()) == under > 2


@pytest.mark.parametrize("embedded", [True, False])
def test_leaves_are_found_by_the_words_of_the_headings_above_them(embedded: bool) -> None:
    isles = [(isle, f"# {isle}\n\n" + "A lamp burns in the tower at night. " * 200) for isle in ("Pemba", "Zanzibar")]
    made, _ = index("\n\n".join(text for _, text in isles), embed_headings=embedded)
    leaves = [node for node in made.docstore.docs.values() if not node.child_nodes]
    found = open_leaf_words(made.docstore).search("Zanzibar", [node.node_id for node in leaves]).scores
    second = {node.node_id for node in leaves if (node.start_char_idx or 0) > len(isles[0][1])}
    assert second <= found.keys()
    assert len(found) < len(leaves)
    (first,) = [node for node in leaves if "Zanzibar" in node.get_content()]
    assert next(iter(found)) == first.node_id


def test_metadata_of_the_user_s_stay_as_they_are_in_rows_and_passages() -> None:
    own = {"types": "a, b", "boxes": "large", "headings": "none", "page_offset": 7}
    made = HierarchyIndex(transformations=[parser(metadata=())], embed_model=StaticEmbedding())
    made.upsert([document(metadata=own)])
    store = made.vector_store
    assert isinstance(store, SimpleVectorStore)
    assert all(own.items() <= row.items() for row in store.data.metadata_dict.values())
    for budget in (40, 400):
        found = made.as_retriever(budget=budget).retrieve("guest 7 pays coins for the quarry")
        assert found
        assert all(each.node.metadata == {**own, "title": "Guide"} for each in found)


def test_a_slice_of_a_parent_outside_what_was_found_in_it_says_its_own_place() -> None:
    made, _ = index(GUIDE)
    tree = NodeTree(made.docstore, (), Blocking())
    tree.nodes.update((name, TreeNode.of(node)) for name, node in made.docstore.docs.items())
    root = next(node for node in tree.nodes.values() if node.parent is None and node.children)
    child, _, *_ = root.children
    layout = Layout(tree, [root.node_id, child], places=index_metadata(made.transformations))
    for whole, start in ((layout.spans[child], 0), (layout.spans[root.node_id], -60)):
        text = root.text
        passage = PackedPassage(whole._replace(start=start % len(text), end=len(text)), 1.0)
        holds(layout.make_nodes([passage])[0], GUIDE)


def test_what_is_left_of_a_node_over_several_pages_says_its_own_place() -> None:
    layout = [{**entry, "type": f"page {entry['page']}"} for entry in pages(GUIDE)]
    made, _ = index(GUIDE, chunk_sizes=[1500, 700])
    made.upsert([document(metadata={LAYOUT: layout})])
    (found,) = made.as_retriever(budget=30).retrieve("guest 7 pays coins for the quarry")
    assert any(node.metadata["page_end"] > node.metadata["page_start"] for node in made.docstore.docs.values())
    assert found.node.ref_doc_id == "d"
    assert found.node.node_id not in made.docstore.docs  # a part of one
    holds(found.node, GUIDE)
    first, last = (found.node.metadata[name] for name in ("page_start", "page_end"))
    assert found.node.metadata["types"] == ", ".join(f"page {number}" for number in range(first, last + 1))


@pytest.mark.parametrize("title", [True, False], ids=["title", "file"])
@pytest.mark.parametrize("label", [True, False], ids=["labels", "numbers"])
def test_a_model_can_be_shown_the_pages_within_the_budget_and_an_embedder_is_not(label: bool, title: bool) -> None:
    said = {"source": "/manuals/mill.pdf", "file_name": "mill.pdf", **({"title": "Mill"} if title else {})}
    layout = [{**each, **({"label": f"p{each['page']}"} if label else {})} for each in pages(GUIDE)]
    hidden = ["source", "file_name", LAYOUT]
    made = HierarchyIndex(embed_model=Words(), transformations=[parser(metadata=[])])
    paged = document(GUIDE, {**said, LAYOUT: layout})
    paged.excluded_embed_metadata_keys, paged.excluded_llm_metadata_keys = hidden, [*hidden]
    made.upsert([paged])
    name = "page_label" if label else "page"
    seen = set[int]()
    for budget in range(40, 400, 30):
        found = made.as_retriever(budget=budget, show_pages=True).retrieve("mill keeper 3")
        shown = [each.node.get_content(MetadataMode.LLM) for each in found]
        assert sum(map(len, map(get_tokenizer(), shown))) <= budget
        for each in found:
            first, last = each.metadata[f"{name}_start"], each.metadata[f"{name}_end"]
            place = f"{name}_start: {first}" + f"\n{name}_end: {last}" * (first != last)
            seen.add(len({first, last}))
            named = "title: Mill" if title else "file_name: mill.pdf"
            assert each.node.get_metadata_str(MetadataMode.LLM) == f"{named}\n{place}"
            assert "page" not in each.node.get_metadata_str(MetadataMode.EMBED)
    assert seen == {1, 2}
    engine, chat = made.as_query_engine(MockLLM()), made.as_chat_engine(llm=MockLLM())
    for found, count in (
        (made.as_retriever(budget=None, show_pages=True).retrieve("mill"), 1),
        (made.as_retriever(budget=None).retrieve("mill"), 0),
        (made.as_retriever().retrieve("mill"), 0),
        (engine.query("mill").source_nodes, 1),
        (chat.chat("mill").source_nodes, 1),
        (made.as_query_engine(MockLLM(), show_pages=False).query("mill").source_nodes, 0),
    ):
        assert found
        assert {each.node.get_content(MetadataMode.LLM).count(f"{name}_start: ") for each in found} == {count}


@pytest.mark.parametrize("budget", [100, 180, 250])
def test_a_passage_says_its_own_headings_where_those_of_its_parent_are_long(budget: int) -> None:
    title = "The complete handbook of the island for keepers, visitors and other friends of the light"
    things = ["ferry", "bees", "pump", "lamp", "mill", "quay"]
    sections = [
        f"## How the {name} is looked after, by whom, and in which month of the year this is done\n\nThe {name} is "
        f"looked after by the keeper. Every year the {name} is painted in spring before the visitors come.\n\n"
        f"### Rules of the {name}\n\nA child may see the {name} only with a grown person. If the {name} is broken, "
        f"ring the bell twice and wait at the harbour until the keeper has come down."
        for name in things
    ]
    made = HierarchyIndex(embed_model=StaticEmbedding())
    made.upsert([Document(text="\n\n".join([f"# {title}", *sections]), id_="island.md")])
    seen = 0
    for name in things:
        for found in made.as_retriever(budget=budget).retrieve(f"Who looks after the {name}, and is it painted?"):
            first = re.match("##+ (.*)", found.text)
            if first is not None:
                seen += 1
                assert found.node.metadata["headings"].split(" > ")[-1] == first[1]
                assert title in found.node.metadata["headings"]
    assert seen > 3
