"""Double-pass merging, test by test."""

import numpy as np
import pytest

from caesura import DoublePassCut, Limits, SettingError

A, B, AB, ZERO = [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.6, 0.8, 0.0], [0.0, 0.0, 0.0]


def breaks(
    rows: list[list[float]], cut: DoublePassCut, limits: Limits | None = None, sizes: object = None
) -> list[int]:
    sizes = np.array(sizes if sizes is not None else [1] * len(rows))
    return cut(np.array(rows, np.float32), sizes, limits or Limits()).tolist()


def test_a_chunk_starts_over_the_initial_and_grows_over_the_appending_threshold() -> None:
    assert breaks([A, AB, A], DoublePassCut(0.5, 0.8, 1)) == []
    assert breaks([A, AB, A], DoublePassCut(0.7, 0.8, 1)) == [1, 2]
    assert breaks([A, AB, A], DoublePassCut(0.5, 0.9, 1)) == [2]


def test_the_last_two_sentences_speak_for_a_growing_chunk() -> None:
    assert breaks([B, A, A, A], DoublePassCut(-0.5, 0.9, 1)) == [2]
    assert breaks([B, A, A, A], DoublePassCut(-0.5, 0.6, 1)) == []


def test_sentences_speak_by_their_sizes() -> None:
    assert breaks([A, B, A], DoublePassCut(-0.5, 0.75, 1), sizes=[9, 1, 1]) == []
    assert breaks([A, B, A], DoublePassCut(-0.5, 0.75, 1), sizes=[1, 9, 1]) == [2]


@pytest.mark.parametrize(
    "cut", [DoublePassCut(0.5, 1, 1), DoublePassCut(-1, 0.5, 1), DoublePassCut(1, 1, 0.5)], ids=str
)
def test_every_test_is_strict(cut: DoublePassCut) -> None:
    half = [0.5, 0.5, 0.5, 0.5]
    rows = [[1.0, 0, 0, 0], half] if cut.appending_threshold == 1 else [[1.0, 0, 0, 0], [1.0, 0, 0, 0], half]
    assert breaks(rows, cut)[-1:] == [len(rows) - 1]


def test_the_second_pass_looks_over_an_interruption() -> None:
    rows = [A, A, B, A, A]
    assert breaks(rows, DoublePassCut(0.5, 0.5, 0.95, look_ahead=0)) == [2, 3]
    assert breaks(rows, DoublePassCut(0.5, 0.5, 0.95, look_ahead=1)) == []


@pytest.mark.parametrize(("look_ahead", "expected"), [(1, [1, 2, 3]), (2, []), (4, [])])
def test_it_looks_as_far_ahead_as_it_is_told(look_ahead: int, expected: list[int]) -> None:
    rows = [[1.0, 0, 0], [0, 1.0, 0], [0, 0, 1.0], [1.0, 0, 0]]
    assert breaks(rows, DoublePassCut(0.5, 0.5, 0.5, look_ahead)) == expected


def test_the_nearer_partner_is_tried_first() -> None:
    like_the_first_alone = [0.75, -0.66, 0.0]
    assert breaks([A, AB, like_the_first_alone], DoublePassCut(0.85, 1, 0.5)) == [2]
    assert breaks([A, B, like_the_first_alone], DoublePassCut(0.85, 1, 0.5)) == []


def test_a_partner_further_on_is_taken_where_a_nearer_one_is_not_similar() -> None:
    assert breaks([A, B, A, B], DoublePassCut(0.5, 0.5, 0.4)) == []
    assert breaks([A, B, A, B], DoublePassCut(0.5, 0.5, 0.75)) == [3]


def test_a_zero_row_is_similar_to_nothing() -> None:
    assert breaks([A, ZERO, A], DoublePassCut(-1, -1, -1, look_ahead=0)) == [1, 2]
    assert breaks([A, ZERO, A], DoublePassCut(-1, -1, -1, look_ahead=1)) == []
    assert breaks([ZERO, ZERO, ZERO], DoublePassCut(-1, -1, -1)) == [1, 2]


