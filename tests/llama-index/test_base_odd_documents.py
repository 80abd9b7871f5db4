"""Documents that are odd give odd nodes or none, and lose nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from fakes.documents.metadata import CYCLIC, DEEP
from fakes.llama_index.embeddings import Words
from fakes.llama_index.parsers import ARTICLE, linked, parsers, sizes, slices
from llama_index.core import Document
from llama_index.core.schema import ImageDocument, TextNode
from llama_index.core.utils import get_tokenizer

from caesura import SettingError
from llama_index.node_parser.caesura import SemanticPercentileSplitter


@parsers
@pytest.mark.parametrize("text", ["", " ", "\n\n \t\r\n", "\u00a0\u3000\u2028", "\x1c\x1f"])
def test_a_blank_document_gives_no_nodes_and_stops_no_other(parser: Any, text: str) -> None:
    made = parser(embed_model=Words())
    assert made([Document(text=text)]) == []
    assert made.embed_model.all_calls == []
    good = Document(text=ARTICLE, id_="good")
    nodes = made([Document(text=text), good, Document(text=text)])
    assert {node.ref_doc_id for node in nodes} == {"good"}
    slices(good, nodes)
    linked(nodes)


@parsers
def test_a_document_without_a_text_gives_no_nodes(parser: Any) -> None:
    assert parser()([Document()]) == []


@pytest.mark.thorough
@parsers
@pytest.mark.parametrize("letter", ["x", "word ", "\u4e2d", "-", "ab,"])
def test_a_line_without_a_full_stop_is_cut_to_size(parser: Any, letter: str) -> None:
    document = Document(text=(letter * 100_000)[:100_000])
    model = Words()
    nodes = parser(embed_model=model, chunk_size=256)([document])
    slices(document, nodes)
    assert max(sizes(nodes, get_tokenizer())) <= 256
    assert max(len(get_tokenizer()(text)) for call in model.calls for text in call) <= 256


@parsers
def test_lone_surrogates_stay_in_the_node_and_are_not_embedded(parser: Any) -> None:
    model = Words()
    node = TextNode(text="One \ud800 two. Three \udc00. " * 20)
    nodes = parser(embed_model=model, chunk_size=16)([node])
    slices(node, nodes)
    assert "\ud800" in nodes[0].text
    "".join(text for call in model.calls for text in call).encode()


@parsers
def test_a_document_that_llama_index_cannot_hash_is_named_before_anything_is_embedded(parser: Any) -> None:
    model = Words()
    with pytest.raises(SettingError, match=r"(?s)'odd'.*surrogate|surrogate.*'odd'"):
        parser(embed_model=model)([Document(text=ARTICLE), Document(text="a \ud800 b", id_="odd")])
    assert model.calls == []


@parsers
def test_an_image_keeps_its_image(parser: Any) -> None:
    document = ImageDocument(text=ARTICLE, image="aGVsbG8=", id_="image")
    nodes = parser(chunk_size=40)([document])
    assert {node.image for node in nodes} == {"aGVsbG8="}
    slices(document, nodes)


def test_as_many_chunks_as_asked_for_or_as_there_are_sentences() -> None:
    document = Document(text="One. Two. Three. Four. Five. Six.")
    for number in (1, 2, 3, 6, 100):
        made = SemanticPercentileSplitter(number_of_chunks=number, embed_model=Words())
        assert len(made([document])) == min(number, 6)


@parsers
@pytest.mark.parametrize("include_metadata", [True, False])
@pytest.mark.parametrize("value", [*CYCLIC.values(), *DEEP.values()], ids=[*CYCLIC, *DEEP])
def test_metadata_without_an_end_is_named_before_anything_is_embedded(
    parser: Any, value: Callable[[], Any], include_metadata: bool
) -> None:
    model = Words()
    document = Document(text=ARTICLE, id_="odd", metadata={"page": 7, "bad": value()})
    with pytest.raises(SettingError, match=r"metadata 'bad' of document 'odd' must not hold itself or .* leave it out"):
        parser(embed_model=model, include_metadata=include_metadata)([Document(text=ARTICLE), document])
    assert model.calls == []
