"""`spacy_sentences`: units start where spaCy's own sentences start, tile any text, and run no more than they need."""

from __future__ import annotations

import pickle
from copy import deepcopy
from typing import Any

import pytest

pytest.importorskip("spacy.language")

import spacy
from hypothesis import given, settings
from hypothesis import strategies as st
from spacy.language import Language
from spacy.pipeline import EntityRuler
from spacy.tokens import Doc
from spacy.training import Example
from spacy_fakes import LANGUAGES, blank, starts
from texts import documents

from caesura import SegmentError, SettingError
from caesura.edges import is_tiling, spans
from caesura.embed.spacy import spacy_sentences

PROSE = {
    "en": "Dr. Smith came at 5 p.m. He left at six!  Did he? Yes.\n\nThe U.S. won't say so. “Why?” she asked.",
    "de": "Das ist z. B. ein Satz. Am 3. Mai kam er! Warum?\r\nNiemand weiß es.",
    "fr": "Où est-il ? Il est là ! « Bien. » Il part.",
    "es": "¿Dónde está? ¡Aquí! Bien. Vámonos.",
    "it": "Dov'è? È qui. Andiamo!",
    "ru": "Он пришёл. Где она? Там! И т. д.",
    "el": "Ήρθε χθες. Πού είναι; Εκεί! Πάμε.",
    "hy": "Նա եկավ ։ Որտե՞ղ է նա ։ Այնտեղ ։",
    "ar": "جاء الرجل. أين هو؟ هناك!",
    "he": "הוא בא. איפה הוא? שם!",
    "hi": "वह आया। वह कहाँ है? वहाँ।",
    "zh": "他来了。她在哪里？在那里！好。",
    "xx": "One. Zwei! Trois? 四。",
}


@pytest.mark.parametrize("language", LANGUAGES)
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


@Language.component("caesura_bound_at_entities")
def bound_at_entities(doc: Doc) -> Doc:
    for entity in doc.ents:
        doc[entity.start].is_sent_start = True
    return doc


def ruled() -> Any:
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("entity_ruler").add_patterns([{"label": "X", "pattern": "Three"}])
    return nlp


def test_what_labels_after_the_sentences_is_not_run(monkeypatch: Any) -> None:
    def run(*_: Any) -> Any:
        raise AssertionError("the entity ruler was run")

    monkeypatch.setattr(EntityRuler, "__call__", run)
    nlp = ruled()
    assert spacy_sentences(nlp)("One two Three. Four.").tolist() == [0, 15, 20]
    assert nlp.pipe_names == ["sentencizer", "entity_ruler"]


def test_what_sentences_may_hang_on_is_run() -> None:
    nlp = ruled()
    nlp.add_pipe("caesura_bound_at_entities")
    text = "One two Three. Four."
    assert [sentence.start_char for sentence in nlp(text).sents] == [0, 8, 15]
    assert spacy_sentences(nlp)(text).tolist() == [0, 8, 15, 20]


def test_a_hook_that_makes_the_sentences_is_asked() -> None:
    @Language.component("caesura_halves")
    def halves(doc: Doc) -> Doc:
        doc.user_hooks["sents"] = lambda doc: iter([doc[: len(doc) // 2], doc[len(doc) // 2 :]])
        return doc

    nlp = spacy.blank("en")
    nlp.add_pipe("caesura_halves")
    assert spacy_sentences(nlp)("one two three four").tolist() == [0, 8, 18]


def trained(*names: str) -> Any:
    """A pipeline of statistical components with the weights that they start from."""
    nlp = spacy.blank("en")
    for name in names:
        nlp.add_pipe(name, config={"min_action_freq": 1} if name == "parser" else {})
    words = ["One", "two", ".", "Three", "four", "."]
    labels = {
        "words": words,
        "sent_starts": [1, 0, 0, 1, 0, 0],
        "heads": [1, 1, 1, 4, 4, 4],
        "deps": ["dep", "ROOT", "punct"] * 2,
        "entities": ["U-X", "O", "O", "O", "O", "O"],
    }
    examples = [Example.from_dict(nlp.make_doc("One two. Three four."), labels) for _ in range(4)]
    optimizer = nlp.initialize(lambda: examples)
    for _ in range(20):
        nlp.update(examples, sgd=optimizer)
    return nlp


@pytest.mark.parametrize("names", [("senter",), ("senter", "ner"), ("parser", "ner"), ("ner", "senter")])
def test_statistical_boundaries_are_spacys_own(names: tuple[str, ...]) -> None:
    nlp = trained(*names)
    for text in ("One two. Three four.", "One two. Three four. " * 40, PROSE["en"]):
        edges = spacy_sentences(nlp)(text)
        assert is_tiling(edges, len(text))
        assert edges[:-1].tolist() == starts(nlp, text)
    assert len(spacy_sentences(nlp)("One two. Three four.")) == 3


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


@given(st.lists(st.sampled_from(["One.", "two", "Three!", " ", "\n", "\t", "\u3000", "  "]), max_size=20).map("".join))
def test_no_unit_is_blank_unless_all_is(text: str) -> None:
    units = [text[start:end] for start, end in spans(spacy_sentences(blank())(text))]
    assert all(unit.strip() for unit in units) or not text.strip()
