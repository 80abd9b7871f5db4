"""What comes of documents, by every way: propositions that lead to their document and their sentences."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from fakes.langchain.llms import BEES, HOWS, TEA, Plain, documents, every_how, made, many
from langchain_core.documents import BaseDocumentTransformer, Document

from caesura_llm.spans import from_text
from langchain_caesura import PropositionTransformer, SummaryTransformer
from langchain_caesura.transformers import llm_transformer as module


def rested_on(one: Document, text: str) -> list[str]:
    return [text[a:b] for a, b in from_text(one.metadata["spans"])]


def test_it_is_langchains() -> None:
    assert issubclass(PropositionTransformer, BaseDocumentTransformer)


@every_how
async def test_a_proposition_leads_to_its_document_and_the_sentences_it_rests_on(how: str) -> None:
    given = documents()
    before = copy.deepcopy(given)
    found = await made(PropositionTransformer(Plain()), given, how)
    assert given == before
    bees, tea = found[:3], found[3:]
    assert bees[0].metadata == {
        "source": "bees.md",
        "title": "Bees",
        "tags": ["a", {"b": 1}],
        "parent_id": "bees",
        "view": "proposition",
        "start_index": 0,
        "end_index": 23,
        "spans": "0-23",
        "kept": False,
    }
    assert [rested_on(one, BEES) for one in bees] == [[one.page_content] for one in bees]
    assert [rested_on(one, TEA) for one in tea] == [[one.page_content] for one in tea]
    bees[0].metadata["tags"][1]["b"] = 2
    assert (given[0].metadata["tags"], bees[1].metadata["tags"]) == (["a", {"b": 1}], ["a", {"b": 1}])


async def test_every_way_gives_the_same_with_the_same_ids(monkeypatch: Any) -> None:
    given = [*documents(), *many(30)]
    first = await made(PropositionTransformer(Plain()), given, "sync")
    assert len({one.id for one in first}) == len(first) == 6 + 60
    for how in HOWS:
        assert await made(PropositionTransformer(Plain(), max_concurrency=3), given, how) == first
    monkeypatch.setattr(module, "WINDOW", 4)
    for how in HOWS[2:]:
        transformer = PropositionTransformer(Plain())
        assert await made(transformer, given, how) == first
        assert (transformer.report.items, transformer.report.finished) == (32, 32)  # over all windows


async def test_short_documents_are_asked_about_together_and_a_title_is_shown() -> None:
    model = Plain()
    await made(PropositionTransformer(model), documents(), "sync")
    await made(PropositionTransformer(model, title_key=None), documents(), "sync")
    asked = [messages[1].content for messages in model.asked]
    assert len(asked) == 2
    assert "Passage 1 of Bees:" in asked[0]
    assert "Bees" not in asked[1]


@every_how
@pytest.mark.parametrize("given", [[], [Document("")], [Document(" \n\t")]])
async def test_nothing_is_asked_about_nothing(given: list[Document], how: str) -> None:
    model = Plain()
    for transformer in (PropositionTransformer(model), SummaryTransformer(model)):
        assert await made(transformer, given, how) == []
    assert model.calls == 0
