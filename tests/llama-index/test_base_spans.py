"""A tracer sees one span of parsing for a call, embedding inside of it, and nothing of what is our own business."""

from __future__ import annotations

from typing import Any

import pytest
from fakes.llama_index.embeddings import Words
from fakes.llama_index.parsers import ONE_ARTICLE, every_parser
from fakes.llama_index.spans import Spans


def own(parser: Any, tracer: Spans) -> list[str]:
    """What a splitter entered, `__call__` aside, which is LlamaIndex's. All of it was left."""
    assert sorted(tracer.left) == sorted(tracer.entered)
    return [name for name in tracer.entered if name.startswith(parser.__name__) and not name.endswith("__call__")]


@every_parser
def test_a_call_is_one_span_of_parsing(parser: Any, tracer: Spans) -> None:
    parser(embed_model=Words())(ONE_ARTICLE)
    assert own(parser, tracer) == [f"{parser.__name__}._parse_nodes"]


@every_parser
async def test_an_awaited_call_is_one_span_of_parsing(parser: Any, tracer: Spans) -> None:
    await parser(embed_model=Words()).acall(ONE_ARTICLE)
    assert own(parser, tracer) == [f"{parser.__name__}._aparse_nodes"]


@every_parser
def test_a_setting_is_read_without_a_span(parser: Any, tracer: Spans) -> None:
    parser(embed_model=Words()).to_dict()
    assert tracer.entered == []


@every_parser
@pytest.mark.parametrize("how", ["sync", "async"])
async def test_embedding_is_a_span_inside_of_parsing(parser: Any, how: str, tracer: Spans) -> None:
    made = parser(embed_model=Words(), calibrated=False)
    await made.acall(ONE_ARTICLE) if how == "async" else made(ONE_ARTICLE)
    (outer,) = [id_ for id_ in tracer.parents if "parse_nodes" in id_]
    inner = next(id_ for id_ in tracer.parents if "embedding_batch" in id_)
    assert tracer.parents[inner] == outer


@every_parser
async def test_a_failure_drops_the_span(parser: Any, tracer: Spans) -> None:
    made = parser(background=[1.0])
    with pytest.raises(ValueError, match="background"):
        made(ONE_ARTICLE)
    with pytest.raises(ValueError, match="background"):
        await made.acall(ONE_ARTICLE)
    names = {f"{parser.__name__}._parse_nodes", f"{parser.__name__}._aparse_nodes"}
    assert names <= set(tracer.dropped)
