"""`to_dict` and `from_dict`, JSON and pickle keep every setting."""

from __future__ import annotations

import json
import pickle
from copy import deepcopy
from typing import Any

import pytest
from fakes.llama_index.parsers import at_lines, letters, numbered, parsers, same
from llama_index.core import Settings
from llama_index.core.embeddings import MockEmbedding

from llama_index.node_parser.caesura import (
    ClusterSemanticSplitter,
    DoublePassSemanticSplitter,
    OptimalSemanticSplitter,
    SemanticPercentileSplitter,
    StaticEmbedding,
)

SHARED = {"chunk_size": 90, "min_chunk_size": 4, "sentence_splitter": at_lines, "tokenizer": letters,
          "id_func": numbered, "cache_tag": "t", "include_metadata": False, "include_prev_next_rel": False}  # fmt: skip
SETTINGS: list[tuple[Any, dict[str, Any]]] = [
    (DoublePassSemanticSplitter, {}),
    (DoublePassSemanticSplitter, {"embed_model": StaticEmbedding(embed_batch_size=7)}),
    (DoublePassSemanticSplitter, {"embed_model": MockEmbedding(embed_dim=3), "background": [0.5, 0.25, 0.0]}),
    (DoublePassSemanticSplitter, {"embed_model": "settings", "chunk_size": None}),
    (DoublePassSemanticSplitter, {"initial_threshold": 0.1, "appending_threshold": 0.2, "merging_threshold": 0.3,
                                  "look_ahead": 3, "confidence": None, "structure": 0.1, "target_size": 40,
                                  "calibrated": False, **SHARED}),
    (SemanticPercentileSplitter, {}),
    (SemanticPercentileSplitter, {"breakpoint_threshold_type": "gradient", "breakpoint_threshold_amount": 70.0,
                                  "window": "overlapping", "buffer_size": 2, "calibrated": False, **SHARED}),
    (SemanticPercentileSplitter, {"number_of_chunks": 3, "window_size": 2, "embed_model": MockEmbedding(embed_dim=3)}),
    (SemanticPercentileSplitter, {"tokenizer": list, "chunk_size": 200}),
    (OptimalSemanticSplitter, {"penalty": 0.9, "structure": 0.1, "calibrated": False, **SHARED}),
    (OptimalSemanticSplitter, {"target_size": 30, **SHARED}),
    (OptimalSemanticSplitter, {"n_chunks": 3}),
    (ClusterSemanticSplitter, {"linkage": "ward", "stop": "silhouette", **SHARED}),
    (ClusterSemanticSplitter, {"linkage": "average", "distance_threshold": 0.9}),
    (ClusterSemanticSplitter, {"n_clusters": 3, "embed_model": StaticEmbedding(embed_batch_size=7)}),
]  # fmt: skip
everything = pytest.mark.parametrize(("parser", "settings"), SETTINGS)


@everything
def test_a_dict_brings_the_splitter_back(parser: Any, settings: dict[str, Any]) -> None:
    Settings.embed_model = StaticEmbedding()
    made = parser(**settings)
    same(made, parser.from_dict(made.to_dict(), trusted=True))
    assert parser.from_dict(made.to_dict(), trusted=True).to_dict() == made.to_dict()


@everything
def test_json_and_pickle_bring_the_splitter_back(parser: Any, settings: dict[str, Any]) -> None:
    Settings.embed_model = StaticEmbedding()
    made = parser(**settings)
    same(made, parser.from_json(made.to_json(), trusted=True))
    same(made, pickle.loads(pickle.dumps(made)))
    same(made, deepcopy(made))


@everything
def test_a_dict_is_plain_values(parser: Any, settings: dict[str, Any]) -> None:
    Settings.embed_model = StaticEmbedding()
    data = parser(**settings).to_dict()
    assert json.loads(json.dumps(data)) == data
    assert data["class_name"] == parser.class_name()
    kept = deepcopy(data)
    parser.from_dict(data, trusted=True)
    assert data == kept


@parsers
def test_arguments_take_the_place_of_entries(parser: Any) -> None:
    made = parser.from_dict(parser(chunk_size=90).to_dict(), chunk_size=50, tokenizer=letters)
    assert (made.chunk_size, made.tokenizer) == (50, letters)
