"""Agentic chunks: what a document says of one thing comes together, wherever it stands, and nothing is lost."""

from __future__ import annotations

from typing import Any

import pytest
from fakes.langchain.llms import FAST, HOWS, Plain, documents, every_how, llm, made, many, sync_and_async
from fakes.langchain.splitters import Bag
from fakes.langchain.topics import WORDS, covered, mixed
from fakes.servers.openai_server import OpenAIServer, seeded
from langchain_core.documents import Document

from caesura_llm.spans import from_text
from langchain_caesura import AgenticSplitter


def kinds(chunk: Document) -> set[str]:
    return {word for word in WORDS if word in chunk.page_content}


@every_how
async def test_what_is_said_of_one_thing_is_one_chunk_with_its_places(how: str) -> None:
    document = mixed()
    found = await made(AgenticSplitter(Plain()), [document], how)
    assert [kinds(one) for one in found] == [{word} for word in WORDS]
    bread = found[0]
    assert bread.page_content == " ".join(f"Bread number {k} was seen." for k in range(0, 24, 4))
    held = [document.page_content[a:b] for a, b in from_text(bread.metadata.pop("spans"))]
    assert " ".join(held) == bread.page_content
    end = document.page_content.index("Tides number 21") - 1
    assert bread.metadata == {
        "source": "mixed.md",
        "title": "A mixture",
        "parent_id": "mixed",
        "view": "topic",
        "start_index": 0,
        "end_index": end,
        "topic": 0,
        "topic_title": bread.metadata["topic_title"],
        "topic_summary": bread.metadata["topic_summary"],
        "kept": False,
    }
    assert "Bread" in bread.metadata["topic_title"]
    assert bread.metadata["topic_summary"]


@pytest.mark.parametrize("settings", [{}, {"llm": None}, {"grouping": "embedding"}])
async def test_every_way_gives_the_same_and_every_document_its_own_topics(settings: dict[str, Any]) -> None:
    given = [mixed(), mixed(12, "other"), *documents(), *many(9)]
    settings = {"llm": Plain(), **settings}
    first = await made(AgenticSplitter(**settings), given, "sync")
    for how in HOWS:
        assert await made(AgenticSplitter(**settings, max_concurrency=2), given, how) == first
    assert len({one.id for one in first}) == len(first)
    for document in given:
        if document.id:
            assert covered(document, first) == "".join(document.page_content.split())


@pytest.mark.thorough
@pytest.mark.enable_socket
@sync_and_async
async def test_faults_lose_nothing_and_are_listed_under_their_document(how: str) -> None:
    given = [mixed(40, f"d{k}", 40 * k) for k in range(12)]
    plan = seeded(0.2, 5, ["429", "500", "drop", "refusal", "prose", "truncated", "length", "numbers", "empty"])
    with OpenAIServer(plan=plan) as server:
        splitter = AgenticSplitter(llm(server), pace=FAST, on_failure="keep", embeddings=Bag(), calibrated=False)
        found = await made(splitter, given, how)
        assert server.has_seen(splitter.report.calls)
    for document in given:
        assert covered(document, found) == "".join(document.page_content.split())
    assert {failure.document_id for failure in splitter.report.failures} <= {document.id for document in given}
    assert sum(count for fault, count in server.served.items() if fault != "ok") >= 3
