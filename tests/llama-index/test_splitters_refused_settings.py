"""Settings out of range are refused at the door, by their own names."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from fakes.llama_index.parsers import parsers
from llama_index.core import Document
from llama_index.core.bridge.pydantic import Field
from llama_index.core.llms import MockLLM

from caesura import OptimalCut, SettingError
from llama_index.node_parser.caesura import (
    AgenticSplitter,
    ClusterSemanticSplitter,
    DoublePassSemanticSplitter,
    JoinPages,
    OptimalSemanticSplitter,
    PropositionTransformer,
    SemanticHierarchyParser,
    SemanticPercentileSplitter,
    SemanticSplitter,
    StaticEmbedding,
)


@parsers
@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"chunk_size": 0}, "chunk_size"),
        ({"chunk_size": -5}, "chunk_size"),
        ({"chunk_size": 2.5}, "chunk_size"),
        ({"chunk_size": True}, "chunk_size must be a number, got True"),
        ({"min_chunk_size": True}, "min_chunk_size must be a number, got True"),
        ({"chunk_size": "many"}, "chunk_size"),
        ({"target_size": 0}, "target_size must be a whole number of at least 1"),
        ({"target_size": 1.5}, "target_size"),
        ({"target_size": True}, "target_size must be a number, got True"),
        ({"target_size": "half"}, "target_size"),
        ({"target_size": 301, "chunk_size": 300}, "target_size=301 must not be over chunk_size=300: raise chunk_size"),
        ({"min_chunk_size": -1}, "min_chunk_size"),
        ({"min_chunk_size": -1, "chunk_size": None}, "min_chunk_size"),
        ({"chunk_size": 10, "min_chunk_size": 11}, "chunk_size=10 must have room for min_chunk_size=11(?! and)"),
        ({"chunk_overlap": 20}, "has no setting chunk_overlap=20: .*PREVIOUS and NEXT.*HierarchyIndex"),
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
    with pytest.raises(SettingError, match=named):
        parser(**settings)


@pytest.mark.parametrize(
    "parser",
    [DoublePassSemanticSplitter, SemanticHierarchyParser, PropositionTransformer],
)
@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"include_metdata": True}, "include_metdata=True: did you mean include_metadata?"),
        ({"cahce_tag": "a"}, "cahce_tag='a': did you mean cache_tag?"),
        ({"zoom": 3}, "zoom=3: it has "),
    ],
)
def test_an_unknown_setting_is_named_with_the_nearest_that_there_is(
    parser: Any, settings: dict[str, Any], said: str
) -> None:
    with pytest.raises(SettingError, match=re.escape(f"{parser.__name__} has no setting {said}")):
        parser(**settings)
    with pytest.raises(SettingError, match=re.escape(said)):
        parser.from_defaults(**settings)


@parsers
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("length_function", "tokenizer takes its place here"),
        ("embeddings", "embed_model is its name here"),
        ("max_chunk_size", "chunk_size is its name here"),
        ("max_size", "chunk_size is its name here"),
        ("min_size", "min_chunk_size is its name here"),
    ],
)
def test_a_setting_of_another_splitter_is_told_with_its_name_here(parser: Any, name: str, said: str) -> None:
    if said.partition(" ")[0] in parser.model_fields:
        with pytest.raises(SettingError, match=f"{parser.__name__} has no setting {name}=7: {said}"):
            parser(**{name: 7})


@pytest.mark.parametrize("name", ["initial_threshold", "appending_threshold", "merging_threshold"])
@pytest.mark.parametrize("value", [1.01, -1.5, float("nan"), float("inf"), "high"])
def test_a_threshold_out_of_range_is_refused_by_name(name: str, value: Any) -> None:
    with pytest.raises(SettingError, match=name):
        DoublePassSemanticSplitter(**{name: value})


@pytest.mark.parametrize(
    ("parser", "settings", "named"),
    [
        (OptimalSemanticSplitter, {"penalty": -1}, "penalty"),
        (OptimalSemanticSplitter, {"n_chunks": 0}, "n_chunks"),
        (OptimalSemanticSplitter, {"penalty": 1, "n_chunks": 3}, "exclude one another"),
        (DoublePassSemanticSplitter, {"min_units": 3}, "min_units"),
        (OptimalSemanticSplitter, {"structure": -1}, "structure"),
        (OptimalSemanticSplitter, {"n_chunks": 3, "target_size": 60}, "a number .*, 3, and target_size=60"),
        (ClusterSemanticSplitter, {"n_clusters": 3, "target_size": 60}, "a number .*, 3, and target_size=60"),
        (SemanticPercentileSplitter, {"number_of_chunks": 3, "target_size": 60}, "a number .*, 3, and target_size=60"),
        (SemanticSplitter, {"cut": OptimalCut(n_chunks=3), "target_size": 60}, "a number .*, 3, and target_size=60"),
        (ClusterSemanticSplitter, {"linkage": "single"}, "linkage"),
        (ClusterSemanticSplitter, {"stop": "knee"}, "stop"),
        (ClusterSemanticSplitter, {"n_clusters": 0}, "n_clusters"),
        (ClusterSemanticSplitter, {"distance_threshold": -1}, "distance_threshold"),
        (ClusterSemanticSplitter, {"distance_threshold": 1, "stop": "elbow"}, "exclude one another"),
    ],
)
def test_a_cut_that_cannot_be_is_refused_by_name(parser: Any, settings: dict[str, Any], named: str) -> None:
    with pytest.raises(SettingError, match=named):
        parser(**settings)


@pytest.mark.parametrize("value", [-1, 1.5])
def test_a_look_ahead_out_of_range_is_refused_by_name(value: Any) -> None:
    with pytest.raises(SettingError, match="look_ahead"):
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
    with pytest.raises(SettingError, match=named):
        SemanticPercentileSplitter(**settings)


def test_a_size_too_small_for_a_character_is_named_as_it_was_given() -> None:
    with pytest.raises(SettingError, match=r"too small for a single character: '😀'.*raise max_size \(chunk_size"):
        OptimalSemanticSplitter(chunk_size=1)([Document(text="😀😀")])


@pytest.mark.parametrize("kind", [OptimalSemanticSplitter, SemanticHierarchyParser])
def test_a_setting_without_its_name_is_refused_in_the_name_of_its_class(kind: Any) -> None:
    with pytest.raises(SettingError, match=rf"^{kind.__name__} takes its settings by name, such as .*: got 100$"):
        kind(100)


def test_repr_shows_what_is_not_a_default() -> None:
    assert repr(OptimalSemanticSplitter()) == str(OptimalSemanticSplitter()) == "OptimalSemanticSplitter()"
    assert repr(SemanticHierarchyParser(chunk_sizes=[9, 3], tokenizer=list)) == (
        "SemanticHierarchyParser(tokenizer=<class 'list'>, chunk_sizes=[9, 3])"
    )
    assert repr(OptimalSemanticSplitter(chunk_size=100, include_metadata=False, id_func=len)) == (
        "OptimalSemanticSplitter(include_metadata=False, id_func=<built-in function len>, chunk_size=100)"
    )

    class Heir(OptimalSemanticSplitter):
        rows: Any = None
        made: int = Field(default_factory=lambda data: len(data))

    assert repr(Heir()) == "Heir()"
    assert repr(Heir(rows=np.ones(2))) == "Heir(rows=array([1., 1.]))"


@pytest.mark.parametrize(
    ("made", "name", "value"),
    [
        (OptimalSemanticSplitter(), "target_size", -1),
        (OptimalSemanticSplitter(), "chunk_size", 2.5),
        (OptimalSemanticSplitter(), "penalty", "high"),
        (OptimalSemanticSplitter(), "embed_model", 3),
        (SemanticSplitter(cut=OptimalCut()), "cut", 3),
        (SemanticHierarchyParser(), "chunk_sizes", [60, 90]),
        (SemanticHierarchyParser(), "metadata", ["zoom"]),
        (PropositionTransformer(MockLLM()), "journal", " "),
        (AgenticSplitter(MockLLM()), "threshold", 2),
        (JoinPages(), "page", 3),
        (StaticEmbedding(), "embed_batch_size", 0),
        (DoublePassSemanticSplitter(), "thresold", 0.3),
    ],
)
def test_a_setting_is_checked_when_it_is_assigned_and_the_old_one_stays(made: Any, name: str, value: Any) -> None:
    before = made.to_dict()
    with pytest.raises(SettingError, match=name):
        setattr(made, name, value)
    assert made.to_dict() == before
    with pytest.raises(SettingError, match=name):
        type(made)(**{**({"cut": OptimalCut()} if isinstance(made, SemanticSplitter) else {}), name: value})


def test_settings_that_exclude_one_another_are_refused_when_one_is_assigned() -> None:
    made = OptimalSemanticSplitter(embed_chunks=True, n_chunks=3)
    for name, value in (("embed_headings", True), ("penalty", 0.5), ("target_size", 60)):
        with pytest.raises(SettingError, match=name):
            setattr(made, name, value)


def test_a_setting_that_is_missing_is_named_without_the_others() -> None:
    with pytest.raises(SettingError, match=r"^cut: Field required$"):
        SemanticSplitter(cache_tag="secret")
