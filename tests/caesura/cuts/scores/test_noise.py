"""What chance gains in a document, as it is defined; what the text shows; and what chance is not to cut."""

from __future__ import annotations

from math import log

import naive.noise
import numpy as np
import pytest
from fakes.embedders.rows import blocks, breaks
from fakes.laws import at_least
from fakes.texts.random_texts import random_texts

from caesura import Average, ClusterCut, DoublePassCut, Limits, OptimalCut, Ward
from caesura.cuts.scores.noise import Noise, chunk_gains, edge_bonus, reliability_weights
from caesura.types import Cut

BY_CHANCE = (OptimalCut, ClusterCut, DoublePassCut)
every_cut = pytest.mark.parametrize("cut", [*(cut() for cut in BY_CHANCE), ClusterCut(Ward())], ids=repr)


def one_subject_after_another(random: np.random.Generator) -> np.ndarray:
    counts = random.integers(4, 16, 8)
    rows = np.repeat(random.normal(size=(8, 192)), counts, axis=0) + random.normal(0, 2, (counts.sum(), 192))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def test_noise_is_what_all_pairs_of_rows_say() -> None:
    for random, vectors, sizes, _ in random_texts(21, at_least(300), 60):
        if len(sizes) < 2:
            continue
        half = float(random.choice([0, 0.25, 5]))
        weights = reliability_weights(sizes, half)
        noise, apart = Noise.of(vectors, weights), naive.noise.less_mean(vectors.tolist(), weights.tolist())
        assert noise.average == pytest.approx(naive.noise.average(apart, weights.tolist()), abs=1e-5)
        assert noise.deviation == pytest.approx(naive.noise.deviation(apart, weights.tolist()), abs=1e-4)
        chunks, sure = int(random.integers(1, len(sizes) + 1)), float(random.choice([0, 0.5, 0.95, 0.999]))
        expected = naive.noise.penalty(apart, weights.tolist(), chunks, sure)
        assert noise.penalty(chunks, sure) == pytest.approx(expected, abs=1e-3)
        first, end = sorted(random.choice(len(sizes) + 1, 2, replace=False).tolist())
        rows = (vectors[first:end] - noise.mean_row) * weights[first:end, None]
        own = chunk_gains(rows.sum(axis=0, keepdims=True), weights[first:end].sum())
        assert own == pytest.approx(naive.noise.gain(apart, weights.tolist(), first, end), abs=1e-4)


def test_a_long_document_is_judged_by_a_sample() -> None:
    rows = np.random.default_rng(2).normal(size=(9_000, 16))
    rows = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    noise = Noise.of(rows, np.ones(len(rows)))
    assert noise.units == 9_000
    assert noise.average == pytest.approx(1, abs=0.01)
    assert noise.deviation == pytest.approx((2 / 16) ** 0.5, rel=0.05)


def test_longer_chunks_and_surer_cuts_have_to_gain_more() -> None:
    noise = Noise(np.zeros(2, np.float32), 1_000, 1.0, 0.5)
    assert noise.penalty(10, 0.95) == pytest.approx(1 + 0.5 * (2 * log(100) - 2.3))
    assert noise.penalty(5, 0.95) > noise.penalty(10, 0.95) < noise.penalty(10, 0.999)
    assert noise.penalty(1_000, 0) == noise.penalty(500, 0) == 1.5


@pytest.mark.parametrize("rows", [np.ones((9, 4)), np.zeros((9, 4)), np.ones((2, 1))], ids=["alike", "zero", "two"])
def test_where_all_rows_are_alike_chance_gains_nothing(rows: np.ndarray) -> None:
    with np.errstate(all="raise"):
        noise = Noise.of(rows.astype(np.float32), np.ones(len(rows)))
        assert noise.average == pytest.approx(0, abs=1e-6)
        assert 0 < noise.penalty(1, 0.95) < 1e-5


def test_what_the_text_shows_counts_less_its_mean() -> None:
    assert edge_bonus(np.array([0.0, 1, 0, 1]), 0.4).tolist() == pytest.approx([0, -0.2, 0.2, -0.2, 0.2, 0])
    assert not edge_bonus(np.full(5, 0.5), 0.4).any()
    assert edge_bonus(np.zeros(0), 0.4).tolist() == [0, 0]
    assert not edge_bonus(np.array([0.0, 1]), 0).any()


@pytest.mark.thorough
@every_cut
def test_of_shuffled_texts_at_most_one_in_twenty_is_cut(cut: Cut) -> None:
    texts, found = 200, 0
    for number in range(texts):
        random = np.random.default_rng([22, number])
        rows = random.permutation(one_subject_after_another(random))
        found += bool(breaks(rows, cut, sizes=random.integers(20, 200, len(rows))))
    assert found <= texts / 20


@every_cut
def test_in_their_order_they_are_cut_where_subjects_change(cut: Cut) -> None:
    for number in range(20):
        rows = one_subject_after_another(np.random.default_rng([22, number]))
        assert 5 <= len(breaks(rows, cut)) <= 9


@pytest.mark.parametrize("made", BY_CHANCE)
def test_who_wants_to_be_surer_has_no_more_cuts(made: type) -> None:
    for number in range(20):
        random = np.random.default_rng([23, number])
        rows = one_subject_after_another(random) + random.normal(0, 0.05, (1, 192)).astype(np.float32)
        counts = [len(breaks(rows, made(confidence=sure))) for sure in (0, 0.5, 0.9, 0.99, 0.9999)]
        assert counts == sorted(counts, reverse=True), number


@pytest.mark.parametrize("cut", [*(cut() for cut in BY_CHANCE), ClusterCut(Ward()), ClusterCut(Average())], ids=repr)
@pytest.mark.parametrize("count", [1, 2, 3, 40, 200])
def test_what_says_one_thing_again_and_again_is_cut_for_its_size_alone(cut: Cut, count: int) -> None:
    rows = np.tile(blocks([1], 0.5)[:1], (count, 1))
    with np.errstate(all="raise"):
        assert breaks(rows, cut) == []
        assert breaks(np.zeros((count, 3)), cut) in ([], list(range(1, count)))
        assert len(breaks(rows, cut, Limits(20))) == -(-count // 20) - 1


@pytest.mark.parametrize("made", BY_CHANCE)
@pytest.mark.parametrize("confidence", [-0.1, 1, float("nan"), "sure", True])
def test_a_confidence_that_is_none_is_refused(made: type, confidence: object) -> None:
    with pytest.raises(
        ValueError, match=rf"^confidence must be a finite number from 0 to 0.999999, got {confidence!r}$"
    ):
        made(confidence=confidence)
