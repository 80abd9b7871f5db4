"""Chunks near a target against every segmentation there is; limits with a target, and what must not matter to it."""

from __future__ import annotations

import time

import naive.even
import numpy as np
import pytest
from fakes.growth import assert_time_grows
from fakes.laws import at_least, law
from fakes.texts.random_texts import random_texts
from hypothesis import given
from hypothesis import strategies as st
from naive.optimal import segmentations

from caesura import ClusterCut, DoublePassCut, Limits, OptimalCut, PercentileCut, Splitter
from caesura.cuts.limits.even import even
from caesura.types import Cut

CUTS: tuple[Cut, ...] = (OptimalCut(), ClusterCut(), DoublePassCut(), PercentileCut(), OptimalCut(penalty=2.0))


def embed(texts: list[str]) -> list[list[float]]:
    return [[1.0 + text.count("a"), float(len(text) % 7), float(text.count("b"))] for text in texts]


@pytest.mark.parametrize(("few", "most"), [(12, 1), (0, 1), (0, 20), (0, 2**18)])
def test_no_segmentation_is_worth_more_than_the_even_one(monkeypatch: pytest.MonkeyPatch, few: int, most: int) -> None:
    """few: chunks to an end that Python measures. most: chunks that numpy measures at a time."""
    monkeypatch.setattr("caesura.cuts.limits.even.FEW", few)
    monkeypatch.setattr("caesura.cuts.limits.even.MOST", most)
    for random, _, sizes, limits in random_texts(19, at_least(1_000, 3), 9):
        n = len(sizes)
        if n < 2:
            continue
        target = int(random.integers(1, (limits.max_size or int(sizes.sum())) + 1))
        limits = Limits(limits.max_size, limits.min_size, target)
        gaps, structure = random.normal(size=n - 1), random.choice([0, 0, 0.5, 1, 2], n - 1)
        own = np.flatnonzero(random.random(n - 1) < 0.3) + 1
        given = own.tolist(), gaps.tolist(), structure.tolist(), sizes.tolist(), limits.max_size, limits.min_size
        worths = {
            tuple(breaks): value
            for breaks in segmentations(n)
            if (value := naive.even.worth(breaks, *given, target)) is not None
        }
        found = tuple(even(own, gaps, structure, sizes, limits).tolist())
        assert worths[found] == pytest.approx(max(worths.values()), abs=1e-6), (sizes, limits, gaps, structure, own)


@pytest.mark.thorough
@pytest.mark.parametrize("cut", CUTS, ids=repr)
@law(cases=len(CUTS))
@given(
    text=st.text(st.sampled_from("ab. \n"), max_size=300),
    largest=st.none() | st.integers(1, 120),
    least=st.integers(0, 400),
    target=st.none() | st.integers(1, 400),
)
def test_limits_hold_with_a_target_and_without(
    cut: Cut, text: str, largest: int | None, least: int, target: int | None
) -> None:
    limits = Limits(None, least, target).reduced(largest)
    chunks = Splitter(limits, cut=cut).split(text, embed)
    assert all(len(chunk.text) <= (largest or len(text)) for chunk in chunks)
    assert "".join("".join(chunk.text.split()) for chunk in chunks) == "".join(text.split())


@pytest.mark.parametrize("least", [0, 50])
@pytest.mark.parametrize("target", [10, 10**4, 2**62])
def test_a_target_may_be_less_than_a_unit_or_more_than_the_text(target: int, least: int) -> None:
    """Limits that the cut itself is given are widened, and stay limits."""
    text = "A tide is a tide. " * 9
    for limits in (Limits(None, least, target), Limits(2**62, least, target)):
        with np.errstate(all="raise"):
            chunks = Splitter(limits).split(text, embed)
        assert len(chunks) == (9 if target == 10 else 1)


def test_without_a_largest_size_time_grows_as_the_units() -> None:
    """Sixteen targets are the most that is looked at."""

    def seconds(n: int) -> float:
        flat, begun = np.zeros(n - 1), time.process_time()
        found = even(np.zeros(0, np.intp), flat, flat, np.full(n, 10), Limits(None, 0, 20))
        assert len(found) == n / 2 - 1
        return time.process_time() - begun

    assert_time_grows(seconds, 10_000, 40_000, 10)


@pytest.mark.parametrize("times", [3, 1000])
@law()
@given(seed=st.integers(0, 10**6))
def test_sizes_target_and_limits_may_be_in_any_unit(times: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    n = int(random.integers(2, 40))
    sizes, gaps = random.integers(1, 60, n), random.normal(size=n - 1)
    structure, own = random.choice([0, 0, 0.5, 1, 2], n - 1), np.flatnonzero(random.random(n - 1) < 0.2) + 1
    found = even(own, gaps, structure, sizes, Limits(160, 8, 80))
    assert (
        even(own, gaps, structure, sizes * times, Limits(160 * times, 8 * times, 80 * times)).tolist() == found.tolist()
    )


def test_paragraphs_then_turns_then_evenness_say_where_a_chunk_ends() -> None:
    sizes, flat, nothing = np.full(12, 100), np.zeros(11), np.zeros(0, np.intp)
    limits = Limits(800, 0, 400)
    paragraph, gap = flat.copy(), flat.copy()
    paragraph[4], gap[2] = 1, 9
    assert even(nothing, flat, flat, sizes, limits).tolist() == [4, 8]
    assert even(nothing, flat, paragraph, sizes, limits).tolist() == [5, 8]
    assert even(np.array([3, 7]), flat, flat, sizes, limits).tolist() == [3, 7]
    assert even(nothing, gap, flat, sizes, limits).tolist() == [3, 7]
