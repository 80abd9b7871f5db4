"""The core's `Splitter` on spaCy's sentences and vectors: chunks follow the subject, in exact places, within limits."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor

import pytest

pytest.importorskip("spacy.language")

from fakes.embedders.spacy_pipelines import ARTICLE, PARTS, starts, with_vectors
from fakes.texts.drawn_texts import documents
from hypothesis import given, settings

from caesura import DoublePassCut, Limits, Splitter, calibrate
from caesura_documents.spacy import spacy_sentences, spacy_vectors
from caesura_testing import check_chunks, check_embedder, check_segmenter

pytestmark = pytest.mark.thorough

NLP = with_vectors()
EMBED, SEGMENT = spacy_vectors(NLP), spacy_sentences(NLP)
CALIBRATED = Splitter(segment=SEGMENT, background=calibrate(EMBED))


def test_spacys_sentences_and_vectors_keep_the_laws_of_parts() -> None:
    check_segmenter(SEGMENT)
    check_embedder(EMBED)


def test_calibrated_chunks_are_the_subjects() -> None:
    assert [chunk.text for chunk in CALIBRATED.split(ARTICLE, EMBED)] == PARTS


def test_uncentred_at_the_published_thresholds_all_is_one_chunk_where_vectors_lean() -> None:
    published = Splitter(segment=SEGMENT, cut=DoublePassCut(0.4, 0.5, 0.5, confidence=None, structure=0))
    assert [chunk.text for chunk in published.split(ARTICLE, EMBED)] == [ARTICLE]
    higher = Splitter(segment=SEGMENT, cut=DoublePassCut(0.9, 0.9, 0.9, confidence=None, structure=0))
    assert [chunk.text for chunk in higher.split(ARTICLE, EMBED)] == PARTS


def test_units_are_spacys_sentences() -> None:
    batch = CALIBRATED.prepare([ARTICLE])
    assert batch.units[0][:-1].tolist() == starts(NLP, ARTICLE)
    assert len(batch.texts) == 15


@given(documents)
@settings(max_examples=200)
def test_any_text_gives_slices_within_the_limit(text: str) -> None:
    splitter = Splitter(Limits(40), segment=SEGMENT, background=CALIBRATED.background)
    check_chunks(text, splitter.split(text, EMBED), max_size=40)


def test_a_long_text_is_cut_in_one_go() -> None:
    text = "\n\n".join([ARTICLE] * 200)
    chunks = CALIBRATED.split(text, EMBED)
    assert len(chunks) > 200
    assert all(chunk.text == text[chunk.start : chunk.end] for chunk in chunks)


def test_a_splitter_pickles_with_its_pipeline() -> None:
    twin, embed = pickle.loads(pickle.dumps((CALIBRATED, EMBED)))
    assert twin.segment.nlp is embed.nlp
    assert twin.split(ARTICLE, embed) == CALIBRATED.split(ARTICLE, EMBED)


def test_threads_may_share_a_pipeline() -> None:
    texts = [f"{ARTICLE} Number {number}, and word{number}." for number in range(40)]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda text: CALIBRATED.split(text, EMBED), texts)) == CALIBRATED.split_many(texts, EMBED)
