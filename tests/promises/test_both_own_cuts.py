"""`SemanticSplitter(cut=…)` in both plugins: a cut of one's own, or the core's; what is no cut is refused."""

from __future__ import annotations

import pickle
from copy import deepcopy
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from fakes.hosts import Host, both, every_splitter
from fakes.splitters.own_cuts import Deep, Each, every_third, lengths_apart, nowhere, returning
from fakes.texts.articles import article

from caesura import ClusterCut, DoublePassCut, OptimalCut, PercentileCut, SettingError, units

TEXT = article()
CUTS = [every_third, Each(2), Deep(), Deep(lengths_apart, 0.3), OptimalCut()]
NAMED = [
    (DoublePassCut(), "DoublePass"),
    (OptimalCut(), "Optimal"),
    (ClusterCut(), "Cluster"),
    (PercentileCut(), "SemanticPercentile"),
]


@both
def test_chunks_begin_where_the_cut_says(host: Host) -> None:
    edges = units(TEXT)
    made = host.texts(host.split(host.splitter("Semantic", cut=every_third, chunk_size=None), [TEXT]))
    ends = [*edges[:-1:3].tolist(), len(TEXT)]
    assert made == [TEXT[start:end].strip() for start, end in pairwise(ends)]


@both
@pytest.mark.parametrize("cut", CUTS, ids=["function", "dataclass", "scored", "nested", "core"])
async def test_called_awaited_copied_and_sent_it_makes_the_same(host: Host, cut: Any) -> None:
    splitter = host.splitter("Semantic", cut=cut, chunk_size=60)
    made = host.split(splitter, [TEXT, "One. Two."])
    assert await host.asplit(splitter, [TEXT, "One. Two."]) == made
    for twin in (deepcopy(splitter), pickle.loads(pickle.dumps(splitter))):
        assert host.split(twin, [TEXT, "One. Two."]) == made


@both
@pytest.mark.parametrize(("cut", "name"), NAMED, ids=[name for _, name in NAMED])
@pytest.mark.parametrize("target", [None, 25])
def test_a_cut_of_the_core_cuts_as_the_splitter_that_is_named_after_it(
    host: Host, cut: Any, name: str, target: int | None
) -> None:
    settings: dict[str, Any] = {"chunk_size": 80, "target_size": target, "embed_chunks": True}
    ours = host.splitter(name, host.words(), **settings)
    assert host.split(host.splitter("Semantic", host.words(), cut=cut, **settings), [TEXT]) == host.split(ours, [TEXT])


@both
@pytest.mark.parametrize("cut", [nowhere, Each(50)], ids=["nowhere", "long"])
def test_the_size_holds_though_the_cut_looks_at_no_limit(host: Host, cut: Any) -> None:
    made = host.texts(host.split(host.splitter("Semantic", cut=cut, chunk_size=60), [TEXT]))
    assert len(made) > 1
    whole = host.split(host.splitter("Semantic", cut=nowhere, chunk_size=None), [TEXT])
    assert host.texts(whole) == [TEXT.strip()]


@both
@pytest.mark.parametrize(
    "value",
    [None, [0], np.array([0]), np.array([3, 2]), np.array([10**6]), np.array([1.5]), np.array([[1]])],
    ids=["none", "list", "first", "falling", "beyond", "fraction", "table"],
)
def test_what_a_cut_returns_is_breaks_or_refused(host: Host, value: Any) -> None:
    needed = r"cut\(\) must return an array or a list of whole numbers that rise within 1 to "
    with pytest.raises(SettingError, match=needed):
        host.split(host.splitter("Semantic", cut=returning(value)), [TEXT])


@both
@pytest.mark.parametrize(
    ("value", "said"),
    [
        (3, "got 3"),
        ("optimal", "got 'optimal'"),
        (None, "got None"),
        ((OptimalCut(), None), r"got \(OptimalCut"),
        (OptimalCut, r"got the class OptimalCut, not an instance: OptimalCut\(…\)"),
    ],
)
def test_what_is_no_cut_is_refused_with_what_is(host: Host, value: Any, said: str) -> None:
    needed = r"cut must be a function, \(vectors, sizes, limits\) -> breaks, such as caesura\.OptimalCut\(\), "
    with pytest.raises(SettingError, match=needed + said):
        host.splitter("Semantic", cut=value)


@both
def test_a_cut_is_needed(host: Host) -> None:
    with pytest.raises((TypeError, ValueError), match="cut"):
        host.splitter("Semantic")


@both
@every_splitter
def test_the_named_splitters_have_their_own(host: Host, name: str) -> None:
    with pytest.raises((TypeError, ValueError), match="cut"):
        host.splitter(name, cut=every_third)
