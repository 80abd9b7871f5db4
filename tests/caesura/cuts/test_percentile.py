"""The percentile cut: gap scores, a threshold, and limits after it."""

import numpy as np
import pytest

from caesura import Adjacent, Count, Limits, PercentileCut, SettingError

ROWS = np.array([[1, 0], [1, 0], [0, 1], [0, 1], [0, 0], [1, 0]], np.float32)
ALIKE = np.ones(6, np.intp)


@pytest.mark.parametrize("parts", [{"gaps": 3}, {"threshold": 95}, {"threshold": "percentile"}], ids=str)
def test_a_part_of_the_cut_that_is_not_callable_is_refused(parts: dict[str, object]) -> None:
    with pytest.raises(SettingError, match=f"{next(iter(parts))} must be"):
        PercentileCut(**parts)  # type: ignore[arg-type]


def test_limits_hold_after_the_threshold() -> None:
    cut = PercentileCut(Adjacent(1), Count(1))
    assert cut(ROWS, ALIKE, Limits()).tolist() == []
    assert cut(ROWS, ALIKE, Limits(3)).tolist() == [2, 4]
    assert PercentileCut(Adjacent(1), Count(6))(ROWS, ALIKE, Limits(None, 2)).tolist() == [2]
