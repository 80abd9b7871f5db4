"""Double-pass merging after its two passes, where leftovers join; and the settings that it refuses."""

import pytest
from fakes.rows import A, B, breaks

from caesura import DoublePassCut, Limits, SettingError

AB, ZERO = [0.6, 0.8, 0.0], [0.0, 0.0, 0.0]


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
    assert breaks(rows, DoublePassCut(0.95, 0.95, 0.95, confidence=None, structure=0)) == [3, 4]
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
    assert breaks(rows, DoublePassCut(1, 1, 0.53, confidence=None, structure=0)) == [1]
    assert breaks(rows, DoublePassCut(1, 1, 0.53, min_units=2, leftover_threshold=1)) == [1]
    tripled = [row for row in rows for _ in range(3)]
    assert breaks(tripled, DoublePassCut(0.9, 0.9, 0.53, confidence=None, structure=0)) == [3]
    assert breaks(tripled, DoublePassCut(0.9, 0.9, 0.53, min_units=2)) == []


def test_thresholds_of_ones_own_leave_the_other_defaults_as_they_are() -> None:
    assert DoublePassCut().min_units == DoublePassCut(merging_threshold=0.4).min_units == 3
    assert DoublePassCut(0.6, 0.8, 0.8, confidence=None, structure=0).min_units == 1


def test_no_smallest_chunk_under_one_unit() -> None:
    with pytest.raises(SettingError, match=r"min_units.*0"):
        DoublePassCut(min_units=0)
