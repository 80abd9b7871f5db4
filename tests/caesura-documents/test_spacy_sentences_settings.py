"""Pipelines and texts that `spacy_sentences` refuses, each with the remedy; it pickles, and is a value."""

from __future__ import annotations

import pickle
from copy import deepcopy
from typing import Any

import pytest

pytest.importorskip("spacy.language")

import spacy
from fakes.embedders.spacy_pipelines import PROSE, blank
from spacy.language import Language

from caesura import SettingError
from caesura_documents.spacy import spacy_sentences

pytestmark = pytest.mark.thorough


def test_a_text_over_the_maximum_is_refused_with_the_remedy() -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.max_length = 12
    segment = spacy_sentences(nlp)
    with pytest.raises(SettingError, match=r"16 characters, over nlp\.max_length=12.*nlp\.max_length = 16"):
        segment("One. Two. Three.")
    nlp.max_length = 16
    assert segment("One. Two. Three.").tolist() == [0, 5, 10, 16]


def test_a_pipeline_without_boundaries_is_refused_with_the_remedy() -> None:
    nlp = spacy.blank("en")
    with pytest.raises(SettingError, match=r'sentence boundaries.*nlp\.add_pipe\("sentencizer"\)'):
        spacy_sentences(nlp)("One. Two.")
    nlp.add_pipe("sentencizer")
    assert spacy_sentences(nlp)("One. Two.").tolist() == [0, 5, 9]


@pytest.mark.parametrize("value", [None, "en_core_web_md", spacy, Language])
def test_what_is_no_pipeline_is_refused(value: Any) -> None:
    with pytest.raises(SettingError, match=r"nlp must be a spaCy pipeline, as spacy\.load"):
        spacy_sentences(value)


@pytest.mark.parametrize("copied", [lambda it: pickle.loads(pickle.dumps(it)), deepcopy])
def test_it_pickles_with_its_pipeline(copied: Any) -> None:
    segment = spacy_sentences(blank())
    twin = copied(segment)
    assert type(twin) is spacy_sentences
    assert twin(PROSE["en"]).tolist() == segment(PROSE["en"]).tolist()


def test_it_is_a_value() -> None:
    assert spacy_sentences(blank()) == spacy_sentences(blank())
    assert spacy_sentences(blank()) != spacy_sentences(blank("de"))
    assert len({spacy_sentences(blank()), spacy_sentences(blank())}) == 1
    with pytest.raises(AttributeError):
        spacy_sentences(blank()).nlp = None  # type: ignore[misc]
