"""Whatever an embedder returned, as rows of its own, as unit rows, or as an error that says what is wrong."""

from collections.abc import Callable
from time import process_time

import numpy as np
import pytest

from caesura import EmbeddingError
from caesura.vectors import as_rows, normalize, stack_rows, unit_rows


@pytest.mark.parametrize(
    ("vectors", "count", "got"),
    [
        (np.zeros((11, 384)), 12, "expected (12, d), got (11, 384)"),
        (np.zeros((3, 4)), 2, "expected (2, d), got (3, 4)"),
        (np.zeros(4), 1, "expected (1, d), got (4,)"),
        (np.zeros((2, 2, 2)), 2, "expected (2, d), got (2, 2, 2)"),
        (np.zeros((2, 0)), 2, "expected (2, d), got (2, 0)"),
        ([], 2, "expected (2, d), got (0,)"),
        ([[]], 1, "expected (1, d), got (1, 0)"),
        ([[1.0]], 0, "expected (0, d), got (1, 1)"),
        ([["a", "b"]], 1, "expected (1, d), got an array of <U1"),
        ([[1j]], 1, "expected (1, d), got an array of complex128"),
        ([[True]], 1, "expected (1, d), got an array of bool"),
        (None, 1, "expected (1, d), got an array of object"),
        ((row for row in [[1.0]]), 1, "expected (1, d), got an array of object"),
    ],
    ids=lambda value: str(value).partition(" at 0x")[0],
)
def test_anything_but_one_row_per_text_is_refused_by_its_shape(vectors: object, count: int, got: str) -> None:
    with pytest.raises(EmbeddingError) as caught:
        as_rows(vectors, count)
    assert str(caught.value) == f"embed() must return one row per text: {got}"


def test_the_exception_of_a_time_limit_is_no_fault_of_the_rows() -> None:
    class TimeLimitError(Exception):
        """What a signal's handler raises, here while the rows are read."""

    class Rows:
        def __array__(self, *_: object, **__: object) -> np.ndarray:
            raise TimeLimitError

    with pytest.raises(TimeLimitError):
        as_rows(Rows(), 1)


def test_ragged_rows_are_refused() -> None:
    with pytest.raises(EmbeddingError, match=r"rows of one length: expected \(2, d\), got rows that do not stack"):
        as_rows([[1.0, 2.0], [1.0]], 2)


@pytest.mark.parametrize("nothing", [[], (), np.zeros((0, 5)), np.zeros((0, 0))], ids=str)
def test_no_texts_have_no_rows(nothing: object) -> None:
    assert len(as_rows(nothing, 0)) == 0


@pytest.mark.parametrize("odd", [np.nan, np.inf, -np.inf, 1e300])
def test_a_row_that_float32_cannot_hold_is_zero(odd: float) -> None:
    assert as_rows([[3.0, 4.0], [odd, 1.0]], 2).tolist() == [[3, 4], [0, 0]]
    assert unit_rows(as_rows([[3.0, 4.0], [odd, 1.0]], 2)).tolist() == [
        [pytest.approx(0.6), pytest.approx(0.8)],
        [0, 0],
    ]


def test_rows_whose_sum_float32_cannot_hold_are_kept() -> None:
    largest = float(np.finfo(np.float32).max)
    assert as_rows([[largest, largest], [1.0, 0.0], [np.nan, 1.0]], 3).tolist() == [[largest] * 2, [1, 0], [0, 0]]
    assert as_rows([[largest, largest]], 1).tolist() == [[largest] * 2]


@pytest.mark.parametrize(
    "rows", [[[3, 4]], [[3.0, 4.0]], np.array([[3, 4]], np.float16), np.array([[3, 4]], np.uint8)], ids=str
)
def test_numbers_of_any_kind_are_taken(rows: object) -> None:
    found = as_rows(rows, 1)
    assert found.dtype == np.float32
    assert found.tolist() == [[3, 4]]


def test_lists_of_floats_become_the_rows_that_numpy_makes_of_them() -> None:
    odd = [[1.0, True, 2, np.float32(0.1)], [0.1, 1e-300, -0.0, 2**60 + 1], [np.nan, 1e300, -np.inf, 3]]
    for rows in (odd, odd[1:], np.random.default_rng(0).normal(size=(9, 7)).tolist()):
        with np.errstate(over="ignore"):
            expected = np.asarray(rows).astype(np.float32)
        assert stack_rows(rows, len(rows)).tobytes() == expected.tobytes()
        assert stack_rows(rows, len(rows)).flags.writeable
    for wrong in ([[1.0, "2"]], [[1.0, None]], [[1.0, 2**2000]], [[1.0, 1j]], [[1.0, [2.0]]]):
        with pytest.raises(EmbeddingError):
            stack_rows(wrong, 1)


def test_lists_of_floats_are_read_in_less_time_than_numpy_takes() -> None:
    rows = np.random.default_rng(0).normal(size=(400, 384)).tolist()

    def best(read: Callable[[], object]) -> float:
        times = []
        for _ in range(9):
            started = process_time()
            read()
            times.append(process_time() - started)
        return min(times)

    assert best(lambda: stack_rows(rows, 400)) < 0.85 * best(lambda: np.asarray(rows).astype(np.float32))


@pytest.mark.parametrize("scale", [1e-44, 1e-30, 1.0, 1e38])
def test_rows_of_any_length_become_rows_of_length_1(scale: float) -> None:
    with np.errstate(all="raise", under="ignore"):
        rows = normalize(np.array([[scale, 0, -scale], [0, 0, 0]], np.float32))
    assert np.allclose(rows, [[0.5**0.5, 0, -(0.5**0.5)], [0, 0, 0]], atol=1e-6)
