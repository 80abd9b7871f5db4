"""Propositions are nodes that know the exact places they rest on, their document, and their passage if it comes too."""

from __future__ import annotations

import json
from typing import Any

import pytest
from llama_index.core import Document
from llama_index.core.node_parser import SentenceSplitter
from llama_index.core.schema import ImageNode, IndexNode, NodeRelationship, TextNode
from llama_index_fakes import ARTICLE, at_lines, content, numbered
from llama_index_llm_fakes import Plain, hows, made

from caesura import SettingError
from caesura.llm.prompts import Prompt
from llama_index.node_parser.caesura import (
    HierarchyIndex,
    PropositionTransformer,
    SemanticHierarchyParser,
    StaticEmbedding,
    SummaryTransformer,
    spans_of,
)

META = {"title": "Three things", "source": "a.txt", "spans": "of a bridge", "topic": "mixed"}
ONE = [Document(text=ARTICLE, id_="a", metadata=META, excluded_llm_metadata_keys=["source"])]
TEA = Document(text="Anna has tea. It is hot. She likes it.", id_="tea")


class Says(Plain):
    """An LLM that says of every passage what it is told to."""

    propositions: list[Any]

    def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> Any:
        found = super().complete("\nuser: ")
        found.text = json.dumps({"passages": [{"number": 1, "propositions": self.propositions}]})
        return found


@hows
def test_each_rests_on_exact_places_of_its_document(how: str) -> None:
    nodes = made(PropositionTransformer(Plain()), how, ONE)
    assert len(nodes) == 12
    for node in nodes:
        (span,) = spans_of(node)
        assert (node.start_char_idx, node.end_char_idx) == span
        assert ARTICLE[span.start : span.end] == node.text
        assert node.source_node is not None
        assert (node.ref_doc_id, node.source_node.metadata) == ("a", META)
        assert node.parent_node is None
        place = {"spans": f"{span.start}-{span.end}"}
        assert node.metadata == META | {"view": "proposition", "kept": False} | place
    assert nodes[0].get_content("llm") == "title: Three things\ntopic: mixed\n\n" + nodes[0].text
    assert nodes[0].get_content("embed") == "title: Three things\nsource: a.txt\ntopic: mixed\n\n" + nodes[0].text


def test_one_that_rests_on_sentences_apart_has_them_all_and_their_hull() -> None:
    says = [{"text": "Anna likes her tea.", "sentences": [3, 1]}, {"text": "Anna's tea is hot.", "sentences": [1, 2]}]
    parser = PropositionTransformer(Says(propositions=says))
    apart, together = parser([TEA])
    assert [TEA.text[a:b] for a, b in spans_of(apart)] == ["Anna has tea.", "She likes it."]
    assert (apart.start_char_idx, apart.end_char_idx) == (0, len(TEA.text))
    assert [TEA.text[a:b] for a, b in spans_of(together)] == ["Anna has tea. It is hot."]
    assert parser.uncovered == {}


def test_sentences_that_none_rests_on_are_told() -> None:
    parser = PropositionTransformer(Says(propositions=[{"text": "Anna's tea is hot.", "sentences": [2]}]))
    parser([TEA])
    assert {name: [TEA.text[a:b] for a, b in spans] for name, spans in parser.uncovered.items()} == {
        "tea": ["Anna has tea.", "She likes it."]
    }


def test_a_sentence_that_one_of_two_overlapping_passages_covers_is_covered() -> None:
    chunks = SentenceSplitter(chunk_size=10, chunk_overlap=5, include_metadata=False)([TEA])
    assert [chunk.text for chunk in chunks] == ["Anna has tea. It is hot.", "It is hot. She likes it."]
    parser = PropositionTransformer(Says(propositions=[{"text": "Tea.", "sentences": [1]}]))
    parser(chunks)
    assert {name: [TEA.text[a:b] for a, b in spans] for name, spans in parser.uncovered.items()} == {
        "tea": ["She likes it."]
    }


@hows
def test_passages_come_before_their_propositions_as_parents(how: str) -> None:
    nodes = made(PropositionTransformer(Plain(), include_passages=True), how, ONE)
    parents = {node.node_id: node for node in nodes if node.child_nodes}
    assert [node.text[:5] for node in parents.values()] == ["The l", "Bread", "A par"]
    for node in nodes:
        if node.node_id in parents:
            children = [info.node_id for info in node.child_nodes or []]
            at = nodes.index(node)
            assert [one.node_id for one in nodes[at + 1 : at + 1 + len(children)]] == children
        else:
            assert node.parent_node is not None
            parent = parents[node.parent_node.node_id]
            assert parent.start_char_idx <= node.start_char_idx < node.end_char_idx <= parent.end_char_idx
    small = [node for node in nodes if not node.child_nodes]
    assert [node.next_node and node.next_node.node_id for node in small] == [
        *(node.node_id for node in small[1:]),
        None,
    ]


