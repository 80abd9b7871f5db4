"""What a tracer, a callback manager, a progress bar and a log see of language-model work."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any

import pytest
from fakes.llama_index.llms import Plain, every, hows, like, made, told
from fakes.llama_index.spans import Spans
from fakes.servers.openai_server import OpenAIServer
from llama_index.core.callbacks import CallbackManager, CBEventType, LlamaDebugHandler
from llama_index.core.instrumentation import get_dispatcher
from llama_index.core.instrumentation.event_handlers import BaseEventHandler
from llama_index.core.instrumentation.events.llm import LLMChatEndEvent

from llama_index.node_parser.caesura import PropositionTransformer, SummaryTransformer


@pytest.fixture
def answers() -> Iterator[list[str]]:
    """What the ends of chats say that was answered."""
    said: list[str] = []

    class Ends(BaseEventHandler):
        def handle(self, event: Any, **kwargs: Any) -> None:
            if isinstance(event, LLMChatEndEvent):
                said.append(str(event.response))

    root, handler = get_dispatcher(), Ends()
    root.add_event_handler(handler)
    yield said
    root.event_handlers.remove(handler)


@every
@hows
def test_a_run_is_one_span_of_parsing(kind: Any, how: str, tracer: Spans) -> None:
    made(kind(Plain(), splitter=None), how, told(2))
    parsing = f"{kind.__name__}.{'_parse_nodes' if how == 'sync' else '_aparse_nodes'}"
    assert [name for name in tracer.entered if "parse_nodes" in name] == [parsing]


@hows
@pytest.mark.enable_socket
def test_calls_are_spans_inside_of_it_and_say_what_they_were_answered(
    how: str, tracer: Spans, answers: list[str]
) -> None:
    with OpenAIServer() as server:
        made(SummaryTransformer(like(server), budget=1, splitter=None), how, told(3))
    chats = [name for name in tracer.parents if "chat" in name.lower() and "OpenAILike" in name]
    assert len({name for name in chats if "OpenAILike" not in str(tracer.parents[name])}) == 3
    for name in chats:
        above: str | None = name
        while above is not None and "parse_nodes" not in above:
            above = tracer.parents[above]
        assert above is not None
    assert sum("In short" in answer for answer in answers) >= 3


@every
@hows
def test_the_callback_manager_is_told(kind: Any, how: str) -> None:
    handler = LlamaDebugHandler(print_trace_on_end=False)
    made(kind(Plain(), callback_manager=CallbackManager([handler])), how, told(2))
    assert len(handler.get_event_pairs(CBEventType.NODE_PARSING)) == 1


@hows
def test_a_bar_and_a_log_say_how_far_it_is_and_what_it_took(
    how: str, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, "llama_index.node_parser.caesura"):
        made(PropositionTransformer(Plain(), show_progress=True, budget=1, prices=(1.0, 2.0)), how, told(3))
    assert "Propositions: 100%" in capsys.readouterr().err
    assert "PropositionTransformer: 3 of 3 items" in caplog.text
    assert "cost 0.00" in caplog.text
    made(PropositionTransformer(Plain()), how, told(3))
    assert capsys.readouterr().err == ""
    PropositionTransformer(Plain()).get_nodes_from_documents(told(1), show_progress=True)
    assert "Propositions: 100%" in capsys.readouterr().err


@hows
@pytest.mark.enable_socket
def test_each_call_of_the_llm_is_an_event_inside_the_one_of_the_parser(how: str) -> None:
    handler = LlamaDebugHandler(print_trace_on_end=False)
    manager = CallbackManager([handler])
    with OpenAIServer() as server:
        llm = like(server, callback_manager=manager)
        parser = SummaryTransformer(llm, budget=1, splitter=None, callback_manager=manager)
        with manager.as_trace("index"):
            made(parser, how, told(3))
    (parsing,) = handler.get_event_pairs(CBEventType.NODE_PARSING)
    asking = handler.get_event_pairs(CBEventType.LLM)
    assert len(asking) == server.calls == 3
    assert {start.id_ for start, _ in asking} == set(handler._trace_map[parsing[0].id_])
