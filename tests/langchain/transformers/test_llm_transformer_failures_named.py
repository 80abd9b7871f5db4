"""What a failed item is called, in each transformer; and a chunk that answers no question has none."""

from __future__ import annotations

import json
import logging
from typing import Any

import pytest
from fakes.langchain.llms import FAST, TEA, Plain, documents, made, sync_and_async
from langchain_core.documents import Document
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult

from caesura.errors import ReplyError
from langchain_caesura import (
    AgenticSplitter,
    DescriptionTransformer,
    PropositionTransformer,
    QuestionTransformer,
    SummaryTransformer,
)

CODE = "```python\ndef boil(water):\n    return water + 80\n```"
EVERY = [PropositionTransformer, AgenticSplitter, SummaryTransformer, QuestionTransformer, DescriptionTransformer]


class Saying(Plain):
    """A model that says always the same."""

    said: str

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        self._asked.append(messages)
        return ChatResult(generations=[ChatGeneration(message=AIMessage(self.said))])


@pytest.mark.parametrize("kind", EVERY)
@sync_and_async
async def test_a_failure_is_told_by_document_place_and_first_words(
    kind: Any, how: str, caplog: pytest.LogCaptureFixture
) -> None:
    chunk = Document(CODE, id="chunk", metadata={"source": "boil.md", "start_index": 70})
    wanted = "item 0 of document 'chunk' (boil.md) at character 70 ('```python def boil(water): return water + 80 ```')"
    transformer = kind(Plain(refusing=True), on_failure="keep", pace=FAST)
    assert all(one.metadata["kept"] for one in await made(transformer, [chunk], how))
    assert f"{wanted} failed: the model refused" in str(transformer.report)
    assert any(wanted in one.getMessage() for one in caplog.records if one.levelno == logging.WARNING)
    with pytest.raises(ReplyError) as caught:
        await made(kind(Plain(refusing=True), pace=FAST), [chunk], how)
    assert str(caught.value).startswith(wanted)


def test_a_topics_failure_is_told_by_its_proposition() -> None:
    class Half(Plain):
        """A model that refuses to sort."""

        def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
            return Plain(refusing='{"groups"' in str(messages[0].content))._generate(messages)

    with pytest.raises(ReplyError, match=r"item 0 of document 'tea' at character 0 \('Tea is hot\.'\) failed"):
        AgenticSplitter(Half(), pace=FAST).transform_documents([Document(TEA, id="tea")])
    kept = AgenticSplitter(Half(), pace=FAST, on_failure="keep")
    kept.transform_documents([Document(TEA, id="tea")])
    assert [(one.start, one.text) for one in kept.report.failures] == [
        (0, "Tea is hot."),
        (13, "Ice is cold."),
        (26, "Both are sold."),
    ]


@sync_and_async
async def test_a_chunk_without_questions_has_none(how: str) -> None:
    none = json.dumps({"passages": [{"number": 1, "texts": []}, {"number": 2, "texts": []}]})
    model = Saying(said=none)
    transformer = QuestionTransformer(model, pace=FAST)
    assert await made(transformer, documents(), how) == []
    assert (model.calls, transformer.report.failures) == (1, [])
    with pytest.raises(ReplyError, match="must have a list of texts"):
        await made(SummaryTransformer(model, pace=FAST), documents(), how)
