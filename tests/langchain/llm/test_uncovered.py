"""The sentences of a document that no proposition rests on are told."""

from __future__ import annotations

from typing import Any

from langchain_core.documents import Document
from langchain_core.language_models import FakeListChatModel
from langchain_llm_fakes import TEA, every_how, made
from langchain_text_splitters import RecursiveCharacterTextSplitter

from langchain_caesura import PropositionTransformer
from langchain_caesura.llm import asking as module


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