def test_an_index_searches_propositions_and_returns_passages() -> None:
    index = HierarchyIndex(
        transformations=[PropositionTransformer(Plain(), include_passages=True)], embed_model=StaticEmbedding()
    )
    index.upsert(ONE)
    found = index.as_retriever(similarity_top_k=4, merge_ratio=0.5).retrieve("Who bakes bread with yeast and flour?")
    assert found[0].node.text.startswith("Bread needs flour")
    assert found[0].node.text.endswith("is brown.")
    assert index.upsert(ONE).unchanged == 1


@hows
def test_nodes_of_any_parser_are_passages_as_they_are(how: str) -> None:
    chunks = SentenceSplitter(chunk_size=40, chunk_overlap=25, include_metadata=False)(ONE)
    assert sum(len(chunk.text) for chunk in chunks) > 1.1 * len(ARTICLE)  # they overlap
    before = content(chunks)
    nodes = made(PropositionTransformer(Plain(), include_passages=True), how, chunks)
    assert content(chunks) == before
    assert [node.node_id for node in nodes if node.child_nodes] == [chunk.node_id for chunk in chunks]
    small = [node for node in nodes if not node.child_nodes]
    assert len({node.node_id for node in nodes}) == len(nodes)
    assert [(ARTICLE[node.start_char_idx : node.end_char_idx], node.ref_doc_id) for node in small] == [
        (node.text, "a") for node in small
    ]


def test_without_a_splitter_a_document_is_one_passage() -> None:
    nodes = PropositionTransformer(Plain(), splitter=None, include_passages=True)(
        [Document(text=f"\n {ARTICLE}", id_="a")]
    )
    (parent,) = [node for node in nodes if node.child_nodes]
    assert (parent.text, parent.start_char_idx, parent.ref_doc_id) == (ARTICLE.strip(), 2, "a")
    assert nodes[1].start_char_idx == 2


def test_a_place_that_is_not_known_is_not_guessed() -> None:
    chunk = TextNode(
        text="Anna has tea. It is hot.", id_="c", relationships={NodeRelationship.SOURCE: TEA.as_related_node_info()}
    )
    nodes = PropositionTransformer(Plain())([chunk])
    assert [(node.start_char_idx, spans_of(node), node.ref_doc_id) for node in nodes] == [(None, (), "tea")] * 2
    assert len({node.node_id for node in nodes}) == 2


def test_references_pictures_and_parents_go_through() -> None:
    chunks = SummaryTransformer(Plain())(ONE)
    picture = ImageNode(image_url="https://a.b/c.png", id_="picture")
    nodes = PropositionTransformer(Plain())([*chunks, picture])
    references = [node for node in chunks if isinstance(node, IndexNode)]
    assert [node for node in nodes if isinstance(node, IndexNode)] == references
    assert nodes[-1] is picture
    levels = SemanticHierarchyParser(chunk_sizes=[400, 50])(ONE)
    nodes = PropositionTransformer(Plain(), include_passages=True)(levels)
    assert [node.node_id for node in nodes if node.metadata.get("view") is None] == [node.node_id for node in levels]


@hows
def test_empty_documents_cost_nothing_and_give_nothing(how: str) -> None:
    parser = PropositionTransformer(Plain())
    assert made(parser, how, []) == []
    assert made(parser, how, [Document(text=" \n"), Document(text="")]) == []
    assert parser.report is not None
    assert parser.report.calls == 0


def test_ids_are_of_document_place_and_text() -> None:
    ids = [node.node_id for node in PropositionTransformer(Plain())(ONE)]
    assert ids == [node.node_id for node in PropositionTransformer(Plain(), splitter=None)(ONE)]
    assert not {*ids} & {node.node_id for node in PropositionTransformer(Plain())([Document(text=ARTICLE, id_="b")])}
    own = PropositionTransformer(Plain(), splitter=None, id_func=numbered)(ONE)
    assert [node.node_id.rpartition("/")[2] for node in own] == [str(k) for k in range(12)]


def test_what_is_numbered_and_what_is_told_are_settings() -> None:
    nodes = PropositionTransformer(Plain(), sentence_splitter=at_lines)(ONE)
    assert [node.text.count(".") for node in nodes] == [4, 4, 4]
    with pytest.raises(ValueError, match="budget"):
        PropositionTransformer(Plain(), budget=0)
    own = Prompt("mine", "1", 'Say nothing. {"propositions": []}')
    assert PropositionTransformer(Plain(), prompt=own).to_dict()["prompt"]["text"] == own.text
    with pytest.raises(SettingError, match="0-6 8-9"):
        spans_of(TextNode(text="a", metadata={"spans": "of a bridge"}))
