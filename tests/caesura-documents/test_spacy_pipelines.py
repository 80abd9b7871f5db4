"""What `spacy_sentences` runs of a pipeline: all that sentences may hang on, and no more."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("spacy.language")

import spacy
from fakes.embedders.spacy_pipelines import PROSE, starts
from spacy.language import Language
from spacy.pipeline import EntityRuler
from spacy.tokens import Doc
from spacy.training import Example

from caesura.edges import is_tiling
from caesura_documents.spacy import spacy_sentences

pytestmark = pytest.mark.thorough


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
