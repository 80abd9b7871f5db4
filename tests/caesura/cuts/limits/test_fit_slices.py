"""Chunks that measure too much as they are returned, halved until they fit."""

import naive.breaks
import numpy as np
import pytest

from caesura.cuts.limits.fit import fit_slices


def sliced(breaks: list[int], sizes: list[int], longest: int) -> list[int]:
    return fit_slices(np.array(breaks, np.intp), np.array(sizes), lambda a, b: b - a <= longest).tolist()


def test_slices_that_fit_keep_their_breaks() -> None:
    assert sliced([1, 4], [1, 1, 1, 1, 1], 3) == [1, 4]
    assert sliced([], [1], 0) == []
    assert sliced([], [], 0) == []


@pytest.mark.parametrize(
    "sizes", [[1, 1], [1, 1, 1, 1], [5, 4, 1], [1, 4, 5], [1, 1, 10], [10, 1, 1], [3, 1, 1, 1, 3, 3]], ids=str
)
def test_a_slice_that_does_not_fit_is_halved_where_its_parts_are_most_even(sizes: list[int]) -> None:
    (cut,) = sliced([], sizes, len(sizes) - 1)
    assert abs(sum(sizes[:cut]) - sum(sizes[cut:])) == min(
        abs(sum(sizes[:at]) - sum(sizes[at:])) for at in range(1, len(sizes))
    )


def test_halving_goes_on_until_every_slice_fits() -> None:
    made = sliced([3], [7, 1, 1, 1, 1, 1, 9, 1, 1], 2)
    assert 3 in made
    assert all(end - start <= 2 for start, end in naive.breaks.groups(made, 9))


def test_a_unit_alone_is_never_asked_about() -> None:
    asked: list[tuple[int, int]] = []
    fit_slices(np.array([1]), np.array([1, 1, 1]), lambda a, b: bool(asked.append((a, b))))
    assert asked == [(1, 3)]
