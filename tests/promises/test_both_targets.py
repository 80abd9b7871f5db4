"""`target_size` and `chunk_size` in both plugins: what either means alone, both, and none; who says where to cut."""

from __future__ import annotations

from typing import Any

import pytest
from fakes.hosts import Host, both, every_splitter

from caesura import Limits, OptimalCut

DECIDING: list[tuple[str, dict[str, Any]]] = [
    *(("DoublePass", {f"{name}_threshold": 0.2}) for name in ("initial", "appending", "merging")),
    ("Optimal", {"penalty": 1.0}),
    ("Optimal", {"n_chunks": 5}),
    ("Cluster", {"n_clusters": 5}),
    ("Cluster", {"distance_threshold": 1.0}),
    ("Cluster", {"stop": "elbow"}),
    ("SemanticPercentile", {"number_of_chunks": 5}),
    ("SemanticPercentile", {"breakpoint_threshold_amount": 90}),
    ("SemanticPercentile", {"breakpoint_threshold_type": "gradient"}),
    ("Semantic", {"cut": OptimalCut()}),
]
WEIGHING: list[tuple[str, dict[str, Any]]] = [
    ("DoublePass", {"confidence": 0.9, "structure": 0.1, "look_ahead": 2}),
    ("Optimal", {"confidence": 0.9, "structure": 0.1, "half_weight": 1}),
    ("Cluster", {"confidence": 0.9, "structure": 0.1, "half_weight": 1, "linkage": "ward"}),
    ("SemanticPercentile", {"structure": 0.1, "window_size": 2}),
]


def auto(host: Host) -> tuple[int, int]:
    """The target and the largest size that a splitter has without settings."""
    return {2000: (400, 800), 512: (100, 200)}[host.default]


@both
@every_splitter
def test_sizes_are_what_is_given_and_what_follows_from_it(host: Host, name: str) -> None:
    target, largest = auto(host)
    sizes: list[tuple[dict[str, Any], int | None, int | None]] = [
        ({}, target, largest),
        ({"target_size": "auto", "chunk_size": "auto"}, target, largest),
        ({"target_size": 60}, 60, 120),
        ({"target_size": 60, "chunk_size": "auto"}, 60, 120),
        ({"chunk_size": 151}, 75, 151),
        ({"target_size": 50, "chunk_size": 151}, 50, 151),
        ({"target_size": 151, "chunk_size": 151}, 151, 151),
        ({"chunk_size": 1}, 1, 1),
        ({"target_size": 60, "chunk_size": None}, 60, None),
        ({"target_size": None}, None, host.default),
        ({"target_size": None, "chunk_size": 151}, None, 151),
        ({"chunk_size": None}, None, None),
    ]
    for settings, wanted, most in sizes:
        assert host.limits(host.splitter(name, **settings)) == Limits(most, 0, wanted), settings


@both
@pytest.mark.parametrize(("name", "settings"), DECIDING, ids=str)
def test_who_says_where_to_cut_has_no_target_unless_one_is_given(
    host: Host, name: str, settings: dict[str, Any]
) -> None:
    assert host.limits(host.splitter(name, **settings)) == Limits(host.default)
    assert host.limits(host.splitter(name, chunk_size=90, **settings)) == Limits(90)
    assert host.limits(host.splitter(name, chunk_size=None, **settings)) == Limits()
    if not {"n_chunks", "n_clusters", "number_of_chunks"} & set(settings):
        assert host.limits(host.splitter(name, target_size=60, **settings)) == Limits(120, 0, 60)


@both
@pytest.mark.parametrize(("name", "settings"), WEIGHING, ids=str)
def test_what_only_weighs_leaves_the_target(host: Host, name: str, settings: dict[str, Any]) -> None:
    target, largest = auto(host)
    assert host.limits(host.splitter(name, **settings)) == Limits(largest, 0, target)


@both
def test_the_constructors_of_peers_have_no_target(host: Host) -> None:
    percentile = host.cls("SemanticPercentile")
    chunker = {"embeddings": "like_semantic_chunker", "embed_model": "like_semantic_splitter"}[host.embedder]
    assert host.limits(getattr(percentile, chunker)(host.words())) == Limits()
