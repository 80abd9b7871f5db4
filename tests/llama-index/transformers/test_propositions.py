"""Propositions are nodes that know the exact places they rest on, and their document."""

from __future__ import annotations

import pytest
from fakes.llama_index.llms import Plain, hows, made
from fakes.llama_index.parsers import ARTICLE, at_lines, numbered
from llama_index.core import Document
from llama_index.core.schema import NodeRelationship, TextNode

from caesura import SettingError
from caesura_llm.prompts import Prompt
from llama_index.node_parser.caesura import PropositionTransformer, spans_of

META = {"title": "Three things", "source": "a.txt", "spans": "of a bridge", "topic": "mixed"}
ONE = [Document(text=ARTICLE, id_="a", metadata=META, excluded_llm_metadata_keys=["source"])]
TEA = Document(text="Anna has tea. It is hot. She likes it.", id_="tea")


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


def test_a_place_that_is_not_known_is_not_guessed() -> None:
    chunk = TextNode(
        text="Anna has tea. It is hot.", id_="c", relationships={NodeRelationship.SOURCE: TEA.as_related_node_info()}
    )
    nodes = PropositionTransformer(Plain())([chunk])
    assert [(node.start_char_idx, spans_of(node), node.ref_doc_id) for node in nodes] == [(None, (), "tea")] * 2
    assert len({node.node_id for node in nodes}) == 2


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
