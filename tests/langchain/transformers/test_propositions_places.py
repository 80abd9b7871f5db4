"""Where in the document a proposition is from, whatever made the passages; and on which sentences none rests."""

from __future__ import annotations

import re
from typing import Any

import pytest
from fakes.langchain.llms import TEA, Plain, every_how, made
from langchain_core.documents import Document
from langchain_core.language_models import FakeListChatModel
from langchain_text_splitters import CharacterTextSplitter, RecursiveCharacterTextSplitter, TextSplitter

from caesura_llm.spans import from_text
from langchain_caesura import PropositionTransformer, SummaryTransformer
from langchain_caesura.transformers import llm_transformer as module


def rested_on(one: Document, text: str) -> list[str]:
    return [text[a:b] for a, b in from_text(one.metadata["spans"])]


@pytest.mark.parametrize(
    "splitter",
    [
        None,
        RecursiveCharacterTextSplitter(chunk_size=300, chunk_overlap=0),
        CharacterTextSplitter(separator="\n\n", chunk_size=120, chunk_overlap=0),
    ],
)
async def test_with_any_splitter_places_are_those_in_the_document(splitter: TextSplitter | None) -> None:
    text = "\n\n".join(f"Bread {k} is baked at dawn.  The tide {k} comes in. Chess {k} is played." for k in range(60))
    model = Plain()
    found = await made(PropositionTransformer(model, splitter=splitter), [Document(text, id="d")], "async")
    held = [text[a:b] for one in found for a, b in from_text(one.metadata["spans"])]
    assert [" ".join(piece.split()) for piece in held] == [one.page_content for one in found]
    assert "".join("".join(held).split()) == "".join(text.split())  # every character, once
    assert model.calls < 10


async def test_a_chunk_counts_from_where_it_stands_in_its_own_document() -> None:
    chunk = Document(TEA, id="c", metadata={"start_index": 100, "end_index": 139, "spans": "100-139"})
    found = await made(PropositionTransformer(Plain()), [chunk], "sync")
    assert [(one.metadata["start_index"], one.metadata["spans"]) for one in found] == [
        (100, "100-111"),
        (113, "113-125"),
        (126, "126-140"),
    ]
    (summary,) = await made(SummaryTransformer(Plain()), [chunk], "sync")
    assert (summary.metadata["start_index"], summary.metadata["end_index"]) == (100, 100 + len(TEA))


async def test_what_a_sentence_is_can_be_said() -> None:
    transformer = PropositionTransformer(Plain(), sentence_splitter=lambda text: re.split("(?<=;)", text))
    found = await made(transformer, [Document("Tea is hot. Really; Ice is cold", id="a")], "sync")
    assert [one.metadata["spans"] for one in found] == ["0-19", "20-31"]


class Rewriting(TextSplitter):
    """A splitter whose pieces are not in the text."""

    def split_text(self, text: str) -> list[str]:
        return [f"Note: {text}"]


async def test_where_the_place_is_not_known_none_is_told() -> None:
    found = await made(PropositionTransformer(Plain(), splitter=Rewriting()), [Document(TEA, id="d")], "sync")
    assert len(found) == 3
    assert all({"start_index", "end_index", "spans"}.isdisjoint(one.metadata) for one in found)
    assert len({one.id for one in found}) == 3


async def test_what_no_store_could_keep_comes_through() -> None:
    text = "A lone \ud800 surrogate. NUL \x00 too.\r\nZWJ \U0001f469\u200d\U0001f680 flies."
    found = await made(PropositionTransformer(Plain()), [Document(text)], "sync")
    assert [rested_on(one, text) for one in found] == [["A lone \ud800 surrogate."], ["NUL \x00 too."], [text[32:]]]


@every_how
async def test_the_sentences_that_nothing_rests_on_are_told(how: str, monkeypatch: Any) -> None:
    monkeypatch.setattr(module, "WINDOW", 1)
    said = '{"passages": [{"number": 1, "propositions": [{"text": "Ice is cold.", "sentences": [2]}]}]}'
    transformer = PropositionTransformer(FakeListChatModel(responses=[said]), budget=1)
    for _ in range(2):
        await made(transformer, [Document(TEA, id="a"), Document("Rain. Snow.", id="b")], how)
        assert transformer.uncovered == {"a": [(0, 11), (26, 40)], "b": [(0, 5)]}


async def test_a_sentence_of_two_passages_is_told_where_nothing_of_either_rests_on_it() -> None:
    splitter = RecursiveCharacterTextSplitter(separators=["."], chunk_size=26, chunk_overlap=14, keep_separator="end")
    document = Document("Tea is hot. Ice is old. Rain is wet.", id="d")
    first, second = (chunk.page_content for chunk in splitter.split_documents([document]))
    assert (first, second) == ("Tea is hot. Ice is old.", "Ice is old. Rain is wet.")
    said = (
        '{"passages": [{"number": 1, "propositions": [{"text": "Tea is hot.", "sentences": [1]}]},'
        ' {"number": 2, "propositions": [{"text": "Ice is old.", "sentences": [%d]}]}]}'
    )
    for of_second, uncovered in (1, [(24, 36)]), (2, [(12, 23)]):
        transformer = PropositionTransformer(FakeListChatModel(responses=[said % of_second]), splitter=splitter)
        await made(transformer, [document], "sync")
        assert transformer.uncovered == {"d": uncovered}
