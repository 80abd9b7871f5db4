"""What the optimal cut is told of a text beside its rows: where paragraphs end, and which units are short."""

from __future__ import annotations

import numpy as np
import pytest
from fakes.embedders.rows import A, B

from caesura import Limits, OptimalCut, Splitter
from caesura.cuts.scores.noise import reliability_weights


def test_the_end_of_a_paragraph_takes_off_the_penalty() -> None:
    rows, sizes = np.array([A, A, B, B], np.float32), np.ones(4, np.intp)
    assert OptimalCut(penalty=1.9).within(rows, sizes, Limits(), np.array([0.0, 1, 0])).tolist() == [2]
    assert OptimalCut(penalty=1.9, structure=0).within(rows, sizes, Limits(), np.array([0.0, 1, 0])).tolist() == []
    assert OptimalCut(penalty=1.7).within(rows, sizes, Limits(), np.array([1.0, 0, 0])).tolist() == []
    assert OptimalCut(penalty=1.7).within(rows, sizes, Limits(), np.array([1.0, 1, 1])).tolist() == [2]


def test_a_splitter_shows_it_where_paragraphs_end() -> None:
    def embed(texts: list[str]) -> list[list[float]]:
        return [A if "tide" in text else B for text in texts]

    text = "A tide. High tide.{}Low tax. New tax."
    splitter = Splitter(cut=OptimalCut(penalty=1.8))
    assert [len(splitter.split(text.format(gap), embed)) for gap in (" ", "\n", "\n\n", "\n\n# On tax\n\n")] == [
        1,
        2,
        2,
        2,
    ]
    surer = Splitter(cut=OptimalCut(penalty=2.0))
    assert [len(surer.split(text.format(gap), embed)) for gap in ("\n\n", "\n\n# On tax\n\n")] == [1, 2]


def test_short_units_count_less() -> None:
    assert reliability_weights(np.array([5, 5, 5]), 0.25).tolist() == pytest.approx([1, 1, 1])
    assert reliability_weights(np.array([1, 100]), 0).tolist() == [1, 1]
    assert reliability_weights(np.array([0, 0]), 0.25).tolist() == [1, 1]
    low, high = reliability_weights(np.array([10, 100]), 0.25)
    assert 0.4 < low / high < 0.6
    assert low + high == pytest.approx(2)
    assert reliability_weights(np.array([10, 30]), 1e9).tolist() == pytest.approx([0.5, 1.5])
