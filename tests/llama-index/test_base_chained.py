"""After another parser, and after itself: places in the root document, or none."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from fakes.llama_index.parsers import ARTICLE, REPEATED, linked, parsers, slices
from llama_index.core import Document
from llama_index.core.ingestion import IngestionPipeline
from llama_index.core.node_parser import TokenTextSplitter
from llama_index.core.schema import NodeRelationship, RelatedNodeInfo, TextNode


def part(text: str, start: int | None, end: int | None) -> TextNode:
    """A node that says it is this part of document "root"."""
    source = {NodeRelationship.SOURCE: RelatedNodeInfo(node_id="root")}
    return TextNode(text=text, start_char_idx=start, end_char_idx=end, relationships=source)


@parsers
@pytest.mark.parametrize("text", [ARTICLE, "Yes. No. " * 40], ids=["article", "repeated"])
def test_after_a_splitter_of_tokens_places_are_in_the_document(parser: Any, text: str) -> None:
    document = Document(text=text, id_="root", metadata={"title": "t"})
    first = TokenTextSplitter(chunk_size=40, chunk_overlap=0)([document])
    assert len(first) > 1
    nodes = parser(chunk_size=12)(first)
    for node in nodes:
        assert text[node.start_char_idx : node.end_char_idx] == node.text
        assert node.ref_doc_id == "root"
        assert node.metadata == {"title": "t"}
    linked(nodes)


@parsers
def test_after_itself_places_are_in_the_document(parser: Any) -> None:
    documents = [Document(text=text, id_=name) for name, text in (("a", ARTICLE), ("b", REPEATED), ("c", " "))]
    nodes = parser(chunk_size=10)(parser(chunk_size=40)(documents))
    for document in documents[:2]:
        own = [node for node in nodes if node.ref_doc_id == document.id_]
        slices(document, own)
        linked(own)


@parsers
def test_three_in_a_row_keep_places_and_root(parser: Any) -> None:
    document = Document(text=ARTICLE, id_="root")
    chain = [parser(chunk_size=80), parser(chunk_size=40), parser(chunk_size=10)]
    nodes = IngestionPipeline(transformations=chain, disable_cache=True).run(documents=[document])
    slices(document, nodes)
    linked(nodes)
    assert {node.ref_doc_id for node in nodes} == {"root"}


@parsers
def test_ids_of_a_chain_are_distinct_and_stable(parser: Any) -> None:
    first, again = (parser(chunk_size=6)(parser(chunk_size=40)([Document(text=REPEATED, id_="r")])) for _ in range(2))
    ids = [node.node_id for node in first]
    assert ids == [node.node_id for node in again]
    assert len(set(ids)) == len(ids)


@parsers
@pytest.mark.parametrize(("start", "end"), [(0, 5), (7, 8), (None, None), (3, None)])
def test_a_place_that_does_not_fit_the_text_is_not_guessed_from(parser: Any, start: Any, end: Any) -> None:
    for made in parser(chunk_size=8)([part(REPEATED, start, end)]):
        assert (made.start_char_idx, made.end_char_idx) == (None, None)
        assert made.ref_doc_id == "root"


@parsers
def test_a_place_that_fits_is_added(parser: Any) -> None:
    for made in parser(chunk_size=8)([part(REPEATED, 1000, 1000 + len(REPEATED))]):
        assert REPEATED[made.start_char_idx - 1000 : made.end_char_idx - 1000] == made.text


@parsers
def test_a_text_that_a_transformation_changed_in_between_has_no_place(parser: Any) -> None:
    nodes = parser(chunk_size=60)([Document(text=ARTICLE, id_="root")])
    for node in nodes:
        node.text = "Header. " + node.text
    assert {made.start_char_idx for made in parser(chunk_size=20)(nodes)} == {None}


@parsers
def test_a_node_without_a_source_is_its_own_document(parser: Any) -> None:
    node = TextNode(text=REPEATED, id_="n")
    made = parser(chunk_size=8)([node])
    for each in made:
        assert REPEATED[each.start_char_idx : each.end_char_idx] == each.text
        assert each.ref_doc_id == "n"


@parsers
def test_neighbours_of_different_documents_are_not_linked(parser: Any) -> None:
    nodes = parser(chunk_size=20)([Document(text=ARTICLE, id_="a"), Document(text=ARTICLE, id_="b")])
    for node, following in pairwise(nodes):
        if node.ref_doc_id != following.ref_doc_id:
            assert node.next_node is None
            assert following.prev_node is None


@parsers
def test_without_prev_next_there_is_only_the_source(parser: Any) -> None:
    made = parser(chunk_size=20, include_prev_next_rel=False)
    for nodes in (made([Document(text=ARTICLE)]), made(made([Document(text=ARTICLE)]))):
        assert {key for node in nodes for key in node.relationships} == {NodeRelationship.SOURCE}


@parsers
def test_nodes_of_one_root_with_a_blank_one_between_are_one_chain(parser: Any) -> None:
    nodes = parser(chunk_size=5)([part("One two three. ", 0, 15), part("  \n", 15, 18), part("Four five six.", 18, 32)])
    linked(nodes)
    assert nodes[-1].end_char_idx == 32
