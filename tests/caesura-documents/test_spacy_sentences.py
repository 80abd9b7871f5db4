"""`spacy_sentences`: units start where spaCy's own sentences start, and tile any text."""

from __future__ import annotations

import pytest

pytest.importorskip("spacy.language")

from fakes.embedders.spacy_pipelines import PROSE, blank, starts
from fakes.texts.drawn_texts import documents
from hypothesis import given, settings

from caesura.edges import is_tiling, spans
from caesura_documents.spacy import spacy_sentences

pytestmark = pytest.mark.thorough


@pytest.mark.parametrize("language", PROSE)
def test_units_start_where_spacys_sentences_start(language: str) -> None:
    nlp, text = blank(language), PROSE[language]
    edges = spacy_sentences(nlp)(text)
    assert edges[:-1].tolist() == [sentence.start_char for sentence in nlp(text).sents]
    assert is_tiling(edges, len(text))
    assert len(edges) > 3


@pytest.mark.parametrize("language", ["en", "zh", "ar", "xx"])
@given(documents)
@settings(max_examples=200)
def test_any_text_is_tiled_where_spacy_cuts_it(language: str, text: str) -> None:
    nlp = blank(language)
    edges = spacy_sentences(nlp)(text)
    assert is_tiling(edges, len(text))
    units = [text[start:end] for start, end in spans(edges)]
    assert all(unit.strip() for unit in units) or not text.strip()
    shown = "".join("\ufffd" if "\ud800" <= mark <= "\udfff" else mark for mark in text)
    if text.strip():
        assert edges[:-1].tolist() == starts(nlp, shown)


@pytest.mark.parametrize(
    ("text", "units"),
    [
        ("", []),
        (" ", [" "]),
        ("\n\n \t", ["\n\n \t"]),
        ("One. Two.", ["One. ", "Two."]),
        ("  One.   Two.  ", ["  One. ", "  Two.  "]),
        ("One.\n", ["One.\n"]),
        ("One. \n", ["One. \n"]),
        ("One.\n\n\n\nTwo. \n", ["One.", "\n\n\n\nTwo. \n"]),
        ("One\r\ntwo. Three.\r\nFour.", ["One\r\ntwo. ", "Three.", "\r\nFour."]),
        ("One\x00two. Three.", ["One\x00two. ", "Three."]),
    ],
)
def test_whitespace_is_the_earlier_units_unless_spacy_says_otherwise(text: str, units: list[str]) -> None:
    edges = spacy_sentences(blank())(text)
    assert [text[start:end] for start, end in spans(edges)] == units


def test_a_lone_surrogate_is_read_as_a_replacement_character_in_its_place() -> None:
    units = ["One \ud800 two. ", "Three \udc00\ud83d\ude00. ", "Four."]
    text = "".join(units)
    edges = spacy_sentences(blank())(text)
    assert [text[start:end] for start, end in spans(edges)] == units


def test_a_long_text_is_cut_as_spacy_cuts_it() -> None:
    text = "A sentence of seven words, no more. " * 10_000
    assert len(spacy_sentences(blank())(text)) == 10_001
