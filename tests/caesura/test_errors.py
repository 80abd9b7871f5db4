"""Every error is a CaesuraError and a ValueError, and says what was needed, what came and what to do."""

import pickle
import sys
from fractions import Fraction

import numpy as np
import pytest

from caesura import CaesuraError, EmbeddingError, SegmentError, SettingError
from caesura.checks import check_int, check_number
from caesura.errors import ReplyError


@pytest.mark.parametrize("kind", [SettingError, EmbeddingError, SegmentError, ReplyError])
def test_an_error_is_ours_and_a_value_error_and_survives_pickling(kind: type[CaesuraError]) -> None:
    assert issubclass(kind, CaesuraError)
    assert issubclass(kind, ValueError)
    copy = pickle.loads(pickle.dumps(kind("what came")))
    assert type(copy) is kind
    assert copy.args == ("what came",)


def test_a_whole_number_that_no_array_holds_is_refused() -> None:
    with pytest.raises(SettingError, match=rf"^n must be a whole number of at most {sys.maxsize}, got {2**63}$"):
        check_int("n", 2**63, 0)


@pytest.mark.parametrize("value", [0, 7, np.int64(3), sys.maxsize])
def test_a_whole_number_passes(value: int) -> None:
    check_int("count", value, 0)


@pytest.mark.parametrize("value", [-1, True, False, 1.0, "1", None, np.float32(2), float("nan"), np.True_])
def test_what_is_no_whole_number_is_named_in_the_error(value: object) -> None:
    with pytest.raises(SettingError) as caught:
        check_int("count", value, 0)
    assert str(caught.value) == f"count must be a whole number of at least 0, got {value!r}"


@pytest.mark.parametrize("value", [-1, 1, 0.5, np.float32(0.25), Fraction(1, 3)])
def test_a_number_within_its_range_passes(value: float) -> None:
    check_number("threshold", value, -1, 1)


@pytest.mark.parametrize(
    "value", [1.01, -2, float("nan"), float("inf"), True, "0.5", None, 1j, pytest.param(10**400, id="10**400")]
)
def test_what_is_no_number_in_its_range_is_named_in_the_error(value: object) -> None:
    with pytest.raises(SettingError) as caught:
        check_number("threshold", value, -1, 1)
    assert str(caught.value) == f"threshold must be a finite number from -1 to 1, got {value!r}"


def test_of_a_range_those_ends_are_spelled_out_that_it_has() -> None:
    with pytest.raises(SettingError, match=r"^penalty must be a finite number of at least 0, got -1$"):
        check_number("penalty", -1, 0, float("inf"))
    with pytest.raises(SettingError, match=r"^amount must be a finite number, got nan$"):
        check_number("amount", float("nan"), float("-inf"), float("inf"))
