"""Beside LlamaIndex's own double merging on the same spaCy vectors: the subjects are told apart in the same places."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("spacy.language")

import spacy
from fakes.embedders.spacy_pipelines import ARTICLE, PARTS, with_vectors
from llama_index.core import Document
from llama_index.core.node_parser import LanguageConfig, SemanticDoubleMergingSplitterNodeParser

from caesura_documents.spacy import spacy_sentences, spacy_vectors
from llama_index.node_parser.caesura import DoublePassSemanticSplitter

pytestmark = pytest.mark.thorough


@pytest.mark.parametrize(("threshold", "chunks"), [(0.5, 1), (0.95, 3)])
def test_nodes_are_those_of_the_published_form(threshold: float, chunks: int, monkeypatch: Any) -> None:
    nlp = with_vectors()
    vectors, segment = spacy_vectors(nlp), spacy_sentences(nlp)
    thresholds: dict[str, float] = dict.fromkeys(
        ("initial_threshold", "appending_threshold", "merging_threshold"), threshold
    )
    monkeypatch.setattr(spacy, "load", lambda _: nlp)
    theirs = SemanticDoubleMergingSplitterNodeParser(
        language_config=LanguageConfig(),
        sentence_splitter=lambda text: [sentence.text for sentence in nlp(text).sents],
        max_chunk_size=5000,
        **thresholds,  # type: ignore[arg-type]
    )

    def content_words(texts: list[str]) -> Any:
        docs = [nlp.make_doc(text) for text in texts]
        return vectors([" ".join(t.lower_ for t in doc if not (t.is_stop or t.is_punct or t.like_url)) for doc in docs])

    ours = DoublePassSemanticSplitter.like_double_merging(
        content_words, sentence_splitter=segment, max_chunk_size=5000, **thresholds
    )
    document = [Document(text=ARTICLE, id_="a")]
    expected = [node.text.split() for node in theirs.get_nodes_from_documents(document)]
    assert len(expected) == chunks
    assert [node.text.split() for node in ours(document)] == expected
    assert chunks == 1 or [node.text for node in ours(document)] == PARTS