def test_no_chunk_grows_or_merges_over_the_limit() -> None:
    cut = DoublePassCut(0, 0, 0)
    assert breaks([A] * 6, cut, Limits(2)) == [2, 4]
    assert breaks([A] * 6, cut, Limits(100), [60, 40, 1, 99, 100, 200]) == [2, 4, 5]


def test_a_small_chunk_joins_the_neighbour_it_is_nearest_to() -> None:
    rows = [A, A, A, AB, [0.0, 0.0, 1.0], [0.0, 0.0, 1.0]]
    cut = DoublePassCut(0.9, 0.9, 0.9)
    assert breaks(rows, cut) == [3, 4]
    assert breaks(rows, cut, Limits(None, 2)) == [4]
    assert breaks(rows, cut, Limits(3, 2)) == [3]


@pytest.mark.parametrize("name", ["initial_threshold", "appending_threshold", "merging_threshold"])
@pytest.mark.parametrize("value", [1.01, -1.01, float("nan"), float("inf"), True, "0.5", None])
def test_a_threshold_that_is_no_cosine_is_refused(name: str, value: object) -> None:
    with pytest.raises(SettingError, match=rf"^{name} must be a finite number from -1 to 1, got {value!r}$"):
        DoublePassCut(**{name: value})  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [-1, 1.0, True, None])
def test_a_look_ahead_that_is_no_whole_number_is_refused(value: object) -> None:
    with pytest.raises(SettingError, match=rf"^look_ahead must be a whole number of at least 0, got {value!r}$"):
        DoublePassCut(look_ahead=value)  # type: ignore[arg-type]


def test_a_leftover_joins_what_it_is_most_similar_to() -> None:
    near_a, near_b = [0.9, 0.1, 0.4], [0.1, 0.9, 0.4]
    rows = [A, A, A, near_a, B, B, B]
    assert breaks(rows, DoublePassCut(0.95, 0.95, 0.95)) == [3, 4]
    assert breaks(rows, DoublePassCut(0.95, 0.95, 0.95, min_units=2)) == [4]
    assert breaks([A, A, A, near_b, B, B, B], DoublePassCut(0.95, 0.95, 0.95, min_units=2)) == [3]


def test_a_leftover_that_is_like_nothing_stands_alone() -> None:
    rows = [A, A, A, [0.0, 0.0, 1.0], ZERO, B, B, B]
    assert breaks(rows, DoublePassCut(0.9, 0.9, 0.9, min_units=3)) == [3, 4, 5]


def test_two_short_subjects_stay_apart() -> None:
    assert breaks([A, A, B, B], DoublePassCut()) == [2]


def test_a_leftover_joins_only_where_it_fits() -> None:
    rows = [A, A, A, AB]
    assert breaks(rows, DoublePassCut(0.9, 0.9, 0.9, min_units=2)) == []
    assert breaks(rows, DoublePassCut(0.9, 0.9, 0.9, min_units=2), Limits(max_size=3)) == [3]


def test_chunks_that_became_similar_join_at_last() -> None:
    rows = [A, [0.5, 0.7415, 0.4473], [0.5, 0.7415, -0.4473]]
    assert breaks(rows, DoublePassCut(1, 1, 0.53)) == [1]
    assert breaks(rows, DoublePassCut(1, 1, 0.53, min_units=2, leftover_threshold=1)) == [1]
    tripled = [row for row in rows for _ in range(3)]
    assert breaks(tripled, DoublePassCut(0.9, 0.9, 0.53)) == [3]
    assert breaks(tripled, DoublePassCut(0.9, 0.9, 0.53, min_units=2)) == []


def test_the_published_algorithm_is_what_thresholds_of_ones_own_give() -> None:
    assert DoublePassCut().min_units == 3
    assert DoublePassCut(0.6, 0.8, 0.8).min_units == DoublePassCut(merging_threshold=0.2).min_units == 1
    assert DoublePassCut(0.6, 0.8, 0.8, min_units=2).min_units == 2


def test_no_smallest_chunk_under_one_unit() -> None:
    with pytest.raises(SettingError, match=r"min_units.*0"):
        DoublePassCut(min_units=0)
