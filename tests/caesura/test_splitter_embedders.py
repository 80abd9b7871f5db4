"""What an embedder may return to a Splitter: too few rows, ragged, of nothing, of another width, or an exception."""

from __future__ import annotations

import numpy as np
import pytest
from fakes.embedders.rows_of_words import embed
from fakes.splitters.every_stop import EVERY_STOP, TEXT, pieces
from fakes.texts.drawn_texts import at_stops

from caesura import DoublePassCut, EmbeddingError, Limits, PercentileCut, Splitter, calibrate


def test_too_few_vectors_are_refused_with_both_counts() -> None:
    with pytest.raises(EmbeddingError, match=r"one row per text: expected \(5, d\), got \(4, 8\)"):
        EVERY_STOP.split(TEXT, lambda texts: embed(texts)[1:])


def test_ragged_vectors_are_refused() -> None:
    with pytest.raises(EmbeddingError, match=r"rows of one length: expected \(5, d\)"):
        EVERY_STOP.split(TEXT, lambda texts: [[1.0] * (1 + place % 2) for place, _ in enumerate(texts)])


@pytest.mark.parametrize("value", [0.0, np.nan, np.inf])
@pytest.mark.parametrize(
    "cut", [DoublePassCut(), PercentileCut(), DoublePassCut(-1, -1, -1, confidence=None, structure=0)], ids=str
)
def test_rows_that_say_nothing_lose_no_text(value: float, cut: object) -> None:
    splitter = Splitter(segment=at_stops, cut=cut, limits=Limits(30))
    chunks = splitter.split(TEXT, lambda texts: np.full((len(texts), 3), value))
    assert "".join("".join(chunk.text.split()) for chunk in chunks) == "".join(TEXT.split())


@pytest.mark.parametrize("value", [0.0, np.nan])
def test_a_row_that_says_nothing_joins_no_neighbour(value: float) -> None:
    rows = np.array([[1.0, 0], [1, 0], [value, value], [1, 0], [1, 0]])
    splitter = Splitter(segment=at_stops, cut=DoublePassCut(0, 0, 0, look_ahead=0, confidence=None, structure=0))
    assert len(pieces(splitter, TEXT, lambda texts: rows)) == 3


def test_a_dimension_that_changes_between_calls_is_refused() -> None:
    widths = iter(range(2, 99))
    with pytest.raises(EmbeddingError, match=r"rows of one length in every call, got \[2, 3, 4\]"):
        EVERY_STOP.split(TEXT, lambda texts: np.ones((len(texts), next(widths))), batch_size=2)


def test_a_dimension_that_changed_since_calibration_is_refused() -> None:
    splitter = Splitter(background=calibrate(embed))
    with pytest.raises(
        EmbeddingError, match=r"these texts they have 3 numbers, .* its background was made of 8; give one embedder"
    ):
        splitter.split(TEXT, lambda texts: np.ones((len(texts), 3)))


def test_an_exception_in_the_middle_comes_out_with_the_texts_it_was_for() -> None:
    calls = []

    def broken(texts: list[str]) -> object:
        calls.append(texts)
        if len(calls) == 2:
            raise TimeoutError("no answer")
        return embed(texts)

    with pytest.raises(TimeoutError, match="no answer") as caught:
        EVERY_STOP.split_many([TEXT, TEXT], broken, batch_size=4)
    assert caught.value.__notes__ == ["raised by the embedder for texts 4 to 7 of 10"]
    assert len(calls) == 2


def test_finish_refuses_vectors_for_other_texts() -> None:
    batch = EVERY_STOP.prepare([TEXT])
    with pytest.raises(EmbeddingError, match=r"expected \(5, d\), got \(6, 2\)"):
        EVERY_STOP.finish(batch, np.ones((6, 2)))
