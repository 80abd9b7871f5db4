"""Double-pass merging, test by test."""

import time

import numpy as np
import pytest
from fakes.embedders.rows import A, B, breaks

from caesura import DoublePassCut, Limits

AB, ZERO = [0.6, 0.8, 0.0], [0.0, 0.0, 0.0]


def test_a_chunk_starts_over_the_initial_and_grows_over_the_appending_threshold() -> None:
    assert breaks([A, AB, A], DoublePassCut(0.5, 0.8, 1, confidence=None, structure=0)) == []
    assert breaks([A, AB, A], DoublePassCut(0.7, 0.8, 1, confidence=None, structure=0)) == [1, 2]
    assert breaks([A, AB, A], DoublePassCut(0.5, 0.9, 1, confidence=None, structure=0)) == [2]


def test_the_last_two_sentences_speak_for_a_growing_chunk() -> None:
    assert breaks([B, A, A, A], DoublePassCut(-0.5, 0.9, 1, confidence=None, structure=0)) == [2]
    assert breaks([B, A, A, A], DoublePassCut(-0.5, 0.6, 1, confidence=None, structure=0)) == []


def test_sentences_speak_by_their_sizes() -> None:
    assert breaks([A, B, A], DoublePassCut(-0.5, 0.75, 1, confidence=None, structure=0), sizes=[9, 1, 1]) == []
    assert breaks([A, B, A], DoublePassCut(-0.5, 0.75, 1, confidence=None, structure=0), sizes=[1, 9, 1]) == [2]


@pytest.mark.parametrize(
    "cut",
    [
        DoublePassCut(0.5, 1, 1, confidence=None, structure=0),
        DoublePassCut(-1, 0.5, 1, confidence=None, structure=0),
        DoublePassCut(1, 1, 0.5, confidence=None, structure=0),
    ],
    ids=str,
)
def test_every_test_is_strict(cut: DoublePassCut) -> None:
    half = [0.5, 0.5, 0.5, 0.5]
    rows = [[1.0, 0, 0, 0], half] if cut.appending_threshold == 1 else [[1.0, 0, 0, 0], [1.0, 0, 0, 0], half]
    assert breaks(rows, cut)[-1:] == [len(rows) - 1]


@pytest.mark.parametrize("count", [31, 40, 200])
def test_no_similarity_is_over_1(count: int) -> None:
    """Rounding takes that of equal rows a little over it."""
    rows, sizes = np.tile(np.ones(8, np.float32) / np.float32(8**0.5), (count, 1)), np.arange(count) * 7 % 98 + 1
    found = DoublePassCut(1, 0.5, 1, confidence=None, structure=0)(rows, sizes, Limits())
    assert found.tolist() == list(range(1, count))


def test_the_second_pass_looks_over_an_interruption() -> None:
    rows = [A, A, B, A, A]
    assert breaks(rows, DoublePassCut(0.5, 0.5, 0.95, look_ahead=0, confidence=None, structure=0)) == [2, 3]
    assert breaks(rows, DoublePassCut(0.5, 0.5, 0.95, look_ahead=1, confidence=None, structure=0)) == []


@pytest.mark.parametrize(("look_ahead", "expected"), [(1, [1, 2, 3]), (2, []), (4, [])])
def test_it_looks_as_far_ahead_as_it_is_told(look_ahead: int, expected: list[int]) -> None:
    rows = [[1.0, 0, 0], [0, 1.0, 0], [0, 0, 1.0], [1.0, 0, 0]]
    assert breaks(rows, DoublePassCut(0.5, 0.5, 0.5, look_ahead, confidence=None, structure=0)) == expected


def test_the_nearer_partner_is_tried_first() -> None:
    like_the_first_alone = [0.75, -0.66, 0.0]
    assert breaks([A, AB, like_the_first_alone], DoublePassCut(0.85, 1, 0.5, confidence=None, structure=0)) == [2]
    assert breaks([A, B, like_the_first_alone], DoublePassCut(0.85, 1, 0.5, confidence=None, structure=0)) == []


def test_a_partner_further_on_is_taken_where_a_nearer_one_is_not_similar() -> None:
    assert breaks([A, B, A, B], DoublePassCut(0.5, 0.5, 0.4, confidence=None, structure=0)) == []
    assert breaks([A, B, A, B], DoublePassCut(0.5, 0.5, 0.75, confidence=None, structure=0)) == [3]


def test_a_zero_row_is_similar_to_nothing() -> None:
    assert breaks([A, ZERO, A], DoublePassCut(-1, -1, -1, look_ahead=0, confidence=None, structure=0)) == [1, 2]
    assert breaks([A, ZERO, A], DoublePassCut(-1, -1, -1, look_ahead=1, confidence=None, structure=0)) == []
    assert breaks([ZERO, ZERO, ZERO], DoublePassCut(-1, -1, -1, confidence=None, structure=0)) == [1, 2]


def test_no_chunk_grows_or_merges_over_the_limit() -> None:
    cut = DoublePassCut(0, 0, 0, confidence=None, structure=0)
    assert breaks([A] * 6, cut, Limits(2)) == [2, 4]
    assert breaks([A] * 6, cut, Limits(100), [60, 40, 1, 99, 100, 200]) == [2, 4, 5]


def test_a_small_chunk_joins_the_neighbour_it_is_nearest_to() -> None:
    rows = [A, A, A, AB, [0.0, 0.0, 1.0], [0.0, 0.0, 1.0]]
    cut = DoublePassCut(0.9, 0.9, 0.9, confidence=None, structure=0)
    assert breaks(rows, cut) == [3, 4]
    assert breaks(rows, cut, Limits(None, 2)) == [4]
    assert breaks(rows, cut, Limits(3, 2)) == [3]


@pytest.mark.thorough
def test_a_far_look_ahead_takes_the_time_of_one_as_far_as_a_chunk_may_reach() -> None:
    rows, sizes = np.random.default_rng(1).normal(size=(20_000, 8)), np.ones(20_000, int)
    taken, found = [], []
    for look_ahead in (39, 10**6):
        cut = DoublePassCut(1, 1, 1, look_ahead, confidence=None, structure=0)
        begun = time.process_time()
        found.append(cut(rows, sizes, Limits(40)).tolist())
        taken.append(time.process_time() - begun)
    assert found[0] == found[1] == list(range(1, len(rows)))
    assert taken[1] < 4 * taken[0]
