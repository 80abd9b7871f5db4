"""Awaited, a splitter awaits its embedding, leaves the event loop free, and makes the same nodes."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest
from llama_index.core import Document
from llama_index.core.ingestion import IngestionPipeline
from llama_index.core.schema import TextNode
from llama_index_embedding_fakes import AsyncWords, Words
from llama_index_fakes import ARTICLE, REPEATED, at_stops, content, letters, linked, numbered, parsers, spans

from caesura_static import StaticEmbedder

DOCUMENTS = [Document(text=text, id_=str(number)) for number, text in enumerate([ARTICLE, REPEATED, "", ARTICLE[::-1]])]


@parsers
async def test_async_code_never_calls_a_sync_method_of_the_embedding(parser: Any) -> None:
    model = AsyncWords()
    made = parser(embed_model=model, chunk_size=40)
    nodes = [
        await made.acall(DOCUMENTS),
        await made.aget_nodes_from_documents(DOCUMENTS, show_progress=True),
        await IngestionPipeline(transformations=[made], disable_cache=True).arun(documents=DOCUMENTS),
    ]
    expected = parser(embed_model=Words(), chunk_size=40)(DOCUMENTS)
    assert all(spans(each) == spans(expected) for each in nodes)
    assert (len(model.calls), model.calibrations) == (3, 1)


@parsers
@pytest.mark.parametrize("settings", [{}, {"chunk_size": 20}, {"chunk_size": None, "calibrated": False}])
async def test_async_is_sync(parser: Any, settings: dict[str, Any]) -> None:
    for model in (None, Words()):
        made = parser(embed_model=model, **settings)
        assert content(await made.acall(DOCUMENTS)) == content(made(DOCUMENTS))


@parsers
async def test_the_work_is_done_beside_the_event_loop(parser: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    threads: dict[str, set[int]] = {}

    def noted(function: Any) -> Any:
        def noting(*args: Any) -> Any:
            threads.setdefault(function.__name__, set()).add(threading.get_ident())
            return function(*args)

        return noting

    made = parser(sentence_splitter=noted(at_stops), tokenizer=noted(letters), id_func=noted(numbered), chunk_size=200)
    monkeypatch.setattr(StaticEmbedder, "__call__", noted(StaticEmbedder.__call__))
    threads.clear()
    await made.acall([Document(text=ARTICLE, metadata={"k": "v"}), Document(text=REPEATED)])
    assert threads.keys() == {"at_stops", "letters", "numbered", "__call__"}
    assert threading.get_ident() not in set().union(*threads.values())


@parsers
async def test_nodes_are_linked_beside_the_event_loop(parser: Any, monkeypatch: Any) -> None:
    threads: set[int] = set()
    inner = TextNode.as_related_node_info

    def watched(node: TextNode) -> Any:
        threads.add(threading.get_ident())
        return inner(node)

    monkeypatch.setattr(TextNode, "as_related_node_info", watched)
    nodes = await parser(chunk_size=20).acall([Document(text=ARTICLE)])
    monkeypatch.undo()
    linked(nodes)
    assert threading.get_ident() not in threads


@parsers
async def test_many_calls_at_once_make_the_same_nodes(parser: Any) -> None:
    made = parser(embed_model=AsyncWords(), chunk_size=40)
    each = [[Document(text=ARTICLE[i:], id_=str(i))] for i in range(0, 60, 10)]
    together = await asyncio.gather(*map(made.acall, each))
    alone = [parser(embed_model=Words(), chunk_size=40)(documents) for documents in each]
    assert list(map(spans, together)) == list(map(spans, alone))


@parsers
async def test_a_sync_call_inside_a_running_loop_works(parser: Any) -> None:
    assert parser(embed_model=Words())(DOCUMENTS)


@parsers
async def test_a_cancelled_call_leaves_the_splitter_usable(parser: Any) -> None:
    class Hanging(Words):
        async def _aget_text_embeddings(self, texts: list[str]) -> Any:
            asked.set()
            await asyncio.sleep(3600)

    asked = asyncio.Event()
    made = parser(embed_model=Hanging())
    task = asyncio.create_task(made.acall(DOCUMENTS))
    await asked.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    made.embed_model = Words()
    assert spans(await made.acall(DOCUMENTS)) == spans(parser(embed_model=Words())(DOCUMENTS))
