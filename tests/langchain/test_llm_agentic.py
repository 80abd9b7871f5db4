"""Agentic chunks: what a document says about one thing comes together, wherever it stands, and nothing is lost."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_fakes import AsyncBag, Bag
from langchain_llm_fakes import FAST, Plain, documents, llm, made, many
from openai_server import OpenAIServer, seeded

from caesura.background import TEXTS
from caesura.errors import SettingError
from caesura.llm.spans import from_text
from langchain_caesura import AgenticSplitter

HOWS = ("sync", "async", "lazy", "alazy")
WORDS = ("Bread", "Tides", "Chess", "Copper")


def mixed(count: int = 24, name: str = "mixed", first: int = 0) -> Document:
    """Sentences of four kinds in turn."""
    text = " ".join(f"{WORDS[k % 4]} number {k} was seen." for k in range(first, first + count))
    return Document(text, id=name, metadata={"source": f"{name}.md", "title": "A mixture"})


def covered(document: Document, chunks: list[Document]) -> str:
    """What of a document its chunks rest on, without whitespace: what two rest on, twice."""
    own = [one for one in chunks if one.metadata["parent_id"] == document.id]
    spans = sorted(span for one in own for span in from_text(one.metadata["spans"]))
    return "".join("".join(document.page_content[a:b] for a, b in spans).split())


def kinds(chunk: Document) -> set[str]:
    return {word for word in WORDS if word in chunk.page_content}


@pytest.mark.parametrize("how", HOWS)
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


def test_without_a_model_nothing_is_asked_and_sentences_join_by_embedding() -> None:
    transformer = AgenticSplitter(None, threshold=0.5, embeddings=Bag(), calibrated=False)
    found = transformer.transform_documents([mixed()])
    assert [one.metadata["topic"] for one in found] == list(range(len(found)))
    assert "".join(sorted("".join(one.page_content for one in found).split())) == "".join(
        sorted(mixed().page_content.split())
    )
    assert transformer.report.calls == 0


def test_grouping_by_embedding_asks_for_propositions_only() -> None:
    by_model, by_embedding = Plain(), Plain()
    AgenticSplitter(by_model).transform_documents([mixed()])
    AgenticSplitter(by_embedding, grouping="embedding").transform_documents([mixed()])
    assert by_embedding.calls == 1 < by_model.calls


def test_each_text_is_embedded_once_and_the_background_once_for_all_calls() -> None:
    bag = Bag()
    splitter = AgenticSplitter(None, embeddings=bag)
    splitter.transform_documents([mixed()])
    assert bag.calls[0] == list(TEXTS)
    assert bag.calls[1] == [f"{WORDS[k % 4]} number {k} was seen." for k in range(24)]
    splitter.transform_documents([mixed()])
    assert len(bag.calls) == 3
    assert len(bag.texts) == len(TEXTS) + 48


async def test_embeddings_that_are_awaited_are_awaited() -> None:
    bag = AsyncBag()
    assert await made(AgenticSplitter(Plain(), embeddings=bag, batch_size=5), [mixed()], "async")
    assert max(map(len, bag.calls)) == 5


def test_a_large_topic_is_several_chunks_that_fit() -> None:
    found = AgenticSplitter(Plain(), chunk_size=60).transform_documents([mixed()])
    assert max(len(one.page_content) for one in found) <= 60
    assert len(found) == 12
    assert [one.metadata["topic"] for one in found] == [k // 3 for k in range(12)]
    words = AgenticSplitter(Plain(), chunk_size=5, length_function=lambda text: len(text.split()))
    assert len(words.transform_documents([mixed()])) == 24
    assert len(AgenticSplitter(Plain(), chunk_size=None).transform_documents([mixed()])) == 4


@pytest.mark.enable_socket
@pytest.mark.parametrize("how", ["sync", "async"])
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


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"grouping": "both"}, "grouping must be"),
        ({"llm": None, "grouping": "llm"}, "needs an llm"),
        ({"chunk_size": 0}, "chunk_size must be"),
        ({"threshold": 2}, "threshold must be"),
        ({"length_function": 3}, "length_function must be callable"),
        ({"embeddings": Bag}, "pass an instance"),
        ({"embeddings": 3}, "embeddings must"),
        ({"batch_size": 0}, "batch_size must be"),
    ],
)
def test_a_wrong_setting_is_refused_at_the_door(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(SettingError, match=said):
        AgenticSplitter(**{"llm": Plain(), **settings})
