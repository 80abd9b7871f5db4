"""The background: one threshold for every embedder."""

import pickle

import numpy as np
import pytest
from fakes.embedders.rows_of_words import Counting, embed
from numpy.typing import NDArray

from caesura import Background, EmbeddingError, SettingError, calibrate
from caesura.background import TEXTS


def test_64_texts_make_a_background_no_two_alike() -> None:
    assert len(TEXTS) == len(set(TEXTS)) == 64
    assert all(text.strip() == text and len(text) >= 5 for text in TEXTS)


def test_calibration_is_one_call_with_the_generic_texts() -> None:
    embedder = Counting()
    found = calibrate(embedder)
    assert embedder.calls == [list(TEXTS)]
    assert found == Background.of(embed(TEXTS))


def test_a_background_is_the_mean_of_unit_rows_that_say_something() -> None:
    rows = [[10.0, 0.0], [0.0, 0.5], [0.0, 0.0], [np.nan, 1.0]]
    assert Background.of(rows).mean.tolist() == [0.5, 0.5]


@pytest.mark.parametrize("rows", [np.zeros((3, 2)), np.full((3, 2), np.nan)], ids=["zero", "nan"])
def test_rows_that_say_nothing_make_no_background(rows: np.ndarray) -> None:
    with pytest.raises(
        EmbeddingError, match=r"at least one row must be finite and not zero, got none in 3: check what"
    ):
        Background.of(rows)


def test_an_embedder_that_fails_at_calibration_is_named() -> None:
    said = r"^for Caesura's own 64 sample texts, which calibrate .* before it sees yours: .* \(64, d\), got \(63, 2\)"
    with pytest.raises(EmbeddingError, match=said):
        calibrate(lambda texts: np.ones((len(texts) - 1, 2)))


def test_what_an_embedder_raises_at_calibration_is_its_own_with_a_note_that_the_texts_are_ours() -> None:
    def refuse(texts: list[str]) -> NDArray[np.float32]:
        raise EmbeddingError("wrong key")

    with pytest.raises(EmbeddingError, match=r"^wrong key") as caught:
        calibrate(refuse)
    assert caught.value.__notes__[-1].startswith("it was called for Caesura's own 64 sample texts")


@pytest.mark.parametrize(
    "mean", [[], [[1.0, 2.0]], 3.0, [np.nan], [np.inf, 1.0], "abc", [[1.0], [1.0, 2.0]], None], ids=repr
)
def test_a_background_is_one_row_of_finite_numbers(mean: object) -> None:
    with pytest.raises(SettingError, match="a background is one row of finite numbers"):
        Background(mean)  # type: ignore[arg-type]


@pytest.mark.parametrize("weight", [0, -1, float("nan"), True, "64", None])
def test_a_backgrounds_weight_is_a_number_over_0(weight: object) -> None:
    with pytest.raises(SettingError, match=rf"weight must be a number over 0, inf included, got {weight!r}"):
        Background([1.0], weight)  # type: ignore[arg-type]


def test_a_background_cannot_be_changed() -> None:
    source = np.array([1.0, 2.0])
    found = Background(source)
    source[0] = 9
    assert found.mean.tolist() == [1, 2]
    with pytest.raises(ValueError, match="read-only"):
        found.mean[0] = 9
    with pytest.raises(AttributeError):
        found.mean = source  # type: ignore[misc]


def test_backgrounds_are_equal_where_mean_and_weight_are() -> None:
    assert Background([1, 2]) == Background(np.array([1.0, 2.0]))
    assert Background([1, 2]) != Background([1, 3])
    assert Background([1, 2]) != Background([1, 2], 5)
    assert Background([1, 2]) != [1, 2]


def test_equal_backgrounds_have_equal_hashes() -> None:
    assert hash(Background([1, 2])) == hash(Background([1.0, 2.0]))
    assert Background([0.0]) == Background([-0.0])
    assert hash(Background([0.0])) == hash(Background([-0.0]))


def test_a_background_survives_pickling_read_only() -> None:
    found = pickle.loads(pickle.dumps(Background([1, 2], 7)))
    assert found == Background([1, 2], 7)
    assert not found.mean.flags.writeable


def test_a_background_that_the_embedder_brings_is_its_own_without_a_call() -> None:
    class Brings:
        background = np.array([0.5, 0.25], np.float32)

        def __call__(self, texts: list[str]) -> NDArray[np.float32]:
            raise AssertionError("nothing has to be embedded")

    assert calibrate(Brings()) == Background([0.5, 0.25])
