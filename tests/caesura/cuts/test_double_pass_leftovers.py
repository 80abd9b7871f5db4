"""Double-pass merging after its two passes, where what is left over joins; and the settings that it refuses."""

import numpy as np
import pytest
from fakes.embedders.rows import A, blocks, breaks

from caesura import DoublePassCut, Limits, SettingError

AB = [0.6, 0.8, 0.0]


@pytest.mark.parametrize("name", ["initial_threshold", "appending_threshold", "merging_threshold"])
@pytest.mark.parametrize("value", [1.01, -1.01, float("nan"), float("inf"), True, "0.5", None])
def test_a_threshold_that_is_no_cosine_is_refused(name: str, value: object) -> None:
    with pytest.raises(SettingError, match=rf"^{name} must be a finite number from -1 to 1, got {value!r}$"):
        DoublePassCut(**{name: value})  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [-1, 1.0, True, None])
def test_a_look_ahead_that_is_no_whole_number_is_refused(value: object) -> None:
    with pytest.raises(SettingError, match=rf"^look_ahead must be a whole number of at least 0, got {value!r}$"):
        DoublePassCut(look_ahead=value)  # type: ignore[arg-type]


def test_a_sentence_left_over_joins_its_subject() -> None:
    """The published passes leave the first sentence of each subject alone: it is not like the second."""
    rows = blocks([8, 8], 0.1)
    odd = np.array(rows[0])
    odd[:4] = [0.5, 0, 0.6, 0.6]
    rows[[0, 8]] = odd / np.linalg.norm(odd), rows[8] * 0.5 + 0.5 * np.eye(12)[5]
    assert len(breaks(rows, DoublePassCut(0.95, 0.9, 0.95, confidence=None))) > 2
    assert breaks(rows, DoublePassCut(0.95, 0.9, 0.95)) == [8]


def test_two_short_subjects_stay_apart() -> None:
    assert breaks(blocks([5, 5]), DoublePassCut()) == [5]


def test_what_is_left_over_joins_only_where_it_fits() -> None:
    rows = blocks([8, 8], 0.3)
    assert len(breaks(rows, DoublePassCut(0.9, 0.9, 0.9, confidence=None))) > 8
    assert breaks(rows, DoublePassCut(0.9, 0.9, 0.9)) == [8]
    found = breaks(rows, DoublePassCut(0.9, 0.9, 0.9), Limits(max_size=5))
    assert len(found) == 3
    assert max(np.diff([0, *found, 16])) <= 5


def test_the_end_of_a_paragraph_counts_in_every_pass() -> None:
    rows, sizes = np.array([A, AB, A, AB], np.float32), np.ones(4, np.intp)
    shown = np.array([0.0, 3.0, 0.0])
    for share, expected in ((0.0, []), (0.3, [2])):
        for thresholds in ((0.5, 0.8, 0.9), (0.5, -1, 0.9)):
            cut = DoublePassCut(*thresholds, look_ahead=0, confidence=None, structure=share)
            assert cut.within(rows, sizes, Limits(), shown).tolist() == (expected if thresholds[1] > 0 else [])
    assert DoublePassCut(0.65, 1, 0.7, 0, None).within(rows, sizes, Limits(), shown).tolist() == []
    assert DoublePassCut(0.65, 1, 0.8, 0, None).within(rows, sizes, Limits(), shown).tolist() == [2]
