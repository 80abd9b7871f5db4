"""What a tracer, a callback manager and a progress bar see."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from llama_index.core import Document, Settings
from llama_index.core.bridge.pydantic import PrivateAttr
from llama_index.core.callbacks import CallbackManager, CBEventType, EventPayload, LlamaDebugHandler
from llama_index.core.instrumentation import get_dispatcher
from llama_index.core.instrumentation.span import BaseSpan
from llama_index.core.instrumentation.span_handlers import BaseSpanHandler
from llama_index_embedding_fakes import Words
from llama_index_fakes import ARTICLE, parsers

DOCUMENTS = [Document(text=ARTICLE, id_="a")]


class Spans(BaseSpanHandler[BaseSpan]):
    """Keeps the names of what was entered, left and dropped."""

    _entered: list[tuple[str, str | None]] = PrivateAttr(default_factory=list)
    _left: list[str] = PrivateAttr(default_factory=list)
    _dropped: list[str] = PrivateAttr(default_factory=list)

    @property
    def names(self) -> list[str]:
        return [name.rpartition("-")[0].split("-")[0] for name, _ in self._entered]

    def new_span(self, id_: str, bound_args: Any, instance: Any = None, parent_span_id: Any = None, **k: Any) -> Any:
        self._entered.append((id_, parent_span_id))
        return BaseSpan(id_=id_, parent_id=parent_span_id)

    def prepare_to_exit_span(self, id_: str, bound_args: Any, instance: Any = None, **kwargs: Any) -> Any:
        self._left.append(id_)
        return self.open_spans[id_]

    def prepare_to_drop_span(self, id_: str, bound_args: Any, instance: Any = None, **kwargs: Any) -> Any:
        self._dropped.append(id_)
        return self.open_spans[id_]


@pytest.fixture
def tracer() -> Iterator[Spans]:
    root, handler = get_dispatcher(), Spans()
    root.add_span_handler(handler)
    yield handler
    root.span_handlers.remove(handler)


@parsers
def test_a_call_is_one_span_of_parsing(parser: Any, tracer: Spans) -> None:
    parser(embed_model=Words())(DOCUMENTS)
    name = f"{parser.__name__}._parse_nodes"
    alternatives = {name, "SemanticSplitter._parse_nodes"}
    assert sum(each in alternatives for each in tracer.names) == 1
    assert sorted(tracer._left) == sorted(id_ for id_, _ in tracer._entered)


@parsers
async def test_an_awaited_call_is_one_span_of_parsing(parser: Any, tracer: Spans) -> None:
    await parser(embed_model=Words()).acall(DOCUMENTS)
    assert sum(each.endswith("._aparse_nodes") for each in tracer.names) == 1
    assert sorted(tracer._left) == sorted(id_ for id_, _ in tracer._entered)


@parsers
async def test_embedding_is_a_span_inside_of_parsing(parser: Any, tracer: Spans) -> None:
    made = parser(embed_model=Words(), calibrated=False)
    for run in (made, made.acall):
        tracer._entered.clear()
        done = run(DOCUMENTS)
        if run is not made:
            await done
        outer = next(id_ for id_, _ in tracer._entered if "parse_nodes" in id_)
        inner = [(id_, parent) for id_, parent in tracer._entered if "embedding_batch" in id_]
        assert inner
        assert inner[0][1] == outer


@parsers
async def test_settings_and_helpers_make_no_spans(parser: Any, tracer: Spans) -> None:
    made = parser(embed_model=Words())
    assert tracer.names == []
    made(DOCUMENTS)
    await made.acall(DOCUMENTS)
    assert not [name for name in tracer.names if name.endswith("._cut")]


@parsers
async def test_a_failure_drops_the_span(parser: Any, tracer: Spans) -> None:
    made = parser(chunk_size=1, embed_model=Words())
    full = [Document(text="x", metadata={"long": "word " * 9})]
    with pytest.raises(ValueError, match="chunk_size"):
        made(full)
    with pytest.raises(ValueError, match="chunk_size"):
        await made.acall(full)
    assert any("._parse_nodes" in id_ for id_ in tracer._dropped)
    assert any("._aparse_nodes" in id_ for id_ in tracer._dropped)


@parsers
async def test_the_callback_manager_hears_of_parsing(parser: Any) -> None:
    handler = LlamaDebugHandler(print_trace_on_end=False)
    made = parser(callback_manager=CallbackManager([handler]))
    nodes = made(DOCUMENTS)
    await made.acall(DOCUMENTS)
    pairs = handler.get_event_pairs(CBEventType.NODE_PARSING)
    assert len(pairs) == 2
    for start, end in pairs:
        assert start.payload[EventPayload.DOCUMENTS] == DOCUMENTS
        assert end.payload[EventPayload.NODES] == nodes


@parsers
def test_the_global_callback_manager_reaches_the_global_parser(parser: Any) -> None:
    handler = LlamaDebugHandler(print_trace_on_end=False)
    Settings.callback_manager = CallbackManager([handler])
    Settings.node_parser = parser()
    Settings.node_parser(DOCUMENTS)
    assert len(handler.get_event_pairs(CBEventType.NODE_PARSING)) == 1


@parsers
def test_the_callbacks_of_the_embedding_hear_of_its_calls(parser: Any) -> None:
    handler = LlamaDebugHandler(print_trace_on_end=False)
    parser(embed_model=Words(callback_manager=CallbackManager([handler])))(DOCUMENTS)
    assert len(handler.get_event_pairs(CBEventType.EMBEDDING)) == 2


@parsers
async def test_progress_is_shown_on_request_only(parser: Any, capfd: Any) -> None:
    made = parser(embed_model=Words())
    made(DOCUMENTS)
    await made.acall(DOCUMENTS)
    assert capfd.readouterr().err == ""
    made.get_nodes_from_documents(DOCUMENTS, show_progress=True)
    await made.aget_nodes_from_documents(DOCUMENTS, show_progress=True)
    shown = capfd.readouterr().err
    assert "Parsing nodes" in shown
    assert "Generating embeddings" in shown
