"""`spacy_vectors`: rows equal spaCy's own `doc.vector`, for as little work as that takes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("spacy.language")

import spacy
from fakes.embedders.spacy_pipelines import ARTICLE, PARTS, WIDTH, with_vectors
from fakes.texts.drawn_texts import documents
from hypothesis import given
from spacy.language import Language
from spacy.pipeline import Sentencizer
from spacy.tokens import Doc
from spacy.vectors import Vectors

from caesura_documents.spacy import spacy_vectors

pytestmark = pytest.mark.thorough

NLP = with_vectors()
TEXTS = [*PARTS, "ship", "The ship, the oven.", "Ship SHIP", "zzz qqq", "", " ", "\n", "a\x00b ship"]


def test_rows_are_spacys_own() -> None:
    rows = spacy_vectors(NLP)(TEXTS)
    assert rows.shape == (len(TEXTS), WIDTH)
    assert rows.dtype == np.float32
    for row, text in zip(rows, TEXTS, strict=True):
        np.testing.assert_array_equal(row, NLP(text).vector)
    assert not rows[TEXTS.index("zzz qqq")].any()
    assert not rows[TEXTS.index("")].any()


def test_no_texts_give_no_rows_of_the_tables_width() -> None:
    assert spacy_vectors(NLP)([]).shape == (0, WIDTH)


@given(documents)
def test_any_text_has_a_finite_row(text: str) -> None:
    rows = spacy_vectors(NLP)([text])
    assert rows.shape == (1, WIDTH)
    assert np.isfinite(rows).all()


def test_where_vectors_are_of_words_nothing_is_run_but_the_tokenizer(monkeypatch: Any) -> None:
    def run(*_: Any) -> Any:
        raise AssertionError("the pipeline was run")

    expected = spacy_vectors(NLP)([ARTICLE])
    monkeypatch.setattr(Sentencizer, "__call__", run)
    monkeypatch.setattr(Sentencizer, "pipe", run)
    np.testing.assert_array_equal(spacy_vectors(NLP)([ARTICLE]), expected)


@Language.component("caesura_drop_half")
def drop_half(doc: Doc) -> Doc:
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[: len(doc) // 2 + 1])
    return doc


@Language.component("caesura_counted")
def counted(doc: Doc) -> Doc:
    doc.user_hooks["vector"] = lambda doc: np.array([len(doc), doc.text.count("e"), 1.0])
    return doc


@Language.component("caesura_given")
def given_vector(doc: Doc) -> Doc:
    doc.vector = np.array([len(doc), 2.0], np.float32)
    return doc


@pytest.mark.parametrize("name", ["caesura_drop_half", "caesura_counted", "merge_entities", "caesura_given"])
def test_where_a_component_may_change_them_it_is_run(name: str) -> None:
    nlp = with_vectors()
    if name == "merge_entities":
        nlp.add_pipe("entity_ruler").add_patterns([{"label": "X", "pattern": "ship mast"}])
    nlp.add_pipe(name)
    rows = spacy_vectors(nlp)(TEXTS[:6])
    np.testing.assert_array_equal(rows, np.stack([doc.vector for doc in nlp.pipe(TEXTS[:6])]).astype(np.float32))
    assert rows.shape[1:] != (WIDTH,) or not np.array_equal(rows, spacy_vectors(NLP)(TEXTS[:6]))


@pytest.mark.parametrize("name", ["caesura_counted", "caesura_given"])
def test_vectors_of_a_component_need_no_table(name: str) -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe(name)
    assert spacy_vectors(nlp)(["one two", "three"])[:, 0].tolist() == [2, 1]


def test_a_table_by_another_attribute_is_read_as_spacy_reads_it() -> None:
    for attribute in ("LOWER", "NORM"):
        nlp = spacy.blank("en")
        nlp.vocab.vectors = Vectors(strings=nlp.vocab.strings, shape=(4, 3), attr=attribute)
        nlp.vocab.vectors.add("ship", vector=np.array([1, 2, 3], np.float32))
        rows = spacy_vectors(nlp)(["SHIP", "ship sail"])
        np.testing.assert_array_equal(rows, np.stack([nlp("SHIP").vector, nlp("ship sail").vector]))
        assert rows.any(axis=1).all()
