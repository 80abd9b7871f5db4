"""Pipelines and texts that `spacy_vectors` refuses, each with the remedy; it pickles with its table."""

from __future__ import annotations

import pickle
from copy import deepcopy
from typing import Any

import numpy as np
import pytest

pytest.importorskip("spacy.language")

import spacy
from fakes.embedders.spacy_pipelines import PARTS, blank, with_vectors
from spacy.language import Language
from spacy.tokens import Doc

from caesura import SettingError
from caesura_documents.spacy import spacy_vectors

pytestmark = pytest.mark.thorough

NLP = with_vectors()


@Language.component("caesura_nothing")
def nothing(doc: Doc) -> Doc:
    return doc


def test_a_pipeline_without_vectors_is_refused_with_the_remedy() -> None:
    with pytest.raises(SettingError, match=r"must have word vectors.*en_core_web_md"):
        spacy_vectors(blank())


def test_a_pipeline_that_turns_out_to_have_none_is_refused_at_the_first_text() -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("caesura_nothing")
    with pytest.raises(SettingError, match="en_core_web_md"):
        spacy_vectors(nlp)(["one"])


def test_the_working_state_of_a_small_model_is_no_vector() -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("tok2vec")
    nlp.initialize()
    assert nlp("one two").tensor.size
    with pytest.raises(SettingError, match="_sm, have none"):
        spacy_vectors(nlp)
    nlp.add_pipe("caesura_nothing")
    with pytest.raises(SettingError, match="en_core_web_md"):
        spacy_vectors(nlp)(["one two"])


def test_a_text_over_the_maximum_is_refused_with_the_remedy() -> None:
    nlp = with_vectors()
    nlp.max_length = 5
    with pytest.raises(SettingError, match=r"9 characters, over nlp\.max_length=5"):
        spacy_vectors(nlp)(["ship", "ship mast"])


@pytest.mark.parametrize("value", [None, "en_core_web_md", spacy.blank("en").vocab])
def test_what_is_no_pipeline_is_refused(value: Any) -> None:
    with pytest.raises(SettingError, match=r"nlp must be a spaCy pipeline"):
        spacy_vectors(value)


@pytest.mark.parametrize("copied", [lambda it: pickle.loads(pickle.dumps(it)), deepcopy])
def test_it_pickles_with_its_table(copied: Any) -> None:
    twin = copied(spacy_vectors(NLP))
    np.testing.assert_array_equal(twin(PARTS), spacy_vectors(NLP)(PARTS))
