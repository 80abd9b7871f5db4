"""A bad setting is refused where the splitter is made, by its name, with the value and the remedy. Settings pickle."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from articles import article
from langchain_fakes import Bag, every_splitter

from caesura import Background, SettingError, utf8_bytes
from langchain_caesura import (
    ClusterSemanticSplitter,
    DoublePassSemanticSplitter,
    OptimalSemanticSplitter,
    SemanticPercentileSplitter,
)

COMMON: list[tuple[dict[str, Any], str]] = [
    *(
        ({"chunk_size": value}, "chunk_size must be a whole number of at least 1")
        for value in (0, -5, 1.5, "100", True)
    ),
    *(({"chunk_overlap": value}, "chunk_overlap must be a whole number of at least 0") for value in (-1, 0.1, None)),
    *(({"min_chunk_size": value}, "min_chunk_size must be a whole number of at least 0") for value in (-1, 2.5, None)),
    ({"chunk_size": 50, "min_chunk_size": 51}, "chunk_size=50 must have room for min_chunk_size=51"),
    ({"chunk_size": 50, "chunk_overlap": 50}, "chunk_size=50 must have room .*chunk_overlap=50"),
    ({"chunk_size": 50, "chunk_overlap": 200}, "chunk_size=50 must have room .*chunk_overlap=200"),
    ({"chunk_size": 50, "chunk_overlap": 25, "min_chunk_size": 26}, "chunk_size=50 must have room"),
    *(({"batch_size": value}, "batch_size must be a whole number of at least 1") for value in (0, -1, 2.0)),
    ({"background": [0.1], "calibrated": False}, "background is what vectors are centred on"),
    *(({"background": value}, "background is one row of finite numbers") for value in ([], [[1.0]], [float("nan")])),
    ({"background": "generic"}, "background"),
    *(({"embeddings": value}, r"embeddings must have embed_documents\(texts\)") for value in ("openai", 3)),
    ({"embeddings": Bag}, "embeddings"),
    ({"length_function": 100}, "must be callable, got 100"),
    ({"length_function": None}, "must be callable, got None"),
    ({"sentence_splitter": r"(?<=\.)\s+"}, "sentence_splitter must be callable"),
]
THRESHOLDS: list[tuple[dict[str, Any], str]] = [
    ({name: value}, f"{name} must be a finite number from -1 to 1, got")
    for name in ("initial_threshold", "appending_threshold", "merging_threshold")
    for value in (1.01, -1.01, float("nan"), float("inf"), "0.5", True)
]
DOUBLE: list[tuple[dict[str, Any], str]] = [
    *THRESHOLDS,
    *(({"min_units": value}, "min_units must be a whole number of at least 1") for value in (0, 1.5, None)),
    *(({"look_ahead": value}, "look_ahead must be a whole number of at least 0") for value in (-1, 1.5, None)),
]
PERCENTILE: list[tuple[dict[str, Any], str]] = [
    ({"breakpoint_threshold_type": "median"}, r"must be one of \['percentile', .*got 'median'"),
    ({"breakpoint_threshold_type": ["percentile"]}, "breakpoint_threshold_type must be one of"),
    *(({"breakpoint_threshold_amount": value}, "from 0 to 100") for value in (-1, 101, float("nan"), "95")),
    ({"breakpoint_threshold_type": "gradient", "breakpoint_threshold_amount": 101}, "from 0 to 100"),
    ({"breakpoint_threshold_type": "interquartile", "breakpoint_threshold_amount": float("inf")}, "finite number"),
    *(({"number_of_chunks": value}, "number_of_chunks must be a whole number of at least 1") for value in (0, -2, 2.5)),
    ({"number_of_chunks": 3, "breakpoint_threshold_amount": 90}, "give one of them"),
    ({"window": "sliding"}, r"window must be one of \['adjacent', 'overlapping', 'joined'\], got 'sliding'"),
    ({"buffer_size": 1}, "window='adjacent' takes window_size, not buffer_size=1"),
    ({"window": "adjacent", "buffer_size": 0}, "takes window_size, not buffer_size=0"),
    ({"window": "overlapping", "window_size": 3}, "window='overlapping' takes buffer_size, not window_size=3"),
    ({"window": "joined", "window_size": 3}, "window='joined' takes buffer_size, not window_size=3"),
    ({"window": "joined", "window_size": 3, "buffer_size": 1}, "takes buffer_size, not window_size=3"),
    *(({"window_size": value}, "must be a whole number of at least 1") for value in (0, -1, 1.5)),
    *(({"window": w, "buffer_size": -1}, "buffer_size must be a whole number") for w in ("overlapping", "joined")),
]
OPTIMAL: list[tuple[dict[str, Any], str]] = [
    *(({"penalty": value}, "penalty must be a finite number") for value in (-1, float("nan"), "1.2")),
    *(({"n_chunks": value}, "n_chunks must be a whole number of at least 1") for value in (0, 2.5)),
    *(({"target_size": value}, "target_size must be a whole number of at least 1") for value in (0, 1.5)),
    ({"structure": -0.1}, "structure must be a finite number"),
    ({"penalty": 1.0, "target_size": 300}, "exclude one another"),
    ({"target_size": 2001}, "target_size=2001 must not be over chunk_size=2000"),
    ({"target_size": 301, "chunk_size": 300}, "target_size=301 must not be over chunk_size=300"),
]
CLUSTER: list[tuple[dict[str, Any], str]] = [
    ({"linkage": "single"}, r"linkage must be one of \['cohesion', 'ward', 'average'\], got 'single'"),
    *(({"linkage": value}, "linkage must be one of") for value in (None, ["ward"])),
    *(({"stop": value}, r"stop must be one of \['elbow', 'silhouette'\], got ") for value in ("knee", "", ["elbow"])),
    ({"n_clusters": 0}, "n_clusters must be a whole number of at least 1"),
    ({"distance_threshold": -1}, "distance_threshold must be a finite number"),
    ({"n_clusters": 3, "stop": "elbow"}, "exclude one another"),
]


def named(case: object) -> str | None:
    return ",".join(f"{k}={v!r}".partition(" at 0x")[0][:40] for k, v in case.items()) if isinstance(case, dict) else ""


@every_splitter
@pytest.mark.parametrize(("settings", "message"), COMMON, ids=named)
def test_a_bad_setting_is_refused(cls: Any, settings: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingError, match=message):
        cls(**settings)


@pytest.mark.parametrize(("settings", "message"), DOUBLE, ids=named)
def test_a_bad_setting_of_the_double_pass_is_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingError, match=message):
        DoublePassSemanticSplitter(**settings)


@pytest.mark.parametrize(("settings", "message"), PERCENTILE, ids=named)
def test_a_bad_setting_of_the_percentile_is_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingError, match=message):
        SemanticPercentileSplitter(**settings)


@pytest.mark.parametrize(("settings", "message"), OPTIMAL, ids=named)
def test_a_bad_setting_of_the_optimal_cut_is_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingError, match=message):
        OptimalSemanticSplitter(**settings)


@pytest.mark.parametrize(("settings", "message"), CLUSTER, ids=named)
def test_a_bad_setting_of_the_cluster_cut_is_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingError, match=message):
        ClusterSemanticSplitter(**settings)


def test_a_target_over_no_limit_is_fine() -> None:
    assert OptimalSemanticSplitter(Bag(), target_size=5000, chunk_size=None).split_text(article())


@every_splitter
def test_whole_numbers_of_numpy_are_whole_numbers(cls: Any) -> None:
    made = cls(Bag(), chunk_size=np.int64(300), chunk_overlap=np.int32(0), batch_size=np.int16(9))
    assert made.split_text(article()) == cls(Bag(), chunk_size=300).split_text(article())


@every_splitter
@pytest.mark.parametrize("text", [None, 7, b"bytes", ["a list"]])
def test_a_text_that_is_no_str_is_refused(cls: Any, text: Any) -> None:
    name = type(text).__name__
    with pytest.raises(SettingError, match=f"a document must be a str, got {name} at position 0"):
        cls().split_text(text)
    with pytest.raises(SettingError, match=f"a document must be a str, got {name} at position 1"):
        cls().create_documents(["fine.", text])


@every_splitter
def test_one_str_in_place_of_a_list_is_refused_and_not_taken_letter_by_letter(cls: Any) -> None:
    with pytest.raises(SettingError, match="pass \\[text\\]"):
        cls().create_documents("One text. And no list.")


@every_splitter
def test_metadata_is_one_per_text(cls: Any) -> None:
    with pytest.raises(SettingError, match="metadatas must be one per text: expected 2, got 1"):
        cls().create_documents(["One.", "Two."], [{"a": 1}])


def half(text: str) -> list[str]:
    return [text[: len(text) // 2], text[len(text) // 2 :]]


PICKLED: list[dict[str, Any]] = [
    {},
    {"chunk_size": 300, "chunk_overlap": 50, "length_function": utf8_bytes, "add_start_index": True},
    {"background": Background([0.1] * 256), "min_chunk_size": 50, "batch_size": 3},
    {"strip_whitespace": False, "calibrated": False, "chunk_size": None},
    {"sentence_splitter": half},
]


@every_splitter
@pytest.mark.parametrize("settings", PICKLED, ids=named)
@pytest.mark.parametrize("used", [True, False])
def test_a_splitter_pickles_and_cuts_as_before(cls: Any, settings: dict[str, Any], used: bool) -> None:
    splitter = cls(None if "background" not in settings else Bag(), **settings)
    if used:
        splitter.split_text(article())
    for twin in (pickle.loads(pickle.dumps(splitter)), copy.deepcopy(splitter), copy.copy(splitter)):
        assert twin.create_documents([article()]) == splitter.create_documents([article()])


@every_splitter
def test_a_pickled_splitter_keeps_what_it_was_calibrated_to(cls: Any) -> None:
    splitter = cls(Bag(list_of_bags))
    splitter.split_text(article())
    twin = pickle.loads(pickle.dumps(splitter))
    before = len(twin.embeddings.calls)
    assert twin.split_text(article()) == splitter.split_text(article())
    assert len(twin.embeddings.calls) == before + 1


def list_of_bags(texts: list[str]) -> list[list[float]]:
    return [[float(len(text)), float(text.count("e")), float(text.count("a")), 1.0] for text in texts]
