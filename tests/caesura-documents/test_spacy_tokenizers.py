"""A tokenizer that loses whitespace gives exact positions; one that changes the text is refused."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("spacy.language")

import spacy
from spacy.tokens import Doc

from caesura import SegmentError
from caesura.edges import spans
from caesura_documents.spacy import spacy_sentences

pytestmark = pytest.mark.thorough


class Spaced:
    """A tokenizer that forgets how many spaces there were, as some of those for subwords do; or the case too."""

    def __init__(self, nlp: Any, change: Any = str) -> None:
        self.nlp, self.change = nlp, change

    def __call__(self, text: str) -> Doc:
        return Doc(self.nlp.vocab, words=[self.change(word) for word in text.split()])


def test_a_tokenizer_that_loses_whitespace_gives_exact_positions_all_the_same() -> None:
    nlp = spacy.blank("en")
    nlp.tokenizer = Spaced(nlp)
    nlp.add_pipe("sentencizer", config={"punct_chars": ["end"]})
    text = "  one end   two  end\n\nthree "
    edges = spacy_sentences(nlp)(text)
    assert [text[start:end] for start, end in spans(edges)] == ["  one end   ", "two  end\n\n", "three "]


def test_a_tokenizer_that_changes_the_text_is_refused_at_the_place() -> None:
    nlp = spacy.blank("en")
    nlp.tokenizer = Spaced(nlp, str.lower)
    nlp.add_pipe("sentencizer", config={"punct_chars": ["end"]})
    with pytest.raises(SegmentError, match=r"(?s)spaCy's tokens must be the text.*at 4 .*\^"):
        spacy_sentences(nlp)("one End two")
