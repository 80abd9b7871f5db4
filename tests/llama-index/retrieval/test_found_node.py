"""Why a node was found: by vectors, words and documents, in which field, and after what others do with it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from fakes.llama_index.embeddings import Words
from fakes.llama_index.indexes import documents, index
from llama_index.core import Document, MockEmbedding
from llama_index.core.llms import MockLLM
from llama_index.core.node_parser import SentenceSplitter
from llama_index.core.postprocessor import LongContextReorder, SimilarityPostprocessor
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.retrievers import QueryFusionRetriever
from llama_index.core.schema import (
    BaseNode,
    MetadataMode,
    NodeRelationship,
    NodeWithScore,
    RelatedNodeInfo,
    TextNode,
    TransformComponent,
)
from llama_index.core.storage.docstore import SimpleDocumentStore
from llama_index.core.storage.docstore.keyval_docstore import KVDocumentStore
from llama_index.core.vector_stores import MetadataFilter, MetadataFilters, SimpleVectorStore

from caesura_retrieval.ranking import Evidence
from llama_index.node_parser.caesura import (
    BM25Retriever,
    FoundNode,
    HierarchyIndex,
    SemanticHierarchyParser,
    SQLiteDocumentStore,
)

FARES = "# Fares\n\nAdults pay nine coins on the ferry."
BEES = "# Bees\n\nThe keeper sells honey in May."


class AsGiven(TransformComponent):
    def __call__(self, nodes: Sequence[BaseNode], **_: Any) -> Sequence[BaseNode]:
        return nodes


def made(**settings: Any) -> HierarchyIndex:
    made = index(**{"transformations": [SentenceSplitter()], **settings})
    made.upsert(
        [
            Document(text=FARES, id_="fares", metadata={"title": "Zanzibar timetable", "file_name": "z-2018.txt"}),
            Document(text=BEES, id_="bees"),
        ]
    )
    return made


def why(each: NodeWithScore) -> Evidence:
    assert isinstance(each, FoundNode)
    return each.evidence


def test_what_is_found_by_words_says_which_and_where() -> None:
    first, *_ = made().as_retriever().retrieve("What ferries to Zanzibar cost: fares in 2018?")
    assert first.node.ref_doc_id == "fares"
    assert why(first).found == {"text": ("ferries", "fares"), "headings": ("fares",), "title": ("Zanzibar", "2018")}
    assert why(first).words == 1
    assert first.score == why(first).score > 0


def test_what_is_found_by_vectors_alone_says_so() -> None:
    for settings, query in (({"words": 0}, "keeper honey"), ({}, "qqq")):
        found = made().as_retriever(**settings).retrieve(query)
        assert found
        assert [(why(each).words, why(each).found) for each in found] == [(0, {})] * len(found)
        assert why(found[0]).vectors == 1


def test_what_is_found_by_words_alone_says_so() -> None:
    first, *_ = made(embed_model=MockEmbedding(embed_dim=3)).as_retriever(words=100).retrieve("honey")
    assert (first.node.ref_doc_id, why(first).words, why(first).found) == ("bees", 1, {"text": ("honey",)})
    first, *_ = BM25Retriever(index=made()).retrieve("Zanzibar ferry")
    assert (why(first).score, why(first).vectors, why(first).words) == (1, 0, 1)
    assert why(first).found == {"text": ("ferry",), "title": ("Zanzibar",)}


def test_headings_that_a_filter_may_hide_are_not_said() -> None:
    parts = [("# Zanzibar", "secret"), ("The ferry leaves at nine.", "open")]
    nodes = [
        TextNode(text=text, metadata={"kind": kind}, start_char_idx=at * 12, end_char_idx=at * 12 + len(text))
        for at, (text, kind) in enumerate(parts)
    ]
    for node in nodes:
        node.relationships = {NodeRelationship.SOURCE: RelatedNodeInfo(node_id="doc")}
    wanted = MetadataFilters(filters=[MetadataFilter(key="kind", value="open")])
    for filters, said in ((None, {"text", "headings"}), (wanted, {"text"})):
        first = next(
            each
            for each in BM25Retriever(nodes, filters=filters).retrieve("When does the ferry to Zanzibar leave?")
            if each.node.metadata["kind"] == "open"
        )
        assert why(first).found.keys() == said
    many = index(transformations=[AsGiven()])
    many.upsert(nodes)
    for options, said in (({}, {"text", "headings"}), ({"filters": wanted}, {"text"})):
        found = many.as_retriever(**options).retrieve("When does the ferry to Zanzibar leave?")
        assert set[str]().union(*(why(each).found for each in found)) == said


def test_a_document_of_which_much_was_found_is_named() -> None:
    many = index(transformations=[SentenceSplitter(chunk_size=20, chunk_overlap=0)])
    lamps = " ".join(f"Lamp number {n} burns in the tower at night." for n in range(9))
    many.upsert([Document(text=lamps, id_="lamps"), Document(text="One lamp is for sale.", id_="sale")])
    found = {each.node.ref_doc_id: why(each) for each in many.as_retriever(40).retrieve("Where do lamps burn?")}
    assert found["lamps"].document == 1
    assert all(own.document < 1 for name, own in found.items() if name != "lamps")


def test_the_words_of_a_passage_are_those_of_all_that_was_found_in_it() -> None:
    many = index()
    many.upsert(documents())
    found = many.as_retriever(1000).retrieve("Knead the dough until it is smooth")
    assert {"Knead", "dough", "smooth"} <= {word for each in found for word in why(each).found.get("text", ())}
    for each in found:
        assert all(word[:4].lower() in each.text.lower() for word in why(each).found.get("text", ()))


@pytest.mark.parametrize("copied", [deepcopy, lambda each: each.model_copy(), lambda each: each.model_copy(deep=True)])
def test_a_copy_says_the_same(copied: Any) -> None:
    first, *_ = made().as_retriever().retrieve("ferry")
    again = copied(first)
    assert again == first
    assert why(again) == why(first)


def test_it_can_be_written_as_json() -> None:
    first, *_ = made().as_retriever().retrieve("ferry to Zanzibar")
    said = json.loads(json.dumps(first.to_dict()))["evidence"]
    assert said["found"] == {"text": ["ferry"], "title": ["Zanzibar"]}
    assert (said["vectors"], said["score"]) == (why(first).vectors, first.score)


def test_postprocessors_fusion_and_answers_keep_it() -> None:
    retriever = made().as_retriever()
    steps = [SimilarityPostprocessor(similarity_cutoff=0.01), LongContextReorder()]
    engine = RetrieverQueryEngine.from_args(retriever, llm=MockLLM(), node_postprocessors=steps)
    assert all(why(each) for each in engine.query("ferry to Zanzibar").source_nodes)
    words = BM25Retriever([TextNode(text="Another ferry.")])
    fused = QueryFusionRetriever([retriever, words], llm=MockLLM(), num_queries=1, use_async=False)
    assert all(why(each) for each in fused.retrieve("ferry to Zanzibar"))


async def test_awaited_it_says_the_same() -> None:
    retriever = made(embed_model=Words()).as_retriever()
    found, awaited = retriever.retrieve("ferry to Zanzibar"), await retriever.aretrieve("ferry to Zanzibar")
    assert [why(each) for each in found] == [why(each) for each in awaited]


@pytest.mark.parametrize("headings", [{}, {"metadata": ["headings"]}], ids=["plain", "with headings"])
def test_a_passage_says_the_title_of_its_document_and_no_model_is_shown_it(headings: dict[str, Any]) -> None:
    own = index(transformations=[SemanticHierarchyParser(chunk_sizes=[300, 60], **headings)])
    fares = f"# Fares\n\n{'Adults pay nine coins. ' * 9}\n\n## Children\n\n{'A child pays two coins. ' * 9}"
    bees, said = "The keeper sells honey in May.", {"title": "Of bees"}
    own.upsert(
        [
            Document(text=fares, id_="fares", metadata={"file_path": "/data/f.md"}),
            Document(text=bees, id_="bees", metadata=said),
            Document(text="Honey costs two coins.", id_="honey", metadata={"file_path": "/data/h.md"}),
        ]
    )
    wanted = {"fares": "Fares", "bees": "Of bees", "honey": "h.md"}
    found = own.as_retriever(budget=200).retrieve("What does a child pay, and what does honey cost in May?")
    assert {each.node.ref_doc_id: each.node.metadata["title"] for each in found} == wanted
    for each in found:
        assert ("title:" in each.node.get_metadata_str(MetadataMode.LLM)) is (each.node.ref_doc_id == "bees")
    for each in BM25Retriever(index=own).retrieve("honey coins"):
        if each.node.ref_doc_id != "fares":
            assert each.node.metadata["title"] == wanted[each.node.ref_doc_id or ""]


@pytest.mark.parametrize("budget", [400, None])
async def test_all_passages_of_a_document_say_the_title_that_its_text_begins_with(budget: int | None) -> None:
    own = index(transformations=[SemanticHierarchyParser(chunk_sizes=[300, 60])])
    days = "".join(f"## Day {n}\n\n{f'The ferry of day {n} leaves at noon. ' * 30}\n\n" for n in range(6))
    own.upsert(
        [
            Document(text=f"# Fares\n\n{days}", id_="a", metadata={"file_path": "/data/f.md"}),
            Document(text=days, id_="b", metadata={"file_path": "/data/g.md"}),
        ]
    )
    retriever = own.as_retriever(budget=budget)
    for found in (retriever.retrieve("ferry of day 5"), await retriever.aretrieve("ferry of day 5")):
        titles = {(each.node.ref_doc_id, each.node.metadata["title"]) for each in found}
        assert titles == {("a", "Fares"), ("b", "g.md")}
        assert not all(each.text.startswith("# Fares") for each in found if each.node.ref_doc_id == "a")


@pytest.mark.parametrize("budget", [None, 500])
@pytest.mark.parametrize("is_file", [True, False])
def test_the_title_of_a_long_document_is_found_without_the_list_of_its_nodes(
    budget: int | None, is_file: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any) -> None:
        raise AssertionError("the list is as long as the document")

    def found() -> str:
        with monkeypatch.context() as patch:
            patch.setattr(KVDocumentStore, "get_ref_doc_info", refuse)
            [each] = made.as_retriever(budget=budget, similarity_top_k=1).retrieve("What does the keeper sell?")
        assert isinstance(each.node, TextNode)
        assert each.node.start_char_idx
        return str(each.node.metadata["title"])

    docstore = SQLiteDocumentStore(tmp_path / "nodes.db") if is_file else SimpleDocumentStore()
    made = index(vector_store=SimpleVectorStore(), docstore=docstore)
    rest = "\n\n".join([*(f"## Part {number}\n\nNothing {number} to tell." for number in range(90)), BEES])
    for title in ("Isles", "Harbours"):
        made.upsert([Document(text=f"# {title}\n\nA guide.\n\n{rest}", id_="guide")])
        assert found() == title


def test_a_title_in_a_text_that_a_filter_may_hide_is_not_said() -> None:
    own = index(transformations=[SemanticHierarchyParser(chunk_sizes=[300, 60])])
    own.upsert([Document(text=FARES, id_="fares", metadata={"file_path": "/data/f.md", "kind": "open"})])
    wanted = MetadataFilters(filters=[MetadataFilter(key="kind", value="open")])
    (each,) = own.as_retriever(budget=200, filters=wanted).retrieve("What do adults pay?")
    assert each.node.metadata["title"] == "f.md"
