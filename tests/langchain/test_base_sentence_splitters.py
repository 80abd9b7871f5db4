"""Anyone's sentence splitter will do: pieces as strings or edges, as long as they are the text."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from fakes.langchain.splitters import Bag, every_splitter
from fakes.texts.articles import article
from langchain_text_splitters import RecursiveCharacterTextSplitter
from numpy.typing import NDArray

from caesura import sentences

TEXT = article(12, between="\n\n  ")


def at_stops(text: str) -> list[str]:
    return re.split(r"(?<=\.)\s+", text)


def edges(text: str) -> NDArray[np.intp]:
    return np.array([0, *(match.end() for match in re.finditer(r"\.\s+", text)), len(text)], dtype=np.intp)


SAME = {
    "list": at_stops,
    "tuple": lambda text: tuple(at_stops(text)),
    "generator": lambda text: (piece for piece in at_stops(text)),
    "with blanks between": lambda text: [part for piece in at_stops(text) for part in (piece, " ", "")],
    "other whitespace": lambda text: [piece.replace(" ", "\n") for piece in at_stops(text)],
    "edges": edges,
    "the core's own": sentences,
}


@every_splitter
@pytest.mark.parametrize("split", SAME.values(), ids=SAME)
def test_the_pieces_are_what_is_embedded(cls: Any, split: Any) -> None:
    embeddings = Bag()
    chunks = cls(embeddings, calibrated=False, sentence_splitter=split).split_text(TEXT)
    assert embeddings.texts == at_stops(TEXT)
    assert all(chunk in TEXT for chunk in chunks)


@every_splitter
def test_pieces_that_begin_with_a_word_of_one_letter_are_whole(cls: Any) -> None:
    embeddings, pieces = Bag(), ["I know I can. ", "A cat is a A. ", "1 and 1 is 2."]
    cls(embeddings, calibrated=False, sentence_splitter=lambda _: pieces).split_text("".join(pieces))
    assert embeddings.texts == [piece.strip() for piece in pieces]


@every_splitter
def test_a_splitter_of_langchains_can_make_the_units(cls: Any) -> None:
    embeddings = Bag()
    units = RecursiveCharacterTextSplitter(chunk_size=60, chunk_overlap=0, separators=["\n\n", " "])
    cls(embeddings, calibrated=False, sentence_splitter=units.split_text).split_text(TEXT)
    assert embeddings.texts == units.split_text(TEXT)


@every_splitter
def test_a_piece_over_the_size_is_cut_further(cls: Any) -> None:
    chunks = cls(Bag(), chunk_size=30, sentence_splitter=lambda text: [text]).split_text(TEXT)
    assert max(map(len, chunks)) <= 30
    assert "".join("".join(chunks).split()) == "".join(TEXT.split())
