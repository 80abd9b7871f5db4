"""Callback managers hear of parsing and of embedding; a bar shows how far they are, on request only."""

from __future__ import annotations

from typing import Any

import pytest
from fakes.llama_index.embeddings import Words
from fakes.llama_index.parsers import ONE_ARTICLE, content, every_parser
from llama_index.core import Settings
from llama_index.core.callbacks import CallbackManager, CBEventType, EventPayload, LlamaDebugHandler
from llama_index.core.instrumentation import get_dispatcher
from llama_index.core.instrumentation.event_handlers import BaseEventHandler, NullEventHandler

from llama_index.node_parser.caesura import OptimalSemanticSplitter, StaticEmbedding


@pytest.fixture
def heard() -> LlamaDebugHandler:
    return LlamaDebugHandler(print_trace_on_end=False)


@every_parser
async def test_the_manager_of_a_splitter_hears_of_parsing(parser: Any, heard: LlamaDebugHandler) -> None:
    made = parser(callback_manager=CallbackManager([heard]))
    nodes = made(ONE_ARTICLE)
    await made.acall(ONE_ARTICLE)
    pairs = heard.get_event_pairs(CBEventType.NODE_PARSING)
    assert len(pairs) == 2
    for start, end in pairs:
        assert start.payload[EventPayload.DOCUMENTS] == ONE_ARTICLE
        assert end.payload[EventPayload.NODES] == nodes


@every_parser
def test_the_manager_of_the_settings_reaches_their_splitter(parser: Any, heard: LlamaDebugHandler) -> None:
    Settings.callback_manager = CallbackManager([heard])
    Settings.node_parser = parser()
    Settings.node_parser(ONE_ARTICLE)
    assert len(heard.get_event_pairs(CBEventType.NODE_PARSING)) == 1


@every_parser
def test_the_manager_of_the_embedding_hears_of_its_calls(parser: Any, heard: LlamaDebugHandler) -> None:
    parser(embed_model=Words(callback_manager=CallbackManager([heard])))(ONE_ARTICLE)
    assert len(heard.get_event_pairs(CBEventType.EMBEDDING)) == 2  # one is the calibration


@pytest.mark.parametrize("by_settings", [False, True])
async def test_nobody_hears_of_the_built_in_model_and_its_rows_are_no_lists(
    by_settings: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    Settings.embed_model = StaticEmbedding()
    parser = OptimalSemanticSplitter(embed_model="settings" if by_settings else StaticEmbedding())
    expected = content(OptimalSemanticSplitter()(ONE_ARTICLE))
    heard = content(parser.get_nodes_from_documents(ONE_ARTICLE, show_progress=True))
    monkeypatch.setattr(StaticEmbedding, "_get_text_embeddings", None)
    assert content(parser(ONE_ARTICLE)) == content(await parser.acall(ONE_ARTICLE)) == heard == expected


@pytest.mark.parametrize("base", [BaseEventHandler, NullEventHandler])
async def test_a_handler_hears_of_the_built_in_model(heard: LlamaDebugHandler, base: Any) -> None:
    parser = OptimalSemanticSplitter(embed_model=StaticEmbedding(callback_manager=CallbackManager([heard])))
    nodes = [parser(ONE_ARTICLE), await parser.acall(ONE_ARTICLE)]
    assert len(heard.get_event_pairs(CBEventType.EMBEDDING)) == 2
    events: list[str] = []

    class Handler(base):
        def handle(self, event: Any, **kwargs: Any) -> None:
            events.append(event.class_name())

    root, handler = get_dispatcher(), Handler()
    root.add_event_handler(handler)
    try:
        nodes.append(OptimalSemanticSplitter(embed_model=StaticEmbedding())(ONE_ARTICLE))
    finally:
        root.event_handlers.remove(handler)
    assert events == ["EmbeddingStartEvent", "EmbeddingEndEvent"]
    assert [content(each) for each in nodes] == [content(nodes[0])] * 3


@every_parser
async def test_progress_is_shown_on_request_only(parser: Any, capfd: pytest.CaptureFixture[str]) -> None:
    made = parser(embed_model=Words())
    quiet = [made(ONE_ARTICLE), await made.acall(ONE_ARTICLE)]
    assert capfd.readouterr().err == ""
    shown = [made.get_nodes_from_documents(ONE_ARTICLE, show_progress=True)]
    sync = capfd.readouterr().err
    shown.append(await made.aget_nodes_from_documents(ONE_ARTICLE, show_progress=True))
    for seen in (sync, capfd.readouterr().err):
        assert "Parsing nodes" in seen
        assert "Generating embeddings" in seen
    assert [content(nodes) for nodes in quiet + shown] == [content(quiet[0])] * 4
