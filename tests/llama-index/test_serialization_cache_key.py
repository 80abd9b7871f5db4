"""Every setting of a splitter, its class and the versions of what it works with change the pipeline's cache key."""

from __future__ import annotations

from itertools import combinations
from typing import Any

from fakes.llama_index.embeddings import Words
from fakes.llama_index.parsers import PARSERS, at_lines, at_stops, cache_key, letters, numbered, parsers
from llama_index.core.embeddings import MockEmbedding

from llama_index.node_parser.caesura import (
    ClusterSemanticSplitter,
    DoublePassSemanticSplitter,
    OptimalSemanticSplitter,
    SemanticPercentileSplitter,
)

SHARED: list[dict[str, Any]] = [
    {},
    {"embed_model": MockEmbedding(embed_dim=3)},
    {"embed_model": MockEmbedding(embed_dim=4)},
    {"embed_model": MockEmbedding(embed_dim=4, model_name="other")},
    {"embed_model": Words()},
    {"chunk_size": 511},
    {"chunk_size": None},
    {"target_size": 90},
    {"target_size": None},
    {"min_chunk_size": 5},
    {"embed_chunks": True},
    {"embed_chunks": True, "context": 0.4},
    {"calibrated": False},
    {"background": [1.0, 0.0]},
    {"background": [0.0, 1.0]},
    {"sentence_splitter": at_lines},
    {"sentence_splitter": at_stops},
    {"tokenizer": list},
    {"tokenizer": letters},
    {"cache_tag": "one"},
    {"cache_tag": "two"},
    {"include_metadata": False},
    {"metadata": ["headings"]},
    {"metadata": {"headings": "section"}},
    {"embed_headings": True},
    {"include_prev_next_rel": False},
    {"id_func": numbered},
    {"tokenizer": lambda text: [text], "cache_tag": "one"},
    {"sentence_splitter": lambda text: [text], "cache_tag": "one"},
]
OWN: dict[Any, list[dict[str, Any]]] = {
    DoublePassSemanticSplitter: [
        {"initial_threshold": 0.5},
        {"appending_threshold": 0.5},
        {"merging_threshold": 0.5},
        {"look_ahead": 2},
        {"confidence": 0.9},
        {"confidence": None},
        {"structure": 0.0},
    ],
    SemanticPercentileSplitter: [
        {"breakpoint_threshold_type": "gradient"},
        {"breakpoint_threshold_amount": 50},
        {"number_of_chunks": 5},
        {"window": "overlapping"},
        {"window": "joined"},
        {"window_size": 2},
        {"window": "joined", "buffer_size": 2},
        {"structure": 0.0},
    ],
    OptimalSemanticSplitter: [
        {"penalty": 1.0},
        {"n_chunks": 5},
        {"confidence": 0.9},
        {"structure": 0.0},
        {"half_weight": 2.0},
    ],
    ClusterSemanticSplitter: [
        {"linkage": "ward"},
        {"n_clusters": 5},
        {"distance_threshold": 1.0},
        {"stop": "elbow"},
        {"stop": "silhouette"},
        {"confidence": 0.9},
        {"structure": 0.0},
        {"half_weight": 2.0},
    ],
}


@parsers
def test_every_setting_is_tried_here(parser: Any) -> None:
    tried = {name for settings in (*SHARED, *OWN[parser]) for name in settings}
    assert tried == set(parser.model_fields) - {"callback_manager"}


@parsers
def test_every_setting_makes_another_key(parser: Any) -> None:
    every = [*SHARED, *OWN[parser]]
    keys = [cache_key(parser(**settings)) for settings in every]
    for (one, first), (other, second) in combinations(zip(keys, every, strict=True), 2):
        assert one != other, (first, second)


def test_the_class_is_in_the_key() -> None:
    assert len({cache_key(parser()) for parser in PARSERS}) == len(PARSERS)


@parsers
def test_another_version_of_the_core_makes_another_key(parser: Any, monkeypatch: Any) -> None:
    before = cache_key(parser())
    monkeypatch.setattr("caesura.__version__", "99")
    assert cache_key(parser()) != before
