"""What a split shows of its work: scores, centred rows, vectors of chunks."""

from __future__ import annotations

import numpy as np
import pytest
from fakes.embedders.rows_of_words import embed
from fakes.splitters.every_stop import EVERY_STOP, TEXT, pieces, segmented
from fakes.texts.drawn_texts import at_stops

from caesura import Background, Count, DoublePassCut, OptimalCut, PercentileCut, Splitter, calibrate


def test_scores_are_given_for_the_gaps_before_units_that_are_not_blank() -> None:
    made = segmented(Splitter(segment=at_stops, cut=PercentileCut(threshold=Count(2))), "\nCats\n\n\nTaxes\n\n")
    assert made.sizes.tolist() == [0, 4, 0, 0, 8, 0]
    assert made.gaps is not None
    assert np.isneginf(made.gaps).tolist() == [True, True, True, False, True]
    assert made.breaks.tolist() == [4]
    assert segmented(EVERY_STOP, TEXT).gaps is None


def test_a_background_changes_what_is_alike() -> None:
    rows = np.array([[1.0, 0.2], [1.0, 0.1], [1.0, -0.2], [1.0, -0.1], [1.0, -0.3]])
    cut = DoublePassCut(0, 0, 0, confidence=None, structure=0)
    plain = Splitter(segment=at_stops, cut=cut)
    centred = Splitter(segment=at_stops, cut=cut, background=Background([1.0, 0.0], float("inf")))
    assert len(pieces(plain, TEXT, lambda texts: rows)) == 1
    assert pieces(centred, TEXT, lambda texts: rows) == ["A cat sat. It purred.", "Taxes rose! Why? Nobody knew."]


def test_the_weight_of_a_background_reaches_the_cut() -> None:
    rows = np.array([[1.0, 0.2], [1.0, 0.1], [1.0, -0.2], [1.0, -0.1], [1.0, -0.3]])
    for weight, count in ((1e-6, 2), (float("inf"), 1)):
        splitter = Splitter(
            segment=at_stops,
            cut=DoublePassCut(0, 0, 0, confidence=None, structure=0),
            background=Background([-1.0, 0.0], weight),
        )
        assert len(pieces(splitter, TEXT, lambda texts: rows)) == count


def test_a_document_is_centred_on_its_own_rows_only() -> None:
    splitter = Splitter(segment=at_stops, background=calibrate(embed))
    documents = [TEXT, "Something else. Of cats and taxes.", TEXT[::-1]]
    assert splitter.split_many(documents, embed) == [splitter.split(document, embed) for document in documents]


def test_chunk_vectors_come_from_the_embedders_own_rows() -> None:
    splitter = Splitter(
        segment=at_stops, cut=DoublePassCut(-1, -1, -1, confidence=None, structure=0), background=Background([9.0, 9.0])
    )
    made = segmented(splitter, "One. Three.", lambda texts: [[2.0, 0.0], [0.0, 4.0]])
    assert len(made.chunks()) == 1
    (row,) = made.vectors()
    assert row[1] / row[0] == pytest.approx(7**0.5 * 4 / (4**0.5 * 2))
    assert np.linalg.norm(row) == pytest.approx((4**0.5 * 2 + 7**0.5 * 4) / (4**0.5 + 7**0.5))


def test_chunk_vectors_of_unit_rows_have_length_1_and_zero_rows_do_not_count() -> None:
    rows = [[0.6, 0.8], [0.0, 0.0], [1.0, 0.0]]
    made = segmented(Splitter(segment=at_stops, cut=OptimalCut(n_chunks=1)), "One. Two. Three.", lambda texts: rows)
    assert np.linalg.norm(made.vectors(), axis=1).tolist() == [pytest.approx(1)]
    silent = segmented(Splitter(segment=at_stops), "One. Two.", lambda texts: [[0.0, 0.0]] * 2)
    assert not silent.vectors().any()
