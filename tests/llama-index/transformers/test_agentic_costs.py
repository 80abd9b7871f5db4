"""What topics cost: few calls or none, one report, and the given embedding once."""

from __future__ import annotations

from typing import Any

import pytest
from fakes.embedders.rows_of_words import Counting
from fakes.llama_index.embeddings import AsyncWords, Words
from fakes.llama_index.llms import Plain, hows, like, made, told
from fakes.llama_index.parsers import ARTICLE, at_lines, letters
from fakes.servers.openai_server import OpenAIServer
from llama_index.core import Document

from caesura.background import TEXTS
from llama_index.node_parser.caesura import AgenticSplitter, spans_of

pytestmark = pytest.mark.enable_socket


def test_metadata_without_room_do_not_count_and_are_named() -> None:
    given = [Document(text=ARTICLE, id_="full", metadata={"source": "a" * 200})]
    parser = AgenticSplitter(grouping="sentences", splitter=None, chunk_size=120, tokenizer=letters)
    with pytest.warns(UserWarning, match="'full' takes 207 tokens of chunk_size=120, which leaves no room"):
        nodes = parser(given)
    assert 60 < max(len(letters(node.text)) for node in nodes) <= 120


@hows
def test_ten_times_fewer_calls_and_one_report(how: str) -> None:
    with OpenAIServer() as server:
        parser = AgenticSplitter(like(server), prices=(1.0, 2.0))
        made(parser, how, told(20, 10))
    report = parser.report
    assert report is not None
    assert report.calls == server.calls < 200 / 8  # one proposition at a time takes four calls for each
    assert (report.input_tokens, report.output_tokens) == (server.prompt_tokens, server.completion_tokens)
    assert report.cost == (report.input_tokens + 2 * report.output_tokens) / 1e6


@hows
def test_propositions_are_embedded_by_the_model_that_is_given(how: str) -> None:
    model = AsyncWords() if how == "async" else Words()
    made(AgenticSplitter(Plain(), embed_model=model), how, told(2))
    assert [len(call) for call in model.calls] == [8]
    assert model.calibrations == 1
    function = Counting()
    made(AgenticSplitter(Plain(), embed_model=function, cache_tag="f"), how, told(2))
    assert [len(call) for call in function.calls] == [len(TEXTS), 8]


@hows
def test_the_model_that_is_given_is_calibrated_once(how: str) -> None:
    model = Words()
    parser = AgenticSplitter(Plain(), embed_model=model, grouping="embedding")
    for count in (1, 2):
        made(parser, how, told(count))
    assert model.calibrations == 1


@hows
@pytest.mark.parametrize("grouping", ["embedding", "sentences"])
def test_by_embedding_alone_asks_half_or_nothing(grouping: Any, how: str) -> None:
    with OpenAIServer() as server:
        parser = AgenticSplitter(like(server), grouping=grouping)
        nodes = made(parser, how, told(3))
    assert server.calls == (grouping == "embedding")
    assert all(node.metadata["topic_title"] in node.text for node in nodes)
    assert parser.report is not None
    assert parser.report.calls == server.calls


def test_without_an_llm_none_is_looked_for() -> None:
    parser = AgenticSplitter(grouping="sentences", sentence_splitter=at_lines)
    assert [spans_of(node)[0].start for node in parser([Document(text=ARTICLE)])] == [0, 179, 347]
    assert parser.to_dict()["llm"] is None
