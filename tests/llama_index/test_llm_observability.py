"""What a tracer, a callback manager, a progress bar and a log see of language-model work."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any

import pytest
from llama_index.core.callbacks import CallbackManager, CBEventType, LlamaDebugHandler
from llama_index.core.instrumentation import get_dispatcher
from llama_index.core.instrumentation.event_handlers import BaseEventHandler
from llama_index.core.instrumentation.events.llm import LLMChatEndEvent
from llama_index.core.instrumentation.span import BaseSpan
from llama_index.core.instrumentation.span_handlers import BaseSpanHandler
from llama_index_llm_fakes import Plain, every, hows, like, made, told
from openai_server import OpenAIServer

from llama_index.node_parser.caesura import PropositionTransformer, SummaryTransformer

ENTERED: list[tuple[str, str | None]] = []
CHATS: list[LLMChatEndEvent] = []


class Spans(BaseSpanHandler[BaseSpan]):
    """Keeps what was entered, and inside of what."""

    def new_span(self, id_: str, bound_args: Any, instance: Any = None, parent_span_id: Any = None, **k: Any) -> Any:
        ENTERED.append((id_, parent_span_id))
        return BaseSpan(id_=id_, parent_id=parent_span_id)

    def prepare_to_exit_span(self, id_: str, bound_args: Any, instance: Any = None, **kwargs: Any) -> Any:
        return self.open_spans[id_]

    def prepare_to_drop_span(self, id_: str, bound_args: Any, instance: Any = None, **kwargs: Any) -> Any:
        return self.open_spans[id_]


class Events(BaseEventHandler):
    """Keeps the ends of chats."""

    def handle(self, event: Any, **kwargs: Any) -> None:
        if isinstance(event, LLMChatEndEvent):
            CHATS.append(event)


@pytest.fixture
def traced() -> Iterator[None]:
    root, spans, events = get_dispatcher(), Spans(), Events()
    ENTERED.clear()
    CHATS.clear()
    root.add_span_handler(spans)
    root.add_event_handler(events)
    yield
    root.span_handlers.remove(spans)
    root.event_handlers.remove(events)


@every
@hows
def test_a_run_is_one_span_of_parsing(kind: Any, how: str, traced: None) -> None:
    made(kind(Plain(), splitter=None), how, told(2))
    parsing = {"sync": "._parse_nodes", "async": "._aparse_nodes"}[how]
    assert sum(parsing in name for name, _ in ENTERED) == 1


@hows
@pytest.mark.enable_socket
def test_calls_are_spans_inside_of_it_and_say_what_they_were_answered(how: str, traced: None) -> None:
    with OpenAIServer() as server:
        parser = SummaryTransformer(like(server), budget=1, splitter=None)
        made(parser, how, told(3))
    parents = dict(ENTERED)
    chats = [name for name, _ in ENTERED if "chat" in name.lower() and "OpenAILike" in name]
    assert len({name for name in chats if "OpenAILike" not in str(parents[name])}) == 3
    for name in chats:
        above: str | None = name
        while above is not None and "parse_nodes" not in above:
            above = parents[above]
        assert above is not None
    assert any("In short" in str(event.response) for event in CHATS)


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
