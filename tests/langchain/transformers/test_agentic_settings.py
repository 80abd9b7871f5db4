"""What the settings of agentic chunks cost and make, and which are refused."""

from __future__ import annotations

from typing import Any

import pytest
from fakes.langchain.llms import Plain, made
from fakes.langchain.splitters import AsyncBag, Bag
from fakes.langchain.topics import WORDS, mixed

from caesura.background import TEXTS
from caesura.errors import SettingError
from langchain_caesura import AgenticSplitter


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
