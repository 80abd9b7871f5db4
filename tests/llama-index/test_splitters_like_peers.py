"""`like_…` takes the peers' names, defaults and units, uncentred."""

from __future__ import annotations

from inspect import signature
from typing import Any

import pytest
from fakes.llama_index.embeddings import Words
from fakes.llama_index.parsers import ARTICLE, REPEATED, at_stops, sizes
from fakes.pages import ROOT
from llama_index.core import Document
from llama_index.core.node_parser import SemanticDoubleMergingSplitterNodeParser, SemanticSplitterNodeParser

from llama_index.node_parser.caesura import DoublePassSemanticSplitter, SemanticPercentileSplitter

LIKE: dict[str, tuple[Any, Any, dict[str, str]]] = {
    "double merging": (
        DoublePassSemanticSplitter.like_double_merging,
        SemanticDoubleMergingSplitterNodeParser,
        {"merging_range": "look_ahead", "max_chunk_size": "chunk_size"},
    ),
    "semantic splitter": (
        SemanticPercentileSplitter.like_semantic_splitter,
        SemanticSplitterNodeParser,
        {"breakpoint_percentile_threshold": "breakpoint_threshold_amount"},
    ),
}
OURS = {"embed_model", "sentence_splitter", "settings"}


@pytest.mark.parametrize("name", LIKE)
def test_names_and_defaults_are_the_peers(name: str) -> None:
    like, peer, renamed = LIKE[name]
    taken = signature(like).parameters
    made = like()
    for each in set(taken) - OURS:
        default = peer.model_fields[each].default
        assert taken[each].default == default
        assert getattr(made, renamed.get(each, each)) == default


def test_arguments_arrive() -> None:
    double = DoublePassSemanticSplitter.like_double_merging(
        Words(), initial_threshold=0.1, appending_threshold=0.2, merging_threshold=0.3, max_chunk_size=99,
        merging_range=2, sentence_splitter=at_stops, include_metadata=False, min_chunk_size=5,
    )  # fmt: skip
    wanted = {"initial_threshold": 0.1, "appending_threshold": 0.2, "merging_threshold": 0.3, "chunk_size": 99,
              "look_ahead": 2, "sentence_splitter": at_stops, "include_metadata": False,
              "min_chunk_size": 5}  # fmt: skip
    assert {name: getattr(double, name) for name in wanted} == wanted
    percentile = SemanticPercentileSplitter.like_semantic_splitter(
        embed_model="settings", buffer_size=2, breakpoint_percentile_threshold=80, chunk_size=100
    )
    assert (percentile.embed_model, percentile.chunk_size) == ("settings", 100)
    assert (percentile.window, percentile.buffer_size, percentile.breakpoint_threshold_amount) == ("joined", 2, 80)


@pytest.mark.parametrize("name", LIKE)
def test_nothing_is_centred(name: str) -> None:
    like, _, _ = LIKE[name]
    made = like(Words())
    assert not made.calibrated
    made([Document(text=ARTICLE)])
    assert made.embed_model.calibrations == 0


@pytest.mark.parametrize("name", LIKE)
@pytest.mark.parametrize("bogus", ["language_config", "merging_separator", "original_text_metadata_key"])
def test_what_a_peer_has_and_we_have_not_is_refused_by_name(name: str, bogus: str) -> None:
    with pytest.raises((TypeError, ValueError), match=bogus):
        LIKE[name][0](**{bogus: "x"})


@pytest.mark.parametrize("name", LIKE)
def test_they_survive_a_dict(name: str) -> None:
    made = LIKE[name][0]()
    assert type(made).from_dict(made.to_dict()).to_dict() == made.to_dict()


@pytest.mark.parametrize(("size", "metadata"), [(40, {}), (100, {}), (120, {"title": "t", "n": 1}), (1000, {})])
def test_the_size_of_double_merging_is_in_characters_metadata_counted(size: int, metadata: dict[str, Any]) -> None:
    made = DoublePassSemanticSplitter.like_double_merging(
        Words(), max_chunk_size=size, initial_threshold=-1, appending_threshold=-1, merging_threshold=-1
    )
    nodes = made([Document(text=ARTICLE * 3, metadata=metadata)])
    assert size / 3 < max(sizes(nodes, list)) <= size


def test_the_semantic_splitter_has_no_limit() -> None:
    (node,) = SemanticPercentileSplitter.like_semantic_splitter(Words())([Document(text="The same cat sat. " * 900)])
    assert len(node.text) > 16_000


@pytest.mark.parametrize("buffer_size", [0, 1, 2])
@pytest.mark.parametrize("amount", [50, 80, 95])
@pytest.mark.parametrize("text", [ARTICLE, ARTICLE * 2, ARTICLE + REPEATED], ids=["once", "twice", "repeated"])
def test_the_semantic_splitter_cuts_where_the_peer_does(buffer_size: int, amount: int, text: str) -> None:
    settings = {"buffer_size": buffer_size, "breakpoint_percentile_threshold": amount, "sentence_splitter": at_stops}
    document = Document(text=text)
    ours = SemanticPercentileSplitter.like_semantic_splitter(Words(), **settings)([document])
    theirs = SemanticSplitterNodeParser(embed_model=Words(), **settings)([document])
    assert [node.text for node in ours] == [node.text.strip() for node in theirs]


@pytest.mark.parametrize("page", ["README.md", "docs/splitters.md", "docs/recipes/pdf.md"])
def test_on_real_pages_the_semantic_splitter_cuts_where_the_peer_does_by_default(page: str) -> None:
    document = Document(text=(ROOT / page).read_text("utf-8"))
    ours = SemanticPercentileSplitter.like_semantic_splitter(Words())([document])
    theirs = SemanticSplitterNodeParser(embed_model=Words())([document])
    assert [node.text for node in ours] == [node.text.strip() for node in theirs]
    assert len(ours) > 1


def test_sentences_are_the_peers_by_default_and_ours_where_none_is_said() -> None:
    text = "Dr. A. Smith et al. wrote it. See Fig. 3 there. " + "\n".join(f"{n}. An item of a list" for n in range(9))
    made = SemanticPercentileSplitter.like_semantic_splitter(Words(), buffer_size=0, breakpoint_percentile_threshold=50)
    theirs = SemanticSplitterNodeParser(embed_model=Words(), buffer_size=0, breakpoint_percentile_threshold=50)
    document = Document(text=text)
    assert [node.text for node in made([document])] == [node.text.strip() for node in theirs([document])]
    assert type(made).from_dict({**made.to_dict(), "embed_model": Words()}).sentence_splitter is made.sentence_splitter
    ours = SemanticPercentileSplitter.like_semantic_splitter(
        Words(), buffer_size=0, breakpoint_percentile_threshold=50, sentence_splitter=None
    )
    assert [node.text for node in ours([document])] != [node.text for node in made([document])]
