"""What a failed item is called, in each transformer; and a chunk that answers no question has none."""

from __future__ import annotations

import json
import logging
from typing import Any

import pytest
from fakes.llama_index.llms import Plain, every, hows, made
from llama_index.core import Document
from llama_index.core.schema import BaseNode, NodeRelationship, TextNode

from caesura.errors import ReplyError
from llama_index.node_parser.caesura import ContextTransformer, QuestionTransformer, SummaryTransformer

CODE = "```python\ndef boil(water):\n    return water + 80\n```"


class Saying(Plain):
    """An LLM that says always the same."""

    said: str

    def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> Any:
        found = super().complete("\nuser: ")
        found.text = self.said
        return found


def chunk(start: int | None) -> BaseNode:
    node = TextNode(text=CODE, id_="chunk", metadata={"file_path": "boil.md"})
    node.relationships[NodeRelationship.SOURCE] = Document(id_="doc").as_related_node_info()
    node.start_char_idx, node.end_char_idx = start, None if start is None else start + len(CODE)
    return node


@every
@hows
@pytest.mark.parametrize(("start", "place"), [(70, " at character 70"), (None, "")])
def test_a_failure_is_told_by_document_place_and_first_words(
    kind: Any, how: str, start: int | None, place: str, caplog: pytest.LogCaptureFixture
) -> None:
    wanted = f"item 0 of document 'doc' (boil.md){place} ('```python def boil(water): return water + 80 ```') failed: "
    parser = kind(Saying(said="No."), on_failure="keep")
    found = made(parser, how, [chunk(start)])
    if kind is ContextTransformer:
        wanted = wanted.replace(" (boil.md)", "")
        assert [node.metadata for node in found] == [chunk(start).metadata]
    else:
        assert [node.metadata["kept"] for node in found if node.node_id != "chunk"]
    assert wanted in str(parser.report)
    assert any(wanted in one.getMessage() for one in caplog.records if one.levelno == logging.WARNING)
    with pytest.raises(ReplyError) as caught:
        made(kind(Saying(said="No.")), how, [chunk(start)])
    assert str(caught.value).startswith(wanted)


@hows
def test_a_chunk_without_questions_has_none(how: str) -> None:
    none = json.dumps({"passages": [{"number": 1, "texts": []}]})
    parser = QuestionTransformer(Saying(said=none))
    assert [node.node_id for node in made(parser, how, [chunk(0)])] == ["chunk"]
    assert parser.report is not None
    assert (parser.report.calls, parser.report.failures) == (1, [])
    with pytest.raises(ReplyError, match="must have a list of texts"):
        made(SummaryTransformer(Saying(said=none)), how, [chunk(0)])
