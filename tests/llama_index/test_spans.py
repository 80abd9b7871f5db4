"""A tracer sees one span of parsing for a call, embedding inside of it, and nothing of what is our own business."""

from __future__ import annotations

from typing import Any

import pytest
from llama_index.core import Document
from llama_index_embedding_fakes import Words
from llama_index_fakes import ARTICLE, PARSERS
from llama_index_span_fakes import Spans

from llama_index.node_parser.caesura import SemanticHierarchyParser

DOCUMENTS = [Document(text=ARTICLE, id_="a")]
parsers = pytest.mark.parametrize("parser", [*PARSERS, SemanticHierarchyParser])


def own(parser: Any, tracer: Spans) -> list[str]:
    """What a splitter entered, `__call__` aside, which is LlamaIndex's. All of it was left."""
    assert sorted(tracer.left) == sorted(tracer.entered)
    return [name for name in tracer.entered if name.startswith(parser.__name__) and not name.endswith("__call__")]


@parsers
def test_a_call_is_one_span_of_parsing(parser: Any, tracer: Spans) -> None:
    parser(embed_model=Words())(DOCUMENTS)
    assert own(parser, tracer) == [f"{parser.__name__}._parse_nodes"]


@parsers
async def test_an_awaited_call_is_one_span_of_parsing(parser: Any, tracer: Spans) -> None:
    await parser(embed_model=Words()).acall(DOCUMENTS)
    assert own(parser, tracer) == [f"{parser.__name__}._aparse_nodes"]


@parsers
def test_a_setting_is_read_without_a_span(parser: Any, tracer: Spans) -> None:
    parser(embed_model=Words()).to_dict()
    assert tracer.entered == []


@parsers
@pytest.mark.parametrize("how", ["sync", "async"])
async def test_embedding_is_a_span_inside_of_parsing(parser: Any, how: str, tracer: Spans) -> None:
    made = parser(embed_model=Words(), calibrated=False)
    await made.acall(DOCUMENTS) if how == "async" else made(DOCUMENTS)
    (outer,) = [id_ for id_ in tracer.parents if "parse_nodes" in id_]
    inner = next(id_ for id_ in tracer.parents if "embedding_batch" in id_)
    assert tracer.parents[inner] == outer


@parsers
async def test_a_failure_drops_the_span(parser: Any, tracer: Spans) -> None:
    made = parser(background=[1.0])
    with pytest.raises(ValueError, match="background"):
        made(DOCUMENTS)
    with pytest.raises(ValueError, match="background"):
        await made.acall(DOCUMENTS)
    names = {f"{parser.__name__}._parse_nodes", f"{parser.__name__}._aparse_nodes"}
    assert names <= set(tracer.dropped)
