"""A setting, a model or a document that cannot be is refused at the door."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from fakes.langchain.llms import Plain
from langchain_core.documents import Document
from langchain_core.prompts import ChatPromptTemplate

from caesura.errors import SettingError
from langchain_caesura import (
    AgenticSplitter,
    DescriptionTransformer,
    DoublePassSemanticSplitter,
    PropositionTransformer,
    QuestionTransformer,
    SummaryTransformer,
)
from langchain_caesura.transformers.chat_models import single_attempt


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"on_failure": "skip"}, "on_failure must be one of"),
        ({"max_concurrency": 0}, "max_concurrency must be"),
        ({"budget": 0}, "budget must be"),
        ({"prices": 3}, "prices must be"),
        ({"prices": (1, -2)}, "prices must be"),
        ({"pace": 3}, "pace must be a Pace, as .*, got 3"),
        ({"pace": 0}, "pace must be a Pace"),
        ({"structured": 7}, "structured must be"),
        ({"journal": ""}, "path must be"),
    ],
)
def test_a_wrong_setting_is_refused_at_the_door(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(SettingError, match=said):
        PropositionTransformer(Plain(), **settings)


@pytest.mark.parametrize("wrong", [Plain, "gpt-4.1", Plain() | str, None])
def test_what_is_no_chat_model_is_refused_with_the_remedy(wrong: Any) -> None:
    with pytest.raises(SettingError, match="llm must be"):
        PropositionTransformer(wrong)


@pytest.mark.parametrize("kind", [PropositionTransformer, AgenticSplitter])
@pytest.mark.parametrize("splitter", ["optimal", 300, len, DoublePassSemanticSplitter])
def test_what_is_no_splitter_is_refused_at_the_door(kind: Any, splitter: Any) -> None:
    with pytest.raises(SettingError, match="splitter must be a TextSplitter of LangChain"):
        kind(Plain(), splitter=splitter)


@pytest.mark.parametrize("on_failure", ["raise", "keep"])
def test_an_image_that_cannot_be_read_is_told_by_its_document(on_failure: Any, tmp_path: Path) -> None:
    given = [Document("A chart.", id="chart", metadata={"image": tmp_path / "gone.png"})]
    with pytest.raises(SettingError, match=r"the image of document 'chart' cannot be read: .*gone\.png"):
        DescriptionTransformer(Plain(), on_failure=on_failure).transform_documents(given)


@pytest.mark.parametrize("prompt", ["Write {n} questions.", ChatPromptTemplate.from_template("Write {n}."), None])
@pytest.mark.parametrize(
    ("kind", "name"),
    [
        (PropositionTransformer, "prompt"),
        (AgenticSplitter, "prompt"),
        (AgenticSplitter, "topic_prompt"),
        (AgenticSplitter, "title_prompt"),
        (SummaryTransformer, "prompt"),
        (QuestionTransformer, "prompt"),
        (DescriptionTransformer, "prompt"),
        (DescriptionTransformer, "image_prompt"),
    ],
)
def test_what_is_no_prompt_is_refused_with_what_to_give(kind: Any, name: str, prompt: Any) -> None:
    with pytest.raises(SettingError, match=f"^{name} must be a Prompt, got .*: give Prompt"):
        kind(Plain(), **{name: prompt})


def test_one_document_is_no_list() -> None:
    with pytest.raises(SettingError, match=r"pass \[document\]"):
        PropositionTransformer(Plain()).transform_documents(Document("a"))  # type: ignore[arg-type]


def test_failures_are_forgotten_of_a_journal_only() -> None:
    with pytest.raises(SettingError, match=r"journal='replies\.db'"):
        PropositionTransformer(Plain()).forget_failures()


def test_what_langchain_makes_of_a_model_at_its_first_use_is_there_before_threads_use_it() -> None:
    """From Python 3.12 on, two threads that make it at once fail: `dictionary changed size during iteration`."""
    assert "_serialized" in vars(single_attempt(Plain(), {}))
