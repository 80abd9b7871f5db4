"""`like_double_merging` has the names, defaults and units of LlamaIndex's double merging (see tests/peers)."""

from __future__ import annotations

import inspect

from fakes.langchain.splitters import Bag
from fakes.texts.articles import article, letters

from langchain_caesura import DoublePassSemanticSplitter

double = DoublePassSemanticSplitter.like_double_merging
TEXT = article(60)


def test_double_mergings_names_and_defaults_are_theirs() -> None:
    found = inspect.signature(double).parameters
    assert {name: found[name].default for name in found if found[name].default is not inspect.Parameter.empty} == {
        "embeddings": None,
        "initial_threshold": 0.6,
        "appending_threshold": 0.8,
        "merging_threshold": 0.8,
        "max_chunk_size": 1000,
        "merging_range": 1,
    }


def test_double_merging_is_uncentred_and_counts_characters() -> None:
    embeddings = Bag()
    chunks = double(embeddings, initial_threshold=-1, appending_threshold=-1, max_chunk_size=150).split_text(TEXT)
    assert 100 < max(map(len, chunks)) <= 150
    assert len(embeddings.calls) == 1
    assert letters("".join(chunks)) == letters(TEXT)


def test_double_merging_reaches_over_an_interruption_and_further_with_merging_range() -> None:
    text = "cat paw. cat paw. tax levy. ship mast. cat paw. cat paw."
    assert len(double(Bag()).split_text(text)) == 4
    assert len(double(Bag(), merging_range=2).split_text(text)) == 1
    assert len(double(Bag(), merging_range=1).split_text(text.replace(" ship mast.", ""))) == 1
    assert len(double(Bag(), merging_range=0).split_text(text.replace(" ship mast.", ""))) == 3
