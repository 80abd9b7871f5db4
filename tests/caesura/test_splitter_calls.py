"""What a split asks of the embedder: how often, for what, and never for nothing."""

from __future__ import annotations

import pytest
from fakes.embedders.rows_of_words import Counting
from fakes.splitters.every_stop import EVERY_STOP, TEXT, segmented
from fakes.texts.drawn_texts import at_stops

from caesura import Limits, Splitter, joined


def test_all_documents_are_embedded_in_one_call_each_character_once() -> None:
    embedder, documents = Counting(), [TEXT, "", "Another one. And more.", "\n \n"]
    Splitter().split_many(documents, embedder)
    assert len(embedder.calls) == 1
    assert "".join("".join(embedder.texts).split()) == "".join("".join(documents).split())


def test_a_batch_size_parts_the_call() -> None:
    embedder = Counting()
    EVERY_STOP.split_many([TEXT, TEXT], embedder, batch_size=4)
    assert [len(call) for call in embedder.calls] == [4, 4, 2]


def test_limits_cost_no_further_call() -> None:
    embedder = Counting()
    Splitter(limits=Limits(12, 3)).split(TEXT * 20, embedder)
    assert len(embedder.calls) == 1
    assert len("".join("".join(embedder.texts).split())) == len("".join(TEXT.split())) * 20


def test_joined_shows_each_text_once_more_for_each_neighbour() -> None:
    embedder = Counting()
    Splitter(segment=at_stops, view=joined(1)).split("One. Two. Three.", embedder)
    assert embedder.calls == [["One. Two.", "One. Two. Three.", "Two. Three."]]


@pytest.mark.parametrize("text", ["", " ", "\n\n \t", "\x1c\x1f\u2028\u3000", " " * 5000], ids=ascii)
@pytest.mark.parametrize(
    "splitter", [Splitter(), Splitter(limits=Limits(10, 5)), Splitter(trim=False), Splitter(view=joined(2))]
)
def test_a_blank_document_has_no_chunk_and_asks_nothing(splitter: Splitter, text: str) -> None:
    embedder = Counting()
    assert splitter.split(text, embedder) == []
    assert embedder.calls == []
    assert segmented(splitter, text).vectors().shape[0] == 0


def test_no_documents_have_no_chunks() -> None:
    assert Splitter().split_many([], Counting()) == []
