"""Agentic chunks that fit, and settings that cannot be."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_fakes import Bag
from langchain_llm_fakes import Plain
from langchain_topic_fakes import mixed

from caesura.errors import SettingError
from langchain_caesura import AgenticSplitter


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
