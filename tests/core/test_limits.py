"""Limits: whole numbers, the least not over the largest."""

from __future__ import annotations

import pytest

from caesura import Limits, SettingError


@pytest.mark.parametrize("value", [0, -5, True, 10.0, "10", float("nan")])
def test_a_max_size_that_is_no_whole_number_over_0_is_refused(value: object) -> None:
    with pytest.raises(SettingError, match=rf"^max_size must be a whole number of at least 1, got {value!r}$"):
        Limits(max_size=value)  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [-1, True, 1.5, None])
def test_a_min_size_that_is_no_whole_number_is_refused(value: object) -> None:
    with pytest.raises(SettingError, match=rf"^min_size must be a whole number of at least 0, got {value!r}$"):
        Limits(min_size=value)  # type: ignore[arg-type]


def test_a_min_size_over_the_max_size_is_refused() -> None:
    assert Limits(10, 10) == Limits(max_size=10, min_size=10)
    with pytest.raises(SettingError, match=r"^min_size must not be over max_size, got min_size=11 and max_size=10$"):
        Limits(10, 11)
