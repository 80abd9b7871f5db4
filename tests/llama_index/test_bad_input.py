"""Odd documents give odd nodes or none; settings out of range are refused at the door, by their own names."""

from __future__ import annotations

from typing import Any

import pytest
from llama_index.core import Document
from llama_index.core.schema import ImageDocument, TextNode
from llama_index.core.utils import get_tokenizer
from llama_index_embedding_fakes import Words
from llama_index_fakes import ARTICLE, at_lines, flat, linked, parsers, sizes, slices

from caesura import SettingError
from llama_index.node_parser.caesura import (
    ClusterSemanticSplitter,
    DoublePassSemanticSplitter,
    OptimalSemanticSplitter,
    SemanticPercentileSplitter,
)


@parsers
@pytest.mark.parametrize("text", ["", " ", "\n\n \t\r\n", "\u00a0\u3000\u2028", "\x1c\x1f"])
def test_a_blank_document_gives_no_nodes_and_stops_no_other(parser: Any, text: str) -> None:
    made = parser(embed_model=Words())
    assert made([Document(text=text)]) == []
    assert made.embed_model._calls == []
    good = Document(text=ARTICLE, id_="good")
    nodes = made([Document(text=text), good, Document(text=text)])
    assert {node.ref_doc_id for node in nodes} == {"good"}
    slices(good, nodes)
    linked(nodes)


@parsers
def test_a_document_without_a_text_gives_no_nodes(parser: Any) -> None:
    assert parser()([Document()]) == []


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
def test_nul_is_a_character_like_others(parser: Any) -> None:
    document = Document(text="One\x00two. Three\x00. \x00 Four." * 20)
    nodes = parser(chunk_size=16)([document])
    slices(document, nodes)
    assert "\x00" in nodes[0].text


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


@parsers
@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"chunk_size": 0}, "chunk_size"),
        ({"chunk_size": -5}, "chunk_size"),
        ({"chunk_size": 2.5}, "chunk_size"),
        ({"chunk_size": "many"}, "chunk_size"),
        ({"min_chunk_size": -1}, "min_chunk_size"),
        ({"min_chunk_size": -1, "chunk_size": None}, "min_chunk_size"),
        ({"chunk_size": 10, "min_chunk_size": 11}, "min_chunk_size"),
        ({"background": []}, "background"),
        ({"background": [1.0, float("nan")]}, "background"),
        ({"background": [1.0], "calibrated": False}, "background"),
        ({"tokenizer": "cl100k_base"}, "tokenizer"),
        ({"sentence_splitter": ". "}, "sentence_splitter"),
        ({"id_func": "uuid"}, "id_func"),
        ({"embed_model": "local"}, "embed_model"),
        ({"embed_model": 3}, "embed_model"),
    ],
)
def test_a_setting_out_of_range_is_refused_by_name(parser: Any, settings: dict[str, Any], named: str) -> None:
    with pytest.raises(ValueError, match=named):
        parser(**settings)


@pytest.mark.parametrize("name", ["initial_threshold", "appending_threshold", "merging_threshold"])
@pytest.mark.parametrize("value", [1.01, -1.5, float("nan"), float("inf"), "high"])
def test_a_threshold_out_of_range_is_refused_by_name(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=name):
        DoublePassSemanticSplitter(**{name: value})


@pytest.mark.parametrize(
    ("parser", "settings", "named"),
    [
        (OptimalSemanticSplitter, {"penalty": -1}, "penalty"),
        (OptimalSemanticSplitter, {"n_chunks": 0}, "n_chunks"),
        (OptimalSemanticSplitter, {"target_size": 513}, "target_size=513 must not be over chunk_size=512"),
        (OptimalSemanticSplitter, {"structure": -1}, "structure"),
        (OptimalSemanticSplitter, {"penalty": 1, "n_chunks": 2}, "exclude one another"),
        (ClusterSemanticSplitter, {"linkage": "single"}, "linkage"),
        (ClusterSemanticSplitter, {"stop": "knee"}, "stop"),
        (ClusterSemanticSplitter, {"n_clusters": 0}, "n_clusters"),
        (ClusterSemanticSplitter, {"distance_threshold": -1}, "distance_threshold"),
        (ClusterSemanticSplitter, {"distance_threshold": 1, "stop": "elbow"}, "exclude one another"),
    ],
)
def test_a_cut_that_cannot_be_is_refused_by_name(parser: Any, settings: dict[str, Any], named: str) -> None:
    with pytest.raises(ValueError, match=named):
        parser(**settings)


@pytest.mark.parametrize("value", [-1, 1.5])
def test_a_look_ahead_out_of_range_is_refused_by_name(value: Any) -> None:
    with pytest.raises(ValueError, match="look_ahead"):
        DoublePassSemanticSplitter(look_ahead=value)


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"breakpoint_threshold_type": "median"}, "breakpoint_threshold_type"),
        ({"breakpoint_threshold_amount": 101}, "breakpoint_threshold_amount"),
        ({"breakpoint_threshold_amount": -1}, "breakpoint_threshold_amount"),
        ({"breakpoint_threshold_amount": float("nan")}, "breakpoint_threshold_amount"),
        ({"breakpoint_threshold_type": "gradient", "breakpoint_threshold_amount": 101}, "breakpoint_threshold_amount"),
        ({"number_of_chunks": 0}, "number_of_chunks"),
        ({"number_of_chunks": -3}, "number_of_chunks"),
        ({"number_of_chunks": 3, "breakpoint_threshold_amount": 90}, "number_of_chunks"),
        ({"window": "sliding"}, "window"),
        ({"window_size": 0}, "window_size"),
        ({"window": "overlapping", "buffer_size": -1}, "buffer_size"),
        ({"window": "joined", "buffer_size": -1}, "buffer_size"),
        ({"window_size": 3, "buffer_size": 1}, "buffer_size"),
        ({"window": "joined", "window_size": 3, "buffer_size": 1}, "window_size"),
        ({"buffer_size": 1}, "buffer_size"),
        ({"window": "joined", "window_size": 3}, "window_size"),
        ({"window": "overlapping", "window_size": 3}, "window_size"),
    ],
)
def test_a_percentile_setting_out_of_range_is_refused_by_name(settings: dict[str, Any], named: str) -> None:
    with pytest.raises(ValueError, match=named):
        SemanticPercentileSplitter(**settings)


def test_as_many_chunks_as_asked_for_or_as_there_are_sentences() -> None:
    document = Document(text="One. Two. Three. Four. Five. Six.")
    for number in (1, 2, 3, 6, 100):
        made = SemanticPercentileSplitter(number_of_chunks=number, embed_model=Words())
        assert len(made([document])) == min(number, 6)


@parsers
def test_a_sentence_splitter_that_changes_the_text_is_told_where(parser: Any) -> None:
    with pytest.raises(ValueError, match=r"\^"):
        parser(sentence_splitter=lambda text: [text.upper()])([Document(text=ARTICLE)])


@parsers
def test_a_sentence_splitter_may_drop_whitespace_only(parser: Any) -> None:
    nodes = parser(sentence_splitter=at_lines)([Document(text=ARTICLE)])
    assert flat("".join(node.text for node in nodes)) == flat(ARTICLE)
